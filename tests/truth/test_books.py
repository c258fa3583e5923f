#!/usr/bin/env python3
"""The books balance on a steady load, and an agent that loses one record in a hundred without counting it is detected.

tier: default
timeout: 900

Why the residual may be compared with BOUND = 0.5 % here. A thread's perf clock runs freely, and a sample's weight is the CPU time
since the previous expiry. So the samples of a thread do not cover less than one period at its end (and the chance of the first phase
at its start): at most 2 intervals, of either sign. The threads' phases are independent and uniform, so the sum over T threads has a
standard deviation of about sqrt(T / 4.8) intervals: 1.4 ms for T = 40 and 500 us, and 5 of them are 7.2 ms. That is 0.12 % of 6 s of
CPU time. The remaining 0.38 % are for differences between the clocks themselves (context switches, interrupts that are subtracted
from a thread's time).

The sabotaged build drops one record in a hundred after its weight was taken, and counts nothing. If each record were dropped at
random, it would be 120 +- 11 of N = 12,000 samples. The residual rises by 1.00 % +- 0.09 %, and 5 standard deviations below that is
0.55 %. With the bound in between, either verdict is wrong with probability < 1e-6.
"""
import json
import pathlib
import re
import resource
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import candortest as ct

THREADS, SECONDS = 4, 1.5  # of CPU in each
BOUND = 0.005


def steady(jdk, name, library=None):
    """Attaches between two rounds; returns the report's books, the truth, and the process CPU around the recording."""
    path = ct.WORK / f"{name}-{jdk.version}.jfr"
    flags = ["-XX:+EnableDynamicAgentLoading"] if jdk.version >= 21 else []
    if jdk.version >= 22:
        # If the CPU has AVX, the JDK sorts in C++ code without frame pointers, and stacks end there.
        flags += ["-XX:+UnlockDiagnosticVMOptions", "-XX:DisableIntrinsic=_arraySort,_arrayPartition"]
    all_switches = switches_of_children()
    # Loaded at the start, but idle, so that the normal and the sabotaged library are loaded in the same way.
    with ct.Jvm(jdk, "Steady", agent=ct.agent_options(library), flags=flags) as jvm:
        jvm.expect("ready")
        jvm.round(seconds=0.5, threads=THREADS)
        outer = jvm.cpu_ns()
        good, answer = jvm.control("start", file=path, interval="500us")
        if not ct.ok(good, f"{jdk}, {name}: the recording starts", answer):
            return None
        inner = jvm.cpu_ns()
        switches = switches_of(jvm.process.pid)
        truth = jvm.round(seconds=SECONDS, threads=THREADS)
        switches = switches_of(jvm.process.pid) - switches
        inner = jvm.cpu_ns() - inner
        good, answer = jvm.control("stop")
        outer = jvm.cpu_ns() - outer
        ct.ok(good and "error" not in answer, f"{jdk}, {name}: the recording stops", answer)
    all_switches = switches_of_children() - all_switches
    return ct.report(path)["books"], ct.Recording(path), truth, inner, outer, (switches, all_switches)


def normal(jdk):
    result = steady(jdk, "steady")
    if not result:
        return
    books, recording, truth, inner, outer, switches = result
    ct.note(f"residual {100 * ct.residual_share(books):.3f} %, clock {books['clock']}")
    ct.identity_closes(books, f"{jdk}, steady load")
    ct.ok(inner <= books["cpu_ns"] <= outer,
          f"{jdk}: the books' CPU {books['cpu_ns']} lies between what we read around it: {inner} and {outer}")
    if "perf" in books["clock"] or books["clock"] in ("sigtrap", "signal"):
        ct.residual_within(books, 0.02, f"{jdk}, steady load")
        ct.residual_within(books, BOUND, f"{jdk}, steady load, tight")
    else:
        ct.skip(f"{jdk}: residual", f"no perf clock here, but {books['clock']}")
    ct.ok(books["truncated_ns"] + sum(books["failed_ns"].values()) < 0.02 * books["cpu_ns"],
          f"{jdk}: under 2 % of the CPU without a whole stack", json.dumps(books))
    ct.ok(sum(books["lost_ns"].values()) == 0, f"{jdk}: nothing is lost", json.dumps(books["lost_ns"]))
    check_threads(jdk, recording, truth)
    check_switches(jdk, books, *switches)
    counted = sum(sample.weight for sample in recording.samples)
    entered = books["complete_ns"] + books["truncated_ns"] + sum(books["failed_ns"].values())
    ct.ok(counted == entered, f"{jdk}: the samples' weights are what the books say: {counted}, {entered}")


def check_threads(jdk, recording, truth):
    """Each thread's CPU time in the recording is what the thread itself measured (less its start and end, under 20 ms)."""
    workers = [(name, cpu) for name, cpu, _ in recording.thread_cpu.values() if name.startswith("steady-")]
    told = sum(cpu for _, cpu in workers)
    ct.ok(len({name for name, _ in workers}) == THREADS and abs(told - truth["cpu_ns"]) < 20_000_000 * THREADS,
          f"{jdk}: {THREADS} worker threads with {told} ns, their own clocks say {truth['cpu_ns']}")


def status_of(path):
    """A thread may end before its file is read."""
    try:
        return path.read_text()
    except (FileNotFoundError, ProcessLookupError):
        return ""


def switches_of(pid):
    """Context switches of all threads that are alive, from the kernel."""
    counts = [re.findall(r"^(?:non)?voluntary_ctxt_switches:\s+(\d+)$", status_of(path), re.M)
              for path in pathlib.Path(f"/proc/{pid}/task").glob("*/status")]
    return sum(int(count) for of_thread in counts for count in of_thread)


def switches_of_children():
    """Context switches of processes that have ended and been waited for."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_nvcsw + used.ru_nivcsw


def check_switches(jdk, books, switches, all_switches):
    """The numbers in the books are those of the recording: at least the threads that lived through its middle, and at most those of the
    process's whole life."""
    if books["clock"] not in ("sigtrap", "signal"):
        ct.skip(f"{jdk}: context switches", f"the clock {books['clock']} is not set at them")
        return
    ct.ok(0 < switches <= books["switches"] <= all_switches,
          f"{jdk}: {books['switches']} context switches in the books, {switches} of some threads within, {all_switches} in all")


def sabotaged(jdk):
    if not ct.SABOTAGED_AGENT.exists():
        ct.skip(f"{jdk}: the sabotaged agent is caught", f"{ct.SABOTAGED_AGENT} is not built")
        return
    result = steady(jdk, "sabotaged", ct.SABOTAGED_AGENT)
    if result:
        books = result[0]
        found = ct.residual_share(books)
        ct.ok(found > BOUND, f"{jdk}: the sabotaged agent is caught: residual {100 * found:.2f} %, "
              f"bound {100 * BOUND:g} %", json.dumps(books))


def main():
    ct.need()
    jdks = ct.jdks()
    for jdk in jdks:
        normal(jdk)
    for jdk in jdks[-1:]:
        sabotaged(jdk)
    ct.done()


main()
