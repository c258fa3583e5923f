#!/usr/bin/env python3
"""The server's page in a real browser: services, one service over time, a comparison of two services. Every figure is compared with the
server's answers, and the address with the picture.

tier: default
timeout: 300
"""
import pathlib
import re
import sys
import time
import urllib.parse

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "lib")]
import browser
import candortest as ct
import recordings
from fleetpage import HERE as ADDRESS
from fleetpage import Fleet, share
from servers import Server

HOSTILE = "<img/src=x/onerror=alert(1)>\u202e"
SHOWN = "<img/src=x/onerror=alert(1)>\\u202e"
SECOND = 10**9
NOW = int(time.time()) // 60 * 60
HOUR = {"from": NOW - 3600, "to": NOW}
MINUTES = 40
PLACE = urllib.parse.urlencode(HOUR)
BOOKS = {"from": 1700000000 - 3600, "to": 1700000000 + 3600}
LOOKS = {"services": "", "service": "view=service&service=shop&by=host&", "compare": "view=compare&service=shop&",
         "functions": "view=functions&match=Work&", "a function": "view=functions&match=/^org%5C.shop%5C.Main%5C.run$/&",
         "findings": f"view=findings&{urllib.parse.urlencode(BOOKS)}&", "nothing": "where=host%3D%22none%22&"}


def fill(server):
    """shop: two kinds of work, one after the other, on two hosts of two versions; cart: a hostile name; and a recording with books."""
    for minute in range(MINUTES):
        hot = "early" if minute < MINUTES // 2 else "late"
        begun = NOW - 60 * (MINUTES - minute)
        place = "host=%s,version=1.%d" % ("ab"[minute % 2], 9 + minute % 2)
        work = f"org.shop.Main.run;org.shop.Work.{hot};java.util.HashMap.get 6000\norg.shop.Main.run 4000\n"
        server.request("POST", "/ingest", work.encode(), name="shop{%s}" % place, format="folded", **{"from": begun, "until": begun + 60})
    server.request("POST", "/ingest", f"org.cart.Main.run;{HOSTILE} 5000\n".encode(), name="cart{zone=z}", format="folded",
                   **{"from": NOW - 60, "until": NOW})
    server.send(recordings.make("books.jfr", recordings.example()).read_bytes(), service=HOSTILE)


def series(server, times=HOUR, **parameters):
    answer = server.get("/v1/series", **times, **parameters)
    return {one["value"]: sum(weight for _, weight in one["points"]) for one in answer["series"]}


def methods(server, select, times=HOUR):
    found = server.get("/v1/methods", select=select, limit=1000, **times)["report"]["methods"]
    return sorted((one["name"], one["self"], one["total"]) for one in found)


def cores(weight, times=HOUR):
    value = weight / SECOND / (times["to"] - times["from"])
    return "<0.01 cores" if value < 0.005 else f"{value:.2f} cores"


def check_services(page, server):
    ct.ok(page.go("#" + PLACE), "the page shows")
    rows, sums = page.rows(), series(server, by="service")
    ct.ok(set(rows) == {"shop", "cart"}, "the services of that time", rows)
    for name, row in rows.items():
        share = f"{100 * sums[name] / sum(sums.values()):.2f}".rstrip()
        ct.ok(row["CPU"] == cores(sums[name]) and row["Share"][:-1] in (share, share[:-1], f"{100 * sums[name] / sum(sums.values()):.1f}"),
              f"{name}: its CPU and its share", (row, sums))
    top = server.get("/v1/top", **HOUR, select='service="shop"', by="service", against="none")["groups"][0]["methods"][0]
    ct.ok(top["name"] == "org.shop.Main.run" and rows["shop"]["Hottest own method"].startswith(f"Main.run {100 * top['own_share']:.1f}% ("),
          "the hottest method that is the program's own", (rows["shop"], top))
    listed = {one["name"]: one for one in server.get("/v1/services", **HOUR)["services"]}["shop"]
    ct.ok(rows["shop"]["Hosts"] == str(len(listed["labels"]["host"])) and rows["shop"]["Newest version"].startswith("1.10")
          and rows["shop"]["Recordings"] == str(listed["recordings"]), "hosts, newest version and recordings", rows["shop"])
    page.run("document.querySelector('.fleet th button').click()")
    ct.ok(list(page.rows()) == ["cart", "shop"] and "sort=name" in page.run(ADDRESS), "sorted by name, which stands in the address")
    page.run("document.querySelector('.fleet tbody tr:last-child .star').click()")
    ct.ok(list(page.rows()) == ["shop", "cart"] and page.run("return document.querySelector('.star').ariaPressed") == "true",
          "a favorite comes first")
    page.go(page.run(ADDRESS))
    ct.ok(list(page.rows()) == ["shop", "cart"], "also after a reload")
    page.run("document.querySelector('.fleet tbody .star').click()")
    ct.ok(list(page.rows()) == ["cart", "shop"], "and no longer when the star is gone")
    page.press("/")
    page.type("sho")
    ct.ok(list(page.rows()) == ["shop"], "found by typing", page.run(ADDRESS))


