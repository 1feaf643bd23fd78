// Zoom, move and find on the map. Without scripts the whole map is there, and each site is a link.
const map = document.getElementById("map");
if (map) {
  const whole = map.getAttribute("viewBox").split(" ").map(Number);
  let box = [...whole];
  const show = () => map.setAttribute("viewBox", box.map((value) => value.toFixed(2)).join(" "));
  const zoom = (factor, x = box[0] + box[2] / 2, y = box[1] + box[3] / 2) => {
    const wide = Math.min(whole[2] * 1.5, Math.max(whole[2] / 60, box[2] * factor));
    const real = wide / box[2];
    box = [x - (x - box[0]) * real, y - (y - box[1]) * real, wide, box[3] * real];
    show();
  };
  const place = (event) => {
    const at = map.createSVGPoint();
    at.x = event.clientX;
    at.y = event.clientY;
    return at.matrixTransform(map.getScreenCTM().inverse());
  };
  for (const button of document.querySelectorAll("[data-zoom]")) {
    button.addEventListener("click", () => {
      if (button.dataset.zoom === "all") {
        box = [...whole];
        show();
      } else zoom(button.dataset.zoom === "in" ? 0.7 : 1.4);
    });
  }
  map.addEventListener("wheel", (event) => {
    if (!event.ctrlKey && !event.metaKey) return;
    event.preventDefault();
    const at = place(event);
    zoom(event.deltaY < 0 ? 0.85 : 1.18, at.x, at.y);
  }, { passive: false });
  let held = null;
  let moved = false;
  map.addEventListener("pointerdown", (event) => {
    held = place(event);
    moved = false;
  });
  map.addEventListener("pointermove", (event) => {
    if (!held || !(event.buttons & 1)) return;
    const at = place(event);
    box[0] += held.x - at.x;
    box[1] += held.y - at.y;
    moved = true;
    show();
  });
  map.addEventListener("pointerup", () => { held = null; });
  map.addEventListener("click", (event) => { if (moved) event.preventDefault(); });
  map.addEventListener("dragstart", (event) => event.preventDefault());
  const find = document.getElementById("find");
  const sites = [...map.querySelectorAll("a[data-name]")];
  const look = () => {
    const text = find.value.trim().toLowerCase();
    const met = text ? sites.filter((site) => site.dataset.name.includes(text)) : [];
    map.classList.toggle("finding", text !== "");
    for (const site of sites) site.classList.toggle("met", met.includes(site));
    if (met.length) {
      const circle = met[0].querySelector("circle");
      box[0] = Number(circle.getAttribute("cx")) - box[2] / 2;
      box[1] = Number(circle.getAttribute("cy")) - box[3] / 2;
      show();
    }
  };
  find.addEventListener("input", look);
  find.form.addEventListener("submit", (event) => {
    event.preventDefault();
    const first = map.querySelector("a.met");
    if (first) window.location.assign(first.getAttribute("href"));
  });
  for (const tool of document.querySelectorAll(".tools [hidden]")) tool.hidden = false;
}
