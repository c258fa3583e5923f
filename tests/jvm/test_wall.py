#!/usr/bin/env python3
"""The event wall: each thread has the time that passes, whether it runs or not. A sleeping thread shows where it sleeps, and is not
woken. The books balance.

tier: default
timeout: 900

If each round looks at all threads, nothing depends on chance: the weights of a thread are its time, except for a part of a round at
each end, so they are off by the longest round at most. If a round looks at some threads only, the bound is six standard errors of the
draw (2e-9 each).
"""
import collections
import json
import pathlib
import re
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import candortest as ct

STATES = {"parked": "STATE_PARKED", "slept": "STATE_SLEEPING", "waited": "STATE_IN_OBJECT_WAIT",
          "blocked": "STATE_BLOCKED_ON_MONITOR_ENTER"}
RUNS = {"STATE_RUNNABLE", "STATE_IN_NATIVE", "STATE_IN_VM"}
READY = "STATE_WAITING_FOR_CPU"
ALL = "50000/s"  # as many looks as there are threads
SIX = 6  # standard errors


class Sample:
    """One candor.WallSample. frames: as in candortest.Sample."""
    def __init__(self, event):
        self.start, self.weight, self.outcome, self.state, self.evidence = (
            event[key] for key in ("startTime", "weight", "outcome", "state", "evidence"))
        self.same_wait = event["sameWait"]
        self.thread = event["eventThread"]["javaName"]
        self.carrier = (event.get("carrierThread") or {}).get("javaName")
        self.frames = [ct.frame_of(frame) for frame in event["stackTrace"]["frames"]]

    def has(self, method):
        return any(name == method for name, _, _ in self.frames)


class Samples(ct.Recording):
    def take(self, kind, event):
        if kind == "candor.WallSample":
            self.all.append(Sample(event))
        else:
            super().take(kind, event)

    def of(self, prefix):
        return [sample for sample in self.all if sample.thread.startswith(prefix)]

    @property
    def longest_ns(self):
        return self.books["wall_rounds", ""][0]

    @property
    def rounds(self):
        return self.books["wall_rounds", ""][1]


def by_thread(samples):
    weights = collections.Counter()
    for sample in samples:
        weights[sample.thread] += sample.weight
    return weights


def agent(jdk, program, library=None, **keywords):
    return ct.Jvm(jdk, program, agent=ct.agent_options(library), **keywords)


def closes(found, what, residual=0):
    parts = found.sum("wall_running", "wall_waiting", "wall_failed", "wall_lost", "wall_pending", "wall_unseen", "wall_residual")
    total = found.books["wall_time", ""][0]
    ct.ok(total == parts > 0, f"{what}: the books of the threads' time close to the nanosecond", found.books)
    ct.ok(abs(found.books["wall_residual", ""][0]) <= residual, f"{what}: with no residual", found.books)
    weights = sum(sample.weight for sample in found.all)
    ct.ok(weights == found.sum("wall_running", "wall_waiting", "wall_failed") and not found.books["wall_pending", ""][0],
          f"{what}: they are the weights of the samples", f"{weights} {found.books}")
    # A thread may end while it is asked, or may be unable to answer until the recording ends.
    ct.ok(found.sum("wall_lost") <= 0.02 * total + 2 * found.longest_ns, f"{what}: hardly anything is lost", found.books)
    ct.ok(not [entry for entry in found.log if entry[0] == "error"], f"{what}: no error", found.log)


def switches(pid, tid):
    with open(f"/proc/{pid}/task/{tid}/status") as file:
        return sum(int(line.split()[1]) for line in file if "ctxt_switches" in line)


def named(jvm, prefixes):
    """{tid: name}; the system keeps 15 characters of a name."""
    found = {}
    for tid in jvm.threads():
        name = pathlib.Path(f"/proc/{jvm.pid}/task/{tid}/comm").read_text().strip()
        if name.startswith(tuple(prefixes)):
            found[tid] = name
    return found


def status_samples(jvm):
    return int(jvm.control("status")[1]["samples"])


def look_once_more(jvm):
    """Waits for rounds after the program's work: the recording then knows how long the round took in which its threads ended. An idle JVM
    has far fewer samples of its CPU time."""
    before = status_samples(jvm)
    ct.wait_until(lambda: status_samples(jvm) >= before + 100)


