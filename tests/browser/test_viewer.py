"""The viewer's choices: filters, sandwich, time and threads, each compared with whole stacks.

tier: default
timeout: 900
"""

import json
import math
import re
import xml.etree.ElementTree

import flamepage
import profiles
from flamepage import ct, reads_as_interval, reads_as_share

TALL = (1280, 1500)
SVG = "{http://www.w3.org/2000/svg}"


def methods_right(page, expected, text):
    """All visible methods have the self and total that follow from whole stacks."""
    seen = {m["name"]: (m["self"], m["total"]) for m in page.run("return candor.methods()")}
    want = {name: figures for name, figures in expected.methods().items()}
    wrong = {name: (seen.get(name), want.get(name)) for name in {*seen, *want} if seen.get(name) != want.get(name)}
    ct.ok(len(seen) > 0 and not wrong, "%s: %d methods have their self and total" % (text, len(seen)), list(wrong.items())[:3])


def frames_right(page, expected, text, pane="main"):
    """The same for all visible frames, except the root, which includes stacks without frames."""
    frames = page.frames(pane)
    wrong = [(f["path"], f["total"], expected.under(f["path"])) for f in frames
             if f["depth"] and f["total"] != expected.under(f["path"])]
    ct.ok(len(frames) > 1 and not wrong, "%s: %d frames have their total" % (text, len(frames)), wrong[:3])


def select(page, name):
    """Selects a frame of this name."""
    page.run("location.hash = location.hash")
    frame = page.frame(lambda f: f["name"] == name)
    page.click_frame(frame)
    page.press("Escape")
    ct.ok(page.state()["selectedFrame"]["name"] == name, "%s is selected" % name)
    page.run("document.getElementById('canvas').focus()")


def without(names):
    return lambda path: tuple(frame for frame in path if frame[0] not in names)


def has(name, wanted=True):
    return lambda path: path if any(frame[0] == name for frame in path) == wanted else None


def filters(page, profile):
    name = "com.acme.Main.worker1"
    for text, key, button, change in (
        ("focus", "o", "#focus", has(name)),
        ("drop", "d", "#drop", has(name, False)),
        ("hide", "h", "#hide", without({name})),
    ):
        for by, act in (("key", lambda k=key: page.press(k)), ("button", lambda b=button: page.click_on(b))):
            page.show(profile)
            select(page, name)
            act()
            ct.ok(page.run("return document.activeElement.id") == "canvas", "%s by %s: the focus is on the graph" % (text, by))
            expected = profile.map(change)
            methods_right(page, expected, "%s by %s" % (text, by))
            frames_right(page, expected, "%s by %s" % (text, by))
        ct.ok(reads_as_share(page.text("#sight-text").split(", ")[1].split(" ")[0], expected.total / profile.total),
              "%s: the bar says how much is in sight" % text, page.text("#sight-text"))
        before = page.run("return location.hash")
        page.reopen(before)
        methods_right(page, expected, "%s from the address" % text)
        page.click_on("#chips button")
        ct.ok(page.state()["all"] == profile.total and not page.run("return document.getElementById('sight').checkVisibility()"),
              "%s: a click on its chip takes it back" % text)
        page.back()
        page.settle()
        ct.ok(page.state()["all"] == expected.total, "and the back button leads to it again")
    share = [m for m in page.run("return candor.methods()") if m["self"] > 0][0]
    row = page.run(
        "const b = [...document.querySelectorAll('#methods-body button')].find((b) => b.getAttribute('aria-label') === arguments[0]);"
        "return b && [...b.closest('tr').querySelectorAll('.interval')].map((e) => e.innerText)", share["name"])
    if row:
        low_high = profiles.wilson(share["self"] / expected.total, expected.effective)
        ct.ok(reads_as_interval(row[0], *low_high), "its intervals are those of a part of the samples", (row, low_high))

    page.show(profile, "#focus=%d&drop=%d" % (2, 2))
    ct.ok(page.text("#empty-title") == "Nothing is shown", "nothing left is said to be nothing")
    page.show(profile, "#query=Recursion")
    page.run("document.querySelector(\"#methods-body [aria-label='com.acme.Recursion.f']\").focus()")
    page.press("o")
    focused = lambda: page.run("return document.activeElement.getAttribute('aria-label')")
    ct.ok(focused() == "com.acme.Recursion.f", "a key on the table leaves the focus on its row", focused())
    page.press("Enter")
    ct.ok(focused() == "com.acme.Recursion.f" and page.state()["regex"], "and so does picking it", focused())
    page.show(profile, "#focus=2&drop=2")
    page.click_on("#empty-clear")
    ct.ok(page.state()["all"] == profile.total and page.frames(), "and one click shows all again")

    page.run("document.activeElement.blur()")
    page.press("r")
    ct.ok(not page.state()["recursion"], "r is a key of the graph")
    page.run("document.getElementById('canvas').focus()")
    page.press("r")
    once = profile.map(lambda path: tuple(f for i, f in enumerate(path) if not i or f[0] != path[i - 1][0]))
    ct.ok(page.state()["recursion"] and once.stacks != profile.stacks, "r collapses recursion")
    methods_right(page, once, "recursion")
    page.click_on("#recursion")
    methods_right(page, profile, "recursion again")


