#!/usr/bin/env python3
"""The threads of a JVM in the server's page: from the services to "why did nothing run" with three clicks, for a program that a real agent
recorded, and whose gap is known. A recording that is dropped on the page is shown, and not kept.

tier: default
timeout: 600
"""
import base64
import collections
import json
import pathlib
import re
import sys
import urllib.parse

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "lib")]
import browser
import candortest as ct
import flamedata
from fleetpage import share
from servers import Server
from test_fleet_questions import Person

JAR = ct.BUILD / "candor-context.jar"
PAGE = re.compile(r'<script type="application/json" class="candor-part" data-part="(\w+)">([^<]*)<')
REFUSED = """const real = window.fetch; window.fetch = (address, how) => (String(address).endsWith("/page")
    ? Promise.resolve(new Response('{"error": "it is too large"}', {status: 400})) : real(address, how))"""


def record():
    """A program of which all threads stop once for three seconds, and the nanoseconds between which they did."""
    jdk = next((ct.jdk(v) for v in (21, 17, 25) if ct.jdk(v)), None)
    if not jdk:
        ct.skip("the threads of a JVM", "no JDK of 17 or later is cached: script/jdks")
        ct.done()
    file = ct.WORK / "threads.jfr"
    classes = ct.own_classes(jdk, HERE / "Tasks.java", jars=[JAR])
    made = ct.candor("record", "-e", "cpu,wall,alloc,live,lock", "--jfr", "on", "--asm", "-o", file, "--",
                     jdk.java, "-Xmx256m", "-Dgap=3000", "-cp", f"{classes}:{JAR}", "Tasks", "4")
    gap = re.search(r"^(\d{13}) (\d{13})$", made.out, re.MULTILINE)
    ct.ok(made.status == 0 and gap, "a program with a gap is recorded", made)
    return file, [int(ms) * 1_000_000 for ms in gap.groups()]


def lanes(page):
    return page.run("return [...document.querySelectorAll('#lanes .thread')].map(b => b.title)")


def why(page, times):
    page.begin(times)
    page.view("Timeline")
    if page.run("return document.querySelectorAll('.timeline .row select option').length") > 2:
        page.pick(".timeline .row select", page.run("""return [...document.querySelectorAll('.timeline .row select option')]
            .find(o => o.textContent.includes('till')).value"""))
    page.drag(0, 1, "[data-metric=cpu] .chart")
    page.wait_for("return document.querySelector('#panel:not([hidden])')?.innerText.includes('Why did nothing run?')", seconds=60)
    page.answered("why was nothing running?", page.run("return document.querySelector('#panel').checkVisibility()"),
                  page.run("return candor.state()"))


def check(page, server, file, gap):
    (recording,) = server.get("/v1/recordings", **page.around)["recordings"]
    text = server.request("GET", f"/v1/recordings/{recording['id']}/page")[2].decode()
    parts = dict(PAGE.findall(text))
    halts = json.loads(ct.candor("report", "--kind", "halt", "--json", "--top", "500", file).out)
    ct.ok(json.loads(parts["halts"])["halts"] == halts["halts"] and {"halts", "marks", "findings", "locks", "spans"} <= set(parts),
          "the page that the server makes has the halts of the report", sorted(parts))
    why(page, page.times)
    threads = lanes(page)
    ct.ok({"till-*", "clerk", "main"} <= set(threads), "there is a lane for each pool and thread", threads)
    chosen = page.text("#sight")
    panel = page.text("#panel")
    ct.ok("Time " in chosen and "closer" in panel and "threads waited for" in panel,
          "the gap is chosen, and the thread that held up the others is named", (chosen, panel))
    slices = json.loads(re.search(r'id="candor-data">([^<]*)<', text)[1])["slices"]
    at = [slices["start_ns"] + slices["bucket_ns"] * bucket for bucket in page.run("const s = candor.state(); return [s.from, s.to]")]
    inside = max(0, min(at[1], gap[1]) - max(at[0], gap[0]))
    # The compilers and others may use the processor within the gap, and end it there.
    ct.ok(inside > 0.3 * (gap[1] - gap[0]) and inside > 0.7 * (at[1] - at[0]), "it is the gap of the program", (at, gap))
    address = page.threads = page.run("return location.hash")
    page.go(address)
    page.ready()
    ct.ok(page.text("#panel") == panel and page.text("#sight") == chosen, "the address holds all of it", page.text("#panel"))
    page.choose(".of-threads select", "all")
    page.ready()
    ct.ok(not lanes_shown(page) and page.methods(), "all samples of the time together have no lanes", page.run("return location.hash"))
    page.back()
    page.ready()
    ct.ok(lanes_shown(page) and page.text("#panel") == panel, "Back shows the threads again")
    page.choose(".of-threads select", "all")
    page.ready()
    page.run(REFUSED)
    page.choose(".of-threads select", str(recording["id"]))
    page.ready()
    ct.ok("it is too large" in page.text(".of-threads") and not lanes_shown(page) and page.methods(),
          "a recording that cannot be shown: the reason, and all samples", page.text(".timeline"))
    return text


