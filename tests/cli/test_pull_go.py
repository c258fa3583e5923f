#!/usr/bin/env python3
"""Profiles that the server fetches from a program in Go with net/http/pprof: the sums that it keeps, by function, equal those that
`go tool pprof` computes of two profiles that were fetched by hand, also when the program starts again.

tier: default
timeout: 300
"""
import http.client
import pathlib
import re
import shutil
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import candortest as ct
import goclients
import pprofs
from servers import Server

NOW = int(time.time())
TIME = {"from": NOW - 3600, "to": NOW + 3600}
GO = shutil.which("go") or shutil.which("go", path="/usr/local/go/bin")
# kind, value of Go's profile, its type on the server, the functions that work when the test wants it
SUMS = (("allocs", "alloc_objects", "alloc_objects:count", "main.allocate"),
        ("allocs", "alloc_space", "alloc_space:bytes", "main.allocate"),
        ("mutex", "contentions", "mutex_count:count", "main.contend"), ("mutex", "delay", "mutex_duration:ns", "main.contend"),
        ("block", "contentions", "block_count:count", "main.contend"), ("block", "delay", "block_duration:ns", "main.contend"))


class Program:
    def __init__(self, path, address="127.0.0.1:0"):
        self.process = subprocess.Popen([path, address], stdout=subprocess.PIPE, text=True)
        self.address = self.process.stdout.readline().strip()

    def get(self, path):
        connection = http.client.HTTPConnection(self.address, timeout=ct.PATIENCE)
        connection.request("GET", path)
        content = connection.getresponse().read()
        connection.close()
        return content

    def profiles(self, name):
        """Files with its profiles of now, by kind."""
        paths = {kind: ct.WORK / f"{name}-{kind}.pb.gz" for kind in ("allocs", "mutex", "block")}
        for kind, path in paths.items():
            path.write_bytes(self.get(f"/debug/pprof/{kind}"))
        return paths

    def end(self):
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()


def pprof(value, focus, path, base=None):
    """The sum of a value in the stacks with a function, as go tool pprof says it."""
    unit = {"alloc_space": "B", "delay": "ns"}.get(value, "count")
    words = [GO, "tool", "pprof", "-top", f"-sample_index={value}", f"-focus={re.escape(focus)}", f"-unit={unit}", "-nodecount=100000",
             "-nodefraction=0", *(["-base", base] if base else []), path]
    result = ct.run(*words)
    rows = re.findall(r"^ *(-?[\d.]+)\D*\s+-?[\d.]+%\s+-?[\d.]+%\s+-?[\d.]+\D*\s+-?[\d.]+%", result.out, re.MULTILINE)
    ct.ok(result.status == 0, f"go tool pprof reads {path.name}", result.err)
    return sum(int(float(one)) for one in rows)


def kept(server, kind, focus):
    """The same sum on the server."""
    status, _, text = server.request("GET", "/v1/profile", **TIME, select='service="ring"', type=kind, format="collapsed")
    lines = text.decode().splitlines() if status == 200 else []
    return sum(int(line.rsplit(" ", 1)[1]) for line in lines if focus in line)


def targets(server):
    return {one["profile"]: one for one in server.get("/v1/pull")["targets"]}


def settle(server):
    """Waits until each profile was fetched anew, from its begin to its end."""
    now = time.time_ns()
    ct.ok(ct.wait_until(lambda: all((one["good_ns"] or 0) > now for one in targets(server).values())), "all is fetched", targets(server))


def fail_all(server):
    return ct.wait_until(lambda: all(one["state"] == "failing" for one in targets(server).values()))


def main():
    path = goclients.build("pull")
    if not path:
        ct.done()
    program = Program(path)
    config = ct.WORK / "pull.conf"
    config.write_text(f"[pull ring]\nurl = http://{program.address}\nservice = ring\ninterval = 1s\n")
    server = Server("go", "--pull", config)
    settle(server)
    before = program.profiles("before")
    program.get("/work?rounds=40")
    after = program.profiles("after")
    settle(server)
    sums = {}
    for kind, value, stored, focus in SUMS:
        sums[stored] = pprof(value, focus, after[kind], before[kind])
        found = kept(server, stored, focus)
        ct.ok(found == sums[stored] > 0, f"{stored} of {focus}: the server has what go tool pprof says", (found, sums[stored]))
    program.get("/spin?ms=300")
    settle(server)
    program.end()
    ct.ok(fail_all(server), "without the program all fail")
    again = Program(path, program.address)
    again.get("/work?rounds=3")
    settle(server)
    now = again.profiles("again")
    for kind, value, stored, focus in SUMS:
        wanted = sums[stored] + pprof(value, focus, now[kind])
        found = kept(server, stored, focus)
        ct.ok(found == wanted, f"{stored} of {focus}: after a start, all of the new program's", (found, wanted))
    ct.ok(targets(server)["memory"]["restarts"] == 1, "the start is counted", targets(server))
    again.end()
    ct.ok(fail_all(server), "then nothing more comes")
    recordings = [one for one in server.recordings(**TIME) if "cpu:nanoseconds" in pprofs.sums(one.body)]
    total = sum(pprofs.sums(one.body)["cpu:nanoseconds"] for one in recordings)
    ct.ok(total > 0 and server.total('service="ring"', type="cpu:ns", **TIME) == total, "CPU time is the sum of the program's profiles",
          (total, len(recordings)))
    snapshots = targets(server)["goroutine"]["stored"]
    ct.ok(kept(server, "goroutine:count", "main.parked") == 7 * snapshots, "each profile of goroutines has all of them", snapshots)
    ct.ok(server.end() == 0, "the server ends normally")
    ct.done()


main()
