/// The script of a report's page. Names become text nodes, never markup.
enum HTMLScript {
  /// The SHA-256 of the text in Base64, for the page's policy.
  static let hash = "TvntMfkfmwPWx6u9nBQwZ+XVgnA0ey/okbTdcPXucyw="

  static let text =
    "\"use strict\";\n(() => {\n" + [basics, tables, details, flameGraph, start].joined(separator: "\n")
    + "\n})();\n"

  /// Reads the data and makes elements.
  private static let basics = #"""
    const data = JSON.parse(document.getElementById("report-data").textContent);
    const text = (index) => (index < 0 ? "" : data.strings[index]);
    const grouped = (number) => number.toLocaleString("en-US");
    const count = (number, one, many) => `${grouped(number)} ${number === 1 ? one : many}`;

    function bytes(number) {
      if (number < 1024) return count(number, "byte", "bytes");
      let unit = 0;
      number /= 1024;
      for (; number >= 1024 && unit < 3; unit += 1) number /= 1024;
      return `${(Math.floor(number * 10) / 10).toLocaleString("en-US", { minimumFractionDigits: 1 })} ${["KB", "MB", "GB", "TB"][unit]}`;
    }

    // Strings among the children become text nodes.
    function element(name, attributes = {}, ...children) {
      const result = document.createElement(name);
      for (const [key, value] of Object.entries(attributes)) result.setAttribute(key, value);
      result.append(...children);
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
    """#

  /// Tables that show a page of rows at a time.
  private static let tables = #"""
    const pageSize = 50;
    const kindColumn = (title) => ({ title, kind: true, text: (row) => data.kinds[row[0]] });
    const nameColumn = (title, index) => ({ title, long: true, text: (row) => text(row[index]) });
    const codeColumn = (title, index) => ({ ...nameColumn(title, index), long: false, code: true });
    const textColumn = (title, index) => ({ title, text: (row) => text(row[index]) });
    const countColumn = (title, index) => ({ title, value: (row) => row[index], text: (row) => grouped(row[index]) });
    const bytesColumn = (title, index) => ({ title, value: (row) => row[index], text: (row) => bytes(row[index]) });

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
        const used = new Set(this.rows.map((row) => row[0]));
        const select = element("select", {}, element("option", { value: "" }, "all"));
        data.sections.forEach((name, index) => { if (used.has(index)) select.append(element("option", { value: index }, name)); });
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
        const isShown = (row, index) => (this.kind === "" || row[0] === Number(this.kind)) && (this.words === "" || this.searchText(index).includes(this.words));
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
          const content = column.kind ? element("span", { class: `kind kind${row[0]}` }, column.text(row)) : column.text(row);
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
    """#
}
