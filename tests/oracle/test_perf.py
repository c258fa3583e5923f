#!/usr/bin/env python3
"""perf's stacks by call frame information (`perf record --call-graph dwarf`), compared with our walker's, for the very same samples.

tier: default
timeout: 900

A sample of perf contains the registers and a copy of the stack. perf unwinds it with a library (libunwind in Debian's build);
recorded_walk.c gives the same registers and the same copy to our walker. The test compares the pcs of native frames (the pc of a
caller is the last byte of its call in both) up to the first one that is in no file, which is Java's, or to the thread's first
function. If our walk reaches the end of the copy, perf's may be one frame shorter, because it does not read the copy's last word.

At most one in two hundred may differ; the bound adds five standard errors of that share. Some cases do not count as different,
because perf 6.1 cannot know the answer or has a mistake:

- The epilogue of a function has popped the frame pointer, and call frame information still says that it is at its old place, below
  the stack pointer. perf has not copied that memory, and stops at the frame that needs it (`perf script -vv`: "access_mem ... not
  inside range"). Our walker gets the register, which contains the value again. perf's frames are then the first of ours.
- HotSpot's SpinPause, written in assembler, has no description. perf assumes that the frame pointer belongs to it, and so misses its
  caller; all further frames are the same.

perf starts each of these programs itself, and no program starts another one: perf 6.1 keeps the mappings from before an exec, and
computes a library's base from the lowest mapping of its file.
"""
import collections
import shutil
import sys

import perf_data
import recorded
from standing import ct

MOST_DIFFERENT = 0.005
LEAST_SAMPLES = 50

# A load of Places.java, and the beginning of the names of its threads.
Load = collections.namedtuple("Load", "name flags seconds threads")
LENGTHENED = 5 if ct.TIER == "all" else 1
LOADS = (Load("jit", [], 3, ("C1", "C2")),
         Load("gc", ["-Xmx32m", "-Xmn2m"], 0.1, ("GC", "G1", "VM")),
         Load("zlib", [], 1, ("place-",)))

COMPILES_PYTHON = """
import ast, pathlib, time
for path in 9 * sorted(pathlib.Path(ast.__file__).parent.glob("*.py")):
    if time.process_time() < 2:
        compile(path.read_text(), path.name, "exec")
"""
FOR_CXX = "#include <regex>\nbool matches(const std::string &s) { return std::regex_match(s, std::regex(s)); }\n"


def is_same(pair, ours):
    if pair.ended == "outside":
        return pair.theirs[:len(ours)] == ours
    return pair.theirs == ours or (pair.ended == "copy" and pair.theirs == ours[:-1])


def agrees(pair):
    return (is_same(pair, pair.ours)
            or pair.leaf == "popped" and pair.theirs == pair.ours[:len(pair.theirs)]
            or pair.leaf == "undescribed" and is_same(pair, pair.ours[:1] + pair.ours[2:]))


def describe(pair):
    same = next((i for i, (a, b) in enumerate(zip(pair.ours, pair.theirs)) if a != b), min(len(pair.ours), len(pair.theirs)))
    return (f"{pair.thread}: {len(pair.ours)} frames ({pair.ended}, {pair.leaf}), {len(pair.theirs)} of perf's, the first {same} the "
            f"same; before and then {[hex(pc) for pc in pair.ours[same - 1:same + 2]]} and "
            f"{[hex(pc) for pc in pair.theirs[same - 1:same + 2]]}")


def check(what, path, threads=("",)):
    pairs = recorded.pairs(path)
    different = [pair for pair in pairs if not agrees(pair)]
    meant = sum(pair.thread.startswith(threads) for pair in pairs)
    ct.note(f"{what}: {len(pairs)} samples, {sum(len(pair.ours) for pair in pairs)} frames; "
            f"{dict(collections.Counter(pair.ended for pair in pairs))}, {dict(collections.Counter(pair.leaf for pair in pairs))}")
    for pair in different[:20]:
        ct.note(describe(pair))
    most = ct.at_most(MOST_DIFFERENT * len(pairs))
    ct.ok(len(different) <= most and meant >= LEAST_SAMPLES,
          f"{what}: {len(different)} of {len(pairs)} stacks differ, at most {most:.1f} may; {meant} are of the threads it is about")
    path.unlink()


def check_jvm(jdk, load):
    path = ct.WORK / f"{load.name}-{jdk.version}.perf"
    with ct.Jvm(jdk, "Places", flags=load.flags, wrapper=recorded.command(path)) as jvm:
        jvm.expect("ready")
        jvm.round(load=load.name, seconds=load.seconds * LENGTHENED)
        ended = jvm.finish()
    if ct.ok(ended == 0, f"{jdk}, {load.name}: recorded", jvm.transcript()):
        check(f"{jdk}, {load.name}", path, load.threads)


def check_command(what, *command):
    path = ct.WORK / f"{what}.perf"
    result = ct.run(*recorded.command(path), *command)
    if ct.ok(result.status == 0, f"{what}: recorded", result):
        check(what, path)


def check_cxx_compiler():
    source, ready = ct.WORK / "source.cpp", ct.WORK / "source.ii"
    source.write_text(FOR_CXX)
    ct.run("g++", "-E", "-o", ready, source)
    compiler = ct.run("g++", "-print-prog-name=cc1plus").out.strip()
    check_command("cc1plus", compiler, "-quiet", "-fpreprocessed", "-O2", ready, "-o", "/dev/null")


def obstacle():
    """Why there is nothing to compare with here; None if there is."""
    if not shutil.which("perf"):
        return "not installed; run script/bootstrap"
    path = ct.WORK / "trial.perf"
    result = ct.run(*recorded.command(path), sys.executable, "-c", "sum(range(10_000_000))")
    if result.status != 0:
        return " ".join(result.err.split())[:200] or f"it ends with status {result.status}"
    try:
        found = any(len(pair.theirs) > 1 for pair in recorded.pairs(path))
    except perf_data.Unsupported as error:
        return f"its file is not of the kind that perf_data.py reads: {error}"
    return None if found else "it finds no callers"


def main():
    ct.need(recorded.WALKER)
    why_not = obstacle()
    if why_not:
        ct.skip("perf", why_not)
        ct.done()
    check_command("python", sys.executable, "-c", COMPILES_PYTHON)
    check_cxx_compiler()
    for jdk, load in ct.spread(ct.jdks(), LOADS):
        check_jvm(jdk, load)
    ct.done()


main()
