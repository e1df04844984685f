extension HTMLScript {
  /// What a row of a table shows when it is opened.
  static let details = #"""
    const code = (value) => element("code", {}, value);

    function callSites(title, sites, omitted) {
      if (sites.length === 0) return [];
      const rows = sites.slice(0, 8).flatMap(([number, trace, isEstimated]) => shownFrames(trace).map((frame, index) =>
        element("tr", {}, element("td", { class: "count" }, index === 0 ? `${isEstimated ? "≈ " : ""}${grouped(number)} ×` : ""),
          element("td", {}, code(text(frame[0]))), element("td", {}, text(frame[1])))));
      const rest = Math.max(0, sites.length - 8) + omitted;
      const more = rest > 0 ? [element("p", { class: "more" }, `… and ${count(rest, "more call site", "more call sites")}`)] : [];
      return [element("h4", {}, title), element("table", { class: "calls" }, element("tbody", {}, ...rows)), ...more];
    }

    // The program's own frames; all where there are none.
    function shownFrames(trace) {
      const frames = data.traces[trace].map((index) => data.frames[index]);
      const own = frames.filter((frame) => frame[2] === 1);
      return (own.length > 0 ? own : frames).slice(0, 6);
    }

    function findingDetail(row) {
      const parts = [];
      if (row[8] >= 0) parts.push(element("p", {}, code(text(row[8]))));
      if (row[9] >= 0) parts.push(element("p", { class: "fix" }, element("strong", {}, "fix: "), text(row[9])));
      parts.push(...callSites("Allocated at", row[10], row[11]), ...callSites("Retained at", row[12], 0));
      return parts.length > 0 ? parts : [element("p", {}, "No path and no stack trace are known.")];
    }

    function causeDetail(row) {
      const cause = data.causes.indexOf(row);
      const findings = data.findings.filter((finding) => finding[7] === cause);
      const tests = findings.filter((finding) => finding[2] >= 0).map((finding) => text(finding[2]));
      const parts = row[8] > 0 ? [element("p", {}, element("a", { href: `#leak-${row[8]}` }, `Leak ${row[8]}`))] : [];
      parts.push(...findingDetail(findings[0]));
      if (tests.length > 0) {
        const items = tests.slice(0, 100).map((test) => element("li", {}, code(test)));
        if (tests.length > 100) items.push(element("li", {}, `… and ${count(tests.length - 100, "more test", "more tests")}`));
        parts.push(element("h4", {}, "Left behind by"), element("ul", { class: "tests" }, ...items));
      }
      return parts;
    }
    """#

  /// Makes all sections, and the button that chooses light or dark.
  static let start = #"""
    function addThemeButton() {
      const themes = ["auto", "light", "dark"];
      const names = { auto: "Colours: system", light: "Colours: light", dark: "Colours: dark" };
      let theme = "auto";
      const toggle = button(names.auto, {}, () => {
        theme = themes[(themes.indexOf(theme) + 1) % themes.length];
        document.documentElement.dataset.theme = theme;
        toggle.textContent = names[theme];
      });
      document.getElementById("nav").append(toggle);
    }

    if (data.causes.length > 0) {
      new Table("causes", "Causes", data.causes, [
        kindColumn("Kind"), nameColumn("Cause", 1), countColumn("Instances", 2), countColumn("Objects", 3), bytesColumn("Size", 4),
        countColumn("Findings", 5), countColumn("Tests", 6), { title: "Fails", text: (row) => (row[7] === 1 ? "yes" : "no") },
      ], causeDetail);
      new Table("findings", "Findings", data.findings, [
        kindColumn("Kind"), nameColumn("Finding", 1), codeColumn("Test", 2), countColumn("Instances", 3), countColumn("Objects", 4),
        bytesColumn("Size", 5), { ...codeColumn("Fingerprint", 6), code: false },
      ], findingDetail);
      addFlameGraph();
    }
    if (data.types.length > 0) {
      new Table("types", "Types", data.types, [
        nameColumn("Type", 0), textColumn("Kind", 1), countColumn("Live", 2), countColumn("New", 3), bytesColumn("Size", 4),
        bytesColumn("New size", 5), textColumn("Dependency", 6),
      ]);
    }
    if (data.tests.length > 0) {
      new Table("tests", "Tests", data.tests, [
        nameColumn("Test", 0), textColumn("Library", 1), textColumn("Outcome", 2),
        { title: "Evaluated", text: (row) => (row[3] === 1 ? "yes" : "no") },
        ...data.sections.map((name, index) => countColumn(name, index + 4)),
      ]);
    }
    addThemeButton();
    """#
}
