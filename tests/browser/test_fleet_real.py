#!/usr/bin/env python3
"""Every view of the server's page in a real browser, of three services that real agents recorded: a shop in two versions, of which the
newer one searches for longer; tills that all want one lock, and answer requests; and a batch that throws memory away. What the page shows
is held against the server's answers and against candor report of the recordings and of the server.

tier: default
timeout: 900
"""
import collections
import json
import pathlib
import re
import sys
import time
import urllib.parse

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "lib")]
import browser
import candortest as ct
from fleetpage import Fleet, share
from servers import Server

JAR = ct.BUILD / "candor-context.jar"
HOSTS = ("h1", "h2", "h3", "h4", "h5", "h6")
KINDS = {"cpu": "cpu:ns", "wall": "wall:ns", "alloc": "alloc_space:bytes", "lock": "lock:ns"}
# Service, version, host, the program with its arguments, and options of candor record.
# A fixed number of rounds: on a busy machine a run takes longer, and does the same. The search has 14 and 87 % of the program's work, and a
# run some 300 samples, so the difference is thirty and more of its standard errors. One of a thousand methods needs twelve, with six hosts.
RUNS = [("shop", version, host, ("Planted", "shop", *work), ("--asm",) if version == "1.1" else ())
        for version, work in (("1.0", ("1", "5000")), ("1.1", ("40", "800"))) for host in HOSTS]
RUNS += [("till", "2", "h1", ("Tasks", "4"), ("--jfr", "on")), ("batch", "7", "h2", ("Planted", "batch", "3"), ())]
SLOW = "Planted.search"
RULE = "[alert search]\neach = service\nvalue = self\nmethod = ^Planted\\.search$\nabove = 30%\nwindow = 1m\n"


def record(jdk):
    """The recordings, by service: (version, host, file)."""
    classes = ct.own_classes(jdk, HERE / "Planted.java", HERE / "Tasks.java", jars=[JAR])
    made = collections.defaultdict(list)
    for service, version, host, program, options in RUNS:
        file = ct.WORK / f"{service}-{version}-{host}.jfr"
        done = ct.candor("record", "-e", "cpu,wall,alloc,lock,halt", "-i", "5ms", *options, "-o", file, "--", jdk.java, "-Xmx256m", "-cp",
                         f"{classes}:{JAR}", *program)
        ct.ok(done.status == 0, f"{service} {version} on {host} is recorded", done)
        made[service].append((version, host, file))
    return made


def reported(*arguments):
    """name -> (self, total), as candor report says; and the report."""
    told = ct.candor("report", "--json", "--top", "0", *arguments)
    ct.ok(told.status == 0, "candor report reads it", told)
    report = json.loads(told.out)
    return {one["name"]: (one["self"], one["total"]) for one in report["methods"]}, report


def together(files, kind="cpu"):
    """The same over several recordings."""
    sums = collections.defaultdict(lambda: (0, 0))
    for file in files:
        for name, (self, total) in reported("--kind", kind, file)[0].items():
            sums[name] = (sums[name][0] + self, sums[name][1] + total)
    return dict(sums)


class Real(Fleet):
    def __init__(self, server, made):
        super().__init__(server)
        self.files = {service: [file for _, _, file in runs] for service, runs in made.items()}
        listed = server.get("/v1/recordings", **{"from": "-1h", "to": "now"})["recordings"]
        self.listed = listed
        self.around = {"from": min(one["start"] for one in listed) - 5, "to": max(one["end"] for one in listed) + 6}
        written = [time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(second)) for second in self.around.values()]
        self.times = ("--from", written[0], "--until", written[1])

    def see(self, view, **more):
        self.go("#" + urllib.parse.urlencode({"view": view, **more, **self.around, "zone": "utc"}))
        self.ready()

    def get(self, path, **more):
        return self.server.get(path, **{**self.around, **more})

    def of_server(self, service, kind="cpu"):
        """What candor report says of the server's samples of a service."""
        return reported("--kind", kind, *self.times, "--select", f'service="{service}"', self.server.url)

    def fleet(self, view, *arguments):
        """What candor fleet says."""
        return json.loads(ct.candor("fleet", view, self.server.url, *self.times, "--json", *arguments).out)

    def shown(self):
        return {name: (self_, total) for name, self_, total in self.methods() if name != "[truncated]"}


