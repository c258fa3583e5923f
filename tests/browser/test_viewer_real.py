"""Every control of the viewer, by mouse and by keys, on recordings of a real program (javac): the page shows what `candor report --json`
says about the same file with the same choice. A control counts as used only if the mouse or the keyboard used it, not a script.

tier: full
timeout: 900
"""

import html
import json
import re
import struct
import sys
import time

import browser
import flamepage
from against_report import (agrees, close, exactly, near, nodes, page_of, record, report, rows_of, same_frames, sums_agree)
from flamepage import ct, reads_as_share, reads_as_time
import flamedata

SIZE = (1280, 1500)
# The used controls, by their id, or by the id of the element that contains them.
WATCH = """
const key = (e) => e.id || e.closest("[id]").id;
window.controls = () => [...document.querySelectorAll("button, select, input, canvas[tabindex], summary")].map(key);
const used = window.used = { controls: new Set(), keys: new Set() };
for (const type of ["click", "change", "input", "keydown", "pointerdown"]) {
    document.addEventListener(type, (event) => {
        const control = event.isTrusted && event.target.closest && event.target.closest("button, select, input, canvas, summary");
        if (control) used.controls.add(key(control));
        if (type === "keydown" && event.isTrusted) used.keys.add(event.key);
    }, true);
}"""
KEYS = {"Enter", "Escape", "Backspace", "Home", "ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight", *"/nNsodhauxpifgretmlcv?"}


class Page(flamepage.Flame):
    """Remembers which controls and keys were used, over all pages that it shows."""

    def __init__(self, *size):
        self.controls, self.used, self.keys = set(), set(), set()
        super().__init__(*size)

    def collect(self):
        found = self.run("const u = window.used; return u ? [window.controls(), [...u.controls], [...u.keys]] : null")
        for known, new in zip((self.controls, self.used, self.keys), found or ()):
            known.update(new)

    def reopen(self, fragment=""):
        self.collect()
        super().reopen(fragment)
        self.run(WATCH)

    def look(self, file, fragment=""):
        self.file = file
        self.reopen(fragment)

    def focus(self, id):
        self.unfold("#" + id)
        self.run("document.getElementById(arguments[0]).focus()", id)

    def pick(self, frame):
        """Selects a frame in the graph by mouse, after showing the whole width again."""
        self.click_frame(frame)
        self.press("Escape")
        self.focus("canvas")

    def drag(self, id, begin, end):
        """Drags from one fraction of an element's width to another."""
        left, top, width, height = self.run(
            "const b = document.getElementById(arguments[0]).getBoundingClientRect(); return [b.left, b.top, b.width, b.height]", id)
        move = lambda part: {"type": "pointerMove", "duration": 0, "x": round(left + width * part), "y": round(top + height / 2)}
        self.act(self.pointer(move(begin), {"type": "pointerDown", "button": 0}, move((begin + end) / 2), move(end),
                              {"type": "pointerUp", "button": 0}))

    def choose_by_key(self, id, letter):
        """A browser treats letters within a second of each other as one word."""
        self.focus(id)
        time.sleep(1.2)
        self.press(letter)


# -- controls ----------------------------------------------------------------------------------------------------------

def table(page, file, want):
    page.look(file, "#table=shown")
    agrees(page, want, "at first")
    told = {m["name"]: m for m in want["methods"]}
    bad = [row for row in rows_of(page) if row[0] in told and not all(
        near(row[at], told[row[0]][key] / want["sampled"], *(told[row[0]][f"{key}_{end}"] for end in ("low", "high")),
             want["effective_samples"]) for at, key in ((2, "self"), (4, "total")))]
    ct.ok(not bad, "the table has the report's intervals", bad[:3])
    for key in ("total", "name", "self"):
        page.click_on(f"#sort-{key}")
        names = [row[0] for row in rows_of(page) if row[0] in told]
        if key == "name":
            ct.ok(names == sorted(told, key=lambda name: name.encode("utf-16-be"))[: len(names)], "Method: by name", names[:5])
        else:
            values = sorted((m[key] for m in told.values()), reverse=True)[: len(names)]
            ct.ok([told[name][key] for name in names] == values, f"{key.title()}: by {key}", names[:5])
    page.click_on("#methods-toggle")
    ct.ok(not page.state()["tableShown"], "Methods hides the table")
    page.focus("canvas")
    page.press("m")
    ct.ok(page.state()["tableShown"], "m shows it")


def frames(page, file, want, truth):
    page.look(file, "#table=hidden&timeline=hidden")
    same_frames(page, truth, "the graph")
    told = [f for f in page.frames() if f["depth"] > 1 and f["width"] > 40][::9][:6]
    for f in told:
        node = truth[tuple(name for name, _ in f["path"])]
        page.hover_frame(f)
        cells = page.run("return [...document.querySelectorAll('#tooltip td')].map((td) => td.innerText)")
        ct.ok(page.text("#tooltip .name") == node["name"] and page.text("#tooltip .type") == node["type"]
              and all(reads_as_time(cells[at], node[key]) and reads_as_share(cells[at + 1], node[key] / want["sampled"])
                      for at, key in ((0, "total"), (3, "self"))), f"tooltip of {node['name'][-40:]}", cells)


def inside_of(page, zoomed, path):
    """{names from the root: frame} of the visible frames under the zoomed one, whose own ancestors may be scrolled out of view."""
    frames_, found = {f["frame"]: f for f in page.frames()}, {}
    for f in frames_.values():
        names, at = (), f
        while at and at["frame"] != zoomed:
            names, at = (at["name"], *names), frames_.get(at["parent"])
        if at and names:
            found[path + names] = f
    return found


