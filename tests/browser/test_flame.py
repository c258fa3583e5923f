"""The flame graph page: every figure that it shows is right, and every control does what it says.

tier: default
timeout: 600
"""

import json
import re

import browser
import flamepage
import profiles
from flamepage import ct, reads_as_interval, reads_as_share, reads_as_time

TALL = (1280, 1500)  # all rows of the profile are visible


def figures_right(page, profile, text, view="calls"):
    """Every visible frame has the name, place, self and total that follow from whole stacks."""
    frames = page.frames()
    expected = profile if view == "calls" else profile.callers()
    total = profile.total
    wrong = [
        f
        for f in frames
        if f["path"] is None
        or f["total"] != (expected.under(f["path"]) if f["depth"] else total)
        or f["depth"]
        and f["self"] != expected.stacks.get(f["path"], 0)
    ]
    ct.ok(len(frames) > 100 and not wrong, "%s: %d frames have their self and total" % (text, len(frames)), wrong[:3])
    width = page.run("return document.getElementById('scroll').clientWidth")
    misplaced = [f for f in frames if abs(f["width"] - width * f["total"] / total) > 1e-6 * width]
    ct.ok(not misplaced, "%s: each is as wide as its share" % text, misplaced[:3])
    shown = {f["path"] for f in frames}
    least = 1.5 / width
    missing = [p for p in expected.frames() if p not in shown and expected.under(p) / total > least]
    ct.ok(not missing, "%s: none that is wide enough is missing" % text, missing[:3])
    by_row = {}
    for f in frames:
        by_row.setdefault(f["y"], []).append((f["x"], f["x"] + f["width"]))
    overlaps = [
        (a, b) for row in by_row.values() for a, b in zip(sorted(row), sorted(row)[1:]) if a[1] > b[0] + 1e-6 * width
    ]
    ct.ok(not overlaps, "%s: none overlaps another" % text, overlaps[:3])


def tooltip_right(page, profile):
    for frame in [f for f in page.frames() if f["depth"] in (2, 4, 6) and f["width"] > 6][:8]:
        page.hover_frame(frame)
        cells = page.run("return [...document.querySelectorAll('#tooltip td')].map((td) => td.innerText)")
        name, kind = frame["path"][-1]
        good = (
            page.text("#tooltip .name") == frame["shownName"]
            and page.text("#tooltip .type") == kind
            and len(cells) == 6
        )
        for value, effect, row in (
            (profile.under(frame["path"]), profiles.total_effect(name), cells[:3]),
            (profile.stacks.get(frame["path"], 0), profiles.self_effect(name), cells[3:]),
        ):
            good = (
                good
                and reads_as_time(row[0], value)
                and reads_as_share(row[1], value / profile.total)
                and reads_as_interval(row[2], *profiles.wilson(value / profile.total, profile.effective, effect))
            )
        ct.ok(good, "tooltip of %s: name, type, time, share and interval" % name[:40], cells)
    page.move(5, 5)
    ct.ok(page.run("return document.getElementById('tooltip').hidden"), "the tooltip goes when the mouse goes")


