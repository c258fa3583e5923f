"""The flame graph page with more frames than pixels: it draws the frames that fit, and counts all of them.

tier: default
timeout: 600
"""

import json

import flamepage
import profiles
from flamepage import ct


COARSE_FROM = 300_000  # web/model/coarse.ts
SAVE_AT_ONCE = """document.getElementById("recursion").click();
    const before = [candor.state().coarse, document.getElementById("found").textContent];
    document.getElementById("save").click();
    return [...before, candor.state().coarse];"""


def expected(data, query):
    """(frames, weight) of a search, computed from the columns of the file."""
    nodes = data["nodes"]
    hit = [query in s.lower() for s in data["strings"]]
    covered, frames, weight = [False] * len(nodes["parent"]), 0, 0
    for i in range(1, len(covered)):
        match = hit[nodes["name"][i]]
        frames += match
        covered[i] = match or covered[nodes["parent"][i]]
        weight += nodes["self"][i] if covered[i] else 0
    return frames, weight


def check(page, count):
    text = profiles.large(count)
    data = json.loads(text)
    page.show_json(text)
    state = page.state()
    ct.ok(state["nodes"] == count and state["total"] == data["total"], "%d frames are there" % count)
    size = page.run("const s = document.getElementById('scroll'); return [s.clientWidth, s.clientHeight]")
    rows = size[1] // 18 + 1
    ct.ok(
        len(page.frames()) < state["drawn"] < size[0] * rows,
        "no more is drawn than there are pixels: %d" % state["drawn"],
    )
    ct.note("drawn in %.1f ms" % state["drawTime"])
    for query in ("method1", "class7.method7"):
        page.query(query)
        found = page.state()["search"]
        ct.ok(
            (found["frames"], found["weight"]) == expected(data, query), "search %s counts all of them" % query, found
        )
    page.press("Enter", "Enter")
    state = page.state()
    ct.ok(
        state["search"]["position"] == 2
        and any(f["frame"] == state["selected"] and f["width"] >= 24 for f in page.frames()),
        "the second match is visible",
    )
    page.press("Escape", "Escape")
    page.click_on("#reset")
    page.click_on("#callers")
    page.wait_for("return !candor.state().coarse")  # the exact picture follows a coarse one
    state = page.state()
    ct.ok(
        state["view"] == "callers" and state["total"] == data["total"],
        "callers: %d frames, the same total" % state["nodes"],
    )
    first = [f for f in page.frames() if f["depth"] == 1]
    own = {}
    for name, weight in zip(data["nodes"]["name"][1:], data["nodes"]["self"][1:]):
        own[data["strings"][name]] = own.get(data["strings"][name], 0) + weight
    sums = {}
    for f in first:
        sums[f["name"]] = sums.get(f["name"], 0) + f["total"]
    ct.ok(
        all(total <= own[name] for name, total in sums.items())
        and (len(first) < 3 or first[0]["total"] >= first[1]["total"] >= first[2]["total"]),
        "its first row is the methods' self time",
    )
    ct.note(
        "callers drawn in %.1f ms; %s"
        % (
            state["drawTime"],
            page.text("#notes") if not page.run("return document.getElementById('notes').hidden") else "all followed",
        )
    )
    page.query("method1")
    coarse, found, then = page.run(SAVE_AT_ONCE)
    ct.ok((coarse, "(coarse)" in found, then) == (count > COARSE_FROM, count > COARSE_FROM, False),
          "figures of a coarse picture are marked, and a file has exact ones", (coarse, found, then))


def with_coarse(count):
    """The data of a profile with a coarse copy: the root and its children, with the weight of what is below them."""
    data = json.loads(profiles.large(count))
    nodes = data["nodes"]
    top = [i for i in range(count) if nodes["parent"][i] == 0]
    place, own = {node: at for at, node in enumerate(top)}, [0] * len(top)
    for i in range(count):
        place[i] = place[i] if i in place else place[nodes["parent"][i]]
        own[place[i]] += nodes["self"][i]
    some = {key: [nodes[key][i] for i in top] for key in ("name", "type", "self_effect", "total_effect")}
    data["coarse"] = {"nodes": {"count": len(top), "parent": [0] * len(top), "self": own, **some}, "slices": None}
    return data


