"""Every page and every action in a real browser: nothing on the console, nothing asked of another host, and what is done is done."""

import json
import re
import time

import pytest

import cued
from cued.surfaces.inspector.pages.health import SLOWEST
from cued.surfaces.inspector.wording import unhidden
from tests.surfaces.inspector.watching import until

CUE = "/?text=Is+there+anything+Ines+must+not+eat%3F"
PAGES = (
    f"{CUE}&against=rrf&limit=3",
    "/inspect/memories?contains=harbour",
    "/inspect/beliefs",
    "/inspect/timeline?at=2025-08",
    "/inspect/map?text=What+can+Ines+eat%3F&scope=harbour",
    "/inspect/health?outcome=below_floor",
    "/inspect/tenants",
    "/inspect/memory?id=kiosk-idea",
)
HOSTILE = (
    "<img src=x onerror=\"document.title='pwned'\"><script>document.title='pwned'</script>",
    "</script></textarea></template><script>document.title='pwned'</script>",
    "hazel\u202etxet ddo\u2066nuts\u2069 {{ 7*7 }} {% raw %}",
    "word " * 20_000,
)


def settled(page):
    """Wait until the page listens, and waits for nothing itself."""
    until(page, "'ready' in document.documentElement.dataset && !document.querySelector('.waiting')")


def unfolded(page):
    """The page with its controls in sight; a narrow one folds them."""
    if page.locator(".controls-fold > summary").is_visible():
        page.locator(".controls-fold > summary").click()
    return page


def sort_by(page, head, order):
    """Sort a listing by the head of a column, or where there is no room for heads, by what is offered in their place."""
    button = page.locator("th button", has_text=head)
    if button.is_visible():
        button.click()
    else:
        page.locator("select[name=order]").select_option(order)
    settled(page)


def row(memory_id):
    """A row of the table of memories, as a selector."""
    return f"tr[data-id={memory_id}]"


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_every_page_fits_its_window(look, theme):
    looking = look(theme=theme)
    for path in PAGES:
        page = looking.go(path)
        for width in (1440, 390):
            page.set_viewport_size({"width": width, "height": 900})
            wide = page.evaluate("document.documentElement.scrollWidth")
            assert wide <= width, f"{path} is {wide} wide"
        page.set_viewport_size({"width": 1440, "height": 900})


def flaws(page, axe):
    """What keeps a page from those who use assistive technology: each serious flaw with the first of its places."""
    page.evaluate(axe)
    told = page.evaluate(
        "axe.run(document, {resultTypes: ['violations'], runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa']})"
    )
    serious = [flaw for flaw in told["violations"] if flaw["impact"] in {"serious", "critical"}]
    return {flaw["id"]: [node["html"][:160] for node in flaw["nodes"]][:3] for flaw in serious}


@pytest.mark.parametrize(("width", "theme"), [(390, "dark"), (1440, "light")])
def test_no_page_has_a_serious_flaw_for_assistive_technology(look, axe, width, theme):
    looking = look(width=width, theme=theme)
    assert {path: found for path in PAGES if (found := flaws(looking.go(path), axe))} == {}


def test_a_list_of_links_leaves_room_for_a_finger(look, axe, site):
    tenant = site.memories.tenant("asked-often")
    tenant.remember("The staging deploy runs every Friday at 16:00.")
    for _ in range(8):
        told = tenant.explain("When does the staging deploy run?")
        tenant.keep(told.recall, cued.Envelope.of(told.evidence, told.policy))
    page = look(tenant="asked-often").go("/inspect/health")
    assert page.locator(".meters a").count() == SLOWEST
    assert flaws(page, axe) == {}


def test_a_cue_is_recalled_and_decided_again_on_the_same_evidence(look):
    looking = look()
    page = looking.go("/")
    page.keyboard.press("/")
    page.keyboard.type("Is there anything Ines must not eat?")
    page.keyboard.press("Enter")
    page.wait_for_selector(".candidates")
    recall = page.locator("input[name=recall]").input_value()
    chosen = page.locator(".candidates tr:not(.struck)[data-row]").count()
    assert page.locator(".flow .stage").count() == 11
    assert page.locator("mark").first.inner_text()
    unfolded(page).locator("#floor").fill("0.05")
    until(page, f"document.querySelectorAll('.candidates tr[data-row]:not(.struck)').length > {chosen}")
    assert page.locator("input[name=recall]").input_value() == recall
    assert "floor=0.05" in page.url
    page.reload()
    page.wait_for_selector(".candidates")
    assert page.locator("#floor").input_value() == "0.05"
    unfolded(page).locator("select[name=policy]").select_option("rrf")
    until(page, "document.querySelector('.outcome').textContent.includes('rrf')")
    assert "floor" not in page.url
    page.locator("select[name=against]").select_option("lexical")
    page.wait_for_selector(".slope")
    assert page.locator(".side").count() == 2


