#!/usr/bin/env python3
"""candor verify: its cases come out true on every JDK, and wrong when the agent lies.

tier: default
timeout: 1200

Every case runs under one JDK at least, from the start and attached late by turns; in tier all under each. `verify` itself
repeats what looks wrong: its false alarms are below 1e-8 a part (its man page), some 300 parts. What is attached late is
only asked for a result: old code may be shown at a neighbour's line there.

Lies (tests/truth/lies.c): one at a time, against the case that is to catch it.
"""
import json
import os
import pathlib
import shutil
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import candortest as ct

SECONDS = "1500ms"
# lie: (case, tools, further arguments)
LIES = {
    "stubs": ("intrinsics", "candor", ()),
    "caller": ("trap-hot", "candor", ()),
    "period": ("periodic", "candor", ()),
    "first": ("short-threads", "candor", ()),
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


def check_cases(jdk, cases):
    result, answer = verify(ct.PROGRAM, jdk, "-d", SECONDS, "--tools", "candor,late", *cases)
    if not ct.ok(answer and len(answer["runs"]) == 2 * len(cases), f"{jdk}: {', '.join(cases)} ran", result):
        return
    for run in answer["runs"]:
        what = f"{jdk}: {run['case']}, {run['tool']}"
        if run["verdict"] == "untold":
            ct.skip(what, run["why"])
        elif run["tool"] == "candor":
            ct.ok(run["verdict"] == "true", f"{what}: {run['verdict']}", describe(run))
        else:
            ct.ok(run["verdict"] in ("true", "wrong"), f"{what}: {run['verdict']}", describe(run))
    ct.ok(result.status == (0 if answer["good"] else 1), f"{jdk}: the exit status says so too: {result.status}")


def liar():
    """A candor whose agent is the one that lies."""
    folder = ct.WORK / "liar"
    folder.mkdir()
    shutil.copy(ct.PROGRAM, folder / "candor")
    shutil.copy(ct.SABOTAGED_AGENT, folder / "libcandor.so")
    return folder / "candor"


def check_lies(jdk):
    program = liar()
    for lie, (case, tools, arguments) in LIES.items():
        result, answer = verify(program, jdk, "-d", "2s", "--tools", tools, *arguments, case, env={**os.environ, "CANDOR_LIE": lie})
        run = answer["runs"][0] if answer and answer["runs"] else {}
        ct.ok(run.get("verdict") == "wrong" and result.status == 1, f"{jdk}: the lie '{lie}' is caught by {case}",
              f"{describe(run) if run else ''}\n{result}")


def check_recompiled(jdk):
    """What is attached late is exact when the JVM has thrown away what it had compiled; where all of it is inlined that shows most."""
    result, answer = verify(ct.PROGRAM, jdk, "-d", SECONDS, "--tools", "late,recompile", "lambda")
    verdicts = {run["tool"]: run["verdict"] for run in answer["runs"]} if answer else {}
    ct.ok(verdicts == {"candor, attached late": "wrong", "candor, late and recompiled": "true"}, f"{jdk}: lambda, late: {verdicts}",
          "\n".join(map(describe, answer["runs"])) if answer else result)


def main():
    ct.need()
    jdks = ct.jdks()
    cases = all_cases()
    chosen = {one.version: [] for one in jdks}
    for one, case in ct.spread(jdks, cases):
        chosen[one.version].append(case)
    for one in jdks:
        check_cases(one, chosen[one.version])
        check_recompiled(one)
    if ct.SABOTAGED_AGENT.exists():
        check_lies(jdks[-1])
    else:
        ct.skip("lies", f"{ct.SABOTAGED_AGENT} is not built")
    ct.done()


main()
