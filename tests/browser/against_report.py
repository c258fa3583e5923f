"""Runs candor report on a recording, and compares a page of the viewer with it."""

import json
import math
import re

import flamepage
import profiles
from flamepage import ct, reads_as_interval, reads_as_share

ROWS = """return [...document.querySelectorAll("#methods-body tr")].map((tr) =>
    [tr.querySelector("button").getAttribute("aria-label"), ...[...tr.querySelectorAll("span")].map((e) => e.innerText)])"""


# -- the truth ---------------------------------------------------------------------------------------------------------

def record(name, *sources):
    """A recording of javac that compiles these sources; None if there is no JDK for it."""
    jdk = next((ct.jdk(v) for v in (21, 17, 25) if ct.jdk(v)), None)
    file = ct.WORK / f"{name}.jfr"
    made = ct.candor("record", "-i", "2ms", "-o", file, "--", jdk.java, "-m", "jdk.compiler/com.sun.tools.javac.Main", "-sourcepath",
                     ct.ROOT / "tests" / "java", "-implicit:class", "-d", ct.WORK / name, *sources)
    ct.ok(made.status == 0, f"{name}: javac is recorded", made)
    return file


def report(file, *options, threshold=0):
    result = ct.candor("report", "--json", "--top", "0", "--threshold", str(threshold), *options, file)
    if result.status:
        raise RuntimeError(f"candor report: {result}")
    return json.loads(result.out)


def page_of(file):
    made = file.with_name(file.name + ".html")
    result = ct.candor("convert", file, made)
    ct.ok(result.status == 0, f"{file.name} becomes a page", result)
    return made


def exactly(name):
    return "^" + re.sub(r"([\\^$.*+?()\[\]{}|])", r"\\\1", name) + "$"


def nodes(tree, path=()):
    """{names from the root: node} for a report's tree."""
    found = {}
    for child in tree["children"]:
        found[path + (child["name"],)] = child
        found.update(nodes(child, path + (child["name"],)))
    return found


def close(text, value):
    """The report prints six digits, the page fewer: where the page rounds, both roundings are right."""
    shown, half = flamepage.share(text)
    return abs(shown - value) <= half + 1e-5 * abs(value) + 1e-9


def near(text, share, low, high, samples):
    """The page has effects in thousandths, rounded up. The effect that gives the report's interval is found by bisection."""
    little, much = 0.0, 1000.0
    for _ in range(60):
        middle = (little + much) / 2
        little, much = (middle, much) if profiles.wilson(share, samples, middle or 1e-9)[1] < high else (little, middle)
    effect = math.ceil(much - 1e-3)  # the report prints six digits
    return any(reads_as_interval(text, *profiles.wilson(share, samples, e)) for e in (effect - 1, effect, effect + 1) if e > 0)


def rows_of(page):
    return page.run(ROWS)


# -- the page shows what the report says -----------------------------------------------------------------------------

def agrees(page, want, text):
    """All visible methods, the rows of the table and their order, and the bar that shows how much is visible."""
    seen = {m["name"]: (m["self"], m["total"]) for m in page.run("return candor.methods()")}
    seen.pop("[truncated]", None)  # a frame that stands for missing frames; it is not a method
    told = {m["name"]: (m["self"], m["total"]) for m in want["methods"]}
    wrong = {name: (seen.get(name), told.get(name)) for name in {*seen, *told} if seen.get(name) != told.get(name)}
    good = ct.ok(len(told) > 3 and not wrong and page.state()["all"] == want["sampled"],
                 f"{text}: {len(told)} methods have the report's self and total", list(wrong.items())[:3])
    if not good or not page.run("return document.getElementById('methods').checkVisibility()"):
        return
    rows, sampled = rows_of(page), want["sampled"]
    bad = [row for row in rows if row[0] in told and not (reads_as_share(row[1], told[row[0]][0] / sampled)
                                                          and reads_as_share(row[3], told[row[0]][1] / sampled))]
    own = [told[row[0]][0] for row in rows if row[0] in told]
    ct.ok(len(own) > 3 and not bad and own == sorted(own, reverse=True), f"{text}: and so say the table's {len(rows)} rows", bad[:3])
    if page.run("return document.getElementById('sight').checkVisibility()"):
        part = re.search(r", (\S+%) of the profile", page.text("#sight-text"))
        ct.ok(part and reads_as_share(part[1], sampled / (sampled + want["filtered"])), f"{text}: the bar says how much that is",
              page.text("#sight-text"))


def same_frames(page, truth, text):
    """Each visible frame is the report's node with the same path, and no frame that is wide enough is missing."""
    frames = [f for f in page.frames() if f["depth"]]
    wrong = [f["path"] for f in frames for node in [truth.get(tuple(name for name, _ in f["path"] or ()))]
             if not node or (node["total"], node["self"], node["type"]) != (f["total"], f["self"], f["type"])]
    all_ = page.state()["total"]
    lowest = max(f["depth"] for f in frames)
    width = page.run("return document.getElementById('scroll').clientWidth")
    shown = {tuple(name for name, _ in f["path"]) for f in frames if f["path"]}
    missing = [path for path, node in truth.items() if len(path) <= lowest and node["total"] * width > 1.5 * all_ and path not in shown]
    ct.ok(len(frames) > 50 and not wrong and not missing, f"{text}: {len(frames)} frames are the report's", (wrong[:2], missing[:2]))


def sums_agree(page, truth, text, pane="main"):
    """The same if the page also divides frames by their type: the frames with one path add up to the report's node, except frames
    narrower than a pixel."""
    sums, frames = {}, page.frames(pane)
    for f in frames:
        if f["depth"] and f["path"]:
            names = tuple(name for name, _ in f["path"])
            sums[names] = sums.get(names, 0) + f["total"]
    all_ = next(f["total"] for f in frames if f["depth"] == 0)
    width = page.run("return document.getElementById('scroll').clientWidth")
    lowest = max(f["depth"] for f in frames)
    unseen = 5 * all_ / width  # a frame may have this many types, each at most a pixel wide
    wide = [path for path, node in truth.items() if len(path) <= lowest and node["total"] > unseen]
    wrong = [(path, truth[path]["total"], sums.get(path)) for path in wide if not 0 <= truth[path]["total"] - sums.get(path, 0) < unseen]
    ct.ok(wide and not wrong, f"{text}: {len(wide)} frames are the report's", wrong[:2])
