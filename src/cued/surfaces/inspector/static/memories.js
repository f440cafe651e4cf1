// The memories page: rows edited in place, many changed at once with the effect told first, adding, importing.
import { change, done, split } from "./actions.js";
import { failed, fragment, refresh, sent, toast, wait } from "./parts.js";

const picked = () => [...document.querySelectorAll("[data-pick]:checked")].map((box) => box.closest("tr"));
const ids = () => picked().map((row) => row.dataset.id);
const make = (tag, given, ...children) => {
  const made = Object.assign(document.createElement(tag), given);
  made.append(...children);
  return made;
};

const tellEffect = wait(async () => {
  const place = document.querySelector("[data-effect]");
  const chosen = ids();
  if (!chosen.length || !place) return;
  const asking = new URLSearchParams(chosen.map((each) => ["id", each]));
  try {
    const told = await fragment(`/inspect/effect?${asking}`);
    if (String(ids()) === String(chosen)) place.replaceChildren(...told);
  } catch (error) {
    failed(error);
  }
}, 150);

function selected() {
  const bar = document.getElementById("bulk");
  if (!bar) return;
  const count = picked().length;
  bar.hidden = count === 0;
  bar.querySelector("[data-count]").textContent = `${count} selected`;
  if (count) tellEffect();
}

const updates = (body) => picked().map((row) => ({ verb: "update", body: { id: row.dataset.id, ...body(row) } }));

const bulk = {
  forget: () => change([{ verb: "forget", body: { ids: ids() } }]),
  restore: () => change([{ verb: "restore", body: { ids: ids() } }]),
  pin: () => change(updates(() => ({ tier: "core" }))),
  unpin: () => change(updates(() => ({ tier: "fact" }))),
  tag: () => {
    const added = split(document.getElementById("bulk-tag").value);
    if (added.length) change(updates((row) => ({ tags: [...new Set([...split(row.dataset.tags), ...added])] })));
  },
  supersede: () => {
    const rows = picked().sort((a, b) => (a.dataset.created < b.dataset.created ? 1 : -1));
    if (rows.length < 2) toast("Select the newer memory and those that it takes the place of");
    else change([{ verb: "update", body: { id: rows[0].dataset.id, supersedes: rows.slice(1).map((row) => row.dataset.id) } }]);
  },
  export: () => {
    const asking = new URLSearchParams(ids().map((each) => ["id", each]));
    make("a", { href: `/inspect/files/memories.jsonl?${asking}`, download: "" }).click();
  },
  clear: () => {
    for (const box of document.querySelectorAll("[data-pick], [data-pick-all]")) box.checked = false;
    selected();
  },
};

function edit(row) {
  const cell = row.querySelector("td.text");
  const before = [...cell.childNodes];
  cell.replaceChildren(document.getElementById("edit-row").content.cloneNode(true));
  const [text, tags, importance] = ["textarea", "[data-edit-tags]", "[data-edit-importance]"].map((each) => cell.querySelector(each));
  Object.assign(text, { value: row.dataset.text });
  tags.value = row.dataset.tags;
  importance.value = row.dataset.importance;
  text.focus();
  const close = () => cell.replaceChildren(...before);
  const save = () => {
    const body = { id: row.dataset.id, if_version: Number(row.dataset.version) };
    if (text.value !== row.dataset.text) body.text = text.value;
    if (tags.value !== row.dataset.tags) body.tags = split(tags.value);
    if (importance.value !== row.dataset.importance) body.importance = Number(importance.value);
    if (Object.keys(body).length > 2) change([{ verb: "update", body }]);
    else close();
  };
  cell.querySelector("[data-edit-save]").addEventListener("click", save);
  cell.querySelector("[data-edit-cancel]").addEventListener("click", close);
  cell.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) save();
    if (event.key === "Escape") close();
  });
}

document.addEventListener("click", (event) => {
  const button = event.target.closest("[data-bulk]");
  if (button) bulk[button.dataset.bulk]();
  if (event.target.closest("[data-edit]")) edit(event.target.closest("tr"));
  if (event.target.closest("[data-import-go]")) take().catch(failed);
});

document.addEventListener("change", (event) => {
  if (event.target.matches("[data-pick-all]")) for (const box of document.querySelectorAll("[data-pick]")) box.checked = event.target.checked;
  if (event.target.matches("[data-pick], [data-pick-all]")) selected();
  if (event.target.matches("[data-import]") && event.target.files.length) preview(event.target.files[0]).catch(failed);
});
document.addEventListener("cued:shown", selected);

// adding, with what it is at odds with
document.addEventListener("submit", async (event) => {
  const form = event.target.closest("form[data-add]");
  if (!form) return;
  event.preventDefault();
  const said = Object.fromEntries(new FormData(form));
  const body = { text: said.text, kind: said.kind, tags: split(said.tags), importance: Number(said.importance) };
  if (said.scope.trim()) body.scope = said.scope.trim();
  try {
    const answer = await done([{ verb: "remember", body }]);
    form.reset();
    if (answer.conflicts.length) tellConflicts(answer.conflicts);
    else {
      form.closest("dialog").close();
      refresh();
    }
  } catch (error) {
    failed(error);
  }
});

function tellConflicts(conflicts) {
  const list = make("ul", { className: "conflicts" });
  for (const each of conflicts) {
    const choices = make("div", { className: "pair" });
    for (const choice of each.choices) {
      const button = make("button", { type: "button", className: "plain", textContent: choice.action });
      button.addEventListener("click", () => {
        document.getElementById("add").close();
        change(choice.steps);
      });
      choices.append(button);
    }
    list.append(make("li", {}, make("strong", { textContent: each.type }), ` ${each.reason}: “${each.text}”`, choices));
  }
  document.getElementById("conflicts").replaceChildren(make("p", { textContent: "It is stored, and at odds with:" }), list);
}

// importing, with what is in the file told first
let file = null;

async function preview(dropped) {
  file = dropped;
  const told = await sent(`/inspect/import?${new URLSearchParams({ preview: 1, name: file.name })}`, file);
  const skipped = Object.entries(told.skipped ?? {}).map(([why, count]) => `${count} left out: ${why}`);
  const head = make("p", {}, make("strong", { textContent: file.name }), ` (${told.format}): ${told.new} new, ${told.known} known already`);
  const list = make("ul", { className: "preview" });
  for (const each of told.memories) list.append(make("li", { textContent: each.text.slice(0, 200) }));
  const dialog = document.getElementById("import");
  dialog.querySelector("[data-preview]").replaceChildren(head, ...skipped.map((text) => make("p", { className: "quiet", textContent: text })), list);
  dialog.showModal();
}

async function take() {
  const told = await sent(`/inspect/import?${new URLSearchParams({ name: file.name })}`, file);
  document.getElementById("import").close();
  toast(`Imported ${told.new} from ${file.name}`);
  refresh();
}

const takes = () => document.querySelector("[data-import]");
let over = 0;
addEventListener("dragenter", () => {
  over += 1;
  if (takes()) document.body.classList.add("dropping");
});
addEventListener("dragleave", () => {
  over -= 1;
  if (over <= 0) document.body.classList.remove("dropping");
});
addEventListener("dragover", (event) => {
  if (takes()) event.preventDefault();
});
addEventListener("drop", (event) => {
  over = 0;
  document.body.classList.remove("dropping");
  if (!takes()) return;
  event.preventDefault();
  if (event.dataTransfer.files.length) preview(event.dataTransfer.files[0]).catch(failed);
});
