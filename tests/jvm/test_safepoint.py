#!/usr/bin/env python3
"""The event safepoint. Waiting threads are shown exactly. Running threads are shown correctly if they are polled often, and wrongly if
they are not. Each of many threads is as likely to be looked at as any other.

tier: default
timeout: 600

The agent starts with the JVM and records on request, so that the threads already wait when the first look is taken, and still wait at
the last one: not one sample may differ. Bounds of shares are five standard errors, as in all tests; for 150 figures at once five and
a half.
"""
import collections
import pathlib
import re
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import candortest as ct
import test_unloading

# Compilers with their old behavior: a counted loop has no poll. JDK 8 does not have the newer meaning of either flag, and does not need it.
UNPOLLED = ["-XX:+IgnoreUnrecognizedVMOptions", "-XX:-UseCountedLoopSafepoints", "-XX:LoopStripMiningIter=0"]
STATES = {"parked": "STATE_PARKED", "slept": "STATE_SLEEPING", "waited": "STATE_IN_OBJECT_WAIT",
          "blocked": "STATE_BLOCKED_ON_MONITOR_ENTER"}
RUNS = {"STATE_RUNNABLE", "STATE_IN_NATIVE"}


class Sample:
    """One candor.SafepointSample. frames: as in candortest.Sample."""
    def __init__(self, event):
        self.start, self.weight, self.outcome, self.state = (event[key] for key in ("startTime", "weight", "outcome", "state"))
        self.thread = event["eventThread"]["javaName"]
        self.frames = [ct.frame_of(frame) for frame in event["stackTrace"]["frames"]]
        self.cut = event["stackTrace"]["truncated"]
        self.has_java = self.outcome in ct.WALKED

    @property
    def leaf(self):
        """The innermost method that is not native, to which a line belongs."""
        return next((name for name, kind, _ in self.frames if kind == "Java"), None)


class Samples(ct.Recording):
    def take(self, kind, event):
        if kind == "candor.SafepointSample":
            self.all.append(Sample(event))
        else:
            super().take(kind, event)

    def of(self, prefix):
        return [sample for sample in self.all if sample.thread.startswith(prefix)]


def rounds_of(jvm):
    status = jvm.control("status")[1]
    return int(status["samples"]) / min(100, int(status["threads"])) if int(status["threads"]) else 0


def look_at(jvm, path, rounds, *words, **options):
    """A recording of at least this many looks, within a round whose threads wait all the time."""
    until = ct.WORK / f"{path.stem}.until"
    jvm.say(" ".join(["go", *words, f"until={until}", *(f"{key}={value}" for key, value in options.items())]))
    jvm.expect("waiting")
    jvm.start(path, event="safepoint", interval="1ms")
    ct.wait_until(lambda: rounds_of(jvm) >= rounds)
    jvm.stop()
    until.touch()
    jvm.expect("done")
    return Samples(path)


def closes(found, what):
    total = found.books["thread_time", ""][0]
    parts = sum(ns for (account, _), (ns, _) in found.books.items() if account in ("running", "waiting", "failed", "lost"))
    ct.ok(total == parts > 0, f"{what}: the books of the threads' time close to the nanosecond", found.books)
    weights = sum(sample.weight for sample in found.all)
    lost = sum(ns for (account, _), (ns, _) in found.books.items() if account == "lost")
    ct.ok(weights + lost == total, f"{what}: they are the weights of the samples", f"{weights} {lost} {total}")


def agent(jdk, program="Waiters", **keywords):
    return ct.Jvm(jdk, program, agent=ct.agent_options(), **keywords)