def check_books(page, server):
    """A recording with books: the page shows their coverage, and a hostile name appears as text."""
    page.go("#" + urllib.parse.urlencode(BOOKS))
    row = page.rows().get(SHOWN, {})
    books = server.get("/v1/series", **BOOKS)["books"]
    amount = {role: sum(line["amount"] for line in books["lines"] if line["role"] == role) for role in ("whole", "seen", "failed")}
    share = 100 * (amount["seen"] + amount["failed"]) / amount["whole"]
    ct.ok(row.get("Coverage") == f"{share:.1f}%", "coverage, as the books have it", (row, amount))
    page.click_on(".fleet tbody a")
    page.idle()
    ct.ok(page.text(".service h1") == SHOWN and page.methods(), "a hostile service's own view",
          page.text(".service h1"))
    listed = [one for one in page.methods() if one[0] != "[truncated]"]  # a frame of the graph only
    ct.ok(listed == methods(server, "", BOOKS), "with its methods", listed)
    ct.ok(page.text(".service .aside") == f"{share:.1f}% sampled: {books['text']}", "the books in words", page.text(".service .aside"))
    ct.ok(page.run("return document.querySelectorAll('img').length") == 0, "no name became an element")


def check_service(page, server):
    page.go("#" + PLACE)
    page.click_on("a[data-service=shop]")
    page.idle()
    ct.ok(page.text(".service h1") == "shop" and page.methods() == methods(server, 'service="shop"'),
          "a click opens the service: its methods")
    ct.ok("Main.run" in page.text("#answer"), "a sentence says what is hottest", page.text("#answer"))
    total = series(server, select='service="shop"')[""]
    ct.ok(cores(total) in page.text(".readout"), "the chart's average", (page.text(".readout"), cores(total)))
    page.choose(".service .end select", "version")
    keys = page.run("return [...document.querySelectorAll('.service .keys button')].map(b => b.textContent)")
    parts = series(server, select='service="shop"', by="version")
    ct.ok(keys == [f"{name} {100 * parts[name] / total:.1f}%" for name in ("1.10", "1.9")],
          "split by a label: a legend with each value's share", (keys, parts))
    page.brush(0.4, 0.6)
    part = dict(zip(("from", "to"), map(int, page.run("return /part=(\\d+)-(\\d+)/.exec(location.hash).slice(1)"))))
    early = page.methods()
    ct.ok(early == methods(server, 'service="shop"', part) and not any("late" in name for name, _, _ in early),
          "a part of the time, by mouse: its methods alone", (part, early))
    address = page.run(ADDRESS)
    page.go(address)
    ct.ok(page.methods() == early and page.run(ADDRESS) == address and page.run("return !!document.querySelector('.brush')"),
          "a reload shows the same")
    page.run("document.querySelector('.service .chart').focus()")
    page.press("Escape")
    page.idle()
    ct.ok(page.methods() == methods(server, 'service="shop"'), "Escape: all of the time")
    page.press("Home", "ArrowRight", "Enter")
    page.idle()
    by_keys = page.run("return /part=(\\d+)-(\\d+)/.exec(location.hash).slice(1)")
    ct.ok(by_keys == [str(NOW - 3600 + 60), str(NOW - 3600 + 120)], "a part of the time, by keys", by_keys)
    ct.ok("No samples in this part" in page.text(".service .nothing"), "a part without samples says so", page.text(".service .nothing"))
    for expected in (methods(server, 'service="shop"'), early):
        page.back()
        page.idle()
        ct.ok(page.methods() == expected, "the back button: the picture before")
    page.ask("POST", "/forward", {})
    page.idle()
    ct.ok(page.methods() == methods(server, 'service="shop"'), "and forward again")


def check_pin(page):
    """The number of a frame, and a part of the time, are valid for one time only: a relative time becomes absolute."""
    page.go("#view=service&service=shop")
    page.run("document.getElementById('canvas').focus()")
    page.press("ArrowDown", "ArrowDown", "Enter")
    address = page.run(ADDRESS)
    ct.ok("zoom" in urllib.parse.unquote(address) and "from=" in address, "a zoom pins the time", address)
    zoomed = page.run("return candor.state().zoomed.name")
    page.go(address)
    ct.ok(page.run("return candor.state().zoomed.name") == zoomed, "and a reload has the same frame")
    page.go("#view=service&service=shop")
    page.brush(0.4, 0.6)
    address = page.run(ADDRESS)
    ct.ok("&part=" in address and "&from=" in address, "so does a part of the time", address)


