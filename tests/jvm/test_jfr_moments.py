#!/usr/bin/env python3
"""A recording is a whole JFR file at every instant, for the JDK's parser and for a strict one: whenever the process is killed, every
finished flush is there, and nothing that confuses a reader.

tier: default
timeout: 900
sanitize: no

The file is copied after each system call of the writer; writes of many pages are copied after each page.
"""
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "lib"))
import candortest as ct
import jfrfile

MOMENTS = ct.BUILD / "tests/jvm/jfr_moments"
SAMPLES = 60  # of a round


def right(path, samples):
    """Whole rounds: those that were flushed, and perhaps the one that was being flushed."""
    rounds = int(path.stem.split("-")[1])
    return samples in (rounds * SAMPLES, (rounds + 1) * SAMPLES)


def strictly(path):
    try:
        return sum(event["@type"] == "candor.CpuSample" and bool(event["stackTrace"]) for event in jfrfile.events(path))
    except (ValueError, KeyError) as problem:
        return problem


def check(jdks, what, *mode):
    folder = ct.WORK / "-".join(("moments", *mode))
    folder.mkdir()
    subprocess.run([MOMENTS, folder, *mode], check=True)
    files = sorted(folder.glob("*.jfr"))
    ct.ok(len(files) > 60, f"{what}: {len(files)} moments")
    wrong = {path.name: found for path in files if not right(path, found := strictly(path))}
    ct.ok(not wrong, f"{what}: a strict reader takes each, with whole rounds only", wrong)
    for jdk in jdks:
        read = ct.run(jdk.java, "-cp", ct.own_classes(jdk, HERE / "ReadMoments.java"), "ReadMoments", folder)
        found = {words[0]: words[1:] for words in (line.split() for line in read.out.splitlines())}
        wrong = {path.name: found.get(path.name) for path in files
                 if not (len(found.get(path.name, ())) == 2 and found[path.name][0] == found[path.name][1] and
                         right(path, int(found[path.name][0])))}
        ct.ok(not wrong, f"{what}, {jdk}: jdk.jfr.consumer reads each, with whole rounds only", f"{wrong}\n{read}")
        sparse = files if ct.TIER == "all" else files[5::25]
        failed = [path.name for path in sparse if ct.run(jdk.jfr, "summary", path).status]
        ct.ok(not failed, f"{what}, {jdk}: jfr summary reads {len(sparse)} of them", failed)


def main():
    ct.need(MOMENTS)
    jdks = ct.jdks()
    check(jdks, "a recording")
    check(jdks, "one that keeps its end", "ring")
    ct.done()


main()
