"""What is recorded in the emulated machines, and what must be true of each recording.

A cell is a program, recorded in one situation on one machine and JDK. Its recording comes back, and this machine's candor reads it.
Some cells are something else: test programs, or `candor verify` (checks.py).
"""
import dataclasses
import pathlib
import re
import shutil
import subprocess
import sys

import checks
import images

sys.path.insert(0, str(images.ROOT / "tests" / "lib"))
import candortest as ct

HERE = pathlib.Path(__file__).resolve().parent
BUILDS = {"arm64": ct.ROOT / "build-aarch64", "amd64": ct.ROOT / "build"}
COMPILERS = {"arm64": "aarch64-linux-gnu-gcc", "amd64": "gcc"}
BOOT, CELL, LONG = 120, 120, 900  # seconds that each may take on a busy host

# The greatest shares of the measured time that may have no stack, and that nobody can account for. The host is busy and the machine's
# interrupts come late, so a cell that misses the second one runs once more.
FAILED_MOST, RESIDUAL_MOST = 0.005, 0.10

SAMPLES_LEAST = 50  # half of what 4 seconds of a busy thread must give on a host ten times as slow, at 10 ms
PERF = "sigtrap|signal"
STEADY = "go seconds=60 threads=2"
# Of the stacks in which both our walker and AsyncGetCallTrace find Java frames, how many have the same frames, and how many the same
# methods, as in tests/jvm/test_walker.py.
FRAMES_LEAST, METHODS_LEAST = 0.995, 0.98
ONE_JDK = "5[.]10 17|6[.]1 17|6[.]12 25"  # test programs need none

# How a cell that is no recording, or more than one, is judged.
CHECKS = {"programs": checks.judge_programs, "truth": checks.judge_truth, "faulty": checks.judge_faults, "capture": checks.judge_images}
AGENTS = {"faulty": "tests/fault/libcandor-faulty.so", "capture": "tests/replay/libcandor-capture.so"}


@dataclasses.dataclass(frozen=True)
class Accounts:
    whole: str
    shares: tuple  # failed, truncated, residual


ACCOUNTS = {
    "books": Accounts("cpu_ns", ("failed_ns", "truncated_ns", "residual_ns")),
    "wall_time": Accounts("wall_ns", ("failed_ns", "", "residual_ns")),
    "events": Accounts("counted_events", ("failed_events", "truncated_events", "residual_events")),
}


@dataclasses.dataclass(frozen=True)
class Cell:
    name: str
    clock: str = PERF  # a pattern
    who: str = "root"
    paranoid: int = 2
    how: str = "attach"
    program: str = "Steady"
    go: str = STEADY
    options: tuple = ()
    books: str = "books"  # the member of the report that accounts for this event
    only: str = ""  # a pattern of the machine and JDK, "arm64-6.1 17"
    kernel_arguments: tuple = ()
    samples: int = SAMPLES_LEAST
    failed: float = FAILED_MOST
    limit: int = CELL  # seconds