def chains(page, profile):
    page.show(profile)
    before = page.state()["nodes"]
    page.click_on("#chains")
    kids = {}
    for path in profile.frames():
        kids.setdefault(path[:-1], []).append(path)
    single = [p for p in profile.frames() if len(kids.get(p, [])) == 1 and profile.under(p) == profile.under(kids[p][0])]
    ct.ok(page.state()["nodes"] == before - len(single) < before, "chains: %d of %d frames are folded" % (len(single), before))
    folded = page.frame(lambda f: f["folded"] > 0 and f["width"] > 20)
    page.hover_frame(folded)
    ct.ok("with %d caller" % folded["folded"] in page.text("#tooltip"), "and the others say how many", page.text("#tooltip"))
    methods_right(page, profile, "chains leave the table alone")
    page.click_on("#chains")
    ct.ok(page.state()["nodes"] == before, "chains again")


def sandwich(page, profile):
    name = "com.acme.Recursion.f"
    outermost = {}
    below, above = {}, {}
    for path, weight in profile.stacks.items():
        at = next((i for i, frame in enumerate(path) if frame[0] == name), None)
        if at is not None:
            outermost[path] = weight
            below[path[at + 1:]] = below.get(path[at + 1:], 0) + weight
            above[path[:at][::-1]] = above.get(path[:at][::-1], 0) + weight
    callees, callers = profile.like(below), profile.like(above)
    for way in ("button", "key", "key on the table", "double click"):
        page.show(profile)
        if way in ("double click", "key on the table"):
            page.query("Recursion")
            row = "document.querySelector(\"#methods-body [aria-label='%s']\")" % name
            if way == "double click":
                left, top = page.run("const b = %s.getBoundingClientRect(); return [b.left + 9, b.top + 9]" % row)
                page.double_click(left, top)
                ct.ok(page.state()["query"] == "Recursion", "a double click leaves the search as it was", page.state()["query"])
            else:
                page.run(row + ".focus()")
                page.press("s")
            page.query("")
        else:
            select(page, name)
            page.click_on("#sandwich") if way == "button" else page.press("s")
        state = page.state()
        ct.ok(state["view"] == "sandwich" and state["total"] == profile.methods()[name][1],
              "sandwich by %s: the method's total, once per stack" % way, state["total"])
    frames_right(page, callees, "sandwich: callees")
    frames_right(page, callers, "sandwich: callers", "upper")
    method, top = page.frame(lambda f: f["depth"] == 0), page.frames("upper")
    ct.ok(method["label"] and name.endswith(method["label"]), "the method stands in the middle", method["label"])
    ct.ok(all(f["y"] < method["y"] for f in top), "its callers stand above it")
    caller = next(f for f in top if f["depth"] == 1)
    page.click_frame(caller)
    ct.ok(page.state()["upperZoom"] == caller["frame"] and caller["shownName"] in page.text("#details-text"),
          "a caller can be zoomed into", page.text("#details-text"))
    page.run("document.getElementById('upper-canvas').focus()")
    page.press("Escape", "Home", "ArrowUp")
    ct.ok(page.state()["upperSelected"] == 1, "and be reached by keys: up is towards the root", page.state()["upperSelected"])
    weight = sum(w for path, w in profile.stacks.items() if any("Thread.run" in f[0] for f in path))
    page.query("Thread.run")
    ct.ok(page.state()["search"]["weight"] == weight, "a search counts the weight of the whole profile")
    page.query("")
    page.click_on("#clear")
    ct.ok(page.state()["view"] == "calls", "Clear all leads out of it")


