// The map: draw around points to list them.
let line = [];

const map = () => document.querySelector("[data-map]");
const place = (event) => new DOMPoint(event.clientX, event.clientY).matrixTransform(map().getScreenCTM().inverse());
const drawn = () => document.querySelector("[data-lasso]");

function inside(x, y) {
  let within = false;
  for (let i = 0, j = line.length - 1; i < line.length; j = i++) {
    const [a, b] = [line[i], line[j]];
    if (a.y > y !== b.y > y && x < ((b.x - a.x) * (y - a.y)) / (b.y - a.y) + a.x) within = !within;
  }
  return within;
}

function list(points) {
  const place = document.querySelector("[data-map-list]");
  for (const each of map().querySelectorAll(".picked")) each.classList.remove("picked");
  place.replaceChildren(
    ...points.slice(0, 200).map((point) => {
      point.classList.add("picked");
      const item = document.createElement("li");
      const link = Object.assign(document.createElement("a"), { href: `/inspect/memory?id=${encodeURIComponent(point.dataset.id)}`, textContent: point.dataset.text });
      item.dataset.row = "";
      item.tabIndex = -1;
      item.append(link, Object.assign(document.createElement("span"), { className: "quiet", textContent: point.dataset.day }));
      return item;
    }),
  );
  document.querySelector("[data-map-empty]").hidden = points.length > 0;
}

const points = () => [...map().querySelectorAll("circle.p")];

document.addEventListener("pointerdown", (event) => {
  if (!event.target.closest("[data-map]") || event.button !== 0) return;
  line = [place(event)];
  map().setPointerCapture(event.pointerId);
});
document.addEventListener("pointermove", (event) => {
  if (!line.length) return;
  line.push(place(event));
  drawn().setAttribute("d", `M${line.map((each) => `${each.x.toFixed(1)} ${each.y.toFixed(1)}`).join("L")}`);
});
document.addEventListener("pointerup", (event) => {
  if (!line.length) return;
  const here = place(event);
  const near = (point) => Math.hypot(point.cx.baseVal.value - here.x, point.cy.baseVal.value - here.y) < 16;
  const around = line.length > 8;
  list(points().filter((point) => (around ? inside(point.cx.baseVal.value, point.cy.baseVal.value) : near(point))));
  line = [];
  drawn().setAttribute("d", "");
});
document.addEventListener("click", (event) => {
  if (event.target.closest("[data-map-all]")) list(points());
});
