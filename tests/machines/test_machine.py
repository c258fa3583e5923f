#!/usr/bin/env python3
"""A JVM on an emulated machine that differs from this one in everything: AArch64, Linux 5.10. It is recorded from outside and from its
start, and its recordings are read here. Its daemon sends to a server that runs here.

tier: full
timeout: 900
alone: yes

Only counts are judged, because the machine is slow and this one may be busy: script/machines runs the other cells, and judges times.
"""
import json
import pathlib
import socket
import sys
import time

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parents[1] / "lib"), str(pathlib.Path(__file__).resolve().parent)]
import candortest as ct
import cells
import machines
from servers import Server

NAMES = ("root", "user-paranoid-4", "start")


def free_port():
    """A port for the server, which has to know the address by which the machine reaches it. Nothing else takes it at once."""
    with socket.create_server(("127.0.0.1", 0)) as probe:
        return probe.getsockname()[1]


machine = machines.find("arm64-5.10")
for path, remedy in ((cells.BUILDS[machine.architecture] / "libcandor.so", "script/build --aarch64"),
                     *((pathlib.Path(name), "script/bootstrap machines") for name in machines.missing())):
    if not path.exists():
        ct.skip("an emulated machine", f"no {path}; run {remedy}")
        ct.done()

chosen = [cell for cell in cells.CELLS if cell.name in NAMES]
port = free_port()
server = Server("machines", "--origin", f"http://{machines.HOST}:{port}", port=port)
lines = [cells.line(cell, 17) for cell in chosen] + [f"daemon daemon 17 20 http://{machines.HOST}:{server.port}"]
cells.fill(ct.WORK / "in", machine, 17, lines)
whole = machine.boot(ct.WORK / "in", ct.WORK / "out", 700, network=True)
console = ct.WORK / "out" / "console"
ct.ok(whole, "the machine came to its end", console.read_text(errors="replace")[-2000:] if console.exists() else "")
for cell in chosen:
    verdict = cells.judge(machine, 17, cell, ct.WORK / "out" / cell.name)
    problems = [problem for problem in verdict.problems if not problem.startswith("residual")]
    ct.ok(not problems, f"{cell.name}: {verdict.samples} samples, clock {verdict.clock}", "\n".join(problems))

folder, period = ct.WORK / "out" / "daemon", {"from": "-1h", "to": str(int(time.time()) + 86400)}
said = "".join(path.read_text(errors="replace") for path in sorted(folder.glob("*")) if path.is_file())
ct.ok((folder / "verdict").exists() and (folder / "verdict").read_text() == "daemon=0\n" and not (folder / "left").read_text(),
      "the daemon there ends, and has sent everything", said)
recordings, total = server.recordings(**period), server.total(**period)
ct.ok(total > 0 and {one.labels["host"] for one in recordings} == {"guest"}, f"the server here has its recordings: {len(recordings)}",
      [one.labels for one in recordings])
shown = ct.candor("report", "--json", "--from", "-1h", server.url)
ct.ok(shown.status == 0 and json.loads(shown.out)["sampled"] == total, f"and reports their sum, {total} ns", shown)
server.end()
ct.done()
