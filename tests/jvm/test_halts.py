#!/usr/bin/env python3
"""What stops all threads, compared with the JVM's own log: every GC pause with its duration, cause and collector, the thread that asked
for it, and the thread that was late. For the twins nothing is reported.

tier: default
timeout: 600

Depending on the collector, the time in the log is a little shorter or a little longer than the time that JVMTI reports. The test
asserts that the median difference is below a millisecond: the chance that half of thirty pauses are interrupted in the few
microseconds between two readings of the clock is far below 1e-5, however busy the machine is.
"""
import json
import pathlib
import re
import statistics
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import candortest as ct
import jfrfile

CALLS = 30
MS = 1_000_000
HEAP = ("-Xms128m", "-Xmx128m", "-Xmn64m")  # nothing but System.gc() collects
ASKED = "settings=profile,jdk.SafepointStateSynchronization#enabled=true"
COLLECTORS = {"serial": "-XX:+UseSerialGC", "g1": "-XX:+UseG1GC"}


def log_flags(jdk, path):
    return [f"-Xloggc:{path}", "-XX:+PrintGC"] if jdk.version == 8 else [f"-Xlog:gc,safepoint:file={path}"]


def logged_pauses(jdk, path):
    """[(cause or "", ns)] in order."""
    found = []
    for line in path.read_text().splitlines():
        if jdk.version == 8:
            match = re.search(r"\[(?:Full )?GC(?! concurrent)(.*?)([\d.]+) secs\]", line)
            unit = 1e9
        else:
            match = re.search(r"GC\(\d+\) Pause (.*?)([\d.]+)ms$", line)
            unit = 1e6
        if match:
            found.append(("System.gc()" if "System.gc()" in match[1] else "", float(match[2]) * unit))
    return found


def report(path, *options):
    result = ct.candor("report", "--kind", "halt", "--json", "--top", "0", *options, path)
    return json.loads(result.out) if result.status == 0 else {"failed": str(result), "halts": [], "kinds": {}}


def of_kind(r, kind):
    return [halt for halt in r["halts"] if halt["kind"] == kind]


def books_of(path):
    lines = jfrfile.events(path, {"candor.BookLine"})
    return {(line["account"], line["reason"] or ""): (line["time"], line["count"]) for line in lines}


def holds(path, event):
    result = ct.candor("summary", "--json", path)
    return json.loads(result.out)["types"].get(event, {}).get("count", 0) if result.status == 0 else 0


def run(jdk, name, word, flags, **agent):
    """(recording, log, truth) of one round of Halts."""
    path, log = ct.WORK / f"{name}-{jdk.version}.jfr", ct.WORK / f"{name}-{jdk.version}.log"
    options = ct.agent_options(file=path, **agent) if agent else None
    with ct.Jvm(jdk, "Halts", flags=[*HEAP, *flags, *log_flags(jdk, log)], agent=options) as jvm:
        truth = jvm.round(word, calls=CALLS)
        ct.ok(jvm.finish() == 0, f"{jdk}, {name}: the program ends normally", jvm.transcript())
    return path, log, truth


def compare(what, told, logged):
    """Durations of the same pauses in the same order, in ns."""
    detail = f"{told}\n{logged}"
    if not ct.ok(len(told) == len(logged), f"{what}: {len(logged)} pauses in the log are {len(told)} in the recording", detail):
        return
    off = [ours - log for ours, log in zip(told, logged)]
    ct.ok(abs(statistics.median(off)) < MS, f"{what}: within 1 ms of it (median {statistics.median(off) / 1e6:.3f} ms)", off)
    ct.note(f"{what}: off by {min(off) / 1e6:.3f} to {max(off) / 1e6:.3f} ms, pauses of {statistics.median(logged) / 1e6:.2f} ms")