def zooming(page, file, want, truth):
    page.look(file, "#table=hidden")
    first = page.frame(lambda f: f["depth"] == 5 and f["width"] > 100)
    path = tuple(name for name, _ in first["path"])
    page.click_frame(first)
    details, node = page.text("#details-text"), truth[path]
    ct.ok(node["name"] in details and node["type"] in details and any(reads_as_share(part, node["total"] / want["sampled"])
          for part in re.findall(r", (\S+%) \(", details)), "a click zooms, and the line below says what the report says", details)
    crumbs = page.run("return [...document.querySelectorAll('#crumbs button')].map((b) => b.innerText)")
    ct.ok(crumbs[0] == "all" and crumbs[-3:] == list(path[-3:]), "the path is the report's", crumbs)
    width = page.run("return document.getElementById('scroll').clientWidth")
    inside = inside_of(page, first["frame"], path)
    wrong = [names for names, f in inside.items() if abs(f["width"] - width * truth[names]["total"] / node["total"]) > 1e-6 * width]
    ct.ok(inside and not wrong, "its children have their shares of it", wrong[:2])
    at = lambda: (page.state()["zoomed"]["depth"], page.state()["selectedFrame"] and page.state()["selectedFrame"]["depth"])
    page.focus("canvas")
    page.press("Backspace")
    ct.ok(page.state()["zoomed"]["total"] == truth[path[:-1]]["total"], "Backspace: one frame out")
    page.press("ArrowDown", "Enter")
    ct.ok(at() == (5, 5), "ArrowDown, Enter: in again", at())
    page.press("ArrowDown", "ArrowRight", "ArrowLeft", "ArrowUp", "ArrowUp", "Home")
    ct.ok(at() == (5, 5), "the other arrows, and Home back to the zoomed frame", at())
    for text, leave in (("Esc", lambda: page.press("Escape")), ("Reset zoom", lambda: page.click_on("#reset")),
                        ("the first crumb", lambda: page.click_on("#crumbs li:first-child button"))):
        page.reopen("#table=hidden&zoom=%d" % first["frame"])
        leave()
        ct.ok(page.state()["zoom"] == 0 and page.state()["zoomed"]["total"] == want["sampled"], f"{text}: all of it")


def searching(page, file, want, truth):
    page.look(file)
    heaviest = sorted(want["methods"], key=lambda m: -m["total"])
    cases = (("javac.parser.", False), ("HashMap", False), (r"^com\.sun\.tools\.javac\.comp\.", True), (r"\.(get|put)$", True))
    for query, regex in cases:
        pattern = query if regex else re.escape(query)
        if page.state()["regex"] != regex:
            page.click_on("#regex")
        page.press("/")
        page.query(query)
        hits = [path for path in truth if re.search(pattern, path[-1])]
        weight = report(page.recording, "--method", pattern)["sampled"]
        found = page.state()["search"]
        ct.ok(hits and (found["frames"], found["methods"], found["weight"]) == (len(hits), len({path[-1] for path in hits}), weight),
              f"search {query}: {len(hits)} frames, and the report's weight", (found, len(hits), weight))
        ct.ok(reads_as_share(page.text("#found").split(" · ")[2], weight / want["sampled"]), "which is shown", page.text("#found"))
    sizes = sorted((truth[path]["total"] for path in hits), reverse=True)
    place = lambda: (page.state()["search"]["position"], page.state()["selectedFrame"]["total"])
    steps = [("Enter", lambda: page.press("Enter"), 1), ("Next", lambda: page.click_on("#next"), 2),
             ("Previous", lambda: page.click_on("#previous"), 1), ("n", lambda: (page.focus("canvas"), page.press("n")), 2),
             ("N", lambda: page.press("N"), 1)]
    for text, act, expected in steps:
        act()
        ct.ok(place() == (expected, sizes[expected - 1]), f"{text}: match {expected}, by size", place())
    page.focus("query")
    page.press("Escape")
    ct.ok(page.state()["query"] == "", "Esc ends the search")
    page.reopen("#table=hidden")
    page.pick(page.frame(lambda f: f["depth"] == 3 and f["width"] > 60))
    name = page.state()["selectedFrame"]["name"]
    page.click_on("#find")
    total = next(m["total"] for m in heaviest if m["name"] == name)
    ct.ok(page.state()["search"]["weight"] == total and page.state()["search"]["methods"] == 1, "Find all: the method's total")


def inverting(page, file, truth):
    for text, act in (("Inverted", lambda: page.click_on("#callers")), ("i", lambda: (page.focus("canvas"), page.press("i")))):
        page.look(file, "#table=hidden&timeline=hidden")
        act()
        ct.ok(page.state()["view"] == "callers", f"{text}: inverted")
    sums_agree(page, truth, "inverted")


def suitable(page, want, truth):
    """A frame of a method that calls and is called, but never by itself, and that is neither a small part nor nearly all."""
    often = {}
    for path in truth:
        often[path[-1]] = max(often.get(path[-1], 0), path.count(path[-1]))
    inner = {name for path in truth for name in path[1:-1]} - {path[0] for path in truth}
    totals = {m["name"]: m["total"] / want["sampled"] for m in want["methods"]}
    return page.frame(lambda f: f["width"] > 60 and f["depth"] > 4 and often.get(f["name"]) == 1 and f["name"] in inner
                      and 0.1 < totals[f["name"]] < 0.6)


