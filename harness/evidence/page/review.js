// Asks about one result after the other and has each answer saved. All text is set as text.
(() => {
  const { element, sections } = layout;
  const lines = document.getElementById("rows").textContent.trim().split("\n").filter(Boolean);
  const questions = [];
  for (let at = 0; at + 1 < lines.length; at += 2) questions.push({ ...JSON.parse(lines[at]), view: at + 1 });
  let state = JSON.parse(document.getElementById("state").textContent), open = 0, saving = false;
  const list = document.getElementById("questions"), detail = document.getElementById("detail");
  const choices = document.getElementById("choices"), note = document.getElementById("note"), lost = document.getElementById("lost");

  function draw() {
    list.replaceChildren(...questions.map((one, place) => {
      const said = state.said[place];
      const made = element("button", "", element("b", one.verdict, one.verdict), ` ${one.case}, trial ${one.trial}`,
        element("span", "note", said ? `${said.words}${said.note ? ` · ${said.note}` : ""}` : state.open.includes(place) ? "open" : ""));
      made.type = "button";
      if (place === open) made.setAttribute("aria-current", "true");
      made.addEventListener("click", () => show(place));
      return made;
    }));
    const answered = state.said.filter(Boolean).length;
    document.getElementById("progress").textContent = `${answered} of ${questions.length} answered`;
    document.getElementById("told").textContent = state.told;
    document.getElementById("end").hidden = state.open.length > 0;
    const said = state.said[open];
    for (const button of choices.children) button.setAttribute("aria-pressed", String(Boolean(said && said.answer === button.dataset.answer)));
  }

  function show(place) {
    open = place;
    const one = questions[open], said = state.said[open];
    if (!one) return draw();
    detail.replaceChildren(
      element("div", "title", element("b", one.verdict, one.verdict), element("h2", "", `${one.case}, trial ${one.trial}`), element("span", "note", one.about)),
      ...(said ? [element("p", "note", `answered: ${said.words}, by ${said.by}${said.note ? `: ${said.note}` : ""}`)] : []),
      ...JSON.parse(lines[one.view]).warnings.map(text => element("p", "warning", text)),
      ...sections(JSON.parse(lines[one.view])));
    choices.replaceChildren(...one.keys.map(key => {
      const made = element("button", "", element("kbd", "", key.key), ` ${key.words}`);
      made.type = "button";
      made.dataset.answer = key.answer;
      made.addEventListener("click", () => answer(key.answer));
      return made;
    }));
    note.value = said ? said.note : "";
    draw();
    const current = list.querySelector("[aria-current]");
    if (current) current.scrollIntoView({ block: "nearest" });
    scrollTo(0, 0);
  }

  async function send(path, body) {
    const answered = await fetch(path, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) });
    if (!answered.ok) throw new Error(await answered.text());
    return answered.json();
  }

  async function answer(choice) {
    if (saving) return;
    saving = true;
    try {
      state = await send("answer", { place: open, answer: choice, note: note.value.trim() });
      lost.hidden = true;
      note.blur();
      const next = state.open.find(place => place > open) ?? state.open[0];
      show(next === undefined ? open : next);
    } catch (error) {
      lost.textContent = `Not saved: ${error.message || "the server does not answer"}`;
      lost.hidden = false;
    } finally {
      saving = false;
    }
  }

  document.addEventListener("keydown", event => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target === note) {
      if (event.key === "Escape") note.blur();
      return;
    }
    const key = questions[open] && questions[open].keys.find(one => one.key === event.key);
    if (key) answer(key.answer);
    else if (event.key === "n") note.focus();
    else if (event.key === "ArrowDown") show(Math.min(open + 1, questions.length - 1));
    else if (event.key === "ArrowUp") show(Math.max(open - 1, 0));
    else return;
    event.preventDefault();
  });

  document.getElementById("finish").addEventListener("click", async event => {
    event.target.disabled = true;
    try {
      await send("finish", {});
      event.target.textContent = "Stopped";
    } catch (error) {
      event.target.textContent = "The server does not answer";
    }
  });

  document.getElementById("main").hidden = false;
  document.getElementById("answers").hidden = !questions.length;
  show(state.open.length ? state.open[0] : 0);
})();
