#!/usr/bin/env python3
"""Several recordings of one JVM at once: one continues, as the daemon's does, while others begin and end beside it, with other events
and other intervals. Each contains the same as it would contain alone.

tier: default
timeout: 600

Shares are compared with their true values, with five standard errors of the effective sample size. The weights of a recording lack a
thread's last period, at most 1.5 intervals, and a part of one period each at its beginning and end. For three threads and the longest
interval, that is the bound of a residual, plus 1 %. The event wall lacks nothing but the last round. Its books have no residual,
except the time for which a random part of the samples stands in advance: one share of a thread's time.
"""
import json
import pathlib
import sys
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import candortest as ct
import jfrfile

SECONDS = 3  # CPU time in each of two threads
SLOW_NS, FAST_NS = 10_000_000, 1_000_000
THREADS = 3


def share_of_heavy(samples):
    heavy, light = ([s.weight for s in samples if s.leaf == name] for name in ("TwoMethods.heavy", "TwoMethods.light"))
    return sum(heavy) / max(sum(heavy + light), 1), ct.effective_size(heavy + light)


def check_cpu(path, interval_ns, true_share, what):
    """Its books, and the sums of its samples; the report's books."""
    recording, report = ct.Recording(path), ct.report(path)
    books = report["books"]
    ct.identity_closes(books, what)
    bound = 2 * THREADS * 2 * SLOW_NS / max(books["cpu_ns"], 1) + 0.01
    ct.residual_within(books, bound, what)
    share, size = share_of_heavy(recording.samples)
    ct.share_agrees(share, true_share, size, what)
    weights = sum(s.weight for s in recording.samples)
    told = books["complete_ns"] + books["truncated_ns"] + sum(books["failed_ns"].values())
    ct.ok(weights == told, f"{what}: the books are those of its own samples", f"{weights} {told}")
    wanted = weights / interval_ns
    ct.ok(0.7 * wanted - 5 < len(recording.samples) < 1.3 * wanted + 5,
          f"{what}: {len(recording.samples)} samples, an interval apart, which would be {wanted:.0f}")
    return books


def check_wall(path, what):
    report = ct.candor("report", "--json", "--kind", "wall", path)
    books = json.loads(report.out)["wall_time"]
    ct.ok(books["wall_ns"] > 0 and abs(books["residual_ns"]) <= 1_000_000_000 // 160 * 64,
          f"{what}: the books of the threads' time close to {books['residual_ns']} ns of {books['wall_ns']}", books)


class Beside(threading.Thread):
    """A command of ours while everything continues."""
    def __init__(self, *arguments):
        super().__init__()
        self.arguments = arguments
        self.start()

    def run(self):
        self.result = ct.candor(*self.arguments)

    def end(self, what):
        self.join()
        ct.ok(self.result.status == 0, what, self.result)
        return self.result.out


def come_and_go(jvm):
    """What a developer does at the same time; returns the files."""
    files = {name: ct.WORK / f"{name}.jfr" for name in ("wall", "fast", "all")}
    wall = Beside("record", "-e", "wall", "-d", "1500ms", "--no-report", "-o", files["wall"], jvm.pid)
    fast = Beside("record", "-i", "1ms", "-d", "1500ms", "--no-report", "-o", files["fast"], jvm.pid)
    ct.ok(ct.wait_until(lambda: jvm.ask("status")["recordings"].count(",") == 2), "three recordings run")
    ct.ok(jvm.ask("status", recording=1)["name"] == "first", "the first is one of them")
    wall.end("record -e wall, beside others")
    fast.end("record -i 1ms, beside others")
    shown = Beside("top", "-b", "-n", "3", "-r", "800ms", "-i", "2ms", jvm.pid)
    more = Beside("record", "-e", "cpu,wall,alloc,lock,halt", "-d", "1s", "--no-report", "-o", files["all"], jvm.pid)
    ct.ok("TwoMethods.heavy" in shown.end("top, beside others"), "top shows what runs", shown.result)
    more.end("record -e cpu,wall,alloc,lock,halt, beside others")
    return files


def all_at_once(jvm):
    """top, the event wall each millisecond, and asm, beside the first recording; returns their files."""
    files = {name: ct.WORK / f"once-{name}.jfr" for name in ("top", "wall", "asm")}
    commands = [Beside("top", "-b", "-n", "1", "-r", "2s", "-i", "10ms", "-o", files["top"], jvm.pid),
                Beside("record", "-e", "wall", "-i", "1ms", "-d", "2s", "--no-report", "-o", files["wall"], jvm.pid),
                Beside("asm", "-d", "2s", "-o", files["asm"], jvm.pid)]
    ct.ok(ct.wait_until(lambda: jvm.ask("status")["recordings"].count(",") == 3), "four recordings run")
    for command in commands:
        command.end(f"{command.arguments[0]}, beside three others")
    return files


def round_of(jvm, what):
    """One round of the program, while what(jvm) goes on: its files, and the CPU time of both methods."""
    jvm.say(f"go seconds={SECONDS}")
    files = what(jvm)
    line = jvm.expect("done")
    truth = {key: int(value) for key, value in (word.split("=", 1) for word in line.split()[1:]) if value.isdigit()}
    return files, (truth["heavy_ns"], truth["light_ns"])


