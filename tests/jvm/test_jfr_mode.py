#!/usr/bin/env python3
"""--jfr: the JDK's recorder beside ours. Every safepoint and GC pause of the JVM's own log is in the recording, once. The JDK's own tool
reads it. A recording of the application continues, can be opened, and has what its owner requested. If something is not available,
one line says so.

tier: default
timeout: 900

Durations are compared with the log by their median: the chance that half of thirty pauses are interrupted in the few microseconds
between two readings of the clock is far below 1e-5, however busy the machine is.
"""
import collections
import json
import os
import pathlib
import re
import shutil
import signal
import statistics
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import candortest as ct
import jfrfile

CALLS = 30
MS = 1_000_000
FLAGS = ("-Xms128m", "-Xmx128m", "-Xmn64m", "-XX:+UseG1GC")  # nothing but System.gc() collects
ALLOWED = "-XX:+EnableDynamicAgentLoading"


# -- what the JVM itself says ----------------------------------------------------------------------------------------

def log_flags(jdk, path):
    if jdk.version == 8:
        return [f"-Xloggc:{path}", "-XX:+PrintGC", "-XX:+PrintGCApplicationStoppedTime"]
    return [f"-Xlog:gc,safepoint:file={path}"]


def log_line(line):
    """("pause" or "safepoint", by System.gc(), ns), or None. The line of a safepoint follows the lines of its pauses."""
    match = re.search(r'Safepoint ".*Total:\s+(\d+) ns', line)
    if match:
        return "safepoint", False, float(match[1])
    match = re.search(r"application threads were stopped: ([\d.]+) seconds", line)
    if match:
        return "safepoint", False, float(match[1]) * 1e9
    match = re.search(r"GC\(\d+\) Pause (.*?)([\d.]+)ms$", line)
    if match:
        return "pause", "System.gc()" in match[1], float(match[2]) * 1e6
    match = re.search(r"\[(?:Full )?GC(?! concurrent)(.*?)([\d.]+) secs\]", line)
    return ("pause", "System.gc()" in match[1], float(match[2]) * 1e9) if match else None


def logged(path):
    """(ns of the pauses by System.gc(), ns of the safepoints from the first of them to the last)."""
    lines = [found for found in map(log_line, path.read_text().splitlines()) if found]
    called = [i for i, (kind, by_system, _) in enumerate(lines) if by_system]
    if not called:
        return [], []
    end = next((i for i in range(called[-1], len(lines)) if lines[i][0] == "safepoint"), len(lines) - 1)
    return [lines[i][2] for i in called], [ns for kind, _, ns in lines[called[0]:end + 1] if kind == "safepoint"]


def jcmd(jdk, pid, *command):
    return ct.run(jdk.jcmd, pid, *command)


def own_recordings(jdk, pid):
    """How many of the JDK's recordings are Candor's, and how many are others'."""
    lines = [line for line in jcmd(jdk, pid, "JFR.check").out.splitlines() if line.startswith("Recording ")]
    ours = [line for line in lines if "candor-" in line]
    return len(ours), len(lines) - len(ours)


# -- what the recording says -----------------------------------------------------------------------------------------

def report(path):
    result = ct.candor("report", "--kind", "halt", "--json", "--top", "0", path)
    return json.loads(result.out) if result.status == 0 else {"failed": str(result), "halts": [], "kinds": {}, "told_twice": 0}


def types_of(path):
    result = ct.candor("summary", "--json", path)
    return {name: one["count"] for name, one in json.loads(result.out)["types"].items()} if result.status == 0 else {}


def close(what, told, truth):
    if not ct.ok(len(told) == len(truth), f"{what}: {len(truth)} in the log are {len(told)} in the recording", f"{told}\n{truth}"):
        return
    off = [ours - log for ours, log in zip(told, truth)]
    ct.ok(not off or abs(statistics.median(off)) < MS, f"{what}: within 1 ms (median {statistics.median(off or [0]) / 1e6:.3f} ms)", off)


