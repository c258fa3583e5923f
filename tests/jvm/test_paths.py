#!/usr/bin/env python3
"""What holds live objects: programs whose leaks have a known holder, and twins that keep a limited number of the same objects.

tier: default
timeout: 7200

The rounds of Leaks leave 4 MB behind, sampled every 16 KiB: 250 objects on average, of which no more than 256 are searched for. Fewer
than half of that has a chance below 1e-9; so has more than a quarter of it for the twin, which keeps a hundredth (16 KiB a sample: 6
objects). Nothing here depends on how long a walk takes: the budgets are a minute, or less than any walk.
"""
import collections
import pathlib
import signal
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "lib"))
import candortest as ct
import jfrfile

KINDS = {
    "hashtable": ("Leaks.TABLE (static)",
                  ["java.util.Hashtable$Entry.value", "java.util.Hashtable$Entry[] []", "java.util.Hashtable.table",
                   "Leaks.TABLE (static)"]),
    "secondIndex": ("Leaks.BY_PHONE (static)",
                    ["Leaks$Customer.data", "java.util.HashMap$Node.value", "java.util.HashMap$Node[] []", "java.util.HashMap.table",
                     "Leaks.BY_PHONE (static)"]),
    "threadLocal": ("java.lang.Thread.threadLocals [Threads, Thread Name: main]",
                    ["java.util.HashMap$Node.value", "java.util.HashMap$Node[] []", "java.util.HashMap.table",
                     "java.lang.ThreadLocal$ThreadLocalMap$Entry.value", "java.lang.ThreadLocal$ThreadLocalMap$Entry[] []",
                     "java.lang.ThreadLocal$ThreadLocalMap.table", "java.lang.Thread.threadLocals", "[Threads, Thread Name: main]"]),
    "classLoader": ("Leaks.PLUGINS (static)",
                    ["Leaks$Plugin.STATE (static)", "Leaks$Plugin.<class>", "java.util.HashMap$Node.value", "java.util.HashMap$Node[] []",
                     "java.util.HashMap.table", "Leaks.PLUGINS (static)"]),
    "listener": ("Leaks.LISTENERS (static)", None),  # in the set's own order, or by its table
}
REQUESTS = 20000
MINUTE = 60 * 10**9
FLAGS = ["-Xms256m", "-Xmx256m", "-XX:+UseSerialGC"]


def live_report(path):
    report = ct.candor("report", "--json", "--kind", "live", path)
    if report.status:
        raise RuntimeError(report)
    return ct.json.loads(report.out)


def start(jvm, path, **options):
    jvm.start(path, **{"event": "live", "alloc-interval": "16k", **options})


def byte_arrays(data):
    """The paths to byte[], which the program keeps; most bytes first."""
    return [row for row in (data["live"]["holders"] or {"paths": []})["paths"] if row["class"] == "byte[]"]


# -- the holder ------------------------------------------------------------------------------------------------------

def held(jvm, kind, fixed):
    """(the truth, the report) of one round, with a search at its end."""
    path = ct.WORK / f"held-{jvm.jdk.version}-{kind}-{fixed}.jfr"
    start(jvm, path, paths="60s")
    done = jvm.round("hold", kind=kind, fixed=fixed, requests=REQUESTS)
    jvm.stop()
    return done, live_report(path), path


def outside_buckets(path):
    """Whether its entry is the first of its bucket depends on chance."""
    return [step for step in path if not step.startswith("java.util.HashMap$Node.next") and
            not step.startswith("java.util.Hashtable$Entry.next")]


def names_the_holder(jvm, kind):
    what = f"{jvm.jdk}: {kind}"
    holder, wanted = KINDS[kind]
    done, data, path = held(jvm, kind, 0)
    rows = byte_arrays(data)
    first = rows[0] if rows else {"holder": None, "path": [], "bytes": 0, "objects": 0}
    ct.ok(first["holder"] == holder, f"{what}: held by {first['holder']}", rows[:5])
    ct.ok(wanted is None or outside_buckets(first["path"]) == wanted, f"{what}: by the way that is known", first["path"])
    mine = sum(row["bytes"] for row in rows if row["holder"] == holder)
    # Besides each plugin there is data that its class loader needs, and this is reported in turn with it.
    ct.ok(mine > done["bytes"] / 2 if kind != "classLoader" else mine > 0, f"{what}: of most of them", (mine, done))
    told = data["live"]["holders"]
    reasons = {one["reason"]: one["objects"] for one in told["missing"]}
    ct.ok(set(reasons) <= {"not_chosen", "unreached", "gone", "beyond"}, f"{what}: nothing was left out for want of time", reasons)
    books_of_walks(path, data, what)
    _, twin, _ = held(jvm, kind, 1)
    left = sum(row["bytes"] for row in byte_arrays(twin) if row["holder"] == holder)
    ct.ok(left < done["bytes"] / 4, f"{what}, fixed: what is at hand is held, and no more", (left, done["bytes"]))


