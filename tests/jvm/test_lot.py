#!/usr/bin/env python3
"""Clocks by lot, in a program whose threads run for less than a tenth of a millisecond between two switches.

tier: default
timeout: 300

Many threads are drawn together. If there are two, each makes so many of the switches that it is restless, and has draws of its own.

Windows are drawn: all samples of one thread from one draw to the next. So the variance of a share is that of the windows: the sum
over them of (their weight times their deviation from the share)^2. The bound is 6 standard errors with 40 windows or more, 7 with 20 or
more, and 10 with 12: then a false alarm has a probability of about 1e-6, even with the tails of Student's t. A busy machine draws fewer: 39
were seen with a load average of 15. The cost of a sample is part of the time of the drawn threads, and counts more than once: 6 % of it
is allowed. The true time includes reading a clock beside each piece of work: 0.02 of a share.
"""
import collections
import math
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import candortest as ct

METHODS = ["Relay.first", "Relay.second", "Relay.third"]
INTERVAL_NS = 10_000_000
MANY, FEW = (24, 4, 20), (1, 12, 12)  # pairs of threads, seconds, windows at least
STANDARD_ERRORS = ((40, 6), (20, 7), (12, 10))  # windows at least, standard errors allowed


def windows_of(samples):
    """The samples by window; a sample without a window is a window by itself."""
    found = collections.defaultdict(list)
    for i, sample in enumerate(samples):
        found[sample.window or -1 - i].append(sample)
    return found.values()


def check_share(what, samples, method, truth, errors):
    weight = sum(sample.weight for sample in samples)
    share = sum(sample.weight for sample in samples if sample.leaf == method) / weight
    off = [sum(sample.weight * ((sample.leaf == method) - share) for sample in window) for window in windows_of(samples)]
    error = math.sqrt(sum(x * x for x in off)) / weight
    ct.ok(abs(share - truth) <= errors * error + 0.02,
          f"{what}: {method} has {share:.4f}, truth {truth:.4f}, standard error {error:.4f}")


def check_books(what, recording, books, errors):
    drawn = [window for window in windows_of(recording.samples) if window[0].window]
    error = math.sqrt(sum(sum(sample.weight for sample in window) ** 2 for window in drawn))
    missing = books["unseen_ns"].get("not_drawn", 0)
    cpu = books["cpu_ns"]
    ct.ok(abs(missing) <= errors * error + 0.06 * cpu,
          f"{what}: what was not drawn is {100 * missing / cpu:.1f} % off, standard error {100 * error / cpu:.1f} %")
    ct.identity_closes(books, what)
    # The samples of each window miss its thread's time by one of its periods at each end, a tenth of the interval and a half.
    edges = ct.STANDARD_ERRORS * INTERVAL_NS * math.sqrt(len(recording.thread_cpu) / 4.8 + len(drawn) / 4.8 / 16)
    ct.residual_within(books, edges / cpu + 0.005, what)


def check(jdk, size):
    pairs, seconds, least = size
    what, path = f"{jdk}, {2 * pairs} threads", ct.WORK / f"{pairs}-{jdk.version}.jfr"
    with ct.Jvm(jdk, "Relay", pairs, seconds, agent=ct.agent_options()) as jvm:
        jvm.expect("ready")
        good, answer = jvm.control("start", file=path, interval="10ms", clocks="lot")
        if not good or answer.get("clock") == "timer":
            ct.skip(what, f"no perf clock here: {answer}")
            return
        jvm.say("go")
        used = [int(ns) for ns in jvm.expect("used", timeout=120).split()[1:]]
        good, answer = jvm.control("status")
        by_lot = answer.get("clocks") == "lot"
        jvm.control("stop")
        jvm.say("end")
    recording, books = ct.Recording(path), ct.report(path)["books"]
    if recording.settings.get("clocks_reason"):
        ct.skip(what, recording.settings["clocks_reason"])
        return
    ct.ok(by_lot and books["clocks"] == "lot", f"{what}: status and recording say that clocks are by lot", answer)
    relays = [sample for sample in recording.samples if (sample.thread or "").startswith("relay-") and sample.leaf in METHODS]
    drawn = [window for window in windows_of(recording.samples) if window[0].window]
    threads = {sample.tid for window in drawn for sample in window}
    ct.ok(len(drawn) >= least and len(threads) >= pairs // 2, f"{what}: {len(drawn)} windows of {len(threads)} threads")
    ct.ok(all(len({sample.tid for sample in window}) == 1 for window in drawn), f"{what}: a window is one thread's")
    errors = next((n for windows, n in STANDARD_ERRORS if len(drawn) >= windows), STANDARD_ERRORS[-1][1])
    for method, ns in zip(METHODS, used):
        check_share(what, relays, method, ns / sum(used), errors)
    check_books(what, recording, books, errors)
    if size is FEW:  # the first windows come before it is known how often threads are switched
        chances = [window[0].chance for window in drawn if (window[0].thread or "").startswith("relay-")]
        ct.ok(2 * chances.count(12) > len(chances), f"{what}: restless threads have a clock in one of eight turns: {chances} %")


for jdk, size in ct.spread(ct.jdks(), [MANY, FEW]):
    check(jdk, size)
ct.done()