def services(page):
    page.see("services")
    rows, seconds = page.rows(), page.around["to"] - page.around["from"]
    ct.ok(set(rows) == set(page.files), "the three services", rows)
    for service, row in rows.items():
        methods, report = page.of_server(service)
        ct.ok(methods == together(page.files[service]), f"{service}: candor report of the server says what it says of the recordings")
        ct.ok(row["CPU"] == f"{report['sampled'] / 1e9 / seconds:.2f} cores", f"{service}: the page's CPU is the report's", (row, seconds))
        top = page.get("/v1/top", select=f'service="{service}"', by="service", against="none")["groups"][0]["methods"][0]
        ct.ok(row["Hottest own method"].startswith(f"{top['name']} {share(top['own_share'])} ("), f"{service}: its hottest own method",
              (row, top))
    alloc = {one["value"]: sum(weight for _, weight in one["points"]) for one in
             page.get("/v1/series", type=KINDS["alloc"], by="service")["series"]}
    ct.ok(alloc["batch"] == page.of_server("batch", "alloc")[1]["sampled"] == max(alloc.values())
          and rows["batch"]["Allocation"].endswith("/s"), "the batch allocates most", (alloc, rows["batch"]))
    ct.ok(rows["shop"]["Surely changed"].startswith(SLOW + " +"), "the newer shop surely searches for longer",
          (rows["shop"], page.get("/v1/changes", select='service="shop"', all="1", limit=4)))


def kinds(page):
    """Each kind of each service: the viewer has the report's methods."""
    for service, files in page.files.items():
        for kind, type_ in KINDS.items():
            want = together(files, kind)
            if want:
                page.see("service", service=service, type=type_)
                shown, ends = page.shown(), kind in ("alloc", "lock")  # their stacks end with a class, below the methods
                wrong = [(name, of, shown.get(name)) for name, of in want.items() if (of if not ends else of[1:]) !=
                         (shown.get(name, ()) if not ends else shown.get(name, ())[1:])]
                ct.ok(not wrong and (ends or len(shown) == len(want)), f"{service}, {kind}: {len(want)} methods as the report has them",
                      wrong[:5])


def changes(page):
    page.see("changes", service="shop")
    answer = page.get("/v1/changes", select='service="shop"', limit=300)
    told = page.fleet("changes", "--select", 'service="shop"')
    (one,) = [row for row in answer["changes"] if row["method"] == SLOW and row["figure"] == "self"]
    row = next(row for row in page.table(".changes") if row["Method"].startswith(SLOW))
    ct.ok(one in told["changes"] and one["verdict"] == "dearer"
          and (row["Before"], row["After"]) == (share(one["before"]), share(one["after"])),
          "what changed: the figures of the server and of candor fleet", (row, one))
    page.see("compare", service="shop", against="version")
    ct.ok(SLOW in page.text(".compare .sentence"), "the comparison says the same", page.text(".compare .sentence"))


def classes(page):
    for view, service, kind, title in (("locks", "till", "lock", "Lock"), ("memory", "batch", "alloc", "Class")):
        page.see(view, service=service)
        want, report = page.of_server(service, kind)
        first = page.table(".of-classes:not([hidden])")[0]
        name, (self_, _) = max(want.items(), key=lambda one: one[1][0])
        ct.ok(first[title].split()[0] == name.split(".")[-1] and first["Share"].startswith(share(self_ / report["sampled"]) + " ("),
              f"{view}: the first class has the report's share", (first, name, self_, report["sampled"]))


def timeline(page):
    page.see("timeline", service="batch")
    (cpu,) = page.get("/v1/metrics", select='service="batch"', metric="cpu", step="60")["metrics"]
    values = [value for _, value in cpu["series"][0]["points"]]
    text = page.run("return document.querySelector('[data-metric=cpu] .readout').textContent")
    ct.ok(text.startswith(f"{sum(values) / len(values):.2f} cores"), "the timeline has the key metrics", (text, cpu))


def requests(page):
    page.see("requests", service="till")
    answer = page.get("/v1/endpoints", select='service="till"', type="cpu:ns")
    want = {one["labels"]["endpoint"]: one["types"][0] for one in answer["groups"]}
    sale = next(row for row in page.table(".requests") if row["Endpoint"].startswith("POST /sale"))
    ct.ok(set(want) >= {"POST /sale"} and f"{share(want['POST /sale']['weight_share'])} (" in sale["CPU ▾"],
          "the requests of the tills, with the server's share", (sale, want))
    ct.ok(sum(one["weight"] for one in want.values()) == page.of_server("till")[1]["sampled"], "all endpoints have the report's sum", want)