def sleepers(jdk):
    what, path, each, rounds = f"{jdk}, threads that sleep", ct.WORK / f"sleepers-{jdk.version}.jfr", 3, 150
    with agent(jdk, "Waiters") as jvm:
        jvm.expect("ready")
        until = ct.WORK / f"sleepers-{jdk.version}.until"
        jvm.say(" ".join(["go", "wait", f"until={until}", *(f"{kind}={each}" for kind in STATES)]))
        jvm.expect("waiting")
        threads = named(jvm, STATES)
        before = {tid: switches(jvm.pid, tid) for tid in threads}
        begun = time.monotonic()
        jvm.start(path, event="wall", interval="2ms", **{"wall-rate": ALL})
        ct.wait_until(lambda: status_samples(jvm) >= rounds * 4 * each)
        jvm.stop()
        took = time.monotonic() - begun
        grown = {name: switches(jvm.pid, tid) - before[tid] for tid, name in threads.items()}
        until.touch()
        jvm.expect("done")
        ct.ok(jvm.finish() == 0, f"{what}: the program ends normally", jvm.transcript())
    found = Samples(path)
    still = {name: n for name, n in grown.items() if not name.startswith("blocked")}
    ct.ok(len(grown) == 4 * each and len(still) == 3 * each and not any(still.values()),
          f"{what}: in {found.rounds} rounds not one of them was switched to", grown)
    # Up to JDK 20 one of the threads that wait for a monitor looks by itself once a second, and at first more often.
    ct.ok(all(n <= 12 + 2 * took for name, n in grown.items() if name.startswith("blocked")),
          f"{what}: nor those at a monitor, but for what they do by themselves", grown)
    weights = by_thread(found.of(tuple(STATES)))
    ct.ok(len(weights) == 4 * each and len(set(weights.values())) == 1, f"{what}: all weigh the same, to the nanosecond", weights)
    closes(found, what)
    lived = found.sum("wall_time") / max(1, len(by_thread(found.all)))
    ct.ok(abs(next(iter(weights.values())) / lived - 1) < 0.2, f"{what}: which is the time of a thread", f"{weights} {lived}")
    for kind, state in STATES.items():
        # A thread that looks by itself while a round asks it for its stack may be asleep again before it answers: the next sample then has
        # the weight of both rounds.
        looks_itself = 12 + 2 * took if kind == "blocked" else 0
        mine = found.of(kind + "-")
        itself = [s for s in mine if kind == "blocked" and s.state != state]
        mine = [s for s in mine if s not in itself]
        ct.ok(len(mine) + len(itself) >= each * found.rounds - looks_itself and len(itself) <= looks_itself
              and {s.state for s in mine} == {state} and {s.outcome for s in mine} == {"complete"},
              f"{what}: {kind}: {state} in all {found.rounds} rounds",
              f"{len(mine)} {collections.Counter((s.state, s.outcome) for s in mine)} {itself}")
        ct.ok({s.evidence for s in mine} <= ({"monitor", "guess"} if kind == "blocked" else {"method"}),
              f"{what}: {kind}: known by what it should be", collections.Counter(s.evidence for s in mine))
        new = sum(not s.same_wait for s in mine)
        ct.ok(kind == "blocked" or each <= new <= 2 * each, f"{what}: {kind}: each thread stays in its wait, but for a wake-up", new)
        own = {tuple(name for name, _, _ in s.frames if name.startswith("Waiters.")) for s in mine}
        ct.ok(len({tuple(s.frames) for s in mine}) == 1 and next(iter(own))[0] == f"Waiters.{kind}",
              f"{what}: {kind}: one stack and no other, with the method it waits in", own)
    looks = {reason: count for (account, reason), (_, count) in found.books.items() if account == "wall_looks"}
    ct.ok(looks["same"] > 0.9 * 4 * each * (found.rounds - 1), f"{what}: most stacks are those of the look before", looks)
    ct.ok(not [s for s in found.executions if s["state"] not in RUNS], f"{what}: other tools are reported of running threads only")
    report = ct.report(path)
    ct.ok(report["kind"] == "wall" and not report["problems"] and any(m["name"] == "Waiters.parked" for m in report["methods"]),
          f"{what}: the report shows them", report["problems"])
    parked = ct.candor("report", "--json", "--state", "parked", path)
    shown = {m["name"] for m in json.loads(parked.out)["methods"] if m["total"]}
    ct.ok("Waiters.parked" in shown and "Waiters.slept" not in shown, f"{what}: --state parked", shown)