# Clicks a frame of the coarse picture, before anything else is read.
CLICK_FIRST = """const mark = performance.mark.bind(performance);
performance.mark = (name) => {
    if (name === "candor-drawn") {
        const frame = candor.frames().filter(({ depth }) => depth === 1).pop();
        window.clicked = [candor.state().coarse, frame.name];
        document.getElementById("canvas").dispatchEvent(new MouseEvent("click",
            { clientX: frame.x + frame.width / 2, clientY: frame.y + 4 }));
        window.clicked.push(candor.state().coarse);
    }
    return mark(name);
};"""


def click_first(page, data):
    made = page.devtools("Page.addScriptToEvaluateOnNewDocument", source=CLICK_FIRST)
    page.show_json(json.dumps(data))
    state, clicked = page.state(), page.run("return clicked")
    ct.ok(clicked[::2] == [True, True] and not state["coarse"] and state["zoomed"]["name"] == clicked[1]
          and state["nodes"] == data["nodes"]["count"], "a click on the coarse picture waits for the frame in the exact one",
          (clicked, state))
    page.devtools("Page.removeScriptToEvaluateOnNewDocument", identifier=made["identifier"])


def staged(page):
    """A page that reads a coarse copy first, and then everything."""
    count = 3000
    data = with_coarse(count)
    page.show_json(json.dumps(data))
    state = page.wait_for("const s = candor.state(); return s.coarse ? null : s")
    ct.ok((state["nodes"], state["total"]) == (count, data["total"]), "all frames follow the coarse copy", state["nodes"])
    ct.ok("(coarse)" not in page.text("#answer"), "and the sentence is exact", page.text("#answer"))
    click_first(page, data)
    page.show_json(json.dumps(data), "#zoom=%d" % (count - 1))
    state = page.state()
    ct.ok(state["zoomed"]["frame"] == count - 1 and state["nodes"] == count, "an address with a frame is read with all frames")
    for part, wrong in (("nodes", {**data["nodes"], "self": [1] * count}), ("nodes", {**data["nodes"], "name": "x"})):
        page.show_json(json.dumps({**data, part: wrong}))
        text = page.text("#empty")
        ct.ok("cannot be shown" in text and "damaged" in text, "if the rest is damaged, the page says so", text)


def deep(page):
    """A stack that is deeper than the height of any canvas."""
    n = 5001
    nodes = {
        "parent": [0] + list(range(n - 1)),
        "name": [0] + [1 + i % 2 for i in range(n - 1)],
        "type": [2] * n,
        "self": [0] * (n - 1) + [1000],
        "count": n,
        "self_effect": [1000] * n,
        "total_effect": [1000] * n,
    }
    page.show_json(
        json.dumps(
            {
                "title": "deep",
                "unit": "ns",
                "total": 1000,
                "samples": 10,
                "effective_samples": 10,
                "books": None,
                "accounts": [],
                "strings": ["all", "a.B.c", "a.B.d"],
                "types": profiles.TYPES,
                "nodes": nodes,
                "methods": [],
            }
        )
    )
    page.run("document.getElementById('scroll').scrollTop = 1e9")
    page.settle()
    last = [f for f in page.frames() if f["depth"] == n - 1]
    ct.ok(len(last) == 1 and last[0]["label"] == "a.B.d", "the deepest of %d rows can be scrolled to" % n)
    page.click_frame(last[0])
    ct.ok(page.state()["zoomed"]["depth"] == n - 1, "and clicked")
    page.click_on("#flip")
    shown = [f["depth"] for f in page.frames()]
    ct.ok(n - 1 in shown, "and is visible when flipped", shown)


def main():
    flamepage.need()
    with flamepage.Flame() as page:
        check(page, 100_000)
        if ct.TIER == "all":
            check(page, 1_000_000)
        else:
            ct.skip("a million frames", "only in the tier all")
        staged(page)
        deep(page)
        messages = page.messages()
        ct.ok(not messages, "the browser reports no errors", messages)
    ct.done()


main()
