#!/usr/bin/env python3
"""Whether diagnose finds planted problems, and is silent about programs that are in order: precision and recall.

usage: script/bench corpus [--runs N] [--seconds S] [--jdk N | --jdks] [--no-twins] [--no-pairs] [--keep DIRECTORY] [--output FOLDER]
       [NAME...]

Each case is a JVM that `candor diagnose --jfr on` records for S seconds after it has started. bench/corpus/cases.py has the table:

  pair     a program with a planted problem, and its twin, which does the same work without it. A hit: the first finding of the planted one
           is the right rule, and names a line that has the comment "here: NAME"
  healthy  a real program under load that is in order

Every finding about a twin or a healthy program is a false alarm, unless it says that other programs used the processors; these are
counted apart. Precision is the share of hits in all first findings, recall the share of planted problems that are hits.

Each case runs on one of the JDKs that it works on, by turns; --jdk takes this one, --jdks each of them. NAME chooses cases by a part of
PROGRAM.NAME. Raw data go to OUTPUT/corpus.csv, unless names were given without --output; the summary goes to OUTPUT/corpus.md.
"""
import argparse
import collections
import dataclasses
import json
import os
import pathlib
import re
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests" / "lib"))
sys.path.insert(0, str(ROOT / "bench" / "lib"))
sys.path.insert(0, str(ROOT / "bench" / "corpus"))
import candortest as ct
from cases import HEALTHY, PAIRS
from results import DOCS, Results

SOURCES = ROOT / "bench" / "corpus"
FIELDS = ("case", "kind", "jdk", "run", "verdict", "first", "score", "site", "others", "text")
OF_MACHINE = "other programs on the machine"
OF_RECORDING = ("recording_quality",)
PATIENCE = 120
WARM_MOST = 3   # seconds
WARM_CPU = 1.5  # seconds of CPU


@dataclasses.dataclass
class Verdict:
    word: str  # hit, miss, wrong, line, silent, alarm, failed
    findings: list
    ignored: list


# -- programs ----------------------------------------------------------------------------------------------------------

def release_of(program):
    """The first JDK that runs the program: the source names it."""
    found = re.search(r"^ \* release: (\d+)$", (SOURCES / f"{program}.java").read_text(), re.MULTILINE)
    return int(found[1]) if found else 8


def compiled(program, with_libraries, made={}):
    """The class path of a program."""
    if program not in made:
        folder = ct.WORK / "corpus" / program
        folder.mkdir(parents=True)
        release = release_of(program)
        javac = ct.jdk(max(release, 17)).javac
        libraries = [f"{fetched()}/*", str(SOURCES / "resources")] if with_libraries else []
        subprocess.run([javac, "-nowarn", "-proc:none", "-Xlint:none", "--release", str(release), "-cp", ":".join(libraries), "-d", folder,
                        SOURCES / "Case.java", SOURCES / f"{program}.java"], check=True)
        made[program] = ":".join([str(folder), *libraries])
    return made[program]


def fetched():
    return subprocess.run([SOURCES / "fetch_libraries.sh"], check=True, capture_output=True, text=True).stdout.strip()


def lines_of(pair):
    """The lines of the planted problem, as (program, line)."""
    return {(source, number) for source in (pair.program, "Case")
            for number, line in enumerate((SOURCES / f"{source}.java").read_text().splitlines(), 1)
            if re.search(rf"// here:.*\b{pair.name}\b", line)}


def start(pair, jdk, variant):
    flags = [*pair.flags, *(pair.planted if variant == "planted" else pair.fixed)]
    if jdk.version >= 21:
        flags.append("-XX:+EnableDynamicAgentLoading")
    path = compiled(pair.program, pair.with_libraries)
    with open(ct.WORK / "out", "w") as out:
        return subprocess.Popen([jdk.java, *flags, "-cp", path, pair.program, pair.method or pair.name, variant],
                                stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.DEVNULL, cwd=ct.WORK)


