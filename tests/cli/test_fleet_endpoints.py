#!/usr/bin/env python3
"""Whose work it was: the endpoints of each service, their methods, and one of them alone, as candor report has them.

tier: default
timeout: 300
"""
import collections
import json
import pathlib
import random
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import candortest as ct
import pprofs
import recordings
from recordings import COLD, HOT, MS, report_json
from servers import DAY, Server

TIMES = ("--from", DAY["from"], "--until", DAY["to"])
KINDS = {"cpu:ns": "cpu", "wall:ns": "wall"}
WORK = [("GET /cart", "tier=gold"), ("GET /cart", "tier=free"), ("POST /pay", "tier=gold"), ("GET /<img src=x>", None), (None, None)]
PAY = 'endpoint="POST /pay"'


def lines(seed, samples):
    """The script of a recording whose samples are of several endpoints, each request with a trace of its own."""
    rng = random.Random(seed)
    script = [("setting", "interval_ns", 10 * MS), ("thread", "main", 1, 1), ("thread", "worker", 2, 2)]
    for i in range(samples):
        endpoint, label = rng.choice(WORK)
        trace = (f"{seed:016x}{i + 1:016x}", f"{i + 1:016x}", f"{i + 1:016x}")
        script.append(("context", endpoint, *trace, *([label] if label else [])) if endpoint else ("context",))
        weight, thread, stack = 10 * MS + rng.randrange(5 * MS), rng.randrange(1, 3), rng.choice((HOT, COLD))
        script.append(("wall", thread, weight, "complete", "STATE_PARKED", "method", stack) if rng.randrange(3) == 0 else
                      ("sample", thread, weight, "complete", stack))
    return script


def reported(path, key, kind, *options):
    """value -> (weight, samples) by the report of one recording."""
    rows = report_json(path, "--group-by", key, "--kind", kind, *options)["label"]["values"]
    return {row["value"] or "": (row["self"], row["samples"]) for row in rows}


def add_up(paths, key, kind):
    out = collections.defaultdict(lambda: (0, 0))
    for path in paths:
        for value, (weight, samples) in reported(path, key, kind).items():
            out[value] = (out[value][0] + weight, out[value][1] + samples)
    return dict(out)


def rows_of(answer, type_, label, **labels):
    """value of the label -> (weight, samples) of the groups with these labels."""
    out = collections.defaultdict(lambda: (0, 0))
    for group in answer["groups"]:
        for of in group["types"]:
            if labels.items() <= group["labels"].items() and of["type"] == type_:
                was = out[group["labels"][label]]
                out[group["labels"][label]] = (was[0] + of["weight"], was[1] + of["samples"])
    return dict(out)


def test_sums(server, files):
    answer = server.get("/v1/endpoints", by="host,sample.tier")
    ct.ok(answer["complete"] and answer["by"] == ["service", "endpoint", "host", "sample.tier"], "all labels", answer["by"])
    ct.ok([t["type"] for t in answer["types"]] == ["cpu:ns", "wall:ns"], "each type, CPU time first", answer["types"])
    for type_, kind in KINDS.items():
        for (service, host), path in files.items():
            found = rows_of(answer, type_, "endpoint", service=service, host=host)
            ct.ok(found == reported(path, "endpoint", kind), f"{type_}, {service} on {host}: as its report", found)
            found = rows_of(answer, type_, "sample.tier", service=service, host=host)
            ct.ok(found == reported(path, "tier", kind), f"{type_}, {service} on {host}: by another label", found)
        of = next(t for t in answer["types"] if t["type"] == type_)
        ct.ok(sum(w for w, _ in rows_of(answer, type_, "service").values()) == of["sampled"] and
              of["without"] == add_up(files.values(), "endpoint", kind)[""][0], f"{type_}: the whole, and what has no endpoint", of)
    few = server.get("/v1/endpoints", limit=2)
    rest = {t["type"]: t["weight"] for t in few["left_out"]["types"]}
    for of in few["types"]:
        shown = sum(w for w, _ in rows_of(few, of["type"], "service").values())
        ct.ok(shown + rest[of["type"]] == of["sampled"] and not few["complete"], f"{of['type']}: a cut list says what it lacks", rest)