def busy(jdk, threads=32, seconds=2, rate=ALL, event="wall", interval="5ms", cpu=0):
    """More threads than processors: each has its time, whether it had a processor or not."""
    what, path = f"{jdk}, {threads} busy threads, {event}", ct.WORK / f"busy-{jdk.version}-{threads}.jfr"
    with agent(jdk, "Crowd") as jvm:
        jvm.expect("ready")
        jvm.start(path, event=event, **{"wall-interval": interval, "wall-rate": rate})
        truth = jvm.round("busy", threads=threads, seconds=seconds, cpu=cpu)
        look_once_more(jvm)
        jvm.stop()
        ct.ok(jvm.finish() == 0, f"{what}: the program ends normally", jvm.transcript())
    found = Samples(path)
    inner = [int(ns) for ns in str(truth["inner"]).split(",")]
    mine = found.of("busy-")
    closes(found, what, residual=0)
    lost, gap = found.sum("wall_lost"), found.longest_ns
    ct.note(f"{what}: {found.rounds} rounds, longest {gap / 1e6:.0f} ms, lost {lost / 1e6:.1f} ms of {found.sum('wall_time') / 1e9:.1f} s, "
            f"{collections.Counter(s.state for s in mine)}")
    weights = by_thread(mine)
    ct.ok(len(weights) == threads, f"{what}: each was seen", len(weights))
    not_chosen = found.books["wall_not_chosen", ""][1]
    error = 0
    if not_chosen:
        alive = not_chosen + sum(count for (account, _), (_, count) in found.books.items() if account == "wall_looks")
        squares = sum(sum(s.weight ** 2 for s in mine if s.thread == thread) for thread in weights) / threads
        error = SIX * (squares * not_chosen / alive) ** 0.5
    wrong = {i: weights[f"busy-{i:04}"] for i in range(threads)
             if not inner[i] - gap - lost - error <= weights[f"busy-{i:04}"] <= truth["outer_ns"] + gap + error}
    ct.ok(not wrong, f"{what}: each one's weights are its elapsed time, but for {gap / 1e6:.0f} ms"
          + (f" and {SIX} standard errors of {error / SIX / 1e6:.0f} ms" if error else ""), f"{wrong}\n{inner}\n{truth['outer_ns']}")
    if cpu:
        # At the end each thread may have one weight too many, and it ends with an unfinished part of a round: a round as a random moment
        # meets it.
        ran = sum(s.weight for s in mine if s.state in RUNS)
        used = [ns for (_, java_id), (thread, ns, _) in found.thread_cpu.items() if java_id and thread.startswith("busy-")]
        gaps = [s.weight for s in found.of("main")]
        allowed = threads * 2 * sum(ns * ns for ns in gaps) / sum(gaps) + lost
        ct.ok(len(used) == threads and abs(ran - sum(used)) < allowed,
              f"{what}: {ran / 1e9:.3f} s of that they ran, their CPU clocks say {sum(used) / 1e9:.3f} s, allowed {allowed / 1e9:.3f} s")
    states = collections.Counter(s.state for s in mine)
    whole = sum(s.weight for s in mine if s.outcome == "complete")
    ct.ok(whole > 0.9 * sum(weights.values()), f"{what}: {100 * whole / sum(weights.values()):.1f} % with a whole stack",
          collections.Counter((s.state, s.outcome, tuple(s.frames[:3])) for s in mine if s.outcome != "complete").most_common(5))
    works = sum(s.weight for s in mine if any(name.startswith("Crowd.") for name, _, _ in s.frames))
    ct.ok(works > 0.5 * sum(weights.values()) and states[READY] > 0, f"{what}: mostly where they work, waiting for a processor", states)
    return found