def books_of_walks(path, data, what):
    books = data["live"]["books"]
    lines = {event["account"]: event for event in jfrfile.events(path) if event["@type"] == "candor.BookLine"}
    # The table itself may be one of the samples. The map, which existed before, is not a sample, nor are its holders.
    ct.ok(books["walks"] >= 2 and books["walked_ns"] > 0, f"{what}: walks are booked", books)
    ct.ok(lines["paths_stopped"]["count"] >= books["walks"] and lines["paths_stopped"]["time"] == books["stopped_ns"] > 0,
          f"{what}: and the time that the JVM says it stood still for them", lines["paths_stopped"])
    warned = any(one["level"] == "warning" and "paths:" in one["text"] for one in data["problems"])
    ct.ok(warned == (books["walked_ns"] > MINUTE), f"{what}: no more than was allowed, or it says so", data["problems"])


def printed_by_the_jdk(jvm, path):
    """The JDK's own tool follows the chain, and fails if something does not fit."""
    printed = ct.run(jvm.jdk.jfr, "print", "--events", "jdk.OldObjectSample", path)
    wanted = ("table : java.util.Hashtable", "TABLE : java.lang.Class Class Name: Leaks", '"Class Loader Data"')
    ct.ok(printed.status == 0 and all(word in printed.out for word in wanted), f"{jvm.jdk}: the JDK's own tool prints the paths",
          printed.out[:1500] + printed.err[:400])


def all_kinds(jdk):
    with ct.Jvm(jdk, "Leaks", agent=ct.agent_options(), flags=FLAGS) as jvm:
        jvm.expect("ready")
        for kind in KINDS:
            names_the_holder(jvm, kind)
        if jdk.version in (17, 21):
            printed_by_the_jdk(jvm, ct.WORK / f"held-{jdk.version}-hashtable-0.jfr")
        ct.ok(jvm.finish() == 0, f"{jdk}: the program ends normally", jvm.transcript())


# -- the budget, and requests for paths ------------------------------------------------------------------------------

def too_little(jdk):
    """No walk fits into a microsecond: none is made, and nothing is said about holders."""
    path, copy = ct.WORK / "little.jfr", ct.WORK / "little-copy.jfr"
    with ct.Jvm(jdk, "Leaks", agent=ct.agent_options(), flags=FLAGS) as jvm:
        jvm.expect("ready")
        start(jvm, path)
        jvm.round("hold", kind="hashtable", requests=REQUESTS)
        dumped = ct.candor("dump", "--paths=1us", "-o", copy, jvm.pid)
        ct.ok(dumped.status == 0 and "be stopped for up to 1.00 us" in dumped.err, f"{jdk}: the cost is reported beforehand", dumped)
        jvm.stop()
        start(jvm, ct.WORK / "without.jfr", event="alloc")
        refused = ct.candor("dump", "--paths", jvm.pid)
        ct.ok(refused.status == 1 and "event=live" in refused.err, f"{jdk}: it is of the event live", refused)
        jvm.stop()
        ct.ok(jvm.finish() == 0, f"{jdk}: the program ends normally", jvm.transcript())
    data, end = live_report(copy), live_report(path)
    told = data["live"]["holders"]
    ct.ok(told["objects"] > 100 and not told["paths"] and {one["reason"] for one in told["missing"]} <= {"budget", "not_chosen", "gone"} and
          data["live"]["books"]["walks"] == 0, f"{jdk}: no walk, no path, and the reason", told)
    ct.ok(any("--paths" in one["text"] for one in data["problems"]), f"{jdk}: how much to allow", data["problems"])
    ct.ok(end["live"]["holders"] is None, f"{jdk}: the recording itself was not requested them", end["live"]["holders"])
    text = ct.candor("report", "--kind", "live", copy).out
    ct.ok("Holders" in text and "(budget)" in text, f"{jdk}: the text says so, too", text)


