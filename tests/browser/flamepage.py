"""Shared by the tests of the flame graph page: the built page with a profile, in a browser, and how its texts are read."""

import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import candortest as ct

import browser
import profiles

PAGE = ct.BUILD / "web" / "flame.html"
TIMES = {"ns": 1, "µs": 1e3, "ms": 1e6, "s": 1e9, "min": 60e9, "h": 3600e9}


def need():
    """Ends the test as skipped, with the reason, if it cannot run."""
    ct.need(PAGE)
    why = browser.missing()
    if why:
        ct.skip("flame graph page in a browser", why)
        ct.done()


def template():
    return PAGE.read_text(encoding="utf-8")


def states(profile):
    """The pages to look at: (name, data, fragment, what to click on or None)."""
    before = profile.json(profiles.changed(profile))
    plain = profile.json()
    return (
        ("everything", plain, "#timeline=shown&table=shown&query=Cart&selected=5&zoom=2", None),
        ("inverted", plain, "#view=callers&flip=1&colour=type", None),
        ("sandwich", plain, "#view=sandwich&method=3&table=shown", None),
        ("part", plain, "#from=10&to=600&threads=1.2&focus=1&hide=3&group=threads&timeline=shown", None),
        ("nothing in sight", plain, "#focus=2&drop=2", None),
        ("comparison", before, "#table=shown", None),
        ("wrong search", plain, "#query=((&regex=1", None),
        ("help", plain, "", "help-open"),
        ("books", plain, "", "books"),
        ("empty", "", "", None),
        ("damaged", "[1]", "", None),
    )


def record_kinds():
    """A recording of a program with every kind of sample; ends the test as skipped if no JDK can run it."""
    jdk = next((ct.jdk(v) for v in (21, 17, 25) if ct.jdk(v)), None)
    if not jdk:
        ct.skip("a page with all kinds", "no JDK of 17 or later is cached: script/jdks")
        ct.done()
    file = ct.WORK / "kinds.jfr"
    made = ct.candor("record", "-e", "cpu,wall,alloc,live,lock,halt", "-o", file, "--", jdk.java, "-Xmx256m", "-cp", ct.classes(jdk),
                     "Kinds", "4")
    ct.ok(made.status == 0, "a program is recorded with every event", made)
    return file


def heat_columns(slices):
    """The number of columns of the heat map, and the buckets of each, as in web/model/timeline.ts."""
    buckets = slices["buckets"]
    least = max(buckets / 2400, min(1e7 / slices["bucket_ns"], buckets / 240))
    cell = next(10**i * nice for i in range(10) for nice in (1, 2, 5) if least <= 10**i * nice)
    cells = -(-buckets // cell)
    rows = 10 if cells > 240 else 1
    return -(-cells // rows), cell * rows


class Flame(browser.Browser):
    """A browser that shows the flame graphs of several profiles, one after the other."""

    def show(self, profile, fragment=""):
        return self.show_json(profile.json(), fragment)

    def show_json(self, text, fragment=""):
        self.file = ct.WORK / "flame.html"
        profiles.write_page(template(), self.file, text)
        self.reopen(fragment)

    def reopen(self, fragment=""):
        self.open(self.file, fragment)
        if not self.wait_for("return document.documentElement.dataset.ready === 'yes'"):
            raise browser.BrowserError("the page is not ready: %s" % self.messages())
        self.settle()

    def click_on(self, selector):
        self.unfold(selector)
        super().click_on(selector)

    def unfold(self, selector):
        """Opens More if the element is one of the options that it shows."""
        if self.run("const e = document.querySelector(arguments[0]); return !!e?.closest('.options') && !e.checkVisibility()", selector):
            super().click_on("#more")

    def state(self):
        return self.run("return candor.state()")

    def frames(self, pane="main"):
        """The drawn frames, each with its `path`: the (name, type) of the frame and of those below it, without the root."""
        frames = {f["frame"]: f for f in self.run("return candor.frames(arguments[0])", pane)}
        for f in frames.values():
            path, at = [], f
            while at and at["depth"] > 0:
                path.append((at["name"], at["type"]))
                at = frames.get(at["parent"])
            f["path"] = tuple(reversed(path)) if at else None
        return list(frames.values())

    def frame(self, test):
        return next(f for f in self.frames() if test(f))

    def click_frame(self, frame):
        self.click(frame["x"] + frame["width"] / 2, frame["y"] + frame["height"] / 2)

    def hover_frame(self, frame):
        self.move(frame["x"] + frame["width"] / 2, frame["y"] + frame["height"] / 2)

    def text(self, selector):
        return self.run("return document.querySelector(arguments[0]).innerText", selector)

    def query(self, text):
        """Types a query into the empty search field."""
        self.run("const q = document.getElementById('query'); q.focus(); q.select()")
        self.press("Backspace")
        self.type(text)

    def choose(self, id, value):
        self.run(
            "const s = document.getElementById(arguments[0]); s.value = arguments[1];"
            "s.dispatchEvent(new Event('change'))",
            id,
            value,
        )
        self.settle()

    def pixel(self, x, y):
        """Color on the canvas at a point of the window, as #rrggbb."""
        return self.run(
            """
            const canvas = document.getElementById("canvas"), box = canvas.getBoundingClientRect();
            const ratio = canvas.width / box.width, at = [arguments[0] - box.left, arguments[1] - box.top];
            const one = Object.assign(document.createElement("canvas"), { width: 1, height: 1 })
                .getContext("2d", { willReadFrequently: true });
            one.drawImage(canvas, ...at.map((v) => Math.floor(v * ratio)), 1, 1, 0, 0, 1, 1);
            const data = one.getImageData(0, 0, 1, 1).data;
            return "#" + [...data.slice(0, 3)].map((v) => v.toString(16).padStart(2, "0")).join("");
            """,
            x,
            y,
        )

    def fill(self, frame):
        """Color of a frame's surface, beside its label."""
        return self.pixel(frame["x"] + 1.5, frame["y"] + 2)


def share(text):
    """'12.3%', or of changes '+12.3 pt' and '+12.3' -> (0.123, half a unit of its last digit)."""
    text = text.replace(" pt", "").rstrip("%") + "%"
    if text == "0%":
        return 0.0, 0.0
    if text in ("<0.01%", "<+0.01%"):
        return 0.000025, 0.000025
    if text == ">-0.01%":
        return -0.000025, 0.000025
    number = re.fullmatch(r"([+-]?\d+(\.\d+)?)%", text)
    digits = len((number[2] or ".")[1:])
    return float(number[1]) / 100, 0.5 * 10**-digits / 100 + 1e-12


def reads_as_share(text, value):
    shown, half = share(text)
    return abs(shown - value) <= half


def reads_as_interval(text, low, high):
    shown = re.sub(r"%?–", "% to ", text).split(" to ")  # "1.2% to 3.4%", or "1.2–3.4%" if there is little room
    return len(shown) == 2 and reads_as_share(shown[0], low) and reads_as_share(shown[1], high)


def reads_as_time(text, ns):
    number, unit = text.split(" ")
    shown = float(number.replace(",", "")) * TIMES[unit]
    return abs(shown - ns) <= 0.0051 * max(ns, 1)
