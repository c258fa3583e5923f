"""A JVM with libcandor-standing.so, and gdb, which stops it."""
import json
import os
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import candortest as ct

AGENT = ct.BUILD / "tests" / "oracle" / "libcandor-standing.so"
STOPS = pathlib.Path(__file__).resolve().parent / "stops.py"
JAVA, NATIVE = 3, 4  # of enum jfr_frame_type (src/jfr/schema.h): the last Java type, and native
NATIVE_METHOD = 9    # FRAME_NATIVE_METHOD (src/agent/hot/record.h)
COMPLETE = 0         # of enum outcome (src/base/agreed/reasons.h)


def jvm(jdk, program, path, *flags):
    """Its clocks expire almost never, so that no other thread is in the handler."""
    agent = ct.agent_options(AGENT, file=path, interval="10s", clock="timer")
    return ct.Jvm(jdk, program, agent=agent, flags=flags)


def stop(jvm, times):
    """[{"thread", "tid", "theirs", "why", "ours", "outcome"}] of all its threads at each stop, as stops.py describes them; and gdb's
    output."""
    out = ct.WORK / f"stops-{jvm.pid}.json"
    environment = {**os.environ, "CANDOR_STOPS": str(times), "CANDOR_STOPS_OUT": str(out), "DEBUGINFOD_URLS": ""}
    result = ct.run("gdb", "--batch", "--nx", "--quiet", "-p", jvm.pid, "-x", STOPS, env=environment)
    looks = [json.loads(line) for line in out.read_text().splitlines()] if out.exists() else []
    return looks, result
