#!/usr/bin/env python3
"""How fast the server's page is with a large fleet behind it: the first picture with data of each view, and what people do in it.

usage: script/bench page --fill FOLDER [--services N] [--hosts N] [--recordings N] [--samples N] [--stacks N] [--at-once N]
       script/bench page --store FOLDER [--rounds N] [--output FOLDER]     looks at it

--fill: makes the store. A server gets a day from each of HOSTS hosts of SERVICES services, in RECORDINGS recordings of the same length.
Each has SAMPLES samples of each of six kinds (Zipf, of STACKS stacks, with endpoints; bench/server/recordings.c). Recordings are fewer and
smaller than those of daemons, so that they can be sent in minutes: services, hosts, labels and days are as many. Sixteen series of
recordings are made, and sent under all the labels. With --at-once, a call sends so many recordings of each host, and the next call goes on.
--store: a headless Chromium opens each view for the whole day. "First picture" is the time from the beginning of the navigation until the
page shows the data that its picture needs; some columns and lists follow. An action begins when all is there, and its time is that to the
picture that shows its effect: median and worst of the rounds. The browser and the server share the machine. Raw data go to
OUTPUT/page.csv, the page to OUTPUT/page.md.
"""
import argparse
import gzip
import pathlib
import shutil
import statistics
import sys
import urllib.parse

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / part) for part in ("tests/browser", "tests/lib", "bench/lib")]
import browser
import candortest as ct
from fleetpage import IDLE, Fleet
from results import Results, output_option
from server_costs import DAY, START, cpu_seconds, make, settle
from servers import Server

QUIET = ("--analyze-cpu", "0", "--max-disk", "20G", "--max-recordings", "200M")
BODIES = 16
FIELDS = ("what", "kind", "run", "ms", "server_cpu_ms")
TARGET_KB = 350
TARGET_MS = {"first picture": 1000, "action": 50}
SERVICE = "service=s-0"
VIEWS = {"services": "", "service": SERVICE, "all services": "view=service&by=service", "by host": SERVICE + "&by=host",
         "timeline": SERVICE, "requests": "", "locks": SERVICE, "memory": SERVICE, "compare": SERVICE + "&against=before",
         "changes": SERVICE + "&against=before", "functions": "match=run", "findings": "", "alerts": "", "recordings": "", "health": ""}
# What is in sight needs no more answers; rows below are asked about when they come into sight.
SETTLED = "return [...document.querySelectorAll('.waiting')].every(e => e.getBoundingClientRect().top > innerHeight)"
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


def send_part(server, options, part):
    """One recording of each host. Those that the server already has count once."""
    seconds = DAY // options.recordings
    files = [make(ct.WORK / "made" / str(i), 1, options.samples, seconds, options.start + part * seconds, options.stacks,
                  seed=i + BODIES * part, kinds="all")[0] for i in range(BODIES)]
    bodies = [file.read_bytes() for file in files]
    for host in range(options.hosts):
        for service in range(options.services):
            status, answer = server.send(bodies[(host + service) % BODIES], service=f"s-{service}", host=f"h-{service}-{host}",
                                         version=f"1.{host % 2}")
            if status != 200:
                sys.exit(f"page: a recording is not taken: {answer}")


def state_file(store):
    """Beside the store: the second at which its day begins, how much there is of what, and how many recordings of each host are sent."""
    return store.with_suffix(".state")


def fill(options):
    state, sent, options.start = state_file(options.fill), 0, START
    if state.exists():
        options.start, options.services, options.hosts, options.recordings, options.samples, sent = map(int, state.read_text().split())
    server = Server(options.fill.resolve(), *QUIET)
    for part in range(sent, min(options.recordings, sent + options.at_once)):
        send_part(server, options, part)
        state.write_text(f"{options.start} {options.services} {options.hosts} {options.recordings} {options.samples} {part + 1}\n")
    if sent + options.at_once >= options.recordings:
        settle(server)
    server.end()


