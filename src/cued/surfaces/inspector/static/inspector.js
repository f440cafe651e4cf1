// Every page: the theme, the keys, and what each page's controls do. Listeners stand at the document, so that parts may be exchanged.
import "./actions.js";
import "./keys.js";
import "./live.js";
import "./map.js";
import "./memories.js";
import "./recall.js";
import "./tokens.js";

document.addEventListener("click", (event) => {
  if (event.target.closest("[data-theme-toggle]")) {
    const root = document.documentElement;
    const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    root.dataset.theme = dark ? "light" : "dark";
    try {
      localStorage.setItem("cued-theme", root.dataset.theme);
    } catch {
      // it holds for this page
    }
  }
  if (event.target.closest("[data-help]")) document.getElementById("help").showModal();
  const opener = event.target.closest("[data-dialog]");
  if (opener) document.getElementById(opener.dataset.dialog).showModal();
  if (event.target.closest("[data-close]")) event.target.closest("dialog").close();
});
// What is beside the point on a narrow screen is folded until it is unfolded, and what is spoken of is in sight.
let unfolded = false;
document.addEventListener(
  "click",
  (event) => {
    const fold = event.target.closest(".controls-fold > summary")?.parentElement;
    if (fold) unfolded = !fold.open;
  },
  true,
);
function arranged() {
  const fold = document.querySelector(".controls-fold");
  if (fold) fold.open = unfolded || matchMedia("(min-width: 1101px)").matches;
  for (const graph of document.querySelectorAll(".graph-scroll")) {
    const here = graph.querySelector(".here rect");
    graph.scrollLeft = here.x.baseVal.value + here.width.baseVal.value / 2 - graph.clientWidth / 2;
  }
}
document.addEventListener("cued:shown", (event) => {
  if (event.detail === "main") arranged();
});
arranged();
const nav = document.querySelector(".top nav");
nav.scrollLeft = (nav.querySelector("[aria-current]")?.offsetLeft ?? 0) - nav.clientWidth / 2;
document.documentElement.dataset.ready = "true";