def functions(page):
    page.see("functions", match="Planted.")
    told = page.fleet("functions", "Planted.")
    shown = [(row["Method"].replace(" ", ""), row["Self"].split()[0], row["Total"].split()[0]) for row in page.table(".functions")]
    ct.ok([(one["name"].replace(" ", ""), share(one["self_share"]), share(one["total_share"])) for one in told["methods"]] == shown,
          "functions: the figures of candor fleet functions", (shown, told["methods"]))
    page.run("""[...document.querySelectorAll(".functions tbody .column-name a")]
        .find(a => a.textContent === arguments[0]).click()""", SLOW)
    page.ready()
    callers = page.table(".neighbours")
    total = together(page.files["shop"])[SLOW][1]
    ct.ok([row["Method"] for row in callers] == ["Planted.serve"] and callers[0]["Share"].startswith("100.0%")
          and sum(self_ for self_, _ in page.shown().values()) == total, "its only caller, and its stacks", (callers, total))
    page.run("document.querySelector('.machine-code summary').click()")
    page.wait_for("return /ran it|None|deleted/.test(document.querySelector('.machine-code').innerText)", seconds=120)
    code = page.text(".machine-code")
    newest = max((one for one in page.listed if one["service"] == "shop"), key=lambda one: one["id"])["labels"]
    html = ct.WORK / "newest.html"
    ct.candor("convert", ct.WORK / f"shop-{newest['version']}-{newest['host']}.jfr", html)
    data = json.loads(re.search(r'id="candor-data">([^<]*)<', html.read_text())[1])
    lines = [line for name, text in data["code"] if data["strings"][name] == SLOW for line in text.splitlines() if line.strip()]
    ct.ok(newest["version"] == "1.1" and "host=" + newest["host"] in code and len(lines) > 10 and all(line in code for line in lines),
          "its machine code, as in the page of the newest recording", (code[:500], lines[:5]))


def findings(page):
    ct.ok(ct.wait_until(lambda: not page.get("/v1/findings", state="all")["waiting"]), "the recordings were judged")
    page.see("findings")
    answer = page.get("/v1/findings", state="all")["findings"]
    told = page.fleet("findings")["findings"]
    shown = [(row["What"].rsplit(" ", 1)[0] if "What" in row else "", row["Service"]) for row in page.table(".findings")]
    ct.ok([one["id"] for one in told] == [one["id"] for one in answer if one["state"] in ("open", "acknowledged")]
          and [service for _, service in shown] == [one["service"] for one in answer] and any(one["service"] == "till" for one in answer),
          "findings: the server's, and the tills' is among them", (shown, answer))


def recordings(page):
    page.see("recordings")
    ct.ok(page.run("return [...document.querySelectorAll('.recordings tbody tr')].map(r => Number(r.dataset.id))")
          == [one["id"] for one in page.listed], "the recordings, the latest first")
    one = next(one for one in page.listed if one["service"] == "batch")
    page.see("recordings", recording=one["id"])
    page.wait_for("return !document.querySelector('.local').hidden", seconds=60)
    page.settle()
    ct.ok(page.shown() == reported(page.files["batch"][0])[0], "one of them, opened: the report's methods")


def health(page):
    page.see("health")
    hosts = {row["Host"]: row for row in page.table(".health")}
    (asked,) = page.get("/v1/metrics", metric="own_cost_share", by="host", step="all")["metrics"]
    cost = {one["value"]: share(one["points"][0][1]) for one in asked["series"]}
    ct.ok(set(hosts) == set(HOSTS) == set(cost) and {host: row["Own cost"] for host, row in hosts.items()} == cost,
          "what the profiler costs on each host", (hosts, cost))
    jvms = {tuple(sorted(one["labels"].items())) + (one["service"],) for one in page.listed}
    said = page.text(".health .sentence")
    ct.ok(said.startswith(f"{len(jvms)} JVMs on {len(hosts)} hosts"), "how many JVMs", said)


def alerts(page):
    page.see("alerts", draft=RULE)
    answer = page.get("/v1/alerts/preview", draft=RULE)
    ct.ok(f"fired {'once' if answer['count'] == 1 else str(answer['count']) + ' times'}" in page.text(".past"),
          "an alert about it: when it would have fired", (page.text(".past"), answer))


def main():
    ct.need(ct.AGENT, ct.PROGRAM, ct.BUILD / "candor-server", JAR)
    jdk = next((ct.jdk(v) for v in (21, 17, 25) if ct.jdk(v)), None)
    why = browser.missing() or (None if jdk else "no JDK of 17 or later is cached: script/jdks")
    if why:
        ct.skip("the page of real services", why)
        ct.done()
    made = record(jdk)
    rules = ct.WORK / "alerts.conf"
    rules.write_text(RULE)
    server = Server("real", "--analyze-cpu", "100%", "--alerts", rules)
    for service, runs in made.items():
        for version, host, file in runs:
            status, answer = server.send(file.read_bytes(), service=service, version=version, host=host)
            ct.ok(status == 200, f"{service} {version} of {host} is taken", answer)
    with Real(server, made) as page:
        page.made = made
        page.window(1440, 1000)
        for look in (services, kinds, changes, classes, timeline, requests, functions, findings, recordings, health, alerts):
            look(page)
        messages = page.messages()
        ct.ok(not messages, "the browser has nothing to complain about", messages)
    ct.ok(server.end() == 0, "the server ends normally")
    ct.done()


if __name__ == "__main__":
    main()