def sandwiching(page, file, want, truth):
    page.look(file, "#table=shown&timeline=hidden")
    frame = suitable(page, want, truth)
    name = frame["name"]
    callers, callees = (report(page.recording, f"--{side}", exactly(name))[side] for side in ("callers", "callees"))
    total = next(m["total"] for m in want["methods"] if m["name"] == name)

    def in_table(act):
        page.press("/")
        page.query(name)
        act(f"#methods-body [aria-label='{name}']")

    def double_click(selector):
        box = page.run("const b = document.querySelector(arguments[0]).getBoundingClientRect(); return [b.left + 20, b.top + 8]", selector)
        page.double_click(*box)

    def key(selector):
        page.run("document.querySelector(arguments[0]).focus()", selector)
        page.press("s")

    for text, act in (("the button", lambda: (page.pick(frame), page.click_on("#sandwich"))),
                      ("s on the graph", lambda: (page.pick(frame), page.press("s"))),
                      ("s on the table", lambda: in_table(key)), ("a double click on the table", lambda: in_table(double_click))):
        page.look(file, "#table=shown&timeline=hidden")
        act()
        state = page.state()
        ct.ok(state["view"] == "sandwich" and state["total"] == total == callees["total"] == callers["total"],
              f"sandwich by {text}: the report's total", (state["view"], state["total"], total))
    page.reopen("#table=hidden&timeline=hidden&view=sandwich&method=%d" % page.state()["method"])
    below, above = ({path[1:]: node for path, node in nodes(tree).items() if len(path) > 1} for tree in (callees, callers))
    sums_agree(page, below, "sandwich, what it calls")
    sums_agree(page, above, "sandwich, its callers", "upper")
    upper = [f for f in page.frames("upper") if f["depth"] == 1]
    page.click_frame(upper[0])
    page.focus("upper-canvas")
    page.press("Home", "ArrowDown", "ArrowUp")
    ct.ok(page.state()["upperZoom"] == upper[0]["frame"], "a caller is zoomed into")
    svg = page.run("return candor.svg()")
    ct.ok(all(f["shownName"] + ": " in html.unescape(svg) for f in page.frames("upper") + page.frames() if f["width"] > 3),
          "the SVG has both sides")
    page.click_on("#clear")
    ct.ok(page.state()["view"] == "calls" and page.state()["all"] == want["sampled"], "Clear all leads out")


def filtering(page, file, want, truth):
    page.look(file, "#table=shown&timeline=hidden")
    frame = suitable(page, want, truth)
    name = frame["name"]
    focus, drop = (report(page.recording, option, exactly(name)) for option in ("--method", "--not-method"))
    for key, told in (("focus", focus), ("drop", drop), ("hide", None)):
        letter = {"focus": "o", "drop": "d", "hide": "h"}[key]
        for text, act in ((f"the button {key}", lambda: (page.pick(frame), page.click_on("#" + key))),
                          (f"{letter} on the graph", lambda: (page.pick(frame), page.press(letter))),
                          (f"{letter} on the table", lambda: (page.press("/"), page.query(name), page.run(
                              "document.querySelector(arguments[0]).focus()", f"#methods-body [aria-label='{name}']"),
                              page.press(letter), page.query("")))):
            page.look(file, "#table=shown&timeline=hidden")
            act()
            if told:
                agrees(page, told, text)
            else:
                hidden(page, want, name, text)
        page.click_on("#chips button")
        ct.ok(page.state()["all"] == want["sampled"] and not page.state()[key], f"{key}: a click on its chip undoes it")
    again = lambda: page.pick(page.frame(lambda f: f["name"] == name and f["width"] > 20))
    again()
    page.press("o")
    again()
    page.press("d")
    ct.ok(page.text("#empty-title") == "Nothing is shown", "with and without it: nothing")
    page.click_on("#empty-clear")
    agrees(page, want, "Clear all, in place of the graph")
    again()
    page.press("o", "x")
    agrees(page, want, "x clears all")


def hidden(page, want, name, text):
    seen = {m["name"]: m for m in page.run("return candor.methods()") if m["name"] != "[truncated]"}
    told = {m["name"]: m for m in want["methods"]}
    others = all(seen[other]["total"] == m["total"] and seen[other]["self"] >= m["self"] for other, m in told.items()
                 if other != name and other in seen)
    ct.ok(name not in seen and set(seen) == set(told) - {name} and others and page.state()["all"] == want["sampled"]
          and sum(m["self"] for m in seen.values()) == sum(m["self"] for m in told.values()),
          f"{text}: it is gone, its time is its callers', the other totals are the report's")


def collapsing(page, file, want, truth):
    page.look(file, "#table=shown&timeline=hidden")
    count = page.state()["nodes"]
    ct.ok(count == len(truth) + 1, f"{count} frames, as many as the report's")
    for key, id in (("r", "recursion"), ("e", "chains")):
        page.click_on("#" + id)
        fewer = page.state()["nodes"]
        agrees(page, want, f"{id} by its button")
        page.focus("canvas")
        page.press(key)
        ct.ok(page.state()["nodes"] == count and page.state()[id] is False, f"{key}: all frames again")
        if id == "chains":
            kids = {}
            for path in truth:
                kids.setdefault(path[:-1], []).append(path)
            single = sum(1 for path in truth if len(kids.get(path, ())) == 1 and truth[kids[path][0]]["total"] == truth[path]["total"])
            ct.ok(fewer == count - single < count, f"chains: {single} frames are folded", fewer)
        else:
            again = {tuple(n for i, n in enumerate(path) if not i or n != path[i - 1]) for path in truth}
            ct.ok(fewer >= len(again) + 1 and fewer <= count, "recursion: no fewer than there are paths without it", fewer)