def compare(what, path, log, calls):
    """For a recording that has all of those calls, and no others."""
    r = report(path)
    pauses = [one for one in r["halts"] if one["kind"] == "gc_pause" and "System.gc()" in (one["what"] or "")]
    truth_pauses, truth_safepoints = logged(log)
    ct.ok(len(truth_pauses) == calls, f"{what}: the log has {len(truth_pauses)} pauses by System.gc()", r.get("failed"))
    close(f"{what}, pauses", [one["duration_ns"] for one in pauses], truth_pauses)
    if not pauses:
        return r
    first, last = pauses[0]["start_ns"], pauses[-1]["start_ns"]
    safepoints = [one for one in r["halts"] if one["kind"] == "safepoint" and one["start_ns"] <= last
                  and one["start_ns"] + one["duration_ns"] >= first]
    close(f"{what}, safepoints", [one["duration_ns"] for one in safepoints], truth_safepoints)
    ct.ok(all(not one["agent"] for one in pauses), f"{what}: the JDK's pauses count", [one for one in pauses if one["agent"]][:3])
    ct.ok({one["by"] for one in pauses} == {"main"}, f"{what}: main requested each", {one["by"] for one in pauses})
    return r


def reads(jdk, what, path, *least):
    """The JDK's own tool finds the same in the file as we do; for some types at least this many."""
    ours = types_of(path)
    for name, count in least:
        ct.ok(ours.get(name, 0) >= count, f"{what}: {ours.get(name, 0)} {name}", ours)
    theirs = ct.run(jdk.jfr, "summary", path) if jdk.jfr.exists() else None
    if not theirs:
        ct.skip(f"{what}: jfr summary", "this JDK has no jfr tool")
        return
    counts = collections.Counter()  # a type that both recorders have is there twice
    for name, count in re.findall(r"^ *((?:jdk|candor)\.\w+) +(\d+) +\d+ *$", theirs.out, re.M):
        counts[name] += int(count)
    wanted = {name: ours.get(name, 0) for name, _ in least}
    ct.ok(theirs.status == 0 and wanted == {name: counts[name] for name in wanted}, f"{what}: the JDK's tool reads the same", theirs)


def declares(what, path, *wanted):
    """If both recorders may have an event, our chunks declare only events that they may contain, because Mission Control gives a type
    another name if its fields differ from those in the previous chunk."""
    both = {"jdk.GarbageCollection", "jdk.JavaMonitorEnter", "jdk.ThreadPark", "jdk.ObjectAllocationSample", "jdk.OldObjectSample"}
    first = {one.name for one in jfrfile.chunks(path.read_bytes())[0].types.values()} if path.exists() else set()
    ct.ok("candor.CpuSample" in first and first & both == set(wanted), f"{what}: our chunks declare what they have", first & both)


# -- JVMs and clients ------------------------------------------------------------------------------------------------

def start(jdk, *flags, **keywords):
    allowed = [ALLOWED] if jdk.version >= 21 else []
    jvm = ct.Jvm(jdk, "Halts", flags=[*FLAGS, *allowed, *flags], **keywords)
    jvm.round("calm", calls=1)  # a JVM that is still starting accepts no agent
    return jvm


def is_recording(pid):
    try:
        good, answer = ct.control(pid, "status")
    except OSError:
        return False
    return good and answer["state"] == "running"


def record(jvm, path, *options):
    """The client, when the agent records, and with it the JDK's recorder."""
    client = ct.spawn([ct.PROGRAM, "record", "-d", "900s", "--no-report", "-o", path, *options, jvm.pid], stdout=subprocess.PIPE,
                      stderr=subprocess.PIPE, text=True)
    ct.wait_until(lambda: client.poll() is not None or is_recording(jvm.pid))
    return client


def interrupt(client):
    """Ctrl-C: (status, output on standard error)."""
    client.send_signal(signal.SIGINT)
    _, err = client.communicate(timeout=ct.PATIENCE)
    return client.returncode, err


def left_over(pid):
    return [str(one) for one in pathlib.Path("/tmp").glob(f".candor-{pid}-*")]


