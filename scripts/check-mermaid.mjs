// Parses the graphs of Markdown reports with Mermaid. Run by scripts/check-formats, which installs it.
import { readFileSync } from "node:fs";
import { JSDOM } from "jsdom";

const { window } = new JSDOM("");
Object.assign(globalThis, { window, document: window.document });
const { default: mermaid } = await import("mermaid");
mermaid.initialize({ securityLevel: "strict" });

for (const path of process.argv.slice(2)) {
  const graphs = [...readFileSync(path, "utf8").matchAll(/^```mermaid\n(.*?)^```$/gms)].map((match) => match[1]);
  for (const graph of graphs) {
    const { type } = (await mermaid.mermaidAPI.getDiagramFromText(graph));
    if (!type.startsWith("flowchart")) throw new Error(`${path}: a graph is a ${type}`);
    const nodes = graph.match(/^ {2}n\d+\[/gm).length;
    const diagram = await mermaid.mermaidAPI.getDiagramFromText(graph);
    const parsed = diagram.db.getData();
    const edges = graph.match(/-->/g)?.length ?? 0;
    if (parsed.nodes.length !== nodes || parsed.edges.length !== edges) throw new Error(`${path}: a name became a part of the graph:\n${graph}`);
  }
  console.log(`${path}: Mermaid parses ${graphs.length} graphs`);
}
