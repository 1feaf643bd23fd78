// Keeps the words of the dashboard up to date. Without scripts the page loads itself again.
const places = new Map();
for (const element of document.querySelectorAll("[data-live]")) places.set(element.dataset.live, element);
let silent = 0;
let ended = false;
const show = (words) => {
  for (const [place, text] of Object.entries(words)) {
    const element = places.get(place);
    if (!element || element.textContent === text.replaceAll("`", "")) continue;
    element.replaceChildren(...written(text));
    const row = element.closest("[data-optional]");
    if (row?.dataset.optional === place) row.hidden = text === "–";
    if (place === "actions") steer();
  }
};
// What can be done follows what the crawl does, and what was asked for has then happened.
const steer = async () => {
  const old = document.getElementById("steer");
  try {
    const answer = await fetch("/crawl");
    if (!answer.ok || ended) return;
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    old?.replaceWith(page.getElementById("steer") ?? "");
    history.replaceState(null, "", "/crawl");
  } catch {
    // The server is gone or busy: the old buttons stay, and each asks first.
  }
};
// Words in which commands stand between backticks.
const written = (text) => text.split("`").map((part, number) => {
  if (number % 2 === 0) return part;
  const code = document.createElement("code");
  code.textContent = part;
  return code;
});
const farewell = (text) => {
  const note = document.createElement("p");
  note.className = "told";
  note.setAttribute("role", "status");
  note.append(...written(text));
  document.getElementById("steer")?.replaceChildren(note);
};
const listen = () => {
  const source = new EventSource("/crawl/events");
  source.onmessage = (event) => {
    if (ended) location.reload(); // it is served again
    silent = 0;
    show(JSON.parse(event.data));
  };
  source.addEventListener("end", (event) => {
    source.close();
    ended = true;
    const words = JSON.parse(event.data);
    show(words);
    farewell(words.ended);
    setTimeout(listen, 5000);
  });
  source.onerror = () => {
    silent += 1;
    if (source.readyState === EventSource.CLOSED) setTimeout(listen, 5000);
    if (silent === 3 && !ended) {
      const state = places.get("state");
      if (state) state.textContent = "The server does not answer; these are the last figures.";
    }
  };
};
listen();
// Parts of the page that are made anew by the server.
const renew = (name, milliseconds) => {
  const place = document.getElementById(name);
  if (!place) return;
  setInterval(async () => {
    if (document.hidden || ended || place.contains(document.activeElement)) return;
    try {
      const answer = await fetch(`/crawl/${name}`);
      if (!answer.ok) return;
      const drawn = new DOMParser().parseFromString(await answer.text(), "text/html");
      place.replaceChildren(...drawn.body.children);
    } catch {
      // The server is gone or busy: what was drawn last stays.
    }
  }, milliseconds);
};
renew("charts", 30000); // they change by the minute
renew("cluster", 5000);
renew("hosts", 5000);
renew("reasons", 5000);