def test_intervals(server):
    """Shares and intervals are those of candor report of the server's data."""
    answer = server.get("/v1/endpoints", select='service="shop"', type="cpu:ns")
    report = json.loads(ct.candor("report", "--json", "--group-by", "endpoint", "--select", 'service="shop"', *TIMES, server.url).out)
    rows = {row["value"] or "": row for row in report["label"]["values"]}
    same = all(group["types"][0][f"weight{part}"] == rows[group["labels"]["endpoint"]][f"self{part}"]
               for group in answer["groups"] for part in ("", "_share", "_low", "_high")) if len(rows) == 4 else False
    ct.ok(same and len(answer["groups"]) == 4, "weights, shares and intervals of a report of the server", (answer["groups"], rows))


def test_one(server, files):
    """Every answer about samples takes an endpoint in its selector, or splits by it."""
    paths = [path for (service, _), path in files.items() if service == "shop"]
    wanted = add_up(paths, "endpoint", "cpu")
    select = 'service="shop",' + PAY
    methods = server.get("/v1/methods", select=select)
    whole = methods["server"]
    ct.ok(whole["total"] == wanted["POST /pay"][0] and whole["complete"], "methods of one endpoint", whole)
    by_name = collections.Counter()
    for path in paths:
        for row in report_json(path, "--label", "endpoint=^POST /pay$")["methods"]:
            by_name[row["name"]] += row["self"]
    ct.ok({m["name"]: m["self"] for m in methods["report"]["methods"]} == dict(by_name), "each as in the reports", by_name)
    series = server.get("/v1/series", select='service="shop"', by="endpoint", step=86400)
    ct.ok({s["value"]: sum(p[1] for p in s["points"]) for s in series["series"]} == {v: w for v, (w, _) in wanted.items()},
          "a series by endpoint", series["series"])
    one = server.get("/v1/series", select=select, step=86400)["series"]
    ct.ok(len(one) == 1 and one[0]["points"][0][1] == wanted["POST /pay"][0], "a series of one endpoint", one)
    top = server.get("/v1/top", select='service="shop"', by="endpoint", against="none")["groups"]
    ct.ok({g["labels"]["endpoint"]: g["sampled"] for g in top} == {v: w for v, (w, _) in wanted.items()} and
          all(g["cores"] and g["methods"] for g in top), "top by endpoint", top)
    functions = server.get("/v1/functions", match="Work.hot", select='service="shop"', by="endpoint")["methods"][0]
    groups = functions["groups"]
    ct.ok(sum(g["self"] for g in groups) == functions["self"] and len(groups) == 4, "functions by endpoint", functions)
    over_time = server.get("/v1/functions/series", match="Work.hot", select=select, step=86400)["series"]
    ct.ok(over_time[0]["self"] == next(g["self"] for g in groups if g["labels"]["endpoint"] == "POST /pay"),
          "a method of one endpoint over time", over_time)
    gold = server.total('service="shop",sample.tier="gold",endpoint!="POST /pay"')
    ct.ok(0 < gold < server.total('service="shop",sample.tier="gold"'), "another label beside it", gold)
    sides = server.get("/v1/changes", before=PAY, after='endpoint="GET /cart"', select='service="shop"')
    ct.ok([sides[side]["weight"] for side in ("before", "after")] == [wanted["POST /pay"][0], wanted["GET /cart"][0]],
          "changes between two endpoints", sides)


def test_refused(server):
    for path, parameters in (("/v1/services", {"select": PAY}), ("/v1/metrics", {"select": PAY}), ("/v1/metrics", {"by": "endpoint"}),
                             ("/v1/recordings", {"select": PAY}), ("/v1/findings", {"select": 'sample.tier="gold"'}),
                             ("/v1/changes", {"by": "endpoint"}), ("/v1/changes", {"by": "version", "split": "sample.tier"})):
        answer = server.get(path, **parameters)
        ct.ok(answer.get("status") == 400 and "label of samples" in answer["error"], f"{path} {parameters}: refused", answer)
    rules = ct.WORK / "rules.conf"
    rules.write_text("[alert a]\nselect = endpoint=\"/x\"\nvalue = gc_share\nabove = 1%\n")
    wrong = ct.candor("server", "--check-alerts", rules)
    ct.ok(wrong.status != 0 and "whole recordings" in wrong.err, "an alert on a key metric", wrong)
    rules.write_text("[alert a]\nselect = endpoint=\"/x\"\nvalue = total\nmethod = Work\nabove = 1%\n")
    ct.ok(ct.candor("server", "--check-alerts", rules).status == 0, "one on methods may select an endpoint")


