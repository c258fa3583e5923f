#!/usr/bin/env python3
"""A budget: there are fewer samples, the answer is the same, and the books show what was suppressed.

tier: default
timeout: 600

max-rate allows a tenth of the samples that the interval would give; the first tenth of a second, before the load is known, and one
expiry of each thread are not limited. max-overhead is a tenth of the cost of the samples. Shares are compared with their true values,
with five standard errors of the effective sample size, which takes into account that the first samples weigh less than the later
ones. The weights of each busy thread lack its last period; five standard deviations of it and 1 % are allowed. That period is at most
the longest weight of the last samples: after the end of the load, the pace in the status is shorter again.
"""
import math
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import candortest as ct

SECONDS = 3  # CPU time in each of two threads
RATE = 100
THREADS = 2
CLOCKS = ("sigtrap", "signal", "timer", "itimer")


def check_share(recording, truth, what):
    heavy, light = ([s.weight for s in recording.samples if s.leaf == name]
                    for name in ("TwoMethods.heavy", "TwoMethods.light"))
    true_share = truth["heavy_ns"] / (truth["heavy_ns"] + truth["light_ns"])
    ct.share_agrees(sum(heavy) / max(sum(heavy + light), 1), true_share, ct.effective_size(heavy + light), what)


def check_books(books, what):
    ct.identity_closes(books, what)
    suppressed, time_ns = books["suppressed"].get("budget", 0), books["suppressed_ns"].get("budget", 0)
    ct.ok(suppressed > 1000 and time_ns > SECONDS * 1e9, f"{what}: {suppressed} expiries of {time_ns / 1e9:.1f} s were suppressed", books)


def record(jdk, what, clock, **limit):
    path = ct.WORK / "budget.jfr"
    with ct.Jvm(jdk, "TwoMethods", agent=ct.agent_options()) as jvm:
        jvm.expect("ready")
        good, answer = jvm.control("start", file=path, interval="500us", clock=clock, **limit)
        if not good:
            ct.skip(what, answer)
            return None
        truth = jvm.round(seconds=SECONDS)
        status = jvm.control("status")[1]
        jvm.control("stop")
        ct.ok(jvm.finish() == 0, f"{what}: the program ends normally", jvm.transcript())
    pace, elapsed = int(status["pace_ns"]), int(status["elapsed_ns"]) / 1e9
    recording, books = ct.Recording(path), ct.report(path)["books"]
    check_share(recording, truth, what)
    check_books(books, what)
    last = max(pace, *(s.weight for s in recording.samples[-4 * THREADS:]))
    bound = (THREADS * last + ct.STANDARD_ERRORS * math.sqrt(THREADS / 4.8) * last) / books["cpu_ns"] + 0.01
    if clock == "sigtrap":
        ct.residual_within(books, bound, what)
    return recording, pace, elapsed


def check_rate(jdk, clock):
    what = f"{jdk}, {clock}, {RATE}/s"
    made = record(jdk, what, clock, **{"max-rate": f"{RATE}/s"})
    if made:
        recording, pace, elapsed = made
        most = RATE * elapsed + THREADS * 2000 * 0.3
        ct.ok(20 < len(recording.samples) < most,
              f"{what}: {len(recording.samples)} samples in {elapsed:.1f} s, at most {most:.0f}; one every {pace / 1e6:.0f} ms")


def check_overhead(jdk):
    what = f"{jdk}, 0.2 %"
    made = record(jdk, what, "sigtrap", **{"max-overhead": "0.2%"})
    if made:
        recording, pace, _ = made
        ct.ok(pace > 2_000_000, f"{what}: {len(recording.samples)} samples, at the end one every {pace / 1e6:.1f} ms")


def main():
    ct.need()
    for jdk, clock in ct.spread(ct.jdks(), list(CLOCKS)):
        check_rate(jdk, clock)
    check_overhead(ct.jdk(25))
    ct.done()


main()
