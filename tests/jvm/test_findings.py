#!/usr/bin/env python3
"""Planted problems of waiting: candor analyze names each one first, with its kind and its place. It does not report it for a twin, a
program that does the same work without the problem, although it could have judged it.

tier: default
timeout: 900

Chance may change a result with a probability of at most 1e-5 in all: a planted problem has many times what its rule needs, and its
twin next to nothing. Locks: five of six threads wait at a time for a thread that sleeps 200 ms; 0.21 threads would be found. The
owners are looked at some 140 times. If only 0.9 of these looks found them asleep, because the machine woke them late, half of the
looks would have to find something else: below 1e-12. If the agent gets a processor only once a second, there are 7 looks in 7 s, and
4 of them are enough. The twin's threads hold the lock for a microsecond. Pool: the same with tasks, for 14 s, because 12 looks must
show that no worker is idle; the twin's pool has ten of sixteen threads that no client ever needs. Futures: the same with ten threads
for 3 s, in which two workers are looked at some 300 times. Connections: ten threads use one of two connections for 100 ms each time,
so both are in use except at the moments in which a thread wakes up; half of the time would be enough. The twin's consumers work at
random times. Storm: thousands of safepoints a second; 50 in all and 21 a second would be found; the twin causes none. gc: 12 of 12
pauses, and none for the twin. exceptions: half a second of CPU time, sampled at 1 ms, goes into stack traces of 50 frames; 9 % would
be found; the twin has none. Sockets: half of the reads must take 275 ms, and they take 700. The twin's answers were sent before they
are requested, and the late reads of its server come from clients, each with a connection of its own, whose port the kernel assigns.
Carriers: 60 waits of 100 ms; 3 would be found; the twin has none. forces: a program that does nothing else, found by a fifth of its
time or by 21 a second, depending on the disk; the twin has one force, and 3 are needed. late: CPU time of 100 ms each on average; 21
would be found; the twin's loop takes 0.1 ms.
"""
import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import candortest as ct

HEAP = ("-XX:+UseSerialGC", "-Xms256m", "-Xmx256m", "-Xmn128m")  # nothing but System.gc() collects
SMALL_HEAP = ("-XX:+UseSerialGC", "-Xms128m", "-Xmx128m", "-Xmn32m")  # it has many cases
LOCKS = "java.util.concurrent.locks."
NO_POLLS = ("-XX:+UseSerialGC", "-XX:-UseCountedLoopSafepoints")

# The rules for which older JDKs lack the events.
SINCE = {"pinned_carrier": 21, "submit_failed": 21, "deoptimizations": 14, "allocation_stall": 15, "redefinitions": 15,
         "child_processes": 15, "cpu_throttled": 17, "container_full": 17}

# name: finding, options of the round, subject, place. The deadlock comes last, because it stays.
OF_AGENT = {
    "logger": ("lock_held_asleep", {"threads": 6, "calls": 6, "ms": 200}, "java.lang.Class", "Problems$Logger.slowLog"),
    "sleeper": ("lock_held_asleep", {"threads": 6, "calls": 6, "ms": 200}, LOCKS + "ReentrantLock$NonfairSync", "Problems.sleepInside"),
    "asker": ("lock_held_in_io", {"threads": 6, "calls": 6, "ms": 200}, "Problems$Shared", "Problems.ask"),
    "pool": ("pool_too_small", {"threads": 6, "calls": 120, "ms": 20}, "pool-", "Problems.ask"),
    "futures": ("pool_too_small", {"threads": 10, "calls": 30, "ms": 20}, "pool-", "Problems.join"),
    "connections": ("pool_too_small", {"threads": 10, "seconds": 3, "ms": 100}, "ArrayBlockingQueue.take", "Problems.query"),
    "convoy": ("lock_contended", {"threads": 8, "calls": 100}, "Problems$Shared", "Problems.work"),
    "writers": ("writers_starve", {"seconds": 2}, LOCKS + "ReentrantReadWriteLock$NonfairSync", "Problems.write"),
    "storm": ("safepoint_storm", {"seconds": 1}, "", ""),
    "gc": ("system_gc", {"calls": 12}, "System.gc()", ""),
    "exceptions": ("exceptions", {"seconds": 0.5}, "Problems$NotFound", "Problems.find"),
    "deadlock": ("deadlock", {}, "Problems$Shared", "Problems.takeBoth"),
}