def waiting(jdk):
    what, path, each = f"{jdk}, threads that wait", ct.WORK / f"waiting-{jdk.version}.jfr", 3
    with agent(jdk) as jvm:
        jvm.expect("ready")
        found = look_at(jvm, path, 100, "wait", **{kind: each for kind in STATES})
        ct.ok(jvm.finish() == 0, f"{what}: the program ends normally", jvm.transcript())
    rounds = found.books["stopped", ""][1]
    for kind, state in STATES.items():
        mine = found.of(kind + "-")
        ct.ok(len(mine) == each * rounds and {s.state for s in mine} == {state}, f"{what}: {kind}: in all {rounds} looks, {state}",
              f"{len(mine)} {collections.Counter(s.state for s in mine)}")
        own = {tuple(f for f in s.frames if f[0].startswith("Waiters.")) for s in mine}
        ct.ok(len({tuple(s.frames) for s in mine}) == 1 and next(iter(own))[0][0] == f"Waiters.{kind}",
              f"{what}: {kind}: one stack and no other, with the method it waits in", own)
    for thread, weight in weights_by_thread(found.of("parked-")).items():
        ct.ok(weight == next(iter(weights_by_thread(found.of("slept-")).values())), f"{what}: {thread} weighs what any other does")
    main = found.of("main")
    ct.ok(main and all(s.leaf in ("Waiters.hold", "java.lang.Thread.sleep", "java.lang.Thread.sleepNanos") or s.state in RUNS
                       for s in main), f"{what}: the main thread sleeps, or looks for the file", {s.frames[0] for s in main})
    closes(found, what)
    report = ct.report(path)
    ct.ok(report["kind"] == "running" and not any(m["name"].startswith("Waiters.parked") for m in report["methods"])
          and not report["problems"], f"{what}: none of them is in the report of running threads", report["problems"])
    shown = ct.candor("report", "--kind", "waiting", path)
    ct.ok(shown.status == 0 and "Waiters.blocked" in shown.out, f"{what}: --kind waiting shows them", shown)
    ct.ok(not [s for s in found.executions if s["state"] not in RUNS], f"{what}: other tools are reported of running threads only")


def weights_by_thread(samples):
    weights = collections.Counter()
    for sample in samples:
        weights[sample.thread] += sample.weight
    return weights


def crowd(jdk):
    """Of 150 threads and the JVM's own, 100 are looked at each time."""
    what, path, threads = f"{jdk}, a crowd", ct.WORK / f"crowd-{jdk.version}.jfr", 150
    with agent(jdk) as jvm:
        jvm.expect("ready")
        found = look_at(jvm, path, 200, "wait", parked=threads)
        ct.ok(jvm.finish() == 0, f"{what}: the program ends normally", jvm.transcript())
    rounds, alive = found.books["stopped", ""][1], found.books["thread_time", ""][1]
    mine, chance = found.of("parked-"), 100 * rounds / alive
    seen = collections.Counter(sample.thread for sample in mine)
    per_round = collections.Counter(sample.start for sample in found.all)
    ct.ok(set(per_round.values()) == {100} and found.books["not_chosen", ""][1] == alive - 100 * rounds,
          f"{what}: 100 at a time, the others are counted", per_round.most_common(3))
    ct.ok(len(seen) == threads, f"{what}: each of the {threads} was seen, in {rounds} looks")
    worst = max(abs(n - chance * rounds) for n in seen.values()) / (rounds * chance * (1 - chance)) ** 0.5
    ct.ok(worst < 5.5, f"{what}: each {100 * chance:.0f} % of the times, at most {worst:.1f} standard errors off", seen)
    truth = threads * rounds / alive
    ct.share_agrees(sum(s.weight for s in mine) / found.books["thread_time", ""][0], truth,
                    ct.effective_size([s.weight for s in found.all]),
                    f"{what}: what they weigh of all threads' time")
    ct.ok({tuple(s.frames) for s in mine} == {tuple(mine[0].frames)} and mine[0].frames[2][0] == "Waiters.parked",
          f"{what}: all in one place")
    closes(found, what)