def check_labels(page, server):
    page.go("#view=service&service=shop&" + PLACE)
    page.run("document.getElementById('bar-add').focus()")
    page.type("host=a")
    page.press("Enter")
    page.idle()
    ct.ok(page.methods() == methods(server, 'service="shop",host="a"'), "a label narrows everything", page.run(ADDRESS))
    offered = page.run("return [...document.querySelectorAll('#bar-hints option')].map(o => o.value)")
    ct.ok({'host="a"', 'version="1.9"', 'service="shop"'} <= set(offered) and 'version="1.10"' not in offered,
          "the labels and values of these recordings are offered", offered)
    before = page.methods()
    page.run("document.getElementById('bar-add').focus()")
    page.type("host=~\"(")
    page.press("Enter")
    page.idle()
    ct.ok("selector" in page.text("#problem") and page.methods() == before, "a wrong label is reported, and the picture stays",
          (page.text("#problem"), page.methods()))
    page.click_on("#bar-matchers li:last-child button")
    page.idle()
    ct.ok(page.run("return document.getElementById('problem').hidden") and page.methods() == before, "taken away")


def check_explorer(page, server):
    """The values of the label that splits the chart, and a click that leaves one out."""
    page.go("#view=service&service=shop&by=host&" + PLACE)
    page.click_on(".explorer summary")
    sums = series(server, select='service="shop"', by="host")
    shown = page.run("""return [...document.querySelectorAll('.explorer tbody tr')].map(r =>
        [...r.cells].map(c => c.textContent.trim()))""")
    ct.ok([row[0] for row in shown] == sorted(sums, key=lambda host: -sums[host]) and all(
        row[2] == cores(sums[row[0]]) and row[1] == f"{100 * sums[row[0]] / sum(sums.values()):.1f}%" for row in shown),
        "what each value has", (shown, sums))
    page.click_on(".explorer tbody tr:first-child a:last-child")
    page.idle()
    ct.ok(page.methods() == methods(server, f'service="shop",host!="{shown[0][0]}"'), "Without: everything but this", page.run(ADDRESS))


def check_compare(page, server):
    page.go("#view=compare&service=shop&against=label&label=host&" + PLACE)
    sides = [dict((name, weight) for name, weight, _ in methods(server, f'service="shop",host="{host}"')) for host in "ab"]
    shown = {name: (before, after) for name, before, after in page.run("return candor.methods().map(m => [m.name, m.otherSelf, m.self])")}
    ct.ok(shown == {name: tuple(side.get(name, 0) for side in sides) for name in {*sides[0], *sides[1]}},
          "two hosts: both sides of each method", shown)
    page.go("#view=compare&service=shop&against=before&from=%d&to=%d" % (NOW - 1200, NOW))
    text = page.text(".compare .sentence")
    ct.ok(text.startswith("2 methods surely changed: ") and "Work.early 60.0% → 0%" in text and "Work.late 0% → 60.0%" in text,
          "the time before: what the server is sure of", text)
    totals = page.run("return candor.methods().filter(m => /early|late/.test(m.name)).map(m => [m.name, m.otherTotal, m.total]).sort()")
    ct.ok(totals == [["org.shop.Work.early", 1200 * SECOND, 0], ["org.shop.Work.late", 0, 1200 * SECOND]],
          "before: early, after: late", totals)


def check_functions(page, server):
    page.go("#view=functions&match=Work&" + PLACE)
    shown = page.run("return [...document.querySelectorAll('.functions tbody tr')].map(r => [...r.cells].map(c => c.textContent))")
    found = server.get("/v1/functions", **HOUR, match="Work", by="service")["methods"]
    ct.ok([row[0].split()[0] for row in shown] == [one["name"].removeprefix("org.shop.") for one in found]
          and [row[2].split()[0] for row in shown] == [f"{100 * one['total_share']:.1f}%" for one in found]
          and all(row[3].startswith("shop ") for row in shown), "functions: which, how much, and where", (shown, found))
    check_one_function(page, server)
    page.go("#view=functions&match=Work&" + PLACE)
    page.click_on(".functions tbody .in a")
    page.idle()
    ct.ok(page.text(".service h1") == "shop" and page.run("return candor.state().query") == found[0]["name"],
          "a click leads to the method in the service's graph")