def zoom(page, profile):
    page.show(profile)
    frame = page.frame(lambda f: f["depth"] == 4 and f["width"] > 60)
    page.click_frame(frame)
    state = page.state()
    ct.ok(
        state["zoom"] == frame["frame"] and "zoom=%d" % frame["frame"] in page.run("return location.hash"),
        "a click zooms, and the address says so",
    )
    width = page.run("return document.getElementById('scroll').clientWidth")
    zoomed = page.frames()
    inside = [f for f in zoomed if f["depth"] > 4]
    ct.ok(
        inside and all(abs(f["width"] - width * f["total"] / frame["total"]) < 1e-6 * width for f in inside),
        "its children share its width",
    )
    ct.ok(all(f["width"] == width for f in zoomed if f["depth"] <= 4), "its ancestors fill the width")
    crumbs = page.run("return [...document.querySelectorAll('#crumbs button')].map((b) => b.innerText)")
    ct.ok(crumbs[0] == "all" and crumbs[-1] == frame["shownName"], "the path leads from the root to it", crumbs)
    child = page.frame(lambda f: f["depth"] == 5)
    page.hover_frame(child)
    ct.ok(
        reads_as_share(page.text("#tooltip .type:last-child").split(" ")[0], child["total"] / frame["total"]),
        "its child's tooltip says the share of it",
    )

    page.click_frame(child)
    page.back()
    page.settle()
    ct.ok(page.state()["zoom"] == frame["frame"], "back leads to the picture before")
    page.back()
    page.settle()
    ct.ok(page.state()["zoom"] == 0, "and to the one before that")

    for text, leave in (
        ("Esc", lambda: page.press("Escape")),
        ("Reset zoom", lambda: page.click_on("#reset")),
        ("the root's crumb", lambda: page.click_on("#crumbs li:first-child button")),
        ("a click on the root", lambda: page.click_frame(page.frame(lambda f: f["depth"] == 0))),
    ):
        page.reopen("#zoom=%d" % frame["frame"])
        before = page.state()["zoom"]
        leave()
        ct.ok(before == frame["frame"] and page.state()["zoom"] == 0, "%s shows the whole again" % text)
    ct.ok(page.run("return document.getElementById('reset').disabled"), "there is nothing more to reset then")


def wheel(page, profile):
    """Ctrl and the wheel zoom towards the frame under the mouse, frame by frame, and out again; the wheel alone does not zoom."""
    page.show(profile)
    frame = page.frame(lambda f: f["depth"] == 4 and 60 < f["width"] < 600)
    turn = lambda by, modifiers=2: page.devtools("Input.dispatchMouseEvent", type="mouseWheel", x=frame["x"] + frame["width"] / 2,
                                                 y=frame["y"] + frame["height"] / 2, deltaX=0, deltaY=by, modifiers=modifiers)
    zooms = lambda: page.state()["zoomed"]
    widths = [zooms()["total"]]
    turn(-100, modifiers=0)
    page.settle()
    ct.ok(zooms()["depth"] == 0, "the wheel alone does not zoom")
    while zooms()["frame"] != frame["frame"] and len(widths) < 9:
        turn(-100)
        page.wait_for("return candor.state().zoomed.total < arguments[0]", widths[-1], seconds=20)
        widths.append(zooms()["total"])
    ct.ok(widths[-1] == frame["total"] and widths == sorted(set(widths), reverse=True), "Ctrl and the wheel zoom in, frame by frame",
          widths)
    turn(100)
    wider = page.wait_for("return candor.state().zoomed.total > arguments[0] && candor.state().zoomed.total", widths[-1])
    ct.ok(wider == widths[-2], "and out again", (wider, widths))
    page.show(profile)
    left, steps = page.run("""const before = history.length;
        const zooms = [1, 2, 3].map(() => {
            document.getElementById("scroll").dispatchEvent(new WheelEvent("wheel", {
                ctrlKey: true, deltaY: -100, clientX: arguments[0], clientY: arguments[1], cancelable: true }));
            return candor.state().zoomed.total;
        });
        return [history.length - before, new Set(zooms).size];""", frame["x"] + frame["width"] / 2, frame["y"] + frame["height"] / 2)
    ct.ok(left == 1 and steps > 1, "the back button leads to the picture before a turn of the wheel, in one step", (left, steps))


