#!/usr/bin/env python3
"""How fast the server's page is with a large fleet behind it: the first picture with data of each view, and what people do in it.

usage: script/bench page [--services N] [--hosts N] [--samples N] [--stacks N] [--rounds N]

A server gets one recording of 24 hours from each of HOSTS hosts of SERVICES services, with SAMPLES samples of CPU time (Zipf, of STACKS
stacks; bench/server/recordings.c). It is one recording a host in place of one a minute, so that it can be sent in minutes: the sums by
which the server answers are as many, the lists of recordings are shorter. Sixteen recordings are made, and sent under all the labels.
Then a headless Chromium opens each view for the whole day. "First picture" is the time from the beginning of the navigation until the
page shows the data it has asked for; an action's is the time to the picture that shows its effect: median and worst of the rounds. The
browser and the server share the machine.
"""
import argparse
import gzip
import pathlib
import statistics
import sys
import urllib.parse

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / part) for part in ("tests/browser", "tests/lib", "bench/lib")]
import browser
import candortest as ct
from fleetpage import IDLE, Fleet
from server_costs import DAY, START, cpu_seconds, make, settle
from servers import Server

QUIET = ("--analyze-cpu", "0", "--max-disk", "20G", "--max-recordings", "200M")
BODIES = 16
TARGET_MS = {"first picture": 1000, "action": 50}
SERVICE = "service=s-0"
VIEWS = {"services": "", "service": SERVICE, "all services": "view=service&by=service", "by host": SERVICE + "&by=host",
         "timeline": SERVICE, "requests": "", "locks": SERVICE, "memory": SERVICE, "compare": SERVICE + "&against=before",
         "changes": SERVICE + "&against=before", "functions": "match=run", "findings": "", "alerts": "", "recordings": "", "health": ""}
# Keeps the time at which the page first showed its data.
WATCH = """const look = () => { if ((() => { %s })()) { window.drawnAt = performance.now(); } else { requestAnimationFrame(look); } };
addEventListener('DOMContentLoaded', look);""" % IDLE
TIMED = """const done = arguments[arguments.length - 1];
const begin = performance.now();
%s
requestAnimationFrame(() => setTimeout(() => done(performance.now() - begin), 0));"""
ACTIONS = {
    "services: sort": ("services", "document.querySelectorAll('.fleet th button')[arguments[0] % 3].click();"),
    "services: find": ("services", """const f = document.getElementById('bar-filter'); f.value = 's-' + arguments[0];
        f.dispatchEvent(new Event('input'));"""),
    "service: hide a value": ("by host", "document.querySelector('.over-time .keys button').click();"),
    "service: move over the chart": ("by host", """const c = document.querySelector('.over-time svg'), b = c.getBoundingClientRect();
        c.dispatchEvent(new PointerEvent('pointermove', {bubbles: true, clientX: b.left + 80 + 9 * arguments[0],
            clientY: b.top + 50}));"""),
    "service: search in the graph": ("service", """const q = document.getElementById('query'); q.value = 'method' + arguments[0];
        q.dispatchEvent(new Event('input'));"""),
    "keys: the sheet": ("services", """const d = document.getElementById('bar-keys');
        d.open ? d.close() : document.getElementById('bar-keys-open').click();"""),
}


def fill(server, options):
    files = [make(ct.WORK / "made" / str(i), 1, options.samples, DAY, START, options.stacks, seed=i)[0] for i in range(BODIES)]
    bodies = [file.read_bytes() for file in files]
    for host in range(options.hosts):
        for service in range(options.services):
            status, answer = server.send(bodies[(host + service) % BODIES], service=f"s-{service}", host=f"h-{service}-{host}",
                                         version=f"1.{host % 2}")
            if status != 200:
                sys.exit(f"page: a recording is not taken: {answer}")
    settle(server)


def address(name):
    words = VIEWS[name]
    view = "" if "view=" in words else "view=" + ("service" if name == "by host" else name) + "&"
    return "#" + view + (words + "&" if words else "") + urllib.parse.urlencode({"from": START, "to": START + DAY}) + "&zone=utc"


def first_picture(page, name):
    page.go(address(name))
    return page.wait_for("return window.drawnAt")


def action(page, name, number):
    return page.ask("POST", "/execute/async", {"script": TIMED % ACTIONS[name][1], "args": [number]})


def line(name, values, target):
    print("%-32s %7.0f ms %7.0f ms %5d ms%s" % (name, statistics.median(values), max(values), target,
                                                "" if statistics.median(values) <= target else "  missed"))


def measure(page, server, rounds):
    print("%-32s %10s %10s %8s" % ("", "median", "worst", "goal"))
    for name in VIEWS:
        before = cpu_seconds(server)
        values = [first_picture(page, name) for _ in range(rounds)]
        line(f"first picture: {name}", values, TARGET_MS["first picture"])
        print("%-32s %7.0f ms of the server's CPU" % ("", 1000 * (cpu_seconds(server) - before) / rounds))
    for name, (view, _) in ACTIONS.items():
        page.go(address(view))
        line(name, [action(page, name, i) for i in range(3 * rounds)], TARGET_MS["action"])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for option, initial in (("services", 100), ("hosts", 100), ("samples", 1440), ("stacks", 20000), ("rounds", 3)):
        parser.add_argument("--" + option, type=int, default=initial)
    options = parser.parse_args()
    why = browser.missing()
    if why:
        sys.exit("bench page: " + why)
    server = Server("page", *QUIET)
    fill(server, options)
    parts = [server.request("GET", path)[2] for path in ("/", "/fleet.js", "/fleet.css")]
    whole, packed = sum(map(len, parts)) / 1e3, sum(len(gzip.compress(part)) for part in parts) / 1e3
    print("%d services, %d hosts of each, %d samples of each" % (options.services, options.hosts, options.samples))
    print("page, script and style: %.0f KB, gzipped %.0f KB (goal: 350)" % (whole, packed))
    with Fleet(server) as page:
        page.window(1440, 900)
        page.devtools("Page.enable")
        page.devtools("Page.addScriptToEvaluateOnNewDocument", source=WATCH)
        measure(page, server, options.rounds)
    server.end()


main()
