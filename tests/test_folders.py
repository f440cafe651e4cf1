"""Where what belongs to a user lies."""

import pytest

from cued.errors import InputError
from cued.folders import place, replacing, user_folder


@pytest.mark.parametrize("platform", ["linux", "darwin", "win32"])
def test_what_can_be_made_again_does_not_lie_among_the_data(platform):
    data, cache = (user_folder(purpose, platform=platform) for purpose in ("data", "cache"))
    assert data != cache
    assert "cued" in data.parts
    assert "cued" in cache.parts


def test_a_user_s_own_places_are_taken(monkeypatch, tmp_path):
    for name in ("LOCALAPPDATA", "XDG_DATA_HOME", "XDG_CACHE_HOME"):
        monkeypatch.setenv(name, str(tmp_path / name))
    assert user_folder("data", platform="win32") == tmp_path / "LOCALAPPDATA" / "cued"
    assert user_folder("cache", platform="win32") == tmp_path / "LOCALAPPDATA" / "cued" / "Cache"
    assert user_folder("data", platform="linux") == tmp_path / "XDG_DATA_HOME" / "cued"
    assert user_folder("cache", platform="linux") == tmp_path / "XDG_CACHE_HOME" / "cued"


@pytest.mark.parametrize("named", ["redis://localhost/0", "sqlite:///memories.db", "mysql://mara:secret@db/cued"])
def test_an_address_of_another_kind_is_refused_as_one_and_shown_no_further_than_its_scheme(named):
    with pytest.raises(InputError, match="postgresql://") as refused:
        place(named)
    assert named.partition("//")[2] not in str(refused.value)


def test_a_file_takes_another_s_place_only_once_it_is_whole(tmp_path):
    def write(body):
        with replacing(tmp_path / "offer.json") as file:
            file.write(body)

    write(b"first")
    with pytest.raises(TypeError):
        write("no bytes")
    assert [each.name for each in tmp_path.iterdir()] == ["offer.json"]
    assert (tmp_path / "offer.json").read_bytes() == b"first"
