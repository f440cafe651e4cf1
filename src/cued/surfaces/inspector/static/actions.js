// Buttons that change something: the change is made, said, and can be undone.
import { failed, refresh, sent, toast } from "./parts.js";

export async function done(steps, { quietly = false } = {}) {
  const answer = await sent("/inspect/do", JSON.stringify(steps));
  if (!quietly) toast(answer.told, { undo: answer.undo.length ? answer.undo : null });
  return answer;
}

export const change = (steps) => done(steps).then(refresh).catch(failed);

export const split = (text) =>
  text
    .split(",")
    .map((each) => each.trim())
    .filter(Boolean);

document.addEventListener("click", (event) => {
  const button = event.target.closest("[data-do]");
  if (button) {
    button.disabled = true;
    change(JSON.parse(button.dataset.do)).finally(() => (button.disabled = false));
  }
  const undo = event.target.closest("[data-undo]");
  if (undo) {
    undo.closest(".toast").remove();
    done(JSON.parse(undo.dataset.undo), { quietly: true })
      .then(() => toast("Undone"))
      .then(refresh)
      .catch(failed);
  }
});

document.addEventListener("submit", (event) => {
  const form = event.target.closest("form[data-update]");
  if (!form) return;
  event.preventDefault();
  const said = Object.fromEntries(new FormData(form));
  const body = { id: form.dataset.update, if_version: Number(form.dataset.version) };
  for (const each of form.elements) {
    if (!each.name || each.value === initial(each)) continue;
    if (each.name === "tags") body.tags = split(said.tags);
    else if (each.name === "supersedes") body.supersedes = split(said.supersedes);
    else body[each.name] = each.type === "number" ? Number(each.value) : each.value;
  }
  change([{ verb: "update", body }]);
});

function initial(each) {
  if (each.tagName === "SELECT") return [...each.options].find((option) => option.defaultSelected)?.value;
  return each.defaultValue;
}