def test_one_cue_is_asked_after_another(look):
    page = look().go(CUE)
    page.locator("#text").fill("Where did Ines learn to sail?")
    page.locator("#text").press("Enter")
    until(page, "location.search.includes('sail')")
    until(page, "document.querySelector('.candidates tr[data-row]') !== null")
    assert page.locator("#text").input_value() == "Where did Ines learn to sail?"


def test_a_memory_is_changed_whose_importance_lies_between_two_steps(look, site):
    site.memories.tenant("between").remember("The lighthouse keeper is called Odd.", id="odd", importance=0.333)
    page = look(tenant="between").go("/inspect/memory?id=odd")
    page.get_by_text("Change it").click()
    page.locator("textarea[name=text]").fill("The lighthouse keeper is called Even.")
    page.locator("form[data-update] button.main").click()
    page.wait_for_selector(".toast")
    assert site.memories.tenant("between").get("odd").text == "The lighthouse keeper is called Even."


def test_a_number_that_cannot_be_is_refused_in_one_sentence(look):
    looking = look()
    page = unfolded(looking.go(CUE))
    page.locator("input[name=limit]").fill("0")
    page.wait_for_selector(".toast.failed")
    assert looking.told() == "limit: got 0; accepted: a whole number, 1 or more"
    assert looking.wrong.pop().startswith("Failed to load resource")


def test_a_server_that_has_gone_away_is_said_to_have_gone(look):
    looking = look()
    page = looking.go(CUE)
    page.route("**/*", lambda route: route.abort())
    page.locator("#text").fill("Is anybody there?")
    page.locator("#text").press("Enter")
    page.wait_for_selector(".toast.failed")
    assert looking.told() == "The server does not answer: is it still running?"
    assert looking.wrong.pop().startswith("Failed to load resource")


def test_weights_make_a_policy_that_is_saved_decides_and_gives_way_again(look, site):
    tenant, looking = site.memories.tenant("ines"), look()
    version = 1 + len(tenant.policy_history().versions)
    page = looking.go(CUE)
    assert page.locator("[data-save-policy]").is_disabled()
    unfolded(page).locator("[name='w.importance']").fill("2.5")
    until(page, "document.querySelector('.small')")
    assert page.locator(".small ins").all_inner_texts() == ["2.5"]
    page.locator("[data-policy-name]").fill("bold")
    page.locator("[data-policy-note]").fill("what matters was too far down")
    page.get_by_role("button", name="Save and decide by it").click()
    page.wait_for_selector(f"text=bold (version {version}) decides from now on")
    assert tenant.policy.name == "bold"
    looking.undo()
    assert tenant.policy.name == "cued"
    page.goto(f"{site.url}{CUE}&policy=version-{version}")
    assert "bold" in page.locator(".outcome").inner_text()
    page.goto(f"{site.url}/inspect/health")
    saved = page.locator(".versions li", has_text="what matters was too far down").first
    assert "score.terms" in saved.inner_text()
    saved.get_by_role("button", name="Decide by it").click()
    page.wait_for_selector(".versions .applied:has-text('bold')")
    page.locator(".versions li", has_text="the usual policy").get_by_role("button", name="Decide by it").click()
    page.wait_for_selector(".versions .applied:has-text('the usual policy')")


def test_a_policy_is_taken_away_as_toml(look):
    page = look(scope="read").go(f"{CUE}&w.importance=2.5")
    assert page.locator("[data-save-policy]").is_disabled()
    page.locator("[data-policy-name]").fill("my own")
    with page.expect_download() as taken:
        page.get_by_role("button", name="Download the TOML").click()
    assert taken.value.suggested_filename == "my-own.toml"
    written = taken.value.path().read_text("utf-8")
    assert 'name = "my-own"' in written
    assert "weight = 2.5" in written


