#!/usr/bin/env python3
"""Names that differ in each run are the same in reports: functions of a deleted library, functions of the vdso, classes of lambdas.

tier: default
timeout: 600

JDKs name the class of a lambda in three ways, and each run gives another name to the library's file. All reports have the same names;
the recordings have the full ones.
"""
import json
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import candortest as ct

NATIVE = ct.BUILD / "tests" / "jvm" / "libnative_names.so"
OWN = {"Java_Names_burn", "Java_Names_ask", "Names$$Lambda*.applyAsLong", "Names$$Lambda*.run"}
FORMS = (8, 17, 25)  # Names$$Lambda$1, Names$$Lambda$14/0x..., Names$$Lambda.0x...
ROUNDS = 300  # some three hundred samples; a fifth of them or more have each of these names


def record(jdk):
    path = ct.WORK / f"names-{jdk.version}.jfr"
    with ct.Jvm(jdk, "Names", NATIVE, agent=ct.agent_options(file=path, interval="1ms")) as jvm:
        jvm.expect("ready")
        jvm.round(rounds=ROUNDS)
        status = jvm.finish()
        ct.ok(status == 0, f"{jdk}: the program ends", jvm.transcript())
    return path


def names(path, *options):
    """Of all frames."""
    lines = ct.candor("convert", "--to", "collapsed", *options, path, "-").out.splitlines()
    return {frame for line in lines for frame in line.rpartition(" ")[0].split(";")}


def of_program(found):
    return {name for name in found if name.startswith(("Java_Names", "Names$$", "[libnames"))}


def check(jdk):
    path = record(jdk)
    found, full = names(path), names(path, "--full-names")
    # A sample may also meet a lambda's constructor, and the library's table of calls, which has no name.
    wrong = [name for name in of_program(found) - OWN if not name.startswith(("[libnames*.so", "Names$$Lambda*."))]
    ct.ok(OWN <= found and not wrong, f"{jdk}: functions of a deleted library, and classes of lambdas", sorted(of_program(found)))
    vdso = [name for name in found if "vdso" in name or name.startswith("__kernel_")]
    ct.ok(not vdso or any(name.endswith("_clock_gettime") for name in vdso), f"{jdk}: functions of the vdso have names", vdso)
    classes = {name.rpartition(".")[0] for name in full if name.startswith("Names$$Lambda")}
    ct.ok(classes and all(re.search("[0-9]", name) and "*" not in name for name in classes),
          f"{jdk}: --full-names has the classes as they are recorded", classes)
    printed = ct.candor("print", "--stack-depth", 0, "--events", "candor.CpuSample", path).out
    ct.ok(all(name in printed for name in classes) and "$$Lambda*" not in printed, f"{jdk}: print does, too", classes)
    shown = {row["name"] for row in json.loads(ct.candor("report", "--json", "--package", "^libnames[*]$", path).out)["methods"]}
    ct.ok("Java_Names_burn" in shown, f"{jdk}: the library is libnames*", sorted(shown)[:20])


for each in ct.some(ct.jdks(), *FORMS):
    check(each)
ct.done()
