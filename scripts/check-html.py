"""Drives headless Chromium through its DevTools protocol. Run by scripts/check-html."""

import base64
import json
import os
import subprocess
import sys
import tempfile
import time

CHROMIUM = ["chromium", "--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--remote-debugging-pipe"]


class Browser:
    """One page of one browser. Messages end with a zero byte."""

    def __init__(self, profile):
        to_read, self.output = os.pipe()
        self.input, to_write = os.pipe()

        def pipes():
            # Numbers above 4, so that neither is overwritten before it is copied.
            read, write = os.dup2(to_read, 50), os.dup2(to_write, 51)
            os.dup2(read, 3), os.dup2(write, 4)

        self.process = subprocess.Popen(
            CHROMIUM + ["--user-data-dir=" + profile, "about:blank"],
            preexec_fn=pipes, close_fds=False, stderr=subprocess.DEVNULL)
        os.close(to_read), os.close(to_write)
        self.buffer, self.number, self.session, self.problems, self.requests = b"", 0, None, [], []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ["Page", "Runtime", "Log", "Network"]:
            self.call(domain + ".enable")

    def call(self, method, **parameters):
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.output, json.dumps(message).encode() + b"\0")
        while True:
            answer = self.read()
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise RuntimeError(answer["error"])
                return answer["result"]

    def read(self):
        while b"\0" not in self.buffer:
            data = os.read(self.input, 1 << 20)
            if not data:
                raise RuntimeError("the browser has ended")
            self.buffer += data
        line, self.buffer = self.buffer.split(b"\0", 1)
        message = json.loads(line)
        self.note(message)
        return message

    def note(self, message):
        method, parameters = message.get("method"), message.get("params", {})
        if method == "Runtime.exceptionThrown":
            self.problems.append(parameters["exceptionDetails"]["exception"].get("description"))
        if method == "Runtime.consoleAPICalled" or method == "Log.entryAdded":
            self.problems.append(json.dumps(parameters)[:500])
        if method == "Network.requestWillBeSent":
            self.requests.append(parameters["request"]["url"])

    def open(self, path):
        self.problems, self.requests = [], []
        start = time.monotonic()
        self.call("Page.navigate", url="file://" + path)
        while self.run("document.readyState") != "complete":
            time.sleep(0.05)
        return time.monotonic() - start

    def run(self, script):
        result = self.call("Runtime.evaluate", expression=script, returnByValue=True)
        if "exceptionDetails" in result:
            raise RuntimeError(result["exceptionDetails"])
        return result["result"].get("value")

    def screenshot(self, path, theme, width=1280, height=1500, at="body"):
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": theme}])
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        self.run(f"document.documentElement.style.scrollBehavior = 'auto'; document.querySelector('{at}').scrollIntoView()")
        data = self.call("Page.captureScreenshot")["data"]
        with open(path, "wb") as file:
            file.write(base64.b64decode(data))


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
    with tempfile.TemporaryDirectory() as profile:
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
