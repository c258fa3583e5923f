"""Servers that stand still for a second under a load of candor: the longest response time and p99 are what arithmetic says.

A request that is due t seconds after a server has stopped for P seconds is answered after P - t. In N seconds there are 1000 N requests,
and one in a hundred of them is due in the first N / 100 seconds of the pause: p99 is P - N / 100.

How long P was is measured, because it is not what was ordered: SIGSTOP takes effect later than it is sent, and a process that may
continue waits for a processor first.
"""
import json
import os
import pathlib
import signal
import subprocess
import threading
import time

import candortest as ct

RATE, SECONDS, PAUSE, ROUNDS = 1000, 3, 1.0, 5
THREADS = 3  # that a request passes through at most, one after the other
BEFORE, AFTER = 0.1, 0.1  # s around the stop in which waiting for a processor makes it longer
TICK = 1 / os.sysconf("SC_CLK_TCK")


def tasks(pid):
    return [int(name) for name in os.listdir(f"/proc/{pid}/task")]


def is_stopped(task):
    try:
        return pathlib.Path(f"/proc/{task}/stat").read_text().rpartition(")")[2].split()[0] == "T"
    except OSError:
        return True  # it has ended


def waits_of(pids):
    """{task: s that it could run, and waited for a processor}"""
    waits = {}
    for task in (task for pid in pids for task in tasks(pid)):
        try:
            waits[task] = int(pathlib.Path(f"/proc/{task}/schedstat").read_text().split()[1]) / 1e9
        except OSError:
            pass  # it has ended
    return waits


def stolen():
    """s for which the host of a virtual machine has not run one of its processors"""
    return int(pathlib.Path("/proc/stat").read_text().split(maxsplit=9)[8]) * TICK


def stand_still(pids, seconds):
    """Returns for how long no request was answered at least, and at most, in s. It is more than the time of the stop by what its tasks
    waited for a processor around it, and by what the host took."""
    waited, taken = waits_of(pids), stolen()
    time.sleep(BEFORE)
    before = time.monotonic()
    for pid in pids:
        os.kill(pid, signal.SIGSTOP)
    ct.wait_until(lambda: all(is_stopped(task) for pid in pids for task in tasks(pid)))
    all_stopped = time.monotonic()
    time.sleep(seconds)
    first = time.monotonic()
    for pid in pids:
        os.kill(pid, signal.SIGCONT)
    last = time.monotonic()
    time.sleep(AFTER)
    longer = sorted(wait - waited[task] for task, wait in waits_of(pids).items() if task in waited)
    return first - all_stopped, last - before + sum(longer[-THREADS:]) + stolen() - taken


def paused(pids, *arguments):
    """A run in which the processes stand still for a second: its figures, and how long that was at least and at most, in s."""
    pause = []
    client = ct.spawn([ct.PROGRAM, "load", "--json", "-d", f"{SECONDS}s", "-c", "4", "--log-interval", "100ms", *arguments],
                      stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    for _ in range(5):
        client.stderr.readline()
    thread = threading.Thread(target=lambda: pause.append(stand_still(pids(), PAUSE)))
    thread.start()
    out, _ = client.communicate(timeout=ct.PATIENCE)
    thread.join()
    return json.loads(out), pause[0]


def agrees(name, pids, arguments, own_pauses):
    """One pause. Returns whether no figure is larger than arithmetic says, with the figures; smaller ones fail at once."""
    own = own_pauses()
    figures, (least, most) = paused(pids, "-r", str(RATE), "--drain", "10s", "--in-flight", "10", *arguments)
    longest, p99 = figures["response"]["max_ns"] / 1e9, figures["response"]["p99_ns"] / 1e9
    most += figures["generator_lateness"]["max_ns"] / 1e9 + own_pauses() - own
    behind = SECONDS / 100
    detail = f"stopped for {least:.4f} to {most:.4f} s, longest {longest:.4f}, p99 {p99:.4f}, {figures['outcomes']}"
    ct.note(f"{name}: {detail}")
    ct.ok(figures["outcomes"]["answered"] == RATE * SECONDS, f"{name}: each request is answered", detail)
    ct.ok(longest > (least - 1 / RATE) * 0.99 and p99 > (least - 1 / RATE - behind) * 0.99, f"{name}: no response time is missing", detail)
    return longest < most * 1.01 and p99 < (most - behind) * 1.01, detail


def arithmetic(name, pids, *arguments, own_pauses=lambda: 0):
    """The figures are what arithmetic says, within 1 %. They are never below it. They are above it if the machine did something else that
    nothing here measures, such as a wait for a processor that went on after AFTER: one of several pauses must agree. The generator says
    itself how late it was at most; own_pauses returns for how many seconds the server has stopped itself since it began."""
    rounds = []
    while len(rounds) < ROUNDS and not (rounds and rounds[-1][0]):
        rounds.append(agrees(name, pids, arguments, own_pauses))
    ct.ok(rounds[-1][0], f"{name}: the longest response is P, and p99 is P - {SECONDS / 100}, within 1 %", rounds)
