// Tokens: made, shown this once, and revoked.
import { failed, refresh, sent, toast } from "./parts.js";

document.addEventListener("submit", async (event) => {
  const form = event.target.closest("form[data-token]");
  if (!form) return;
  event.preventDefault();
  try {
    const told = await sent("/inspect/tokens", JSON.stringify(Object.fromEntries(new FormData(form))));
    await refresh();
    const code = Object.assign(document.createElement("code"), { textContent: told.token });
    document.getElementById("token-made").replaceChildren("Shown this once: ", code);
  } catch (error) {
    failed(error);
  }
});

document.addEventListener("click", (event) => {
  const button = event.target.closest("[data-revoke]");
  if (!button) return;
  sent("/inspect/tokens", JSON.stringify({ revoke: button.dataset.revoke }))
    .then(() => toast("Revoked: it is refused from now on"))
    .then(refresh)
    .catch(failed);
});
