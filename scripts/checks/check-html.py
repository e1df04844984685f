"""Opens HTML reports in headless Chromium. Run by scripts/checks/html."""

import json
import os
import sys
import tempfile

from browser import Browser

# Sorts and filters as a reader does, and returns what is there then.
USE = """(() => {
  const rows = (id) => document.querySelectorAll(`#${id} tbody tr`).length;
  const section = document.getElementById("findings");
  const start = performance.now();
  const heading = [...section.querySelectorAll("th")].find((th) => th.textContent === "Instances");
  heading.querySelector("button").click();
  const column = [...heading.parentNode.children].indexOf(heading);
  const numbers = () => [...section.querySelectorAll("tbody tr")].map((row) => Number(row.children[column].textContent.replaceAll(",", "")));
  const descending = numbers();
  const order = heading.getAttribute("aria-sort");
  heading.querySelector("button").click();
  const ascending = numbers();
  const before = section.querySelector("output").textContent;
  const search = section.querySelector("input");
  search.value = WORDS;
  search.dispatchEvent(new Event("input"));
  const filtered = section.querySelector("output").textContent;
  const texts = [...section.querySelectorAll("tbody tr")].map((row) => row.textContent.toLowerCase());
  section.querySelector(".open").click();
  const detail = section.querySelector(".detail").textContent;
  section.querySelector(".open").click();
  const flame = document.querySelectorAll(".flame button");
  const width = flame[flame.length - 1].style.width;
  flame[flame.length - 1].click();
  const zoomed = document.activeElement.style.width;
  [...document.querySelectorAll("#call-sites .tools button")].pop().click();
  search.value = "";
  search.dispatchEvent(new Event("input"));
  return { rows: rows("findings"), descending, ascending, order, before, filtered, texts, detail, width, zoomed, flame: flame.length,
    milliseconds: performance.now() - start };
})()"""

# A header cell without a scope, a control without a name, a heading that skips a level.
ACCESS = """(() => {
  const levels = [...document.querySelectorAll("h1,h2,h3,h4")].map((heading) => Number(heading.tagName[1]));
  return {
    headings: levels[0] === 1 && levels.every((level, index) => index === 0 || level <= levels[index - 1] + 1),
    headers: [...document.querySelectorAll("th")].every((th) => th.getAttribute("scope") === "col"),
    controls: [...document.querySelectorAll("button,input,select")].every((control) =>
      (control.textContent || control.getAttribute("aria-label") || control.closest("label")?.textContent || "").trim() !== ""),
    images: [...document.querySelectorAll("svg")].every((svg) => svg.getAttribute("role") === "img" && svg.querySelector("title")),
    language: document.documentElement.lang,
  };
})()"""

HOSTILE = """({
  title: document.title,
  scripts: document.scripts.length,
  injected: document.querySelectorAll("img,iframe,object,embed,link,base,form,svg svg,svg script,[onload],[onerror]").length,
  shown: document.body.innerText.includes("<img src=x onerror="),
})"""


def expect(condition, message):
    if not condition:
        sys.exit(f"check-html: {message}")


def check_page(browser, path):
    seconds = browser.open(path)
    name = os.path.basename(path)
    expect(not browser.problems, f"{name}: the console has {browser.problems[:3]}")
    others = [url for url in browser.requests if not url.startswith("file://" + path)]
    expect(not others, f"{name} loads {others[:3]}")
    for width in [390, 1280]:
        browser.resize(width)
        wide = browser.run("document.documentElement.scrollWidth")
        expect(wide <= width, f"{name} is {wide} pixels wide in a window of {width}")
    access = browser.run(ACCESS)
    expect(all(access.values()), f"{name} is not accessible: {access}")
    print(f"{name}: {os.path.getsize(path):,} bytes, opened in {seconds:.2f} s")


def check_use(browser, words, rows):
    used = browser.run(USE.replace("WORDS", json.dumps(words)))
    expect(used["rows"] == rows, f"there are {used['rows']} rows")
    expect(used["order"] == "descending", f"aria-sort is {used['order']}")
    expect(used["descending"] == sorted(used["descending"], reverse=True), "a descending order is wrong")
    expect(used["ascending"] == sorted(used["ascending"]), "an ascending order is wrong")
    expect(used["descending"] != used["ascending"], "sorting changes nothing")
    expect(used["before"] != used["filtered"], "filtering changes nothing")
    expect(used["texts"] and all(words.lower() in text for text in used["texts"]), "a filtered row lacks the words")
    expect("Allocated at" in used["detail"], f"an opened row shows {used['detail']}")
    expect(used["flame"] > 20 and used["width"] != used["zoomed"] == "100%", "the flame graph does not zoom")
    print(f"sorted, filtered to {used['filtered']}, opened and zoomed in {used['milliseconds']:.0f} ms")


def check_hostile(browser):
    found = browser.run(HOSTILE)
    expect(found["title"].startswith("LiveObjects: "), f"a name ran as a script: {found}")
    expect(found["scripts"] == 2 and found["injected"] == 0 and found["shown"], f"a name became markup: {found}")


def check_theme_button(browser):
    color = "getComputedStyle(document.body).backgroundColor"
    colors = []
    for _ in range(3):
        browser.run("[...document.querySelectorAll('nav button')].pop().click()")
        colors.append(browser.run(color))
    expect(len(set(colors)) == 2, f"the button for colours gives {colors}")


def main(folder):
    # A process of the browser may still write there when the browser has ended.
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        browser = Browser(profile)
        try:
            for name in ["explained", "tests", "hostile", "many"]:
                check_page(browser, f"{folder}/{name}.html")
                if name == "hostile":
                    check_hostile(browser)
                if name == "many":
                    check_use(browser, "Type12", 50)
                    check_theme_button(browser)
                for theme in ["light", "dark"]:
                    browser.screenshot(f"{folder}/{name}-{theme}.png", theme)
                    for part in ["causes", "call-sites"]:
                        browser.screenshot(f"{folder}/{name}-{part}-{theme}.png", theme, at="#" + part)
            expect(not browser.problems, f"the console has {browser.problems[:3]}")
        finally:
            browser.process.terminate()
            browser.process.wait()


main(sys.argv[1])
