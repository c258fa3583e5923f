"""What the benchmarks of candor server share: recordings to send, and what they cost the server's process."""
import shutil
import signal
import sqlite3
import subprocess
import sys
import time

import candortest as ct
from results import Results
from servers import Server

MAKER = ct.BUILD / "bench" / "server" / "recordings"
FIELDS = ("part", "kind", "what", "value", "unit", "run")
DAY = 86400
START = (int(time.time()) // DAY - 2) * DAY  # a day that is over, so that all of it is merged
NS = 1e-9


class Figures(Results):
    def __init__(self, folder):
        super().__init__(folder / "server.csv", FIELDS)

    def add(self, part, kind, what, value, unit, run=0):
        super().add(part=part, kind=kind, what=what, value=float(f"{value:.6g}"), unit=unit, run=run)

    def of(self, part, kind, what):
        return [row["value"] for row in self.rows if (row["part"], row["kind"], row["what"]) == (part, kind, what)]


# -- the server's process --------------------------------------------------------------------------------------------

def cpu_seconds(server):
    """The CPU time of its process, in steps of nanoseconds: clock_getcpuclockid() of it."""
    return time.clock_gettime_ns(~server.process.pid << 3 | 2) * NS


def memory_mb(server, field):
    status = open(f"/proc/{server.process.pid}/status").read()
    return int(status.partition(f"{field}:")[2].split()[0]) / 1000


def catalogue(server):
    """(rows, segments, their bytes, the dictionaries' bytes, the recordings' bytes), from the catalogue."""
    with sqlite3.connect(f"file:{server.data}/catalogue.db?mode=ro", uri=True) as base:
        rows, segments, size = base.execute("SELECT sum(rows), count(*), sum(bytes) FROM segment WHERE bad IS NULL").fetchone()
        return (rows, segments, size, base.execute("SELECT sum(bytes) FROM dictionary").fetchone()[0],
                base.execute("SELECT sum(bytes) FROM recording").fetchone()[0])


def settle(server):
    """Waits until the server has no more to merge: it looks every ten seconds."""
    before, since = None, time.monotonic()
    while time.monotonic() - since < 22:
        segments = server.metrics()["candor_server_store_segments"]
        if segments != before:
            before, since = segments, time.monotonic()
        time.sleep(1)
    return before


# -- parts -----------------------------------------------------------------------------------------------------------

def make(folder, count, samples, seconds, start, distinct, seed, depth=60, threads=20, kinds="cpu"):
    """Recordings of a program that does not exist, one after the other in time (bench/server/recordings.c says what is in them)."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    subprocess.run([str(word) for word in (MAKER, folder, count, samples, seconds, start, distinct, depth, threads, seed,
                                       kinds)], check=True)
    return [folder / f"{i}.jfr" for i in range(count)]


def send(server, files, **labels):
    """(bytes, seconds) for sending them one after the other."""
    size, began = 0, time.monotonic()
    for file in files:
        content = file.read_bytes()
        status, answer = server.send(content, **labels)
        if status != 200:
            sys.exit(f"server: {file.name} is not taken: {answer}")
        size += len(content)
    return size, time.monotonic() - began


def size_of(server, results, part, kind):
    rows, segments, segment_bytes, dictionary_bytes, recording_bytes = catalogue(server)
    results.add(part, kind, "rows", rows, "rows")
    results.add(part, kind, "segments", segments, "files")
    results.add(part, kind, "segment bytes per row", segment_bytes / rows, "B")
    results.add(part, kind, "dictionary bytes per row", dictionary_bytes / rows, "B")
    results.add(part, kind, "recording bytes per row", recording_bytes / rows, "B")
    results.add(part, kind, "resident at most", memory_mb(server, "VmHWM"), "MB")
    results.add(part, kind, "resident", memory_mb(server, "VmRSS"), "MB")


def restart(server, results, part, kind, *options):
    """Ends it in both ways, and starts it again with these options."""
    size = sum(file.stat().st_size for file in server.data.rglob("*") if file.is_file()) / 1e9
    for how in (signal.SIGTERM, signal.SIGKILL):
        server.end(how)
        began = time.monotonic()
        server = Server(server.data.name, *options)
        seconds = time.monotonic() - began
        results.add(part, kind, f"restart after {how.name}", seconds, "s")
        results.add(part, kind, f"restart after {how.name}, per GB", seconds / size, "s/GB")
    results.add(part, kind, "data", size * 1000, "MB")
    return server
