"""The client is the handle: the same verbs, arguments, answers and errors as on an open store, and no write twice, whatever is lost."""

import asyncio
import inspect
import json
import re
import socket
import threading
import traceback
from datetime import timedelta

import numpy as np
import pytest

import cued
from cued import aio, errors
from cued.handles.memories import Memories
from cued.handles.tenant import Tenant
from cued.model import Cue
from cued.requests.cue import RecallRequest
from cued.requests.draft import RememberRequest
from cued.surfaces.contract import explanation_json, pack_json, page_json, timeline_json, why_json
from cued.surfaces.http.guard import Rules
from cued.surfaces.http.problems import STATUSES
from cued.surfaces.http.routes import LEFT_OUT, ROUTES
from cued.surfaces.remote.calls import call_of
from cued.surfaces.remote.connecting import RemoteMemories, RemoteTenant
from cued.surfaces.remote.connections import Connections, ServerAddress
from cued.surfaces.verbs import VERBS
from tests.docs.pages import ROOT
from tests.fakes import FixedClock
from tests.surfaces.verb_names import command_of, handle_of

PAIRS = [(Tenant, RemoteTenant), (Memories, RemoteMemories)]
CUE = "When is the staging deploy?"
LOG = "\n".join(f"12:04:{second} [hall_sensor] deploy_key=0 state=idle" for second in range(10, 30))
SILENT = {"timings_ms", "recall_id"}


def public(kind):
    return {name: member for name, member in inspect.getmembers(kind, inspect.isfunction) if not name.startswith("_")}


def own_of(kind):
    """The public names that a client's handle has of its own, and not of the handle that it stands for."""
    parts = [part for part in kind.__mro__ if part.__module__.startswith("cued.surfaces.remote.")]
    return {name for part in parts for name in vars(part) if not name.startswith("_")}


@pytest.mark.parametrize(("here", "there"), PAIRS, ids=lambda kind: kind.__name__)
def test_every_verb_is_the_clients_own_with_the_same_arguments_defaults_and_answer(here, there):
    own = own_of(there) & set(public(there))
    assert own | {"conversation"} >= set(public(here))
    for name in own:
        assert inspect.signature(getattr(there, name)).parameters == inspect.signature(getattr(here, name)).parameters, name


def test_every_route_has_its_method_and_what_has_no_route_is_refused_with_the_reason(client):
    for verb in VERBS.values():
        holder = RemoteTenant if verb.works_on == "tenant" else RemoteMemories
        assert handle_of(verb) in own_of(holder)
    assert {route.verb for route in ROUTES} | set(LEFT_OUT) == set(VERBS)
    for verb, refused in {"import": lambda: client.tenant("mira").import_file("notes"), "backup": lambda: client.backup("copy.db")}.items():
        with pytest.raises(errors.InputError, match=LEFT_OUT[verb].partition(";")[0]):
            refused()


def test_what_was_to_give_way_to_a_less_trusted_memory_is_a_conflict_among_many_too(client):
    mira = client.tenant("mira")
    held = mira.remember("The staging deploy is on Friday.").id
    answer = mira.remember_many([{"text": "The staging deploy is on Monday.", "trust": "agent", "supersedes": [held]}])
    assert [conflict.id for conflict in answer.conflicts] == [held]


def test_a_text_and_a_number_of_numpys_are_sent_as_pythons_own(client):
    mira = client.tenant(np.str_("mira"))
    draft = cued.Draft(text=np.str_("The staging deploy is on Friday."), tags=(np.str_("ops"),), meta={"at": np.float64(2.5)})
    kept = mira.get(np.str_(mira.remember(draft).id))
    assert (kept.text, kept.tags, kept.source.meta) == ("The staging deploy is on Friday.", ("ops",), {"at": 2.5})
    recall = mira.recall(np.str_(CUE), limit=np.int64(3), tags=[np.str_("ops")], conversation=np.str_("c"))
    assert kept.id in [each.id for each in recall]
    assert mira.list(tags=[np.str_("ops")], meta={"at": np.float64(2.5)}).total == 1


def test_every_verb_is_on_the_command_line_over_http_for_agents_or_in_the_client_and_in_the_reference():
    pages = {name: (ROOT / "docs" / "reference" / f"{name}.md").read_text("utf-8") for name in ("cli", "http", "json", "python")}
    for verb in VERBS.values():
        assert f"## `{verb.name}`" in pages["json"], verb.name
        assert f"{handle_of(verb)}(" in pages["python"], verb.name
        assert verb.name in LEFT_OUT or f"| `{verb.name}` |" in pages["http"] or verb.about in pages["http"], verb.name
        command, _, _ = command_of(verb).partition(" --")
        assert f"cued {command}" in pages["cli"], verb.name