def of_the_jdk(jdk):
    """A recording of the JDK's own recorder, with its chains."""
    flags = [*FLAGS, "-XX:TLABSize=16k", "-XX:-ResizeTLAB", "-XX:StartFlightRecording:settings=profile"]
    path = ct.WORK / f"jdk-{jdk.version}.jfr"
    with ct.Jvm(jdk, "Leaks", flags=flags) as jvm:
        jvm.expect("ready")
        jvm.round("hold", kind="hashtable", requests=REQUESTS)
        dumped = ct.run(jdk.jcmd, jvm.pid, "JFR.dump", "path-to-gc-roots=true", f"filename={path}")
        jvm.finish()
    if not ct.ok(dumped.status == 0 and path.exists(), f"{jdk}: the JDK dumps a recording", dumped):
        return
    rows = live_report(path)["live"]["holders"]["paths"]
    ct.ok(any(row["holder"] == "Leaks.TABLE (static)" and row["path"][-4:] == KINDS["hashtable"][1][-4:] for row in rows),
          f"{jdk}: its chains name the same holder", rows[:5])


# -- other readers -----------------------------------------------------------------------------------------------

def path_of(event):
    """In the format of ReadJmcPaths.java."""
    at, steps = event["object"], []
    while at and at["referrer"]:
        reference = at["referrer"]
        steps.append("[]" if reference["array"] else reference["field"]["name"])
        at = reference["object"]
    last = at["description"] or "" if at else ""
    return " <- ".join([*steps, last]) + " | " + (event["root"]["system"] if event["root"] else "")


def of_several_chunks(jdk, path):
    """A recording in which at least two chunks have paths. Paths are requested until then, because a chunk ends when its time is over."""
    with ct.Jvm(jdk, "Leaks", agent=ct.agent_options(), flags=FLAGS) as jvm:
        jvm.expect("ready")
        start(jvm, ct.WORK / "kept.jfr", keep="30s")  # in chunks of three seconds
        jvm.round("hold", kind="hashtable", requests=REQUESTS)
        for _ in range(100):
            jvm.dump(path, paths="60s")
            chunks = [list(chunk.events({"jdk.OldObjectSample"})) for chunk in jfrfile.chunks(path.read_bytes())]
            if sum(any(event["root"] for event in chunk) for chunk in chunks) > 1:
                break
            path.unlink()
            time.sleep(1)
        jvm.stop()
        jvm.finish()
    return [event for chunk in chunks for event in chunk]


def in_mission_control(jdk):
    result = ct.run(HERE / "fetch_jars.sh", timeout=200)
    if result.status:
        ct.skip("Mission Control's parser", "its jars cannot be fetched: " + (result.err.strip().splitlines() or ["?"])[-1])
        return
    path = ct.WORK / "chunks.jfr"
    ours = collections.Counter(path_of(event) for event in of_several_chunks(jdk, path))
    ct.ok(ours["value <- [] <- table <- TABLE <- Class Name: Leaks | Class Loader Data"] > 100, f"{jdk}: paths in two chunks", ours)
    read = ct.run(jdk.java, "-cp", f"{result.out.strip()}/*", HERE / "ReadJmcPaths.java", path)
    theirs = {text: int(count) for count, _, text in (line.partition(" ") for line in read.out.splitlines())}
    ct.ok(theirs == dict(ours), f"{jdk}: Mission Control has the same", f"{read.err}\n{sorted(ours.items())}\n{sorted(theirs.items())}")