def test_a_row_tells_what_would_have_to_change_and_the_keys_walk_the_table(look):
    page = look().go(CUE)
    page.keyboard.press("j")
    page.keyboard.press("j")
    page.keyboard.press("Enter")
    page.wait_for_selector(".detail-body")
    assert "What would have to change" in page.locator(".detail-body").inner_text()
    page.keyboard.press("Enter")
    until(page, "!document.querySelector('.detail-body')")
    struck = page.locator("tr.struck button.rank").first
    struck.click()
    assert "floor at or below" in page.locator(".detail-body").inner_text()
    assert "would bring it, the smallest first: floor.at 0.7 →" in page.locator(".detail-body").inner_text()
    page.locator("#expected").fill("microscope")
    page.wait_for_selector("#expected-found li")
    assert "Lia wishes" in page.locator("#expected-found").inner_text()
    page.keyboard.press("Escape")
    page.keyboard.press("?")
    assert page.locator("#help").is_visible()
    page.keyboard.press("Escape")
    until(page, "!document.getElementById('help').open")
    page.keyboard.press("g")
    page.keyboard.press("m")
    page.wait_for_url("**/inspect/memories")


def test_a_permalink_shows_a_colleague_the_same(look):
    first = look()
    page = first.go(f"{CUE}&floor=0.4")
    page.get_by_role("button", name="Make a permalink").click()
    link = page.locator("#permalink a")
    link.wait_for()
    block = page.locator("pre.block").inner_text()
    other = look(scope="read")
    seen = other.go(link.get_attribute("href").removeprefix(other.site.url))
    assert seen.locator("pre.block").inner_text() == block
    assert seen.locator("#text").input_value() == "Is there anything Ines must not eat?"
    assert seen.locator("[data-keep]").is_disabled()


AT_ONCE = """() => {
    const field = document.getElementById("contains");
    field.value = "harbour";
    field.dispatchEvent(new InputEvent("input", { bubbles: true }));
    [...document.querySelectorAll("th button")].find((each) => each.textContent.includes("mportance")).click();
}"""


def test_who_types_and_sorts_in_one_breath_gets_both(look):
    """A server that takes longer than a reader types shows what was asked for last."""
    page = look().go("/inspect/memories")
    page.route("**/inspect/memories?*", lambda route: (time.sleep(0.3), route.continue_()))
    page.evaluate(AT_ONCE)
    page.wait_for_url("**contains=harbour**")
    settled(page)
    assert "order=importance" in page.url
    assert "contains=harbour" in page.url


def test_memories_are_searched_filtered_sorted_and_paged(look):
    page = look().go("/inspect/memories")
    page.locator("#contains").press_sequentially("harb tick", delay=5)
    page.wait_for_url("**contains=harb+tick**")
    settled(page)
    texts = page.locator("td.text").all_inner_texts()
    assert texts
    assert all("arb" in text and "ick" in text for text in texts)
    page.locator("#contains").fill("")
    until(page, "document.querySelectorAll('tr[data-row]').length === 50")
    newest = page.locator("tr[data-row]").first.get_attribute("data-id")
    page.get_by_role("button", name="Next page").click()
    page.wait_for_url("**after=**")
    settled(page)
    assert page.locator("tr[data-row]").first.get_attribute("data-id") != newest
    page.get_by_role("button", name="Back").click()
    until(page, f"document.querySelector('tr[data-row]')?.dataset.id === '{newest}'")
    sort_by(page, "Written", "written up")
    until(page, "document.querySelector('tr[data-row]').dataset.id === 'name'")
    sort_by(page, "Importance", "importance")
    page.wait_for_url("**order=importance**")
    weights = [float(each) for each in page.locator("td.col-importance").all_text_contents()]
    assert weights == sorted(weights, reverse=True)
    page.get_by_role("button", name="Next page").click()
    page.wait_for_url("**after=**")
    settled(page)
    assert float(page.locator("td.col-importance").first.text_content()) <= weights[-1]
    page.locator("#contains").fill("harbour")
    page.wait_for_url("**contains=harbour**")
    assert "order=importance" in page.url
    page.locator("#contains").fill("")
    sort_by(page, "Scope", "scope up")
    page.wait_for_url("**order=scope+up**")
    assert page.locator("th[aria-sort=ascending]").text_content().split() == ["Scope", "↑"]
    page.locator(".filters summary").click()
    page.locator("select[name=state]").select_option("superseded")
    page.wait_for_url("**state=superseded**")
    settled(page)
    assert set(page.locator("tr[data-row] .state").all_inner_texts()) == {"superseded"}
    page.locator("input[name=col][value=session]").check()
    page.wait_for_selector("th:has-text('Session')", state="attached")


