#!/usr/bin/env python3
"""candor verify: the verdict on its cases is "true" on every JDK, and "wrong" if the agent lies.

tier: default
timeout: 1200

Every case runs with at least one JDK, with the agent from the start and attached late; in tier all with each JDK. `verify` itself
repeats a case that looks wrong. A share near a half, from 6,800 samples, has a standard error of 0.6 points: a percentage point
outside the 95 % interval, twice, has a probability of 1e-7 (docs/internals/sampling-math.md); for a hundred parts, 1e-5 at most. For
a late attach only a result is required: old code may be shown with the line of a neighbor there.

Lies (tests/truth/lies.c): one at a time, tested with the case that must detect it. A clock of fixed period may be in step with the
work at a point where that does not show: in at most one run of fifteen, so each lie has five tries (1e-6).

Intervals for work that repeats with the clock's interval, in two complementary parts: of 150 rounds 27 would miss the true value by
chance once in 10,000,000 if one in twenty misses it, and once in 100,000 if one in fourteen does.
"""
import json
import os
import pathlib
import shutil
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import candortest as ct

SAMPLING = ("-d", "1700ms", "--interval", "250us")
TRIES = 5
# For a thread of a millisecond, 50 to 150 us before and after its run() are in no account (src/verify/README.md): half a point for one of
# the shares, in addition to verify's own tolerance.
UNCERTAIN = {"short-threads": 0.02}
BY_LOT = ("many-threads", "shares-threads")
# lie: (case, tools, further arguments)
LIES = {
    "stubs": ("intrinsics", "candor", ()),
    "caller": ("trap-hot", "candor", ()),
    "period": ("periodic", "candor", ("--interval", "20ms", "-d", "3s")),
    "first": ("short-threads", "candor", ("--interval", "2ms")),  # longer than they live
    "once": ("shares", "candor:timer", ("--interval", "1ms")),
}


def verify(program, jdk, *arguments, **keywords):
    result = ct.run(program, "verify", "--json", "--java", jdk.home, *arguments, timeout=600, **keywords)
    try:
        return result, json.loads(result.out)
    except ValueError:
        return result, None


def all_cases():
    return [line.split()[0] for line in ct.candor("verify", "--list").out.splitlines()]


def describe(run):
    parts = [f"{part['name']} {part['true_share']:.3f} {part['share']:.3f} [{part['low']:.3f}..{part['high']:.3f}]"
             for part in run.get("parts", [])]
    return f"{run['why'] or ''} {'; '.join(parts)} cpu {run.get('cpu_ns')} of {run.get('true_cpu_ns')}"


def is_within(run, slack):
    """Whether all true values are this close to the intervals."""
    parts = run.get("parts", [])
    return slack > 0 and parts and all(part["low"] - slack <= part["true_share"] <= part["high"] + slack for part in parts)


def check_cases(jdk, cases):
    result, answer = verify(ct.PROGRAM, jdk, *SAMPLING, "--tools", "candor,late", *cases)
    if not ct.ok(answer and len(answer["runs"]) == 2 * len(cases), f"{jdk}: {', '.join(cases)} ran", result):
        return
    for run in answer["runs"]:
        what = f"{jdk}: {run['case']}, {run['tool']}"
        if run["verdict"] == "skipped":
            ct.skip(what, run["why"])
        elif run["tool"] == "candor":
            ct.ok(run["verdict"] == "true" or is_within(run, UNCERTAIN.get(run["case"], 0)), f"{what}: {run['verdict']}", describe(run))
        else:
            ct.ok(run["verdict"] in ("true", "wrong"), f"{what}: {run['verdict']}", describe(run))
    ct.ok(result.status == (0 if answer["good"] else 1), f"{jdk}: the exit status says so too: {result.status}")


def liar():
    """A candor whose agent lies."""
    folder = ct.WORK / "liar"
    folder.mkdir()
    shutil.copy(ct.PROGRAM, folder / "candor")
    shutil.copy(ct.SABOTAGED_AGENT, folder / "libcandor.so")
    return folder / "candor"


def check_lies(jdk):
    program = liar()
    for lie, (case, tools, arguments) in LIES.items():
        for _ in range(TRIES):
            result, answer = verify(program, jdk, "-d", "2s", "--tools", tools, *arguments, case,
                                    env={**os.environ, "CANDOR_LIE": lie})
            run = answer["runs"][0] if answer and answer["runs"] else {}
            if run.get("verdict") == "wrong":
                break
        ct.ok(run.get("verdict") == "wrong" and result.status == 1, f"{jdk}: the lie '{lie}' is caught by {case}",
              f"{describe(run) if run else ''}\n{result}")


def check_recompiled(jdk):
    """A late attach is exact if the JVM has discarded its compiled code; this shows most if everything is inlined."""
    result, answer = verify(ct.PROGRAM, jdk, *SAMPLING, "--tools", "late,recompile", "lambda")
    runs = {run["tool"]: run for run in answer["runs"]} if answer else {}
    late, recompiled = (runs.get(tool, {}) for tool in ("candor, attached late", "candor, late and recompiled"))
    ct.ok(recompiled.get("verdict") == "true", f"{jdk}: lambda, late and recompiled: {recompiled.get('verdict')}; late: "
          f"{late.get('verdict')}", describe(recompiled) if recompiled else result)


def check_lots(jdk):
    """If only some threads have clocks, drawn by lot, shares of groups of threads are within their intervals."""
    result, answer = verify(ct.PROGRAM, jdk, *SAMPLING, "--tools", "candor:lot", *BY_LOT)
    runs = answer["runs"] if answer else []
    ct.ok(len(runs) == len(BY_LOT), f"{jdk}: clocks by lot: {', '.join(BY_LOT)} ran", result)
    for run in runs:
        ct.ok(run["verdict"] == "true", f"{jdk}: {run['case']}, {run['tool']}: {run['verdict']}", describe(run))


def check_intervals_in_step(jdk):
    result, answer = verify(ct.PROGRAM, jdk, "-d", "300ms", "--interval", "3ms", "--tools", "candor", "--rounds", "150", "periodic")
    run = answer["runs"][0] if answer and answer["runs"] else {}
    held, intervals = run.get("intervals_held", 0), run.get("intervals", 0)
    ct.ok(intervals == 300 and held > intervals - 2 * 27,
          f"{jdk}: in step with the clock {held} of {intervals} intervals contain the true value", result)


def main():
    ct.need()
    jdks = ct.jdks()
    cases = all_cases()
    known = ct.run(jdks[0].java, "-cp", ct.BUILD / "verify.jar", "verify.Main").err.split("one of: ")[-1].split()
    ct.ok(known == cases, "the cases are those that the programs know, in their order", (known, cases))
    chosen = {one.version: [] for one in jdks}
    for one, case in ct.spread(jdks, cases, turns=8):
        chosen[one.version].append(case)
    check_intervals_in_step(jdks[-1])
    check_lots(jdks[-1])
    for one in jdks:
        check_cases(one, chosen[one.version])
        check_recompiled(one)
    if ct.SABOTAGED_AGENT.exists():
        check_lies(jdks[-1])
    else:
        ct.skip("lies", f"{ct.SABOTAGED_AGENT} is not built")
    ct.done()


main()
