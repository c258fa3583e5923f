#!/usr/bin/env python3
"""candor analyze on recordings with known problems, all the way from a file to text and JSON. Missing data are named, and the report
that a finding names exists.

tier: quick
timeout: 60
"""
import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import candortest as ct
from recordings import HOT, MS, make

LOG = "demo.Main.run:1;demo.Log.log:12"
ASLEEP = LOG + ";Native|java.lang.Thread.sleep"
GC = "demo.Cache.trim:5;java.lang.System.gc:1;java.lang.Runtime.gc"
OF_LOCKS = ["deadlock", "lock_held_asleep", "lock_held_in_io", "writers_starve", "lock_contended"]


def recording(name, *lines, event="cpu,wall,lock,halt", length=1000):
    """A recording of `length` ms: each line is a millisecond."""
    head = [("setting", "event", event), ("thread", "main", 4711, 1), ("thread", "worker", 4712, 2), ("thread", "other", 4713, 3),
            ("book", "halt_safepoints", "", 0, 0)]
    body = [*head, *lines]
    return make(name, body + [("sample", 1, MS, "complete", HOT)] * (length - len(body)))


def analyze(path, *options):
    result = ct.candor("analyze", "--json", *options, path)
    return json.loads(result.out) if result.status == 0 else {"failed": str(result), "findings": [], "judged": [], "not_judged": []}


def ids(r):
    return [one["id"] for one in r["findings"]]


def shows(path, r, what):
    """The report that each finding names can be requested."""
    for one in r["findings"]:
        shown = ct.candor("report", *one["evidence"]["report"].split(), path)
        ct.ok(shown.status == 0 and any(line.startswith(one["evidence"]["table"]) for line in shown.out.splitlines()),
              f"{what}: candor report {one['evidence']['report']} has {one['evidence']['table']}", shown)


def test_lock():
    waits, sleepers = [("monitor", 2, 500 * MS, "demo.Log", 64, 1, 0, LOG)] * 8, [("holder", 1, 50 * MS, "demo.Log", ASLEEP)] * 20
    path = recording("asleep.jfr", *waits, *sleepers)
    r = analyze(path)
    if not ct.ok(ids(r) == ["lock_held_asleep"], "a lock whose owner sleeps", r):
        return
    one, evidence = r["findings"][0], r["findings"][0]["evidence"]
    ct.ok(one["severity"] == "warning" and one["score"] > 99 and one["remedy"] and "demo.Log" in one["text"], "how bad, what to do", one)
    ct.ok((evidence["subject"], evidence["site"], evidence["owner"]) == ("demo.Log", "demo.Log.log:12 < demo.Main.run:1", "main"),
          "what, where and who", evidence)
    ct.ok(evidence["lost_ns"] == 4000 * MS and evidence["count"] == 8 and evidence["threads"] == 1, "how much", evidence)
    ct.ok(evidence["lost_low_ns"] <= evidence["lost_ns"] <= evidence["lost_high_ns"], "how sure", evidence)
    shows(path, r, "asleep")
    text = ct.candor("analyze", path)
    ct.ok(text.status == 0 and not text.err and all(word in text.out for word in (
        "1 finding in", "A lock is held while its owner sleeps", "demo.Log.log:12", "candor report --kind holder",
        "nothing found: deadlock", "slow_socket          reads of sockets (candor record -e cpu --jfr on)\n")), "as text", text)
    judged, gaps = len(r["judged"]), len(r["not_judged"])
    first = text.out.splitlines()[0]
    ct.ok(gaps and first.endswith(f"; {gaps} of {judged + gaps} rules not judged"), "and how many rules it lacks something for", first)
    twin = analyze(recording("awake.jfr", *[("monitor", 2, 20 * MS, "demo.Log", 64, 1, 0, LOG)] * 8))
    ct.ok(ids(twin) == [] and set(OF_LOCKS) <= set(twin["judged"]), "its twin: judged, and silent", twin)


def test_deadlock():
    path = recording("dead.jfr", ("monitor", 2, 900 * MS, "demo.Left", 64, 3, 1, LOG),
                     ("monitor", 3, 900 * MS, "demo.Right", 65, 2, 1, LOG))
    r = analyze(path)
    ct.ok(ids(r) == ["deadlock"] and r["findings"][0]["score"] == 100 and r["findings"][0]["evidence"]["threads"] == 2, "a deadlock", r)
    ct.ok("worker" in r["findings"][0]["text"] and "other" in r["findings"][0]["text"], "names both", r["findings"])
    shows(path, r, "deadlock")
    chain = analyze(recording("chain.jfr", ("monitor", 2, 90 * MS, "demo.Left", 64, 3, 1, LOG)))
    ct.ok(ids(chain) == [] and "deadlock" in chain["judged"], "a chain is none", chain)