def check_one_function(page, server):
    """A method's name leads to its weight over time and by version: the figures of the server."""
    page.click_on(".functions tbody .column-name a")
    page.idle()
    name = server.get("/v1/functions", **HOUR, match="Work", by="service")["methods"][0]["name"]
    page.choose(".one-function select", "version")
    found = server.get("/v1/functions", **HOUR, match=name + "*", by="service,version")["methods"]
    (one,) = (row for row in found if row["name"] == name)
    shown = page.table(".one-function")
    ct.ok(sorted((row["Service"], row["Version"], row["Total"].split()[0], row["Self"].split()[0]) for row in shown) == sorted(
        (group["labels"]["service"], group["labels"]["version"], f"{100 * group['total_share']:.1f}%",
         f"{100 * group['self_share']:.1f}%" if group["self_share"] else "0%") for group in one["groups"]), "a function by version",
        (shown, one))
    drawn = server.get("/v1/functions/series", **HOUR, match=name + "*", by="version", step=60)["series"]
    legend = page.text(".one-function .chart-legend, .one-function .keys")
    ct.ok(len(drawn) == 2 and all(series["labels"]["version"] in legend for series in drawn), "and over time", (legend, drawn))
    ct.ok("by=version" in page.run(ADDRESS), "the address holds it", page.run(ADDRESS))
    check_share_over_time(page, server, name)
    check_neighbours(page, server, name)