def menu(page, profile):
    """A right click on a frame or on a row of the table, or the menu key, offers what the buttons under the graph do."""
    page.show(profile, "#table=shown")
    items = lambda: page.run("return [...document.querySelectorAll('#menu:not([hidden]) button')].map((b) => b.textContent)")
    right = lambda x, y: [page.devtools("Input.dispatchMouseEvent", type=kind, button="right", clickCount=1, x=x, y=y)
                          for kind in ("mousePressed", "mouseReleased")] and page.settle()
    of_method = ["Find all", "Sandwich", "Focus", "Drop", "Hide", "Copy name"]
    frame = page.frame(lambda f: f["depth"] == 4 and f["width"] > 60)
    middle = frame["x"] + frame["width"] / 2, frame["y"] + frame["height"] / 2
    right(*middle)
    ct.ok(items() == ["Zoom in", *of_method] and page.state()["selected"] == frame["frame"], "a right click opens the menu of a frame",
          items())
    page.press("ArrowUp", "ArrowDown", "Escape")
    ct.ok(not items() and page.state()["zoom"] == 0 and page.run("return document.activeElement.id") == "canvas",
          "Esc closes it, and gives the focus back")
    right(*middle)
    page.press("Enter")
    ct.ok(page.state()["zoom"] == frame["frame"] and not items(), "Enter chooses the first item: zoom")
    page.press("Escape")
    right(*middle)
    page.click_on("#menu button:nth-child(5)")
    drops = page.state()["drop"]
    ct.ok(len(drops) == 1 and not any(f["name"] == frame["name"] for f in page.frames()), "Drop drops the method", drops)
    page.click_on("#clear")
    row = page.run("const r = document.querySelector('#methods-body tr:nth-child(2)').getBoundingClientRect(); return [r.x + 20, r.y + 8]")
    right(*row)
    ct.ok(items() == of_method, "a row of the table has it, too", items())
    page.click_on("#menu button:nth-child(2)")
    state = page.state()
    second = page.run("return Number(document.querySelector('#methods-body tr:nth-child(2) button').dataset.name)")
    ct.ok(state["view"] == "sandwich" and state["method"] == second, "for its method", (state["method"], second))
    right(*row)
    page.click(5, 5)
    ct.ok(not items(), "a click elsewhere closes it")
    page.show(profile)
    frame = page.frame(lambda f: f["depth"] == 4 and f["width"] > 60)
    asked = lambda kind: page.run("""document.getElementById("canvas").dispatchEvent(new PointerEvent("contextmenu", {
        button: 0, pointerType: arguments[0], clientX: arguments[1], clientY: arguments[2], bubbles: true, cancelable: true}))""",
                                  kind, frame["x"] + frame["width"] / 2, frame["y"] + 5)
    asked("")
    ct.ok(not items() and page.state()["selected"] == -1, "the menu key does nothing if no frame is selected")
    asked("touch")
    ct.ok(items() == ["Zoom in", *of_method] and page.state()["selected"] == frame["frame"], "a long touch opens the menu of its frame",
          (items(), page.state()["selected"]))
    page.run("location.hash = '#view=callers'")
    page.wait_for("return candor.state().view === 'callers'")
    ct.ok(not items() and page.run("return document.activeElement.id") == "canvas", "it closes if another picture comes", items())
    bars = page.run("""return [...document.querySelectorAll('#methods-body .bar')].map((td) =>
        [td.querySelector('.value').innerText, getComputedStyle(td).backgroundSize])""")
    ct.ok(len(bars) > 20 and all(reads_as_share(text, float(size.split("%")[0]) / 100) for text, size in bars),
          "the rows have bars as long as their shares", bars[:4])


