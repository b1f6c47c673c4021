"use strict";
// Lays out the rows of the report: two lines a result, its entry in the list and its view. All text is set as text.
(() => {
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

  function element(tag, kind, ...inside) {
    const made = document.createElement(tag);
    if (kind) made.className = kind;
    made.append(...inside.filter(part => part !== null && part !== undefined && part !== ""));
    return made;
  }

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
    const every = element("option", "", `every ${select.getAttribute("aria-label").toLowerCase()}`);
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
      element("div", "tags", ...tags, ...(entry.codes || []).map(code => element("span", "tag", code))),
      ...view.warnings.map(text => element("p", "warning", text)),
    ];
  }

  const FITS = {
    same: "as expected", differs: "differs", missing: "not called", extra: "not expected", allowed: "not expected, and allowed",
    unknown: "not judged",
  };

  function card(call, kind, empty) {
    if (!call) return element("div", `card none ${kind}`, empty);
    const rows = (call.args || []).map(([name, value, marked]) =>
      element("tr", marked ? "marked" : "", element("th", "mono", name), element("td", "mono", value)));
    return element("div", `card ${kind}`,
      element("div", "", element("b", "mono", call.name), element("span", "note", call.number === undefined ? " expected" : ` call ${call.number}${call.error ? ", failed" : ""}`)),
      rows.length ? element("table", "", element("tbody", "", ...rows)) : null,
      call.raw ? element("pre", "", call.raw) : null);
  }

  function differences(rows) {
    if (!rows || !rows.length) return null;
    const head = element("tr", "", ...["at", "expected", "actual", ""].map(name => element("th", "", name)));
    const body = rows.map(([path, expected, actual, note]) => element("tr", "",
      element("td", "mono", path || "·"), element("td", "mono minus", expected), element("td", "mono plus", actual), element("td", "note", note)));
    return element("div", "diff", element("table", "", element("tbody", "", head, ...body)));
  }

  function pair(one) {
    return element("div", `pair ${one.fit}`,
      card(one.golden, "golden", "no such call is expected"),
      card(one.actual, "actual", FITS[one.fit]),
      one.golden && one.actual ? differences(one.lines) : null);
  }

  function section(name, ...inside) {
    return inside.length ? [element("h3", "", name), ...inside] : [];
  }

  function check(one) {
    return element("div", `check ${one.outcome}`,
      one.code ? element("b", "mono", one.code) : element("b", "", one.outcome.replace("_", " ")), ` ${one.message || one.check}`,
      element("div", "note", [one.check, one.rung].filter(Boolean).join(" · ")), differences(one.lines));
  }

  function folded(name, parts) {
    return parts.length ? [element("details", "", element("summary", "", name), ...parts)] : [];
  }

  function change(one) {
    const rows = one.fields.map(([name, before, after]) => element("tr", "",
      element("td", "mono", name), element("td", "mono minus", before), element("td", "mono plus", after)));
    const head = element("tr", "", ...["field", "before", "after"].map(name => element("th", "", name)));
    return element("div", "changes",
      element("p", "", element("b", "mono", `${one.table} ${one.key}`), ` ${one.how} by `, element("span", "mono", one.call)),
      element("table", "", element("tbody", "", head, ...rows)));
  }

  function words(one) {
    const who = one.who === "call" ? `call ${one.number}` : one.who === "result" ? `result of call ${one.number}${one.error ? ", an error" : ""}` : one.who;
    return element("div", `words ${one.who}${one.error ? " error" : ""}`, element("span", "who", who), one.text);
  }

  function render(entry) {
    const view = JSON.parse(lines[entry.view]);
    const failed = view.checks.filter(one => one.outcome === "fail"), others = view.checks.filter(one => one.outcome !== "fail");
    const facts = view.facts.flatMap(([name, text]) => [element("dt", "", name), element("dd", "", text)]);
    detail.replaceChildren(
      ...title(entry, view),
      ...section("Broken promises", ...failed.map(check)),
      ...section("Expected and actual calls", ...view.pairs.map(pair)),
      ...(view.expectation ? section("What is expected", element("pre", "", view.expectation)) : []),
      ...section("What the calls changed", ...view.changes.map(change)),
      ...section("Conversation", ...view.talk.map(words)),
      ...section("Other checks", ...folded(`${others.length} that did not fail`, others.map(check))),
      ...section("Facts", element("dl", "facts", ...facts)));
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