def address(name, start):
    words = VIEWS[name]
    view = "" if "view=" in words else "view=" + ("service" if name == "by host" else name) + "&"
    return "#" + view + (words + "&" if words else "") + urllib.parse.urlencode({"from": start, "to": start + DAY}) + "&zone=utc"


def first_picture(page, fragment):
    page.go(fragment)
    return page.wait_for("return window.drawnAt")


def act(page, name, number):
    return page.ask("POST", "/execute/async", {"script": TIMED % ACTIONS[name][1], "args": [number]})


def measure(page, server, results, start, rounds):
    for run in range(rounds):
        for name in VIEWS:
            before = cpu_seconds(server)
            ms = first_picture(page, address(name, start))
            used = 1000 * (cpu_seconds(server) - before)
            results.add(what=name, kind="first picture", run=run, ms=round(ms, 1), server_cpu_ms=round(used, 1))
    for name, (view, _) in ACTIONS.items():
        page.go(address(view, start))
        page.wait_for(SETTLED)
        for run in range(3 * rounds):
            results.add(what=name, kind="action", run=run, ms=round(act(page, name, run), 1), server_cpu_ms=0)


def rows_of(results, kind, names):
    for name in names:
        rows = [row for row in results.rows if (row["what"], row["kind"]) == (name, kind)]
        times = [row["ms"] for row in rows]
        cpu = f"{statistics.median(row['server_cpu_ms'] for row in rows):,.0f} ms" if kind == "first picture" else ""
        yield f"| {kind}: {name} | {TARGET_MS[kind]:,} ms | {statistics.median(times):,.0f} ms | {max(times):,.0f} ms | {cpu} |"


def page_of(results, server, sizes):
    parts = [server.request("GET", path)[2] for path in ("/", "/fleet.js", "/fleet.css")]
    packed = sum(len(gzip.compress(part)) for part in parts) / 1e3
    services, hosts, recordings, samples, _ = sizes
    return "\n".join([
        "# The server's page with a large fleet, measured", "", f"{results.origin()}.",
        f"{services} services of {hosts} hosts each, a day of each host in {recordings} recordings of {samples:,} samples of six kinds.",
        "A headless Chromium on the same machine. *First picture*: from the beginning of the navigation until the page shows the data it",
        "asked for. *Action*: until the picture that shows its effect.", "",
        results.load(), "",
        f"Page, script and style take {packed:,.0f} KB, packed by gzip (goal: {TARGET_KB}).", "",
        "| what | goal | median | worst | CPU of the server, median |", "|---|---|---|---|---|",
        *rows_of(results, "first picture", VIEWS), *rows_of(results, "action", ACTIONS)]) + "\n"


def look(options):
    start, *sizes = map(int, state_file(options.store).read_text().split())
    shutil.copytree(options.store, ct.WORK / "page", copy_function=shutil.copy)
    server = Server("page", *QUIET)
    results = Results(options.output / "page.csv", FIELDS)
    with Fleet(server) as page:
        page.window(1440, 900)
        page.devtools("Page.enable")
        page.devtools("Page.addScriptToEvaluateOnNewDocument", source=WATCH)
        measure(page, server, results, start, options.rounds)
    text = page_of(results, server, sizes)
    (options.output / "page.md").write_text(text)
    print(text)
    server.end()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--fill", type=pathlib.Path)
    what.add_argument("--store", type=pathlib.Path)
    for option, initial in (("services", 100), ("hosts", 100), ("recordings", 2), ("samples", 24), ("stacks", 2000), ("at-once", 24),
                            ("rounds", 3)):
        parser.add_argument("--" + option, type=int, default=initial)
    output_option(parser)
    options = parser.parse_args()
    why = browser.missing()
    if options.store and why:
        sys.exit("bench page: " + why)
    (fill if options.fill else look)(options)


main()
