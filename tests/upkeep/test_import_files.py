"""Which format a file has, what is refused whatever the format, and the small things that all importers share."""

import io
import struct
import zipfile

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cued.errors import InputError
from cued.importers import FORMATS, NAMES, detect, files, import_file
from cued.importers.drafting import clean, meta, pieces, short, shorts, source_id, when
from cued.requests.checks import labels, metadata
from cued.stores import Store
from cued.stores.keepers.memory import MemoryKeeper
from cued.upkeep.export import export
from tests.building import NOW
from tests.fakes import ListEmbedder
from tests.upkeep.import_samples import chatgpt_conversation, imported, memories, spoken, utc, written, zipped

TALK = [chatgpt_conversation(spoken("user", "Tea, please.", at=1_700_000_000))]


def test_an_export_of_cued_is_a_format_like_the_others(tmp_path):
    source = Store(MemoryKeeper())
    import_file("t", source, written(tmp_path / "c.json", TALK), embedder=ListEmbedder(), at=NOW)
    path = written(tmp_path / "own.jsonl", b"".join(export("t", source, at=NOW, vectors=True)))

    done, found = imported(path, embedder=ListEmbedder())

    assert detect(path) == done.format == "cued"
    assert found == memories(source)
    with pytest.raises(InputError, match="no scope"):
        imported(path, scope="mine")


@pytest.mark.parametrize("data", ["", "plain words", "[]", "{}", '{"colour": 1}', '"mapping": 1', b"\xfe\x00", b"\0" * 100])
def test_a_file_of_no_known_format_is_refused_with_the_list_of_formats(tmp_path, data):
    with pytest.raises(InputError) as refused:
        detect(written(tmp_path / "file.bin", data))

    assert all(name in str(refused.value) for name in NAMES)


def test_a_file_in_utf_16_is_refused_and_the_error_says_so(tmp_path):
    path = tmp_path / "export.jsonl"
    for encoding in ("utf-16-le", "utf-16-be"):
        path.write_bytes('\ufeff{"cued": 1}'.encode(encoding))
        with pytest.raises(InputError, match="UTF-16"):
            detect(path)


def test_a_key_inside_a_text_does_not_decide_the_format(tmp_path):
    talk = chatgpt_conversation(*[spoken("user", 'He said "chat_messages": and "memory": today.')], title='a "memory": title')

    assert detect(written(tmp_path / "c.json", [talk])) == "chatgpt"


def test_a_format_that_there_is_not_and_a_file_that_there_is_not_are_refused(tmp_path):
    with pytest.raises(InputError, match="one of cued, chatgpt"):
        imported(written(tmp_path / "c.json", TALK), format="diary")
    for name in (None, *NAMES):
        with pytest.raises(InputError, match=r"missing\.json") as refused:
            imported(tmp_path / "missing.json", format=name)
        assert f"in {tmp_path / 'missing.json'}" in refused.value.__notes__


@pytest.mark.parametrize("name", FORMATS)
def test_every_format_refuses_or_skips_what_is_of_another_kind(tmp_path, name):
    kinds = {"json": "[[1], 2, null]", "text": "x" * 10_000, "zip": zipped(tmp_path / "z", {"a": "b"}).read_bytes(), "nul": b"\0" * 5000}
    for kind, data in kinds.items():
        store = Store(MemoryKeeper())
        path = written(tmp_path / f"file.{kind}", data)
        try:
            done, _ = imported(path, store, format=name)
        except InputError:
            continue
        assert done.stored == 0 or name == "markdown"


def test_a_file_of_more_bytes_than_are_accepted_is_refused(tmp_path):
    path = written(tmp_path / "conversations.json", TALK)

    with pytest.raises(InputError, match="at most 100 bytes; import it in parts"):
        imported(path, max_bytes=100)


