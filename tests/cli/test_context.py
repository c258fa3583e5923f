"""The context of samples: what of a recording made for the test becomes labels, chooses samples, and goes into other formats.

tier: quick
timeout: 60
"""
import csv
import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import candortest as ct
from recordings import COLD, HOT, MS, make, report_json

CART, PAY = "4bf92f3577b34da6a3ce929d0e0e4736", "00000000000000000000000000000ace"
ROOT, SPAN, OTHER = "00f067aa0ba902b7", "1122334455667788", "0123456789abcdef"


def lines():
    """Of two threads: 4 samples of a cart request, the second half in an inner span and after a new chunk, 2 of a payment, 3 of none."""
    out = [("setting", "interval_ns", 10 * MS), ("thread", "http-1", 11, 1), ("thread", "http-2", 12, 2)]
    out += [("context", "GET /cart", CART, ROOT, ROOT, "tier=gold")] + [("sample", 1, 10 * MS, "complete", HOT)] * 2
    out += [("rotate",), ("context", "GET /cart", CART, SPAN, ROOT, "tier=gold", "cache=a=b")]
    out += [("sample", 1, 10 * MS, "complete", HOT), ("sample", 2, 20 * MS, "complete", COLD)]
    out += [("context", "POST /pay", PAY, OTHER, OTHER)] + [("sample", 2, 10 * MS, "complete", COLD)] * 2
    out += [("wall", 2, 50 * MS, "complete", "STATE_PARKED", "method", COLD)]
    out += [("context",)] + [("sample", 2, 10 * MS, "complete", HOT)] * 3
    return out


def by_value(path, key, *options):
    return {row["value"]: (row["self"] // MS, row["samples"]) for row in report_json(path, "--group-by", key, *options)["label"]["values"]}


def test_report(path):
    wanted = {"GET /cart": (50, 4), "POST /pay": (20, 2), None: (30, 3)}
    ct.ok(by_value(path, "endpoint") == wanted, "by endpoint", by_value(path, "endpoint"))
    for key, values in (("trace_id", {CART: (50, 4), PAY: (20, 2), None: (30, 3)}), ("tier", {"gold": (50, 4), None: (50, 5)}),
                        ("span_id", {ROOT: (20, 2), SPAN: (30, 2), OTHER: (20, 2), None: (30, 3)}),
                        ("root_span_id", {ROOT: (50, 4), OTHER: (20, 2), None: (30, 3)}), ("cache", {"a=b": (30, 2), None: (70, 7)})):
        ct.ok(by_value(path, key) == values, f"by {key}", by_value(path, key))
    ct.ok(by_value(path, "endpoint", "--kind", "wall") == {"POST /pay": (50, 1)}, "samples of the event wall have it, too")
    one = report_json(path, "--label", f"trace_id=^{CART}$")
    ct.ok(one["sampled"] == 50 * MS and one["filtered"] == 50 * MS, "--label chooses one trace", one)


def test_formats(path):
    table = ct.WORK / "context.csv"
    ct.ok(ct.candor("convert", path, table).status == 0, "convert to CSV")
    with table.open(newline="") as f:
        labels = {row["labels"] for row in csv.DictReader(f)}
    ct.ok(f"endpoint=GET /cart;tier=gold;root_span_id={ROOT};trace_id={CART};span_id={ROOT}" in labels and "" in labels,
          "each sample has its labels", labels)
    for extension in ("pb.gz", "otlp"):
        other = ct.WORK / f"context.{extension}"
        ct.ok(ct.candor("convert", path, other).status == 0, f"convert to {extension}")
        ct.ok(by_value(other, "endpoint") == by_value(path, "endpoint") and by_value(other, "trace_id") == by_value(path, "trace_id"),
              f"{extension} keeps endpoints and traces", by_value(other, "endpoint"))


def test_print(path):
    printed = ct.candor("print", "--json", "--events", "CpuSample", path)
    events = [json.loads(line)["values"] for line in printed.out.splitlines()]
    ct.ok(len(events) == 9 and [bool(e["context"]) for e in events] == [True] * 6 + [False] * 3, "print shows it", printed.err)
    ct.ok(events[2]["context"] == {"endpoint": "GET /cart", "traceId": CART, "spanId": SPAN, "rootSpanId": ROOT,
                                   "labels": ["tier=gold", "cache=a=b"]}, "with all fields", events[2]["context"])


def main():
    path = make("context.jfr", lines())
    test_report(path)
    test_formats(path)
    test_print(path)
    ct.done()


main()
