#!/usr/bin/env python3
"""How fast the viewer is with a large profile: first picture, zoom, search, and actions that build the tree again.

usage: script/bench viewer [--frames N] [--rounds N]

Each figure is the time from the action to the picture that shows it, in a headless Chromium: median and worst of the rounds. The
first picture is measured from the beginning of the page's load, including reading the file from disk.
"""
import argparse
import json
import pathlib
import statistics
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "tests" / "browser"), str(ROOT / "tests" / "lib")]
import browser
import profiles

PAGE = ROOT / "build" / "web" / "flame.html"
FIRST_PICTURE_MS, ACTION_MS = 1000, 100  # the targets

# Runs the action and waits until its picture is drawn: the second callback comes after the first picture.
TIMED = """const done = arguments[arguments.length - 1];
const go = (address) => {
    history.replaceState(null, "", address);
    dispatchEvent(new Event("hashchange"));
};
const begin = performance.now();
%s
requestAnimationFrame(() => setTimeout(() => done(performance.now() - begin), 0));"""

ACTIONS = (
    ("zoom", "go('#zoom=' + (1 + arguments[0] % 3));"),
    ("zoom out", "document.getElementById('reset').click();"),
    ("search", "const q = document.getElementById('query'); q.value = 'method' + (1 + arguments[0] % 9);"
               "q.dispatchEvent(new Event('input'));"),
    ("next match", "document.getElementById('next').click();"),
    ("no search", "const q = document.getElementById('query'); q.value = ''; q.dispatchEvent(new Event('input'));"),
    ("inverted", "document.getElementById('callers').click();"),
    ("upright", "document.getElementById('callers').click();"),
    ("collapse chains", "document.getElementById('chains').click();"),
    ("with chains", "document.getElementById('chains').click();"),
    ("hide a method", "go('#hide=' + (1 + arguments[0]));"),
    ("clear all", "document.getElementById('clear').click();"),
    ("sandwich", "go('#view=sandwich&method=' + (1 + arguments[0]));"),
    ("clear", "document.getElementById('clear').click();"),
    ("range of time", "go('#from=' + 10 * arguments[0] + '&to=700');"),
    ("all time", "document.getElementById('clear').click();"),
    ("zoom on time", "go('#axis=1000.' + (2000 + arguments[0]));"),
    ("whole time", "document.getElementById('axis-all').click();"),
    ("open a pool", "document.querySelector('#lanes .opener').click();"),
    ("close a pool", "document.querySelector('#lanes .opener').click();"),
)


def packed(frames):
    """A profile's data as the program writes them."""
    data = json.loads(profiles.large(frames))
    nodes = data["nodes"]
    order = level_order(nodes["parent"], nodes["self"])
    place = [0] * frames
    for new, old in enumerate(order):
        place[old] = new
    for key, column in nodes.items():
        if key == "parent":
            nodes[key] = profiles.pack([place[column[old]] for old in order], True)
        elif key != "count":
            nodes[key] = profiles.pack([column[old] for old in order])
    rows = 200_000
    data["threads"] = ["worker-%d" % i for i in range(16)]
    data["slices"] = {
        "count": rows, "bucket_ns": 10_000_000, "buckets": 6000,
        "time": profiles.pack([6000 * i // rows for i in range(rows)], True),
        "thread": profiles.pack([i % 16 for i in range(rows)]),
        "node": profiles.pack([i * 7919 % frames for i in range(rows)]),
        "weight": profiles.pack([10_000_000 + i for i in range(rows)]),
    }
    return json.dumps(data)


def level_order(parent, own):
    """Level by level, siblings by size."""
    total, children = list(own), {}
    for i in range(len(parent) - 1, 0, -1):
        total[parent[i]] += total[i]
    for i in range(1, len(parent)):
        children.setdefault(parent[i], []).append(i)
    order, at = [0], 0
    while at < len(order):
        order += sorted(children.get(order[at], ()), key=lambda i: -total[i])
        at += 1
    return order


def first_picture(page, file):
    page.open(file)
    return page.wait_for("return performance.getEntriesByName('candor-drawn').map((mark) => mark.startTime)[0]")


def action(page, script, number):
    return page.ask("POST", "/execute/async", {"script": TIMED % script, "args": [number]})


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--frames", type=int, default=1_000_000)
    parser.add_argument("--rounds", type=int, default=7)
    options = parser.parse_args()
    why = browser.missing() or (None if PAGE.exists() else "build/web/flame.html is not built")
    if why:
        sys.exit("bench viewer: " + why)
    with tempfile.TemporaryDirectory() as work, browser.Browser() as page:
        file = pathlib.Path(work) / "large.html"
        profiles.write_page(PAGE.read_text(encoding="utf-8"), file, packed(options.frames))
        print("%d frames, %.1f MB" % (options.frames, file.stat().st_size / 1e6))
        times = {"first picture": [first_picture(page, file) for _ in range(min(3, options.rounds))]}
        for i in range(options.rounds):
            for name, script in ACTIONS:
                times.setdefault(name, []).append(action(page, script, i))
        print("%-16s %10s %10s %10s" % ("", "median", "worst", "target"))
        for name, values in times.items():
            target = FIRST_PICTURE_MS if name == "first picture" else ACTION_MS
            print("%-16s %7.0f ms %7.0f ms %7d ms" % (name, statistics.median(values), max(values), target))


main()
