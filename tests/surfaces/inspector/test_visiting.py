"""Who may look: the cookie is for pages alone, no script sees it, another site can use nothing, and a tenant's token sees its own."""

import json
import re

import httpx
import pytest

import cued
from cued.surfaces.inspector.mount import PAGES
from cued.surfaces.inspector.pages.health import LINES, SLOWEST
from cued.surfaces.inspector.rendering import CSP
from tests.surfaces.inspector.conftest import served

STEPS = [{"verb": "forget", "body": {"ids": ["pears"]}}]


@pytest.fixture
def stranger(site):
    with httpx.Client(base_url=site.url, headers={"Accept": "text/html"}) as client:
        yield client


def test_a_link_with_a_token_becomes_a_cookie_that_no_script_and_no_other_site_can_use(site, stranger):
    answer = stranger.get(site.link())
    assert (answer.status_code, answer.headers["location"]) == (303, "/")
    cookie = answer.headers["set-cookie"].lower()
    assert "httponly" in cookie
    assert "samesite=strict" in cookie
    assert "token" not in stranger.get("/").text.partition("<body")[0].replace("cued-key", "")


@pytest.mark.parametrize("path", PAGES)
def test_without_a_token_there_is_only_the_page_to_sign_in_at(stranger, path):
    answer = stranger.get(path)
    assert answer.status_code == 401
    assert "Sign in" in answer.text
    assert stranger.get(path, headers={"Accept": "*/*", "cued-part": "main"}).status_code == 401


def test_a_token_is_typed_or_refused(site, stranger):
    assert stranger.post("/inspect/sign-in", data={"token": "cued_0"}).status_code == 401
    written, _ = site.tokens.create("ines", scope="read")
    assert stranger.post("/inspect/sign-in", data={"token": written}).status_code == 303
    assert "Ask as your agent would" in stranger.get("/").text
    stranger.post("/inspect/sign-out")
    assert stranger.get("/").status_code == 401


def test_who_comes_by_a_link_of_another_site_is_asked_once_more_by_the_page_itself(stranger):
    answer = stranger.get("/", headers={"Sec-Fetch-Site": "cross-site"})
    assert (answer.status_code, 'http-equiv="refresh"' in answer.text) == (200, True)
    assert 'http-equiv="refresh"' not in stranger.get("/", headers={"Sec-Fetch-Site": "same-origin"}).text


def test_the_cookie_counts_for_pages_and_not_for_the_interface_of_programs(site, visitor):
    client = visitor()
    assert client.get("/inspect/health").status_code == 200
    for path in ("/v1/memories", "/v1/stats", "/readyz", "/metrics", "/mcp"):
        assert client.get(path).status_code == 401, path


def test_programs_get_the_front_as_json(site):
    headers = {"Authorization": f"Bearer {site.tokens.create('ines', scope='read')[0]}"}
    assert httpx.get(site.url, headers=headers).json()["openapi"] == "/v1/openapi.json"


@pytest.mark.parametrize("path", ["/inspect/do", "/inspect/keep?text=a", "/inspect/import?name=a", "/inspect/tokens"])
def test_a_change_needs_the_key_of_a_page_and_no_other_sites_origin(site, path, visitor):
    client = visitor()
    key = client.headers.pop("cued-key")
    assert client.post(path, json=STEPS).status_code == 403
    for wrong in ("0" * len(key), b"\xe9"):
        assert client.post(path, json=STEPS, headers={"cued-key": wrong}).status_code == 403
    assert client.post(path, json=STEPS, headers={"cued-key": key, "Origin": "https://elsewhere.example"}).status_code == 403
    assert client.post("/inspect/look-at", data={"tenant": "tomas"}).status_code == 403
    assert site.memories.tenant("ines").get("pears").forgotten_at is None


def test_a_token_that_may_read_changes_nothing(site, visitor):
    client = visitor(scope="read")
    assert client.post("/inspect/do", json=STEPS).status_code == 403
    assert client.post("/inspect/keep?text=Who+is+Ines", content="{}").status_code == 403
    assert client.post("/inspect/import?name=a.md", content="# A\n\nB").status_code == 403
    assert client.post("/inspect/tokens", json={"tenant": "ines", "scope": "admin"}).status_code == 403
    assert client.post("/inspect/look-at", data={"tenant": "tomas", "key": client.headers["cued-key"]}).status_code == 403
    assert client.get("/inspect/files/memories.jsonl?id=pears").status_code == 200


def test_a_tenants_token_sees_its_own_alone(site, visitor):
    client = visitor(scope="write", tenant="tomas")
    page = client.get("/inspect/tenants").text
    assert "ines" not in page.replace("lines", "")
    assert client.get("/inspect/memory?id=pears").status_code == 404
    assert client.get("/inspect/memory?id=pears", headers={"Cued-Tenant": "ines"}).status_code == 403
    recall = visitor().get("/?text=Who+is+Ines").text.partition('name="recall" value="')[2].partition('"')[0]
    assert client.get(f"/?recall={recall}").status_code == 404