def by_agent(jdk, collector):
    what = f"{jdk}, {collector}, by the agent"
    path, log, truth = run(jdk, f"agent-{collector}", "collect", [COLLECTORS[collector]], event="halt")
    logged, r, books = logged_pauses(jdk, log), report(path), books_of(path)
    pauses = of_kind(r, "gc_pause")
    compare(what, [pause["duration_ns"] for pause in pauses], [ns for _, ns in logged])
    called = [pause for pause in pauses if pause["what"] and pause["what"].endswith("System.gc()")]
    ct.ok(len(called) == truth["calls"] == sum(cause == "System.gc()" for cause, _ in logged), f"{what}: {len(called)} by System.gc()",
          [pause["what"] for pause in pauses])
    ct.ok(all(re.fullmatch(r"\S.*, System\.gc\(\)", pause["what"]) and pause["agent"] for pause in called), f"{what}: collectors are named",
          {pause["what"] for pause in called})
    ct.ok(books["halt_gc", ""][1] == len(pauses) and ("halt_lost", "queue_full") not in books, f"{what}: none is lost", books)
    ct.ok(books["halt_gc", ""][0] == sum(pause["duration_ns"] for pause in pauses), f"{what}: their time is that in the books", books)
    ct.ok(books["halt_gc_counted", ""][1] >= truth["calls"], f"{what}: the JVM counts them, too", books)
    counted = of_kind(r, "safepoints_counted")
    ct.ok(sum(one["count"] for one in counted) == books["halt_safepoints", ""][1] >= len(pauses),
          f"{what}: safepoints are counted, those of the pauses among them", books)
    other = ct.run(jdk.jfr, "summary", path) if jdk.jfr.exists() else None
    ct.ok(not other or re.search(rf"jdk\.GarbageCollection\s+{len(pauses)}\b", other.out), f"{what}: the JDK's own tool reads them", other)
    plain = ct.candor("report", path)
    ct.ok(plain.status == 0 and "a recording of halts" in plain.out and "GC pauses" in plain.out,
          f"{what}: the plain report says where", plain)


def concurrent(jdk):
    """Pauses of a concurrent collection: if the JVM counts a pause for no collector, it has the name of the JVM's operation, if the
    library has symbols. JDK 8 does not report the cleanup to JVMTI."""
    what = f"{jdk}, concurrent"
    path, log, _ = run(jdk, "concurrent", "collect", [COLLECTORS["g1"], "-XX:+ExplicitGCInvokesConcurrent"], event="cpu,halt",
                       interval="10ms")
    pauses = of_kind(report(path), "gc_pause")
    settings = {line["name"]: line["value"] for line in jfrfile.events(path, {"candor.Setting"})}
    kinds = re.findall(r"\[GC (remark|pause)" if jdk.version == 8 else r"Pause (Remark|Cleanup|Young) .*ms$", log.read_text(), re.M)
    told = [pause["what"] or "" for pause in pauses]
    if not ct.ok(len(pauses) == len(kinds), f"{what}: {len(kinds)} pauses in the log are {len(pauses)} in the recording", (told, kinds)):
        return
    named = "CGC_Operation" if jdk.version < 17 else "G1Pause(Remark|Cleanup)|G1PauseConcurrent"
    by_operation = [bool(re.match(named, one)) for one in told]
    ct.note(f"{what}: {sorted(set(told))}, operations {settings['vm_operations']}")
    ct.ok(any(kind.lower() == "remark" for kind in kinds), f"{what}: the log has such pauses", kinds)
    if settings["vm_operations"] == "named":
        ct.ok(all(told) and not any(is_one and kind.lower() not in ("remark", "cleanup") for is_one, kind in zip(by_operation, kinds)),
              f"{what}: each has a name, that of an operation only where no collector counts", list(zip(kinds, told)))


