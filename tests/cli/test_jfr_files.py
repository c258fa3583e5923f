#!/usr/bin/env python3
"""candor stop appends the JDK's chunks to a recording whose path only the JVM reports. Whatever the JVM says, candor must not write to a
file that the JVM could not write to itself. Also, which recording of the JDK's recorder is taken for ours. With a script in place of
the JVM (fake_recorder.py).

tier: default
timeout: 300
"""
import pathlib
import shutil
import signal
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import candortest as ct

FAKE = pathlib.Path(__file__).with_name("fake_recorder.py")
LIBRARY, FLIGHT, FILE = ct.WORK / "libjvm.so", ct.WORK / "flight.jfr", ct.WORK / "file.jfr"


class Fake(ct.Script):
    def __init__(self, writes, name="Owner", *behaviours):
        super().__init__(FAKE, LIBRARY, FILE, FLIGHT, name, *behaviours, *["writes"] * writes, stdin=subprocess.PIPE)


def stop(before, writes, *behaviours, name="Owner", limit="unlimited"):
    """The client's result, and the contents of the file afterwards. limit: of its size, in KiB."""
    FILE.write_bytes(before)
    with Fake(writes, name, *behaviours) as fake:
        result = ct.run("bash", "-c", 'ulimit -f "$1"; exec "$2" stop "$3"', "bash", limit, ct.PROGRAM, fake.pid)
    return result, FILE.read_bytes()


def interrupted():
    """The same for a client that gets Ctrl-C while the JVM dumps."""
    FILE.write_bytes(flight)
    with Fake(True, "Owner", "waits") as fake:
        client = ct.spawn([ct.PROGRAM, "stop", fake.pid], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        while "JFR.dump" not in fake.process.stdout.readline():
            pass
        client.send_signal(signal.SIGINT)
        print("go on", file=fake.process.stdin, flush=True)
        _, err = client.communicate(timeout=ct.PATIENCE)
        left = list(pathlib.Path("/tmp").glob(f".candor-{fake.pid}-*"))
    return client.returncode, err, left, FILE.read_bytes()


def ending(*behaviours):
    """The same if the JVM begins to end a moment before, or its timer ends the JDK's recording."""
    FILE.write_bytes(flight)
    with Fake(True, "candor-PID-0123abcd", "on", *behaviours) as fake:
        folder = pathlib.Path(f"/tmp/.candor-{fake.pid}-0123abcd")
        folder.mkdir(mode=0o700)
        result = ct.candor("stop", fake.pid)
        left = folder.exists()
        shutil.rmtree(folder, ignore_errors=True)
    return result, left, FILE.read_bytes()


made = subprocess.run([ct.BUILD / "tests" / "unit" / "make_recording", FLIGHT], input=b"setting\tinterval\t10ms\nflush\n")
assert made.returncode == 0, made
LIBRARY.write_bytes(pathlib.Path(sys.executable).resolve().read_bytes())
flight = FLIGHT.read_bytes()

result, after = stop(flight, writes=True)
ct.ok(result.status == 0 and after == flight + flight, "a file that the JVM writes to gets the JDK's chunks", (result, len(after)))
for before, what in ((b"", "an empty one"), (flight, "a recording")):
    result, after = stop(before, writes=False)
    ct.ok(after == before, f"{what} that it does not write to stays as it is", (result, len(after)))
    ct.ok(result.status == 1 and "not a file that the JVM writes to" in result.err, f"{what}: and this is reported", result)
result, after = stop(flight, writes=True, name="candor-PID-of the owner's")
ct.ok(result.status == 0 and after == flight + flight, "a recording of the JDK's whose name is like ours is its owner's", result)
result, after = stop(flight, writes=True, name="candor-PID-0123abcd")
ct.ok(result.status == 0 and after == flight and "no longer has that recording" in result.err, "one of ours is not", result)
result, after = stop(flight, writes=True, limit=len(flight) * 3 // 2 // 1024)
ct.ok(result.status == 1 and "File too large" in result.err and after == flight, "a file that may not grow so far stays as it is",
      (result, len(after)))
result, after = stop(flight, True, "lingers")
ct.ok(result.status == 0 and after == flight + flight, "one that is locked for a moment more is waited for", result)
status, err, left, after = interrupted()
ct.ok((status, left) == (0, []) and after == flight + flight, "Ctrl-C leaves nothing half done", (status, err, left, len(after)))
result, left, after = ending()
ct.ok(result.status == 0 and not left and after == flight + flight, "what a JVM writes at its end is awaited", result)
result, left, after = ending("timer")
ct.ok(result.status == 0 and not result.err and not left and after == flight + flight,
      "so is what it writes when its own timer was first", (result, len(after)))
ct.done()