def few(jdk):
    """Two threads for each of two processors: their running time is a sum over many rounds."""
    busy(jdk, threads=4, seconds=1, cpu=0.8)


def bounded(jdk):
    """A rate that allows two looks an interval: there are fewer rounds, each with 16 looks; all of the threads' time is there."""
    what, path, rate, least = f"{jdk}, 40 that sleep, a low rate", ct.WORK / f"bounded-{jdk.version}.jfr", 400, 16
    with agent(jdk, "Waiters") as jvm:
        until = ct.WORK / f"bounded-{jdk.version}.until"
        jvm.expect("ready")
        jvm.say(f"go wait until={until} parked=40")
        jvm.expect("waiting")
        jvm.start(path, event="wall", interval="5ms", **{"wall-rate": f"{rate}/s"})
        ct.wait_until(lambda: status_samples(jvm) >= rate)
        jvm.stop()
        until.touch()
        jvm.expect("done")
        ct.ok(jvm.finish() == 0, f"{what}: the program ends normally", jvm.transcript())
    found = Samples(path)
    closes(found, what)
    seconds = found.sum("wall_time") / len(by_thread(found.all)) / 1e9
    # The shortest period is half of the nominal one; the last round comes at the end, whenever that is.
    ct.ok(found.rounds - 2 <= seconds * rate / least / 0.5, f"{what}: {found.rounds} rounds in {seconds:.1f} s")
    # A look at a thread that ran for a part of the time and waited for a processor for the rest gives two samples.
    looks = {(sample.thread, sample.start) for sample in found.all}
    ct.ok(found.rounds * least * 0.9 <= len(looks) <= found.rounds * least, f"{what}: {len(looks)} looks in {found.rounds} rounds")


def crowd(jdk):
    busy(jdk, threads=250, seconds=10, rate="1000/s", interval="50ms")


def mixed(jdk):
    """A thread that sleeps a known share of the time."""
    what, path = f"{jdk}, sleep and work", ct.WORK / f"mixed-{jdk.version}.jfr"
    with agent(jdk, "Crowd") as jvm:
        jvm.expect("ready")
        jvm.round("mixed", seconds=0.2)
        jvm.start(path, event="wall", interval="5ms", **{"wall-rate": ALL})
        truth = jvm.round("mixed", seconds=2)
        jvm.stop()
        ct.ok(jvm.finish() == 0, f"{what}: the program ends normally", jvm.transcript())
    found = Samples(path)
    mine = found.of("mixed-")
    nap, spin = [s for s in mine if s.has("Crowd.nap")], [s for s in mine if s.has("Crowd.spin")]
    both = [s.weight for s in nap + spin]
    share = truth["nap_ns"] / (truth["nap_ns"] + truth["spin_ns"])
    ct.share_agrees(sum(s.weight for s in nap) / sum(both), share, ct.effective_size(both), f"{what}: what it sleeps of its time", 0.01)
    ct.ok({s.state for s in spin} <= RUNS | {READY}, f"{what}: where it works, it runs or could",
          collections.Counter(s.state for s in spin))
    asleep = sum(s.weight for s in nap if s.state == "STATE_SLEEPING")
    ct.ok(asleep > 0.5 * sum(s.weight for s in nap), f"{what}: where it sleeps, it mostly does", collections.Counter(s.state for s in nap))
    closes(found, what)


def accepts(jdk):
    what, path = f"{jdk}, a socket", ct.WORK / f"accept-{jdk.version}.jfr"
    with agent(jdk, "Crowd") as jvm:
        jvm.expect("ready")
        jvm.start(path, event="wall", interval="5ms", **{"wall-rate": ALL})
        jvm.round("accept", seconds=0.6)
        jvm.stop()
        ct.ok(jvm.finish() == 0, f"{what}: the program ends normally", jvm.transcript())
    found = Samples(path)
    mine = found.of("accept-")
    io = sum(s.weight for s in mine if s.state == "STATE_IN_NATIVE_IO" and s.evidence == "method")
    ct.ok(mine and io > 0.5 * sum(s.weight for s in mine), f"{what}: a thread that waits for a connection is in native I/O",
          collections.Counter((s.state, s.frames[0]) for s in mine))
    closes(found, what)


