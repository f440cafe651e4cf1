// Forms whose controls show their effect at once; the address says what they say.
import { at, query, show, wait } from "./parts.js";

const permanent = () => new URLSearchParams(location.search).has("recall");

function shown(control, more = {}) {
  // What was typed a moment ago is in the form already; asked for later, it would undo what is asked for now.
  typed.cancel();
  const form = control.form;
  const options = { drops: control.dataset.drops };
  const asking = query(form, options);
  const telling = query(form, { ...options, recall: permanent() });
  for (const found of [asking, telling]) for (const [name, value] of Object.entries(more)) found.set(name, value);
  show(at(form, asking), control.dataset.live, { address: at(form, telling), push: "push" in control.dataset });
}

const typed = wait(shown, 140);
let moved = 0;

document.addEventListener("input", (event) => {
  const control = event.target.closest("input[data-live], textarea[data-live]");
  if (!control || control.type === "checkbox" || control.type === "date") return;
  if (control.type === "range") {
    const out = document.querySelector(`output[for="${control.id}"]`);
    if (out) out.value = Number(control.value).toFixed(2);
    cancelAnimationFrame(moved);
    moved = requestAnimationFrame(() => shown(control));
  } else typed(control);
});

document.addEventListener("change", (event) => {
  const control = event.target.closest('select[data-live], input[data-live][type="checkbox"], input[data-live][type="date"]');
  if (control) shown(control);
});

document.addEventListener("submit", (event) => {
  const form = event.target.closest("form[data-live-form]");
  if (!form) return;
  event.preventDefault();
  const button = event.submitter;
  if (button?.dataset.live) {
    shown(button, button.name ? { [button.name]: button.value } : {});
    return;
  }
  typed.cancel();
  const told = at(form, query(form, { recall: false }));
  show(told, "main", { push: true });
});

document.addEventListener("click", (event) => {
  if (event.target.closest("[data-back]")) history.back();
});
addEventListener("popstate", () => {
  typed.cancel();
  show(location.href);
});