def search(page, profile):
    page.show(profile)
    for query, regex in (
        ("HashMap", False),
        ("hashmap.GET", False),
        ("Thread.run", False),
        ("^com\\.acme\\.", True),
        ("Recursion", False),
        ("(get|run)$", True),
        ("<img", False),
        ("שלום", False),
        ("\\.", True),
        ("__proto__", False),
    ):
        if page.state()["regex"] != regex:
            page.click_on("#regex")
        page.query(query)
        test = profiles.regex_search(query) if regex else profiles.text_search(query)
        frames, methods, weight = profile.matching(test)
        found = page.state()["search"]
        ct.ok(
            (found["frames"], found["methods"], found["weight"]) == (frames, methods, weight) and frames > 0,
            "search %s finds %d frames of %d methods" % (query, frames, methods),
            found,
        )
        texts = page.text("#found").split(" · ")
        ct.ok(
            texts[0].replace(",", "") == "%d frame%s" % (frames, "s" * (frames != 1))
            and reads_as_share(texts[2], weight / profile.total),
            "search %s says so, and the share" % query,
            texts,
        )

    page.query("HashMap")
    hit, quiet = set(), set()
    for f in page.frames():
        if f["width"] > 6:
            (hit if "HashMap" in f["name"] else quiet).add(page.fill(f))
    ct.ok(
        len(hit) == 1 and len(quiet) == 1 and hit != quiet, "matches are highlighted and nothing else is", (hit, quiet)
    )

    ranked = sorted((profile.under(p) for p in profile.frames() if "HashMap" in p[-1][0]), reverse=True)
    shown = []
    for press in range(1, 6):
        page.press("Enter")
        state = page.state()
        on_screen = [f for f in page.frames() if f["frame"] == state["selected"] and f["width"] >= 24]
        shown.append((state["selectedFrame"]["total"], state["search"]["position"], bool(on_screen)))
    ct.ok(
        shown == [(ranked[i], i + 1, True) for i in range(5)],
        "Enter goes from match to match, largest first, each visible",
        shown,
    )
    ct.ok(page.text("#found").startswith("5 of "), "and counts them")
    page.press("Enter", shift=True)
    ct.ok(page.state()["search"]["position"] == 4, "Shift+Enter goes back")
    page.click_on("#next")
    page.click_on("#previous")
    page.click_on("#previous")
    ct.ok(page.state()["search"]["position"] == 3, "so do the buttons")

    page.query("no such method")
    ct.ok(
        page.text("#found") == "No match" and page.run("return document.getElementById('next').disabled"),
        "no match is reported",
    )
    page.click_on("#regex")
    page.query("(")
    ct.ok(
        page.text("#found").startswith("Invalid regular expression")
        and page.run("return document.getElementById('query').getAttribute('aria-invalid')") == "true",
        "a broken expression is reported",
    )
    page.press("Escape")
    ct.ok(page.state()["query"] == "" and page.text("#found") == "", "Esc clears the search")


def directions(page, profile):
    page.show(profile)
    upright = {f["frame"]: f["y"] for f in page.frames()}
    page.click_on("#flip")
    flipped = page.frames()
    root = next(f for f in flipped if f["depth"] == 0)
    ct.ok(
        all(root["y"] - f["y"] == upright[f["frame"]] - upright[0] for f in flipped) and len(flipped) == len(upright),
        "flip turns every row round",
    )
    page.hover_frame(next(f for f in flipped if f["depth"] == 3 and f["width"] > 20))
    ct.ok(page.state()["hovered"]["depth"] == 3, "and the mouse finds the frame that is there")
    page.click_on("#flip")

    page.query("Recursion")
    weight = page.state()["search"]["weight"]
    page.click_on("#callers")
    state = page.state()
    ct.ok(state["view"] == "callers" and state["total"] == profile.total, "callers: the same total")
    ct.ok(state["search"]["weight"] == weight, "callers: the same share is found")
    page.press("Escape")
    figures_right(page, profile, "callers", "callers")
    page.back()
    page.settle()
    ct.ok(page.state()["view"] == "calls", "back leads out of the callers")


def colours(page, profile):
    page.show(profile, "#colour=type")
    by_type = {}
    for stack, weight in profile.stacks.items():
        if stack:
            by_type[stack[-1][1]] = by_type.get(stack[-1][1], 0) + weight
    legend = page.run(
        """return [...document.querySelectorAll("#legend-list li")].map((li) => [li.querySelector("bdi").innerText,
        li.innerText, getComputedStyle(li.querySelector(".swatch")).backgroundColor])"""
    )
    good = all(reads_as_share(text.split(" ")[-1], by_type.get(label, 0) / profile.total) for label, text, _ in legend)
    ct.ok(good and len(legend) == len(profiles.TYPES), "the legend has every frame type with its self share", legend)
    swatch = {label: "#%02x%02x%02x" % tuple(map(int, re.findall(r"\d+", colour))) for label, _, colour in legend}
    ct.ok(len(set(swatch.values())) == len(swatch), "each in a different color", swatch)
    wrong = [
        f["path"][-1] for f in page.frames() if f["depth"] and f["width"] > 6 and page.fill(f) != swatch[f["type"]]
    ]
    ct.ok(not wrong, "frames have the color of their type", wrong[:3])
    page.choose("colour", "package")
    labels = page.run("return [...document.querySelectorAll('#legend-list bdi')].map((e) => e.innerText)")
    ct.ok(
        page.state()["colour"] == "package"
        and any(label.startswith("other") for label in labels)
        and len(labels) == 10,
        "by package: nine packages and the others",
        labels,
    )