CELLS = (
    Cell("root"),
    Cell("root-paranoid-4", paranoid=4),
    Cell("user", who="user"),
    Cell("user-paranoid-1", who="user", paranoid=1),
    Cell("user-paranoid-3", who="user", paranoid=3, clock="timer"),
    Cell("user-paranoid-4", who="user", paranoid=4, clock="timer"),
    Cell("user-seccomp", who="user-denied", clock="timer"),
    Cell("root-seccomp", who="root-denied", clock="timer"),
    Cell("clock-signal", clock="signal", options=("--clock", "signal")),
    Cell("clock-timer", clock="timer", options=("--clock", "timer")),
    Cell("clock-itimer", clock="itimer", options=("--clock", "itimer")),
    Cell("wall", options=("-e", "wall"), books="wall_time", clock=""),
    Cell("every-kind", options=("-e", "cpu,wall,alloc,lock,live,halt")),
    Cell("page-faults", options=("-e", "page-faults", "--event-interval", "1"), books="events", samples=1),
    Cell("cycles", options=("-e", "cycles", "--asm"), books="events", only="arm64"),  # the emulator of x86-64 has no counters
    Cell("limited", who="limited"),
    Cell("often", how="often"),
    Cell("start", how="start", go="go seconds=3 threads=2"),
    Cell("agent", how="agent", go="go seconds=3 threads=2", options=("interval=10ms",)),
    Cell("walker", how="agent", program="Intrinsics", go="go seconds=1", options=("interval=5ms", "walker=compare"), failed=0.02),
    Cell("recursion", how="agent", program="Deep", go="go depth=1000 seconds=3", options=("interval=10ms",)),
    Cell("unloading", how="agent", program="Loaders", go="go seconds=4", options=("interval=5ms",)),
    Cell("virtual", how="agent", program="VirtualThreads", go="go threads=50 rounds=20", options=("interval=5ms",), only=" (21|25)",
         failed=0.02),  # samples in the moment in which a virtual thread returns from a wait
    Cell("lockdown-integrity", kernel_arguments=("lockdown=integrity",)),
    Cell("lockdown-confidentiality", kernel_arguments=("lockdown=confidentiality",)),
    Cell("faults", how="faulty", program="Intrinsics", go="go seconds=2", options=("interval=5ms",), failed=1),
    Cell("images-intrinsics", only="arm64", how="capture", program="Intrinsics", go="go seconds=1", options=("interval=2ms",), failed=0.02),
    Cell("images-soak", only="arm64", how="capture", program="Soak", go="go seconds=3 alive=20 threads=2", options=("interval=2ms",),
         failed=0.02),
    Cell("images-virtualthreads", how="capture", program="VirtualThreads", go="go threads=50 rounds=20", options=("interval=2ms",),
         only="arm64.* (21|25)", failed=0.02),
    Cell("truth", how="truth", go="shares kernel intrinsics recursion lambda virtual", limit=LONG),
    Cell("tests-agent", how="programs", program="unit/test_agent_* unit/test_attach_*", only=ONE_JDK, limit=LONG),
    Cell("tests-queues", how="programs", program="model/* replay/* unit/test_queue*", only=ONE_JDK, limit=LONG),
    Cell("tests-program", how="programs", program="unit/test_[!aq]* unit/test_a[!gt]*", only=ONE_JDK, limit=LONG),
)


def chosen(machine, jdk, wanted):
    """The cells of a machine and JDK whose names fit: machine, machine/JDK, or machine/JDK/cell, where * stands for anything."""
    def fits(cell):
        name = f"{machine.name}/{jdk}/{cell.name}"
        return re.search(cell.only, f"{machine.name} {jdk}") and (not wanted or any(
            re.fullmatch(re.escape(one).replace(r"\*", ".*") + "(/.*)?", name) for one in wanted))
    return [cell for cell in CELLS if fits(cell)]


def quote(text):
    return "'" + str(text).replace("'", "'\\''") + "'"


def line(cell, jdk):
    """What run.sh does for this cell."""
    if cell.how == "programs":
        return f"programs {cell.name} {cell.limit}"
    if cell.how == "truth":
        return f"truth {cell.name} {jdk} {cell.limit} {cell.go}"
    words = (cell.name, jdk, cell.who, cell.paranoid, cell.how, cell.program, cell.go, 4)
    options = (",".join(cell.options),) if cell.how in ("agent", *AGENTS) else cell.options
    return "cell " + " ".join(quote(word) for word in (*words, *options))


