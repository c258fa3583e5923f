"""The context of samples: which parts of it become labels in a recording made for the test, select samples, and are written to other
formats.

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
    """Samples of two threads: 4 of a cart request, of which the second half are in an inner span and after a new chunk, 2 of a payment,
    3 without a context."""
    out = [("setting", "interval_ns", 10 * MS), ("thread", "http-1", 11, 1), ("thread", "http-2", 12, 2)]
    out += [("context", "GET /cart", CART, ROOT, ROOT, "tier=gold")] + [("sample", 1, 10 * MS, "complete", HOT)] * 2
    out += [("rotate",), ("context", "GET /cart", CART, SPAN, ROOT, "tier=gold", r"cache=a=b; c\d")]
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
                        ("root_span_id", {ROOT: (50, 4), OTHER: (20, 2), None: (30, 3)}), ("cache", {r"a=b; c\d": (30, 2), None: (70, 7)})):
        ct.ok(by_value(path, key) == values, f"by {key}", by_value(path, key))
    ct.ok(by_value(path, "endpoint", "--kind", "wall") == {"POST /pay": (50, 1)}, "samples of the event wall have it, too")
    one = report_json(path, "--label", f"trace_id=^{CART}$")
    ct.ok(one["sampled"] == 50 * MS and one["filtered"] == 50 * MS, "--label chooses one trace", one)
    same = report_json(path, "--trace", CART.upper())
    ct.ok(same == one, "so does --trace", same)
    wrong = ct.candor("report", "--trace", "4bf9", path)
    ct.ok(wrong.status == 2 and wrong.err.count("\n") == 1 and "32 hexadecimal digits" in wrong.err, "--trace wants all digits", wrong)


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
    text = f"endpoint=GET /cart; tier=gold; cache=a=b\\; c\\\\d; root_span_id={ROOT}; trace_id={CART}; span_id={SPAN}"
    ct.ok(events[2]["context"] == text, "with all labels", events[2]["context"])


def test_trace(path):
    result = ct.candor("trace", "--json", path, CART.upper())
    trace = json.loads(result.out) if result.status == 0 else {"failed": str(result)}
    ct.ok((trace["trace_id"], trace["endpoint"], trace["samples"], trace["threads"], trace["cpu_ns"], trace["wall_ns"]) ==
          (CART, "GET /cart", 4, 2, 50 * MS, 0), "trace: what it weighs", trace)
    spans = {span["span_id"]: (span["root_span_id"], span["cpu_ns"]) for span in trace["spans"]}
    ct.ok(spans == {ROOT: (ROOT, 20 * MS), SPAN: (ROOT, 30 * MS)}, "its spans", spans)
    pieces = [(p["thread"], p["state"], p["ns"], p["samples"], p["span_id"], p["method"]) for p in trace["pieces"]]
    ct.ok(pieces == [("http-1", "cpu", 20 * MS, 2, ROOT, "demo.Work.hot"), ("http-1", "cpu", 10 * MS, 1, SPAN, "demo.Work.hot"),
                     ("http-2", "cpu", 20 * MS, 1, SPAN, "demo.Work.cold")], "what its threads did, in order", pieces)
    within = all(trace["from_ns"] <= p["from_ns"] <= p["to_ns"] <= trace["to_ns"] for p in trace["pieces"])
    ct.ok(trace["from_ns"] < trace["to_ns"] and within, "within its time", trace)
    other = json.loads(ct.candor("trace", "--json", path, PAY).out)
    ct.ok(other["cpu_ns"] == 20 * MS and other["wall_ns"] == 50 * MS and [p["state"] for p in other["pieces"]] == ["cpu", "parked"],
          "waiting is there, too", other)
    text = ct.candor("trace", path, CART).out
    words = (CART, "GET /cart", "2 threads", "4 samples", f"{ROOT} (root)", "http-2", "demo.Work.cold")
    ct.ok(all(word in text for word in words), "as text", text)
    none = ct.candor("trace", path, "f" * 32)
    ct.ok(none.status == 1 and not none.out and none.err.count("\n") == 1 and "f" * 32 in none.err, "no sample of a trace: told", none)
    for id in ("4bf9", "g" * 32, CART + "0"):
        wrong = ct.candor("trace", path, id)
        ct.ok(wrong.status == 2 and wrong.err.count("\n") == 1 and "32 hexadecimal digits" in wrong.err, f"{id[:8]}: no id", wrong)
    ct.ok(ct.candor("trace", "-", CART).status == 1, "not from a pipe")


def main():
    path = make("context.jfr", lines())
    test_report(path)
    test_formats(path)
    test_print(path)
    test_trace(path)
    ct.done()


main()
