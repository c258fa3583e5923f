#!/usr/bin/env python3
"""candor load --profile: the slowest interval is explained by the server's halts if they caused it, and by its profile if they did not.

tier: default
timeout: 600
alone: yes
"""
import json
import pathlib
import shlex
import signal
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import candortest as ct

FLAGS = ["-XX:+UseSerialGC", "-Xms512m", "-Xmx512m"]


def loaded(jvm, port, order, seconds, *options):
    """The result of a run. The server gets its order when the run has lasted for a second, its warm-up, and the run ends when it has been
    carried out and `seconds` more have passed: how long it took to attach, and to carry it out, changes nothing."""
    page = ct.WORK / "load.html"
    client = ct.spawn([ct.PROGRAM, "load", "--json", "-r", "100", "-c", "4", "-w", "1s", "-d", str(ct.PATIENCE), "--drain", "10s",
                       "--profile", str(jvm.pid), "--profile-file", ct.WORK / "server.jfr", "--report", page, *options,
                       f"http://127.0.0.1:{port}/"],
                      stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    seen = []
    while not seen or (seen[-1] and " p50 " not in seen[-1]):
        seen.append(client.stderr.readline())
    jvm.say(order)
    jvm.expect("done")
    time.sleep(seconds)
    client.send_signal(signal.SIGINT)
    out, err = client.communicate(timeout=ct.PATIENCE)
    if not ct.ok(client.returncode == 0, f"{jvm.jdk}: a run with a profile", "".join(seen) + err):
        return None, None
    return json.loads(out)["profile"], page.read_text()


def report(command, *options):
    """What the printed command shows."""
    words = shlex.split(command)
    return json.loads(ct.candor(*words[1:], "--json", *options).out)


def collections(jvm, port, *options):
    profile, page = loaded(jvm, port, "gc 12", 0.5, *options)
    if not profile:
        return
    slowest = profile["slowest"]
    halts = slowest["halts"]
    ct.ok(halts["count"] >= 1 and "System.gc()" in halts["longest_cause"], f"{jvm.jdk}: the halts are System.gc()", profile)
    # Within the run there is nothing else that stops the threads for as long.
    shown = report(slowest["command"], "--kind", "halt", "--top", "0")
    paused = [halt for halt in shown["halts"] if "System.gc()" in str(halt)]
    # Requests wait for all collections, one after the other, so each of them is only a part of the slowest request's time.
    share = halts["longest_ns"] / slowest["max_ns"]
    ct.ok(paused and slowest["max_ns"] > 3e8,
          f"{jvm.jdk}: the command shows them, and they explain the slowest request",
          (slowest["max_ns"], len(paused), slowest["command"], halts, shown))
    # A safepoint around a collection is at most twice as long: otherwise it would be the longest halt.
    ct.ok(abs(slowest["covered"] - min(share, 1)) < 1e-3 and 2 * halts["longest_ns"] * halts["count"] >= halts["stopped_ns"] > 0,
          f"{jvm.jdk}: the longest of them is at least their mean", profile)
    # The time that explains the slowest interval may begin before the measured time, so only the halts by the order are in both.
    ct.ok(profile["halts"]["count"] >= 12 and profile["halts"]["stopped_ns"] >= halts["longest_ns"],
          f"{jvm.jdk}: all of them are in the run", profile)
    ct.ok(pathlib.Path(slowest["page"]).exists() and pathlib.Path(profile["page"]).exists()
          and slowest["page"] in page and "System.gc()" in page, f"{jvm.jdk}: the page links the flame graph of that time", page[-2000:])


def computing(jvm, port):
    profile, _ = loaded(jvm, port, "busy 900", 2)
    if not profile:
        return
    slowest = profile["slowest"]
    ct.ok(slowest["max_ns"] > 5e8 and slowest["covered"] < 0.3, f"{jvm.jdk}: no halt explains a second of computing", profile)
    tree = json.dumps(report(slowest["command"]))
    ct.ok("Stalls.busyWork" in tree, f"{jvm.jdk}: its profile has the method", tree[:3000])


def refusals(port):
    url = f"http://127.0.0.1:{port}/"
    for arguments in (("--profile-file", "x.jfr", url), ("--profile", "1", "--find-rate", "p99<1s", url),
                      ("--profile", "1", "--virtual-time", "--mock", "delay=1ms", "-r", "1")):
        ct.ok(ct.candor("load", *arguments).status == 2, f"refused: {arguments[:3]}")
    result = ct.candor("load", "-q", "-d", "1s", "--profile", "2147483646", url)
    ct.ok(result.status == 1 and "2147483646" in result.err and not result.out, "no such process: no load", result)


ct.need(ct.PROGRAM)
for number, jdk in enumerate(ct.jdks()):
    with ct.Jvm(jdk, "Stalls", flags=FLAGS) as server:
        address = int(server.expect("port").split()[1])
        collections(server, address, *(("--profile-jfr", "on") if jdk.version > 8 and number % 2 else ()),
                    *(("--agents", "local,local") if number % 3 == 0 else ()))
        computing(server, address)
        if not number:
            refusals(address)
        server.finish()
ct.done()