def beside_the_jdk(jdk):
    """With chunks of the JDK's own recorder after ours, the JDK's tool reads both."""
    path = ct.WORK / f"beside-{jdk.version}.jfr"
    with ct.Jvm(jdk, "Leaks", flags=[*FLAGS, "-XX:StartFlightRecording:settings=profile"]) as jvm:
        jvm.expect("ready")
        client = ct.spawn([ct.PROGRAM, "record", "-e", "live,lock", "--paths=60s", "--jfr", "existing", "--alloc-interval", "16k",
                           "-o", path, str(jvm.pid)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        ct.wait_until(lambda: path.exists() and ct.candor("status", jvm.pid).out.count("live"))
        jvm.round("hold", kind="hashtable", requests=REQUESTS)
        client.send_signal(signal.SIGINT)
        out, err = client.communicate()
        jvm.finish()
    rows = byte_arrays(live_report(path))
    ct.ok(bool(rows) and rows[0]["holder"] == "Leaks.TABLE (static)", f"{jdk}: the holder is reported beside the JDK's recorder",
          (rows[:3], out, err))
    counts = [len(list(chunk.events({"jdk.OldObjectSample"}))) for chunk in jfrfile.chunks(path.read_bytes())]
    ct.ok(len(counts) > 1 and counts[0] > 100, f"{jdk}: whose chunks are in the file", counts)
    printed = ct.run(jdk.jfr, "print", "--events", "jdk.OldObjectSample", path)
    ct.ok(printed.status == 0 and "TABLE : java.lang.Class Class Name: Leaks" in printed.out and
          printed.out.count("jdk.OldObjectSample {") == sum(counts), f"{jdk}: the JDK's own tool prints the objects of both",
          f"{counts} {printed.err[:400]}")


# -- at length -------------------------------------------------------------------------------------------------------

def candidates(jdk, kind, fixed):
    """A service that leaks all the time: the holder of the first candidate."""
    what, path = f"{jdk}: {kind}{', fixed' if fixed else ''}, at length", ct.WORK / f"long-{jdk.version}-{kind}-{fixed}.jfr"
    with ct.Jvm(jdk, "Leaks", agent=ct.agent_options(), flags=["-Xms96m", "-Xmx96m", "-XX:+UseSerialGC"]) as jvm:
        jvm.expect("ready")
        start(jvm, path, paths="60s", **{"alloc-interval": "2k", "live-max": 16384})
        done = jvm.round(kind=kind, fixed=fixed, seconds=12)
        jvm.stop()
        jvm.finish()
    if not done["full"]:
        ct.skip(what, "the machine had no time")
        return
    found = live_report(path)["leaks"]["candidates"]
    if fixed:
        ct.ok(not found, f"{what}: nothing leaks, so nobody holds it", found[:2])
        return
    paths = [row for row in (found[0]["holders"] or {"paths": []})["paths"] if row["class"] == "byte[]"] if found else []
    ct.ok(bool(paths) and paths[0]["holder"] == KINDS[kind][0], f"{what}: the first candidate's holder", found[:1])


def checked(jdk):
    """Under the JVM's own checks of JNI."""
    path = ct.WORK / "checked.jfr"
    with ct.Jvm(jdk, "Leaks", agent=ct.agent_options(), flags=[*FLAGS, "-Xcheck:jni"]) as jvm:
        jvm.expect("ready")
        start(jvm, path, paths="60s")
        jvm.round("hold", kind="threadLocal", requests=REQUESTS)
        jvm.stop()
        jvm.finish()
        said = jvm.transcript()
    ct.ok("WARNING in native method" not in said and "FATAL ERROR" not in said and "exceeds capacity" not in said,
          f"{jdk}: JNI has nothing to complain of", said)


def collectors(jdk):
    names = ["G1", "Parallel"] + (["Z", "Shenandoah"] if jdk.version >= 17 else [])
    for name in names:
        with ct.Jvm(jdk, "Leaks", agent=ct.agent_options(), flags=["-Xmx512m", f"-XX:+Use{name}GC"]) as jvm:
            jvm.expect("ready")
            done, data, _ = held(jvm, "hashtable", 0)
            rows = byte_arrays(data)
            ct.ok(bool(rows) and rows[0]["holder"] == "Leaks.TABLE (static)", f"{jdk}, {name}: the holder", (rows[:3], done))
            ct.ok(jvm.finish() == 0, f"{jdk}, {name}: the program ends normally", jvm.transcript())


def main():
    ct.need()
    sampled = ct.jdks({8: "it does not sample allocations"})
    for jdk in sampled:
        all_kinds(jdk)
    too_little(sampled[0])
    for jdk in sampled:
        if jdk.version in (17, 25):
            of_the_jdk(jdk)
            beside_the_jdk(jdk)
    in_mission_control(sampled[-1])
    for jdk in sampled:
        if jdk.version in (17, 27):
            checked(jdk)
    if ct.TIER == "all":
        for jdk in sampled:
            collectors(jdk)
            for kind in KINDS:
                for fixed in (0, 1):
                    candidates(jdk, kind, fixed)
    ct.done()


main()
