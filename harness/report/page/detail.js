"use strict";
// Lays out what a view shows of one result. All text is set as text.
const layout = (() => {
  function element(tag, kind, ...inside) {
    const made = document.createElement(tag);
    if (kind) made.className = kind;
    made.append(...inside.filter(part => part !== null && part !== undefined && part !== ""));
    return made;
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
      element("div", "", element("b", "mono", call.name), element("span", "note", call.id ? ` ${call.id}${call.error ? ", failed" : ""}` : " expected")),
      rows.length ? element("table", "", element("tbody", "", ...rows)) : null,
      call.raw ? element("pre", "", call.raw) : null);
  }

  function differences(rows) {
    if (!rows || !rows.length) return null;
    const body = rows.map(([path, expected, actual, note]) => element("div", "place",
      path || note ? element("p", "note", path ? element("span", "mono", path) : "", path && note ? " · " : "", note) : null,
      element("p", "mono minus", expected), element("p", "mono plus", actual)));
    return element("div", "diff", ...body);
  }

  // Whole arguments are marked in the cards; below them stands only what lies deeper, or needs a word.
  function pair(one) {
    return element("div", `pair ${one.fit}`,
      card(one.golden, "golden", "no such call is expected"),
      card(one.actual, "actual", FITS[one.fit]),
      one.golden && one.actual ? differences((one.lines || []).filter(([path, , , note]) => note || /[.[]/.test(path))) : null);
  }

  function section(name, ...inside) {
    return inside.length ? [element("h3", "", name), ...inside] : [];
  }

  function check(one) {
    return element("div", `check ${one.outcome}`,
      one.code ? element("b", "mono", one.code) : element("b", "", one.outcome.replace("_", " ")), ` ${one.message || one.check}`,
      element("div", "note", [one.check, one.rung].filter(Boolean).join(" · ")), differences(one.lines));
  }

  // A run-away agent breaks one promise dozens of times: the first few of a code stand open.
  const ALIKE = 3;
  function checks(found) {
    const shown = new Map();
    for (const one of found) shown.set(one.code, [...(shown.get(one.code) || []), one]);
    return [...shown.values()].flatMap(alike => [
      ...alike.slice(0, alike.length > ALIKE + 1 ? ALIKE : alike.length).map(check),
      ...(alike.length > ALIKE + 1 ? folded(`${alike.length - ALIKE} more ${alike[0].code}`, alike.slice(ALIKE).map(check)) : []),
    ]);
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
    const who = one.who === "call" ? one.call : one.who === "result" ? `result of ${one.call}${one.error ? ", an error" : ""}` : one.who;
    return element("div", `words ${one.who}${one.error ? " error" : ""}`, element("span", "who", who), one.text);
  }

  function sections(view) {
    const failed = view.checks.filter(one => one.outcome === "fail"), others = view.checks.filter(one => one.outcome !== "fail");
    const facts = view.facts.flatMap(([name, text]) => [element("dt", "", name), element("dd", "", text)]);
    return [
      ...section("Broken promises", ...checks(failed)),
      ...section("Expected and actual calls", ...view.pairs.map(pair)),
      ...(view.expectation ? section("What is expected", element("pre", "", view.expectation)) : []),
      ...section("What the calls changed", ...view.changes.map(change)),
      ...section("Conversation", ...view.talk.map(words)),
      ...section("Other checks", ...folded(`${others.length} that did not fail`, others.map(check))),
      ...section("Facts", element("dl", "facts", ...facts)),
    ];
  }

  return { element, sections };
})();
