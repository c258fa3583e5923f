#!/usr/bin/env python3
"""What candor top costs: its own CPU time on a JVM with many methods and threads, as a share of one processor.

usage: script/bench top [--seconds N] [--methods N] [--threads N] [--refresh TIME] [--interval TIME]

It runs on a terminal of 80x24, as people use it, with its default refresh of 2 s and interval of 10 ms. The first figure is for the
beginning (attach, first pictures), the others are for each tenth of the time.
"""
import argparse
import os
import pathlib
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests" / "lib"))
os.environ.setdefault("CANDOR_BUILD", str(ROOT / "build"))
import candortest as ct
import terminal

SHARE = 0.02


def source(methods, threads):
    """Each thread calls all methods in turn, starting at a different place of their order, below stacks of changing depth."""
    per_class = 250
    classes = []
    for first in range(0, methods, per_class):
        body = "".join(f"static long m{i}(long x) {{ for (int k = 0; k < 200; k++) x = x * 31 + {i}; return x; }}\n"
                       for i in range(first, min(first + per_class, methods)))
        cases = "".join(f"case {i}: return m{i}(x);\n" for i in range(first, min(first + per_class, methods)))
        call = f"static long call(int i, long x) {{ switch (i) {{ {cases} }} return x; }}"
        classes.append(f"final class C{first // per_class} {{ {body} {call} }}\n")
    calls = "".join(f"case {n}: return C{n}.call(i, x);\n" for n in range(len(classes)))
    return "".join(classes) + f"""
public final class Many {{
    static volatile long sink;
    static long call(int i, long x) {{ switch (i / {per_class}) {{ {calls} }} return x; }}
    static long dive(int depth, int i, long x) {{ return depth == 0 ? call(i, x) : dive(depth - 1, i, x) + 1; }}
    public static void main(String[] args) throws Exception {{
        for (int t = 0; t < {threads}; t++) {{
            int first = t;
            Thread thread = new Thread(() -> {{
                long x = 1;
                for (int i = first * 7919;; i++) {{
                    for (int n = 0; n < 1000; n++) x = dive(i % 20, Math.floorMod(i, {methods}), x);
                    sink = x;
                    try {{ Thread.sleep(20); }} catch (InterruptedException e) {{ return; }}
                }}
            }}, "worker-" + t);
            thread.setDaemon(true);
            thread.start();
        }}
        System.out.println("ready");
        System.in.read();
    }}
}}
"""


def cpu_seconds(pid):
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def measure(t, seconds):
    begin, before = time.monotonic(), cpu_seconds(t.pid)
    while time.monotonic() < begin + seconds:
        t.pump(0.2)
    return (cpu_seconds(t.pid) - before) / (time.monotonic() - begin)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--seconds", type=float, default=100)
    parser.add_argument("--methods", type=int, default=2000)
    parser.add_argument("--threads", type=int, default=500)
    parser.add_argument("--refresh", default="2s")
    parser.add_argument("--interval", default="10ms")
    options = parser.parse_args()
    jdk = ct.compiler()
    file = ct.WORK / "Many.java"
    file.write_text(source(options.methods, options.threads))
    classes = ct.own_classes(jdk, file)
    java = ct.spawn([jdk.java, "-cp", classes, "Many"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    java.stdout.readline()
    time.sleep(5)
    t = terminal.Terminal([ct.PROGRAM, "top", "-r", options.refresh, "-i", options.interval, "--timeout", "60s", str(java.pid)])
    if not t.wait(lambda: "samples" in t.text()):
        sys.exit(t.errors())
    print(f"{'':12} {'share of a CPU':>14}")
    print(f"{'beginning':12} {100 * measure(t, 10):13.2f}%", flush=True)
    shares = []
    for tenth in range(10):
        shares.append(measure(t, options.seconds / 10))
        print(f"{'tenth ' + str(tenth + 1):12} {100 * shares[-1]:13.2f}%", flush=True)
    t.press("m")
    for keys, what in ((["t"], "threads"), (["m", "w"], "since start"), (["enter"], "callers")):
        t.press(*keys)
        print(f"{what:12} {100 * measure(t, options.seconds / 10):13.2f}%", flush=True)
    mean = sum(shares) / len(shares)
    print(t.text())
    print(f"\nmean {100 * mean:.2f} % of a processor (wanted: below {100 * SHARE:.0f} %)")
    t.press("q")
    t.end()
    java.kill()


main()
