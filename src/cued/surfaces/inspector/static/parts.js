// Asking the server, and exchanging a part of the page for what it answers.
const waiting = new Map();

export const wait = (call, ms) => {
  let timer;
  const later = (...given) => {
    clearTimeout(timer);
    timer = setTimeout(() => call(...given), ms);
  };
  return Object.assign(later, { cancel: () => clearTimeout(timer) });
};

export async function asked(url, options = {}) {
  const answer = await fetch(url, { ...options, credentials: "same-origin" }).catch((error) => {
    throw error.name === "AbortError" ? error : new Error("The server does not answer: is it still running?");
  });
  if (answer.ok) return answer;
  if (answer.status === 401) location.reload();
  const kind = answer.headers.get("content-type") ?? "";
  const told = kind.includes("json") ? await answer.json() : {};
  const detail = told.detail ?? answer.statusText;
  // An error that says what would be accepted has said the remedy.
  throw new Error(told.remedy && !detail.includes(told.remedy) ? `${detail} – ${told.remedy}` : detail);
}

export async function sent(url, body) {
  const key = document.querySelector('meta[name="cued-key"]').content;
  return (await asked(url, { method: "POST", body, headers: { "cued-key": key } })).json();
}

export function toast(text, { undo = null, failed = false } = {}) {
  const box = document.createElement("div");
  box.className = failed ? "toast failed" : "toast";
  box.append(Object.assign(document.createElement("span"), { textContent: text }));
  if (undo) {
    const button = Object.assign(document.createElement("button"), { type: "button", textContent: "Undo" });
    button.dataset.undo = JSON.stringify(undo);
    box.append(button);
  }
  document.getElementById("toasts").append(box);
  setTimeout(() => box.remove(), undo ? 15000 : 6000);
  return box;
}

export const failed = (error) => {
  if (error.name !== "AbortError") toast(error.message, { failed: true });
};

export async function fragment(url) {
  const answer = await asked(url, { headers: { "cued-part": "main" } });
  return new DOMParser().parseFromString(await answer.text(), "text/html").body.childNodes;
}

export async function show(url, part = "main", { address = url, push = false } = {}) {
  waiting.get(part)?.abort();
  const control = new AbortController();
  waiting.set(part, control);
  const place = document.querySelector(`[data-part="${part}"]`);
  place.classList.add("waiting");
  try {
    const answer = await asked(url, { headers: { "cued-part": part }, signal: control.signal });
    const found = new DOMParser().parseFromString(await answer.text(), "text/html").body.childNodes;
    const focus = kept(place);
    place.replaceChildren(...found);
    focus();
    if (push) history.pushState(null, "", address);
    else history.replaceState(null, "", address);
    document.dispatchEvent(new CustomEvent("cued:shown", { detail: part }));
  } catch (error) {
    failed(error);
  } finally {
    if (waiting.get(part) === control) place.classList.remove("waiting");
  }
}

// What restores the focus and the caret after a part was exchanged.
function kept(place) {
  const at = document.activeElement;
  if (!place.contains(at) || !(at.id || at.name)) return () => {};
  const { id, name, selectionStart, selectionEnd } = at;
  return () => {
    const again = id ? document.getElementById(id) : place.querySelector(`[name="${CSS.escape(name)}"]`);
    again?.focus({ preventScroll: true });
    if (selectionStart != null && again?.setSelectionRange) again.setSelectionRange(selectionStart, selectionEnd);
  };
}

// What a form says, as the query of an address: what is empty or as usual is left out.
export function query(form, { recall = true, drops = "" } = {}) {
  const found = new URLSearchParams();
  for (const each of form.elements) {
    const said = each.name && !each.disabled && each.type !== "submit" && each.type !== "file" && each.type !== "button";
    if (!said || each.value === "" || (each.type === "checkbox" && !each.checked)) continue;
    if (each.dataset.default !== undefined && Number(each.dataset.default) === Number(each.value)) continue;
    if ((each.name === "recall" && !recall) || (drops && "ofPolicy" in each.dataset)) continue;
    found.append(each.name, each.value);
  }
  return found;
}

export const at = (form, found) => (found.size ? `${form.getAttribute("action")}?${found}` : form.getAttribute("action"));
export const refresh = () => show(location.href);