@pytest.fixture
def server(serve):
    with serve(opened={"clock": FixedClock()}) as running:
        yield running


@pytest.fixture
def client(server):
    written, _ = server.tokens.create("mira", scope="admin")
    with cued.connect(server.url, token=written) as connected:
        yield connected


@pytest.fixture
def both(server, client):
    """Mira's handle on the open store, and through the server, over the same memories."""
    here = server.memories.tenant("mira")
    here.remember("The staging deploy runs every Friday at 16:00.", id="deploy", tags=["ops"], at="2025-05-01", meta={"ticket": 7})
    here.remember("Bob bakes a lemon cake.", id="cake", speaker="Bob", session="s", turn=1, ttl="3650d")
    here.remember("Bob moved to Lisbon.", id="moved", derived_from=["cake"], supersedes=["cake"])
    here.remember("Always answer in English.", id="core", tier="core")
    return here, client.tenant("mira")


def same(told):
    return {name: value for name, value in told.items() if name not in SILENT}


def test_answers_are_the_same_nouns(both):
    here, there = both
    assert there.get("moved") == here.get("moved")
    assert [each.superseded[0].by for each in (there.get("cake"), here.get("cake"))] == ["moved", "moved"]
    assert there.list(meta={"ticket": 7}, kinds="semantic") == here.list(meta={"ticket": 7}, kinds="semantic")
    assert there.list(limit=1, hidden=True).next == here.list(limit=1, hidden=True).next
    assert there.stats() == here.stats()
    assert there.why("moved", depth=2) == here.why("moved", depth=2)
    assert there.timeline("cake", before=1, hidden=True) == here.timeline("cake", before=1, hidden=True)
    assert there.timeline(here.get("deploy").created_at) == here.timeline(here.get("deploy").created_at)
    assert pack_json(there.bootstrap(budget_tokens=200)) == pack_json(here.bootstrap(budget_tokens=200))
    assert list(there.export())[1:] == list(here.export())[1:]
    assert there.merges() == here.merges() == ()


def test_a_recall_is_the_same_recall_and_its_explanation_can_be_decided_here(both):
    here, there = both
    aside = Cue(utterance=CUE, pasted=LOG)
    for cue, options in (
        (CUE, {}),
        (Cue(utterance="Try again", goal=CUE), {"limit": 2}),
        (aside, {}),
        (f"{CUE}\n{LOG}", {}),
        ("How do I boil an egg?", {"floor": 0.9}),
    ):
        assert same(there.recall(cue, settle=False, **options).to_dict()) == same(here.recall(cue, settle=False, **options).to_dict())
    assert there.gather(aside).cue.pasted == LOG
    recalled = there.recall(RecallRequest(text=CUE, settle=False, policy="rrf"))
    assert (type(recalled), recalled.policy, recalled.memories[0].id) == (cued.Recall, "rrf", "deploy")
    explained, own = there.explain(CUE, memory="cake", without=["dense"]), here.explain(CUE, memory="cake", without=["dense"])
    assert same(explanation_json(explained)) == same(explanation_json(own))
    assert (explained.whole.block, explained.verdict.fate) == (own.whole.block, own.verdict.fate)
    evidence = there.gather(CUE)
    assert cued.decide(evidence, cued.load_policy()).block == here.recall(CUE, settle=False).block
    assert there.conversation().recall(CUE, settle=False).block == here.recall(CUE, settle=False).block


def test_writes_do_what_they_do_here_and_answer_with_the_same_nouns(both):
    here, there = both
    heard = []
    first = there.remember("The office is in Berlin.", id="berlin")
    assert type(first) is cued.Remembered
    conflict = there.remember({"text": "The office is in Lisbon."}, on_conflict="report").conflicts[0]
    assert (conflict.id, type(conflict.choices[0])) == ("berlin", cued.Choice)
    assert there.remember(RememberRequest(text="The office is in Porto.", on_conflict="supersede")).superseded
    many = there.remember_many((f"Note {n} of many." for n in range(300)), progress=lambda *told: heard.append(told))
    assert (len(many.ids), heard) == (300, [(256, 0), (300, 0)])
    turns = there.remember_turns([{"role": "user", "content": "I moved."}], session="t")
    assert here.get(turns.id).source.turn == 1
    assert there.update("deploy", importance=0.9, meta={}, if_version=1) == here.get("deploy")
    there.forget("deploy")
    assert here.get("deploy").forgotten_at is not None
    there.restore("deploy")
    recalled = there.recall(CUE)
    assert there.feedback(recalled.recall_id, cited=["deploy"]) == ("deploy",)
    assert there.log(limit=1)[0] == here.log(limit=1)[0]
    assert first.to_dict()["id"] == "berlin"