def test_gc():
    path = recording("gc.jfr", *[("pause", MS, "Copy", "System.gc()")] * 10,
                     ("wall", 1, 50 * MS, "complete", "STATE_BLOCKED", "kernel", GC))
    r = analyze(path)
    ct.ok(ids(r) == ["system_gc"] and r["findings"][0]["evidence"]["site"] == "demo.Cache.trim:5", "System.gc(), and who calls it", r)
    shows(path, r, "gc")
    twin = analyze(recording("no-gc.jfr", *[("pause", MS, "Copy", "Allocation Failure")] * 10))
    ct.ok(ids(twin) == [] and "system_gc" in twin["judged"], "its twin", twin)


def test_storm():
    path = recording("storm.jfr", *[("counted", MS, 10, MS // 10, 0)] * 20)
    r = analyze(path)
    ct.ok(ids(r) == ["safepoint_storm"] and r["findings"][0]["evidence"]["count"] == 200, "200 safepoints in a second", r)
    shows(path, r, "storm")
    twin = analyze(recording("calm.jfr", *[("counted", MS, 1, MS // 10, 0)] * 5))
    ct.ok(ids(twin) == [] and "safepoint_storm" in twin["judged"], "its twin", twin)


def test_files():
    """Without the JDK's events: from samples of the wall clock, which the report on halts does not have."""
    for method in "sun.nio.ch.FileChannelImpl.force", "java.io.FileDescriptor.sync":
        look = ("wall", 1, 50 * MS, "complete", "STATE_IN_NATIVE_IO", "kernel", f"demo.Log.save:3;{method}")
        path = recording("forced.jfr", *[look] * 19)
        r = analyze(path)
        ct.ok(ids(r) == ["file_forced"] and (r["findings"][0]["evidence"]["site"], r["findings"][0]["evidence"]["count"]) ==
              ("demo.Log.save:3", 19), f"a file is forced all the time, by {method}", r)
        shows(path, r, method)
        callers = ct.candor("report", *r["findings"][0]["evidence"]["report"].split(), path)
        ct.ok("demo.Log.save" in callers.out.partition("\nCallers")[2], f"{method}: who calls it", callers)
    twin = analyze(recording("forced-twice.jfr", *[look] * 2))
    ct.ok(ids(twin) == [] and "file_forced" in twin["judged"], "its twin", twin)


def test_exceptions():
    thrown = "demo.Till.find:8;demo.Lost.<init>:2;java.lang.Throwable.<init>:1;java.lang.Throwable.fillInStackTrace"
    path = recording("thrown.jfr", *[("sample", 1, MS, "complete", thrown)] * 500)
    r = analyze(path)
    ct.ok(ids(r) == ["exceptions"] and (r["findings"][0]["evidence"]["subject"], r["findings"][0]["evidence"]["site"]) ==
          ("demo.Lost", "demo.Till.find:8"), "exceptions that take half of the CPU time", r)
    shows(path, r, "exceptions")


def test_quality():
    books = [("book", "cpu", "", 2000 * MS, 0), ("book", "lost", "queue_full", 1000 * MS, 5)]
    path = recording("lossy.jfr", *books)
    r = analyze(path)
    ct.ok(ids(r) == ["recording_quality"] and r["findings"][0]["evidence"]["lost_ns"] == 1000 * MS, "half of the time is lost", r)
    shows(path, r, "quality")
    twin = analyze(recording("whole-books.jfr", books[0], ("book", "lost", "queue_full", MS, 5)))
    ct.ok(ids(twin) == [] and "recording_quality" in twin["judged"], "its twin", twin)


def test_long_pause():
    path = recording("long-pause.jfr", ("pause", 500 * MS, "Copy", "Allocation Failure"))
    r = analyze(path)
    ct.ok(ids(r) == ["gc_long_pause"], "a pause of half a second", r)
    shows(path, r, "long pause")


def test_diagnose():
    path = recording("diagnosed.jfr", ("jvm", "21.0.1", "app.jar", 1), *[("monitor", 2, 500 * MS, "demo.Log", 64, 1, 0, LOG)] * 8)
    text = ct.candor("diagnose", path)
    ct.ok(text.status == 0 and not text.err and all(word in text.out for word in (
        "1 finding in", "demo.Log.log:12", "\nWhat the program did, on average\n",
        " processors in use; the largest part (100 %) at demo.Work.hot:23\n",
        "  4.00 threads that waited for monitors\n", "\nNot judged: ", "\n  candor diagnose --jfr on PID  records ")),
        "a recording is diagnosed, whose process is not attached to", text)
    calm = ct.candor("diagnose", recording("undisturbed.jfr"))
    ct.ok(calm.status == 0 and " rules that could be judged. To see where the time goes: candor report " in calm.out and
          "processors in use" in calm.out, "a recording without problems is described, too", calm)
    unknown = ct.candor("diagnose", recording("growing.jfr", event="cpu,wall,lock,halt,live"))
    ct.ok("rules that could be judged. Not known yet: leak, see below. To see" in unknown.out and
          "\n  leak lacks collections" in unknown.out and "Not known yet" not in calm.out,
          "nobody may think that a leak was looked for in vain", unknown)
    r = json.loads(ct.candor("diagnose", "--json", path).out)
    rows = {row["id"]: row for row in r["overview"]}
    ct.ok(rows["monitors"]["value"] == 4 and 0.98 <= rows["cpu"]["value"] <= 1 and rows["cpu"]["site"] == "demo.Work.hot:23" and
          r["judge_rest"] == "candor diagnose --jfr on PID", "and as JSON", r)


def test_choice():
    path = recording("chosen.jfr", *[("monitor", 2, 500 * MS, "demo.Log", 64, 1, 0, LOG)] * 8, *[("counted", MS, 10, 0, 0)] * 10)
    for command in "analyze", "diagnose":
        def chosen(*options):
            r = json.loads(ct.candor(command, "--json", *options, path).out)
            return ids(r), sorted([*r["judged"], *(gap["id"] for gap in r["not_judged"])])
        ct.ok(chosen("--rules", "safepoint_storm,slow_socket") == (["safepoint_storm"], ["safepoint_storm", "slow_socket"]),
              f"{command}: these rules alone", chosen("--rules", "safepoint_storm,slow_socket"))
        found, all_ = chosen("--not-rules", "safepoint_storm")
        ct.ok(found == ["lock_contended"] and "safepoint_storm" not in all_ and "deadlock" in all_, f"{command}: all but one", all_)
        for option in "--rules", "--not-rules":
            wrong = ct.candor(command, option, "deadlok", path)
            ct.ok(wrong.status == 2 and wrong.err.count("\n") == 1 and "'deadlock'" in wrong.err, f"{command} {option}: no rule", wrong)
    for words in (["-d", "3s", path], ["--jfr", "on", path]):
        result = ct.candor("diagnose", *words)
        ct.ok(result.status == 2 and "is for a JVM" in result.err, f"diagnose {words[0]} of a file", result)


def test_several():
    path = recording("several.jfr", *[("monitor", 2, 500 * MS, "demo.Log", 64, 1, 0, LOG)] * 8, *[("counted", MS, 10, 0, 0)] * 10)
    r = analyze(path)
    scores = [one["score"] for one in r["findings"]]
    ct.ok(set(ids(r)) == {"lock_contended", "safepoint_storm"} and scores == sorted(scores, reverse=True), "the worst first", r)
    ct.ok(len(analyze(path, "--top", "1")["findings"]) == 1 == len(analyze(path, "-n", "1")["findings"]), "--top")
    ct.ok(analyze(path, "--top", "1")["finding_count"] == 2, "and how many there are")
    shows(path, r, "several")


def test_time():
    """The problem lasts for the last tenth; over the whole time it is small."""
    calm = [("sample", 1, MS, "complete", HOT)] * 890
    path = recording("late.jfr", *calm, *[("monitor", 2, 10 * MS, "demo.Log", 64, 1, 0, LOG)] * 10)
    ct.ok(ids(analyze(path)) == [], "a lock that is little of a recording", analyze(path))
    r = analyze(path, "--time", "-120ms..")
    ct.ok(ids(r) == ["lock_contended"] and abs(r["duration_ns"] - 120 * MS) <= MS, "is much of its end", r)
    ct.ok(ids(analyze(path, "--time", "+0ms..+500ms")) == [], "and nothing of its beginning")
    long = recording("long.jfr", *calm[:100], ("monitor", 2, 800 * MS, "demo.Log", 64, 1, 0, LOG))
    part = analyze(long, "--time", "+50ms..+150ms")["findings"]
    ct.ok(len(part) == 1 and 45 * MS <= part[0]["evidence"]["lost_ns"] <= 50 * MS, "of a wait that continues, what lies in it", part)
    wrong = ct.candor("analyze", "--time", "yesterday", path)
    ct.ok(wrong.status == 2 and wrong.err.count("\n") == 1 and "not a range of time" in wrong.err, "no range: told", wrong)
    outside = ct.candor("analyze", "--time", "2024-11-14T22:13:20Z..", path)
    ct.ok(outside.status == 1 and outside.err.count("\n") == 1 and "nothing was recorded" in outside.err, "outside: told", outside)


def test_window():
    """Four seconds of waiting within the last ten of thirty: over the whole time it is small, and --time excludes it."""
    calm = [("sample", 1, MS, "complete", HOT)] * 24_000
    path = recording("window.jfr", *calm, *[("monitor", 2, 100 * MS, "demo.Log", 64, 1, 0, LOG)] * 40, length=30_000)
    r = analyze(path)
    if ct.ok(ids(r) == ["lock_contended"], "trouble of a part is found", r):
        one = r["findings"][0]
        ct.ok(one["worst"] and one["worst"]["duration_ns"] == 10_000 * MS and one["evidence"]["lost_ns"] == 4000 * MS, "with its time", one)
        start = one["worst"]["start_ns"] // 1_000_000_000
        text = ct.candor("analyze", path)
        ct.ok("worst    the 10.0 s from " in text.out and f":{start % 60:02}Z; all figures refer to that time" in text.out, "as text", text)
    even = recording("even.jfr", *([("sample", 1, MS, "complete", HOT)] * 700 + [("monitor", 2, 100 * MS, "demo.Log", 64, 1, 0, LOG)]) * 40,
                     length=30_000)
    ct.ok(ids(analyze(even)) == [], "as much, evenly: nothing", analyze(even))


def test_missing():
    r = analyze(recording("cpu.jfr", event="cpu"))
    gaps = {gap["id"]: gap for gap in r["not_judged"]}
    ct.ok(set(gaps) >= {*OF_LOCKS, "pool_too_small", "slow_socket", "file_forced", "system_gc", "safepoint_storm"} and
          not set(gaps) & set(r["judged"]) and "exceptions" in r["judged"], "what samples of the CPU do not tell", r)
    ct.ok("-e cpu,lock" in gaps["deadlock"]["remedy"] and "--jfr on" in gaps["slow_socket"]["remedy"], "with the command that does", gaps)


def test_parks():
    """A JVM in which parks cannot be followed: nothing can be said about locks that readers and writers share."""
    path = recording("monitors.jfr", ("setting", "lock_parks", "unseen"), ("monitor", 2, 5 * MS, "demo.Log", 64, 1, 0, LOG))
    r = analyze(path)
    ct.ok("writers_starve" in [gap["id"] for gap in r["not_judged"]] and "deadlock" in r["judged"], "parks that were not seen: said", r)


def test_wrong(path):
    for words, *wanted in ((["no-such.jfr"], "no-such.jfr"), (["-"], "give a file"), (["http://127.0.0.1:1"], "the FILE of a recording")):
        result = ct.candor("analyze", *words)
        ct.ok(result.status == 1 and result.err.count("\n") == 1 and all(word in result.err for word in wanted), f"{words}: one line",
              result)
    other = ct.WORK / "other.txt"
    other.write_text("no recording at all\n")
    result = ct.candor("analyze", other)
    ct.ok(result.status == 1 and result.err.count("\n") == 1 and "JFR" in result.err, "no recording: one line", result)
    cut = ct.WORK / "cut.jfr"
    cut.write_bytes(path.read_bytes()[:-400])
    damaged = ct.candor("analyze", cut)
    ct.ok(damaged.status in (0, 1) and damaged.err, "damage is reported", damaged)


test_lock()
test_deadlock()
test_gc()
test_storm()
test_files()
test_exceptions()
test_diagnose()
test_choice()
test_quality()
test_long_pause()
test_several()
test_time()
test_window()
test_missing()
test_parks()
test_wrong(recording("whole.jfr"))
ct.done()