def test_a_memory_is_changed_in_place_and_each_change_can_be_undone(look, site):
    looking = look()
    page = looking.go("/inspect/memories?contains=microscope")
    row = page.locator("tr[data-id=gifts]")
    page.keyboard.press("j")
    page.keyboard.press("e")
    page.locator("#edit-text").fill("Lia wishes for a telescope or a microscope.")
    page.locator("[data-edit-tags]").fill("family, gifts")
    page.keyboard.press("Control+Enter")
    page.wait_for_selector("text=telescope")
    memory = site.memories.tenant("ines").get("gifts")
    assert (memory.text, memory.tags) == ("Lia wishes for a telescope or a microscope.", ("family", "gifts"))
    looking.undo()
    settled(page)
    assert site.memories.tenant("ines").get("gifts").text == "Lia wishes for a microscope, Noor for a drum."
    row.get_by_role("button", name="Pin").click()
    page.wait_for_selector("tr[data-id=gifts] .pinned")
    row.get_by_role("button", name="Unpin").click()
    page.wait_for_selector("tr[data-id=gifts]:not(:has(.pinned))")
    row.get_by_role("button", name="Forget").click()
    until(page, "!document.querySelector('tr[data-id=gifts]')")
    assert "Forgot 1 memory" in looking.told()
    looking.undo()
    page.wait_for_selector("tr[data-id=gifts]")


def test_many_are_changed_at_once_with_the_effect_told_first(look, site):
    looking = look()
    page = looking.go("/inspect/memories?contains=Harbour+stand-up&hidden=1")
    page.locator("tr[data-id=stand-3] [data-pick]").check()
    page.locator("tr[data-id=standup-2] [data-pick]").check()
    until(page, "document.querySelector('[data-effect]').textContent.includes('1 older one comes back')")
    page.get_by_role("button", name="Supersede").click()
    until(page, "document.querySelector('tr[data-id=standup-2] .state')?.textContent === 'superseded'")
    looking.undo()
    until(page, "!document.querySelector('tr[data-id=standup-2] .state')")
    assert site.memories.tenant("ines").get("stand-3").supersedes == ()
    for each in ("stand-3", "standup-2"):
        page.locator(f"tr[data-id={each}] [data-pick]").check()
    page.locator("#bulk-tag").fill("meetings")
    page.get_by_role("button", name="Add tag").click()
    page.wait_for_selector("text=Changed 2 memories")
    assert "meetings" in site.memories.tenant("ines").get("stand-3").tags
    looking.undo()
    settled(page)
    page.locator("[data-pick-all]:visible").check()
    with page.expect_download() as taken:
        page.locator("[data-bulk=export]").click()
    lines = [json.loads(line) for line in taken.value.path().read_text("utf-8").splitlines()]
    assert {line["id"] for line in lines} >= {"stand-3", "standup-2"}
    page.locator("[data-bulk=clear]").click()
    assert page.locator("#bulk").is_hidden()