def opened(page, text):
    """Open shows the whole recording, with its machine code; Memory has what grows in it."""
    page.go("#view=recordings&" + page.times)
    page.ready()
    page.run("[...document.querySelectorAll('.recordings .actions a')].find(a => a.textContent === 'Open').click()")
    page.ready()
    kinds = page.run("return [...document.querySelectorAll('#kinds button')].map(b => b.textContent)")
    ct.ok(lanes_shown(page) and len(kinds) >= 4 and "As the server received it" in page.text(".local"), "Open shows the whole recording",
          kinds)
    frame = page.run("return candor.frames().find(f => f.name === 'Tasks.price' || f.name === 'Tasks.work')?.frame ?? -1")
    page.go(page.run("return location.hash") + "&graph=" + urllib.parse.quote(f"fold=no&selected={frame}"))
    page.ready()
    data = json.loads(re.search(r'id="candor-data">([^<]*)<', text)[1])
    coded = {data["strings"][name] for name, _ in data["code"]}
    there = page.run("return [candor.state().selectedFrame?.name, document.querySelector('#code').checkVisibility()]")
    ct.ok(coded and there[1] == (there[0] in coded), "and machine code, where it was recorded", (coded, there))
    page.go("#view=memory&" + page.times)
    page.ready()
    ct.ok("Choose a service" in page.text(".growth"), "Memory asks for a service", page.text(".growth"))
    page.go("#view=memory&service=till&" + page.times)
    page.ready()
    live = json.loads(dict(PAGE.findall(text))["live"])
    shown = page.text(".growth")
    ct.ok("What grows, and what holds it" in shown and ("Alive after collections" in shown) == bool(live["live"]["sets"])
          and "What keeps objects alive was not recorded" in shown, "Memory: what is alive, and what grows", (shown, live))
    page.run("[...document.querySelectorAll('.growth a')].find(a => a.textContent === 'Open it').click()")
    page.ready()
    ct.ok(page.run("return candor.state().kind") == "live" and lanes_shown(page), "and its recording", page.run("return location.hash"))
    page.go("#view=memory&" + page.times)
    page.run(REFUSED + ";location.hash = arguments[0]", "#view=memory&service=till&" + page.times)
    ct.ok(page.wait_for("return document.querySelector('.growth').innerText.includes('it is too large')", seconds=60)
          and page.text(".of-classes table"), "one that cannot be read: the reason, below the classes", page.text(".of-classes"))


def calls_of(data, kept):
    """(self and total by name, weights of the calls between these names) of the flame graph in a page's data."""
    nodes = data["nodes"]
    parent, name, self = flamedata.column(nodes["parent"], True), flamedata.column(nodes["name"]), flamedata.column(nodes["self"])
    names = [data["strings"][one] for one in name]
    totals = list(self)
    for i in range(len(parent) - 1, 0, -1):
        totals[parent[i]] += totals[i]
    figures, weights = collections.defaultdict(lambda: [0, 0]), collections.Counter()
    stacks = [[]]  # the frames from the root to each frame, without the root
    for i in range(1, len(parent)):
        stacks.append(stacks[parent[i]] + [i])
        above = [names[j] for j in stacks[i][:-1]]
        figures[names[i]][0] += self[i]
        figures[names[i]][1] += 0 if names[i] in above else totals[i]
        some = [one for one in above if one in kept] + ([names[i]] if names[i] in kept else [])
        steps = list(zip(some, some[1:]))
        if names[i] in kept and steps and steps[-1] not in steps[:-1] and steps[-1][0] != steps[-1][1]:
            weights[steps[-1]] += totals[i]
    return figures, weights, totals[0]


def call_graph(page, server):
    """The drawn call graph has the methods where most of the weight is, and the weights of their calls."""
    page.go("#view=service&service=till&calls=drawn&" + page.times)
    page.ready()
    boxes = page.run("""return [...document.querySelectorAll('.call-node')].map(a =>
        [a.querySelector('title').textContent, a.lastChild.textContent])""")
    lines = page.run("return [...document.querySelectorAll('.call title')].map(t => t.textContent)")
    data = server.get("/v1/flamegraph", select='service="till"', type="cpu:ns", **page.around)["page"]
    kept = {name for name, _ in boxes}
    figures, weights, whole = calls_of(data, kept)
    _, direct, _ = calls_of(data, set(figures))
    ends = {name: total - max((weight for (one, _), weight in direct.items() if one == name), default=0)
            for name, (_, total) in figures.items()}
    least = min(ends[name] for name in kept)
    most = min(30, sum(total > 0 for _, total in figures.values()))
    ct.ok(len(kept) == most and all(end <= least for name, end in ends.items() if name not in kept),
          "the call graph has the methods, thirty at most, in which most of the weight ends or divides", boxes)
    ct.ok(all(text == f"self {share(figures[name][0] / whole)} · total {share(figures[name][1] / whole)}" for name, text in boxes),
          "with their shares", [(text, figures[name]) for name, text in boxes])
    wanted = sorted(f"{one} calls {two}: {share(weight / whole)}" for (one, two), weight in weights.items() if weight >= 0.002 * whole)
    ct.ok(len(wanted) > 2 and sorted(lines) == wanted, "and who calls whom, and how much", (sorted(lines), wanted))
    page.run("document.querySelector('.call-node').dispatchEvent(new MouseEvent('click', {bubbles: true, cancelable: true, view: window}))")
    page.ready()
    ct.ok("query" in page.run("return location.hash") and page.run("return candor.state().search.methods") >= 1,
          "a click finds the method in the flame graph", page.run("return location.hash"))
    page.run("document.querySelector('.of-graph-calls summary').click()")
    ct.ok(page.wait_for("return !location.hash.includes('calls=')", seconds=60), "the address holds whether it is open",
          page.run("return location.hash"))