def check_share_over_time(page, server, name):
    """The share in each step: the figure of the step below the cursor, of a version whose minutes have data in turn."""
    page.choose(".one-function select", "version")
    exact = {"match": f"/^{re.escape(name)}$/", "by": "version", "step": 60, **HOUR}
    drawn = server.get("/v1/functions/series", **exact)["series"]
    own = {one["labels"]["version"]: {at: total for at, _, total in one["points"]} for one in drawn}
    whole = {one["value"]: dict(one["points"]) for one in server.get("/v1/series", by="version", step=60, **HOUR)["series"]}
    at = max(second for second, weight in own["1.10"].items() if weight)
    want = f"1.10 {share(own['1.10'][at] / whole['1.10'][at])}"
    page.run("""const c = document.querySelector('.one-function .over-time:not([hidden]) .chart'); c.focus()""")
    page.press("Home", *["ArrowRight"] * ((at - HOUR["from"]) // 60))
    read = page.text(".one-function .over-time:not([hidden]) .readout")
    ct.ok(want in read, "a function's share over time is its weight by that of all samples of the step", (read, want))
    page.choose(".one-function label:last-of-type select", "weight")
    shown = page.run("""return [...document.querySelectorAll('.one-function .over-time')].map(e => e.hidden)""")
    ct.ok(shown == [True, False] and "measure=weight" in page.run(ADDRESS), "or its weight, which the address holds", shown)
    page.choose(".one-function label:last-of-type select", "")


def check_neighbours(page, server, name):
    """Callers and callees, and the stacks in the viewer. A click on the caller leads to it: a thread begins there, and it calls two."""
    def around():
        return [[(row["Method"].split(" ")[0], row["Share"].split()[0]) for row in page.table(".neighbours", number)] for number in (0, 1)]

    def total(of):
        return next(one["total"] for one in server.get("/v1/functions", match=of + "*", **HOUR)["methods"] if one["name"] == of)

    shown = server.get("/v1/flamegraph", match=f"/^{re.escape(name)}$/", **HOUR)["server"]["shown"]
    ct.ok(total(name) == shown == sum(weight for _, weight, _ in page.methods()),
          "the viewer has the stacks in which the function is, and no others", (total(name), shown, page.methods()))
    ct.ok(around() == [[("Main.run", "100.0%")], [("HashMap.get", "100.0%")]], "who calls it, and what it calls", around())
    page.click_on(".neighbours tbody a")
    page.ready()
    whole = total("org.shop.Main.run")
    works = [(one, share(total("org.shop." + one) / whole)) for one in ("Work.early", "Work.late")]
    own, called = around()
    rest = share(1 - sum(total("org.shop." + one) for one, _ in works) / whole)
    ct.ok(own == [("(a", "100.0%")] and sorted(called) == works and page.run("return candor.state().query") == "org.shop.Main.run"
          and f"{rest} is in the function itself" in page.text(".neighbours"),
          "a click: that function, and all of it adds up", (own, called, works, page.text(".neighbours")))
    page.run("document.querySelector('.machine-code summary').click()")
    page.wait_for("return /None of the 3|has machine code|deleted/.test(document.querySelector('.machine-code').textContent)", seconds=60)
    ct.ok("candor record --asm" in page.text(".machine-code"), "no machine code: how to record it", page.text(".machine-code"))
    page.run("""const f = document.getElementById('source');
        f.value = 'https://git.example/{path}'; f.dispatchEvent(new Event('change'))""")
    page.settle()
    ct.ok(page.run("return document.querySelector('.one-function .aside a').href") == "https://git.example/org/shop/Main.java",
          "where its source is, by the reader's template", page.text(".one-function"))


def check_pruned(page, server):
    """A call graph of a tree from which the server left out branches says so. The shares of its methods are exact."""
    when = {"from": NOW - 7200, "until": NOW - 7140}
    stacks = [f"org.wide.Main.run;org.wide.Work.some;org.wide.Small.m{i} 10" for i in range(25_000)]
    stacks += ["org.wide.Main.run;org.wide.Work.some 100000", "org.wide.Main.run;org.wide.Work.other 150000"]
    server.request("POST", "/ingest", "\n".join(stacks).encode(), name="wide{host=w}", format="folded", **when)
    times = {"from": NOW - 7300, "to": NOW - 7000}
    page.go("#view=service&service=wide&calls=drawn&" + urllib.parse.urlencode(times))
    page.ready()
    answer = server.get("/v1/flamegraph", select='service="wide"', type="cpu:ns", **times)["server"]
    left_out = share(answer["pruned"] / answer["total"])
    boxes = dict(page.run("""return [...document.querySelectorAll('.call-node')].map(a =>
        [a.querySelector('title').textContent, a.lastChild.textContent])"""))
    said = page.text(".of-graph-calls")
    ct.ok(answer["nodes_pruned"] > 0 and f"{left_out} of the weight is in branches that the server left out" in said,
          "a call graph of a pruned tree says how much it lacks", (answer, said))
    ct.ok(boxes["org.wide.Work.some"] == "self 20.0% · total 70.0%" and "[pruned]" not in boxes,
          "its shares are those of all samples", boxes)


def check_findings(page, server):
    """Two threads wait for a lock whose owner sleeps: a rule finds this."""
    log = "demo.Main.run:1;demo.Log.log:12"
    lines = [("setting", "event", "cpu,wall,lock,halt"), ("thread", "main", 4711, 1), ("thread", "worker", 4712, 2),
             *[("monitor", 2, 500 * recordings.MS, "demo.Log", 64, 1, 0, log)] * 8,
             *[("holder", 1, 50 * recordings.MS, "demo.Log", log + ";Native|java.lang.Thread.sleep")] * 20,
             *[("sample", 1, recordings.MS, "complete", recordings.HOT)] * 900]
    server.send(recordings.make("finding.jfr", lines).read_bytes(), service="log", host="f")
    end = time.monotonic() + ct.PATIENCE
    found = {}
    while not found.get("findings") and time.monotonic() < end:
        found = server.get("/v1/findings", **BOOKS, state="all")
        time.sleep(0.2)
    page.go("#view=findings&" + urllib.parse.urlencode(BOOKS))
    shown = page.run("return [...document.querySelectorAll('.findings tbody tr')].map(r => [...r.cells].map(c => c.textContent))")
    ct.ok(shown and [(row[0], row[1], row[2], row[4], row[8].split()[0]) for row in shown] == [
        (one["title"] + " " + one["severity"], one["service"], one["place"] or "the whole JVM", ", ".join(one["hosts"]) or "\u2013",
         one["state"])
        for one in found["findings"]], "findings: those of the server", (shown, found))


def check_missing(page, server):
    for segment in server.data.rglob("*.seg"):
        segment.unlink()
    page.go("#" + PLACE)
    rows = page.rows()
    ct.ok("incomplete" in rows["shop"]["Coverage"] and "parts of recordings are missing" in page.text("#partial"),
          "missing data are reported", (rows, page.text("#partial")))


def main():
    missing = browser.missing()
    if missing:
        ct.skip("the page", missing)
        ct.done()
    server = Server("fleet")
    fill(server)
    with Fleet(server) as page:
        check_services(page, server)
        check_books(page, server)
        check_service(page, server)
        check_pin(page)
        check_labels(page, server)
        check_explorer(page, server)
        check_compare(page, server)
        check_functions(page, server)
        check_findings(page, server)
        check_pruned(page, server)
        page.check_looks({name: f"#{words}{PLACE}" for name, words in LOOKS.items()})
        check_missing(page, server)
        messages = [m for m in page.messages() if "400 (Bad Request)" not in m]
        ct.ok(not messages, "the browser reports no errors", messages)
    server.end()
    ct.done()


if __name__ == "__main__":
    main()