def heat_box(page):
    return page.run("const b = document.getElementById('heat').getBoundingClientRect(); return [b.left, b.top, b.width, b.height]")


def drag(page, begin, end):
    move = lambda at: {"type": "pointerMove", "duration": 0, "x": round(at[0]), "y": round(at[1])}
    page.act(page.pointer(move(begin), {"type": "pointerDown", "button": 0}, move(end), {"type": "pointerUp", "button": 0}))


def times(page, profile):
    page.show(profile)
    left, top, width, height = heat_box(page)
    columns = profile.BUCKETS // 10
    at = lambda column, cell: (left + (column + 0.5) * width / columns, top + (cell + 0.5) * height / 10)
    drag(page, at(20, 3), at(60, 5))
    state = page.state()
    ct.ok((state["from"], state["to"]) == (203, 606), "a drag chooses from cell to cell", (state["from"], state["to"]))
    some = profile.part(lambda bucket, _: 203 <= bucket < 606)
    methods_right(page, some, "a range of time")
    frames_right(page, some, "a range of time")
    ct.ok("4.06 s to 12.1 s" in page.text("#chips"), "which the bar names", page.text("#chips"))
    page.run("document.getElementById('canvas').focus()")
    page.press("i")
    frames_right(page, some.callers(), "a range of time, inverted")
    page.click_on("#clear")
    ct.ok(page.state()["all"] == profile.total, "Clear all shows all time")

    page.show(profile)
    page.run("document.getElementById('heat').focus()")
    page.press("ArrowRight", "ArrowRight", "ArrowDown")
    page.press("ArrowRight", "ArrowRight", "ArrowDown", shift=True)
    ct.ok(page.text("#heat-text").startswith("220 ms to 660 ms"), "keys mark a range", page.text("#heat-text"))
    page.press("Enter")
    state = page.state()
    ct.ok((state["from"], state["to"]) == (11, 33), "and Enter chooses it", (state["from"], state["to"]))
    methods_right(page, profile.part(lambda bucket, _: 11 <= bucket < 33), "a range by keys")
    page.press("Escape")
    ct.ok(page.state()["to"] == -1, "Esc undoes it")

    names = page.run("return [...document.querySelectorAll('#lanes .thread')].map((b) => [b.title, b.lastChild.innerText])")
    weights = {t: sum(w for (_, thread, _), w in profile.slices.items() if thread == t) for t in range(4)}
    order = sorted(weights, key=lambda t: -weights[t])
    shown = [name.replace("\\u202e", "\u202e") for name, _ in names]
    ct.ok(shown == [profile.THREADS[t] for t in order]
          and all(reads_as_share(share, weights[t] / profile.total) for t, (_, share) in zip(order, names)),
          "a lane per thread, with its share, those with most time first", names)
    page.click_on("#lanes li:nth-child(1) button")
    page.click_on("#lanes li:nth-child(3) button")
    chosen = {order[0], order[2]}
    two = profile.part(lambda _, thread: thread in chosen)
    methods_right(page, two, "two threads")
    pressed = page.run("return [...document.querySelectorAll('#lanes .thread')].map((b) => b.getAttribute('aria-pressed'))")
    ct.ok(pressed == ["true", "false", "true", "false"], "whose lanes are marked", pressed)
    page.click_on("#by-thread")
    by_thread = {}
    for (_, thread, path), weight in profile.slices.items():
        if thread in chosen:
            key = ((profile.THREADS[thread], "Thread"),) + path
            by_thread[key] = by_thread.get(key, 0) + weight
    frames_right(page, profile.like(by_thread), "by thread")
    hash_ = page.run("return location.hash")
    page.reopen(hash_ + "&from=100&to=900")
    both = profile.part(lambda bucket, thread: thread in chosen and 100 <= bucket < 900)
    ct.ok(page.state()["all"] == both.total and page.state()["byThread"], "time and threads and by thread, from the address")
    page.reopen("#from=5000&to=9&threads=77.1&method=99999&view=sandwich&focus=99999")
    ct.ok(page.state()["view"] == "calls" and page.state()["to"] == -1 and page.state()["focus"] == [],
          "an address of what is not there does no harm", page.state())
    page.show_json(json.dumps(dict(json.loads(profile.json()), by_thread=True)))
    ct.ok({f["name"] for f in page.frames() if f["depth"] == 1} == set(profile.THREADS), "a file may begin by thread")
    page.show_json(json.dumps(dict(json.loads(profile.json()), slices=None)))
    ct.ok(not page.run("return ['timeline', 'timeline-toggle', 'by-thread'].some((id) => document.getElementById(id).checkVisibility())"),
          "without times nothing offers them")


