"""Checks Markdown reports with a CommonMark parser. Run by scripts/checks/pages."""

import re
import sys

from markdown_it import MarkdownIt

# All HTML that the renderer writes itself.
MARKUP = re.compile(r"</?details( open)?>|</?summary>|</?code>")
LIMIT = 1 << 20


def blocks(tokens):
    for token in tokens:
        yield token
        yield from blocks(token.children or [])


for path in sys.argv[1:]:
    text = open(path, encoding="utf-8").read()
    size = len(text.encode())
    kinds, html = {}, ""
    for token in blocks(MarkdownIt("commonmark").enable("table").parse(text)):
        kinds[token.type] = kinds.get(token.type, 0) + 1
        if token.type in ["html_block", "html_inline"]:
            html += token.content
            rest = MARKUP.sub("", token.content)
            if re.search(r"[<>]", rest):
                sys.exit(f"{path}: a name became HTML: {rest[:200]}")
    wrong = [kind for kind in ["link_open", "image", "table_open", "em_open", "hardbreak"] if kinds.get(kind)]
    if wrong:
        sys.exit(f"{path}: a name became markup: {wrong}")
    if size >= LIMIT:
        sys.exit(f"{path} has {size} bytes")
    if html.count("<details") != html.count("</details>"):
        sys.exit(f"{path}: a section has no end")
    print(f"{path}: {size:,} bytes, {kinds.get('fence', 0)} graphs, {kinds.get('html_block', 0)} blocks of HTML")