def keyboard(page, profile):
    page.show(profile)
    for _ in range(40):
        page.press("Tab")
        if page.run("return document.activeElement.id") == "canvas":
            break
    ct.ok(page.run("return document.activeElement.id") == "canvas", "Tab reaches the graph")
    page.press("ArrowDown")
    ct.ok(page.state()["selected"] == 0, "the first arrow selects the root")
    page.press("ArrowDown", "ArrowDown", "ArrowDown")
    first = page.state()["selectedFrame"]
    page.press("ArrowRight")
    second = page.state()["selectedFrame"]
    ct.ok(first["depth"] == second["depth"] == 3 and second["frame"] == first["frame"] + 1, "arrows go down and right")
    details = page.text("#details-text")
    ct.ok(
        second["shownName"] in details and second["type"] in details and second["rows"][0]["value"] in details,
        "the line below says what is selected",
        details,
    )
    page.press("ArrowLeft", "ArrowUp")
    ct.ok(page.state()["selected"] == first["parent"], "arrows go left and up")
    page.press("Enter")
    ct.ok(page.state()["zoom"] == first["parent"], "Enter zooms")
    page.press("Backspace")
    ct.ok(page.state()["zoomed"]["depth"] == 1, "Backspace zooms out by one")
    for key, field, value in (
        ("f", "flip", True),
        ("i", "view", "callers"),
        ("t", "colour", "type"),
        ("m", "table", "hidden"),
    ):
        page.press(key)
        ct.ok(page.state()[field] == value, "the key %s" % key)
    page.press("/")
    ct.ok(page.run("return document.activeElement.id") == "query", "/ leads to the search")
    page.type("f?i/")
    ct.ok(page.state()["query"] == "f?i/" and page.state()["view"] == "callers", "where keys are only text")
    page.press("Escape", "Escape")
    ct.ok(page.run("return document.activeElement.id") == "canvas", "Esc leads back")
    page.press("?")
    ct.ok(page.run("return document.getElementById('help').open"), "? opens the help")
    page.press("Escape")
    ct.ok(not page.run("return document.getElementById('help').open"), "Esc closes it")


