#!/usr/bin/env python3
"""Two methods of equal cost, drawn 70 to 30: the reported self shares agree with the program's own accounts.

tier: default
timeout: 900

The truth is the CPU time that each thread measured for both methods with its own CPU clock, so it holds whatever the compiler made of
them. The test computes the share of one method in the self time of both, including inlined frames. Bound: 5 standard errors of a
binomial share at the effective sample size; false alarm 5.7e-7 per comparison, 8 comparisons. The books of each run must balance,
too.
"""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import candortest as ct

SECONDS, INTERVAL = 1.5, "500us"  # CPU time in each of two threads


def check(what, path, truth):
    recording, report = ct.Recording(path), ct.report(path)
    true_share = truth["heavy_ns"] / (truth["heavy_ns"] + truth["light_ns"])
    leaves = {"TwoMethods.heavy": [], "TwoMethods.light": []}
    for sample in recording.samples:
        if sample.leaf in leaves:
            leaves[sample.leaf].append(sample.weight)
    heavy, light = leaves.values()
    size = ct.effective_size(heavy + light)
    ct.ok(size >= 2000 * SECONDS, f"{what}: {size:.0f} samples carry the answer", top_leaves(recording))
    if size:
        ct.share_agrees(sum(heavy) / (sum(heavy) + sum(light)), true_share, size, f"{what}, samples")
    check_report(what, report, true_share, size)
    seen = sum(sample.weight for sample in recording.samples if (sample.thread or "").startswith("two-methods-"))
    ct.weights_add_up(recording, seen / truth["cpu_ns"], 0.02, what)
    ct.identity_closes(report["books"], what)
    ct.residual_within(report["books"], 0.02, what)


def check_report(what, report, true_share, size):
    methods = {method["name"]: method for method in report["methods"]}
    if not ct.ok({"TwoMethods.heavy", "TwoMethods.light"} <= methods.keys(), f"{what}: the report names both methods",
                 list(methods)[:10]):
        return
    heavy, light = methods["TwoMethods.heavy"], methods["TwoMethods.light"]
    both = heavy["self_share"] + light["self_share"]
    ct.share_agrees(heavy["self_share"] / both, true_share, size, f"{what}, report")
    ct.ok(all(m["self_low"] <= m["self_share"] <= m["self_high"] for m in (heavy, light)),
          f"{what}: the intervals contain the shares", (heavy, light))
    ct.ok(report["methods"][0]["name"] == "TwoMethods.heavy", f"{what}: the heavier one stands first",
          report["methods"][0]["name"])


def top_leaves(recording):
    leaves = {}
    for sample in recording.samples:
        leaves[sample.leaf] = leaves.get(sample.leaf, 0) + 1
    return sorted(leaves.items(), key=lambda item: -item[1])[:10]


def at_start(jdk):
    path = ct.WORK / f"start-{jdk.version}.jfr"
    with ct.Jvm(jdk, "TwoMethods", agent=ct.agent_options(file=path, interval=INTERVAL)) as jvm:
        jvm.expect("ready")
        truth = jvm.round(seconds=SECONDS)
        ct.ok(jvm.finish() == 0, f"{jdk}, at start: the program ends normally", jvm.transcript())
    # Equal work costs about the same in both methods: a program with wrong accounts would show here first.
    by_calls = truth["heavy_calls"] / (truth["heavy_calls"] + truth["light_calls"])
    by_clock = truth["heavy_ns"] / (truth["heavy_ns"] + truth["light_ns"])
    ct.ok(abs(by_calls - by_clock) < 0.05,
          f"{jdk}: the truth is sane: {by_clock:.3f} by clock, {by_calls:.3f} by calls")
    check(f"{jdk}, at start", path, truth)


def attached(jdk):
    path = ct.WORK / f"attached-{jdk.version}.jfr"
    with ct.Jvm(jdk, "TwoMethods") as jvm:
        jvm.expect("ready")
        jvm.round(seconds=0.5)  # compiled before the agent comes
        result = ct.attach(jvm, path, INTERVAL)
        if not ct.ok(result.status == 0, f"{jdk}, attached: the recording starts", result):
            return
        truth = jvm.round(seconds=SECONDS)
        result = ct.candor("stop", jvm.pid)
        ct.ok(result.status == 0, f"{jdk}, attached: the recording stops", result)
        ct.ok(jvm.finish() == 0, f"{jdk}, attached: the program ends normally", jvm.transcript())
    check(f"{jdk}, attached", path, truth)


def main():
    ct.need()
    for jdk in ct.jdks():
        at_start(jdk)
        attached(jdk)
    ct.done()


main()