def running(jdk):
    what, path = f"{jdk}, two methods", ct.WORK / f"running-{jdk.version}.jfr"
    with agent(jdk) as jvm:
        jvm.expect("ready")
        jvm.round("run", seconds=0.5)  # compiled
        jvm.start(path, event="safepoint", interval="1ms")
        truth = collections.Counter()
        # On a busy machine the JVM takes long to stop its threads, and there are few looks.
        while truth["runs"] < 2 or (rounds_of(jvm) < 300 and truth["runs"] < 10):
            truth.update(jvm.round("run", seconds=0.5), runs=1)
        jvm.stop()
        ct.ok(jvm.finish() == 0, f"{what}: the program ends normally", jvm.transcript())
    found = Samples(path)
    mine = [s for s in found.of("running-") if s.leaf in ("Waiters.heavy", "Waiters.light")]
    heavy = [s.weight for s in mine if s.leaf == "Waiters.heavy"]
    both = sum(s.weight for s in mine)
    ct.ok({s.state for s in mine} == {"STATE_RUNNABLE"} and len(mine) >= 20, f"{what}: {len(mine)} samples of a running thread")
    ct.share_agrees(sum(heavy) / both, truth["heavy_ns"] / (truth["heavy_ns"] + truth["light_ns"]),
                    ct.effective_size([s.weight for s in mine]), f"{what}: the heavy one's share")
    # Each thread begins and ends somewhere between two looks, more likely in a long gap than in a short one.
    weights, ran = [s.weight for s in found.of("running-")], 0.5e9 * truth["runs"]
    whole, error = sum(weights) / ran, (2 * truth["runs"] / 3 * sum(w ** 3 for w in weights) / sum(weights)) ** 0.5 / ran
    ct.ok(abs(whole - 1) < ct.STANDARD_ERRORS * error + 0.01,
          f"{what}: its samples weigh {whole:.3f} of the time it ran, standard error {error:.3f}, 0.01 for its start")
    running = sum(s.state in RUNS for s in found.all)
    ct.ok(len(found.executions) == running, f"{what}: {len(found.executions)} jdk.ExecutionSample for {running} of running threads")
    closes(found, what)


def trap(jdk):
    """A method without a poll: safepoints attribute its time to its caller; the clocks do not."""
    what = f"{jdk}, a loop without a poll"
    shares = {}
    with agent(jdk, flags=UNPOLLED) as jvm:
        jvm.expect("ready")
        jvm.round("trap", seconds=0.5)  # compiled
        for event in ("safepoint", "cpu"):
            path = ct.WORK / f"trap-{event}-{jdk.version}.jfr"
            good, answer = jvm.control("start", file=path, event=event, interval="2ms")
            truth = jvm.round("trap", seconds=0.8)
            jvm.stop()
            samples = Samples(path).of("trap-") if event == "safepoint" else ct.Recording(path).of_thread("trap-0000")
            weights = collections.Counter()
            for sample in samples:
                weights[sample.leaf] += sample.weight
            shares[event] = weights["Waiters.hot"] / max(1, sum(weights.values()))
            ct.note(f"{what}: {event}: {weights.most_common(3)}")
        ct.ok(jvm.finish() == 0, f"{what}: the program ends normally", jvm.transcript())
    share = truth["hot_ns"] / (truth["hot_ns"] + truth["cold_ns"])
    ct.ok(share > 0.95, f"{what}: the truth: {share:.3f} of the time in the hot method")
    ct.ok(shares["cpu"] > 0.9, f"{what}: the event cpu says {shares['cpu']:.3f}")
    ct.ok(shares["safepoint"] < 0.2, f"{what}: the event safepoint says {shares['safepoint']:.3f}: the bias it has by its nature")


def deep(jdk):
    what, path = f"{jdk}, deep stacks", ct.WORK / f"deep-{jdk.version}.jfr"
    with agent(jdk) as jvm:
        jvm.expect("ready")
        found = {depth: look_at(jvm, ct.WORK / f"deep-{jdk.version}-{depth}.jfr", 10, "deep", depth=depth).of("deep-")
                 for depth in (500, 3000)}
        ct.ok(jvm.finish() == 0, f"{what}: the program ends normally", jvm.transcript())
    ct.ok(all(s.outcome == "complete" and not s.cut and [f[0] for f in s.frames].count("Waiters.deep") == 501 for s in found[500]),
          f"{what}: 501 calls of one method are 501 frames")
    ct.ok(found[3000] and all(s.outcome == "truncated" and s.cut and len(s.frames) == 2048 for s in found[3000]),
          f"{what}: a stack of more than 2048 is cut there, and says so", {(s.outcome, s.cut, len(s.frames)) for s in found[3000]})