def test_a_memory_is_added_with_its_conflicts_and_files_are_dropped_with_a_preview(look, site, tmp_path):
    looking = look()
    page = looking.go("/inspect/memories")
    page.get_by_role("button", name="Add", exact=True).click()
    page.locator("#add textarea").fill("Ines does not drink green tea.")
    page.get_by_role("button", name="Remember").click()
    page.wait_for_selector("#conflicts li")
    assert "negation" in page.locator("#conflicts").inner_text()
    page.locator("#conflicts button", has_text="keep both").first.click()
    page.wait_for_selector("text=Kept both")
    settled(page)
    added = page.locator("tr[data-row]").first.get_attribute("data-id")
    site.memories.tenant("ines").forget(added, erase=True)
    note = tmp_path / "note.md"
    note.write_text("# Boat\n\nThe dinghy is called Gaivota.\n", "utf-8")
    page.locator("[data-import]").set_input_files(note)
    page.wait_for_selector("#import[open]")
    assert "1 new, 0 known already" in page.locator("#import").inner_text()
    page.locator("[data-import-go]").click()
    page.wait_for_selector("text=Imported 1 from note.md")
    page.locator("#contains").fill("gaivota")
    until(page, "document.querySelectorAll('tr[data-row]').length === 1")
    site.memories.tenant("ines").forget(page.locator("tr[data-row]").get_attribute("data-id"), erase=True)
    page.evaluate("""() => {
      const data = new DataTransfer();
      data.items.add(new File(['{"text": "The oars are in the shed."}\\n'], 'drop.jsonl'));
      dispatchEvent(new DragEvent('drop', { dataTransfer: data, bubbles: true, cancelable: true }));
    }""")
    page.wait_for_selector("#import[open]")
    assert "The oars are in the shed." in page.locator("#import").inner_text()


def test_conflicts_are_settled_and_consolidation_is_previewed_applied_and_undone(look, site):
    tenant = site.memories.tenant("settling")
    tenant.erase_everything()
    for number, text in enumerate(
        ("The boathouse opens at nine.", "The boathouse does not open at nine.", "The oars are in the shed.", "The oars are in the shed!")
    ):
        tenant.remember(text, id=f"m{number}", at=f"2026-01-{number + 1:02}", conflicts=False)
    looking = look(tenant="settling", width=390)
    page = looking.go("/inspect/beliefs")
    article = page.locator("article", has_text="does not open")
    assert article.locator(".choices button").all_inner_texts() == ["Keep both", "Update old", "Supersede", "Delete old"]
    gone = "![...document.querySelectorAll('article')].some((each) => each.textContent.includes('does not open'))"
    for name in ("Update old", "Supersede", "Delete old"):
        article.get_by_role("button", name=name).click()
        until(page, gone)
        assert (page.locator(".chain").count() == 1) is (name == "Supersede")
        looking.undo()
        article.wait_for()
    article.get_by_role("button", name="Keep both").click()
    until(page, gone)
    page.get_by_role("button", name="Preview").click()
    page.wait_for_selector("text=1 pair would be merged")
    page.get_by_role("button", name="Merge them").click()
    page.wait_for_selector("text=Merged 1 pair")
    assert [merge.older for merge in tenant.merges()] == ["m2"]
    looking.undo()
    assert tenant.merges() == ()


def test_time_is_zoomed_and_provenance_is_walked(look):
    page = look().go("/inspect/timeline")
    page.locator(".columns-chart a").nth(6).click()
    page.wait_for_url(re.compile(r"at=2025-08$"))
    assert page.locator(".bands li").count() >= 1
    page.locator(".days h3 a").last.click()
    page.wait_for_url(re.compile(r"at=2025-08-\d\d$"))
    page.goto(page.url.partition("/inspect")[0] + "/inspect/memory?id=kiosk-idea")
    page.locator(".graph a").first.click()
    page.wait_for_url(re.compile(r"id=(?!kiosk-idea)"))
    page.locator(".around a").first.click()
    page.locator(".more summary").click()
    assert page.locator("form[data-update] textarea").input_value()


def test_points_of_the_map_are_chosen_by_drawing_around_them(look):
    page = look().go("/inspect/map?text=Is+there+anything+Ines+must+not+eat%3F&by=scope")
    assert page.locator(".cue-mark").count() == 1
    page.locator("select[name=by]").select_option("age")
    page.wait_for_url("**by=age**")
    settled(page)
    box = page.locator("[data-map]").bounding_box()
    corners = [(0.01, 0.01), (0.99, 0.01), (0.99, 0.99), (0.01, 0.99), (0.01, 0.02)]
    page.mouse.move(box["x"] + 3, box["y"] + 3)
    page.mouse.down()
    for x, y in corners:
        page.mouse.move(box["x"] + x * box["width"], box["y"] + y * box["height"], steps=4)
    page.mouse.up()
    assert page.locator("[data-map-list] li").count() > 100