# The same for rounds whose twin differs in time and memory; other rules may find its problem, too.
OF_MACHINE = {
    "churn": ("thread_churn", {"seconds": 1}, "", "Problems.startOne"),
    "boxes": ("boxing", {"calls": 500}, "java.lang.Integer", "Problems.count"),
    "buffers": ("allocation_site", {"calls": 100000}, "byte[]", "Problems.buffer"),
    "garbage": ("gc_pressure", {"calls": 30}, "", "Problems.node"),
}

BY_OTHERS = "other programs on the machine"


def analyze(path, what):
    result = ct.candor("analyze", "--json", "--top", "0", path)
    if not ct.ok(result.status == 0, f"{what}: is analyzed", result):
        return {"findings": [], "judged": [], "not_judged": []}
    return json.loads(result.out)


def told(r):
    return [(one["id"], round(one["score"]), one["text"]) for one in r["findings"]]


def is_first(what, path, kind, subject, place):
    """Returns the finding, or None."""
    r = analyze(path, what)
    if kind == "lock_contended" and any(one["id"] == "lock_owner_preempted" for one in r["findings"]):
        kind = "lock_owner_preempted"  # the same, on a machine with so much other work that the owners have no processor
    first = [one for one in r["findings"] if BY_OTHERS not in one["text"]][:1]  # other work on the machine comes before such a lock
    ct.ok(first and first[0]["id"] == kind, f"{what}: the first finding is {kind}", told(r))
    return is_found(what, path, r, kind, subject, place)


def is_found(what, path, r, kind, subject, place):
    found = [one for one in r["findings"] if one["id"] == kind]
    if not ct.ok(len(found) == 1, f"{what}: {kind} is found, once", told(r)):
        return None
    one = found[0]
    evidence = one["evidence"]
    ct.note(f"{what}: {one['score']:.0f}: {one['text']}")
    ct.ok(subject in (evidence["subject"] or "") and place in (evidence["site"] or ""), f"{what}: what it is, and where", evidence)
    shown = ct.candor("report", *evidence["report"].split(), path)
    ct.ok(shown.status == 0 and any(line.startswith(evidence["table"]) for line in shown.out.splitlines()),
          f"{what}: candor report {evidence['report']} has {evidence['table']}", shown)
    ct.ok(evidence["lost_low_ns"] <= evidence["lost_ns"] <= evidence["lost_high_ns"], f"{what}: with its interval", evidence)
    return one


def is_silent(what, r, kind):
    ids = [one["id"] for one in r["findings"]]
    ct.ok(kind not in ids and kind in r["judged"], f"{what}: {kind} was judged, and there is none", (told(r), r["not_judged"]))
    if ids:
        ct.note(f"{what}: {told(r)}")


# -- by the agent ------------------------------------------------------------------------------------------------------

def record(jvm, name, fixed, options, event="cpu,wall,lock,halt"):
    """(recording, truth) of one round."""
    path = ct.WORK / f"{name}-{fixed}-{jvm.jdk.version}.jfr"
    jvm.start(path, event=event, interval="1ms", **{"wall-interval": "20ms"})
    truth = jvm.round(name, fixed=fixed, **options)
    jvm.stop()
    return path, truth


def of_agent(jdk):
    with ct.Jvm(jdk, "Problems", flags=HEAP, agent=ct.agent_options()) as jvm:
        jvm.expect("ready")
        for name, (kind, options, subject, place) in ct.by_turns(list(OF_AGENT.items())):
            what = f"{jdk}, {name}"
            path, truth = record(jvm, name, 1, options)
            is_silent(f"{what}, fixed", analyze(path, what), kind)
            path, truth = record(jvm, name, 0, options)
            one = is_first(what, path, kind, subject, place)
            if one:
                check(what, name, one, truth)
        ct.ok(jvm.finish() == 0, f"{jdk}: the program ends normally", jvm.transcript())
        printed = [line for line in jvm.out if not line.startswith(("ready", "done"))]
        ct.ok(not printed and not jvm.err, f"{jdk}: nothing is printed on the application's streams", printed + jvm.err)


def of_machine(jdk):
    with ct.Jvm(jdk, "Problems", flags=SMALL_HEAP, agent=ct.agent_options()) as jvm:
        jvm.expect("ready")
        for name, (kind, options, subject, place) in ct.by_turns(list(OF_MACHINE.items())):
            what = f"{jdk}, {name}"
            path, _ = record(jvm, name, 1, options, "cpu,wall,alloc,halt")
            is_silent(f"{what}, fixed", analyze(path, what), kind)
            path, _ = record(jvm, name, 0, options, "cpu,wall,alloc,halt")
            is_found(what, path, analyze(path, what), kind, subject, place)
        ct.ok(jvm.finish() == 0, f"{jdk}, machine: the program ends normally", jvm.transcript())