def test_every_page_forbids_what_is_not_its_own(site, visitor):
    client = visitor()
    for path in PAGES:
        answer = client.get(path)
        if answer.headers["content-type"].startswith("text/html"):
            assert answer.headers["content-security-policy"] == CSP, path
            assert answer.headers["cache-control"] == "no-store"
            assert " style=" not in answer.text
            assert "<script>" not in answer.text
            assert " onclick=" not in answer.text
    assert "unsafe" not in CSP


def test_a_browser_keeps_scripts_and_styles_until_there_are_others(site, visitor):
    client = visitor()
    named = re.findall(r'"(/inspect/static/[^"]+)"', client.get("/").text)
    assert {path.rpartition("/")[2] for path in named} == {"icon.svg", "style.css", "theme.js", "inspector.js"}
    folder = named[0].rpartition("/")[0]
    for name, kind in (("style.css", "text/css"), ("parts.js", "text/javascript"), ("icon.svg", "image/svg+xml")):
        answer = client.get(f"{folder}/{name}")
        assert answer.headers["content-type"].startswith(kind)
        assert answer.headers["cache-control"] == "public, max-age=31536000, immutable"
        older = client.get(f"/inspect/static/0123456789abcdef/{name}")
        assert (older.content, older.headers["cache-control"]) == (answer.content, "no-store")
    for path in (f"{folder}/..%2F..%2Fmount.py", f"{folder}/nope.js", "/inspect/static/style.css"):
        assert client.get(path).status_code == 404


def test_where_there_is_no_page_a_browser_is_told_in_words_and_a_program_in_json(stranger, visitor):
    client = visitor()
    page = client.get("/inspect/nope")
    assert (page.status_code, page.headers["content-type"]) == (404, "text/html; charset=utf-8")
    assert "there is no such page" in page.text
    assert 'href="/inspect/memories"' in page.text
    problem = client.get("/inspect/nope", headers={"Accept": "application/json"})
    assert (problem.status_code, problem.headers["content-type"]) == (404, "application/problem+json")
    assert "Sign in" in stranger.get("/inspect/nope").text


@pytest.mark.parametrize(
    ("content", "words"),
    [("off", "those recalls alone that somebody kept here"), ("last", "of the last 2 recalls"), ("sampled", "of 50% of the recalls")],
)
def test_a_permalink_whose_evidence_is_gone_is_told_what_is_kept(content, words):
    rules = cued.LogRules(content=content, last=2, share=0.5)
    with (
        cued.open(embedder="hashing", settle="now", log=rules) as memories,
        served(memories) as running,
        httpx.Client(headers={"Accept": "text/html"}) as client,
    ):
        tenant = memories.tenant("logged")
        tenant.remember("The staging deploy runs every Friday at 16:00.")
        old, *_ = [tenant.recall("When does the staging deploy run?") for _ in range(3)]
        client.get(running.link("read", "logged"), follow_redirects=True)
        page = client.get(f"{running.url}/", params={"recall": old.recall_id if content == "last" else "01ABC"})
    assert page.status_code == 404
    assert "is not kept" in page.text
    assert words in page.text


def test_what_a_page_refuses_is_said_in_words(site, visitor):
    client = visitor()
    for path, status, words in (
        ("/inspect/memory?id=nobody", 404, "nobody"),
        ("/inspect/timeline?at=yesterday", 422, "a year, a month, a day or an hour"),
        ("/?text=a+b&floor=nine", 422, "floor"),
        ("/?text=a+b&w.importance=much", 422, "a number from"),
        ("/?text=Ines&w.importance=900", 422, "score.terms"),
        ("/?recall=01ABC", 404, "is not kept"),
        ("/inspect/beliefs?at_least=x", 422, "at most 1"),
        ("/inspect/memories?after=x", 422, "after"),
    ):
        answer = client.get(path)
        assert (answer.status_code, words in answer.text) == (status, True), path
        said = re.findall(r"accepted: [^<]+", answer.text)
        assert len(said) == len(set(said)), path
    assert client.post("/inspect/do", json=[{"verb": "erase_everything"}]).status_code == 422
    assert client.post("/inspect/do", content=b"{").status_code == 422


def test_evidence_that_names_an_erased_memory_is_shown_to_nobody(site, visitor):
    tenant, client = site.memories.tenant("ines"), visitor()
    tenant.remember("The spare key lies under the blue pot.", id="key")
    page = client.get("/?text=Where+is+the+spare+key")
    recall = page.text.partition('name="recall" value="')[2].partition('"')[0]
    kept = client.post(f"/inspect/keep?recall={recall}", content="{}").json()
    assert "blue pot" in client.get(f"/?recall={kept['recall']}").text
    tenant.forget("key", erase=True)
    for each in (recall, kept["recall"]):
        assert client.get(f"/?recall={each}").status_code == 404


