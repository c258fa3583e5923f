#!/usr/bin/env python3
"""How fast the viewer is with a large profile: first picture, zoom, search, and actions that build the tree again.

usage: script/bench viewer [--samples N] [--stacks N] [--frames N] [--rounds N]

A recording of SAMPLES samples of STACKS different stacks (Zipf; bench/server/recordings.c) becomes a page by `candor convert`. With
--frames the page has that many random frames instead, each as heavy as any other, which no program has. Each figure is the time from the
action to the picture that shows it, in a headless Chromium: median and worst of the rounds. The first picture is measured from the
beginning of the page's load, including reading the file from disk. With very many frames a coarse picture comes first; "exact" is the
median time after which the exact one is there, 300 ms of which the page waits for further actions.
"""
import argparse
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / part) for part in ("tests/browser", "tests/lib", "bench/lib")]
import browser
import profiles
from server_costs import make

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
    ("drop a method", "go('#drop=' + (2 + arguments[0]));"),
    ("clear that", "document.getElementById('clear').click();"),
    ("collapse recursion", "go('#recursion=1');"),
    ("with recursion", "go('#');"),
    ("all frames", "document.getElementById('fold').click();"),
    ("own code first", "document.getElementById('fold').click();"),
    ("sandwich", "go('#view=sandwich&method=' + (1 + arguments[0]));"),
    ("clear", "document.getElementById('clear').click();"),
    ("range of time", "go('#from=' + (1 + arguments[0]) + '&to=40');"),
    ("all time", "document.getElementById('clear').click();"),
    ("zoom on time", "go('#axis=10.' + (40 + arguments[0]));"),
    ("whole time", "document.getElementById('axis-all').click();"),
    ("open a pool", "document.querySelector('#lanes .opener').click();"),
    ("close a pool", "document.querySelector('#lanes .opener').click();"),
    ("choose a pool", "document.querySelector('#lanes .thread').click();"),
    ("all threads", "document.querySelector('#lanes .thread').click();"),
    ("choose a thread", "go('#threads=' + arguments[0]);"),
    ("every thread", "document.getElementById('clear').click();"),
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


def page_of_recording(folder, samples, stacks):
    (recording,) = make(folder / "made", 1, samples, 60, 1_764_153_600, stacks, seed=1, depth=40, threads=16)
    page = folder / "large.html"
    subprocess.run([ROOT / "build" / "candor", "convert", recording, page], check=True)
    recording.unlink()
    return page


def page_of_frames(folder, frames):
    page = folder / "large.html"
    profiles.write_page(PAGE.read_text(encoding="utf-8"), page, packed(frames))
    return page


def first_picture(page, file):
    page.open(file)
    return page.wait_for("return performance.getEntriesByName('candor-drawn').map((mark) => mark.startTime)[0]")


def action(page, script, number):
    return page.ask("POST", "/execute/async", {"script": TIMED % script, "args": [number]})


def until_exact(page):
    begin = time.monotonic()
    page.wait_for("return !candor.state().coarse")
    return 1000 * (time.monotonic() - begin)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for option, initial in (("samples", 10_000_000), ("stacks", 60_000), ("frames", 0), ("rounds", 7)):
        parser.add_argument("--" + option, type=int, default=initial)
    options = parser.parse_args()
    why = browser.missing() or (None if PAGE.exists() else "build/web/flame.html is not built")
    if why:
        sys.exit("bench viewer: " + why)
    with tempfile.TemporaryDirectory(dir="/var/tmp") as work, browser.Browser() as page:
        folder = pathlib.Path(work)
        file = page_of_frames(folder, options.frames) if options.frames else page_of_recording(folder, options.samples, options.stacks)
        times, exact = {"first picture": [first_picture(page, file) for _ in range(min(3, options.rounds))]}, {}
        until_exact(page)
        count = page.run("return JSON.parse(document.getElementById('candor-data').textContent).nodes.count")
        print("%d frames of %d samples, %.1f MB" % (count, options.frames or options.samples, file.stat().st_size / 1e6))
        for i in range(options.rounds):
            for name, script in ACTIONS:
                times.setdefault(name, []).append(action(page, script, i))
                exact.setdefault(name, []).append(until_exact(page))
        print("%-20s %10s %10s %10s %10s" % ("", "median", "worst", "target", "exact"))
        for name, values in times.items():
            target = FIRST_PICTURE_MS if name == "first picture" else ACTION_MS
            later = statistics.median(exact.get(name, [0]))
            print("%-20s %7.0f ms %7.0f ms %7d ms %s" % (name, statistics.median(values), max(values), target,
                                                        "%7.0f ms" % later if later > 200 else ""))


if __name__ == "__main__":
    main()