def looks(page):
    at = "&" + page.times
    page.check_looks({"threads": page.threads, "a recording": "#view=recordings&recording=1" + at,
                      "what grows": "#view=memory&service=till" + at, "kinds of sample": "#view=service&service=till" + at,
                      "call graph": "#view=service&service=till&calls=drawn" + at})


def lanes_shown(page):
    return page.run("return document.querySelector('#lanes').checkVisibility()")


def dropped(page, server, file):
    """A recording that is dropped on the page."""
    before = server.get("/v1/recordings", **page.around)["recordings"]
    page.go("#view=recordings&" + page.times)
    page.ready()
    drop(page, "local.jfr", file.read_bytes())
    page.wait_for("return document.querySelector('.local:not([hidden])')", seconds=60)
    page.settle()
    ct.ok("The server made this page of it, and kept nothing" in page.text(".local"), "a dropped recording is shown",
          page.text(".recordings"))
    report = json.loads(ct.candor("report", "--json", "--top", "0", file).out)
    want = {row["name"]: row["self"] for row in report["methods"] if row["self"]}
    shown = {name: self for name, self, _ in page.methods() if self}
    ct.ok(shown == want and lanes_shown(page), "with the report's figures, and its threads", (len(shown), len(want)))
    ct.ok(server.get("/v1/recordings", **page.around)["recordings"] == before, "the server has kept nothing of it")
    page.choose(".local select", "till")
    alone = page.wait_for("return !document.querySelector('#lanes').checkVisibility()", seconds=60)
    ct.ok(alone and page.run("return Boolean(document.querySelector('#sort-self').innerText)"), "beside the samples of a service",
          page.text(".local"))
    page.run("document.querySelector('.local select').dispatchEvent(new Event('change'))")  # its answer comes later than what is next
    drop(page, "wrong.jfr", b"\0\1\2 not a recording")
    ct.ok(page.wait_for("return /not a JFR recording/.test(document.querySelector('.recordings .wrong').innerText)", seconds=60),
          "any other file is refused, with the reason", page.text(".recordings"))
    other = ct.WORK / "other.speedscope.json"
    ct.ok(ct.candor("convert", file, other).status == 0, "another profiler's file")
    drop(page, other.name, other.read_bytes())
    ct.ok(page.wait_for("return document.querySelector('.local h2').innerText.includes('other.speedscope.json')", seconds=60)
          and "The server made this page of it" in page.text(".local"), "is sent, too, though it is text as a page is",
          page.text(".recordings"))


def drop(page, name, content):
    page.run("""const bytes = Uint8Array.from(atob(arguments[1]), c => c.charCodeAt(0));
        const data = new DataTransfer(); data.items.add(new File([bytes], arguments[0]));
        document.querySelector('.recordings').dispatchEvent(new DragEvent('drop', {dataTransfer: data, bubbles: true}))""",
             name, base64.b64encode(content).decode())


def main():
    if browser.missing():
        ct.skip("the threads of a JVM in the server's page", browser.missing())
        ct.done()
    file, gap = record()
    server = Server("threads")
    with Person(server) as page:
        body = file.read_bytes()
        server.send(body, service="till", host="shop-1", version="1")
        (sent,) = server.get("/v1/recordings", **{"from": "-1h", "to": "now"})["recordings"]
        page.around = {"from": sent["start"] - 30, "to": sent["end"] + 31}
        page.times = "from=%(from)d&to=%(to)d&zone=utc" % page.around
        opened(page, check(page, server, file, gap))
        call_graph(page, server)
        looks(page)
        dropped(page, server, file)
        messages = [one for one in page.messages() if "400 (Bad Request)" not in one]
        ct.ok(not messages, "the browser has nothing to complain about", messages)
    ct.ok(server.end() == 0, "the server ends normally")
    ct.done()


if __name__ == "__main__":
    main()
