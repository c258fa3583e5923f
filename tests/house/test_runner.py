"""tests/run detects every way in which a test can fail, ends the processes that a test leaves behind, and counts points.

tier: default
timeout: 180
"""
import json
import os
import pathlib
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import candortest as ct

RUN = ct.ROOT / "tests" / "run"
TESTS, BUILD = ct.WORK / "tests", ct.WORK / "build"
HEAD = "# tier: {tier}\n# timeout: {timeout}\n"


def plant(name, body, tier="quick", timeout=20, head=""):
    path = TESTS / f"{name}.py"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(HEAD.format(tier=tier, timeout=timeout) + head + body)


def run(*arguments):
    done = subprocess.run([RUN, "--tests", TESTS, "--build", BUILD, *arguments], capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr


def counts(name, expected, text, *words):
    """The planted test NAME, run alone, ends with this last line, and its output contains these words."""
    status, output = run(name)
    good = "0 failed" in expected and not expected.startswith("0 passed")
    ct.ok(output.splitlines()[-1] == expected and status == (0 if good else 1)
          and all(word in output for word in words), text, output)


def alive(pid_file):
    pid = int(pid_file.read_text())
    try:
        return "State:\tZ" not in pathlib.Path(f"/proc/{pid}/status").read_text()
    except FileNotFoundError:
        return False


(BUILD / "meson-info").mkdir(parents=True)
(BUILD / "meson-info" / "intro-targets.json").write_text("[]")

plant("unit/test_good", "print('ok 1 - a\\nok 2 - b # SKIP none here\\n# note\\n1..2')")
plant("unit/test_red", "print('ok 1 - a\\nnot ok 2 - b\\n#   reason\\n1..2'); exit(1)")
plant("unit/test_middle", "print('ok 1 - a\\nnot ok 2 - b\\n#   reason\\nok 3 - c\\n# a note\\n1..3'); exit(1)")
plant("unit/test_killed", "import os\nprint('ok 1 - a', flush=True)\nos.kill(os.getpid(), 11)")
plant("unit/test_unplanned", "print('ok 1 - a')")
plant("unit/test_short", "print('ok 1 - a\\n1..2')")
plant("unit/test_misnumbered", "print('ok 1 - a\\nok 3 - b\\n1..2')")
plant("unit/test_status", "print('ok 1 - a\\n1..1'); exit(3)")
plant("unit/test_nothing", "print('1..0')")
plant("unit/test_skipped", "print('1..0 # SKIP no JDK')")
plant("unit/test_everything", "print('ok 1 - a\\n1..1')", tier="all")
plant("unit/test_hanging", f"""
import os, subprocess, time
for name, session in (("child", False), ("daemon", True)):
    child = subprocess.Popen(["sleep", "600"], start_new_session=session)
    open("{ct.WORK}/" + name, "w").write(str(child.pid))
print("ok 1 - a", flush=True)
time.sleep(600)
""", timeout=5)
plant("unit/test_leaving", f"""
import subprocess
child = subprocess.Popen(["sleep", "600"], start_new_session=True)
open("{ct.WORK}/left", "w").write(str(child.pid))
print("ok 1 - a\\n1..1")
""")

counts("test_good", "1 passed, 0 failed, 1 skipped", "points are counted, a skip is one of its own")
counts("test_red", "1 passed, 1 failed, 0 skipped", "a failed point fails once, its diagnostics are shown", "#   reason")
counts("test_killed", "1 passed, 1 failed, 0 skipped", "a death by a signal", "died by SIGSEGV")
counts("test_unplanned", "1 passed, 1 failed, 0 skipped", "a missing plan", "no plan")
counts("test_short", "1 passed, 1 failed, 0 skipped", "a wrong plan", "the plan is 1..2, but there are 1 points")
counts("test_misnumbered", "2 passed, 1 failed, 0 skipped", "a wrong number", "point 2 is numbered 3")
counts("test_status", "1 passed, 1 failed, 0 skipped", "a bad exit status after good points", "exit status 3")
counts("test_nothing", "0 passed, 1 failed, 0 skipped", "a test of nothing", "nothing was tested")
counts("test_skipped", "0 passed, 0 failed, 1 skipped", "only skips is not a success")
counts("test_absent", "0 passed, 0 failed, 0 skipped", "no test at all is not a success")

started = time.monotonic()
counts("test_hanging", "1 passed, 1 failed, 0 skipped", "a timeout", "timeout: still running after 5 s")
ct.ok(time.monotonic() - started < 500, "a hanging test is ended before it ends by itself")
ct.ok(not alive(ct.WORK / "child"), "its child is ended")
ct.ok(not alive(ct.WORK / "daemon"), "its child in a session of its own is ended")
counts("test_leaving", "1 passed, 0 failed, 0 skipped", "a test that leaves a process behind")
ct.ok(not alive(ct.WORK / "left"), "what it left is ended")

status, output = run("test_middle", "test_killed")
ending = [line.strip() for line in output[output.index("\nfailed: "):].splitlines()[1:] if not line.startswith("failed: ")]
ct.ok(sorted(ending) == sorted(["not ok 2 - b", "#   reason", "died by SIGSEGV", "| ok 1 - a", "3 passed, 2 failed, 0 skipped"]),
      "what failed is repeated at the end, and nothing else", output)

# With --again: a test that fails once, one that always fails, and one that crashed.
plant("unit/test_unsteady", f"""
import pathlib
second = pathlib.Path("{ct.WORK}/second")
print('ok 1 - a' if second.exists() else 'not ok 1 - a\\n#   by chance')
print('ok 2 - b\\n1..2')
second.touch()
""")
status, output = run("test_unsteady")
ct.ok(status == 1 and output.endswith("\n1 passed, 1 failed, 0 skipped\n"), "what fails once has failed", output)
(ct.WORK / "second").unlink()
status, output = run("--again", "test_unsteady")
ct.ok(status == 0 and output.endswith("\n2 passed, 0 failed, 0 skipped\n") and "#   by chance" in output[output.index("\nunsteady: "):],
      "with --again it runs a second time, and is named with what failed", output)
status, output = run("--again", "test_red")
ct.ok(status == 1 and "failed: unit/test_red, twice" in output, "what fails twice has failed", output)
status, output = run("--again", "test_killed")
ct.ok(status == 1 and "failed: unit/test_killed (" in output, "a crash is not tried again", output)
plant("unit/test_jvm_crash", f"""
import pathlib
second = pathlib.Path("{ct.WORK}/after-crash")
print('ok 1 - a' if second.exists() else 'not ok 1 - a\\n#   # A fatal error has been detected by the Java Runtime Environment:')
print('1..1')
second.touch()
""")
status, output = run("--again", "test_jvm_crash")
ct.ok(status == 1 and "failed: unit/test_jvm_crash (" in output, "nor is that of a JVM", output)

# Tiers: which tests they have, on how many JDKs, and that a tier stays within its budget.
plant("unit/test_tested_by_ci", "print('ok 1 - a\\n1..1')", tier="full")
ct.ok("tested_by_ci" not in run("--list")[1], "the default tier leaves out what belongs to full")
ct.ok("tested_by_ci" in run("--list", "--full")[1] and "tested_by_ci" in run("--list", "--all")[1], "--full and --all have it")
ct.ok("test_everything" not in run("--list", "--full")[1], "--full leaves out what belongs to all")
ct.ok("test_everything" not in run("--list")[1], "the default tier leaves out what belongs to all")
ct.ok("test_everything" in run("--list", "--all")[1], "--all has it")
ct.ok("test_everything" in run("--list", "everything")[1], "its name has it")

lib = f"import sys; sys.path.insert(0, '{ct.ROOT}/tests/lib')\nimport candortest as ct\n"
TURNS = lib + f"""
found = ct.jdks()
open('{ct.WORK}/turns', 'w').write(' '.join(str(one.version) for one in found))
open('{ct.WORK}/cases', 'w').write(''.join(sorted({{case for _, case in ct.spread(found, 'abcde')}})))
ct.ok(True, "done")
ct.done()
"""
plant("unit/test_turns", TURNS)


def turns(*arguments):
    """The JDKs and the cases that the planted test had."""
    for name in ("turns", "cases"):
        (ct.WORK / name).unlink(missing_ok=True)
    run(*arguments)
    return (ct.WORK / "turns").read_text().split(), (ct.WORK / "cases").read_text()


installed = [str(version) for version in ct.VERSIONS if ct.jdk(version)]
newer = [one for one in installed if int(one) >= 21]
by_turns = [turns("--turn", str(i)) for i in range(len(newer))]
ct.ok([used for used, _ in by_turns] == [[one] for one in newer], "the default tier uses one newer JDK by turns")
ct.ok([turns("--turn", str(i))[1] for i in (0, 3, 6)] == ["ab", "cd", "ae"], "and a third of the cases, then another")
ct.ok(turns("--full") == (installed, "abcde") == turns("test_turns"), "--full uses all, and so does a test that is named")
(TESTS / "unit" / "test_turns.py").unlink()

heavy = ("jvm/test_javac", "jvm/test_context", "truth/test_stubs")  # by tests/costs.txt
for name in heavy:
    plant(name, "print('ok 1 - a\\n1..1')")
lists = [set(run("--list", "--turn", str(i))[1].split()) for i in range(6)]
ct.ok(sorted(len(one & set(heavy)) for one in lists) == [0, 0, 0, 1, 1, 1] and set.union(*lists) >= set(heavy),
      "heavy tests have their turns", lists)
ct.ok(set(run("--list", "--full")[1].split()) >= set(heavy) and "test_javac" in run("--list", "test_javac")[1],
      "--full has all, and a name its own")
for name in heavy:
    (TESTS / f"{name}.py").unlink()
plant(heavy[0], TURNS)
halves = [turns("--full", "--turn", str(i)) for i in range(4)]
ct.ok(halves == [(installed[i % 2::2], "abcde"[i // 2::2]) for i in range(4)] and turns("--full", "test_javac") == (installed, "abcde"),
      "--full runs half of a heavy test's cases on half of the JDKs, the others at other turns, and all where it is named", halves)
(TESTS / f"{heavy[0]}.py").unlink()

status, output = run("--budget", "100", "test_good")
ct.ok(status == 0 and "budget" not in output, "a run within its budget", output)
status, output = run("--budget", "0", "test_good")
ct.ok(status == 1 and output.endswith("\n1 passed, 1 failed, 1 skipped\n") and "\nfailed: the tests took" in output,
      "a run that takes more has failed, and says so", output)

# Tests run beside each other as their loads allow; a test with an unknown load counts as one processor.
for name in ("a", "b"):
    plant(f"unit/test_beside_{name}", f"""
import pathlib, time
mine = pathlib.Path("{ct.WORK}/beside-{name}")
mine.touch()
end = time.monotonic() + 60
both = False
while time.monotonic() < end and not both:
    both = len(list(pathlib.Path("{ct.WORK}").glob("beside-*"))) >= 2
    time.sleep(0.01)
print("ok 1 - a" if both else "not ok 1 - a")
print("1..1")
time.sleep(1)
mine.unlink()
""", timeout=100)
ct.ok(run("--jobs", "2", "test_beside_a", "test_beside_b")[0] == 0, "two processors: two tests at once")
plant("unit/test_beside_a", f"import time\nopen('{ct.WORK}/alone-a', 'w').close()\ntime.sleep(0.5)\nimport os\n"
      f"os.unlink('{ct.WORK}/alone-a')\nprint('ok 1 - a\\n1..1')")
plant("unit/test_beside_b", f"import os\nprint('not ok 1 - a' if os.path.exists('{ct.WORK}/alone-a') else 'ok 1 - a')\nprint('1..1')")
ct.ok(run("--jobs", "1", "test_beside_a", "test_beside_b")[0] == 0, "one processor: one after the other")
for name in ("a", "b"):
    (TESTS / "unit" / f"test_beside_{name}.py").unlink()

for name in ("test_red", "test_middle", "test_killed", "test_unplanned", "test_short", "test_misnumbered", "test_status",
             "test_nothing", "test_hanging", "test_unsteady", "test_jvm_crash"):
    (TESTS / "unit" / f"{name}.py").unlink()
status, output = run()
ct.ok(status == 0 and output.endswith("\n2 passed, 0 failed, 2 skipped\n"), "a green run ends with status 0", output)

# A program built with sanitizers hides its report from the test, which sees only the expected output; the runner finds the report.
program = ct.WORK / "leak"
source = "#include <stdlib.h>\nint main(void) { volatile char *p = malloc(9); p = NULL; return p != NULL; }\n"
program.with_suffix(".c").write_text(source)
subprocess.run(["gcc", "-fsanitize=address", "-o", program, program.with_suffix(".c")], check=True)
plant("cli/test_leak", f"import subprocess\nsubprocess.run(['{program}'])\nprint('ok 1 - a\\n1..1')")
status, output = run("--sanitized", BUILD, "test_leak@sanitized")
ct.ok(status == 1 and "a sanitizer reported" in output and "LeakSanitizer" in output, "a leak nobody looks at", output)

plant("unit/test_vague", "", head="# no more\n")
(TESTS / "unit" / "test_vague.py").write_text("print('1..0')\n")
status, output = run()
ct.ok(status == 1 and "test_vague.py: wants a line 'tier:" in output, "a test without a tier is refused by name", output)
(TESTS / "unit" / "test_vague.py").unlink()

(BUILD / "meson-info" / "intro-targets.json").write_text(json.dumps(
    [{"filename": [f"{BUILD}/tests/unit/test_lost"]}, {"filename": [f"{BUILD}/tests/unit/helper"]}]))
status, output = run()
ct.ok(status == 1 and "test_lost: no source" in output, "an executable without a source is refused by name", output)
ct.done()