def cpu_seconds(program):
    fields = pathlib.Path(f"/proc/{program.pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def is_ready(program):
    """Waits until the program has started its work, and for a while, in which much of its code is compiled."""
    end = time.monotonic() + PATIENCE
    while "ready\n" not in (ct.WORK / "out").read_text():
        if program.poll() is not None or time.monotonic() > end:
            return False
        time.sleep(0.1)
    before, end = cpu_seconds(program), time.monotonic() + WARM_MOST
    while program.poll() is None and time.monotonic() < end and cpu_seconds(program) < before + WARM_CPU:
        time.sleep(0.1)
    return True


def end(program):
    program.kill()
    program.wait()


# -- diagnosis ---------------------------------------------------------------------------------------------------------

def diagnose(pair, jdk, variant, seconds, keep):
    """The findings, or a string: why there are none."""
    path = (keep or ct.WORK) / f"{pair.program}-{pair.name}-{variant}-{jdk.version}.jfr"
    path.unlink(missing_ok=True)
    program = start(pair, jdk, variant)
    try:
        if not is_ready(program):
            return f"{pair.program} {pair.name} {variant} does not start"
        result = subprocess.run([ct.PROGRAM, "diagnose", "--json", "--top", "0", "--jfr", "on", "-d", f"{seconds}s", "-o", path,
                                 str(program.pid)], capture_output=True, text=True, timeout=PATIENCE + seconds)
        if program.poll() is not None:
            return f"{pair.program} {pair.name} {variant} has ended with status {program.returncode}"
    finally:
        end(program)
    if not keep:
        path.unlink(missing_ok=True)
    return json.loads(result.stdout)["findings"] if result.returncode == 0 else result.stderr.strip()


def has_line(pair, site):
    """Whether the innermost line in the program is a planted one. Frames of Case.java, which all programs share, may be in front of it."""
    lines = lines_of(pair)
    for frame in (site or "").split(" < "):
        found = re.fullmatch(r"(\w+)\b.*:(\d+)", frame)
        if found and (found[1], int(found[2])) in lines:
            return True
        if not frame.startswith("Case."):
            return not pair.with_line
    return not pair.with_line


def judge(pair, variant, findings):
    if isinstance(findings, str):
        return Verdict("failed", [{"id": "", "score": 0, "text": findings, "evidence": {"site": ""}}], [])
    ignored = [one for one in findings if (OF_MACHINE in one["text"] and one["id"] not in pair.ids) or one["id"] in (*OF_RECORDING, *pair.may)]
    counted = [one for one in findings if one not in ignored]
    if variant != "planted":
        return Verdict("alarm" if counted else "silent", counted, ignored)
    if not counted:
        return Verdict("miss", counted, ignored)
    if counted[0]["id"] not in pair.ids:
        return Verdict("wrong", counted, ignored)
    return Verdict("hit" if has_line(pair, counted[0]["evidence"]["site"]) else "line", counted, ignored)


# -- the run -----------------------------------------------------------------------------------------------------------

def is_chosen(pair, names):
    return not names or any(name in f"{pair.program}.{pair.name}" for name in names)


def jdks_of(pair, number, arguments):
    versions = [version for version in pair.jdks if ct.jdk(version)]
    if arguments.jdk:
        return [version for version in versions if version == arguments.jdk]
    return versions if arguments.jdks else [versions[number % len(versions)]]


def add(results, pair, kind, version, run, verdict):
    first = verdict.findings[0] if verdict.findings else {"id": "", "score": 0, "text": "", "evidence": {"site": ""}}
    row = results.add(case=f"{pair.program}.{pair.name}", kind=kind, jdk=version, run=run, verdict=verdict.word, first=first["id"],
                      score=round(first["score"]), site=first["evidence"]["site"] or "",
                      others=" ".join(one["id"] for one in [*verdict.findings[1:], *verdict.ignored]), text=first["text"])
    print(f"{row['verdict']:6} {row['kind']:7} {row['case']:24} JDK {version:2}  {row['first']} {row['score']} {row['site'][:90]} "
          f"| {row['others']}", flush=True)


def summary(rows):
    counts = collections.Counter((row["kind"], row["verdict"]) for row in rows)
    planted = sum(n for (kind, _), n in counts.items() if kind == "planted")
    hits = counts["planted", "hit"]
    alarms = counts["fixed", "alarm"] + counts["healthy", "alarm"]
    wrong = counts["planted", "wrong"] + counts["planted", "line"]
    silent = counts["fixed", "silent"] + counts["healthy", "silent"]
    percent = lambda part, whole: f"{100 * part / whole:.1f} %" if whole else "-"
    return (f"recall {percent(hits, planted)} ({hits} of {planted} planted problems first, with their line; "
            f"{counts['planted', 'miss']} not found, {counts['planted', 'wrong']} behind another finding, "
            f"{counts['planted', 'line']} at another line), precision {percent(hits, hits + wrong + alarms)} ({alarms} false alarms in "
            f"{silent + alarms} programs that are in order); {sum(n for (_, word), n in counts.items() if word == 'failed')} failed")


def arguments_of():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=1)
    parser.add_argument("--seconds", type=int, default=5)
    parser.add_argument("--jdk", type=int)
    parser.add_argument("--jdks", action="store_true")
    parser.add_argument("--turn", type=int, default=0)
    parser.add_argument("--no-twins", action="store_true")
    parser.add_argument("--keep", type=pathlib.Path)
    parser.add_argument("--output", type=pathlib.Path)
    parser.add_argument("names", nargs="*")
    return parser.parse_args()


def main():
    arguments = arguments_of()
    output = arguments.output or (ct.WORK if arguments.names else DOCS)
    if arguments.keep:
        arguments.keep.mkdir(parents=True, exist_ok=True)
    results = Results(output / "corpus.csv", FIELDS)
    for run in range(arguments.runs):
        for number, pair in enumerate([*PAIRS, *HEALTHY]):
            if not is_chosen(pair, arguments.names):
                continue
            variants = ("planted",) if arguments.no_twins else ("planted", "fixed")
            for version in jdks_of(pair, number + run + arguments.turn, arguments):
                for variant in variants if pair.ids else ("healthy",):
                    findings = diagnose(pair, ct.jdk(version), variant, pair.seconds or arguments.seconds, arguments.keep)
                    add(results, pair, variant, version, run, judge(pair, variant, findings))
    print(summary(results.rows))


main()
