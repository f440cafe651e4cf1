// The keyboard: / searches, j and k walk the rows, and two letters lead to a page.
let pending = "";

const rows = () => [...document.querySelectorAll("[data-row]")].filter((row) => row.offsetParent !== null);

function walk(step) {
  const all = rows();
  if (!all.length) return;
  const here = all.findIndex((row) => row.classList.contains("here"));
  const next = all[Math.min(all.length - 1, Math.max(0, here < 0 ? (step > 0 ? 0 : all.length - 1) : here + step))];
  all[here]?.classList.remove("here");
  next.classList.add("here");
  next.focus({ preventScroll: true });
  next.scrollIntoView({ block: "nearest" });
}

const current = () => document.querySelector("[data-row].here");

const keys = {
  "/": () => document.querySelector("[data-search]")?.focus(),
  "?": () => document.getElementById("help").showModal(),
  j: () => walk(1),
  k: () => walk(-1),
  x: () => current()?.querySelector("[data-pick]")?.click(),
  e: () => current()?.querySelector("[data-edit]")?.click(),
  o: () => open(),
  u: () => [...document.querySelectorAll("[data-undo]")].at(-1)?.click(),
  Enter: () => open(),
};

function open() {
  const row = current();
  const target = row?.matches("[data-open]") ? row.querySelector("button.rank") : row?.querySelector("a[href]");
  target?.click();
}

document.addEventListener("keydown", (event) => {
  const typing = event.target.closest("input:not([type=checkbox], [type=range]), textarea, select, dialog[open]");
  if (event.key === "Escape" && typing && !typing.matches("dialog")) typing.blur();
  if (typing || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === "Enter" && event.target.closest("a, button")) return;
  if (pending === "g") {
    pending = "";
    const link = document.querySelector(`[data-go="${CSS.escape(event.key)}"]`);
    if (link) link.click();
    return;
  }
  if (event.key === "g") {
    pending = "g";
    setTimeout(() => (pending = ""), 2500);
  } else if (keys[event.key]) {
    event.preventDefault();
    keys[event.key]();
  }
});
