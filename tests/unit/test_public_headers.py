#!/usr/bin/env python3
"""The public headers in C++: every compiler at hand accepts each without a warning.

tier: quick
timeout: 60
"""
import itertools
import pathlib
import shutil
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAMS = {
    "queue": """
#include "candor/queue.h"
static_assert(sizeof(candor_queue) == 384, "as in C");
bool push(candor_queue *q) { candor_queue_begin(q); candor_queue_put(q, 1); return candor_queue_commit(q); }
""",
    "histogram": """
#include "candor/histogram.h"
bool both(candor_histogram *h, int64_t v) { return candor_histogram_record(h, v) && candor_histogram_record_atomic(h, v); }
""",
}

points = 0
for (name, program), compiler, standard in itertools.product(PROGRAMS.items(), ("g++", "clang++"), ("c++11", "c++20")):
    points += 1
    if not shutil.which(compiler):
        print(f"ok {points} - # SKIP {compiler}: not installed")
        continue
    run = subprocess.run([compiler, f"-std={standard}", "-Wall", "-Wextra", "-pedantic", "-Werror", "-fsyntax-only",
                          f"-I{ROOT / 'include'}", "-xc++", "-"], input=program, text=True, capture_output=True)
    print(f"{'ok' if run.returncode == 0 else 'not ok'} {points} - {name}: {compiler} -std={standard}")
    print("".join(f"# {line}\n" for line in run.stderr.splitlines()), end="")
print(f"1..{points}")