def attached(jdk):
    """Attached to a running JVM by the client: there is no flame graph for a recording without samples."""
    what, path = f"{jdk}, attached", ct.WORK / f"attached-{jdk.version}.jfr"
    log = ct.WORK / f"attached-{jdk.version}.log"
    with ct.Jvm(jdk, "Halts", flags=[*HEAP, COLLECTORS["g1"], *log_flags(jdk, log)]) as jvm:
        jvm.round("calm", calls=1)  # a JVM that is still starting accepts no agent
        client = ct.spawn([ct.PROGRAM, "record", "-e", "halt", "-d", "600s", "-o", path, jvm.pid], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True)
        before = 0
        while client.poll() is None and not (path.exists() and holds(path, "jdk.GarbageCollection")):
            before += jvm.round("collect", calls=1)["calls"]
        truth = jvm.round("collect", calls=CALLS)
        ct.ok(jvm.finish() == 0, f"{what}: the program ends normally", jvm.transcript())
        out, err = client.communicate()
    if not ct.ok(client.returncode == 0, f"{what}: so does the client", (out, err)):
        return
    r, books = report(path), books_of(path)
    called = [pause for pause in of_kind(r, "gc_pause") if (pause["what"] or "").endswith("System.gc()")]
    ct.ok(truth["calls"] < len(called) <= before + truth["calls"], f"{what}: {len(called)} pauses, all since the first that was seen",
          (before, out, err))
    counted = sum(one["count"] for one in of_kind(r, "safepoints_counted"))
    ct.ok(counted >= len(called) - 1, f"{what}: safepoints are counted, but for one that had begun before", books)
    ct.ok("'candor report --kind halt' shows" in out and not path.with_suffix(".html").exists(),
          f"{what}: the client says how to continue", (out, err))


def calm(jdk):
    what = f"{jdk}, the calm twin"
    path, log, _ = run(jdk, "calm", "calm", [COLLECTORS["serial"]], event="cpu,halt", interval="10ms")
    logged, r = logged_pauses(jdk, log), report(path)
    ct.ok(len(of_kind(r, "gc_pause")) == len(logged) and not any(cause for cause, _ in logged),
          f"{what}: no call, no pause by one", r["kinds"])
    ct.ok(r["unexplained_ns"] + r["stopped_ns"] == r["duration_ns"], f"{what}: the time adds up", r["kinds"])


def without_counters(jdk):
    what = f"{jdk}, without the JVM's counters"
    path, log, truth = run(jdk, "blind", "collect", [COLLECTORS["serial"], "-XX:-UsePerfData"], event="halt")
    pauses, books = of_kind(report(path), "gc_pause"), books_of(path)
    ct.ok(len(pauses) == len(logged_pauses(jdk, log)) >= truth["calls"], f"{what}: all pauses", len(pauses))
    operations = {pause["what"] for pause in pauses} - {None}
    ct.ok(not any("," in one or " " in one for one in operations) and ("halt_safepoints", "") not in books,
          f"{what}: nothing is made up, but for the operation's name", (operations, books))


def together(jdk):
    """All events in one recording: each has its part, and halt and live report the same collections."""
    what = f"{jdk}, all events"
    of_objects = jdk.version >= 11
    events = "live,lock,halt,wall,cpu" if of_objects else "lock,halt,wall,cpu"
    path, log, truth = run(jdk, "together", "collect", [COLLECTORS["serial"]], event=events, interval="10ms")
    logged, pauses, books = logged_pauses(jdk, log), of_kind(report(path), "gc_pause"), books_of(path)
    settings = {line["name"]: line["value"] for line in jfrfile.events(path, {"candor.Setting"})}
    ct.ok(settings["event"] == ("cpu,wall,alloc,halt,lock,live" if of_objects else "cpu,wall,halt,lock"), f"{what}: it says so", settings)
    ct.ok(len(pauses) == len(logged) >= truth["calls"], f"{what}: all {len(logged)} pauses", len(pauses))
    accounts = {"cpu", "wall_time", "lock_time", "halt_gc", *(("alloc_bytes", "live_watched_bytes") if of_objects else ())}
    ct.ok(accounts <= {account for account, _ in books}, f"{what}: the books of each", books)
    ct.ok((holds(path, "candor.LiveSet") > 0) == of_objects, f"{what}: what is alive was looked at")
    for kind in ("cpu", "wall", "lock", *(("alloc", "live") if of_objects else ())):
        shown = ct.candor("report", "--kind", kind, path)
        ct.ok(shown.status == 0, f"{what}: report --kind {kind}", shown)