def both(jdk):
    """CPU time and wall-clock time in one recording: neither is included in the other, and each is the same as alone."""
    what = f"{jdk}, cpu and wall"
    figures = {}
    with agent(jdk, "Crowd") as jvm:
        jvm.expect("ready")
        jvm.round("busy", threads=1, seconds=0.3)
        for event in ("cpu", "wall", "cpu,wall"):
            path = ct.WORK / f"both-{event.replace(',', '-')}-{jdk.version}.jfr"
            options = {} if event == "cpu" else {"wall-interval": "10ms", "wall-rate": ALL}
            good, answer = jvm.control("start", file=path, event=event, **({} if event == "wall" else {"interval": "2ms"}), **options)
            ct.ok(good and answer["event"] == event and ("clock" in answer) == (event != "wall"), f"{what}: {event} starts", answer)
            truth = jvm.round("busy", threads=3, seconds=1)
            if event != "cpu":
                look_once_more(jvm)
            jvm.stop()
            figures[event] = (path, truth)
        ct.ok(jvm.finish() == 0, f"{what}: the program ends normally", jvm.transcript())
    for event in ("cpu", "cpu,wall"):
        path = figures[event][0]
        report, recording = ct.report(path), ct.Recording(path)
        ct.ok(report["kind"] == "cpu" and not report["problems"], f"{what}: {event}: the report is of CPU time", report["problems"])
        ct.identity_closes(report["books"], f"{what}: {event}")
        ct.residual_within(report["books"], 0.05, f"{what}: {event}")
        busy_cpu = sum(cpu for name, cpu, _ in recording.thread_cpu.values() if name.startswith("busy-"))
        mine = sum(s.weight for s in recording.samples if s.thread.startswith("busy-"))
        ct.weights_add_up(recording, mine / busy_cpu, 0.05, f"{what}: {event}")
        weight, events = sum(s.weight for s in recording.samples), len(recording.executions)
        ct.ok(abs(events - weight / 2e6) < ct.STANDARD_ERRORS * (len(recording.samples) + 1) ** 0.5 / 2 + 1,
              f"{what}: {event}: {events} jdk.ExecutionSample for {weight / 2e6:.1f} intervals of CPU time")
    for event in ("wall", "cpu,wall"):
        path, truth = figures[event]
        found = Samples(path)
        closes(found, f"{what}: {event}")
        weights, lost, gap = by_thread(found.of("busy-")), found.sum("wall_lost"), found.longest_ns
        inner = [int(ns) for ns in str(truth["inner"]).split(",")]
        ct.ok(all(inner[i] - gap - lost <= weights[f"busy-{i:04}"] <= truth["outer_ns"] + gap for i in range(3)),
              f"{what}: {event}: each thread's weights are its elapsed time", f"{weights} {truth} {gap}")
        report = ct.candor("report", "--json", "--kind", "wall", path)
        ct.ok(report.status == 0 and '"kind": "wall"' in report.out and "do not balance" not in report.out,
              f"{what}: {event}: --kind wall", report)


def sabotaged(jdk):
    """That agent silently drops all samples that a thread takes on request, except the first 99."""
    what, path = f"{jdk}, a lie", ct.WORK / f"lie-{jdk.version}.jfr"
    if not ct.SABOTAGED_AGENT.exists():
        ct.skip(f"{what}: is caught", f"{ct.SABOTAGED_AGENT} is not built")
        return
    with agent(jdk, "Crowd", library=ct.SABOTAGED_AGENT) as jvm:
        jvm.expect("ready")
        jvm.start(path, event="wall", interval="1ms", **{"wall-rate": ALL})
        jvm.round("busy", threads=2, seconds=2)
        jvm.stop()
        ct.ok(jvm.finish() == 0, f"{what}: the program ends normally", jvm.transcript())
    found = Samples(path)
    asked = found.books["wall_looks", "asked"][1]
    residual = found.books["wall_residual", ""][0]
    ct.ok(residual > 0, f"{what}: of {asked} records some vanished, and the residual says so: {residual / 1e6:.1f} ms", found.books)


class State:
    def __init__(self, jvm):
        self.fds, self.caught = sorted(jvm.fds().values()), jvm.status("SigCgt", "SigIgn", "SigBlk")
        with open(f"/proc/{jvm.pid}/timers") as file:
            self.timers = file.read().count("ID:")

    def __eq__(self, other):
        return vars(self) == vars(other)