def packed(page, profile):
    """The page reads columns in the program's encoding, with and without the browser's own inflate."""
    data = json.loads(profile.json())
    for key, column in data["nodes"].items():
        if key != "count":
            data["nodes"][key] = profiles.pack(column, key == "parent" and column == sorted(column))
    order = sorted(profile.frames() | {()}, key=lambda path: len(path))
    ct.ok(len(order) == data["nodes"]["count"], "as many nodes as frames")
    parents = json.loads(profile.json())["nodes"]["parent"]
    data["nodes"]["parent"] = parents if parents != sorted(parents) else data["nodes"]["parent"]
    for text, template in (
        ("by the browser", flamepage.template()),
        ("by the page", flamepage.template().replace("typeof DecompressionStream", "typeof NoSuchStream")),
    ):
        path = ct.WORK / "packed.html"
        if text == "by the page":
            # Another script needs another hash: this copy has no policy.
            ct.ok("typeof NoSuchStream" in template, "the page asks whether the browser can inflate")
            template = re.sub(r'<meta http-equiv="Content-Security-Policy"[^>]*>', "", template)
        profiles.write_page(template, path, json.dumps(data))
        page.file = path
        page.reopen()
        methods_right(page, profile, "columns inflated " + text)


def comparison(page, profile):
    before = profiles.changed(profile)
    page.show_json(profile.json(before), "#unsure=1")
    ct.ok("before.jfr → everyday.jfr" in page.text("#title") and page.state()["colour"] == "change"
          and page.state()["sort"] == "change", "a comparison opens as one, by change")
    frames_right(page, profile, "comparison: after")
    others = [(f["path"], f["other"]) for f in page.frames() if f["other"] != before.under(f["path"])]
    ct.ok(not others, "comparison: each frame has its time before", others[:3])
    now, then = profile.methods(), before.methods()
    names = {*now, *then}
    change_of = lambda name, wider: profiles.newcombe(then.get(name, (0, 0))[0] / before.total, before.effective / wider,
                                                      now.get(name, (0, 0))[0] / profile.total, profile.effective / wider)
    expect = {name: change_of(name, 1) for name in names}
    # The changes of all methods are tested together: as sure as that one list of a hundred names a false one.
    together = {name: change_of(name, 2 * math.log(len(names) / 0.01) / 1.959964**2)[1:] for name in names}
    rows = page.run("""return [...document.querySelectorAll("#methods-body tr")].map((tr) =>
        [tr.querySelector("button").getAttribute("aria-label"), ...[...tr.querySelectorAll("span")].map((e) => e.innerText)])""")
    wrong = []
    for name, change, interval, *_ in rows:
        if name in expect:
            value, low, high = expect[name]
            mark = "▲ " if together[name][0] > 0 else "▼ " if together[name][1] < 0 else ""
            ends = interval.split(" to ")
            if not (change.startswith(mark) and reads_as_share(change[len(mark):], value)
                    and reads_as_share(ends[0], low) and reads_as_share(ends[1], high)):
                wrong.append((name, change, interval, expect[name]))
    ct.ok(len(rows) > 60 and not wrong, "%d methods have their change, its interval and whether it is sure" % len(rows), wrong[:3])
    sure = [name for name, (low, high) in together.items() if low > 0 or high < 0]
    ct.ok({row[0] for row in rows[: len(sure)]} == set(sure) and "com.acme.Gone.away" in sure,
          "the sure ones first", [row[0] for row in rows[:12]])
    largest = max(sure, key=lambda name: abs(expect[name][0]))
    said = page.text("#answer")
    ct.ok(said.startswith(f"The own share of {len(sure)} methods changed by more than sampling explains, most of all that of {largest}: "),
          "as the sentence says", said)
    page.click_on("#unsure")
    fewer = page.run("return [...document.querySelectorAll('#methods-body button')].map((b) => b.getAttribute('aria-label'))")
    folded = re.match(r"(\d+) further methods: not sure", page.text("#unsure"))
    ct.ok(set(sure) <= set(fewer) and folded and len(fewer) + int(folded[1]) == len(expect) and len(fewer) < len(rows),
          "what chance may explain is folded away, and counted", (len(fewer), page.text("#unsure"), len(expect)))
    page.click_on("#unsure")
    order = [abs(expect[row[0]][0]) for row in rows[: len(sure)]]
    ct.ok(order == sorted(order, reverse=True), "the largest first")
    gone = page.run("return candor.frames().some((f) => f.name === 'com.acme.Gone.away')")
    page.choose("width", "before")
    frames_right(page, before, "comparison: before")
    there = page.frame(lambda f: f["name"] == "com.acme.Gone.away")
    page.hover_frame(there)
    ct.ok(not gone and "0% after: -" in page.text("#tooltip"), "what has gone is there with the width of before", page.text("#tooltip"))
    blue = page.fill(there)
    page.choose("width", "after")
    red = page.fill(page.frame(lambda f: f["name"] == "com.acme.Main.worker1"))
    colours = [tuple(int(c[i:i + 2], 16) for i in (1, 3, 5)) for c in (blue, red)]
    ct.ok(colours[0][2] > colours[0][0] and colours[1][0] > colours[1][2], "less is blue, more is red", (blue, red))
    page.choose("colour", "package")
    ct.ok(page.state()["colour"] == "package", "and the other colors are there too")
    page.reopen("#view=callers&recursion=1")
    frames_right(page, profile.map(lambda path: tuple(f for i, f in enumerate(path) if not i or f[0] != path[i - 1][0])).callers(),
                 "comparison: inverted")
    data = json.loads(profile.json(before))
    name = data["strings"].index("com.acme.Main.worker1")
    page.show_json(json.dumps(dict(data, changes=[[name, -0.011, 0.022, 0, 0.033, 0.044, 1, 0.012, 0.056]])))
    page.query("Main.worker1")
    row = page.run("return [...document.querySelectorAll('#methods-body tr span')].map((e) => e.innerText)")
    ct.ok(row[1] == "-1.10 to +2.20 pt" and row[4] == "+3.30 to +4.40 pt" and not row[0].startswith("▲") and row[3].startswith("▲")
          and row[2].endswith(", least +1.20 pt") and row[5].endswith(", least +5.60 pt") and " → " in row[2],
          "what was found with all samples at hand is better than what the page finds", row)
    page.reopen("#query=Main.worker1&recursion=1")
    row = page.run("return [...document.querySelectorAll('#methods-body tr span')].map((e) => e.innerText)")
    ct.ok(row[1] != "-1.10 to +2.20 pt", "but not of a part", row)
    page.show(profile, "#colour=change&sort=change&width=before")
    ct.ok(page.state()["colour"] == "package" and page.state()["width"] == "after"
          and not page.run("return document.getElementById('width').checkVisibility()"), "one profile alone has none of it")