def check(what, name, one, truth):
    """What the program knows."""
    evidence = one["evidence"]
    if name == "gc":
        ct.ok(evidence["count"] == truth["calls"], f"{what}: each of {truth['calls']} calls", evidence)
        ct.ok(not evidence["site"] or "Problems.callCollector" in evidence["site"], f"{what}: by whom, where a sample shows it", evidence)
    elif name == "storm":
        ct.ok(evidence["count"] >= 0.5 * truth["looks"], f"{what}: {evidence['count']} safepoints by {truth['looks']} looks")
    elif name == "deadlock":
        ct.ok(evidence["threads"] == truth["threads"] and "dead-0" in one["text"] and "dead-1" in one["text"], f"{what}: names both", one)
    elif name == "pool":
        ct.ok(truth["largest"] == 1, f"{what}: the pool has not grown", truth)
    elif name in ("logger", "sleeper", "asker"):
        ct.ok(evidence["threads"] >= 5 and evidence["owner"].startswith("worker-"), f"{what}: who waits, and for whom", evidence)


# -- by the JDK's own recorder -----------------------------------------------------------------------------------------

def of_flight(jdk):
    log = ct.WORK / f"forced-{jdk.version}.log"
    problems = {"sockets": ("slow_socket", {"threads": 4, "calls": 4, "ms": 700}, "127.0.0.1:", "Problems.request"),
                "forces": ("file_forced", {"seconds": 2, "path": log}, str(log), "Problems.force")}
    if jdk.version >= 21:
        problems["pinned"] = ("pinned_carrier", {"threads": 6, "calls": 10, "ms": 100}, "", "Problems.sleepInMonitor")
    with ct.Jvm(jdk, "Problems") as jvm:
        jvm.expect("ready")
        for name, (kind, options, subject, place) in problems.items():
            what = f"{jdk}, {name}"
            flights = {fixed: ct.WORK / f"{name}-{fixed}-{jdk.version}-flight.jfr" for fixed in (1, 0)}
            truths = {fixed: jvm.round(name, fixed=fixed, flight=path, **options) for fixed, path in flights.items()}
            is_silent(f"{what}, fixed", analyze(flights[1], what), kind)
            if name == "pinned" and jdk.version >= 24:
                is_silent(f"{what}, which this JDK does not pin", analyze(flights[0], what), kind)
                continue
            one = is_first(what, flights[0], kind, subject, place)
            if one and name == "sockets":
                ct.ok(one["evidence"]["subject"].endswith(f":{truths[0]['port']}") and one["evidence"]["threads"] == 4,
                      f"{what}: that peer, and who waits", one)
        ct.ok(jvm.finish() == 0, f"{jdk}, flights: the program ends normally", jvm.transcript())


# -- by both -----------------------------------------------------------------------------------------------------------

def of_both(jdk):
    """Finding the late thread takes the JDK's events of safepoints and our samples."""
    with ct.Jvm(jdk, "Problems", flags=NO_POLLS, agent=ct.agent_options()) as jvm:
        jvm.expect("ready")
        for fixed in (1, 0):
            path, flight, both = (ct.WORK / f"late-{fixed}-{jdk.version}{part}.jfr" for part in ("", "-flight", "-both"))
            jvm.start(path, interval="1ms")
            jvm.round("late", fixed=fixed, calls=12, flight=flight)
            jvm.stop()
            both.write_bytes(flight.read_bytes() + path.read_bytes())
            what = f"{jdk}, late"
            if fixed:
                is_silent(f"{what}, fixed", analyze(both, what), "late_at_safepoints")
                continue
            one = is_first(what, both, "late_at_safepoints", "", "Halts.counted")
            ct.ok(one and one["evidence"]["owner"] == "looper-0", f"{what}: who it was", one)
        ct.ok(jvm.finish() == 0, f"{jdk}, late: the program ends normally", jvm.transcript())