def table(page, profile):
    page.show(profile)
    methods = profile.methods()
    for sort in ("self", "total"):
        page.click_on("#sort-" + sort)
        rows = page.run("""return [...document.querySelectorAll("#methods-body tr")].map((tr) =>
            [tr.querySelector("button").getAttribute("aria-label"), ...[...tr.querySelectorAll("span")].map((e) => e.innerText)])""")
        want = sorted((m[sort == "total"] for m in methods.values()), reverse=True)[:200]
        right = len(rows) == len(want)
        for (name, own, own_interval, total, total_interval), value in zip(rows, want):
            given = methods.get(name)
            right = right and (given is None or given[sort == "total"] == value)  # None: a name with escapes
            if given:
                right = (
                    right
                    and reads_as_share(own, given[0] / profile.total)
                    and reads_as_share(total, given[1] / profile.total)
                    and reads_as_interval(own_interval, *profiles.wilson(
                        given[0] / profile.total, profile.effective, profiles.self_effect(name)))
                    and reads_as_interval(total_interval, *profiles.wilson(
                        given[1] / profile.total, profile.effective, profiles.total_effect(name)))
                )
        ct.ok(right, "methods by %s: order, shares and intervals" % sort, rows[:5])
    ct.ok(sum(row[0] in methods for row in rows) > 0.8 * len(rows), "methods are shown by their names")

    split = {
        "com.acme.Recursion.f": ["Recursion.f", "com.acme"],
        "com.acme.Service$$Lambda$15.0x00007fbaf8000a08.apply": [
            "Service$$Lambda$15.0x00007fbaf8000a08.apply",
            "com.acme",
        ],
        "com.acme.Parser.parse(java.lang.String, int)": ["Parser.parse(java.lang.String, int)", "com.acme"],
        "libc.so.6`memcpy": ["libc.so.6`memcpy", ""],
        "constructor": ["constructor", ""],
    }
    for name, parts in split.items():
        shown = page.run(
            "return [...[...document.querySelectorAll('#methods-body button')].find("
            "(b) => b.getAttribute('aria-label') === arguments[0]).children].map((e) => e.textContent)",
            name,
        )
        ct.ok(shown == parts, "class and method of %s come first" % name, shown)

    recursion = "com.acme.Recursion.f"
    pick = "[aria-label='%s']" % recursion
    page.click_on("#methods-body " + pick)
    found = page.state()["search"]
    ct.ok(
        found["weight"] == methods[recursion][1] and found["methods"] == 1,
        "a click on a method searches for exactly it",
        found,
    )
    ct.ok(
        page.run("return document.querySelectorAll('#methods-body tr').length") == len(rows)
        and page.run("return document.querySelector('tr.picked button').getAttribute('aria-label')") == recursion,
        "and marks its row",
    )
    page.click_on("#methods-body " + pick)
    ct.ok(page.state()["query"] == "", "a second click undoes it")
    page.query("hashmap")
    names = page.run(
        "return [...document.querySelectorAll('#methods-body button')].map((b) => b.getAttribute('aria-label'))"
    )
    ct.ok(sorted(names) == sorted(n for n in methods if "hashmap" in n.lower()), "a search filters the table", names)
    page.click_on("#methods-toggle")
    ct.ok(page.run("return document.getElementById('methods').hidden"), "the table can be hidden")