def check_wall_share(path, true_share, what):
    """Both methods take turns on the same threads, so their wall-clock time has the same shares as their CPU time."""
    heavy, light = ([event["weight"] for event in jfrfile.events(path, {"candor.WallSample"}) if leaf_of(event) == name]
                    for name in ("TwoMethods.heavy", "TwoMethods.light"))
    ct.share_agrees(sum(heavy) / max(sum(heavy + light), 1), true_share, ct.effective_size(heavy + light), what)


def leaf_of(event):
    frames = map(ct.frame_of, (event["stackTrace"] or {}).get("frames", ()))
    return next((name for name, kind, _ in frames if kind in ct.JAVA_FRAMES), None)


def check_clocks(jvm):
    """Threads have one clock for all recordings: who asks for other ones than there are is refused, also if more would be possible."""
    path = ct.WORK / "clocks.jfr"
    result = ct.candor("record", "-d", "1s", "--clocks", "lot", "-o", path, jvm.pid)
    ct.ok(result.status == 1 and "clocks=auto" in result.err and "leave out clocks" in result.err and not path.exists(),
          "other clocks are refused", result)
    result = ct.candor("record", "-d", "1s", "--clocks", "auto", "-o", path, jvm.pid)
    ct.ok(result.status == 0 and path.exists(), "the clocks that there are may be asked for", result)


def check_refusals(jvm):
    ids = [jvm.ask("start", file=ct.WORK / f"more{i}.jfr", name=f"more{i}")["recording"] for i in range(3)]
    result = ct.candor("record", "-d", "1s", "-o", ct.WORK / "fifth.jfr", jvm.pid)
    ct.ok(result.status == 1 and "more1" in result.err and "first" in result.err, "a fifth is refused, with the names of the four", result)
    ct.ok(not (ct.WORK / "fifth.jfr").exists(), "and leaves no file")
    result = ct.candor("stop", jvm.pid)
    ct.ok(result.status == 1 and "several recordings are running" in result.err, "it has to be said which one is to stop", result)
    for number in ids:
        ct.ok(ct.candor("stop", "--recording", number, jvm.pid).status == 0, f"{number} is stopped")
    good, answer = jvm.control("stop", recording=ids[0])
    ct.ok(not good and "no recording" in answer, "once", answer)


def check_diagnosis(jvm, jdk):
    """Events that cannot be recorded beside others are left out, or refused."""
    path = ct.WORK / "diagnosis.jfr"
    result = ct.candor("diagnose", "--json", "-d", "1s", "-o", path, jvm.pid)
    told = result.status == 0 and "-e live and --jfr on are not possible" in result.err
    if ct.ok(told, f"{jdk}: diagnose, beside others, says what it leaves out", result):
        gaps = {gap["id"] for gap in json.loads(result.out)["not_judged"]}
        ct.ok("leak" in gaps, f"{jdk}: and does not judge it", gaps)
    result = ct.candor("diagnose", "--jfr", "on", "-d", "1s", "-o", ct.WORK / "refused.jfr", jvm.pid)
    ct.ok(result.status == 1 and "leave out --jfr" in result.err and not (ct.WORK / "refused.jfr").exists(),
          f"{jdk}: with --jfr it is refused", result)


def check(jdk):
    first = ct.WORK / "first.jfr"
    with ct.Jvm(jdk, "TwoMethods", agent=ct.agent_options()) as jvm:
        jvm.expect("ready")
        jvm.start(first, interval="10ms", name="first")
        files, come = round_of(jvm, come_and_go)
        once, together = round_of(jvm, all_at_once)
        check_diagnosis(jvm, jdk)
        check_clocks(jvm)
        check_refusals(jvm)
        status = jvm.ask("status")
        ct.ok(status["recordings"] == "1" and int(status["pace_ns"]) == SLOW_NS, "the first continues alone", status)
        result = ct.candor("stop", jvm.pid)
        ct.ok(result.status == 1 and "only this recording is running: " in result.err, "one with a name is another program's", result)
        ct.ok(ct.candor("stop", "--recording", status["recording"], jvm.pid).status == 0, "and ends with its number")
        ct.ok(jvm.finish() == 0, "the program ends normally", jvm.transcript())
    share = come[0] / sum(come)
    books = check_cpu(first, SLOW_NS, (come[0] + together[0]) / sum(come + together), f"{jdk}, the first")
    ct.ok(books["cpu_ns"] > sum(come + together), f"{jdk}: it has all of the program's work", books)
    check_cpu(files["fast"], FAST_NS, share, f"{jdk}, the finest")
    check_cpu(files["all"], SLOW_NS, share, f"{jdk}, all events")
    check_wall(files["wall"], f"{jdk}, wall")
    check_wall(files["all"], f"{jdk}, all events")
    share = together[0] / sum(together)
    check_cpu(once["top"], SLOW_NS, share, f"{jdk}, top, one of four")
    check_cpu(once["asm"], FAST_NS, share, f"{jdk}, asm, one of four")
    check_wall(once["wall"], f"{jdk}, wall each millisecond, one of four")
    check_wall_share(once["wall"], share, f"{jdk}, wall each millisecond, one of four")


def main():
    for jdk in ct.some(ct.jdks({8: "allocations are sampled since Java 11"}), 25):
        check(jdk)
    ct.done()


main()