def test_a_visitor_is_trusted_no_further_than_the_token(site, visitor):
    written, _ = site.tokens.create("ines", scope="write", trust="tool")
    with httpx.Client(base_url=site.url, headers={"Accept": "text/html"}, follow_redirects=True) as client:
        page = client.get(f"/?token={written}").text
        client.headers["cued-key"] = page.partition('name="cued-key" content="')[2].partition('"')[0]
        steps = [{"verb": "remember", "body": {"text": "The tide tables are in the drawer.", "id": "tide", "trust": "user"}}]
        assert client.post("/inspect/do", json=steps).status_code == 200
        assert site.memories.tenant("ines").get("tide").trust == "tool"
        update = [{"verb": "update", "body": {"id": "nuts", "text": "Ines may eat anything."}}]
        assert client.post("/inspect/do", json=update).status_code >= 400
    site.memories.tenant("ines").forget("tide", erase=True)
    assert site.memories.tenant("ines").get("nuts").text.startswith("Ines is allergic")


def test_an_admins_token_that_is_no_users_makes_no_other_and_revokes_none(site):
    written, kept = site.tokens.create("ines", scope="admin", trust="tool")
    with httpx.Client(base_url=site.url, headers={"Accept": "text/html"}, follow_redirects=True) as client:
        page = client.get(f"/?token={written}").text
        client.headers["cued-key"] = page.partition('name="cued-key" content="')[2].partition('"')[0]
        before = site.tokens.all()
        for change in ({"tenant": "ines", "scope": "write", "trust": "user"}, {"tenant": "ines", "scope": "read"}, {"revoke": kept.id}):
            refused = client.post("/inspect/tokens", json=change)
            assert (refused.status_code, refused.json()["type"]) == (403, "urn:cued:error:TrustError")
        assert site.tokens.all() == before


@pytest.mark.parametrize("more", [{}, {"trust": "user", "tier": "core", "supersedes": ["nuts"]}])
def test_a_file_that_is_dropped_is_an_import_whatever_it_says_of_itself(site, visitor, more):
    tenant = site.memories.tenant("ines")
    line = json.dumps({"text": "Ines may eat anything.", "id": "lie", **more})
    assert visitor().post("/inspect/import?name=export.jsonl", content=line).json()["new"] == 1
    lie, nuts = tenant.get("lie"), tenant.get("nuts")
    tenant.forget("lie", erase=True)
    assert (lie.trust, lie.tier, nuts.superseded) == ("import", "fact", ())


def test_what_is_in_quarantine_is_listed_and_let_out_and_back(site, visitor):
    client = visitor()
    done = client.post("/inspect/do", json=[{"verb": "quarantine", "body": {"ids": ["bread"]}}]).json()
    page = client.get("/inspect/memories?quarantined=1").text
    assert 'data-id="bread"' in page
    assert "Let out" in page
    assert client.post("/inspect/do", json=done["undo"]).json()["told"] == "Let 1 memory out of quarantine"
    assert site.memories.tenant("ines").get("bread").quarantined_at is None


@pytest.mark.parametrize(
    ("asked", "reason"),
    [
        ({"kind": "episodic"}, "it is semantic, the cue asks for episodic"),
        ({"as_of": "2020-01-01"}, "it was written 2026-02-14 12:00, after 2020-01-01 00:00"),
        ({"policy": "dense", "limit": "1"}, "a limit above 1"),
    ],
)
def test_a_memory_that_was_expected_is_told_why_this_very_recall_left_it_out(site, visitor, asked, reason):
    name = f"expecting-{'-'.join(asked)}"
    tenant = site.memories.tenant(name)
    tenant.remember("The key of the shed hangs behind the door.", id="shed", at="2026-02-14T12:00:00Z", conflicts=False)
    tenant.remember("The key of the shed is the brass key, the key of the door.", id="brass", at="2026-02-14T12:00:00Z", conflicts=False)
    told = visitor(tenant=name).get("/inspect/expected", params={"text": "brass key", "words": "hangs", **asked}).text
    assert reason in told
    assert "it is in the answer" not in told


def test_the_log_leads_to_every_recall_that_it_keeps_however_it_is_filtered():
    with cued.open(embedder="hashing") as memories, served(memories) as running, httpx.Client(headers={"Accept": "text/html"}) as client:
        tenant = memories.tenant("logged")
        tenant.remember("The staging deploy runs every Friday at 16:00.")
        for cue in ("How long do I boil an egg?", *["When does the staging deploy run?"] * (LINES + 1)):
            told = tenant.explain(cue)
            tenant.keep(told.recall, cued.Envelope.of(told.evidence, told.policy))
        client.get(running.link("read", "logged"), follow_redirects=True)
        page = client.get(f"{running.url}/inspect/health", params={"outcome": "below_floor"}).text
    assert "How long do I boil an egg?" in page.partition("The log")[2]
    assert "not kept" not in page
    assert page.partition("Slowest recalls")[2].partition("</ol>")[0].count("/?recall=") == SLOWEST