def cycles(jdk):
    what, path = f"{jdk}, started and stopped", ct.WORK / f"cycles-{jdk.version}.jfr"
    with agent(jdk, "Crowd") as jvm:
        jvm.expect("ready")
        jvm.start(path, event="cpu,wall")
        jvm.round("busy", threads=2, seconds=0.2)
        jvm.stop()
        before, threads = State(jvm), len(jvm.threads())
        jvm.say("go busy threads=4 seconds=3")
        refused = []
        for i in range(30):
            good, answer = jvm.control("start", file=path, event=("wall", "cpu,wall")[i % 2], **{"wall-interval": "1ms"})
            refused += [] if good else [answer]
            ct.wait_until(lambda: status_samples(jvm) > 3)
            good, answer = jvm.control("stop")
            refused += [] if good and "error" not in answer else [answer]
        ct.ok(not refused, f"{what}: 30 times", refused)
        closes(Samples(path), what)
        jvm.expect("done")
        ct.wait_until(lambda: len(jvm.threads()) <= threads + 1, timeout=10)
        after = State(jvm)
        ct.ok(before == after, f"{what}: the same descriptors, signals and timers as before", f"{vars(before)}\n{vars(after)}")
        ct.ok(jvm.finish() == 0, f"{what}: the program ends normally", jvm.transcript())


def attached(jdk):
    """By the program, and read by the JDK's own tool."""
    what, path = f"{jdk}, attached", ct.WORK / f"attached-{jdk.version}.jfr"
    with ct.Jvm(jdk, "Crowd") as jvm:
        jvm.expect("ready")
        jvm.round("busy", threads=1, seconds=0.2)
        result = ct.candor("start", "-e", "wall", "-i", "5ms", "-o", path, jvm.pid)
        ct.ok(result.status == 0, f"{what}: it starts", result)
        jvm.round("mixed", seconds=0.6)
        ct.ok(jvm.finish() == 0, f"{what}: the program ends normally", jvm.transcript())
    found = Samples(path)
    ct.ok(found.of("mixed-"), f"{what}: the file is whole, and has samples")
    printed = ct.run(ct.compiler().jfr, "print", "--events", "candor.WallSample,jdk.ExecutionSample", path).out
    ct.ok(len(re.findall("^candor.WallSample", printed, re.MULTILINE)) == len(found.all)
          and len(re.findall("^jdk.ExecutionSample", printed, re.MULTILINE)) == len(found.executions),
          f"{what}: the JDK's own tool reads it", printed[:2000])
    shown = ct.candor("report", path)
    ct.ok(shown.status == 0 and "running or not" in shown.out and "error" not in shown.out, f"{what}: the report says what it is", shown)


def carriers(jdk):
    """A running virtual thread is seen as itself, on its carrier."""
    what, path = f"{jdk}, virtual threads", ct.WORK / f"virtual-{jdk.version}.jfr"
    with agent(jdk, "VirtualThreads") as jvm:
        jvm.expect("ready")
        jvm.start(path, event="wall", interval="1ms", **{"wall-rate": ALL})
        jvm.round(threads=100, rounds=20)
        jvm.stop()
        ct.ok(jvm.finish() == 0, f"{what}: the program ends normally", jvm.transcript())
    found = Samples(path)
    mine = [s for s in found.all if s.carrier]
    ct.ok(len(mine) >= 10 and all(s.carrier.startswith("ForkJoinPool") for s in mine), f"{what}: {len(mine)} samples of mounted ones",
          collections.Counter(s.carrier for s in mine))
    closes(found, what)


def main():
    ct.need()
    jdks = ct.jdks()
    for jdk, case in ct.spread(jdks, [sleepers, busy, bounded, few, mixed, accepts, both, sabotaged, cycles, attached], each=2):
        case(jdk)
    for jdk in jdks:
        if jdk.version >= 21 and (ct.TIER == "all" or jdk.version == 21):
            carriers(jdk)
    if ct.TIER == "all" and jdks:
        crowd(jdks[-1])
    ct.done()


main()