def test_upkeep_goes_through_the_server_too(both, client):
    here, there = both
    pair = here.remember_many([{"text": "Bob drinks tea.", "id": "tea", "at": "2025-01-01"}, {"text": "Bob drinks tea.", "id": "tea2"}])
    here.remember("Gone.", id="gone", at="2020-01-01", ttl="1d")
    assert [each.id for each in there.expired(grace=timedelta(days=1))] == ["gone"]
    assert there.sweep() == ("gone",)
    assert there.plan_consolidation() == here.plan_consolidation()
    with pytest.raises(errors.InputError, match="plans and does it at once"):
        there.consolidate(there.plan_consolidation())
    assert [merge.older for merge in there.consolidate().merged] == ["tea"]
    assert there.merges() == here.merges()
    assert there.unmerge("tea2") == ("tea",)
    assert [each.memory.id for each in there.cool(older_than="30d", importance_below=0.6)] == [
        each.memory.id for each in here.cool(older_than="30d", importance_below=0.6)
    ]
    assert there.reembed() == here.reembed()
    assert client.tenants() == ("mira",)
    assert there.erase_everything().memories >= len(pair.ids)
    assert client.flush() is None


def test_what_the_log_says_and_what_is_learnt_comes_through_the_server_too(both, client, server):
    here, there = both
    recalled = there.recall(CUE)
    assert there.label(recalled.recall_id, "right") == here.label(recalled.recall_id, "right")
    there.recall("Who bakes?")
    assert there.unlabelled() == here.unlabelled() != ()
    assert there.insight(by="policy").to_dict() == here.insight(by="policy").to_dict()
    assert client.insight().to_dict() == server.memories.insight().to_dict()
    assert there.compare().to_dict() == here.compare().to_dict()
    assert there.doctor().to_dict() == here.doctor().to_dict()
    assert there.replay("rrf").to_dict() == here.replay("rrf").to_dict()
    assert there.policy_history() == here.policy_history() == there.policy_rollback()
    assert there.policy_save("rrf", note="tried").versions == here.policy_history().versions != ()
    assert there.policy_rollback().current == 0
    for learn in (there.tune, client.tune, lambda: there.tune(source="log")):
        with pytest.raises(errors.InputError):
            learn()


REFUSED = {
    "unknown id": lambda tenant: tenant.get("nope"),
    "no id": lambda tenant: tenant.get(""),
    "an id that is none": lambda tenant: tenant.get(7),
    "no words": lambda tenant: tenant.recall("  "),
    "a number out of range": lambda tenant: tenant.recall(CUE, limit=0),
    "an unknown option": lambda tenant: tenant.recall(CUE, lmit=3),
    "an unknown policy": lambda tenant: tenant.recall(CUE, policy="nope"),
    "a text that is too long": lambda tenant: tenant.remember("x" * 100_001),
    "a lone surrogate": lambda tenant: tenant.remember("\ud800"),
    "an old version": lambda tenant: tenant.update("deploy", text="Another.", if_version=9),
    "nothing to change": lambda tenant: tenant.update("deploy"),
    "at odds": lambda tenant: tenant.remember("Bob did not move to Lisbon.", on_conflict="refuse"),
    "one that is no list": lambda tenant: tenant.remember_many("text"),
    "turns that are none": lambda tenant: tenant.remember_turns([{"role": "user"}], session="s"),
    "an unknown merge": lambda tenant: tenant.unmerge("deploy"),
    "a time that is none": lambda tenant: tenant.list(since="soon"),
    "a fact that is no number": lambda tenant: tenant.remember("Likes tea.", meta={"cups": float("nan")}),
    "such a one among many": lambda tenant: tenant.remember_many([{"text": "Likes tea.", "meta": {"cups": float("inf")}}]),
    "such a one in a change": lambda tenant: tenant.update("deploy", meta={"cups": float("nan")}),
    "such a one in a filter": lambda tenant: tenant.list(meta={"cups": float("nan")}),
}


@pytest.mark.parametrize("call", REFUSED.values(), ids=REFUSED)
def test_what_is_refused_is_the_same_error(both, call):
    raised = []
    for tenant in both:
        with pytest.raises(errors.CuedError) as refused:
            call(tenant)
        raised.append(refused.value)
    here, there = raised
    assert type(there) is type(here)
    assert vars(there).keys() - {"__notes__"} == vars(here).keys() - {"__notes__"}
    for name in ("field", "memory_id"):
        assert getattr(there, name, None) == getattr(here, name, None)
    found = [[(type(each), each.id, each.type) for each in getattr(error, "conflicts", ())] for error in raised]
    assert found[0] == found[1]


