#!/usr/bin/env python3
"""A real server is frozen for a second under candor load, and the mock runs in real time: response times show what service times hide.

tier: default
timeout: 300
alone: yes
sanitize: no
"""
import json
import pathlib
import signal
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import candortest as ct

SERVER = pathlib.Path(__file__).resolve().parents[1] / "lib" / "loadserver.py"
RATE, SECONDS = 300, 4


def frozen(*arguments):
    """A run of 4 s whose server stands still for 1 s in the middle; its final text and JSON."""
    server = ct.spawn([sys.executable, SERVER], stdout=subprocess.PIPE)
    url = f"http://127.0.0.1:{int(server.stdout.readline())}/ok"
    client = ct.spawn([ct.PROGRAM, "load", *arguments, "-c", "8", "-d", f"{SECONDS}s", "--log-interval", "100ms", url],
                      stdout=subprocess.PIPE,
                      stderr=subprocess.PIPE, text=True)
    for _ in range(15):
        client.stderr.readline()
    server.send_signal(signal.SIGSTOP)
    time.sleep(1)
    server.send_signal(signal.SIGCONT)
    out, _ = client.communicate(timeout=ct.PATIENCE)
    server.kill()
    return out


def a_frozen_server():
    f = json.loads(frozen("--json", "-r", str(RATE)))
    # Requests due in the first half of that second wait for more than half a second: RATE / 2 of RATE * SECONDS, an eighth of all.
    ct.ok(f["response"]["p90_ns"] > 0.5e9 and f["response"]["max_ns"] > 0.95e9, "fixed: the response times have the second",
          f["response"])
    ct.ok(f["service"]["max_ns"] > 0.95e9 and f["service"]["p90_ns"] < 0.5e9, "by service time, only those in flight had it",
          f["service"])
    ct.ok(f["connection_wait"]["p90_ns"] > 0.5e9, "the others waited for a connection", f["connection_wait"])
    closed = json.loads(frozen("--json", "--mode", "throughput"))
    ct.ok(closed["service"]["p90_ns"] < 0.1e9 and closed["service"]["max_ns"] > 0.95e9 and "response" not in closed,
          "a closed loop hides it in its maximum", closed["service"])


def a_late_generator():
    """The generator itself stands still for half a second of three: a sixth of the requests are sent late, and that is a finding."""
    def stopped(*arguments):
        client = ct.spawn([ct.PROGRAM, "load", *arguments, "--mock", "delay=40ms", "-c", "400", "-r", "1000", "-d", "3s", "--log-interval",
                           "100ms"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for _ in range(10):
            client.stderr.readline()
        client.send_signal(signal.SIGSTOP)
        time.sleep(0.5)
        client.send_signal(signal.SIGCONT)
        return client.communicate(timeout=ct.PATIENCE)[0]
    f = json.loads(stopped("--json"))
    ct.ok(f["doubtful_from"] == "p90" and f["generator_lateness"]["max_ns"] > 0.49e9, "its lateness makes p90 doubtful", f)
    ct.ok("do not believe p90 and higher percentiles" in stopped(), "and the text says so")


def shown(mode):
    text = frozen("--mode", mode, "-r", str(RATE))
    return next(line.split()[0] for line in text.splitlines() if line.rstrip().endswith("<"))


def a_mock_in_real_time():
    seconds = 60 if ct.TIER == "all" else 6
    f = json.loads(ct.candor("load", "--json", "-q", "--mock", "delay=4ms", "-c", "1", "-r", "1000", "-d", f"{seconds}s").out)
    wanted = seconds - f["completed"] / 1000
    ct.note(f"service mean {f['service']['mean_ns'] / 1e6:.3f} ms, "
            f"response max {f['response']['max_ns'] / 1e9:.3f} s, D - N/R {wanted:.3f} s")
    ct.ok(4e6 <= f["service"]["mean_ns"] < f["response"]["mean_ns"] / 100, "4 ms and what the machine adds by service time",
          f["service"])
    ct.ok(abs(f["response"]["max_ns"] / 1e9 / wanted - 1) < 0.01, "D - N/R by response time", f["response"])


ct.need(ct.PROGRAM)
a_frozen_server()
a_late_generator()
ct.ok(shown("fixed") == "response", "fixed shows the response time")
ct.ok(shown("throttle") == "service", "throttle shows the service time")
a_mock_in_real_time()
ct.done()