def test_other_formats(server, answer):
    """Labels of a pprof profile are kept, too; ids and numbers are not, and the answer to the sender says so."""
    ct.ok("labels of" in answer["left_out"] and "trace_id" in answer["left_out"] and "endpoint" not in answer["left_out"],
          "the answer names the labels that are not kept", answer)
    body = pprofs.make([("cpu", "nanoseconds")], [("f", [5], {"endpoint": "/a", "region": "eu"}), ("g", [7], {"region": "us"}), ("h", [1])],
                       start=1700000100)
    status, taken = server.send(body, service="go")
    ct.ok(status == 200 and "left_out" not in taken, "a pprof profile with labels is kept whole", taken)
    found = server.get("/v1/endpoints", select='service="go"', by="sample.region")
    ct.ok({(g["labels"]["endpoint"], g["labels"]["sample.region"]): g["types"][0]["weight"] for g in found["groups"]} ==
          {("/a", "eu"): 5, ("", "us"): 7, ("", ""): 1}, "by its labels", found)


def test_pyroscope(server, files):
    def call(method, **message):
        body = json.dumps({"start": 1700000000000, "end": 1700000400000, **message})
        return json.loads(server.request("POST", f"/querier.v1.QuerierService/{method}", body, {"Content-Type": "application/json"})[2])

    names = call("LabelNames")["names"]
    ct.ok({"endpoint", "sample.tier", "service_name"} <= set(names) and "sample.trace_id" not in names, "names of labels", names)
    ct.ok(call("LabelValues", name="endpoint")["names"] == ["/a", "GET /<img src=x>", "GET /cart", "POST /pay"], "values of endpoint")
    ct.ok(call("LabelValues", name="sample.tier")["names"] == ["free", "gold"], "values of another label")
    of = {"profileTypeID": "process_cpu:cpu:nanoseconds:cpu:nanoseconds", "step": 86400}
    series = call("SelectSeries", labelSelector='{service_name="cart"}', groupBy=["endpoint"], **of)["series"]
    found = {s["labels"][0]["value"] if s.get("labels") else "": int(s["points"][0]["value"]) for s in series}
    wanted = {value: weight for value, (weight, _) in reported(files["cart", "a"], "endpoint", "cpu").items()}
    ct.ok(found == wanted, "series by endpoint", (series, wanted))
    one = call("SelectSeries", labelSelector='{service_name="cart",endpoint="GET /cart"}', **of)["series"]
    ct.ok(int(one[0]["points"][0]["value"]) == wanted["GET /cart"], "a series of one endpoint", one)


def test_table(server):
    shown = ct.candor("fleet", "endpoints", "--type", "cpu:ns", *TIMES, server.url)
    rows = shown.out.splitlines()
    ct.ok(rows[0].split() == ["SERVICE", "ENDPOINT", "TYPE", "WEIGHT", "SHARE", "95", "%"] and len(rows) > 8, "the table", shown)
    ct.ok(any("POST /pay" in row and "cpu:ns" in row and "[" in row for row in rows), "an endpoint's row", shown.out)
    cut = ct.candor("fleet", "endpoints", "--limit", "1", *TIMES, server.url)
    ct.ok("more endpoints" in cut.err, "a cut table says so", cut)
    own = ct.candor("report", "--json", "--label", "endpoint=^POST /pay$", "--select", 'service="shop"', *TIMES, server.url)
    ct.ok(json.loads(own.out)["sampled"] == server.total('service="shop",' + PAY), "candor report --label of a server", own.err)


def main():
    server = Server("endpoints")
    files = {}
    for i, (service, host) in enumerate((("shop", "a"), ("shop", "b"), ("cart", "a"))):
        path = files[service, host] = recordings.make(f"endpoints-{i}.jfr", lines(i + 1, 900 - 200 * i))
        status, answer = server.send(path.read_bytes(), service=service, host=host)
        ct.ok(status == 200, f"{service} on {host} is taken", answer)
    test_sums(server, files)
    test_intervals(server)
    test_one(server, files)
    test_refused(server)
    test_other_formats(server, answer)
    test_pyroscope(server, files)
    test_table(server)
    ct.ok(server.end() == 0, "ends by SIGTERM")
    ct.done()


if __name__ == "__main__":
    main()