def test_a_file_that_is_denser_than_any_export_is_refused_before_it_is_decoded(tmp_path, monkeypatch):
    monkeypatch.setattr(files, "MAX_ITEMS", 1000)

    with pytest.raises(InputError, match="at most 1000 commas"):
        imported(written(tmp_path / "c.json", "[" + "0," * 1001 + "0]"), format="chatgpt")
    for name in ("mem0", "mcp-memory"):
        with pytest.raises(InputError, match="at most 1000 lines"):
            imported(written(tmp_path / "m.jsonl", "{}\n" * 1002), format=name)


def test_a_zip_bomb_is_refused_by_its_ratio_and_by_what_it_really_unpacks_to(tmp_path):
    bomb = zipped(tmp_path / "bomb.zip", {"conversations.json": b"[" + b" " * 50_000_000 + b"]"})
    with pytest.raises(InputError, match="at most 200 times"):
        imported(bomb)

    data = bytearray(zipped(tmp_path / "lie.zip", {"conversations.json": b"[" + b" " * 900_000 + b"]"}).read_bytes())
    listing = data.rfind(b"PK\x01\x02")
    data[listing + 24 : listing + 28] = struct.pack("<L", 100)
    with pytest.raises(InputError):
        imported(written(tmp_path / "lie.zip", bytes(data)), max_bytes=50_000, format="chatgpt")


def test_many_members_share_one_limit(tmp_path):
    path = zipped(tmp_path / "c.zip", {f"conversations-{n}.json": TALK for n in range(9)}, compression=zipfile.ZIP_STORED)

    with pytest.raises(InputError, match="bytes that are left"):
        imported(path, max_bytes=2000)


def test_names_in_a_zip_file_lead_nowhere(tmp_path):
    inner = tmp_path / "inner"
    inner.mkdir()
    path = zipped(inner / "c.zip", {"../../conversations.json": TALK, "/etc/conversations.json": TALK, "C:\\conversations.json": TALK})

    done, _ = imported(path)

    assert (done.stored, done.known) == (1, 1)
    assert [each.name for each in tmp_path.rglob("*")] == ["inner", "c.zip"]


def encrypted(path):
    """Give a zip file whose member says that it is encrypted."""
    data = bytearray(zipped(path, {"conversations.json": TALK}).read_bytes())
    for signature, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        data[data.find(signature) + offset] |= 1
    return written(path, bytes(data))


def test_an_encrypted_zip_file_is_refused(tmp_path):
    with pytest.raises(InputError, match="without encryption"):
        imported(encrypted(tmp_path / "c.zip"))


@pytest.mark.parametrize("cut", [5, 60, 200, -1, -10, -30])
def test_a_zip_file_that_was_cut_or_spoilt_is_an_input_error(tmp_path, cut):
    data = zipped(tmp_path / "c.zip", {"conversations.json": TALK}).read_bytes()

    with pytest.raises(InputError):
        imported(written(tmp_path / "c.zip", data[:cut]), format="chatgpt")


@given(st.integers(0, 10_000), st.integers(0, 255))
def test_a_zip_file_with_any_byte_changed_is_read_or_refused(tmp_path_factory, place, byte):
    path = tmp_path_factory.getbasetemp() / "changed.zip"
    data = bytearray(zipped(path, {"conversations.json": TALK}).read_bytes())
    data[place % len(data)] = byte
    path.write_bytes(data)

    try:
        done, _ = imported(path, format="chatgpt")
    except InputError:
        return
    assert done.stored <= 1


def test_a_zip_file_with_a_list_of_members_that_is_too_long_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(files, "MAX_LISTING", 1000)
    path = zipped(tmp_path / "c.zip", {f"file{number}": "" for number in range(100)})

    with pytest.raises(InputError, match="list of members"):
        imported(path, format="chatgpt")


def test_a_zip_file_that_names_its_list_in_64_bits_is_measured_by_that(tmp_path, monkeypatch):
    monkeypatch.setattr(files, "MAX_LISTING", 1000)
    data = zipped(tmp_path / "c.zip", {"conversations.json": TALK}).read_bytes()
    end = data.rfind(b"PK\x05\x06")
    record = struct.pack("<4sQ2H2L4Q", b"PK\x06\x06", 44, 45, 45, 0, 0, 1, 1, 1_000_000, 0)
    locator = struct.pack("<4sLQL", b"PK\x06\x07", 0, end, 1)
    path = written(tmp_path / "c.zip", data[:end] + record + locator + data[end:])

    with pytest.raises(InputError, match="list of members"):
        imported(path, format="chatgpt")