def by_jdk(jdk):
    """The JDK's own recorder, read by the report."""
    what, path = f"{jdk}, by the JDK", ct.WORK / f"flight-{jdk.version}.jfr"
    flight = f"-XX:StartFlightRecording=filename={path},settings=profile"
    _, log, truth = run(jdk, "flight", "collect", [COLLECTORS["g1"], flight])
    logged, r = logged_pauses(jdk, log), report(path)
    pauses = [pause for pause in of_kind(r, "gc_pause") if "System.gc()" in (pause["what"] or "")]
    compare(what, [pause["duration_ns"] for pause in pauses], [ns for cause, ns in logged if cause])
    ct.ok(len(pauses) == truth["calls"] and {pause["by"] for pause in pauses} == {"main"}, f"{what}: main requested each",
          {pause["by"] for pause in pauses})
    if holds(path, "jdk.SystemGC"):
        ct.ok(all((pause["site"] or "").startswith("Halts.callCollector") for pause in pauses), f"{what}: and where",
              {pause["site"] for pause in pauses})
    ct.ok(r["stopped_ns"] >= sum(pause["duration_ns"] for pause in pauses), f"{what}: stopped as long as they took at least",
          r["stopped_ns"])


def late(jdk, polls):
    """(how many of the safepoints that System.gc() requested had to wait for the loop, the loop's CPU time in that time). The JDK's
    event says when threads were asked to stop: what runs before that is not late, and on a busy machine the JVM may wait for a
    processor then. With G1, loops have polls; so does code that C2 has not compiled yet, so compiling is not left to the background."""
    name = "polls" if polls else "no-polls"
    path, flight, both = (ct.WORK / f"late-{name}-{jdk.version}{part}.jfr" for part in ("", "-flight", "-both"))
    flags = [COLLECTORS["g1"]] if polls else [COLLECTORS["serial"], "-XX:-UseCountedLoopSafepoints", "-Xbatch"]
    run(jdk, f"late-{name}", "loop", [*flags, f"-XX:StartFlightRecording=filename={flight},{ASKED}"],
        event="cpu", interval="1ms")
    both.write_bytes(flight.read_bytes() + path.read_bytes())
    safepoints = [one for one in of_kind(report(both), "safepoint") if one["by"] == "main" and "sync_ns" in one]
    ct.note(f"{jdk}, {name}: {len(safepoints)} safepoints, late: {[one['late'] for one in safepoints if one['late']][:3]}")
    safepoints = [one for one in safepoints if "looper at Halts.counted" in (one["late"] or "")]
    return len(safepoints), sum(one["late_ns"] for one in safepoints)


def late_pair(jdk):
    """The loop without polls runs to its end, tens of milliseconds; the loop with polls runs to the next poll. On a busy machine samples
    may show the latter, too, if the JVM's thread loses its processor between the event and the request: for one turn of the scheduler
    each time."""
    (planted, ran), (twin, twin_ran) = late(jdk, False), late(jdk, True)
    ct.ok(planted > CALLS / 2, f"{jdk}: {planted} of {CALLS} safepoints waited for the loop without polls, which ran {ran / MS:.1f} ms")
    ct.ok(twin_ran < ran / 4, f"{jdk}: with polls {twin}, which ran {twin_ran / MS:.1f} ms", ran)


ct.need()
jdks = ct.jdks()
for jdk, collector in ct.spread(jdks, list(COLLECTORS)):
    by_agent(jdk, collector)
for jdk in ct.some(jdks, 8, 17):
    calm(jdk)
    together(jdk)
    concurrent(jdk)
    attached(jdk)
    without_counters(jdk)
for jdk in ct.some(jdks, 17, 25):
    by_jdk(jdk)
for jdk in ct.some([one for one in jdks if one.version >= 17], 17):
    late_pair(jdk)
ct.done()