def test_of_many_the_one_that_is_refused_is_named_as_it_is_here(both):
    drafts = [*(f"Fact {number}." for number in range(280)), ""]
    raised = []
    for tenant in both:
        with pytest.raises(errors.InputError) as refused:
            tenant.remember_many(drafts)
        raised.append((str(refused.value), refused.value.__notes__))
    assert raised[0] == raised[1]
    assert raised[0][1] == ["in memory 281 of those given; the first 256 are stored"]


def test_every_error_of_a_verb_has_its_status_and_comes_back_as_itself():
    theirs = {errors.AccessError, errors.ServerError}
    for kind in (kind for kind in vars(errors).values() if isinstance(kind, type) and issubclass(kind, errors.CuedError)):
        assert kind in theirs or any(issubclass(kind, known) for known, _, _ in STATUSES)


def test_what_a_server_has_no_way_to_take_is_refused_before_it_is_sent(both):
    _, there = both
    for option in ({"now": "2025-01-01"}, {"vector": [1.0]}, {"boost": len}):
        with pytest.raises(errors.InputError, match="nothing through a server"):
            there.recall(CUE, **option)
    with pytest.raises(errors.InputError, match="name of a preset"):
        there.recall(CUE, policy=cued.load_policy("rrf"))


@pytest.mark.parametrize(
    "url",
    [
        *("http://[::1", "http://h:99999", "http://h h", "http://.", f"http://{'a' * 64}", "http://\ud800", 5, None, ["http://a", b"b"]),
        *("https://mira:secret@h", "https://mira:secret@h/path", "https://mira:secret/word@h"),
    ],
)
def test_an_address_where_no_server_can_be_is_refused_and_nothing_of_a_password_is_told(url):
    with pytest.raises(errors.InputError, match="a server's address without a path, a user or a password") as caught:
        cued.connect(url, token="t")
    assert "secret" not in "".join(traceback.format_exception(caught.value))


def test_a_token_is_refused_as_an_access_error_and_no_server_as_a_server_error(server):
    written, _ = server.tokens.create("mira", scope="read")
    with cued.connect(server.url, token=written) as client:
        with pytest.raises(errors.AccessError, match="needs write"):
            client.tenant("mira").remember("x")
        with pytest.raises(errors.AccessError, match="another tenant"):
            client.tenant("jonas").stats()
    with pytest.raises(errors.ServerError, match="closed"):
        client.tenants()
    with cued.connect(server.url, token="cued_nobody") as stranger, pytest.raises(errors.AccessError, match="unknown, expired"):
        stranger.tenants()
    for url in ("ftp://x", "http://", "http://127.0.0.1:1/path", "127.0.0.1"):
        with pytest.raises(errors.InputError, match="address"):
            cued.connect(url, token="t")
    free = socket.socket()
    free.bind(("127.0.0.1", 0))
    port = free.getsockname()[1]
    free.close()
    waited = []
    nobody = Connections(ServerAddress(url=f"http://127.0.0.1:{port}", token="t", tries=3), pause=waited.append)
    with pytest.raises(errors.ServerError, match="cannot be reached"):
        nobody.ask(call_of("stats", {}))
    assert len(waited) == 2
    assert waited == sorted(waited)