def fill(folder, machine, jdk, lines, wanted=()):
    """Makes the folder that goes into the machine. wanted: the cells whose agents or test programs it needs."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    build = BUILDS[machine.architecture]
    for name in ("candor", "libcandor.so", *(AGENTS[cell.how] for cell in wanted if cell.how in AGENTS)):
        shutil.copy(build / name, folder / pathlib.Path(name).name)
    for cell in wanted:
        if cell.how == "programs":
            checks.add_programs(folder, machine.architecture, build, cell.name, cell.program)
    shutil.copytree(ct.classes(ct.jdk(17)), folder / "classes")
    become = images.cached(f"become-{machine.architecture}", (HERE / "become.c").read_text(), lambda made: images.run(
        COMPILERS[machine.architecture], "-O2", "-static", "-o", made, HERE / "become.c"))
    shutil.copy(become, folder / "become")
    shutil.copy(HERE / "inside.sh", folder / "inside.sh")
    (folder / "run.sh").write_text("\n".join(("set -u", ". ./inside.sh", *lines, "exit 0")) + "\n")


@dataclasses.dataclass
class Verdict:
    machine: str
    jdk: int
    cell: str
    recorded: bool = False  # whether the figures mean something
    clock: str = ""
    samples: int = 0
    failed: float = 0.0  # shares of the measured time
    truncated: float = 0.0
    residual: float = 0.0
    remark: str = ""
    problems: list = dataclasses.field(default_factory=list)


def last_lines(path):
    return path.read_text(errors="replace").splitlines()[-5:] if path.exists() else []


def judge(machine, jdk, cell, folder):
    """What the recording of a cell in this folder says, and what is wrong with it."""
    verdict = Verdict(machine.name, jdk, cell.name)
    bad = verdict.problems.append
    for crash in sorted(folder.glob("hs_err*")):
        text = crash.read_text(errors="replace")
        bad(f"the JVM crashed, {'in' if 'libcandor' in text else 'but not in'} libcandor: {' '.join(text.splitlines()[5:8])}")
    status = (folder / "verdict").read_text().strip() if (folder / "verdict").exists() else "the machine did not get that far"
    if cell.how in CHECKS and (folder / "verdict").exists():
        CHECKS[cell.how](verdict, folder)
    if cell.how in ("programs", "truth"):
        if status != "ran":
            bad(f"it ended with {status}")
        return verdict
    wanted = "record=0 java=143" if cell.how in ("attach", "often") else "record=none java=0"
    if status != wanted:
        bad(f"{status}, not {wanted}: {' | '.join(last_lines(folder / 'record.out') + last_lines(folder / 'java.out'))}")
    recording = folder / "recording.jfr"
    if recording.exists():
        judge_recording(verdict, cell, recording)
    else:
        bad("there is no recording")
    return verdict


def judge_recording(verdict, cell, recording):
    bad = verdict.problems.append
    try:
        report = ct.report(recording)
    except RuntimeError as problem:
        bad(f"it cannot be read: {problem}")
        return
    books, names = report[cell.books] or {}, ACCOUNTS[cell.books]
    if cell.books == "wall_time":
        books.get("failed_ns", {}).pop("no_java_stack", None)  # the JVM's own threads have none
    sums = {name: sum(value.values()) if isinstance(value, dict) else value for name, value in books.items() if value is not None}
    whole = sums.get(names.whole, 0)
    verdict.recorded = True
    verdict.clock, verdict.samples = report["settings"].get("clock", ""), report["sample_count"]
    if whole:
        verdict.failed, verdict.truncated, verdict.residual = (sums.get(name, 0) / whole for name in names.shares)
    else:
        bad(f"the books have no {names.whole}")
    if not re.fullmatch(cell.clock or ".*", verdict.clock):
        bad(f"the clock is {verdict.clock}")
    if verdict.samples < cell.samples:
        bad(f"{verdict.samples} samples")
    if verdict.failed + verdict.truncated > cell.failed:
        bad(f"{100 * (verdict.failed + verdict.truncated):.2f} % without a whole stack")
    if abs(verdict.residual) > RESIDUAL_MOST:
        bad(f"residual {100 * verdict.residual:.1f} %")
    for problem in report["problems"]:
        if problem["level"] == "error":
            bad(problem["text"])
    if "walker=compare" in cell.options:
        judge_walker(verdict, report["settings"])
    if "--asm" in cell.options:
        judge_code(verdict, recording)


def judge_walker(verdict, settings):
    """Of the stacks in which both walkers found Java frames, how many are identical. AsyncGetCallTrace may find other methods that were
    inlined into the topmost frame's (docs/internals/hotspot.md)."""
    counts = {name.removeprefix("walker_"): int(value) for name, value in settings.items() if name.startswith("walker_")}
    both = sum(count for name, count in counts.items() if name not in ("only_walker", "only_agct", "neither"))
    same = counts.get("identical", 0) / both if both else 0
    frames = same + (counts.get("inlined", 0) / both if both else 0)
    verdict.remark = f"{100 * frames:.1f} % of {both} stacks have AsyncGetCallTrace's frames, {100 * same:.1f} % its methods"
    if frames < FRAMES_LEAST or same < METHODS_LEAST:
        verdict.problems.append(f"{verdict.remark}: {counts}")


def judge_code(verdict, recording):
    shown = ct.candor("asm", "--threshold", "1", recording)
    verdict.remark = "with code"
    if shown.status or not re.search(r"\b(ldr|str|add)\b", shown.out):
        verdict.problems.append(f"candor asm shows no instructions: {shown}")
