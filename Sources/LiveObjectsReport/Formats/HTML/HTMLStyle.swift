/// The style sheet of a report's page. The system's setting chooses light or dark; `data-theme` replaces it.
enum HTMLStyle {
  /// The SHA-256 of the text in Base64, for the page's policy.
  static let hash = "Rc6cV3LPQop5zgkat244r+ubux3dF3Cxhyn2eZ4cQxI="

  static let text = #"""
    :root {
      color-scheme: light dark;
      --page: light-dark(#f5f6f8, #14171c);
      --card: light-dark(#ffffff, #1c2027);
      --raised: light-dark(#f0f2f5, #262b34);
      --line: light-dark(#d8dde4, #363d49);
      --text: light-dark(#1b2028, #e4e8ee);
      --dim: light-dark(#5a6472, #98a2b1);
      --accent: light-dark(#0b62c4, #6cb2ff);
      --bad: light-dark(#b91c2b, #ff7b80);
      --good: light-dark(#17703a, #5fce88);
      --warn: light-dark(#8a5800, #f0b849);
      --fix: light-dark(#e9f5ee, #17291f);
      --mono: ui-monospace, "SF Mono", "Cascadia Mono", "JetBrains Mono", "DejaVu Sans Mono", Menlo, Consolas, monospace;
    }
    :root[data-theme="light"] { color-scheme: light; }
    :root[data-theme="dark"] { color-scheme: dark; }
    * { box-sizing: border-box; }
    html { scroll-padding-top: 3.5rem; }
    body {
      margin: 0; background: var(--page); color: var(--text);
      font: 15px/1.5 system-ui, -apple-system, "Segoe UI", "Noto Sans", "DejaVu Sans", sans-serif;
    }
    main, header { max-width: 1240px; margin: 0 auto; padding: 0 1.5rem; }
    main { padding-bottom: 4rem; }
    code, .name, .path text, .flame button { font-family: var(--mono); font-size: 13px; }
    code { overflow-wrap: anywhere; }
    a { color: var(--accent); }
    :focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; border-radius: 3px; }
    .skip { position: absolute; left: -100vw; }
    .skip:focus { left: 1rem; top: 1rem; background: var(--card); padding: .5rem 1rem; z-index: 9; }
    .hidden { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }

    header { padding-top: 2rem; }
    h1 { font-size: 1.55rem; line-height: 1.3; margin: 0; padding-left: 1rem; border-left: 6px solid var(--dim); overflow-wrap: anywhere; }
    h1::before { content: "LiveObjects"; display: block; font-size: .8rem; font-weight: 600; letter-spacing: .04em; color: var(--dim); }
    .fails h1 { border-color: var(--bad); }
    .passes h1 { border-color: var(--good); }
    .unknown h1 { border-color: var(--warn); }
    .warning { color: var(--warn); font-weight: 600; margin: .75rem 0 0; }
    .origin { color: var(--dim); margin: .6rem 0 0 calc(1rem + 6px); }
    nav { display: flex; flex-wrap: wrap; gap: .25rem; align-items: center; margin-top: 1.25rem; border-bottom: 1px solid var(--line); }
    nav a { color: var(--text); text-decoration: none; padding: .5rem .75rem; border-bottom: 3px solid transparent; }
    nav a:hover { border-color: var(--accent); }
    nav a span { color: var(--dim); font-variant-numeric: tabular-nums; }
    nav button { margin-left: auto; }
    h2 { font-size: 1.2rem; margin: 2.25rem 0 .75rem; }
    h3 { font-size: 1rem; margin: 0; display: flex; gap: .75rem; align-items: baseline; }
    h4 { font-size: .85rem; margin: 1rem 0 .3rem; color: var(--dim); font-weight: 600; }
    .card { background: var(--card); border: 1px solid var(--line); border-radius: 10px; padding: 1.1rem 1.25rem; margin: 0 0 1rem; }
    ul.card { padding-left: 2.25rem; }
    ul.plain { list-style: none; padding-left: 1.25rem; }
    ul.plain strong { display: inline-block; min-width: 8rem; }
    .number {
      flex: none; min-width: 1.7rem; height: 1.7rem; padding: 0 .4rem; border-radius: .85rem; text-align: center; line-height: 1.7rem;
      font-size: .85rem; color: var(--card); background: var(--bad); text-decoration: none; font-variant-numeric: tabular-nums;
    }
    .name { font-size: 15px; font-weight: 600; overflow-wrap: anywhere; }
    .size { margin: .35rem 0 0; color: var(--dim); }
    .fingerprint { margin-left: 1rem; white-space: nowrap; }
    .fix { margin: .9rem 0 0; padding: .6rem .9rem; border-left: 4px solid var(--good); background: var(--fix); border-radius: 0 6px 6px 0; overflow-wrap: anywhere; }
    .fix strong { color: var(--good); }
    .remark, .more { color: var(--dim); margin: .5rem 0 0; }
    .columns { display: flex; flex-wrap: wrap; gap: 0 3rem; align-items: flex-start; }
    .columns > * { min-width: 0; max-width: 100%; }
    .columns > :last-child { flex: 1 1 28rem; }
    .path { margin: 1rem 0 0; overflow-x: auto; }
    .path svg { display: block; }
    .node rect { fill: var(--raised); stroke: var(--line); stroke-width: 1.2; }
    .node.first rect { stroke: var(--text); stroke-width: 1.6; }
    .node text { fill: var(--text); }
    .node.first text { font-weight: 600; }
    .edge .line { fill: none; stroke: var(--dim); stroke-width: 1.6; }
    .edge .head { fill: var(--dim); }
    .edge text { fill: var(--dim); }
    .edge.cut .line { stroke: var(--bad); stroke-width: 2.2; stroke-dasharray: 6 4; }
    .edge.cut .head { fill: var(--bad); }
    .edge.cut text { fill: var(--bad); font-weight: 600; }
    .chart svg { display: block; width: 100%; height: auto; margin-top: .6rem; }
    .chart line { stroke: var(--line); }
    .chart polyline { fill: none; stroke: var(--accent); stroke-width: 2; }
    .chart text { fill: var(--dim); font-size: 12px; }
    .calls { border-collapse: collapse; }
    .calls td { padding: .1rem 1.25rem .1rem 0; vertical-align: top; overflow-wrap: anywhere; }
    .calls .count { text-align: right; color: var(--dim); white-space: nowrap; padding-right: .75rem; }
    .calls td:last-child { color: var(--dim); }
    .tests { margin: .25rem 0 0; padding-left: 1.25rem; max-height: 20rem; overflow-y: auto; }
    details summary { margin-top: 1rem; cursor: pointer; color: var(--dim); font-size: .85rem; font-weight: 600; }

    button, input, select {
      font: inherit; font-size: .9rem; color: inherit; background: var(--card); border: 1px solid var(--line); border-radius: 6px; padding: .3rem .7rem;
    }
    button { cursor: pointer; }
    button:hover:not(:disabled) { background: var(--raised); }
    button:disabled { opacity: .45; cursor: default; }
    .tools { display: flex; flex-wrap: wrap; gap: .75rem; align-items: center; margin-bottom: .6rem; }
    .tools label { display: flex; gap: .4rem; align-items: center; color: var(--dim); font-size: .9rem; }
    .tools input { width: 20rem; max-width: 60vw; color: var(--text); }
    .tools select { color: var(--text); }
    .tools output { margin-left: auto; color: var(--dim); font-size: .9rem; font-variant-numeric: tabular-nums; }
    .scroll { overflow-x: auto; padding: 0; }
    .data { border-collapse: collapse; width: 100%; font-size: .9rem; }
    .data th { text-align: left; background: var(--raised); border-bottom: 1px solid var(--line); padding: 0; white-space: nowrap; }
    .data th button { border: 0; background: none; width: 100%; text-align: inherit; padding: .5rem .75rem; font-weight: 600; border-radius: 0; }
    .data th button::after { content: " ↕"; color: var(--dim); opacity: .5; }
    .data th[aria-sort="ascending"] button::after { content: " ↑"; opacity: 1; color: var(--accent); }
    .data th[aria-sort="descending"] button::after { content: " ↓"; opacity: 1; color: var(--accent); }
    .data td { padding: .4rem .75rem; border-top: 1px solid var(--line); vertical-align: top; white-space: nowrap; }
    .data tbody tr:first-child td { border-top: 0; }
    .data .long, .data .code { font-family: var(--mono); font-size: 13px; min-width: 16rem; white-space: normal; overflow-wrap: anywhere; }
    .data .numeric { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
    .data .open { border: 0; background: none; padding: 0; text-align: left; font: inherit; color: var(--accent); overflow-wrap: anywhere; }
    .data .open::before { content: "▸ "; }
    .data .open[aria-expanded="true"]::before { content: "▾ "; }
    .data .detail td { background: var(--raised); white-space: normal; }
    .detail p { overflow-wrap: anywhere; margin: .4rem 0; }
    .kind { white-space: nowrap; }
    .kind::before { content: ""; display: inline-block; width: .6rem; height: .6rem; border-radius: 50%; margin-right: .45rem; background: var(--dim); }
    .kind0::before { background: var(--bad); }
    .kind1::before { background: var(--warn); }
    .kind2::before { background: var(--accent); }

    .flame { position: relative; overflow: auto; max-height: 75vh; margin-bottom: 0; padding: 0; }
    .flame button {
      position: absolute; height: 21px; padding: 0 .35rem; border: 1px solid var(--card); border-radius: 3px; overflow: hidden; white-space: nowrap;
      text-align: left; line-height: 19px; font-size: 12px; color: #1b1508;
    }
    .flame .c0 { background: #f4c26b; } .flame .c1 { background: #efa35c; } .flame .c2 { background: #f2d57e; } .flame .c3 { background: #e88f6b; }
    .flame .c4 { background: #ecbb8c; } .flame .c5 { background: #f0ae4c; } .flame .other { background: #b9c0ca; } .flame .above { opacity: .6; }
    .flame button:hover, .flame button:focus { filter: brightness(1.12); outline-offset: -2px; outline: 2px solid var(--accent); z-index: 1; }
    .flame-status { min-height: 3rem; margin: .5rem 0 0; color: var(--dim); overflow-wrap: anywhere; }
    @media print { nav, .tools, .skip { display: none; } .card { break-inside: avoid; } }
    @media (prefers-reduced-motion: no-preference) { html { scroll-behavior: smooth; } }
    """#
}
