extension HTMLScript {
  /// The call sites of findings from callers to callees, as wide as what they allocated.
  static let flameGraph = #"""
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
        for (const finding of data.findings) {
          if (this.kind !== "" && finding[0] !== Number(this.kind)) continue;
          const traces = finding[10].map(([number, trace]) => [number, this.frames(trace)]);
          for (const [number, trace] of traces) this.add(trace, "objects", number);
          this.add(FlameGraph.commonStart(traces.map((site) => site[1]), finding[11]), "bytes", finding[5]);
        }
        this.focus = this.root;
        this.render();
      }

      // Outermost first; of the program's own code where there is any, unless all are wanted.
      frames(trace) {
        const all = [...data.traces[trace]].reverse();
        const own = all.filter((frame) => data.frames[frame][2] === 1);
        return this.own && own.length > 0 ? own : all;
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
            const [name, place, own] = data.frames[frame];
            child = { name: text(name), place: text(place), own: own === 1, objects: 0, bytes: 0, children: new Map(), parent: node, depth: node.depth + 1 };
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
        const color = node === this.root || !node.own ? "other" : `c${hash % 6}`;
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
        this.status.textContent = this.description(node);
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
      const used = new Set(data.findings.map((row) => row[0]));
      const kinds = element("select", {}, element("option", { value: "" }, "all findings"));
      data.sections.forEach((name, index) => { if (used.has(index)) kinds.append(element("option", { value: index }, name)); });
      kinds.addEventListener("change", () => { graph.kind = kinds.value; graph.build(); });
      const frames = element("select", {}, element("option", { value: "own" }, "the program's own"), element("option", { value: "" }, "all"));
      frames.addEventListener("change", () => { graph.own = frames.value === "own"; graph.build(); });
      const units = element("select", {}, element("option", { value: "objects" }, "objects, without victims"), element("option", { value: "bytes" }, "bytes, with victims"));
      units.addEventListener("change", () => { graph.unit = units.value; graph.build(); });
      const tools = element("div", { class: "tools" }, element("label", {}, "Show ", kinds), element("label", {}, "Width ", units), element("label", {}, "Frames ", frames),
        button("Show all", {}, () => graph.zoom(graph.root)));
      const help = element("p", { class: "more" }, "Callers are above what they call. A click or Enter enlarges a frame; arrow keys move; Escape shows all.");
      addSection("call-sites", "Call sites", data.traces.length, help, tools, area, status);
      graph.build();
    }
    """#
}