def svg(page, profile):
    page.show(profile, "#table=hidden&timeline=hidden")
    text = page.run("return candor.svg()")
    root = xml.etree.ElementTree.fromstring(text)
    groups = root.findall(SVG + "g")
    frames = page.frames()
    by_title = {}
    for g in groups:
        box = g.find(SVG + "rect")
        by_title.setdefault(g.find(SVG + "title").text, []).append((float(box.get("x")), float(box.get("width"))))
    missing = [f["shownName"][:50] for f in frames if f["width"] > 2 and not any(
        title.startswith(f["shownName"]) and any(abs(x - (f["x"])) < 0.6 and abs(w - f["width"]) < 1.1 for x, w in boxes)
        for title, boxes in by_title.items())]
    ct.ok(len(groups) > 100 and not missing, "every frame visible is in the SVG, at its place", missing[:5])
    ct.ok(not re.search(r"<script|<image|href|javascript:", text) or "<script" not in re.sub(r"&#\d+;", "", text),
          "and nothing that acts")
    rows = {float(g.find(SVG + "rect").get("y")) for g in groups}
    ct.ok(len(rows) == page.state()["rows"], "all %d rows are" % len(rows))
    (ct.WORK / "picture.svg").write_text(text)


# Every stream of the page takes a while to inflate.
SLOW = """const read = Response.prototype.arrayBuffer;
    Response.prototype.arrayBuffer = function () {
        return new Promise((done) => setTimeout(done, 300)).then(() => read.call(this));
    };"""