def books(page, profile):
    page.show(profile)
    given = profile.books
    shares = dict(re.findall(r"(complete|lost|residual) (\S+)", page.text("#books-summary")))
    stacks = re.search(r"(\S+) in samples with a stack", page.text("#books-summary"))
    ct.ok(
        reads_as_share(shares["complete"], given["complete_ns"] / given["cpu_ns"])
        and stacks
        and reads_as_share(stacks[1], (given["complete_ns"] + given["truncated_ns"]) / given["cpu_ns"])
        and reads_as_share(shares["lost"], sum(given["lost_ns"].values()) / given["cpu_ns"])
        and reads_as_share(shares["residual"], given["residual_ns"] / given["cpu_ns"]),
        "the books are visible",
        shares,
    )
    page.click_on("#books")
    rows = dict(
        (row[0].split("\n")[0].split("  ")[0], row[1:])
        for row in page.run("""return [...document.querySelectorAll("#books-body tr")].map(
        (tr) => [tr.cells[0].childNodes[tr.cells[0].firstChild.nodeName === "SPAN" ? 1 : 0].data,
                 ...[...tr.cells].slice(1).map((td) => td.innerText)])""")
    )
    expected = {
        "Complete": given["complete_ns"],
        "Truncated": given["truncated_ns"],
        "Failed": sum(given["failed_ns"].values()),
        "gc_active": given["failed_ns"]["gc_active"],
        "deopt": given["failed_ns"]["deopt"],
        "queue_full": given["lost_ns"]["queue_full"],
        "Unseen": given["unseen_ns"]["kernel"],
        "kernel": given["unseen_ns"]["kernel"],
        "Residual": given["residual_ns"],
    }
    wrong = [
        k
        for k, ns in expected.items()
        if not (k in rows and reads_as_time(rows[k][0], ns) and reads_as_share(rows[k][1], ns / given["cpu_ns"]))
    ]
    ct.ok(not wrong, "a click shows every account and reason", (wrong, rows))
    ct.ok(
        "after_exit" not in rows and rows["clock"] == [given["clock"]] and "Own cost" in rows,
        "and the clock and own cost",
    )
    words = {row["title"][0].upper() + row["title"][1:]: row["meaning"] for row in profiles.accounts()
             if row["role"] not in ("within", "beside")}
    told = dict(page.run("""return [...document.querySelectorAll("#books-body .meaning")].map(
        (e) => [e.previousSibling.data, e.innerText])"""))
    ct.ok(len(words) == 7 and told == words, "each in the words of the table of accounts", (told, words))
    page.press("Escape")
    ct.ok("truncated" not in page.text("#books-summary"), "a small account is not named in the bar")
    large = dict(given, truncated_ns=given["cpu_ns"] // 4, unseen_ns={"kernel": given["cpu_ns"] // 8})
    page.show_json(json.dumps(dict(json.loads(profile.json()), books=large)))
    named = page.run(
        "return [...document.querySelectorAll('#books-summary .figure')].map((e) => [e.innerText, e.offsetWidth])"
    )
    shown = {text for text, width in named if width > 60}
    ct.ok({"truncated 25.0%", "unseen 12.5%"} <= shown, "large ones are", named)
    by_lot = dict(given, unseen_ns={"not_drawn": -given["cpu_ns"] // 50})
    page.show_json(json.dumps(dict(json.loads(profile.json()), books=by_lot)))
    ct.ok("unseen -2.00% (-2.00% by chance: clocks by lot)" in page.text("#books-summary"), "what lots show too much is called chance",
          page.text("#books-summary"))
    negative = dict(given, residual_ns=-given["cpu_ns"] // 50)
    page.show_json(json.dumps(dict(json.loads(profile.json()), books=negative)))
    ct.ok(
        "residual -2.00%" in page.text("#books-summary"),
        "a negative residual is shown as such",
        page.text("#books-summary"),
    )
    alone = dict(given, truncated_ns=0)
    page.show_json(json.dumps(dict(json.loads(profile.json()), books=alone)))
    ct.ok("complete" not in page.text("#books-summary"), "an account that is all samples with a stack is not named again",
          page.text("#books-summary"))
    empty = {"cpu_ns": -5, "complete_ns": 0}
    page.show_json(json.dumps(dict(json.loads(profile.json()), books=empty)))
    told = page.text("#books-summary")
    ct.ok(told.startswith("The books are empty"), "books of nothing are not called none", told)
    page.show_json(json.dumps(dict(json.loads(profile.json()), books=None)))
    ct.ok(page.text("#books-summary").startswith("Nothing is known of what these samples miss"), "no books are said to be none")


def address(page, profile):
    page.show(profile)
    page.click_frame(page.frame(lambda f: f["depth"] == 3 and f["width"] > 80))
    page.query("run & get=#é")
    page.click_on("#flip")
    page.click_on("#sort-total")
    page.choose("theme", "dark")
    before, hash_ = page.state(), page.run("return location.hash")
    page.reopen(hash_)
    after = page.state()
    keys = ("view", "flip", "zoom", "selected", "query", "regex", "colour", "table", "sort", "theme", "themeShown")
    ct.ok(all(before[k] == after[k] for k in keys) and after["zoom"] > 0, "the address holds the state", hash_)
    for text in (
        "#zoom=99999999&selected=77777777",
        "#zoom=-1&flip=maybe&colour=%00&view=../x",
        "#%E0%A4%A&zoom=1e3",
        "#&&==&=",
        "#zoom=NaN",
    ):
        page.reopen(text)
        state = page.state()
        ct.ok(
            (state["zoom"], state["selected"], state["view"], state["colour"]) == (0, -1, "calls", "package")
            and len(page.frames()) > 100,
            "an address that makes no sense does no harm: %s" % text,
        )


def main():
    flamepage.need()
    profile = profiles.everyday()
    with flamepage.Flame(*TALL) as page:
        page.show(profile)
        ct.note("%d stacks, %d frames" % (len(profile.stacks), len(profile.frames())))
        ct.ok(
            page.state()["nodes"] == len(profile.frames()) + 1 and page.state()["total"] == profile.total,
            "all frames are there",
        )
        figures_right(page, profile, "calls")
        tooltip_right(page, profile)
        for part in (zoom, wheel, menu, search, directions, colours, keyboard, table, books, address):
            part(page, profile)
        messages = page.messages()
        ct.ok(not messages, "the browser reports no errors", messages)
    ct.done()


main()
