"""Shared by the tests of the server's page: the page in a browser, and how to wait for it."""
import os
import pathlib

import browser

HERE = "return location.hash"
METHODS = "return candor.methods().map(m => [m.name, m.self, m.total])"
IDLE = "return document.documentElement.dataset.ready && !document.body.classList.contains('loading')"
ROWS = """return [...document.querySelectorAll('.fleet tbody tr')].map(r => Object.fromEntries(
    [...r.cells].map(c => [c.dataset.label, c.textContent])))"""


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

    def picture(self, name):
        """Saves what is in sight, if somebody wants to look at it: CANDOR_PICTURES=DIRECTORY."""
        if os.environ.get("CANDOR_PICTURES"):
            self.screenshot(pathlib.Path(os.environ["CANDOR_PICTURES"]) / (name.replace(" ", "-") + ".png"))

    def text(self, selector):
        return self.run("return document.querySelector(arguments[0]).innerText", selector)

    def methods(self):
        """(name, self, total) of each method in the viewer."""
        return sorted(map(tuple, self.run(METHODS)))

    def rows(self):
        """The services, by name: the contents of each column, when all are there."""
        self.wait_for("return !document.querySelector('.waiting')", seconds=60)
        return {row["Service"]: row for row in self.run(ROWS)}

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
