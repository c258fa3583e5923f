"""Filters and views on our recordings, the JDK's and async-profiler's: the shown part and the filtered part add up to the whole,
exactly, in every view.

tier: default
timeout: 600
"""
import datetime
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import candortest as ct
from recordings import MS, by_name, example, make, report_json

VIEWS = "methods,lines,classes,packages,types,threads,tree,bottom-up"


def filters(whole):
    """Each with the filter for the other half of the whole, if there is one."""
    method = max(whole["methods"], key=lambda m: m["self"])["name"].replace("$", ".").replace("[", ".").replace("(", ".")
    start = datetime.datetime.fromtimestamp(whole["start_ns"] / 1e9, datetime.timezone.utc)
    middle = (start + datetime.timedelta(microseconds=whole["duration_ns"] // 2000)).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
    return (
        (["--method", method], ["--not-method", method]),
        (["--package", "java"], ["--not-package", "java"]),
        (["--time", "+50ms.."], ["--time", "..+50ms"]),
        (["--time", f"{middle}.."], ["--time", f"..{middle}"]),
        (["--time", "+50ms..+100ms"], None),
        (["--time", "-50ms.."], ["--time", "..-50ms"]),
        (["--label", "endpoint=."], ["--not-label", "endpoint=."]),
        (["--thread", "^main$"], None),
        (["--thread", "nobody has this name"], None),
        (["--state", "runnable,in_native"], None),
        (["--type", "jit,interpreted,inlined"], None),
        (["--type", "native,kernel", "--thread", "."], None),
        (["--method", ".", "--not-method", method, "--time", "+1ms.."], None),
    )


def self_sum(rows):
    return sum(row["self"] for row in rows)


def check(what, path, kind=()):
    whole = report_json(path, "--sections", VIEWS, "--threshold", "0", *kind)
    if not ct.ok(whole.get("sampled", 0) > 0 and whole["filtered"] == 0, f"{what}: there is something to filter", whole):
        return
    for options, other in filters(whole):
        text = f"{what}: {' '.join(options)}"
        shown = report_json(path, "--sections", VIEWS, "--threshold", "0", *kind, *options)
        ct.ok(shown.get("sampled", -1) + shown.get("filtered", 0) == whole["sampled"] and
              shown["sample_count"] + shown["filtered_count"] == whole["sample_count"], f"{text}: adds up", shown)
        sums = {view: self_sum(shown[view]) for view in ("methods", "lines", "classes", "packages", "types", "threads")}
        sums["tree"] = shown["tree"]["total"]
        sums["bottom-up"] = shown["bottom_up"]["total"]
        ct.ok(set(sums.values()) == {shown["sampled"]}, f"{text}: in every view", (sums, shown["sampled"]))
        method = options[1] if options[0] == "--method" else "Work"
        views = report_json(path, *kind, *options, "--sections", "methods", "--callers", method, "--callees", method)
        through = report_json(path, *kind, *options, "--sections", "methods", "--method", method) if options[0] != "--method" else shown
        ct.ok(views["callers"]["total"] == views["callees"]["total"] == through["sampled"],
              f"{text}: callers and callees of {method} are the samples with it", (views, through["sampled"]))
        if other:
            rest = report_json(path, "--sections", "methods", *kind, *other)
            ct.ok(rest.get("sampled", -1) == shown["filtered"], f"{text}: and {' '.join(other)} are the whole", rest)


def record(jdk, name, seconds, option):
    path = ct.WORK / name
    with ct.Jvm(jdk, "TwoMethods", flags=[option.format(path=path)]) as jvm:
        jvm.round(seconds=seconds, threads=2)
        jvm.finish()
    return path


def test_semantics(path):
    """On a recording with known content."""
    hot = report_json(path, "--method", r"Work\.hot$")
    ct.ok(hot.get("sampled") == 710 * MS and hot["filtered"] == 290 * MS, "samples with the method anywhere", hot)
    ct.ok(by_name(hot["methods"])["demo.Work.run"]["total"] == 710 * MS, "whole samples, with all their frames")
    ct.ok(hot["books"]["cpu_ns"] == 1049 * MS, "the books stay those of the recording")
    gc = report_json(path, "--type", "failed")
    ct.ok(gc.get("sampled") == 10 * MS, "a type of frame", gc)
    demo = report_json(path, "--package", "^demo$")
    ct.ok(demo.get("sampled") == 990 * MS, "a package", demo)
    text = ct.candor("report", "--thread", "GC", path).out
    ct.ok("shown 1.0 %, filtered 99.0 % (99 samples)" in text, "said at the top", text)
    one = report_json(path, "--method", "hot", "--not-method", "hot")
    ct.ok(one.get("sampled") == 0 and one["filtered"] == 1000 * MS, "nothing left is no failure", one)
    for options, word in ((["--method", "("], "not a regular expression"), (["--state", "walking"], "no thread state"),
                          (["--type", "x"], "no frame type"), (["--time", "10s"], "not a range of time"),
                          (["--time", "+2s..+1s"], "not a range of time"), (["--time", "12:03:60x.."], "not a range of time")):
        result = ct.candor("report", *options, path)
        ct.ok(result.status == 2 and word in result.err and result.err.count("\n") == 1, f"{options}: told", result)
    out = ct.WORK / "hot.collapsed"
    ct.ok(ct.candor("convert", "--method", "hot", "--unit", "ns", path, out).status == 0 and
          sum(int(line.rsplit(" ", 1)[1]) for line in out.read_text().splitlines()) == 710 * MS, "convert filters, too")


def test_views(path):
    found = report_json(path, "--callers", "Work.hot", "--callees", "Thread.run", "--sections", "bottom-up")
    hot = found["callers"]["children"][0]
    ct.ok(hot["name"] == "demo.Work.hot" and hot["total"] == 710 * MS and hot["children"][0]["name"] == "demo.Work.run",
          "callers", found["callers"])
    run = found["callees"]["children"][0]
    ct.ok(run["name"] == "java.lang.Thread.run" and [c["total"] for c in run["children"][0]["children"]] == [710 * MS, 280 * MS],
          "callees", found["callees"])
    ct.ok([c["total"] for c in found["bottom_up"]["children"]] == [710 * MS, 280 * MS, 10 * MS], "bottom up", found["bottom_up"])
    for options in (("--callees", "("), ("--timeline",)):
        wrong = ct.candor("report", "--callers", "Work.hot", *options, path)
        ct.ok(wrong.status == 2 and wrong.err.count("\n") == 1 and options[0] in wrong.err, f"{options[0]} that cannot be: one line", wrong)
    text = ct.candor("report", "--callers", "Work.hot", "--sections", "classes,packages,types", path).out
    ct.ok("(71.0) demo.Work.run" in text and "(t 99.0,s 99.0)" in text and "JIT compiled" in text, "as text", text)


def main():
    path = make("example.jfr", example())
    test_semantics(path)
    test_views(path)
    check("made", path)
    jdk = ct.jdk(21)
    if not jdk:
        ct.skip("recordings of a JVM", "JDK 21 is not cached; run script/jdks")
        ct.done()
    if ct.SANITIZED:
        ct.skip("our recording", "the agent is sanitized")
    else:
        check("ours", record(jdk, "ours.jfr", 0.5, f"-agentpath:{ct.AGENT}=file={{path}},interval=2ms"))
        safepoint = record(jdk, "safepoint.jfr", 0.5, f"-agentpath:{ct.AGENT}=file={{path}},event=safepoint,interval=5ms")
        check("ours, at safepoints", safepoint)
        check("ours, waiting", safepoint, ("--kind", "waiting"))
    check("the JDK's", record(jdk, "jdk.jfr", 1, "-XX:StartFlightRecording=filename={path},settings=profile"))
    library = ct.async_profiler()
    if library:
        check("async-profiler's", record(jdk, "async.jfr", 0.5, f"-agentpath:{library}=start,event=cpu,interval=2ms,file={{path}}"))
    ct.done()


main()