# -- cases -----------------------------------------------------------------------------------------------------------

def attached(jdk):
    """With all events of the agent that report the same."""
    what, path, log = f"{jdk}, attached", ct.WORK / f"attached-{jdk.version}.jfr", ct.WORK / f"attached-{jdk.version}.log"
    with start(jdk, *log_flags(jdk, log)) as jvm:
        client = record(jvm, path, "-e", "cpu,halt,lock", "--jfr", "on")
        jvm.round("collect", calls=CALLS)
        status, err = interrupt(client)
        ct.ok(status == 0 and "--jfr" not in err, f"{what}: the client ends normally", (status, err))
        ct.ok(own_recordings(jdk, jvm.pid) == (0, 0), f"{what}: none of the JDK's recordings is left", jcmd(jdk, jvm.pid, "JFR.check"))
        ct.ok(not left_over(jvm.pid), f"{what}: nor any file", left_over(jvm.pid))
        ct.ok(jvm.finish() == 0, f"{what}: the program ends normally", jvm.transcript())
        ct.ok("[jfr" not in jvm.transcript(), f"{what}: the recorder has no word in its output", jvm.transcript())
    r = compare(what, path, log, CALLS)
    ct.ok(r["told_twice"] >= CALLS, f"{what}: {r['told_twice']} pauses were told of by both, and count once", r.get("failed"))
    reads(jdk, what, path, ("jdk.SafepointBegin", CALLS), ("jdk.GCPhasePause", CALLS), ("candor.Setting", 1))
    declares(what, path, "jdk.GarbageCollection", "jdk.JavaMonitorEnter", "jdk.ThreadPark")
    text = ct.candor("report", "--kind", "halt", path)
    ct.ok(text.status == 0 and "reported by the JDK's recorder: " in text.out, f"{what}: the report says by whom", text)
    for kind in ("cpu", "lock"):
        shown = ct.candor("report", "--kind", kind, "--json", path)
        ct.ok(shown.status == 0 and not [one for one in json.loads(shown.out).get("problems", []) if "is incomplete" in str(one)],
              f"{what}: report --kind {kind}, whose books balance", shown)


def beside_owner(jdk):
    """The application's own recording gets more events while ours runs; a line says so before. Afterwards it continues as before."""
    what, path = f"{jdk}, beside its owner's", ct.WORK / f"beside-{jdk.version}.jfr"
    own, before, after = (ct.WORK / f"owner-{jdk.version}{part}.jfr" for part in ("", "-before", "-after"))
    with start(jdk, f"-XX:StartFlightRecording=filename={own},name=Owner,settings=default,dumponexit=true") as jvm:
        client = record(jvm, path, "-e", "cpu", "--jfr", "on")
        jvm.round("collect", calls=CALLS)
        ct.ok(own_recordings(jdk, jvm.pid) == (1, 1), f"{what}: both run", jcmd(jdk, jvm.pid, "JFR.check"))
        status, err = interrupt(client)
        ct.ok(status == 0 and "('Owner')" in err and "also records the events that candor enables" in err,
              f"{what}: that is reported", (status, err))
        ct.ok(own_recordings(jdk, jvm.pid) == (0, 1), f"{what}: one continues", jcmd(jdk, jvm.pid, "JFR.check"))
        jcmd(jdk, jvm.pid, "JFR.dump", "name=Owner", f"filename={before}")
        jvm.round("collect", calls=CALLS)
        jcmd(jdk, jvm.pid, "JFR.dump", "name=Owner", f"filename={after}")
        ct.ok(jvm.finish() == 0, f"{what}: the program ends normally", jvm.transcript())
    then, now = types_of(before), types_of(after)
    gained = "jdk.SafepointStateSynchronization"  # which its settings do not have
    ct.ok(then.get(gained, 0) >= CALLS and now.get(gained, 0) == then.get(gained, 0), f"{what}: it gained events, and no more since",
          (then.get(gained), now.get(gained)))
    ct.ok(now.get("jdk.GarbageCollection", 0) >= then.get("jdk.GarbageCollection", 0) + CALLS, f"{what}: its own continue",
          (then.get("jdk.GarbageCollection"), now.get("jdk.GarbageCollection")))
    reads(jdk, what, own, ("jdk.GarbageCollection", 2 * CALLS))
    reads(jdk, what, path, ("jdk.SafepointBegin", CALLS), (gained, CALLS))
    declares(what, path)


