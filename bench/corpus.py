#!/usr/bin/env python3
"""Whether diagnose finds planted problems, and is silent about programs that are in order: precision and recall.

usage: script/bench corpus [--runs N] [--seconds S] [--jdk N | --jdks] [--turn N] [--no-twins] [--part I/N] [--keep DIRECTORY]
       [--jmc] [--output FOLDER] [NAME...]

Each case is a JVM that `candor diagnose` records for S seconds after it has started. bench/corpus/cases.py has the table:

  pair     a program with a planted problem, and its twin, which does the same work without it. A hit: the first finding of the planted one
           is the right rule, and names a line that has the comment "here: NAME"
  healthy  a real program under load that is in order

Every finding about a twin or a healthy program is a false alarm, unless it says that other programs used the processors; these are
counted apart. Precision is the share of hits in all first findings, recall the share of planted problems that are hits.

Each case runs on one of the JDKs that it works on, by turns, beginning with --turn; --jdk takes this one, --jdks each of them. NAME
chooses cases by a part of PROGRAM.NAME, and --part 0/3 every third case from the first one on. --keep keeps the recordings, and --jmc lets
the rules of JDK Mission Control judge them, too; they come from Maven Central. Raw data go to OUTPUT/corpus.csv, the summary to
OUTPUT/corpus.md, by default in docs/benchmarks, and in a temporary folder if names were given.
"""
import argparse
import collections
import os
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "bench" / "lib"))
sys.path.insert(0, str(ROOT / "bench" / "corpus"))
from cases import HEALTHY, PAIRS
from results import DOCS, Results
from runner import ct, diagnose, judge
import jmc

FIELDS = ("case", "kind", "jdk", "run", "verdict", "first", "score", "site", "others", "text")


def is_chosen(pair, names):
    return not names or any(name in f"{pair.program}.{pair.name}" for name in names)


def part(text):
    first, every = map(int, text.split("/"))
    return first, every


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


def page(rows, seconds, beside):
    """The summary as a document."""
    machine = f"{os.cpu_count()} processors, load average at the end {os.getloadavg()[1]:.1f}"
    lines = ["# Planted problems, their twins, and healthy programs", "",
             f"`script/bench corpus --seconds {seconds}` on {rows[0]['date']}, {machine}.", "", summary(rows) + ".", "", *beside,
             "| case | kind | JDK | verdict | first finding | score | text |", "|---|---|---|---|---|---|---|"]
    lines += [f"| {row['case']} | {row['kind']} | {row['jdk']} | {row['verdict']} | {row['first']} | {row['score']} | "
              f"{row['text'].replace('|', '/')[:300]} |" for row in rows if row["verdict"] not in ("hit", "silent")]
    return "\n".join(lines) + "\n"


def arguments_of():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=1)
    parser.add_argument("--seconds", type=int, default=5)
    parser.add_argument("--jdk", type=int)
    parser.add_argument("--jdks", action="store_true")
    parser.add_argument("--turn", type=int, default=0)
    parser.add_argument("--no-twins", action="store_true")
    parser.add_argument("--part", type=part, default=(0, 1))
    parser.add_argument("--keep", type=pathlib.Path)
    parser.add_argument("--jmc", action="store_true")
    parser.add_argument("--output", type=pathlib.Path)
    parser.add_argument("names", nargs="*")
    return parser.parse_args()


def main():
    arguments = arguments_of()
    output = arguments.output or (ct.WORK if arguments.names else DOCS)
    arguments.keep = arguments.keep or (ct.WORK if arguments.jmc else None)
    if arguments.keep:
        arguments.keep.mkdir(parents=True, exist_ok=True)
    kept = {}
    results = Results(output / "corpus.csv", FIELDS)
    for run in range(arguments.runs):
        for number, pair in enumerate([*PAIRS, *HEALTHY]):
            first, every = arguments.part
            if number % every != first or not is_chosen(pair, arguments.names):
                continue
            variants = ("planted",) if arguments.no_twins else ("planted", "fixed")
            for version in jdks_of(pair, number + run + arguments.turn, arguments):
                for variant in variants if pair.ids else ("healthy",):
                    findings = diagnose(pair, ct.jdk(version), variant, pair.seconds or arguments.seconds, arguments.keep)
                    add(results, pair, variant, version, run, judge(pair, variant, findings))
                    path = jmc.path_of(arguments.keep, pair, variant, version) if arguments.jmc else None
                    if path and path.exists():
                        kept[path] = (pair, variant, path)
    print(summary(results.rows))
    beside = [jmc.summary(list(kept.values())) + ".", ""] if kept else []
    print(*beside, sep="\n")
    (output / "corpus.md").write_text(page(results.rows, arguments.seconds, beside))


main()