def threads(page, file, want):
    page.look(file, "#table=shown&timeline=shown")
    weights = {}
    for t in want["threads"]:
        weights[t["name"]] = weights.get(t["name"], 0) + t["self"]
    rows = page.run("""return [...document.querySelectorAll('#lanes li')].map((row) =>
        [row.querySelector('.thread').title, row.querySelector('.share').innerText, row.querySelector('.opener') !== null])""")
    members = {label: [name for name in weights if re.sub(r"\d+$", "*", name) == label and weights[name]] if pool else [label]
               for label, _, pool in rows}
    sums = [sum(weights[name] for name in members[label]) for label, _, _ in rows]
    ct.ok(len(rows) > 3 and sums == sorted(sums, reverse=True) and sum(sums) == want["sampled"]
          and all(reads_as_share(share, weight / want["sampled"]) for (_, share, _), weight in zip(rows, sums)),
          "a lane per pool and other thread, with the report's share", rows)
    ct.ok(all(len(members[label]) > 1 for label, _, pool in rows if pool), "a pool has several threads", members)
    exact = lambda label: "|".join(exactly(name) for name in members[label])
    page.click_on("#lanes li:nth-child(1) .thread")
    agrees(page, report(page.recording, "--thread", exact(rows[0][0])), "one lane")
    page.click_on("#lanes li:nth-child(2) .thread")
    two = report(page.recording, "--thread", exact(rows[0][0]) + "|" + exact(rows[1][0]))
    agrees(page, two, "two lanes")
    page.click_on("#by-thread")
    own = {t["name"]: t["self"] for t in two["threads"] if t["self"]}
    roots = lambda: {f["name"]: f["total"] for f in page.frames() if f["depth"] == 1}
    ct.ok(page.state()["byThread"] and roots() == {n: weights[n] for n in own}, "By thread: a frame for each", roots())
    page.focus("canvas")
    page.press("g")
    ct.ok(not page.state()["byThread"], "g: without")
    page.click_on("#chips button")
    agrees(page, want, "the chip takes threads back")