def existing(jdk):
    """The data of the application's own recording for our time, without starting anything."""
    what, path, bare = f"{jdk}, existing", ct.WORK / f"existing-{jdk.version}.jfr", ct.WORK / f"bare-{jdk.version}.jfr"
    with start(jdk) as jvm:
        client = record(jvm, bare, "-e", "cpu", "--jfr", "existing")
        jvm.round("collect", calls=CALLS)
        status, err = interrupt(client)
        ct.ok(status == 0 and "nothing to add" in err and own_recordings(jdk, jvm.pid) == (0, 0),
              f"{what}: there is none, and this is reported", (status, err))
        types = types_of(bare)
        ct.ok(types.get("candor.Setting") and not types.get("jdk.GCHeapSummary"), f"{what}: and nothing is added", types)
        jcmd(jdk, jvm.pid, "JFR.start", "name=Owner", "settings=default")
        client = record(jvm, path, "-e", "cpu,halt", "--jfr", "existing")
        jvm.round("collect", calls=CALLS)
        status, err = interrupt(client)
        ct.ok(status == 0 and "('Owner')" in err and "continues unchanged" in err, f"{what}: which it is is reported", (status, err))
        ct.ok(own_recordings(jdk, jvm.pid) == (0, 1) and not left_over(jvm.pid), f"{what}: it continues",
              jcmd(jdk, jvm.pid, "JFR.check"))
        ct.ok(jvm.finish() == 0, f"{what}: the program ends normally", jvm.transcript())
    reads(jdk, what, path, ("jdk.GCPhasePause", CALLS), ("jdk.GCHeapSummary", CALLS), ("candor.Setting", 1))
    r = report(path)
    called = [one for one in r["halts"] if one["kind"] == "gc_pause" and "System.gc()" in (one["what"] or "")]
    ct.ok(len(called) == CALLS and r["told_twice"] >= CALLS, f"{what}: {len(called)} pauses, each once", r.get("failed"))
    shown = ct.candor("report", "--json", path)
    ct.ok(shown.status == 0 and re.search(r'"source": "candor\.CpuSample"', shown.out), f"{what}: the CPU time is ours alone", shown)


def child_of(pid):
    path = pathlib.Path(f"/proc/{pid}/task/{pid}/children")
    return int((path.read_text().split() or [0])[0])


def from_start(jdk):
    """record -- java: when the JVM ends, the data of the JDK's recorder are written."""
    what, path = f"{jdk}, from the start", ct.WORK / f"start-{jdk.version}.jfr"
    client = [ct.PROGRAM, "record", "--no-report", "-e", "cpu,halt", "--jfr", "on", "-o", path, "--"]
    with ct.Jvm(jdk, "Halts", flags=FLAGS, wrapper=client) as jvm:
        jvm.expect("ready")
        pid = child_of(jvm.pid)
        ct.ok(ct.wait_until(lambda: own_recordings(jdk, pid) == (1, 0)), f"{what}: the JDK records", jvm.transcript())
        jvm.round("collect", calls=CALLS)
        ct.ok(jvm.finish() == 0, f"{what}: program and client end normally", jvm.transcript())
        ct.ok(not left_over(pid), f"{what}: no file is left", left_over(pid))
    reads(jdk, what, path, ("jdk.SafepointBegin", CALLS), ("jdk.GCPhasePause", CALLS), ("candor.Setting", 1))


