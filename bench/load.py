#!/usr/bin/env python3
"""How late candor load sends beside a bare timerfd loop, and the CPU it takes per request beside wrk's.

usage: script/bench load [ROUNDS]     rounds of each are interleaved (default 5); printed are all of them and the medians
"""
import json
import os
import pathlib
import shutil
import statistics
import subprocess
import sys

BUILD = pathlib.Path(os.environ.get("CANDOR_BUILD", "build")).resolve()
ROUNDS = int(sys.argv[1]) if len(sys.argv) > 1 else 5
SECONDS = 5


def run(*command):
    """(standard output, CPU seconds)"""
    before = os.times()
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=True)
    after = os.times()
    return done.stdout, after.children_user + after.children_system - before.children_user - before.children_system


def load(*arguments):
    return json.loads(run(BUILD / "candor", "load", "--json", "-q", "-d", f"{SECONDS}s", *arguments)[0])


def lateness(url, rate):
    rows = []
    for _ in range(ROUNDS):
        bare = [int(word) for word in run(BUILD / "bench" / "load" / "pace", rate, SECONDS)[0].split()]
        ours = load("-r", rate, "-c", "50", url)["generator_lateness"]
        spun = load("-r", rate, "-c", "50", "--spin", url)["generator_lateness"]
        rows.append((*bare[:2], ours["p50_ns"], ours["p99_ns"], spun["p50_ns"], spun["p99_ns"]))
        print(f"{rate:>6}/s   " + "  ".join(f"{value / 1000:9.1f}" for value in rows[-1]))
    medians = [statistics.median(column) / 1000 for column in zip(*rows)]
    print(f"{rate:>6}/s   " + "  ".join(f"{value:9.1f}" for value in medians) + "   median; "
          f"p50 is {medians[2] - medians[0]:+.1f} us to bare\n")


def cpu(url):
    rows = []
    for _ in range(ROUNDS):
        text, seconds = run("wrk", "-t1", "-c10", f"-d{SECONDS}s", url)
        requests = int(text.split(" requests in ")[0].split()[-1])
        ours = load("--mode", "throughput", "-c", "10", url)
        rows.append((requests / SECONDS, seconds / requests * 1e9, ours["completed"] / SECONDS, ours["cpu_ns_per_request"]))
        print("  ".join(f"{value:12.0f}" for value in rows[-1]) + f"  x {rows[-1][3] / rows[-1][1]:.2f}")
    print(f"median of the ratios: {statistics.median(row[3] / row[1] for row in rows):.2f}")


server = subprocess.Popen([BUILD / "bench" / "load" / "responder"], stdout=subprocess.PIPE, text=True)
try:
    address = f"http://127.0.0.1:{int(server.stdout.readline())}/"
    print("lateness in us\n             bare p50   bare p99    our p50    our p99   spin p50   spin p99")
    for per_second in ("1000", "10000"):
        lateness(address, per_second)
    if shutil.which("wrk"):
        print("CPU of the client\n   wrk per s  ns/request     ours per s  ns/request")
        cpu(address)
    else:
        print("wrk: not installed; run script/bootstrap demo")
finally:
    server.kill()
