// The recall page: a candidate's details, a memory that was missed, a permalink, and files to take away.
import { failed, fragment, query, sent, toast, wait } from "./parts.js";

const form = () => document.getElementById("ask");
const address = (path, more) => {
  const found = query(form());
  for (const [name, value] of Object.entries(more)) found.set(name, value);
  return `${path}?${found}`;
};

async function toggle(row) {
  const button = row.querySelector("button.rank");
  const open = row.nextElementSibling?.classList.contains("detail");
  button.setAttribute("aria-expanded", String(!open));
  if (open) {
    row.nextElementSibling.remove();
    return;
  }
  const detail = document.createElement("tr");
  const cell = Object.assign(document.createElement("td"), { colSpan: 6 });
  detail.className = "detail";
  detail.append(cell);
  row.after(detail);
  try {
    cell.replaceChildren(...(await fragment(address(row.dataset.open, { memory: row.dataset.memory }))));
  } catch (error) {
    detail.remove();
    button.setAttribute("aria-expanded", "false");
    failed(error);
  }
}

async function keep() {
  const told = await sent(address("/inspect/keep", {}), "{}");
  const place = document.getElementById("permalink");
  const kept = `${location.origin}/?recall=${encodeURIComponent(told.recall)}`;
  place.replaceChildren(Object.assign(document.createElement("a"), { href: kept, textContent: kept }));
  navigator.clipboard?.writeText(kept).catch(() => {});
}

async function savePolicy() {
  const [name, note] = ["name", "note"].map((each) => document.querySelector(`[data-policy-${each}]`).value.trim());
  const told = await sent(address("/inspect/policy", { name, note }), "{}");
  toast(told.told, { undo: told.undo });
}

document.addEventListener("click", (event) => {
  const row = event.target.closest("tr[data-open]");
  if (row && !event.target.closest("a") && !String(getSelection())) toggle(row);
  if (event.target.closest("[data-keep]")) keep().catch(failed);
  if (event.target.closest("[data-save-policy]")) savePolicy().catch(failed);
  const take = event.target.closest("[data-take]");
  if (take) {
    const name = document.querySelector("[data-policy-name]").value;
    Object.assign(document.createElement("a"), { href: address(take.dataset.take, { name }), download: "" }).click();
  }
});

const missed = wait(async (words) => {
  const place = document.getElementById("expected-found");
  if (!words) {
    place.replaceChildren();
    return;
  }
  try {
    place.replaceChildren(...(await fragment(address("/inspect/expected", { words }))));
  } catch (error) {
    failed(error);
  }
}, 220);

document.addEventListener("input", (event) => {
  if (event.target.matches("[data-expected]")) missed(event.target.value.trim());
});
document.addEventListener("keydown", (event) => {
  if (event.key === "Enter" && event.target.matches("[data-expected], [data-policy-name], [data-policy-note]")) event.preventDefault();
});
