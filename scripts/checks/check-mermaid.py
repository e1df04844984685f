"""Draws the graphs of Markdown reports with Mermaid, in headless Chromium. Run by scripts/checks/pages."""

import json
import re
import sys
import tempfile

from browser import Browser

GRAPH = re.compile(r"^```mermaid\n(.*?)^```$", re.MULTILINE | re.DOTALL)

# Counts what was drawn: a name that is not escaped would add to it, or be no graph at all.
DRAW = """(async () => {
  const { svg } = await mermaid.render("drawn", GRAPH);
  const holder = document.createElement("div");
  holder.innerHTML = svg;
  const count = (selector) => holder.querySelectorAll(selector).length;
  return { nodes: count("g.node"), edges: count("path.flowchart-link"), unsafe: count("script,img,iframe,[onload],[onerror]"),
    text: holder.textContent, title: document.title };
})()"""


def check(browser, path, graph):
    nodes, edges = len(re.findall(r"^ {2}n\d+\[", graph, re.M)), len(re.findall(r"^ {2}n\d+ -->", graph, re.M))
    drawn = browser.run(DRAW.replace("GRAPH", json.dumps(graph)))
    if (drawn["nodes"], drawn["edges"], drawn["unsafe"], drawn["title"]) != (nodes, edges, 0, ""):
        sys.exit(f"{path}: a name became a part of the graph: {drawn}\n{graph}")


def main(library, paths):
    # A process of the browser may still write there when the browser has ended.
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        browser = Browser(profile)
        try:
            browser.run(open(library, encoding="utf-8").read())
            browser.run("mermaid.initialize({ startOnLoad: false, securityLevel: 'strict' })")
            for path in paths:
                graphs = GRAPH.findall(open(path, encoding="utf-8").read())
                for graph in graphs:
                    check(browser, path, graph)
                print(f"{path}: Mermaid draws {len(graphs)} graphs")
        finally:
            browser.process.terminate()
            browser.process.wait()


main(sys.argv[1], sys.argv[2:])