def killed(jdk):
    what, path = f"{jdk}, killed", ct.WORK / f"killed-{jdk.version}.jfr"
    with start(jdk) as jvm:
        client = record(jvm, path, "-e", "halt", "--jfr", "on")
        jvm.round("collect", calls=CALLS)
        ct.wait_until(lambda: types_of(path).get("candor.Setting"))  # the agent's first flush
        jvm.process.kill()
        _, err = client.communicate(timeout=ct.PATIENCE)
        ct.ok(client.returncode == 1 and "signal 9" in err and "it is lost" in err, f"{what}: unwritten data are lost, and reported",
              (client.returncode, err))
        ct.ok(not left_over(jvm.pid), f"{what}: no file is left", left_over(jvm.pid))
    types = types_of(path)
    ct.ok(types.get("candor.Setting") and not types.get("jdk.SafepointBegin"), f"{what}: what the agent had is there", types)


def client_killed(jdk):
    """If a client is killed, `stop` joins the recordings that it leaves running; if the agent has ended, the next client ends the JDK's
    recording."""
    what, path, later = f"{jdk}, client killed", ct.WORK / f"orphan-{jdk.version}.jfr", ct.WORK / f"later-{jdk.version}.jfr"
    with start(jdk) as jvm:
        for end in ("stop", "next"):
            client = record(jvm, path if end == "stop" else later, "-e", "cpu", "--jfr", "on")
            jvm.round("collect", calls=CALLS)
            client.kill()
            client.communicate(timeout=ct.PATIENCE)
            ct.ok(own_recordings(jdk, jvm.pid) == (1, 0), f"{what}: the JDK's continues", jcmd(jdk, jvm.pid, "JFR.check"))
            if end == "stop":
                ended = ct.candor("stop", jvm.pid)
                ct.ok(ended.status == 0 and not ended.err, f"{what}: stop ends both", ended)
            else:
                good, answer = ct.control(jvm.pid, "stop")
                ct.ok(good, f"{what}: the agent alone is ended", answer)
                later.unlink()
                client = record(jvm, later, "-e", "cpu", "--jfr", "on")
                jvm.round("collect", calls=CALLS)
                status, err = interrupt(client)
                ct.ok(status == 0 and len(err.splitlines()) == 1 and "was left by a candor that was killed; it is ended now" in err,
                      f"{what}: the next ends it", (status, err))
            ct.ok(own_recordings(jdk, jvm.pid) == (0, 0) and not left_over(jvm.pid), f"{what}: nothing is left",
                  (jcmd(jdk, jvm.pid, "JFR.check"), left_over(jvm.pid)))
        ct.ok(jvm.finish() == 0, f"{what}: the program ends normally", jvm.transcript())
    reads(jdk, what, path, ("jdk.SafepointBegin", CALLS), ("candor.Setting", 1))
    reads(jdk, what, later, ("jdk.SafepointBegin", CALLS), ("candor.Setting", 1))


def by_steps(jdk):
    """start, dump, stop: each in a separate process."""
    what, path, copy = f"{jdk}, step by step", ct.WORK / f"steps-{jdk.version}.jfr", ct.WORK / f"copy-{jdk.version}.jfr"
    with start(jdk) as jvm:
        begun = ct.candor("start", "-e", "cpu,halt", "--jfr", "on", "-o", path, jvm.pid)
        ct.ok(begun.status == 0 and own_recordings(jdk, jvm.pid) == (1, 0), f"{what}: it begins", begun)
        jvm.round("collect", calls=CALLS)
        dumped = ct.candor("dump", "-o", copy, jvm.pid)
        ct.ok(dumped.status == 0 and own_recordings(jdk, jvm.pid) == (1, 0), f"{what}: it is dumped, and continues", dumped)
        jvm.round("collect", calls=CALLS)
        told = ct.candor("status", "--json", jvm.pid)
        ct.ok(json.loads(told.out).get("jfr") == "on", f"{what}: the status has it", told)
        ended = ct.candor("stop", jvm.pid)
        ct.ok(ended.status == 0 and own_recordings(jdk, jvm.pid) == (0, 0) and not left_over(jvm.pid), f"{what}: it ends", ended)
        ct.ok(jvm.finish() == 0, f"{what}: the program ends normally", jvm.transcript())
    reads(jdk, what, copy, ("jdk.SafepointBegin", CALLS))
    reads(jdk, what, path, ("jdk.SafepointBegin", 2 * CALLS), ("jdk.GCPhasePause", 2 * CALLS))