def unloading(jdk):
    """As in test_unloading.py, but with names from JVMTI: the JVM itself takes the stacks, so the numbers of not one sample may go back."""
    what, path, classes = f"{jdk}, unloaded classes", ct.WORK / f"unloading-{jdk.version}.jfr", 250
    with agent(jdk, "Loaders") as jvm:
        jvm.expect("ready")
        jvm.start(path, event="safepoint", interval="1ms")
        truth = jvm.round(seconds=600, classes=classes, micros=1500, **{"class": "same"})
        jvm.stop()
        ct.ok(jvm.finish() == 0, f"{what}: the program ends normally", jvm.transcript())
    samples = sorted(Samples(path).of("loaders"), key=lambda sample: sample.start)
    wrong, back, seen = test_unloading.follow(samples, test_unloading.SAME, classes)
    ct.ok(truth["unloaded"] > 0.5 * classes, f"{what}: {truth['unloaded']} of {classes} were unloaded")
    ct.ok(not wrong and not back, f"{what}: each of {len(samples)} samples names the method whose turn it was", f"{wrong[:3]} {back[:3]}")
    ct.ok(len(seen) >= 20, f"{what}: {len(seen)} of {classes} were seen")
    gone = [s for s in samples if any(kind == "Failed" for _, kind, _ in s.frames)]
    ct.ok(len(gone) <= 0.1 * len(samples), f"{what}: in {len(gone)} a class had gone before it was named")


def carriers(jdk):
    """For virtual threads the carriers are seen: as running while a virtual thread runs, and without the frames of its work."""
    what, path = f"{jdk}, virtual threads", ct.WORK / f"virtual-{jdk.version}.jfr"
    with agent(jdk, "VirtualThreads") as jvm:
        jvm.expect("ready")
        jvm.start(path, event="safepoint", interval="1ms")
        jvm.round(threads=100, rounds=20)
        jvm.stop()
        ct.ok(jvm.finish() == 0, f"{what}: the program ends normally", jvm.transcript())
    found = Samples(path)
    mine = [s for s in found.of("ForkJoinPool") if s.frames[0][0] == "jdk.internal.vm.Continuation.run"]
    ct.ok(len(mine) >= 10 and {s.state for s in mine} == {"STATE_RUNNABLE"}, f"{what}: {len(mine)} samples of carriers at work",
          collections.Counter(s.state for s in mine))
    below = {name for s in found.all for name, _, _ in s.frames if name.startswith("VirtualThreads.") and name.endswith(".burn")}
    ct.ok(not below, f"{what}: what they carry is not seen", below)


class State:
    def __init__(self, jvm):
        self.fds, self.caught = sorted(jvm.fds().values()), jvm.status("SigCgt", "SigIgn", "SigBlk")
        with open(f"/proc/{jvm.pid}/timers") as file:
            self.timers = file.read().count("ID:")

    def __eq__(self, other):
        return vars(self) == vars(other)


def java_names(jvm, jdk):
    dump = ct.run(jdk.jcmd, jvm.pid, "Thread.print").out
    return set(re.findall(r'^"([^"]+)"', dump, re.MULTILINE))