def test_health_shows_the_log_and_leads_to_a_kept_recall(look):
    page = look().go("/inspect/health")
    assert "injection rate" in page.locator(".figures").inner_text()
    page.get_by_role("link", name="Examine this tenant").click()
    page.wait_for_selector("h2:has-text('Doctor')")
    assert page.locator(".findings li").count() > 5
    settled(page)
    page.locator("select[name=outcome]").select_option("below_floor")
    page.wait_for_url("**outcome=below_floor**")
    settled(page)
    page.locator("td.text a").first.click()
    page.wait_for_selector(".candidates")


def test_an_admin_looks_after_tenants_and_tokens_and_others_see_their_own(look, site):
    looking = look()
    page = looking.go("/inspect/tenants")
    page.locator("form[data-token] select[name=scope]").select_option("write")
    page.get_by_role("button", name="Make it").click()
    made = page.locator("#token-made code").inner_text()
    assert site.tokens.find(made) is not None
    page.locator(f"[data-revoke='{made.split('_')[1]}']").click()
    page.wait_for_selector("text=Revoked: it is refused")
    assert site.tokens.find(made) is None
    page.get_by_role("button", name="Look at tomas").click()
    page.wait_for_selector(".tenant:has-text('tomas')")
    page = looking.go("/inspect/memories")
    assert page.locator("tr[data-row]").count() == 1
    other = look(scope="read", tenant="tomas")
    page = other.go("/inspect/tenants")
    assert page.locator("table").count() == 1
    assert page.locator("tbody tr").count() == 1
    assert page.locator("form[data-token]").count() == 0
    page.locator("[aria-label='Sign out']").click()
    page.wait_for_selector("#token")
    other.wrong.clear()  # the page to sign in at answers 401, which the console says


def test_the_theme_is_the_systems_until_it_is_chosen(look):
    page = look(theme="dark").go("/inspect/memories")
    dark = page.evaluate("getComputedStyle(document.body).backgroundColor")
    page.locator("[data-theme-toggle]").click()
    light = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert dark != light
    page.reload()
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == light


def test_whatever_a_memory_says_stays_text(look, site):
    tenant = site.memories.tenant("hostile")
    tenant.erase_everything()
    for number, text in enumerate(HOSTILE):
        tenant.remember(text, id=f'bad"><b>{number}', tags=["<i>tag</i>"], session="</title><u>s</u>", conflicts=False)
    tenant.remember("It is derived.", id="derived", derived_from=['bad"><b>0'])
    looking = look(tenant="hostile", width=390)
    for path in (
        "/?text=hazel+word+pwned",
        "/inspect/memories",
        "/inspect/beliefs",
        "/inspect/timeline",
        "/inspect/map?text=word",
        "/inspect/memory?id=derived",
    ):
        page = looking.go(path)
        assert page.title().endswith("· Cued"), path
        assert page.locator("main b, main u, main i:not(.swatch), main img, main script").count() == 0, path
        assert page.evaluate("document.documentElement.scrollWidth") <= 390, path
    for number in range(len(HOSTILE)):
        page = looking.go(f"/inspect/memory?id=bad%22%3E%3Cb%3E{number}")
        assert page.locator("pre.whole").inner_text().strip() == unhidden(HOSTILE[number]).strip()
        assert page.title().endswith("· Cued")


def test_a_long_word_a_long_tag_and_a_long_scope_leave_every_button_in_sight(look, site):
    tenant = site.memories.tenant("lengthy")
    tenant.erase_everything()
    long = {"tags": ["t" * 200, *(f"tag-{number}" for number in range(9))], "scope": "s" * 200, "session": "x" * 200}
    tenant.remember("w" * 3000, id="long", conflicts=False, **long)
    for width in (1440, 390):
        page = look(tenant="lengthy", width=width).go("/inspect/memories")
        assert page.evaluate("[...document.querySelectorAll('.scroll')].map((box) => box.scrollWidth - box.clientWidth)") == [0], width


def test_an_empty_tenant_is_told_what_to_do_next(look):
    looking = look(tenant="nobody")
    for path, text in (
        ("/", "Ask as your agent would"),
        (CUE, "Nothing is stored yet: 0 memories of 0 candidates"),
        ("/inspect/memories", "Nothing is remembered yet"),
        ("/inspect/beliefs", "Nothing is at odds here"),
        ("/inspect/timeline", "No memory, no time"),
        ("/inspect/map", "Nothing to lay out"),
        ("/inspect/health", "No recall has been logged yet"),
    ):
        assert text in looking.go(path).locator("main").inner_text(), path