def times(page, file, want):
    page.look(file, "#table=shown&timeline=shown")
    slices = page.run("return JSON.parse(document.getElementById('candor-data').textContent).slices")
    range_of = lambda *ends: ("--time", "+%dms..+%dms" % tuple(at * slices["bucket_ns"] // 1_000_000 for at in ends))
    page.drag("heat", 0.3, 0.6)
    before = page.state()["panel"]
    page.click_on("#why")
    other = page.state()["panel"]
    page.click_on("#why")
    ct.ok({before, other} == {"none", "why"} and page.state()["panel"] == before, "a chosen time is explained on request", (before, other))
    state = page.state()
    ct.ok(0.2 < state["from"] / slices["buckets"] < 0.35 and 0.5 < state["to"] / slices["buckets"] < 0.65, "a drag chooses a range",
          (state["from"], state["to"], slices["buckets"]))
    agrees(page, report(page.recording, *range_of(state["from"], state["to"])), "a range by mouse")
    page.focus("heat")
    page.press("Escape")
    agrees(page, want, "Esc: all the time")
    page.click_on("#axis-in")
    axis = page.state()["axis"]
    page.click_on("#axis-out")
    half = abs(4 * axis[0] - slices["buckets"]) <= 4 and abs(2 * (axis[1] - axis[0]) - slices["buckets"]) <= 1
    ct.ok(half and page.state()["axis"] == [], "+ shows half of the time, and - all of it", (axis, slices["buckets"]))
    page.click_on("#axis-in")
    page.click_on("#axis-all")
    ct.ok(page.state()["axis"] == [], "Whole time, too", page.state()["axis"])
    page.focus("heat")
    columns, _ = flamepage.heat_columns(slices)
    page.press(*["ArrowRight"] * (columns // 2), "ArrowDown")
    page.press(*["ArrowRight"] * (columns // 4), shift=True)
    page.press("Enter")
    state = page.state()
    agrees(page, report(page.recording, *range_of(state["from"], state["to"])), "a range by keys")
    page.click_on("#callers")
    bottom = report(page.recording, *range_of(state["from"], state["to"]), "--sections", "bottom-up", threshold=0.5)["bottom_up"]
    sums_agree(page, nodes(bottom), "a range of time, inverted")
    page.click_on("#clear")
    thirds = [slices["buckets"] * i // 3 for i in range(4)]
    parts = []
    for begin, end in zip(thirds, thirds[1:]):
        page.reopen("#from=%d&to=%d" % (begin, end))
        parts.append(page.state()["all"])
    ct.ok(sum(parts) == want["sampled"], "three parts of the time are all of it", parts)
    page.click_on("#timeline-toggle")
    hidden_ = not page.state()["timelineShown"]
    page.focus("canvas")
    page.press("l")
    ct.ok(hidden_ and page.state()["timelineShown"], "Timeline and l hide and show it")


def looks(page, file, want, truth):
    page.look(file, "#table=hidden&timeline=hidden")
    page.choose_by_key("colour", "b")  # by package, by frame type: the next one that begins with this letter
    ct.ok(page.state()["colour"] == "type", "Colour: by frame type", page.state()["colour"])
    types = {}
    for node in truth.values():
        types[node["type"]] = types.get(node["type"], 0) + node["self"]
    shares = page.run("""return [...document.querySelectorAll("#legend-list li")].map((li) =>
        [li.querySelector("bdi").textContent, li.textContent.split(" ").pop()])""")
    told = dict(shares)
    ct.ok(len(types) > 3 and all(reads_as_share(told.get(name, "0%"), own / want["sampled"]) for name, own in types.items()),
          "the legend has the report's share of each frame type", (shares, types))
    page.focus("canvas")
    page.press("t")
    ct.ok(page.state()["colour"] == "package", "t: by package")
    parts = page.run("return [...document.querySelectorAll('#legend-list li')].map((li) => li.textContent.split(' ').pop())")
    ct.ok(len(parts) > 3 and abs(sum(flamepage.share(p)[0] for p in parts) - 1) < 0.01, "whose packages share all of it", parts)
    was = page.run("return document.getElementById('legend').open")
    page.click_on("#legend summary")
    ct.ok(page.run("return document.getElementById('legend').open") != was, "the legend folds")
    page.choose_by_key("theme", "d")
    ct.ok(page.state()["themeShown"] == "dark", "Theme: dark")
    top = next(f["y"] for f in page.frames() if f["depth"] == 0)
    page.click_on("#flip")
    below = next(f["y"] for f in page.frames() if f["depth"] == 0)
    page.focus("canvas")
    page.press("f")
    ct.ok(below > top and next(f["y"] for f in page.frames() if f["depth"] == 0) == top, "Flip and f turn it over and back")
    page.click_on("#more")
    ct.ok(not page.run("return document.getElementById('flip').checkVisibility()"), "More hides the options")
    page.click_on("#more")
    ct.ok(page.run("return document.getElementById('flip').checkVisibility()"), "and shows them")
    page.focus("canvas")
    page.press("?")
    open_ = page.run("return document.getElementById('help').open")
    page.click_on("#help button")
    page.click_on("#help-open")
    ct.ok(open_ and page.run("return document.getElementById('help').open"), "? and Help open the help")
    told = page.run("return [...document.querySelectorAll('#help th')].map((th) => th.textContent).join(' ')")
    ct.ok(all(key in re.split(r"[ ,+]+", told) for key in KEYS if len(key) == 1), "which has every key", told)
    page.press("Escape")


def books(page, file, want):
    page.look(file)
    told, cpu = want["books"], want["books"]["cpu_ns"]
    bar = dict(re.findall(r"(lost|unseen|residual|approximate frames) (\S+)", page.text("#books-summary")))
    stacks = re.search(r"(\S+) in samples with a stack", page.text("#books-summary"))
    sums = {key: sum(value.values()) if isinstance(value := told[key + "_ns"], dict) else value
            for key in ("complete", "truncated", "failed", "lost", "unseen", "residual")}
    ct.ok(all(reads_as_share(bar[key], sums[key] / cpu) for key in ("lost", "unseen", "residual"))
          and stacks and reads_as_share(stacks[1], (sums["complete"] + sums["truncated"]) / cpu)
          and close(bar["approximate frames"], want["approximate_share"]), "the bar has the report's books and approximate share", bar)
    page.click_on("#books")
    rows = page.run("""return [...document.querySelectorAll("#books-body tr")].map((tr) =>
        [...tr.cells].map((cell, i) => i ? cell.innerText : cell.childNodes[cell.querySelector(".swatch") ? 1 : 0].data))""")
    shown = {row[0].split("\n")[0]: row[1:] for row in rows}
    flat = {key.title(): ns for key, ns in sums.items()}
    for account in ("failed", "lost", "unseen"):
        flat.update({reason: ns for reason, ns in told[account + "_ns"].items() if ns})
    wrong = [key for key, ns in flat.items() if not (key in shown and reads_as_time(shown[key][0].replace("-", ""), abs(ns))
                                                     and reads_as_share(shown[key][1], ns / cpu))]
    ct.ok(len(flat) > 6 and not wrong, f"the dialog has all {len(flat)} accounts and reasons", (wrong, shown))
    page.click_on("#books-dialog form button")
    ct.ok(not page.run("return document.getElementById('books-dialog').open"), "Close closes it")


OUTSIDE = {"Kernel": "kernel", "Native": "native code", "Stub": "JVM stubs", "Pseudo": "work of the JVM"}


def own_path(path, types, begin):
    """The rest of a stack: successive frames whose names begin otherwise become one frame."""
    made, run = [], None  # run: None after an own frame or at the root, otherwise what the last frame of `made` stands for
    for name, kind in zip(path, types):
        is_java = kind not in OUTSIDE
        if kind in ("Failed", "Missing") or (is_java and name.startswith(begin)):
            made.append((name, kind))
            run = None if is_java else "kept"
        elif run is None and made:
            made.append((name, kind))
            run = "kernel" if kind == "Kernel" else "call"
        elif run == "kernel" or (run == "call" and kind != "Kernel"):
            continue
        elif kind == "Kernel":
            made.append(("… kernel", "Folded"))
            run = "kernel"
        elif not (run == "outer" and is_java and made[-1][0] == "… JDK"):
            label = ("… " + OUTSIDE.get(kind, "JDK"), "Folded")
            made[len(made) - (run == "outer"):] = [label]
            run = "outer"
    return made


def own_code(page, file, want, truth):
    """Own code first: javac's own code, which the page takes for the JDK's until it is told otherwise."""
    begin = "com.sun.tools.javac.comp."
    page.look(file, "#table=hidden&timeline=hidden")
    ct.ok(not page.state()["ownFirst"], "little of it is the program's own: all frames are shown")
    page.focus("own")
    page.type(begin)
    page.press("Enter")
    ct.ok(page.state()["ownFirst"] and page.state()["own"] == begin, "what is typed for the own code has much of it, and comes first")
    page.focus("source")
    page.type("https://git.example/{path}")
    page.press("Enter")
    ct.ok(page.state()["source"] == "https://git.example/{path}", "a template for sources is typed", page.state()["source"])
    page.click_on("#fold")
    shown = page.state()["nodes"]
    page.click_on("#fold")
    ct.ok(shown == len(truth) + 1 > page.state()["nodes"], "Own code first: all frames, and own code first again")
    folded, hottest = {}, {}
    for path, node in truth.items():
        types = [truth[path[:i + 1]]["type"] for i in range(len(path))]
        made = own_path(path, types, begin)
        for i in range(len(made)):
            at = folded.setdefault(tuple(name for name, _ in made[:i + 1]), {"total": 0, "self": 0, "type": made[i][1]})
            at["total"] += node["self"]
            at["self"] += node["self"] if i == len(made) - 1 else 0
        own = [name for name, kind in zip(path, types) if kind not in OUTSIDE and name.startswith(begin)]
        if own:
            hottest[own[-1]] = hottest.get(own[-1], 0) + node["self"]
    sums_agree(page, folded, "own code first")
    page.click_frame(page.frame(lambda f: f["type"] == "Folded" and f["width"] > 20))
    ct.ok(page.text("#details-text").startswith("… ") and not page.run("return document.getElementById('focus').checkVisibility()"),
          "a frame that stands for many is reported, and is no method", page.text("#details-text"))
    page.click_on("#reset")
    name, weight = max(hottest.items(), key=lambda item: item[1])
    told = page.text("#answer")
    share = re.search(r": (\S+%) \((\S+) to (\S+)\) of the sampled CPU", told)
    ct.ok(page.text("#answer button") == name and share and reads_as_share(share[1], weight / want["sampled"]),
          f"the sentence at the top: {name}", told)
    page.click_on("#answer button")
    ct.ok(page.state()["query"] == exactly(name) and not page.state()["ownFirst"], "which leads to it, among all frames",
          page.state()["query"])
    page.press("/")
    page.query("")
    ct.ok(page.state()["ownFirst"], "without a search the own code is first again")
    page.focus("canvas")
    page.press("p")
    ct.ok(not page.state()["ownFirst"] and page.state()["nodes"] == len(truth) + 1, "p: all frames")


def hot_loops():
    """A recording with the machine code of the few methods that have nearly all samples."""
    file = ct.WORK / "loops.jfr"
    with ct.Jvm(next(ct.jdk(v) for v in (21, 17, 25) if ct.jdk(v)), "HotCode", agent=ct.agent_options(file=file, asm="on")) as jvm:
        jvm.round(seconds=2)
        jvm.finish()
    return file


def code(page, recording):
    """The machine code of a frame's method, by the button and by a key, as candor asm prints it; no code for a method that has none."""
    file = page_of(recording)
    result = ct.candor("asm", "--json", "--top", "0", "--threshold", "1", recording)
    known = {}
    for region in json.loads(result.out)["regions"] if result.status == 0 else ():
        if region.get("lines") and region["source"].startswith("C"):
            known.setdefault(region["name"], region)
    page.look(file, "#table=hidden&timeline=hidden")
    drawn = [f for f in page.frames() if f["depth"] > 0 and f["width"] > 2]
    frame = next((f for f in drawn if f["name"] in known), None)
    if not ct.ok(frame, f"a frame of one of {len(known)} methods whose code is there is visible", sorted(known)[:20]):
        return
    for by, act in (("Code", lambda: page.click_on("#code")), ("a", lambda: page.press("a"))):
        page.look(file, "#table=hidden&timeline=hidden")
        page.pick(frame)
        act()
        text = page.text("#code-text") if page.run("return document.getElementById('code-dialog').open") else ""
        region = known[frame["name"]]
        hot = [line["address"].removeprefix("0x") for line in region["lines"] if "share" in line]
        ct.ok(region["title"] in text and hot and all(address in text for address in hot) and frame["name"] in page.text("#code-heading"),
              f"{by} shows the {len(hot)} sampled instructions of {frame['name']}", text[:1000])
        page.click_on("#code-dialog form button")
        ct.ok(not page.run("return document.getElementById('code-dialog').open"), f"{by}: Close closes it")
    other = next((f for f in drawn if f["name"] not in known and f["type"] in ("Native", "Kernel")), None)
    if other:
        page.pick(other)
        ct.ok(not page.run("return document.getElementById('code').checkVisibility()"), "there is none of native code")


def lines(page, recording):
    """The source lines of a frame's method, by the button and by a key."""
    file = ct.WORK / "lines.html"
    made = ct.candor("convert", "--source", ct.ROOT / "tests" / "java", recording, file)
    data = flamedata.read(file.read_text())
    known = {data["strings"][name]: rows for name, _, _, rows in data["source"]}
    ct.ok(made.status == 0 and known, "a page with source lines", made)
    for by, act in (("Lines", lambda: page.click_on("#lines")), ("u", lambda: page.press("u"))):
        page.look(file, "#table=hidden&timeline=hidden")
        page.pick(next(f for f in page.frames() if f["name"] in known and f["width"] > 2))
        act()
        name = page.text("#lines-heading").removeprefix("Source lines of ")
        shown = page.text("#lines-body")
        ct.ok(name in known and all(row[3].strip() in shown for row in known[name]), f"{by} shows the lines of {name}", shown[:1000])
        page.click_on("#lines-dialog form button")
        ct.ok(not page.run("return document.getElementById('lines-dialog').open"), f"{by}: Close closes it")


def taken_away(page, file, want, truth):
    """Output of the page: the picture as a file, a name in the clipboard."""
    folder = ct.WORK / "downloads"
    folder.mkdir()
    page.look(file, "#table=hidden&timeline=hidden")
    page.devtools("Page.setDownloadBehavior", behavior="allow", downloadPath=str(folder))
    for by, act in (("Save SVG", lambda: page.click_on("#save")), ("v", lambda: (page.focus("canvas"), page.press("v")))):
        act()
        saved = ct.wait_until(lambda: list(folder.glob("*.svg")), 60)
        text = saved[0].read_text() if saved else ""
        ct.ok(text and text == page.run("return candor.svg()"), f"{by}: the picture is a file", list(folder.iterdir()))
        for file in saved:
            file.unlink()
    page.click_on("#save-png")
    saved = ct.wait_until(lambda: list(folder.glob("*.png")), 60)
    ct.ok(saved and saved[0].read_bytes()[:8] == b"\x89PNG\r\n\x1a\n", "Save PNG: the picture is a file", list(folder.iterdir()))
    text = html.unescape(text)
    frames_ = [f for f in page.frames() if f["width"] > 3 and f["depth"]]
    wrong = [f["name"] for f in frames_ for node in [truth[tuple(n for n, _ in f["path"])]] for found in [re.findall(
        re.escape(f["shownName"]) + r": ([\d.,]+ \S+), (\S+%) \(", text)]
             if not any(reads_as_time(t, node["total"]) and reads_as_share(share, node["total"] / want["sampled"]) for t, share in found)]
    ct.ok(len(frames_) > 30 and not wrong, f"the picture tells the report's figures of {len(frames_)} frames", wrong[:3])
    for text, act in (("Copy name", lambda: page.click_on("#copy")), ("c", lambda: page.press("c"))):
        page.reopen("#table=hidden&timeline=hidden")
        page.devtools("Emulation.setFocusEmulationEnabled", enabled=True)
        frame = page.frame(lambda f: f["depth"] == 4 and f["width"] > 60)
        page.pick(frame)
        act()
        page.focus("query")
        ct.wait_until(lambda: page.text("#copy") != "Copy name", 2)
        page.act({"type": "key", "id": "keyboard", "actions": [
            {"type": kind, "value": value} for kind, value in (("keyDown", browser.KEYS["Control"]), ("keyDown", "v"), ("keyUp", "v"),
                                                               ("keyUp", browser.KEYS["Control"]))]})
        ct.ok(page.state()["query"] == frame["name"], f"{text}: the name can be pasted", page.state()["query"])


def reached_by_tab(page, file):
    """A user without a mouse reaches every control, and sees where the focus is."""
    page.look(file, "#table=hidden&zoom=5&selected=5&from=1")
    wanted = page.run("""return [...document.querySelectorAll("button, select, input, canvas[tabindex], summary")]
        .filter((e) => e.checkVisibility() && !e.disabled).map((e) => e.id || e.closest("[id]").id)""")
    seen, blind = set(), set()
    for _ in range(len(wanted) + 10):
        page.press("Tab")
        id, outline = page.run("""const e = document.activeElement;
            return e === document.body ? [null, null] : [e.id || e.closest("[id]").id, getComputedStyle(e).outlineStyle]""")
        if id:
            seen.add(id)
            blind |= {id} if outline == "none" else set()
    ct.ok(len(set(wanted)) > 20 and set(wanted) <= seen and not blind, f"Tab reaches {len(set(wanted))} controls, each with an outline",
          (set(wanted) - seen, blind))


def every_format(page, recording):
    """Every format that candor reads becomes a page with the report's figures."""
    made = [recording.with_name("javac" + extension) for extension in (".pb.gz", ".otlp", ".speedscope.json", ".collapsed")]
    for file in made:
        result = ct.candor("convert", recording, file)
        ct.ok(result.status == 0, f"{file.name} is written", result)
    log = ct.WORK / "javac.hpl"
    log.write_bytes(honest_log())
    for file in (*made, log):
        told = report(file)
        page.look(page_of(file), "#table=shown")
        agrees(page, told, file.name)
        ct.ok("samples" in page.text("#size") and (told["books"] or "Nothing is known" in page.text("#books-summary")),
              f"{file.name}: its samples, and whether there are books")


def honest_log():
    """Honest-Profiler's format: traces innermost first, names after their first use."""
    text = lambda t: struct.pack(">i", len(t)) + t.encode()
    methods = {"a/Main.run": 1, "a/Work.hot": 2, "a/Work.cold": 3, "a/Io.read": 4, "a/Io.write": 5}
    out = b"".join(struct.pack(">bq", 3, id) + text("F.java") + text(f"L{name.split('.')[0]};") + text(name.split(".")[1])
                   for name, id in methods.items()) + struct.pack(">bq", 4, 7) + text("main")
    for leaf, times in ((2, 50), (3, 30), (4, 15), (5, 5)):
        for _ in range(times):
            out += struct.pack(">biq", 1, 2, 7) + struct.pack(">biq", 2, 5, leaf) + struct.pack(">biq", 2, 9, 1)
    return out


def comparison(page, before, after):
    both = ct.WORK / "changes.html"
    result = ct.candor("diff", "--json", "--all", "--top", "0", "-o", both, before, after)
    ct.ok(result.status == 0, "a comparison as a page", result)
    told = {m["name"]: m for m in json.loads(result.out)["methods"]}
    page.look(both, "#table=shown")
    page.click_on("#unsure")
    ct.ok(page.text("#title") == f"{before.name} → {after.name}", "its title names both files", page.text("#title"))
    counts = [report(file)["sample_count"] for file in (before, after)]
    ct.ok(page.text("#size") == "{:,} → {:,} samples".format(*counts), "and how many samples each has", page.text("#size"))
    rows, wrong = rows_of(page), []
    for name, *texts in rows:
        for at, key in ((0, "self"), (3, "total")):
            figure = told.get(name, {}).get(key, {"change": "same", "difference": 9, "low": 9, "high": 9, "a": 9, "b": 9, "detectable": 9})
            sides = re.fullmatch(r"(\S+) → ([^ ,]+)(?:, least (\S+ pt))?", texts[at + 2])
            mark = {"grew": "▲ ", "new": "▲ ", "shrank": "▼ ", "gone": "▼ ", "same": ""}[figure["change"]]
            low, _, high = texts[at + 1].partition(" to ")
            if not (texts[at].startswith(mark) and texts[at][:1] in (mark[:1] or "+->0<123456789") and close(
                    texts[at][len(mark):], figure["difference"]) and close(low, figure["low"]) and close(high, figure["high"])):
                wrong.append((name, texts, figure))
            if not (sides and close(sides[1], figure["a"]) and close(sides[2], figure["b"])
                    and (close(sides[3], figure["detectable"]) if sides[3] else figure["detectable"] == 0)):
                wrong.append((name, texts, figure))
    ct.ok(len(rows) > 50 and not wrong, f"{len(rows)} methods have the change that candor diff tells", wrong[:2])
    against(page, before, after)
    page.look(both)
    for letter, file in (("b", before), ("a", after)):
        page.choose_by_key("width", letter)
        side = report(file)
        cpu = re.search(r"CPU (\S+ \S+)", page.text("#books-summary"))
        ct.ok(page.state()["total"] == side["sampled"] and page.text("#books-summary").startswith({"b": "before", "a": "after"}[letter])
              and cpu and reads_as_time(cpu[1], side["books"]["cpu_ns"]), f"Width: the time and the books of {file.name}",
              page.text("#books-summary"))


def against(page, before, after):
    """The page of one recording, with that of the other chosen in its field for files."""
    page.look(page_of(after), "#table=shown")
    node = page.devtools("DOM.querySelector", nodeId=page.devtools("DOM.getDocument")["root"]["nodeId"], selector="#other")["nodeId"]
    page.devtools("DOM.setFileInputFiles", files=[str(page_of(before))], nodeId=node)
    page.wait_for("return document.getElementById('title').innerText.includes('→')")
    page.settle()
    counts = [report(file)["sample_count"] for file in (before, after)]
    ct.ok(page.text("#size") == "{:,} → {:,} samples".format(*counts), "a chosen file is compared with the page", page.text("#size"))
    page.click_on("#kinds button")
    page.wait_for("return !document.getElementById('title').innerText.includes('→')")
    ct.ok(page.text("#size") == f"{counts[1]:,} samples", "and the page's own samples are shown again", page.text("#size"))


def panels(page, file, want):
    """A finding links to its evidence. Whether javac itself has a finding depends on chance, so this page gets one."""
    name = want["methods"][0]["name"]
    evidence = {"report": "--kind cpu", "site": name + ":1"}
    finding = {"severity": "info", "title": "One", "text": "two", "remedy": "three", "evidence": evidence}
    slices = json.loads(re.search(r'id="candor-data">([^<]*)', file.read_text())[1])["slices"]
    worst = {"start_ns": slices["start_ns"] + 100 * slices["bucket_ns"], "duration_ns": 50 * slices["bucket_ns"], "text": "four"}
    flag = {**finding, "title": "A flag", "evidence": {"report": "", "table": "", "site": None}}
    finding["worst"] = worst
    element = '<script type="application/json" %s>'
    page.file = file.with_name("finding.html")
    page.file.write_text(file.read_text().replace(element % 'id="candor-data"', element % 'class="candor-part" data-part="findings"'
                                                  + json.dumps({"findings": [finding, flag]}) + "</script>" + element % 'id="candor-data"'))
    page.reopen()
    page.click_on("#panel-bar button")
    ct.ok("two" in page.text("#panel"), "a finding is in its panel", page.text("#panel"))
    buttons = page.run("return [...document.querySelectorAll('#panel article')].map((e) => e.querySelectorAll('button').length)")
    ct.ok(buttons == [2, 0], "one that no report shows has no button", buttons)
    page.click_on("#panel button")
    page.wait_for("return document.getElementById('chips').innerText !== ''")
    ct.ok(f"Only with {name}" in page.text("#chips"), "and leads to its evidence", page.text("#chips"))
    page.reopen("#panel=findings")
    page.click_on("#panel button:nth-of-type(2)")
    state = page.state()
    ct.ok((state["from"], state["to"]) == (100, 150), "and to its worst time", (state["from"], state["to"]))


def main():
    flamepage.need()
    ct.need(flamepage.PAGE, ct.PROGRAM)
    sys.setrecursionlimit(20000)
    if not any(ct.jdk(v) for v in (17, 21, 25)):
        ct.skip("a recording of a real program", "no JDK 17 or later; run script/jdks")
        ct.done()
    sources = sorted((ct.ROOT / "tests" / "java").glob("*.java"))
    recording = record("javac", *sources)
    less = record("less", *sources[: len(sources) // 2])
    want = report(recording, "--sections", "methods,threads,books,tree")
    truth, bottom = nodes(want["tree"]), nodes(report(recording, "--sections", "bottom-up", threshold=0.5)["bottom_up"])
    ct.ok(len(want["methods"]) > 200 and len(truth) > 1000, f"{len(want['methods'])} methods, {len(truth)} frames")
    file = page_of(recording)
    with Page(*SIZE) as page:
        page.recording = recording
        table(page, file, want)
        inverting(page, file, bottom)
        for part in (own_code, frames, zooming, searching, sandwiching, filtering, collapsing, looks, taken_away):
            part(page, file, want, truth)
        for part in (threads, times, books, panels):
            part(page, file, want)
        loops = hot_loops()
        code(page, loops)
        lines(page, loops)
        reached_by_tab(page, file)
        every_format(page, recording)
        comparison(page, less, recording)
        page.collect()
        ct.ok(len(page.controls) > 35 and page.controls <= page.used, f"all {len(page.controls)} controls were used",
              page.controls - page.used)
        ct.ok(KEYS <= page.keys, f"all {len(KEYS)} keys were", KEYS - page.keys)
        messages = page.messages()
        ct.ok(not messages, "the browser reports no errors", messages)
    ct.done()


main()
