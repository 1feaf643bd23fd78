// Titles for what is being typed. The page works without it.
const input = document.getElementById("q");
if (input) {
  const list = document.createElement("datalist");
  list.id = "suggestions";
  input.after(list);
  input.setAttribute("list", list.id);
  let timer = 0;
  let asked = "";
  const ask = async () => {
    const text = input.value.trim();
    if (text.length < 2 || text === asked) return;
    asked = text;
    try {
      const answer = await fetch("/suggest?q=" + encodeURIComponent(text));
      if (!answer.ok || asked !== text) return;
      const [, titles] = await answer.json();
      list.replaceChildren(...titles.map((title) => {
        const option = document.createElement("option");
        option.value = title;
        return option;
      }));
    } catch {
      // The server is gone or busy: no suggestions then.
    }
  };
  input.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(ask, 150);
  });
}
document.addEventListener("keydown", (event) => {
  const typing = /^(INPUT|TEXTAREA|SELECT)$/.test(document.activeElement?.tagName ?? "");
  if (event.key === "/" && input && !typing && !event.ctrlKey && !event.metaKey) {
    event.preventDefault();
    input.focus();
    input.select();
  }
});