def of_nothing(jdk):
    """A program that waits for this test, recorded as docs/findings.md says: all events are recorded, so all rules are judged."""
    path = ct.WORK / f"calm-{jdk.version}.jfr"
    with ct.Jvm(jdk, "Problems", flags=("-XX:+EnableDynamicAgentLoading",) if jdk.version >= 21 else ()) as jvm:
        jvm.expect("ready")
        result = ct.candor("record", "-e", "cpu,wall,lock,halt", "--jfr", "on", "-d", "2s", "-o", path, jvm.pid, timeout=300)
        if ct.ok(result.status == 0, f"{jdk}, calm: is recorded", result):
            r = analyze(path, f"{jdk}, calm")
            of_machine_alone = ("gc_long_pause", "cpu_saturated")  # if other programs have the processors
            ct.ok(not {one["id"] for one in r["findings"]} - {*of_machine_alone}, f"{jdk}, calm: nothing is found", told(r))
            lacking = {"boxing", "allocation_site", "leak"} | {kind for kind, since in SINCE.items() if jdk.version < since}
            ct.ok({gap["id"] for gap in r["not_judged"]} == lacking, f"{jdk}, calm: all is judged", r["not_judged"])
        jvm.finish()


def has_recorder(jvm):
    """Whether the JDK's recorder was used in this JVM: it leaves a thread."""
    return any(name.read_text().startswith("JFR ") for name in pathlib.Path(f"/proc/{jvm.pid}/task").glob("*/comm"))


def of_joined(jdk, jvm):
    """Threads that wait for sockets make the JDK's recorder join. Its events count for the time from then on."""
    path = ct.WORK / f"joined-{jdk.version}.jfr"
    jvm.say("go sockets fixed=0 threads=4 calls=40 ms=400")
    result = ct.candor("diagnose", "--json", "-d", "2s", "-o", path, jvm.pid, timeout=300)
    if not ct.ok(result.status == 0 and "sockets or files: the JDK's recorder joins" in result.err, f"{jdk}, joined: it says so", result):
        return
    r = json.loads(result.out)
    found = [one for one in r["findings"] if one["id"] == "slow_socket"]
    gaps = {gap["id"] for gap in r["not_judged"]}
    if ct.ok(len(found) == 1 and "Problems.request" in found[0]["evidence"]["site"] and "slow_file" not in gaps,
             f"{jdk}, joined: the peer is found, with the line", (told(r), gaps)):
        ct.ok(2e9 < r["duration_ns"] and found[0]["score"] > 94, f"{jdk}, joined: four threads wait, in the time of its events", found)
    jvm.expect("done")


def of_diagnosis(jdk):
    """With one command, for a program that has just this problem."""
    path = ct.WORK / f"diagnosis-{jdk.version}.jfr"
    with ct.Jvm(jdk, "Problems", flags=("-XX:+EnableDynamicAgentLoading",) if jdk.version >= 21 else ()) as jvm:
        jvm.expect("ready")
        jvm.say("go connections fixed=0 threads=10 seconds=6 ms=100")
        result = ct.candor("diagnose", "--json", "-d", "2s", "-o", path, jvm.pid, timeout=300)
        if ct.ok(result.status == 0, f"{jdk}, diagnose: is recorded and judged", result):
            r = json.loads(result.out)
            found = {one["id"]: one["evidence"]["site"] for one in r["findings"]}
            ct.ok("Problems.query" in found.get("pool_too_small", ""), f"{jdk}, diagnose: what is wrong, and where", told(r))
            judged = {"boxing", "allocation_site", "classes_grow", "threads_grow"} & {*r["judged"], *found}
            ct.ok(len(judged) == (4 if jdk.version >= 11 else 2), f"{jdk}, diagnose: by what this JVM has", r["not_judged"])
            gaps = {gap["id"]: gap["missing"] for gap in r["not_judged"]}
            ct.ok(("collections of old objects" if jdk.version >= 11 else "objects that are alive") in gaps.get("leak", ""),
                  f"{jdk}, diagnose: no verdict yet about leaks", gaps)
            ct.ok(path.exists() and "slow_socket" in gaps and r["judge_rest"] == f"candor diagnose --jfr on {jvm.pid}" and
                  not has_recorder(jvm), f"{jdk}, diagnose: without the JDK's recorder, which it says", (result.err, gaps))
        jvm.expect("done")
        of_joined(jdk, jvm)
        ct.ok(jvm.finish() == 0, f"{jdk}, diagnose: the program ends normally", jvm.transcript())


def main():
    ct.need()
    jdks = ct.jdks()
    newer = [one for one in jdks if one.version >= 17]
    for jdk in ct.some(jdks, 8, 25):
        of_agent(jdk)
    for jdk in ct.some(newer, 17, 25)[:1]:
        of_machine(jdk)
    for jdk in ct.some(newer, 21):
        of_flight(jdk)  # options of single events came with JDK 17
    for jdk in ct.some(newer, 17):
        of_both(jdk)
    for jdk in ct.some(jdks, 8, 25):
        of_nothing(jdk)
        of_diagnosis(jdk)
    ct.done()


main()
