"""Builds a libFuzzer target with clang and runs it: what the fuzz tests share. See docs/internals/fuzzing.md."""
import glob
import pathlib
import re
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(HERE.parent / "lib"))
import candortest as ct

FLAGS = ("-g", "-O1", "-std=gnu11", "-D_GNU_SOURCE", f"-I{ROOT}/src", f"-I{ROOT}/include", f"-I{ROOT}/tests/unit")
SANITIZE = "-fsanitize=fuzzer,address,undefined"


def expand(sources):
    return [path for source in sources for path in sorted(glob.glob(str(ROOT / source)))]


def build(name, sources, *flags):
    """Compiles tests/fuzz/NAME.c with these sources (patterns below the repository's root) to a program."""
    program = ct.WORK / name
    command = ["clang", *FLAGS, "-o", program, HERE / f"{name}.c", *expand(sources), *flags]
    result = ct.run(*command, timeout=300)
    if not ct.ok(result.status == 0, f"{name} is built", result.err):
        ct.done()
    return program


def available():
    """Whether clang is here and knows libFuzzer; a skip names what is missing."""
    if not shutil.which("clang"):
        ct.skip("fuzzing", "no clang; run script/bootstrap test")
        return False
    trial = subprocess.run(["clang", SANITIZE, "-x", "c", "-", "-o", "/dev/null"], capture_output=True, text=True,
                           input="int LLVMFuzzerTestOneInput(const char *p, long n) { return 0; }")
    if trial.returncode:
        ct.skip("fuzzing", "clang lacks libFuzzer; run script/bootstrap test")
    return trial.returncode == 0


def fuzz(target, seeds, runs, seed=1):
    """Runs the target so often on the directory of seeds; any crash, hang, leak or undefined step is a failure with its report.
    One seed tries the same inputs each time: a change is judged by what it does, not by luck. 0 is a new one each time."""
    result = ct.run(target, f"-runs={runs}", f"-seed={seed}", "-max_len=8192", "-rss_limit_mb=2048", "-timeout=60",
                    "-print_final_stats=1", f"-artifact_prefix={ct.WORK}/", seeds, timeout=10**5)
    done = re.search(r"number_of_executed_units: +(\d+)", result.err)
    executed = int(done[1]) if done else 0
    ct.ok(result.status == 0, f"{target.name}: {executed} executions without a fault", f"{result.err[:2000]}\n...\n{result.err[-4000:]}")
    ct.ok(executed >= runs, f"{target.name}: that is enough", f"{executed} executions")
