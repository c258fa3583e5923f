#!/usr/bin/env python3
"""Samples by events that the kernel counts, instead of CPU time, in a program that touches a known number of pages for the first time.

tier: default
timeout: 300

The weights of the thread's samples equal the kernel's own count for the thread, and belong to the method that touches the pages. A
first sample comes after a part of the interval and stands for all of it, and the last one is up to a period (1.5 intervals) before
the end. So the sum may be off by these, whatever chance does, and by one in a hundred, because nothing is counted while a new period
is set.
"""
import json
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import candortest as ct

PAGES, INTERVAL = 40_000, 20
# PR_SET_THP_DISABLE, which stays in force over exec: no huge pages.
SMALL_PAGES = [sys.executable, "-c",
               "import ctypes, os, sys; ctypes.CDLL(None).prctl(41, 1, 0, 0, 0); os.execvp(sys.argv[1], sys.argv[1:])"]


def report(path):
    result = ct.candor("report", "--json", path)
    return (json.loads(result.out), result) if result.status == 0 else (None, result)


def weights(what, found, truth):
    """The weights of the thread and of the method, and the books."""
    thread = next((row for row in found["threads"] if row["name"] == "touching"), None)
    if not ct.ok(thread, f"{what}: the thread has samples", found["threads"]):
        return
    off = thread["self"] - truth["faults"]
    ct.ok(truth["faults"] >= PAGES and abs(off) <= 1.5 * INTERVAL + 0.01 * truth["faults"],
          f"{what}: {thread['self']} faults by the samples, {truth['faults']} by the kernel, {PAGES} pages")
    touch = next((row for row in found["methods"] if row["name"].endswith("Pages.touch")), {"total": 0})
    ct.ok(touch["total"] >= 0.9 * PAGES, f"{what}: {touch['total']} of them in the method that touches the pages", found["methods"][:10])
    books = found["events"]
    sums = books["complete_events"] + books["truncated_events"] + sum(books["failed_events"].values())
    sums += sum(books["lost_events"].values()) + books["residual_events"]
    ct.ok(books["event"] == "page-faults" and books["interval"] == INTERVAL and books["counted_events"] == sums >= PAGES,
          f"{what}: the books balance", books)
    ct.ok(books["enabled_ns"] == books["running_ns"] > 0, f"{what}: the kernel counted all the time", books)
    ct.ok(found["books"] is None and (found["kind"], found["unit"], found["value"]) == ("events", "events", "page-faults"),
          f"{what}: events, and no CPU time", {key: found[key] for key in ("books", "kind", "unit", "value")})
    ct.ok(not [problem for problem in found["problems"] if problem["level"] == "error"], f"{what}: no error", found["problems"])


def page_faults(jdk):
    path = ct.WORK / f"faults-{jdk.version}.jfr"
    with ct.Jvm(jdk, "Pages", flags=["-XX:MaxDirectMemorySize=512m"], wrapper=SMALL_PAGES) as jvm:
        jvm.expect("ready")
        started = ct.candor("start", "-e", "page-faults", "--event-interval", INTERVAL, "--asm", "-o", path, jvm.pid)
        if not ct.ok(started.status == 0, f"{jdk}: started", started):
            return None
        ok, status = jvm.control("status")
        ct.ok(ok and status["event"] == "page-faults" and status["event_interval"] == str(INTERVAL), f"{jdk}: its status says so", status)
        top = ct.candor("top", jvm.pid)
        ct.ok(top.status != 0 and top.err.count("\n") == 1, f"{jdk}: candor top shows CPU time alone", top)
        truth = jvm.round(pages=PAGES)
        stopped = ct.candor("stop", jvm.pid)
        ct.ok(stopped.status == 0 and jvm.finish() == 0, f"{jdk}: the program ends normally", stopped)
    found, result = report(path)
    if ct.ok(found, f"{jdk}: a report", result):
        weights(str(jdk), found, truth)
    return path


def shown(path):
    """Other commands read the same recording."""
    text = ct.candor("report", path)
    ct.ok(text.status == 0 and re.search(r"Measured +[\d,]+ events of page-faults", text.out) and "that the kernel counted" in text.out
          and f"page-faults, a sample every {INTERVAL}, clock " in text.out, "the report as text", text)
    asm = ct.candor("asm", "--json", "--top", "0", "--threshold", "0", path)
    found = json.loads(asm.out) if asm.status == 0 else None
    ct.ok(found and found["event"] == "page-faults" and found["unit"] == "events" and
          found["weight_ns"] == found["books"]["weight_ns"] > 0.9 * PAGES, "its machine code", asm)
    text = ct.candor("asm", path)
    ct.ok(text.status == 0 and f"Event: page-faults, a sample every {INTERVAL}." in text.out and
          "of page-faults: as much as the books contain" in text.out, "the same as text", text)
    for target in ("flames.html", "stacks.collapsed", "profile.pb.gz"):
        result = ct.candor("convert", path, ct.WORK / target)
        ct.ok(result.status == 0, f"converted to {target}", result)
    jdk = ct.jdk(17)
    if jdk:
        result = ct.run(jdk.jfr, "summary", path)
        ct.ok(result.status == 0 and re.search(r"candor.EventSample +[1-9]", result.out), "the JDK's own jfr", result)


def refused(jdk):
    """If this machine, or any machine, cannot count an event, one line says so."""
    with ct.Jvm(jdk, "Pages") as jvm:
        jvm.expect("ready")
        for event in ("cycles", "LLC-load-misses", "r1a2b"):
            path = ct.WORK / "none.jfr"
            result = ct.candor("start", "-e", event, "-o", path, jvm.pid)
            if result.status == 0:
                ct.skip(f"-e {event} is refused", "this machine counts it")
                ct.candor("stop", jvm.pid)
                continue
            ct.ok(result.status == 1 and result.err.count("\n") == 1 and event in result.err and
                  re.search("page-faults|perf_event_paranoid", result.err), f"-e {event}: one line with a remedy", result)
        # 2: known before anything is attached. Only the JVM's user can find out which tracepoints there are.
        for event, named, status in (("page-misses", "page-misses", 2), ("no:tracepoint", "/sys/kernel/tracing", 1)):
            result = ct.candor("start", "-e", event, "-o", ct.WORK / "none.jfr", jvm.pid)
            ct.ok(result.status == status and result.err.count("\n") == 1 and named in result.err, f"{event}: one line", result)
        jvm.finish()


def main():
    ct.need()
    path = None
    for jdk in ct.jdks(None if ct.TIER == "all" else {version: "in tier all" for version in (8, 11, 21, 27)}):
        path = page_faults(jdk) or path
    if path:
        shown(path)
        refused(ct.jdk(25) or ct.compiler())
    ct.done()


main()
