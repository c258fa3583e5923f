"""Runs one case of the corpus: a program that `candor diagnose` records after it has started. The benchmark and a test share it."""
import dataclasses
import json
import os
import pathlib
import re
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "lib"))
import candortest as ct

SOURCES = ROOT / "bench" / "corpus"
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
        libraries = [f"{fetched()}/*", str(SOURCES / "resources")] if with_libraries else [str(ct.BUILD / "candor-context.jar")]
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
        result = subprocess.run([ct.PROGRAM, "diagnose", "--json", "--top", "0", "-d", f"{seconds}s", "-o", path,
                                 *pair.options, str(program.pid)], capture_output=True, text=True, timeout=PATIENCE + seconds)
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
    ignored = [one for one in findings if one["id"] not in pair.ids and
               (OF_MACHINE in one["text"] or one["id"] in (*OF_RECORDING, *pair.may))]
    counted = [one for one in findings if one not in ignored]
    if variant != "planted":
        return Verdict("alarm" if counted else "silent", counted, ignored)
    if not counted:
        return Verdict("miss", counted, ignored)
    if counted[0]["id"] not in pair.ids:
        return Verdict("wrong", counted, ignored)
    return Verdict("hit" if has_line(pair, counted[0]["evidence"]["site"]) else "line", counted, ignored)
