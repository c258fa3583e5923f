"""Cells that are more than a recording: test programs of the layers unit, model and replay, `candor verify`, injected faults, stack images.

Each judge_... function reads what inside.sh left in a cell's folder, and adds problems to the cell's verdict, or a remark.
"""
import fnmatch
import json
import pathlib
import re
import shutil
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "fault"))
import faulty
from faulty import ct

STRIP = {"arm64": "aarch64-linux-gnu-strip", "amd64": "strip"}
# What the programs may link: the libraries on the disks (images.py), not those of the server and of drivers.
LIBRARIES = re.compile(r"ld-linux.*|lib(c|m|gcc_s|stdc\+\+|z|dl|pthread)\.so\..*")
LAYERS = ("unit", "model", "replay")
# What test programs read besides: documents with tables that must agree with the code, recorded stacks.
DATA = ("docs/findings.md", "docs/formats/*.md", "tests/replay/*.gz")
# Programs with bounds that an emulated processor on a busy host cannot keep: of CPU time and intervals, and signal_stack of the time until
# each of its threads has had its samples.
TIMED = {f"test_agent_{name}" for name in ("calibrate", "churn", "clock", "keep", "pace", "signal_stack", "sinks", "storm")}
IMAGES_LEAST = 5
WALKS_LEAST = 1000


# -- test programs ---------------------------------------------------------------------------------------------------

def programs(build, pattern):
    """The test programs in this build whose names, such as unit/test_queue, fit the pattern: several, separated by blanks. Those that start
    a program with a sanitizer are left out; cross builds have none."""
    found = sorted(path for layer in LAYERS for path in (build / "tests" / layer).glob("test_*")
                   if path.is_file() and not path.name.endswith("_tsan") and (ct.ROOT / "tests" / layer / f"{path.name}.c").exists())
    return [path for path in found if any(fnmatch.fnmatch(f"{path.parent.name}/{path.name}", one) for one in pattern.split())]


def can_run(program):
    dynamic = subprocess.run(["readelf", "--dynamic", "--wide", program], stdout=subprocess.PIPE, text=True, check=True).stdout
    return all(LIBRARIES.fullmatch(name) for name in re.findall(r"\(NEEDED\).*\[(.*)\]", dynamic))


def add_programs(folder, architecture, build, name, pattern):
    """Puts the programs of the cell of this name, with what they read, into the folder that goes into the machine."""
    for program in filter(can_run, programs(build, pattern)):
        target = folder / "programs" / name / program.parent.name
        target.mkdir(parents=True, exist_ok=True)
        subprocess.run([STRIP[architecture], "-g", "-o", target / program.name, program], check=True)
        for library in program.parent.glob("lib*.so"):  # some programs load those beside them
            shutil.copy(library, target)
    for path in (path for one in DATA for path in ct.ROOT.glob(one)):
        target = folder / "source" / path.relative_to(ct.ROOT)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, target)


def status(folder):
    """The exit status of the test program whose output is in this folder; -1: it did not end."""
    return int((folder / "status").read_text()) if (folder / "status").exists() else -1


def passed(folder):
    text = (folder / "out").read_text(errors="replace")
    bad = [line for line in text.splitlines() if line.startswith("not ok") and "# skip" not in line.lower()]
    return status(folder) == 0 and not bad and re.search(r"^1\.\.\d+", text, re.MULTILINE)


def judge_programs(verdict, folder):
    """A program that compares times may fail, but it must come to its end."""
    ran = sorted(path.parent for path in folder.glob("*/out"))
    failed = [one for one in ran if not passed(one)]
    timed = [one for one in failed if one.name in TIMED and status(one) == 1]
    verdict.remark = f"{len(ran) - len(failed)} of {len(ran)} test programs pass"
    if timed:
        verdict.remark += f"; too slow for the bounds of {names(timed)}"
    if failed != timed or not ran:
        verdict.problems.append(f"{verdict.remark}, not {names(set(failed) - set(timed))}")


def names(folders):
    return ", ".join(sorted(one.name.removeprefix("test_") for one in folders))


# -- candor verify ---------------------------------------------------------------------------------------------------

def judge_truth(verdict, folder):
    """Each case must be true, or name what this machine or JVM lacks for it."""
    text = (folder / "verify.json").read_text() if (folder / "verify.json").exists() else ""
    if not text.strip():
        verdict.problems.append(f"candor verify printed nothing: {(folder / 'verify.out').read_text(errors='replace')[-500:]}")
        return
    runs = json.loads(text)["runs"]
    true = [run["case"] for run in runs if run["verdict"] == "true"]
    verdict.remark = f"true: {', '.join(true)}"
    for run in runs:
        if run["verdict"] == "skipped":
            verdict.remark += f"; skipped: {run['case']}"
        elif run["verdict"] != "true":
            verdict.problems.append(f"{run['case']} is {run['verdict']}: {run['why']}")


# -- agents for tests ------------------------------------------------------------------------------------------------

def judge_faults(verdict, folder):
    """The faulty agent counts what it injects: each random walk must end within its bounds, with an outcome."""
    counts = faulty.read_counts(folder / "faults")
    ended = sum(counts["outcomes"].values())
    verdict.remark = f"{counts['faults']} faults in {counts['loads']} loads, {counts['walks']} random walks"
    if counts["unbounded"] or ended != counts["walks"] or counts["walks"] < WALKS_LEAST or not counts["faults"]:
        verdict.problems.append(f"{verdict.remark}, {ended} with an outcome, {counts['unbounded']} too long")


def judge_images(verdict, folder):
    images = (folder / "images").read_bytes().count(b"\nimage ") if (folder / "images").exists() else 0
    verdict.remark = f"{images} stacks kept"
    if images < IMAGES_LEAST:
        verdict.problems.append(verdict.remark)
