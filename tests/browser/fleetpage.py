"""Shared by the tests of the server's page: the page in a browser, how to wait for it, and how it must look."""
import base64
import functools
import json
import os
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import axe
import browser
import candortest as ct

FOLDER = pathlib.Path(__file__).resolve().parent
FAULTS = (FOLDER / "layout_faults.js").read_text()
CONTRAST = (FOLDER / "least_contrast.js").read_text()
LEAST_CONTRAST = 4.5  # WCAG AA
LOOKS = (("light", 1440), ("dark", 1024), ("light", 390), ("dark", 2560))
HIGHEST = 3000  # pixels of a picture
WITH_AXE = 1024  # pixels; the widths have the same elements
HERE = "return location.hash"
# The title of the view, in the line of views, and whether all of it can be seen. On a phone that line scrolls.
PRESENT = """const one = document.querySelector('#bar-views [aria-current]'), line = one.parentElement;
    const [a, b] = [one, line].map(e => e.getBoundingClientRect());
    return a.left >= b.left - 1 && a.right <= b.right + 1 && b.right <= innerWidth + 1 && b.width >= 240"""
METHODS = "return candor.methods().map(m => [m.name, m.self, m.total])"
IDLE = "return document.documentElement.dataset.ready && !document.body.classList.contains('loading')"
ROWS = """return [...document.querySelectorAll('.fleet tbody tr')].map(r => Object.fromEntries(
    [...r.cells].map(c => [c.dataset.label, c.textContent])))"""


@functools.cache
def axe_source():
    """axe-core's text, or None, which is reported once."""
    source, why = axe.fetch()
    if not source:
        ct.skip("accessibility", why)
    return source


def share(value):
    if value == 0:
        return "0%"
    percent = 100 * value
    return f"{percent:.1f}%" if abs(percent) >= 9.995 else f"{percent:.2f}%"


class Fleet(browser.Browser):
    """A browser that shows a server's page."""

    def __init__(self, server):
        self.server = server
        super().__init__()

    def go(self, fragment=""):
        self.ask("POST", "/url", {"url": "about:blank"})
        self.ask("POST", "/url", {"url": self.server.url + "/" + fragment})
        return self.idle()

    def idle(self):
        """Waits until the page shows what was requested."""
        self.settle()
        return self.wait_for(IDLE, seconds=60)

    def ready(self):
        """Waits also for what comes after the first picture."""
        self.idle()
        self.wait_for("return !document.querySelector('#view .waiting')", seconds=60)

    def check_looks(self, views):
        """Each view, {name: address}, in every width, light and dark: nothing is cut, overlaps or is outside, all text can be read, and
        axe finds nothing serious."""
        for name, address in views.items():
            for scheme, width in LOOKS:
                self.prefer(scheme)
                self.window(width, 900)
                self.go(address)
                self.ready()
                self.check_look(f"{name}, {scheme}, {width} px", width == WITH_AXE)
                self.picture(f"{name}-{scheme}-{width}")
        self.window(1280, 800)
        self.prefer("light")

    def faults(self):
        return self.run(FAULTS, True)

    def check_look(self, name, with_axe):
        faults, least = self.faults(), self.run(CONTRAST)
        ct.ok(not faults and least[0] >= LEAST_CONTRAST, f"{name}: nothing is cut or overlaps, all can be read", (faults, least))
        ct.ok(self.run(PRESENT), f"{name}: the line of views shows which one it is")
        if with_axe and axe_source():
            found = axe.serious(axe.violations(self, axe_source()))
            ct.ok(not found, f"{name}: axe finds nothing serious", found)

    def picture(self, name):
        """Saves the page, if somebody wants to look at it: CANDOR_PICTURES=DIRECTORY."""
        if os.environ.get("CANDOR_PICTURES"):
            width, height = self.run("return [innerWidth, document.documentElement.scrollHeight]")
            shot = self.devtools("Page.captureScreenshot", captureBeyondViewport=True,
                                 clip={"x": 0, "y": 0, "width": width, "height": min(height, HIGHEST), "scale": 1})
            file = pathlib.Path(os.environ["CANDOR_PICTURES"]) / (name.replace(" ", "-") + ".png")
            file.write_bytes(base64.b64decode(shot["data"]))

    def text(self, selector):
        return self.run("return document.querySelector(arguments[0]).innerText", selector)

    def methods(self):
        """(name, self, total) of each method in the viewer."""
        return sorted(map(tuple, self.run(METHODS)))

    def rows(self):
        """The services, by name: the contents of each column, when all are there."""
        self.wait_for("return !document.querySelector('.waiting')", seconds=60)
        return {row["Service"]: row for row in self.run(ROWS)}

    def table(self, root, number=0):
        """The rows of a table of a view: what stands below each title. As text: the driver trips over a member Window."""
        return json.loads(self.run("""const t = document.querySelectorAll(arguments[0] + ' table.fleet')[arguments[1]];
            return JSON.stringify(t ? [...t.tBodies[0].rows].map(r => Object.fromEntries([...r.cells].map(c =>
                [c.dataset.label, c.textContent]))) : [])""", root, number))

    def choose(self, id, value):
        self.run("const s = document.querySelector(arguments[0]); s.value = arguments[1]; s.dispatchEvent(new Event('change'))", id, value)
        self.idle()

    def brush(self, begin, end, chart=".service .chart"):
        """Drags over a chart, from and to these fractions of its time."""
        left, top, width, height = self.run("""const b = document.querySelector(arguments[0]).getBoundingClientRect();
            return [b.left + 46, b.top, b.width - 54, b.height]""", chart)
        move = lambda share: {"type": "pointerMove", "duration": 0, "x": round(left + width * share), "y": round(top + height / 2)}
        self.act(self.pointer(move(begin), {"type": "pointerDown", "button": 0}, move((begin + end) / 2), move(end),
                              {"type": "pointerUp", "button": 0}))
        self.idle()
