#!/usr/bin/env python3
"""The daemon's metrics: a JVM's CPU time is equal to that in the books of its sent recordings; dashboards and alerts use only metrics
that exist.

tier: default
timeout: 600

The metrics are written between two pieces of a recording. The CPU time that they show is exactly that of the first pieces, up to some
piece, to the nanosecond.
"""
import json
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import candortest as ct
import prometheus
import collector
from daemons import Daemon, config, jvm, sums, wait_for
from servers import Server

DIST = ct.ROOT / "dist"
NAME = re.compile(r"\bcandor_[a-z_]+")


def series(text):
    """{(name, labels): value}"""
    found = {}
    for name, labels, value in re.findall(r"^(\w+)(?:\{(.*)\})? (\S+)$", text, re.MULTILINE):
        found[name, tuple(sorted(re.findall(r'(\w+)="((?:[^"\\]|\\.)*)"', labels)))] = float(value)
    return found


def types(text):
    return dict(re.findall(r"^# TYPE (\w+) (\w+)$", text, re.MULTILINE))


def of_jvm(text, name, pid):
    return [value for (metric, labels), value in series(text).items() if metric == f"candor_jvm_{name}" and ("pid", str(pid)) in labels]


def daemon(jdk):
    """Returns the text of the metrics."""
    path = ct.WORK / "candor.prom"
    with collector.Collector() as server, jvm(jdk, "metrics", "-Dservice.name=shop \"1\"") as one:
        config("metrics", server=server.url, chunk="1s", look="1s", min_age="0", metrics_file=path)
        process = Daemon("metrics")
        ct.ok(process.wait_log("profiling pid="), f"{jdk}: profiled", process)
        one.round(seconds=2)
        ct.ok(wait_for(lambda: path.exists() and of_jvm(path.read_text(), "cpu_seconds_total", one.pid) > [1.0]),
              f"{jdk}: the file has its CPU time", process)
        text = path.read_text()
        ct.ok(process.end() == 0, f"{jdk}: the daemon ends", process)
        pid, taken = one.pid, list(server.taken)
    sent = [sums(taken[:n + 1])[pid].cpu for n in range(len(taken))]
    [cpu] = of_jvm(text, "cpu_seconds_total", pid)
    ct.ok(round(cpu * 1e9) in sent, f"{jdk}: {cpu} s is what the books of some pieces say", sent)
    [own], [unseen] = of_jvm(text, "own_cost_seconds_total", pid), of_jvm(text, "unseen_seconds_total", pid)
    ct.ok(0 < own < cpu and 0 <= unseen < cpu, f"{jdk}: own cost {own} s and unseen {unseen} s are within it")
    ct.ok('service="shop \\"1\\""' in text, f"{jdk}: labels are quoted", text[:500])
    found = series(text)
    ct.ok(found["candor_daemon_jvms", (("state", "recording"),)] == 1, f"{jdk}: JVMs by state", found)
    named = {name for name, _ in found}
    ct.ok(named <= set(types(text)) and all(name.endswith("_total") == (kind == "counter") for name, kind in types(text).items()),
          f"{jdk}: each has a type", sorted(named - set(types(text))))
    return text


def expressions():
    """(file, expression) of the dashboards' panels and variables, and of the alerts."""
    for path in sorted((DIST / "grafana").glob("*.json")):
        board = json.loads(path.read_text())
        for panel in board["panels"]:
            yield from ((path.name, target["expr"]) for target in panel["targets"])
        yield from ((path.name, one["query"]["query"]) for one in board["templating"]["list"] if one["type"] == "query")
    rules = DIST / "prometheus" / "candor.rules.yml"
    for one in re.findall(r"^ +expr: (?:>-\n)?((?:(?! +(?:for|labels):).*\n)+)", rules.read_text(), re.MULTILINE):
        yield rules.name, " ".join(one.split())


def boards():
    for path in sorted((DIST / "grafana").glob("*.json")):
        board = json.loads(path.read_text())
        ids = [panel["id"] for panel in board["panels"]]
        ct.ok(board["uid"] and len(ids) == len(set(ids)) >= 8 and all(panel["title"] and panel["fieldConfig"]["defaults"]["unit"]
                                                                    for panel in board["panels"]), f"{path.name}: panels with units")
        known = {"$" + one["name"] for one in board["templating"]["list"]} | {"$__rate_interval"}
        used = set(re.findall(r"\$\w+", " ".join(target["expr"] for panel in board["panels"] for target in panel["targets"])))
        ct.ok(used <= known, f"{path.name}: its variables are there", used - known)


ct.need(ct.AGENT, ct.PROGRAM, ct.BUILD / "candor-server")
boards()
available = ct.jdks()
if available:
    known = types(daemon(available[-1]))
    pulled = ct.WORK / "pull.conf"
    pulled.write_text("[pull gone]\nurl = http://127.0.0.1:1\nservice = gone\n")
    with_all = Server("names", "--top-methods", "1", "--remote-write", "http://127.0.0.1:1/", "--pull", pulled)
    known |= prometheus.types(with_all)
    with_all.end()
    asked = list(expressions())
    ct.ok(len(asked) > 40 and len({file for file, _ in asked}) == 5, f"{len(asked)} expressions in dashboards and alerts")
    for file, expression in asked:
        unknown = [name for name in NAME.findall(expression) if name not in known]
        counters = [name for name in NAME.findall(expression) if known.get(name) == "counter"]
        bare = [name for name in counters if not re.search(rf"(rate|increase)\({name}\b", expression) and "label_values" not in expression]
        if unknown or bare or not NAME.findall(expression) or expression.count("(") != expression.count(")"):
            ct.ok(False, f"{file}: {expression}", [unknown, bare])
    ct.ok(True, "each names metrics that there are, and takes the rate of counters")
ct.done()
