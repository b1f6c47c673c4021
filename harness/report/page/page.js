"use strict";
// Lays out the rows of the report: two lines a result, its entry in the list and its view. All text is set as text.
(() => {
  const { element, sections } = layout;
  const ROW = 56, SPARE = 8;
  const lines = document.getElementById("rows").textContent.trim().split("\n");
  const entries = [];
  for (let at = 0; at + 1 < lines.length; at += 2) {
    const entry = JSON.parse(lines[at]);
    entry.view = at + 1;
    entry.link = `#case/${encodeURIComponent(entry.case)}/${entry.trial}`;
    entry.text = [entry.case, entry.reason, entry.said, entry.group, ...(entry.codes || []), ...(entry.tools || [])].join("\n").toLowerCase();
    entries.push(entry);
  }
  const several = entries.some((entry, at) => at && entries[at - 1].case === entry.case);
  const list = document.getElementById("list"), detail = document.getElementById("detail");
  const search = document.getElementById("search"), form = document.getElementById("filters");
  const selects = [...form.querySelectorAll("select")];
  const RUNGS = ["selection", "arguments", "order", "effects"];
  const VALUES = {
    verdict: entry => [entry.verdict], dimension: entry => [entry.dimension], variant: entry => [entry.variant],
    group: entry => [entry.group], code: entry => entry.codes || [], tool: entry => entry.tools || [], 
    rung: entry => RUNGS.slice(0, RUNGS.indexOf(entry.rung) + 1),
  };
  let shown = entries, open = null;

  // ---- the list: only the rows in sight are in the page

  function draw() {
    const top = list.getBoundingClientRect().top;
    const first = Math.max(0, Math.floor(-top / ROW) - SPARE);
    const last = Math.min(shown.length, Math.ceil((innerHeight - top) / ROW) + SPARE);
    list.replaceChildren(...shown.slice(first, Math.max(first, last)).map((entry, at) => row(entry, first + at)));
  }

  function row(entry, place) {
    const name = several ? `${entry.case}, trial ${entry.trial}` : entry.case;
    const made = element("a", "row",
      element("div", "", element("b", entry.verdict, entry.verdict), ` ${name}`),
      element("div", "note", [entry.dimension, entry.reason].filter(Boolean).join(" · ")));
    made.href = entry.link;
    made.style.top = `${place * ROW}px`;
    if (entry === open) made.setAttribute("aria-current", "true");
    return made;
  }

  let waiting = false;
  function redraw() {
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(() => { waiting = false; draw(); });
  }

  function filter() {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    const chosen = selects.filter(select => select.value).map(select => [VALUES[select.dataset.kind], select.value]);
    shown = entries.filter(entry =>
      words.every(word => entry.text.includes(word)) && chosen.every(([values, value]) => values(entry).includes(value)));
    list.style.height = `${shown.length * ROW}px`;
    document.getElementById("count").textContent = `${shown.length} of ${entries.length}`;
    redraw();
  }

  function fill(select) {
    const counts = new Map();
    for (const entry of entries) for (const value of VALUES[select.dataset.kind](entry)) if (value) counts.set(value, (counts.get(value) || 0) + 1);
    const every = element("option", "", `any ${select.getAttribute("aria-label").toLowerCase()}`);
    every.value = "";
    const options = [...counts.keys()].sort().map(value => {
      const option = element("option", "", `${value} (${counts.get(value)})`);
      option.value = value;
      return option;
    });
    select.replaceChildren(every, ...options);
    select.hidden = !counts.size;
  }

  // ---- one case

  function title(entry, view) {
    const close = element("button", "close", "← All cases");
    close.type = "button";
    close.addEventListener("click", shut);
    const link = element("a", "", "link");
    link.href = entry.link;
    const parts = { dimension: "dimension", group: "scenario", variant: "variant" };
    const tags = Object.keys(parts).filter(name => entry[name]).map(name => element("span", "tag", `${parts[name]} ${entry[name]}`));
    return [
      close,
      element("div", "title", element("b", entry.verdict, entry.verdict),
        element("h2", "", several ? `${entry.case}, trial ${entry.trial}` : entry.case), link),
      view.reason ? element("p", "note", view.reason) : null,
      element("div", "tags", ...tags, ...(entry.codes || []).map(code => element("span", "tag code", code))),
      ...view.warnings.map(text => element("p", "warning", text)),
    ];
  }

  function render(entry) {
    const view = JSON.parse(lines[entry.view]);
    detail.replaceChildren(...title(entry, view).filter(Boolean), ...sections(view));
    detail.scrollTop = 0;
  }

  // ---- moving about

  function show(entry) {
    open = entry;
    render(entry);
    document.body.classList.add("open");
    const place = shown.indexOf(entry);
    if (place >= 0) intoSight(place);
    redraw();
  }

  function intoSight(place) {
    const top = list.getBoundingClientRect().top + place * ROW, bar = form.offsetHeight;
    if (top < bar) scrollBy(0, top - bar - ROW);
    else if (top + ROW > innerHeight) scrollBy(0, top + 2 * ROW - innerHeight);
  }

  function shut() {
    open = null;
    document.body.classList.remove("open");
    invite();
    history.replaceState(null, "", location.pathname + location.search);
    redraw();
  }

  function invite() {
    detail.replaceChildren(element("p", "note", entries.length ? "Choose a case." : "There are no cases."));
  }

  function step(by) {
    if (!shown.length) return;
    const place = open ? shown.indexOf(open) + by : 0;
    const next = shown[Math.min(Math.max(place, 0), shown.length - 1)];
    history.replaceState(null, "", next.link);
    show(next);
  }

  function follow() {
    const entry = entries.find(one => one.link === location.hash);
    if (!entry) return open && shut();
    show(entry);
    detail.focus({ preventScroll: true });
  }

  document.addEventListener("keydown", event => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const typing = event.target.matches("input, select");
    if (event.key === "Escape") {
      if (typing) event.target.blur();
      else shut();
    } else if (!typing && event.key === "/") {
      event.preventDefault();
      search.focus();
    } else if ((!typing || event.target === search) && (event.key === "ArrowDown" || event.key === "ArrowUp")) {
      if (detail.contains(document.activeElement) && document.activeElement !== detail) return;
      event.preventDefault();
      step(event.key === "ArrowDown" ? 1 : -1);
    }
  });

  document.addEventListener("click", event => {
    const button = event.target.closest("[data-filter]");
    if (!button) return;
    const [kind, ...value] = button.dataset.filter.split(":");
    const select = selects.find(one => one.dataset.kind === kind);
    select.value = value.join(":");
    filter();
    form.scrollIntoView({ block: "start" });
  });

  document.getElementById("theme").addEventListener("click", () => {
    const dark = document.documentElement.dataset.theme
      ? document.documentElement.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    document.documentElement.dataset.theme = dark ? "light" : "dark";
  });

  form.addEventListener("input", filter);
  form.addEventListener("submit", event => event.preventDefault());
  form.addEventListener("reset", () => setTimeout(filter));
  addEventListener("scroll", redraw, { passive: true });
  addEventListener("resize", redraw);
  new ResizeObserver(() => document.documentElement.style.setProperty("--bar", `${form.offsetHeight}px`)).observe(form);
  addEventListener("hashchange", follow);

  document.getElementById("main").hidden = false;
  selects.forEach(fill);
  filter();
  invite();
  if (location.hash.startsWith("#case/")) {
    form.scrollIntoView();
    follow();
  }
})();