def other_user(jdk):
    """Root records a JVM of user nobody; the file belongs to root."""
    what = f"{jdk}, another user's"
    if os.geteuid() != 0 or not shutil.which("setpriv") or ct.in_closed_folder(jdk):
        ct.skip(what, "wants root, setpriv, and an open folder of JDKs")
        return
    home, path = ct.WORK / f"home-{jdk.version}", ct.WORK / f"nobody-{jdk.version}.jfr"
    home.mkdir()
    shutil.chown(home, "nobody", "nogroup")
    with start(jdk, wrapper=ct.as_nobody(), cwd=home) as jvm:
        client = record(jvm, path, "-e", "cpu,halt", "--jfr", "on")
        jvm.round("collect", calls=CALLS)
        status, err = interrupt(client)
        ct.ok(status == 0 and "--jfr" not in err and path.stat().st_uid == 0, f"{what}: recorded by root", (status, err))
        ct.ok(not left_over(jvm.pid), f"{what}: no file is left", left_over(jvm.pid))
        ct.ok(jvm.finish() == 0, f"{what}: the program ends normally", jvm.transcript())
    reads(jdk, what, path, ("jdk.SafepointBegin", CALLS), ("jdk.GCPhasePause", CALLS))


def image_without_recorder(jdk):
    """A JDK of the same JVM without the module jdk.jfr, or None: JDKs that were built specially for this machine can make such images,
    others cannot."""
    folder = ct.WORK / f"image-{jdk.version}"
    made = ct.run(jdk.home / "bin/jlink", "--add-modules", "java.management", "--output", folder)
    return ct.Jdk(jdk.version, folder) if made.status == 0 and ct.run(folder / "bin/java", "-version").status == 0 else None


def without_recorder(jdk):
    """An image without the module if possible, or a JVM that is told to have no recorder."""
    what, path = f"{jdk}, without a recorder", ct.WORK / f"without-{jdk.version}.jfr"
    image = image_without_recorder(jdk) if jdk.version in (11, 17) else None
    ct.ok(image or jdk.version not in (11, 17), f"{what}: an image without its module")
    with start(image or jdk, *([] if image else ["-XX:-FlightRecorder"])) as jvm:
        client = record(jvm, path, "-e", "cpu,halt", "--jfr", "on")
        jvm.round("collect", calls=CALLS)
        status, err = interrupt(client)
        lines = [line for line in err.splitlines() if line.startswith("candor: --jfr")]
        ct.ok(status == 0 and len(lines) == 1, f"{what}: one line says so", (status, err))
        ct.ok(jvm.finish() == 0, f"{what}: the program ends normally", jvm.transcript())
    r = report(path)
    gc = r["kinds"].get("gc_pause", {})
    ct.ok(gc.get("count", 0) >= CALLS and gc.get("by_agent") == gc.get("count"), f"{what}: the agent's own sources serve",
          r.get("failed") or gc)


CASES = (beside_owner, existing, from_start, killed, by_steps, other_user, without_recorder, client_killed)


def has_recorder(jdk):
    """Builds of JDK 8 may lack it."""
    result = ct.run(jdk.java, "-XX:+UnlockDiagnosticVMOptions", "-XX:+PrintFlagsFinal", "-version")
    return "FlightRecorder" in result.out


ct.need()
jdks = []
for jdk in ct.jdks():
    if has_recorder(jdk):
        jdks.append(jdk)
    else:
        ct.skip(str(jdk), "this build has no Flight Recorder")
for jdk in ct.some(jdks, 8, 17, 25):
    attached(jdk)
for jdk, case in ct.spread(jdks, CASES):
    case(jdk)
ct.done()