def test_a_zip_file_without_a_member_of_the_format_is_refused(tmp_path):
    with pytest.raises(InputError, match="conversations"):
        imported(zipped(tmp_path / "c.zip", {"holiday.jpg": b"\xff"}))


def test_progress_hears_how_many_are_done_and_that_the_total_is_unknown(tmp_path):
    heard = []

    imported(written(tmp_path / "c.json", TALK), progress=lambda *each: heard.append(each))

    assert heard == [(1, 0)]


def test_an_import_embeds_what_is_new_and_only_that(tmp_path):
    embedder, store = ListEmbedder(), Store(MemoryKeeper())
    path = written(tmp_path / "c.json", TALK)

    imported(path, store, embedder=embedder)
    imported(path, store, embedder=embedder)

    assert embedder.asked == ["user: Tea, please."]
    assert [m.fingerprint for m in memories(store)] == [str(embedder.fingerprint)]


@pytest.mark.parametrize(
    ("value", "time"),
    [
        (1_700_000_000, utc(2023, 11, 14, 22, 13, 20)),
        (1_700_000_000_000, utc(2023, 11, 14, 22, 13, 20)),
        ("1700000000", utc(2023, 11, 14, 22, 13, 20)),
        ("2025-01-01", utc(2025, 1, 1)),
        ("2025-01-01T02:00:00+02:00", utc(2025, 1, 1)),
        ("2025-01-01T00:00:00Z", utc(2025, 1, 1)),
        *(
            (odd, None)
            for odd in (None, "", "soon", "NaN", "inf", 0, -1, 1e300, 10**400, float("nan"), True, [], {}, "9999-12-31", "0001-01-01")
        ),
    ],
)
def test_a_time_is_read_as_it_is_written_or_not_at_all(value, time):
    assert when(value) == time


def test_ids_depend_on_every_part_and_on_where_one_ends():
    assert source_id("x", "a", "b") == source_id("x", "a", "b")
    assert (
        len({source_id("x", "a", "b"), source_id("x", "ab"), source_id("x", "ab", ""), source_id("y", "a", "b"), source_id("x", "\ud800")})
        == 5
    )


@given(st.text(max_size=300), st.integers(1, 50))
def test_pieces_are_short_and_together_say_everything(text, most):
    parts = list(pieces(text, most=most))

    assert all(0 < len(part) <= most for part in parts)
    assert "".join("".join(parts).split()) == "".join(clean(text).split())


@given(st.dictionaries(st.text(), st.none() | st.text() | st.floats() | st.integers() | st.booleans() | st.lists(st.none()), max_size=90))
def test_metadata_of_any_kind_becomes_metadata_that_can_be_stored(values):
    kept = meta(values)

    assert metadata(kept) == kept


@given(st.lists(st.text() | st.integers() | st.none()))
def test_names_of_any_kind_become_names_that_can_be_stored(values):
    assert labels("tags", shorts(values)) == shorts(values)
    assert shorts("a\0  b\n") == (short("a\0  b\n"),) == ("a b",)


def test_bytes_behind_a_byte_order_mark_are_read(tmp_path):
    path = written(tmp_path / "c.json", b"\xef\xbb\xbf" + written(tmp_path / "d.json", TALK).read_bytes())

    assert detect(path) == "chatgpt"
    assert imported(path)[0].stored == 1


def test_a_zip_file_with_a_comment_is_read(tmp_path):
    buffer = io.BytesIO(zipped(tmp_path / "c.zip", {"conversations.json": TALK}).read_bytes())
    with zipfile.ZipFile(buffer, "a") as archive:
        archive.comment = b"PK\x05 a comment " * 100
    path = written(tmp_path / "c.zip", buffer.getvalue())

    assert imported(path)[0].stored == 1
