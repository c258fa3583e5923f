#!/usr/bin/env python3
"""What setting a context costs: opening and closing a scope, with the agent and without, on platform and virtual threads.

usage: script/bench context [--jdk VERSION]

Each figure is the fastest of forty runs, in nanoseconds, minus the cost of the loop. A yield of a virtual thread is an unmount and a
mount; once a virtual thread has opened a scope, the JVM reports each of them to the agent.
"""
import argparse
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests" / "lib"))
import candortest as ct

GOAL_NS = 30  # of a scope on a platform thread


def measure(jdk, classes, kind, agent):
    command = [jdk.java, *([agent] if agent else []), "-cp", classes, "ScopeCost", kind]
    out = subprocess.run([str(part) for part in command], check=True, stdout=subprocess.PIPE, text=True).stdout
    figures = {name: float(ns) for name, ns in (line.split("\t") for line in out.splitlines())}
    if bool(figures.pop("watched")) != bool(agent):
        sys.exit("context: the program does not find the agent")
    nothing = figures.pop("nothing")
    return {name: ns - nothing for name, ns in figures.items()}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--jdk", type=int, default=25)
    jdk = ct.jdk(parser.parse_args().jdk) or sys.exit("context: this JDK is not cached; run script/jdks")
    jar = ct.BUILD / "candor-context.jar"
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([jdk.javac, "-nowarn", "-cp", jar, "-d", folder, ROOT / "bench" / "context" / "ScopeCost.java"], check=True)
        classes = f"{folder}:{jar}"
        for kind in ("platform", "virtual") if jdk.version >= 21 else ("platform",):
            with_agent, without = measure(jdk, classes, kind, ct.agent_options()), measure(jdk, classes, kind, None)
            print(f"{jdk}, {kind} thread{'':<16} with the agent   without")
            for name, ns in with_agent.items():
                print(f"  {name:<32} {ns:10.1f} ns {without[name]:6.1f} ns")
            if kind == "platform":
                print(f"  goal: {GOAL_NS} ns for a scope: {'reached' if with_agent['scope'] <= GOAL_NS else 'missed'}")


main()