HOSTILE = '"><img src=x onerror=alert(1)>'


def spans(page, profile):
    """A page is ready when its parts are read, too. A name of a span is a text, and a link leads to a web page or nowhere."""
    columns = {"start_us": [0, 5], "length_us": [9, 0], "exact": [0, 1], "trace": [1, 2], "span": [1, 2], "endpoint": [3, 3],
               "thread": [3, 3], "cpu_ns": [2000, 1], "wall_ns": [0, 0], "alloc_bytes": [0, 0], "lock_ns": [0, 0], "samples": [2, 1]}
    data = {"start_ns": 10**18, "traces": 2, "all": 2, "count": 2, "without": 0, "link": "javascript:alert(1)//{trace}",
            "texts": ["", "c0ffee", HOSTILE, HOSTILE], **{key: profiles.pack(some, key == "start_us") for key, some in columns.items()}}
    part = '</script>\n<script type="application/json" class="candor-part" data-part="spans">'
    page.file = ct.WORK / "spans.html"
    page.file.write_text(flamepage.template().replace(profiles.DATA_MARK, part.join(
        text.replace("<", "\\u003c") for text in (profile.json(), json.dumps(data)))), encoding="utf-8")
    slow = page.devtools("Page.addScriptToEvaluateOnNewDocument", source=SLOW)["identifier"]
    page.reopen("#panel=traces")
    page.devtools("Page.removeScriptToEvaluateOnNewDocument", identifier=slow)
    told = page.text("#panel-bar")
    ct.ok(told == "Traces (2)", "a page that is ready has all of its parts, however slow it is", told)
    told = page.text("#panel")
    images, links = page.run("return [document.images.length, document.querySelectorAll('#panel a').length]")
    ct.ok(told.count(HOSTILE) >= 2 and images == links == 0, "names of spans are texts, and no link runs a script", (told, images, links))


def main():
    flamepage.need()
    profile = profiles.everyday()
    with flamepage.Flame(*TALL) as page:
        for part in (filters, chains, sandwich, times, packed, comparison, svg, spans):
            part(page, profile)
        messages = page.messages()
        ct.ok(not messages, "the browser reports no errors", messages)
    ct.done()


main()