class Losing:
    """A way to a server that sends what it hears, and loses the first so many answers on their way back."""

    def __init__(self, url, losing):
        self.sent, self._losing = [], losing
        self._to = ("127.0.0.1", int(url.rpartition(":")[2]))
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._listening.getsockname()[1]}"
        self._thread = threading.Thread(target=self._work)
        self._thread.start()

    def _work(self):
        while True:
            caller, _ = self._listening.accept()
            with caller:
                asked = caller.recv(1_000_000)
                if not asked:
                    return
                told = re.search(rb"Content-Length: (\d+)", asked)
                while len(asked.partition(b"\r\n\r\n")[2]) < (int(told[1]) if told else 0):
                    asked += caller.recv(1_000_000)
                self.sent.append(asked)
                with socket.create_connection(self._to) as server:
                    server.sendall(asked.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n", 1))
                    answer = b"".join(iter(lambda: server.recv(65536), b""))
                if len(self.sent) > self._losing:
                    caller.sendall(answer)

    def close(self):
        socket.create_connection(self._listening.getsockname()).close()
        self._thread.join()
        self._listening.close()


@pytest.fixture
def losing(server):
    made = []

    def lose(count):
        written, _ = server.tokens.create("mira", scope="admin")
        way = Losing(server.url, count)
        client = RemoteMemories(Connections(ServerAddress(url=way.url, token=written, tries=4), pause=lambda _: None))
        made.append((way, client))
        return way, client.tenant("mira")

    yield lose
    for way, client in made:
        client.close()
        way.close()


def test_a_write_whose_answer_is_lost_is_sent_again_and_happens_once(server, losing):
    way, there = losing(2)
    made = there.remember("Stored once.")
    assert len(way.sent) == 3
    assert len({line for sent in way.sent for line in sent.split(b"\r\n") if line.startswith(b"Idempotency-Key")}) == 1
    assert [memory.id for memory in server.memories.tenant("mira").list()] == [made.id]


def test_turns_and_many_are_stored_once_too(server, losing):
    _, there = losing(1)
    there.remember_many(["One.", "Two."])
    there.remember_turns([{"role": "user", "content": "Three."}], session="s")
    assert server.memories.tenant("mira").stats().memories == 3


def test_turns_are_numbered_on_whatever_the_server_calls_them(losing, server):
    _, there = losing(0)
    for _ in range(4):
        there.remember_turns([{"role": "user", "content": "Hello."}] * 8, session="s")
    assert sorted(memory.source.turn for memory in server.memories.tenant("mira").list(session="s")) == list(range(1, 33))


def test_a_recall_whose_answer_is_lost_leaves_one_trace(server, losing):
    way, there = losing(1)
    server.memories.tenant("mira").remember("The staging deploy runs every Friday.")
    assert there.recall(CUE).memories
    assert [json.loads(sent.partition(b"\r\n\r\n")[2]).get("settle", True) for sent in way.sent] == [True, False]
    assert len(server.memories.tenant("mira").log()) == 1


def test_a_write_without_a_key_is_not_sent_again_when_its_answer_is_lost(server, losing):
    way, there = losing(1)
    server.memories.tenant("mira").remember("Here.")
    with pytest.raises(errors.ServerError, match="may have been done"):
        there.erase_everything()
    assert len(way.sent) == 1


def test_a_busy_server_is_asked_again_after_as_long_as_it_says(serve):
    waited = []
    with serve(rules=Rules(rate=1, burst=2)) as slow:
        written, _ = slow.tokens.create("mira", scope="read")
        place = ServerAddress(url=slow.url, token=written, tries=2)
        client = RemoteMemories(Connections(place, pause=waited.append))
        client.tenant("mira").stats()
        client.tenant("mira").stats()
        with pytest.raises(errors.BusyError, match="more than 1 requests a second"):
            client.tenant("mira").stats()
        client.close()
    assert waited[-1] >= 1


def test_connections_are_used_again_dropped_when_the_server_has_closed_them_and_not_shared_with_a_child(server):
    pool = Connections(ServerAddress(url=server.url, token=server.tokens.create("mira", scope="admin")[0]))
    mira = RemoteMemories(pool).tenant("mira")
    mira.stats()
    (first,) = pool.free
    mira.stats()
    assert pool.free == [first]
    first.sock.shutdown(socket.SHUT_RDWR)
    assert mira.erase_everything().memories == 0
    assert pool.free != [first]
    kept = pool.free
    pool.after_fork()
    assert (pool.free, len(kept)) == ([], 1)
    kept[0].close()
    pool.close()


def test_many_threads_ask_at_the_same_time(both):
    _, there = both
    found = []
    threads = [threading.Thread(target=lambda: found.append(there.recall(CUE, settle=False).memories[0].id)) for _ in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == ["deploy"] * 12


def test_the_same_for_asyncio(server, both):
    written, _ = server.tokens.create("mira", scope="write")

    async def use():
        async with aio.connect(server.url, token=written) as memories:
            mira = memories.tenant("mira")
            await mira.remember("Noted over asyncio.", id="async")
            lines = [line async for line in mira.export()]
            recalls = await asyncio.gather(*(mira.recall(CUE, settle=False) for _ in range(8)))
            return len(lines), {recall.memories[0].id for recall in recalls}

    lines, best = asyncio.run(use())
    assert (lines, best) == (7, {"deploy"})


def test_answers_can_be_shown_as_those_of_an_open_store(both):
    here, there = both
    assert page_json(there.list()) == page_json(here.list())
    assert there.stats() == here.stats()
    assert why_json(there.why("moved")) == why_json(here.why("moved"))
    assert timeline_json(there.timeline("moved")) == timeline_json(here.timeline("moved"))
