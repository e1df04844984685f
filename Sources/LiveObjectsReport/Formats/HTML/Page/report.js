// The script of a report's page: tables and a flame graph of the JSON report that the page contains.
// Names become text nodes, never markup.
"use strict";
(() => {
  const report = JSON.parse(document.getElementById("report-data").textContent);

  // As in the text report; their places in the list are those of the colours `kind0` to `kind5`.
  const sections = [
    { id: "leaks", name: "Leaks", kind: "Leak" },
    { id: "undecided", name: "Undecided", kind: "Undecided" },
    { id: "held", name: "Held", kind: "Held" },
    { id: "growth", name: "Growth", kind: "Growth" },
    { id: "known", name: "Known", kind: "Known" },
    { id: "libraryLeaks", name: "Library leaks", kind: "Library leak" },
  ];
  const sectionOf = (row) => sections.findIndex((section) => section.id === row.shown.section);

  const longestText = 1000;
  // What would change the direction of text, or not be seen at all, is shown by its number.
  function visible(text) {
    const short = text.length <= longestText ? text : `${text.slice(0, longestText / 2)}…${text.slice(1 - longestText / 2)}`;
    return short.replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu, (sign) => `\\u{${sign.codePointAt(0).toString(16)}}`);
  }

  const grouped = (number) => number.toLocaleString("en-US");
  const count = (number, one, many) => `${grouped(number)} ${number === 1 ? one : many}`;

  function bytes(number) {
    if (number < 1024) return count(number, "byte", "bytes");
    let unit = 0;
    number /= 1024;
    for (; number >= 1024 && unit < 3; unit += 1) number /= 1024;
    return `${(Math.floor(number * 10) / 10).toLocaleString("en-US", { minimumFractionDigits: 1 })} ${["KB", "MB", "GB", "TB"][unit]}`;
  }

  const signedBytes = (number) => (number < 0 ? `-${bytes(-number)}` : number > 0 ? `+${bytes(number)}` : "");

  // Strings among the children become text nodes.
  function element(name, attributes = {}, ...children) {
    const result = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) result.setAttribute(key, visible(String(value)));
    result.append(...children.map((child) => (typeof child === "string" ? visible(child) : child)));
    return result;
  }

  function button(title, attributes, action) {
    const result = element("button", { type: "button", ...attributes }, title);
    result.addEventListener("click", action);
    return result;
  }

  function addSection(id, title, size, ...children) {
    const section = element("section", { id }, element("h2", {}, title), ...children);
    document.getElementById("main").insertBefore(section, document.getElementById("notes"));
    const link = element("a", { href: `#${id}` }, `${title} `, element("span", {}, grouped(size)));
    document.getElementById("nav").append(link);
    return section;
  }

  // A test as it is named in the text: with the arguments of its case.
  const testName = (id, testCase) => (testCase === null ? id : `${id} (${testCase})`);

  // A known part of a finding is a cause of its own, with the same id.
  const findingsByCause = Map.groupBy(report.findings, (finding) => `${finding.cause} ${finding.shown.section}`);
  const findingsOf = (cause) => findingsByCause.get(`${cause.id} ${cause.shown.section}`) ?? [];
  // By cause, as in the text.
  const findings = [...new Set(report.causes.flatMap(findingsOf))];

  const pageSize = 50;
  const kindColumn = (title) => ({ title, kind: true, text: (row) => sections[sectionOf(row)].kind });
  const textColumn = (title, text) => ({ title, text });
  const nameColumn = (title, text) => ({ title, long: true, text });
  const codeColumn = (title, text) => ({ title, code: true, text });
  const countColumn = (title, value) => ({ title, value, text: (row) => grouped(value(row)) });
  const bytesColumn = (title, value) => ({ title, value, text: (row) => bytes(value(row)) });
  const answerColumn = (title, isTrue) => ({ title, text: (row) => (isTrue(row) ? "yes" : "no") });

  // A choice of the sections that the rows are of.
  function sectionChoice(rows, all) {
    const used = new Set(rows.map(sectionOf));
    const options = sections.map((section, index) => element("option", { value: index }, section.name));
    return element("select", {}, element("option", { value: "" }, all), ...options.filter((_, index) => used.has(index)));
  }

  class Table {
    constructor(id, title, rows, allColumns, detail) {
      const columns = allColumns.filter((column) => rows.some((row) => column.text(row) !== ""));
      Object.assign(this, { rows, columns, detail, page: 0, sorted: -1, ascending: true, words: "", kind: "" });
      this.searched = rows.map(() => undefined);
      this.body = element("tbody");
      this.status = element("output", { "aria-live": "polite" });
      this.previous = button("Previous", {}, () => this.turn(-1));
      this.next = button("Next", {}, () => this.turn(1));
      const headings = columns.map((column, index) => this.heading(column, index));
      this.headings = headings;
      const table = element("table", { class: "data" }, element("caption", { class: "hidden" }, title),
        element("thead", {}, element("tr", {}, ...headings)), this.body);
      addSection(id, title, rows.length, this.tools(title), element("div", { class: "card scroll" }, table),
        element("div", { class: "tools" }, this.previous, this.next));
      this.update();
    }

    heading(column, index) {
      const attributes = { scope: "col", "aria-sort": "none" };
      if (column.value) attributes.class = "numeric";
      return element("th", attributes, button(column.title, {}, () => this.sort(index)));
    }

    tools(title) {
      const search = element("input", { type: "search", placeholder: "type, test, function …", "aria-label": `Filter ${title}` });
      search.addEventListener("input", () => { this.words = search.value.toLowerCase(); this.page = 0; this.update(); });
      const parts = [element("label", {}, "Filter ", search)];
      if (this.columns[0].kind) parts.push(this.kinds());
      return element("div", { class: "tools" }, ...parts, this.status);
    }

    kinds() {
      const select = sectionChoice(this.rows, "all");
      select.addEventListener("change", () => { this.kind = select.value; this.page = 0; this.update(); });
      return element("label", {}, "Show ", select);
    }

    sort(index) {
      // The greatest numbers are wanted first.
      this.ascending = this.sorted === index ? !this.ascending : !this.columns[index].value;
      this.sorted = index;
      this.page = 0;
      this.update();
    }

    turn(pages) {
      this.page += pages;
      this.render();
    }

    searchText(index) {
      this.searched[index] ??= this.columns.map((column) => column.text(this.rows[index])).join("\n").toLowerCase();
      return this.searched[index];
    }

    update() {
      const isShown = (row, index) => (this.kind === "" || sectionOf(row) === Number(this.kind)) && (this.words === "" || this.searchText(index).includes(this.words));
      this.shown = [...this.rows.keys()].filter((index) => isShown(this.rows[index], index));
      if (this.sorted >= 0) {
        const column = this.columns[this.sorted];
        const key = column.value ?? column.text;
        const keys = new Map(this.shown.map((index) => [index, key(this.rows[index])]));
        const sign = this.ascending ? 1 : -1;
        this.shown.sort((a, b) => (keys.get(a) < keys.get(b) ? -sign : keys.get(a) > keys.get(b) ? sign : a - b));
      }
      this.headings.forEach((heading, index) =>
        heading.setAttribute("aria-sort", index !== this.sorted ? "none" : this.ascending ? "ascending" : "descending"));
      this.render();
    }

    render() {
      const first = this.page * pageSize;
      const last = Math.min(first + pageSize, this.shown.length);
      this.body.replaceChildren(...this.shown.slice(first, last).map((index) => this.row(this.rows[index])));
      this.previous.disabled = this.page === 0;
      this.next.disabled = last === this.shown.length;
      this.previous.hidden = this.next.hidden = this.shown.length <= pageSize;
      this.status.textContent = this.shown.length === 0 ? "none" : `${grouped(first + 1)}–${grouped(last)} of ${grouped(this.shown.length)}`;
    }

    row(row) {
      const cells = this.columns.map((column) => {
        const content = column.kind ? element("span", { class: `kind kind${sectionOf(row)}` }, column.text(row)) : column.text(row);
        return element("td", { class: column.value ? "numeric" : column.long ? "long" : column.code ? "code" : "" }, content);
      });
      const result = element("tr", {}, ...cells);
      if (this.detail) this.addDetail(result, row);
      return result;
    }

    addDetail(result, row) {
      const index = this.columns.findIndex((column) => column.long);
      const cell = result.children[index];
      const opener = button(cell.textContent, { class: "open", "aria-expanded": "false" }, () => {
        const isOpen = opener.getAttribute("aria-expanded") === "true";
        opener.setAttribute("aria-expanded", String(!isOpen));
        if (isOpen) result.nextSibling.remove();
        else result.after(element("tr", { class: "detail" }, element("td", { colspan: this.columns.length }, ...this.detail(row))));
      });
      cell.replaceChildren(opener);
    }
  }

  const code = (value) => element("code", {}, value);

  // Equal frames are one object.
  const shownFrames = new Map();
  function shown(frame) {
    const name = frame.function ?? "(no symbol)";
    const place = frame.file === null ? frame.module : frame.line === null ? frame.file : `${frame.file}:${frame.line}`;
    const key = `${name}\n${place}\n${frame.own}`;
    if (!shownFrames.has(key)) shownFrames.set(key, { number: shownFrames.size, name, place, isOwn: frame.own === true });
    return shownFrames.get(key);
  }

  // Of a call site, the innermost first. A flame graph needs them many times.
  const shownTraces = new Map();
  function trace(site) {
    if (!shownTraces.has(site)) shownTraces.set(site, site.frames.map(shown));
    return shownTraces.get(site);
  }

  // The program's own frames; all where there are none.
  function ownFrames(frames) {
    const own = frames.filter((frame) => frame.isOwn);
    return own.length > 0 ? own : frames;
  }

  function callSites(title, sites, number, omitted) {
    if (sites.length === 0) return [];
    const rows = sites.slice(0, 8).flatMap((site) => ownFrames(trace(site)).slice(0, 6).map((frame, index) =>
      element("tr", {}, element("td", { class: "count" }, index === 0 ? `${site.estimated ? "≈ " : ""}${grouped(number(site))} ×` : ""),
        element("td", {}, code(frame.name)), element("td", {}, frame.place))));
    const rest = Math.max(0, sites.length - 8) + omitted;
    const more = rest > 0 ? [element("p", { class: "more" }, `… and ${count(rest, "more call site", "more call sites")}`)] : [];
    return [element("h4", {}, title), element("table", { class: "calls" }, element("tbody", {}, ...rows)), ...more];
  }

  function findingDetail(finding) {
    const parts = [];
    if (finding.shown.path !== undefined) parts.push(element("p", {}, code(finding.shown.path)));
    if (finding.hint !== null) parts.push(element("p", { class: "fix" }, element("strong", {}, "fix: "), finding.hint.text));
    parts.push(...callSites("Allocated at", finding.allocatedAt, (site) => site.instances, finding.omittedCallSites));
    parts.push(...callSites("Retained at", finding.retainedAt, (site) => site.retains - site.releases, 0));
    return parts.length > 0 ? parts : [element("p", {}, "No path and no stack trace are known.")];
  }

  // Call sites in one line as one, with the callers that all of them have; most instances first.
  function merged(sites) {
    const byLine = Map.groupBy(sites, (site) => ownFrames(trace(site))[0]);
    const all = [...byLine.values()].map((same) => {
      const traces = same.map((site) => ownFrames(trace(site)));
      const end = traces[0].findIndex((frame, index) => traces.some((other) => other[index] !== frame));
      const all = { ...same[0], instances: same.reduce((sum, site) => sum + site.instances, 0) };
      shownTraces.set(all, end < 0 ? traces[0] : traces[0].slice(0, end));
      return all;
    });
    return all.sort((a, b) => b.instances - a.instances);
  }

  // The findings of a cause as one.
  function sum(findings) {
    return {
      ...findings[0],
      allocatedAt: merged(findings.flatMap((finding) => finding.allocatedAt)),
      omittedCallSites: findings.reduce((sum, finding) => sum + finding.omittedCallSites, 0),
      retainedAt: findings.flatMap((finding) => finding.retainedAt),
    };
  }

  function causeDetail(cause) {
    const article = `leak-${report.causes.indexOf(cause) + 1}`;
    const hasArticle = cause.shown.section === "leaks" && document.getElementById(article) !== null;
    const parts = hasArticle ? [element("p", {}, element("a", { href: `#${article}` }, article.replace("leak-", "Leak ")))] : [];
    parts.push(...findingDetail(sum(findingsOf(cause))));
    if (cause.tests.length > 0) {
      const items = cause.tests.slice(0, 100).map((test) => element("li", {}, code(testName(test.id, test.case))));
      if (cause.tests.length > 100) items.push(element("li", {}, `… and ${count(cause.tests.length - 100, "more test", "more tests")}`));
      parts.push(element("h4", {}, "Left behind by"), element("ul", { class: "tests" }, ...items));
    }
    return parts;
  }

  class FlameGraph {
    static rowHeight = 22;
    // Narrower frames would only cost time.
    static leastShare = 0.001;

    constructor(area, status) {
      Object.assign(this, { area, status, kind: "", unit: "objects", own: true });
      area.addEventListener("keydown", (event) => this.move(event));
    }

    // Bytes are known of a finding, not of its call sites: those of several are shown at their common callers.
    build() {
      this.root = { name: "all call sites", place: "", objects: 0, bytes: 0, children: new Map(), parent: null, depth: 0 };
      for (const finding of findings) {
        if (this.kind !== "" && sectionOf(finding) !== Number(this.kind)) continue;
        const traces = finding.allocatedAt.map((site) => this.callers(site));
        finding.allocatedAt.forEach((site, index) => this.add(traces[index], "objects", site.instances));
        this.add(FlameGraph.commonStart(traces, finding.omittedCallSites), "bytes", finding.bytes);
      }
      this.focus = this.root;
      this.render();
    }

    // Outermost first; of the program's own code where there is any, unless all are wanted.
    callers(site) {
      const all = [...trace(site)].reverse();
      return this.own ? ownFrames(all) : all;
    }

    static commonStart(traces, omitted) {
      if (traces.length === 0 || omitted > 0) return [];
      let length = 0;
      while (traces.every((trace) => length < trace.length && trace[length] === traces[0][length])) length += 1;
      return traces[0].slice(0, length);
    }

    add(trace, unit, number) {
      let node = this.root;
      node[unit] += number;
      for (const frame of trace) {
        let child = node.children.get(frame);
        if (child === undefined) {
          child = { ...frame, objects: 0, bytes: 0, children: new Map(), parent: node, depth: node.depth + 1 };
          node.children.set(frame, child);
        }
        child[unit] += number;
        node = child;
      }
    }

    // The frame in focus and its callers have the whole width; its callees share it.
    render() {
      this.buttons = new Map();
      const buttons = [];
      let deepest = 0;
      const place = (node, left, share) => {
        deepest = Math.max(deepest, node.depth);
        buttons.push(this.button(node, left, share));
        let start = left;
        for (const child of this.sorted(node)) {
          const width = (share * child[this.unit]) / Math.max(1, node[this.unit]);
          if (width < FlameGraph.leastShare) continue;
          place(child, start, width);
          start += width;
        }
      };
      for (let node = this.focus.parent; node !== null; node = node.parent) buttons.push(this.button(node, 0, 1));
      place(this.focus, 0, 1);
      const height = element("div");
      height.style.height = `${(deepest + 1) * FlameGraph.rowHeight}px`;
      this.area.replaceChildren(height, ...buttons);
      this.buttons.get(this.focus).tabIndex = 0;
      this.describe(this.focus);
    }

    sorted(node) {
      return [...node.children.values()].filter((child) => child[this.unit] > 0).sort((a, b) => b[this.unit] - a[this.unit]);
    }

    button(node, left, share) {
      const hash = [...node.place.split(":")[0]].reduce((sum, letter) => (sum * 31 + letter.codePointAt(0)) % 997, 7);
      const color = node === this.root || !node.isOwn ? "other" : `c${hash % 6}`;
      const above = node.depth < this.focus.depth ? " above" : "";
      const result = button(node.name, { class: color + above, tabindex: "-1", title: this.description(node) }, () => this.zoom(node));
      result.style.left = `${left * 100}%`;
      result.style.width = `${share * 100}%`;
      result.style.top = `${node.depth * FlameGraph.rowHeight}px`;
      result.addEventListener("focus", () => this.describe(node));
      result.addEventListener("mouseenter", () => this.describe(node));
      this.buttons.set(node, result);
      return result;
    }

    zoom(node) {
      this.focus = node;
      this.render();
      this.buttons.get(node).focus();
    }

    description(node) {
      const part = ((100 * node[this.unit]) / Math.max(1, this.root[this.unit])).toFixed(1);
      const size = this.unit === "bytes" ? bytes(node.bytes) : count(node.objects, "object", "objects");
      return `${node.name}${node.place === "" ? "" : `, ${node.place}`}: ${size} (${part} %)`;
    }

    describe(node) {
      this.status.textContent = visible(this.description(node));
    }

    // Arrow keys go to the caller, the first callee and its neighbours; Escape shows all.
    move(event) {
      const node = [...this.buttons].find(([, button]) => button === document.activeElement)?.[0];
      if (node === undefined) return;
      if (event.key === "Escape") this.zoom(this.root);
      const shown = (list) => list.filter((other) => this.buttons.has(other));
      const siblings = node.parent === null ? [node] : shown(this.sorted(node.parent));
      const target = {
        ArrowUp: node.parent, ArrowDown: shown(this.sorted(node))[0],
        ArrowLeft: siblings[siblings.indexOf(node) - 1], ArrowRight: siblings[siblings.indexOf(node) + 1],
      }[event.key];
      if (!event.key.startsWith("Arrow")) return;
      event.preventDefault();
      if (target) this.buttons.get(target).focus();
    }
  }

  function addFlameGraph() {
    const area = element("div", { class: "card flame", role: "group", "aria-label": "Flame graph of call sites" });
    const status = element("p", { class: "flame-status", "aria-live": "polite" });
    const graph = new FlameGraph(area, status);
    const kinds = sectionChoice(findings, "all findings");
    kinds.addEventListener("change", () => { graph.kind = kinds.value; graph.build(); });
    const frames = element("select", {}, element("option", { value: "own" }, "the program's own"), element("option", { value: "" }, "all"));
    frames.addEventListener("change", () => { graph.own = frames.value === "own"; graph.build(); });
    const units = element("select", {}, element("option", { value: "objects" }, "objects, without victims"), element("option", { value: "bytes" }, "bytes, with victims"));
    units.addEventListener("change", () => { graph.unit = units.value; graph.build(); });
    const tools = element("div", { class: "tools" }, element("label", {}, "Show ", kinds), element("label", {}, "Width ", units), element("label", {}, "Frames ", frames),
      button("Show all", {}, () => graph.zoom(graph.root)));
    const help = element("p", { class: "more" }, "Callers are above what they call. A click or Enter enlarges a frame; arrow keys move; Escape shows all.");
    const traces = new Set(findings.flatMap((finding) => [...finding.allocatedAt, ...finding.retainedAt]).map((site) => trace(site).map((frame) => frame.number).join()));
    addSection("call-sites", "Call sites", traces.size, help, tools, area, status);
    graph.build();
  }

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

  // The number of causes in each section, by the name of the test.
  function causesOfTests() {
    const numbers = new Map();
    for (const cause of report.causes) {
      for (const test of cause.tests) {
        const name = testName(test.id, test.case);
        if (!numbers.has(name)) numbers.set(name, sections.map(() => 0));
        numbers.get(name)[sectionOf(cause)] += 1;
      }
    }
    return numbers;
  }

  if (report.causes.length > 0) {
    new Table("causes", "Causes", report.causes, [
      kindColumn("Kind"), nameColumn("Cause", (cause) => cause.shown.title), countColumn("Instances", (cause) => cause.instances),
      countColumn("Objects", (cause) => cause.objects), bytesColumn("Size", (cause) => cause.bytes),
      countColumn("Findings", (cause) => findingsOf(cause).length), countColumn("Tests", (cause) => cause.tests.length),
      answerColumn("Fails", (cause) => cause.fails),
    ], causeDetail);
    new Table("findings", "Findings", findings, [
      kindColumn("Kind"), nameColumn("Finding", (finding) => finding.shown.title),
      codeColumn("Test", (finding) => (finding.test === null ? "" : testName(finding.test, finding.case))),
      countColumn("Instances", (finding) => finding.instances), countColumn("Objects", (finding) => finding.objects),
      bytesColumn("Size", (finding) => finding.bytes), textColumn("Fingerprint", (finding) => finding.fingerprint),
    ], findingDetail);
    addFlameGraph();
  }
  const memory = report.processes.length === 1 ? report.processes[0].memory : undefined;
  if (memory !== undefined) {
    new Table("memory", "Memory", memory.uses, [
      textColumn("Use", (use) => use.name), bytesColumn("In memory", (use) => use.bytes),
      { title: "Growth", value: (use) => use.growth ?? 0, text: (use) => signedBytes(use.growth ?? 0) },
    ]);
  }
  if (report.types.length > 0) {
    new Table("types", "Types", report.types, [
      nameColumn("Type", (type) => type.type), textColumn("Kind", (type) => type.kind), countColumn("Live", (type) => type.live),
      countColumn("New", (type) => type.growth), bytesColumn("Size", (type) => type.bytes),
      bytesColumn("New size", (type) => type.growthBytes), textColumn("Dependency", (type) => type.dependency ?? ""),
    ]);
  }
  if (report.tests.length > 0) {
    const numbers = causesOfTests();
    const name = (test) => testName(test.id, test.case);
    new Table("tests", "Tests", report.tests, [
      nameColumn("Test", name), textColumn("Library", (test) => (test.library === "XCTest" ? "XCTest" : "Swift Testing")),
      textColumn("Outcome", (test) => test.outcome), answerColumn("Evaluated", (test) => test.evaluated),
      ...sections.map((section, index) => countColumn(section.name, (test) => numbers.get(name(test))?.[index] ?? 0)),
    ]);
  }
  addThemeButton();
  // In a narrow window, the middle of a path has its arrows; the reference to cut is the part to see first.
  for (const path of document.querySelectorAll(".path")) {
    path.scrollLeft = (path.scrollWidth - path.clientWidth) / 2;
    const cut = path.querySelector(".edge.cut");
    if (cut !== null) path.scrollLeft += Math.max(0, cut.getBoundingClientRect().right - path.getBoundingClientRect().right + 12);
  }
})();