def nothing_left(jdk):
    what, path = f"{jdk}, after a stop", ct.WORK / f"stop-{jdk.version}.jfr"
    with agent(jdk) as jvm:
        jvm.expect("ready")
        jvm.round("run", seconds=0.2)
        jvm.start(ct.WORK / "first.jfr", event="safepoint", interval="1ms")
        jvm.stop()
        java_names(jvm, jdk)  # starts the JVM's thread for such requests
        before, threads = State(jvm), len(jvm.threads())
        jvm.start(path, event="safepoint", interval="1ms")
        good, answer = jvm.control("start", file=path, event="cpu")
        ct.ok(not good and "already recording" in answer and str(path) in answer, f"{what}: one recording at a time", answer)
        ct.wait_until(lambda: int(jvm.control("status")[1]["samples"]) > 100)
        during, names = State(jvm), java_names(jvm, jdk)
        ct.ok(during.caught == before.caught and during.timers == 0, f"{what}: no signal was caught and no timer set meanwhile",
              f"{before.caught} {during.caught}")
        ct.ok("candor" in names, f"{what}: the agent's thread was Java's while it recorded", names)
        good, answer = jvm.control("status")
        ct.ok(good and answer["event"] == "safepoint" and answer["state"] == "running" and "clock" not in answer
              and answer["interval_ns"] == "1000000" and int(answer["threads"]) > 3, f"{what}: status tells", answer)
        copy = ct.WORK / f"dump-{jdk.version}.jfr"
        good, answer = jvm.control("dump", file=copy)
        ct.ok(good and len(Samples(copy).all) > 100, f"{what}: dump copies what there is", answer)
        jvm.stop()
        ct.ok("candor" not in java_names(jvm, jdk), f"{what}: it is no longer")
        after = State(jvm)
        ct.ok(before == after, f"{what}: the same descriptors, signals and timers as before", f"{vars(before)}\n{vars(after)}")
        ct.wait_until(lambda: len(jvm.threads()) <= threads + 1, timeout=10)
        ct.ok(len(jvm.threads()) <= threads + 1, f"{what}: no thread more", jvm.threads())
        refused, text = jvm.control("start", file=path, event="safepoint", interval="500us")
        ct.ok(not refused and "use 1ms or more" in text, f"{what}: an interval that would stop the JVM all the time is refused", text)
        good, answer = jvm.control("start", file=path, interval="1ms")
        ct.ok(good and answer["event"] == "cpu", f"{what}: the event cpu works then", answer)
        jvm.round("run", seconds=0.2)
        jvm.stop()
        ct.ok(ct.Recording(path).samples, f"{what}: and has samples")
        ct.ok(jvm.finish() == 0, f"{what}: the program ends normally", jvm.transcript())


def attached(jdk):
    """The program attaches to a running JVM, and the JVM ends by itself during the recording."""
    what, path = f"{jdk}, attached", ct.WORK / f"attached-{jdk.version}.jfr"
    with ct.Jvm(jdk, "Waiters") as jvm:
        jvm.expect("ready")
        jvm.round("run", seconds=0.2)
        result = ct.attach(jvm, path, "1ms", "-e", "safepoint")
        ct.ok(result.status == 0, f"{what}: it starts", result)
        jvm.round("run", seconds=0.5)
        begun = time.monotonic()
        ct.ok(jvm.finish() == 0 and time.monotonic() - begun < 5, f"{what}: the program ends normally, and soon", jvm.transcript())
    found = Samples(path)
    ct.ok(any(s.leaf == "Waiters.heavy" for s in found.of("running-")), f"{what}: the file is whole, and has samples")
    report = ct.candor("report", path)
    ct.ok(report.status == 0 and "biased" in report.out and "error" not in report.out, f"{what}: the report says what it is", report)
    printed = ct.run(ct.compiler().jfr, "print", "--events", "candor.SafepointSample,jdk.ExecutionSample", path).out
    ct.ok(len(re.findall("^candor.SafepointSample", printed, re.MULTILINE)) == len(found.all)
          and "state = \"STATE_IN_OBJECT_WAIT\"" in printed
          and len(re.findall("^jdk.ExecutionSample", printed, re.MULTILINE)) == len(found.executions),
          f"{what}: the JDK's own tool reads it", printed[:2000])
    closes(found, what)


def at_start(jdk):
    what, path = f"{jdk}, from the start", ct.WORK / f"start-{jdk.version}.jfr"
    options = ct.agent_options(file=path, event="safepoint", interval="2ms")
    with ct.Jvm(jdk, "Waiters", agent=options) as jvm:
        jvm.expect("ready")
        jvm.round("run", seconds=0.3)
        jvm.process.terminate()
        ct.ok(jvm.wait() == 143, f"{what}: the program ends by the signal it was sent", jvm.transcript())
    found = Samples(path)
    ct.ok(found.of("running-") and found.of("main"), f"{what}: the file is whole, and has samples")
    closes(found, what)


def main():
    ct.need()
    jdks = ct.jdks()
    for jdk, case in ct.spread(jdks, [waiting, crowd, running, trap, deep, unloading, nothing_left, attached, at_start], each=2):
        case(jdk)
    for jdk in jdks:
        if jdk.version >= 21:
            carriers(jdk)
    ct.done()


main()
