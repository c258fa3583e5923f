#!/usr/bin/env python3
"""How many stacks are incomplete in places where a stack walk is difficult: ours compared with async-profiler's.

usage: bench/walk/whole.py [VERSION...]      (JDKs; default: all that are cached)

Each load of tests/java/Places.java runs in a separate JVM, once with each profiler, both from the JVM's start, with one sample per
millisecond of CPU time, for all threads. Our walker calls a stack whole if it reached its thread's first function with every return
address checked. An async-profiler stack counts as incomplete if it has one of its frames for failures (including a method without a
name), or, in the load's threads, if it does not begin with the thread's first Java method. Each profiler's statement about itself is
its own measure: the columns show where each fails, not which is stricter. Stacks at the limit of depth are left out. A line for each
load: samples and incomplete stacks of both, and our reasons.
"""
import collections
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "lib"))
import candortest as ct
import places

ct.PATIENCE = 60

FLAGS = ["-Xmx256m"]
SECONDS = 3
FAILURE = re.compile(r"\[(break_\w+|not_walkable\w*|no_Java_frame|stale_jmethodID|unknown_nmethod|unknown_Java|storage_overflow)\]$")
LOAD_THREADS = ("[place-", "[deopts", "[loaders", "[overflow-")
FIRST_METHODS = {"java/lang/Thread.run", "java/lang/Thread.runWith"}


def run(jdk, load, agent):
    with ct.Jvm(jdk, "Places", agent=agent, flags=FLAGS) as jvm:
        jvm.expect("ready")
        jvm.round(load=load, seconds=SECONDS)
        return jvm.finish() == 0


def ours(jdk, load):
    path = ct.WORK / f"{jdk.version}-{load}.jfr"
    if not run(jdk, load, ct.agent_options(file=path, interval="1ms")):
        return None
    outcomes = collections.Counter(sample.outcome for sample in ct.Recording(path).samples if len(sample.frames) < places.DEPTH_CAP)
    path.unlink()
    total = sum(outcomes.values())
    return total, total - outcomes["complete"], {name: n for name, n in outcomes.items() if name != "complete"}


def is_whole(stack):
    thread, *frames = stack.split(";")
    if not frames or any(FAILURE.match(frame) for frame in frames):
        return False
    return not thread.startswith(LOAD_THREADS) or frames[0] in FIRST_METHODS


def theirs(jdk, load, library):
    path = ct.WORK / f"{jdk.version}-{load}.txt"
    if not run(jdk, load, f"-agentpath:{library}=start,event=cpu,interval=1ms,threads,collapsed,file={path}"):
        return None
    total = bad = 0
    for line in path.read_text().splitlines():
        stack, count = line.rsplit(" ", 1)
        if stack.count(";") >= places.DEPTH_CAP:
            continue
        total += int(count)
        bad += 0 if is_whole(stack) else int(count)
    path.unlink()
    return total, bad


def main():
    versions = [int(version) for version in sys.argv[1:]] or ct.VERSIONS
    peers = subprocess.run([ROOT / "bench" / "fetch_peers.sh"], check=True, stdout=subprocess.PIPE, text=True).stdout.strip()
    library = pathlib.Path(peers) / "libasyncProfiler.so"
    print("JDK,load,samples,not_whole,per_mille,async_samples,async_not_whole,async_per_mille,reasons")
    for jdk in filter(None, map(ct.jdk, versions)):
        for load in places.loads(jdk):
            mine, his = ours(jdk, load), theirs(jdk, load, library)
            line = [jdk.version, load]
            for result in (mine, his):
                line += [result[0], result[1], f"{1000 * result[1] / max(result[0], 1):.2f}"] if result else ["", "", ""]
            print(*line, ";".join(f"{name}:{n}" for name, n in mine[2].items()) if mine else "the JVM failed", sep=",", flush=True)


main()
