"""Labels of samples: what another tool's profile says about its samples is kept from format to format, and selects samples.

tier: quick
timeout: 120
"""
import csv
import gzip
import pathlib
import shutil
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import candortest as ct
from pb import message
from recordings import report_json

STRINGS = ["", "cpu", "nanoseconds", "main.work", "endpoint", "/cart", "/pay", "request_bytes", "bytes", "thread", "worker"]
# endpoint, bytes, weight
SAMPLES = (("/cart", 100, 5), ("/cart", 4096, 7), ("/pay", -3, 11), (None, 0, 13))
WHOLE = sum(weight for _, _, weight in SAMPLES)


def profile():
    out = message((1, message((1, 1), (2, 2))), (5, message((1, 1), (2, 3), (3, 3))), (4, message((1, 1), (4, message((1, 1), (2, 9))))))
    for endpoint, size, weight in SAMPLES:
        labels = [(3, message((1, 9), (2, 10)))]
        if endpoint:
            labels.append((3, message((1, 4), (2, STRINGS.index(endpoint)))))
            labels.append((3, message((1, 7), (3, size), (4, 8))))
        out += message((2, message((1, 1), (2, weight), *labels)))
    return out + message(*((6, text.encode()) for text in STRINGS))


def rows(path):
    out = ct.WORK / f"{path.stem}.csv"
    result = ct.candor("convert", path, out)
    if result.status:
        return [str(result)]
    with out.open(newline="") as f:
        return sorted((row["labels"], int(row["ns"]), row["thread"]) for row in csv.DictReader(f))


def main():
    path = ct.WORK / "labels.pb.gz"
    path.write_bytes(gzip.compress(profile()))
    truth = sorted((f"endpoint={e};request_bytes={size}" if e else "", weight, "worker") for e, size, weight in SAMPLES)
    ct.ok(rows(path) == truth, "pprof's labels are read; the thread's is the thread", rows(path))
    ct.ok("labels" not in ct.candor("report", path).out, "and nothing of them is left out")

    before = path
    for extension in ("otlp", "pb.gz", "otlp"):
        after = ct.WORK / f"{before.stem}-again.{extension}"
        result = ct.candor("convert", before, after)
        ct.ok(result.status == 0 and rows(after) == truth, f"{before.name} -> {after.name}: every label", rows(after))
        before = after
    if shutil.which("go"):
        tags = ct.run("go", "tool", "pprof", "-tags", ct.WORK / "labels.pb-again-again.pb.gz")
        ct.ok("/cart" in tags.out and "/pay" in tags.out and "request_bytes" in tags.out and "4kB" in tags.out,
              "go tool pprof -tags sees texts, numbers and their unit", tags)
    else:
        ct.skip("go tool pprof -tags", "no go")

    both = ct.WORK / "both.otlp"
    ct.ok(ct.candor("convert", path, path, both).status == 0 and rows(both) == sorted(truth * 2), "two profiles in one", rows(both))

    for options, shown in ((["--label", "endpoint=cart"], 12), (["--label", "endpoint=^/pay$"], 11), (["--label", "endpoint="], 23),
                           (["--label", "request_bytes=^4096$"], 7), (["--label", "nobody=has"], 0),
                           (["--not-label", "endpoint=cart"], 24), (["--not-label", "endpoint="], 13),
                           (["--label", "endpoint=/", "--not-label", "request_bytes=-3"], 12)):
        report = report_json(path, *options)
        ct.ok(report.get("sampled") == shown and report["filtered"] == WHOLE - shown, " ".join(options), report)
    grouped = report_json(path, "--group-by", "endpoint")
    values = {row["value"]: (row["self"], row["samples"]) for row in grouped["label"]["values"]}
    ct.ok(grouped["label"]["key"] == "endpoint" and values == {"/cart": (12, 2), "/pay": (11, 1), None: (13, 1)},
          "--group-by endpoint", grouped)
    ct.ok(all(row["self_low"] <= row["self_share"] <= row["self_high"] for row in grouped["label"]["values"]), "with intervals", grouped)
    ct.ok("label" not in report_json(path), "and only then")
    text = ct.candor("report", "--group-by", "endpoint", path).out
    ct.ok("By endpoint" in text and "/cart" in text and "[none]" in text, "as text", text)
    one = report_json(path, "--group-by", "endpoint", "--label", "endpoint=cart")["label"]["values"]
    ct.ok([(row["value"], row["self"]) for row in one] == [("/cart", 12)], "of what a filter leaves", one)
    out = ct.WORK / "pay.collapsed"
    ct.ok(ct.candor("convert", "--label", "endpoint=pay", "--unit", "ns", path, out).status == 0 and out.read_text() == "main.work 11\n",
          "convert, too", out.read_text())
    for text in ("endpoint", "=x", "endpoint=("):
        result = ct.candor("report", "--label", text, path)
        ct.ok(result.status == 2 and result.err.count("\n") == 1 and f"--label '{text}'" in result.err, f"--label {text}: told", result)
    ct.done()


main()
