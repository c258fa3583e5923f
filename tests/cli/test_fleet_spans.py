#!/usr/bin/env python3
"""Requests in several services: the spans that cost most, and the course of a trace, are the same as candor report and candor trace show
for each file, and the answers say what is missing.

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
import recordings
from recordings import COLD, HOT, MS, report_json
from servers import DAY, Server

TIMES = ("--from", DAY["from"], "--until", DAY["to"])
TRACES = [f"{i + 1:032x}" for i in range(8)]


def lines(seed, samples):
    """The script of a recording with spans of its own in the same traces, and samples without any."""
    rng = random.Random(seed)
    script = [("setting", "interval_ns", 10 * MS), ("thread", "main", 1, 1), ("thread", "worker", 2, 2)]
    for i in range(samples):
        trace = rng.randrange(len(TRACES) + 1)
        span = f"{seed:08x}{trace + 1:08x}"
        endpoint = "GET /cart" if trace % 2 else "POST /pay"
        script.append(("context", endpoint, TRACES[trace], span, span) if trace < len(TRACES) else ("context",))
        weight, thread, stack = 10 * MS + rng.randrange(5 * MS), rng.randrange(1, 3), rng.choice((HOT, COLD))
        script.append(("wall", thread, weight, "complete", "STATE_PARKED", "method", stack) if rng.randrange(3) == 0 else
                      ("sample", thread, weight, "complete", stack))
    return script


def spans_of(path, kind):
    """span -> weight by the report of one recording; "" is none."""
    return {row["value"] or "": row["self"] for row in report_json(path, "--group-by", "span_id", "--kind", kind)["label"]["values"]}


def test_spans(server, files):
    for order, member, kind in (("cpu", "cpu_ns", "cpu"), ("wall", "wall_ns", "wall")):
        answer = server.get("/v1/spans", order=order, limit=1000)
        wanted = {}
        for path in files.values():
            wanted.update(spans_of(path, kind))
        wanted.pop("")
        found = {s["span_id"]: s[member] for s in answer["spans"] if s[member]}
        ct.ok(found == wanted, f"{order} of each span is that of the reports", answer)
        weights = [s[member] for s in answer["spans"]]
        ct.ok(weights == sorted(weights, reverse=True) and answer["complete"] and answer["recordings"]["read"] == 2, f"{order}: most first")
    without = sum(row["samples"] for path in files.values() for kind in ("cpu", "wall")
                  for row in report_json(path, "--group-by", "span_id", "--kind", kind)["label"]["values"] if row["value"] is None)
    ct.ok(answer["samples_without"] == without and not answer["samples_beyond"], "samples without a span are counted", without)
    by_time = server.get("/v1/spans", order="duration", limit=3)
    lengths = [s["sampled_ns"] for s in by_time["spans"]]
    ct.ok(lengths == sorted(lengths, reverse=True) and all(s["to_ns"] - s["from_ns"] == s["sampled_ns"] for s in by_time["spans"]) and
          by_time["spans_left_out"] == len(answer["spans"]) - 3 and by_time["complete"] is False, "the longest; a cut list", by_time)
    pay = server.get("/v1/spans", select='endpoint="POST /pay",service="shop"', limit=1000)["spans"]
    ct.ok(pay and {(s["service"], s["endpoint"]) for s in pay} == {("shop", "POST /pay")}, "of one endpoint of one service", pay)
    ct.ok(server.get("/v1/spans", order="size").get("status") == 400, "an unknown order")
    table = ct.candor("fleet", "spans", "--limit", "5", *TIMES, server.url)
    ct.ok(len(table.out.splitlines()) == 6 and "POST /pay" in table.out and "cut off" in table.err, "the table", table)


def trace_json(path, trace):
    return json.loads(ct.candor("trace", "--json", path, trace).out)


def test_trace(server, files):
    for trace in TRACES[:2]:
        answer = server.get(f"/v1/spans/{trace}")
        of_files = {process: trace_json(path, trace) for process, path in files.items()}
        same = all(answer["trace"][member] == sum(of[member] for of in of_files.values())
                   for member in ("cpu_ns", "wall_ns", "allocated_bytes", "samples", "threads"))
        ct.ok(same and answer["complete"], f"{trace}: the sums of both files", (answer, of_files))
        for process, of in of_files.items():
            own = [{**piece, "process": None} for piece in answer["trace"]["pieces"] if piece["process"] == process]
            ct.ok(own == of["pieces"], f"{trace}: what {process} did is as in its file", (own, of["pieces"]))
    text = ct.candor("trace", *TIMES, server.url, TRACES[0].upper())
    ct.ok(text.status == 0 and "shop on a: main" in text.out and "cart on b: worker" in text.out and "Spans" in text.out, "as text", text)
    printed = ct.candor("trace", "--json", "--select", 'service="shop"', *TIMES, server.url, TRACES[0])
    ct.ok(json.loads(printed.out)["trace"]["cpu_ns"] == trace_json(files["shop on a"], TRACES[0])["cpu_ns"], "of one service", printed)
    none = ct.candor("trace", *TIMES, server.url, "f" * 32)
    ct.ok(none.status == 1 and "no sample of trace" in none.err and "2 recordings" in none.err, "a trace that is not there", none)
    ct.ok(server.get("/v1/spans/4bf9").get("status") == 400, "something that is no trace id")
    wrong = ct.candor("trace", "--select", 'service="shop"', files["shop on a"], TRACES[0])
    ct.ok(wrong.status == 2 and "needs a server" in wrong.err, "a selector for a file", wrong)


def row_of(bounds, value):
    return max(i for i, bound in enumerate(bounds[:-1]) if bound <= value)


def test_heat(server):
    """The heat map counts each span once, and a cell has the spans and the samples that its count says."""
    spans = server.get("/v1/spans", order="cpu", limit=1000)["spans"]
    answer = server.get("/v1/spans", order="cpu", limit=1000, heat=50)
    heat, bounds = answer["heat"], answer["heat"]["bounds"]
    wanted = collections.Counter(((s["from_ns"] // 10**9 - heat["from"]) // heat["step"], row_of(bounds, s["cpu_ns"])) for s in spans)
    ct.ok({(column, row): count for column, row, count in heat["cells"]} == dict(wanted) and answer["spans"] == spans
          and heat["columns"] <= 50 and all(row_of(bounds, s["cpu_ns"]) + 1 < len(bounds) for s in spans), "each span is in one cell", heat)
    column, row, count = max(heat["cells"], key=lambda cell: cell[2])
    began = heat["from"] + column * heat["step"]
    cell = {"order": "cpu", "began": f"{began}..{began + heat['step']}", "value": f"{bounds[row]}..{bounds[row + 1]}"}
    chosen = server.get("/v1/spans", limit=1000, **cell)
    ct.ok(len(chosen["spans"]) == count and count + chosen["spans_outside"] == len(spans), "a cell: its spans, and how many others", chosen)
    for kind, member in (("cpu:ns", "cpu_ns"), ("wall:ns", "wall_ns")):
        profile = server.get("/v1/flamegraph", type=kind, **cell)["server"]
        ct.ok(profile["total"] == sum(s[member] for s in chosen["spans"]) and profile["complete"], f"the profile of its spans: {kind}",
              profile)
    none = {**cell, "value": f"{10**17}.."}
    ct.ok(not server.get("/v1/spans", **none)["spans"] and server.get("/v1/flamegraph", **none)["server"]["total"] == 0,
          "a cell without spans")
    for wrong in ({"began": "5..5"}, {"began": "x"}, {"value": "1."}, {"value": "-1..3"}, {"heat": 201}, {"heat": "0"}):
        ct.ok(server.get("/v1/spans", **wrong).get("status") == 400, f"refused: {wrong}")
    for twice in ({"trace_id": TRACES[0]}, {"span_id": spans[0]["span_id"]}):
        ct.ok(server.get("/v1/flamegraph", **cell, **twice).get("status") == 400, f"refused: a cell with {[*twice]}")


def test_missing(server):
    answer = server.get("/v1/spans", recordings=1)
    ct.ok(answer["recordings"] == {"read": 1, "gone": 0, "unread": 1, "unreachable": 0, "unreadable": 0} and answer["complete"] is False and
          "1 not read" in answer["missing_text"], "recordings that were not read are counted", answer)
    paths = sorted(path for path in (server.data / "recordings").glob("*/*") if path.is_file())
    paths[0].unlink()
    content = bytearray(paths[1].read_bytes())
    content[len(content) // 2] ^= 1
    paths[1].write_bytes(content)
    answer = server.get("/v1/spans")
    ct.ok(answer["recordings"] == {"read": 0, "gone": 1, "unread": 0, "unreachable": 0, "unreadable": 1} and answer["complete"] is False and
          not answer["spans"], "so are those that are gone or damaged", answer)
    gone = ct.candor("trace", *TIMES, server.url, TRACES[0])
    ct.ok(gone.status == 1 and "1 deleted" in gone.err and "1 damaged" in gone.err, "candor trace says so", gone)


def main():
    server = Server("spans")
    files = {}
    for i, (service, host) in enumerate((("shop", "a"), ("cart", "b"))):
        path = files[f"{service} on {host}"] = recordings.make(f"spans-{i}.jfr", lines(i + 1, 400))
        status, answer = server.send(path.read_bytes(), service=service, host=host)
        ct.ok(status == 200, f"{service} on {host} is taken", answer)
    test_spans(server, files)
    test_trace(server, files)
    test_heat(server)
    test_missing(server)
    ct.ok(server.end() == 0, "ends by SIGTERM")
    ct.done()


if __name__ == "__main__":
    main()
