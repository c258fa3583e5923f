#!/usr/bin/env python3
"""candor doctor: each row is true. Every cause that can be produced here is produced, and its row and remedy must appear; without the
cause they must not.

tier: default
timeout: 600

Causes: seccomp filters, another user, resource limits, namespaces, a separate /tmp, a cgroup. For a process: options of real JVMs;
and for causes that no JDK here has, a stand-in (a process that has mapped a file named libjvm.so for execution).
"""
import ctypes
import json
import os
import pathlib
import pty
import re
import shutil
import signal
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import candortest as ct

ROOT_HERE = os.geteuid() == 0
LEVELS = ("ok", "note", "warning", "problem")
TIMER_CREATE, SETITIMER, PERF_EVENT_OPEN = (107, 103, 241) if os.uname().machine == "aarch64" else (222, 38, 298)

# usage: -c FILTER ANSWER CALL[,CALL...] COMMAND...: runs the command with these system calls refused. ANSWER is what a
# seccomp filter returns.
FILTER = """
import ctypes, os, struct, sys
answer, calls = int(sys.argv[1], 0), [int(call) for call in sys.argv[2].split(",")]
program = [(0x20, 0, 0, 0)]
for left, call in zip(range(len(calls), 0, -1), calls):
    program.append((0x15, left, 0, call))
program += [(6, 0, 0, 0x7fff0000), (6, 0, 0, answer)]
code = b"".join(struct.pack("HBBI", *one) for one in program)
space = ctypes.create_string_buffer(code, len(code))
head = ctypes.create_string_buffer(struct.pack("HxxxxxxP", len(program), ctypes.addressof(space)))
libc = ctypes.CDLL(None)
if libc.prctl(38, 1, 0, 0, 0) or libc.prctl(22, 2, head):
    sys.exit("no seccomp here")
os.execvp(sys.argv[3], sys.argv[3:])
"""

# usage: -c STAND_IN MAPPED... [SIGNAL...]: looks like a JVM to /proc; exits when standard input ends.
STAND_IN = """
import mmap, runpy, signal, sys
kept = []
signal.signal(signal.SIGQUIT, lambda *_: None)
for word in sys.argv[1:]:
    if word.startswith("SIG"):
        signal.signal(getattr(signal, word), lambda *_: None)
    elif word.endswith(".py"):
        sys.argv = [word, "/dev/null"]
        runpy.run_path(word, run_name="__main__")
    else:
        with open(word, "rb") as file:
            kept.append(mmap.mmap(file.fileno(), 4096, prot=mmap.PROT_READ | mmap.PROT_EXEC, flags=mmap.MAP_PRIVATE))
print("ready", flush=True)
sys.stdin.read()
"""


# usage: -c INSIDE STAND_IN MAPPED PROGRAM...: the program with the process id of a stand-in added.
INSIDE = """
import subprocess, sys
process = subprocess.Popen([sys.executable, "-c", *sys.argv[1:3]], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
process.stdout.readline()
status = subprocess.run([*sys.argv[3:], str(process.pid)]).returncode
process.stdin.close()
process.wait()
sys.exit(status)
"""


def refusing(answer, *calls):
    return [sys.executable, "-c", FILTER, hex(answer), ",".join(map(str, calls))]


REFUSE, KILL = 0x00050000 | 1, 0x80000000  # EPERM; the process is killed


class Doctor:
    """One run with --json."""

    def __init__(self, *words, wrapper=(), program=ct.PROGRAM, **keywords):
        self.result = ct.run(*wrapper, program, "doctor", "--json", *words, **keywords)
        try:
            answer = json.loads(self.result.out)
        except ValueError:
            answer = {"possible": None, "checks": []}
        self.possible, self.rows = answer["possible"], {row["check"]: row for row in answer["checks"]}

    def level(self, check):
        return self.rows.get(check, {}).get("level")

    def text(self, check):
        row = self.rows.get(check) or {}
        return " | ".join(row.get(part) or "" for part in ("found", "meaning", "remedy"))

    def __str__(self):
        return str(self.result)


def row(doctor, check, level, words, what):
    """The row has this level, and every word is in it."""
    ct.ok(doctor.level(check) == level and all(word in doctor.text(check) for word in words),
          f"{what}: {check} is {level}", doctor.rows.get(check) or doctor)


def well_formed(doctor, what):
    bad = [one for one in doctor.rows.values()
           if one["level"] not in LEVELS or not one["found"] or (one["level"] in LEVELS[2:] and not one["remedy"])
           or not isinstance(one["group"], str)]
    problems = [one for one in doctor.rows.values() if one["level"] == "problem"]
    ct.ok(doctor.rows and not bad and doctor.possible == (not problems) and
          doctor.result.status == (1 if problems else 0) and not doctor.result.err,
          f"{what}: JSON, levels, remedies and status fit together", bad or doctor)


def plain_machine():
    plain = Doctor()
    well_formed(plain, "here")
    row(plain, "clock timer", "ok", ["requested every 1 ms, got"], "here")
    row(plain, "clock itimer", "ok", ["requested every 1 ms, got"], "here")
    row(plain, "/tmp", "ok", ["writable"], "here")
    row(plain, "kernel", plain.level("kernel"), [os.uname().release], "here")
    ct.ok(set(plain.rows) >= {"user", "perf_event_paranoid", "seccomp", "PID namespace", "CPU limit", "open files",
                              "/proc", "pending signals", "locked memory", "clock sigtrap", "clock signal", "clock", "stolen time"},
          "here: every check of the machine is there", sorted(plain.rows))
    if works(plain):
        row(plain, "counters", plain.level("counters"), ["page-faults", "candor record -e"], "here")
    text = ct.candor("doctor")
    ct.ok(text.status == plain.result.status and all(f" {name} " in text.out for name in plain.rows) and
          "\x1b" not in text.out and not text.err, "the same rows as text", text)
    return plain


def works(plain):
    """The clocks that work without any cause being made."""
    return [kind for kind in ("sigtrap", "signal") if "got" in plain.text(f"clock {kind}") and
            plain.level(f"clock {kind}") == "ok"]


def filters(plain):
    if "no filter" not in plain.text("seccomp"):
        ct.skip("seccomp", "this process runs under a filter already")
        return
    for answer, name, word in ((REFUSE, "a filter that refuses", "not permitted"), (KILL, "a filter that kills", "SIGSYS")):
        doctor = Doctor(wrapper=refusing(answer, PERF_EVENT_OPEN))
        well_formed(doctor, name)
        row(doctor, "seccomp", "note", ["filter"], name)
        for kind in works(plain):
            row(doctor, f"clock {kind}", "warning", [word, "seccomp filter", "CAP_PERFMON"], name)
        row(doctor, "clock", "warning", ["timer", "tick"], name)
        ct.ok("kernel mode" not in doctor.rows and doctor.possible, f"{name}: a recording is possible still", doctor)
    doctor = Doctor(wrapper=refusing(REFUSE, PERF_EVENT_OPEN, TIMER_CREATE, SETITIMER))
    well_formed(doctor, "no clock at all")
    row(doctor, "clock timer", "warning", ["seccomp filter", "timer_create"], "no clock at all")
    row(doctor, "clock", "problem", ["none works"], "no clock at all")


NOBODY = ["setpriv", "--reuid=nobody", "--regid=nogroup", "--clear-groups"]
READS_ALL = [*NOBODY, "--inh-caps=+dac_read_search", "--ambient-caps=+dac_read_search", "--bounding-set=-all,+dac_read_search"]


def kernel_hidden(doctor, what):
    """The rows about kernel mode for an ordinary user."""
    if ct.paranoia() == 2:
        row(doctor, "perf_event_paranoid", "warning", ["2", "kernel.perf_event_paranoid=1", "CAP_PERFMON"], what)
        row(doctor, "kernel mode", "warning", ["unseen", "kernel.perf_event_paranoid=1"], what)
    else:
        ct.skip(f"{what}: kernel mode", f"perf_event_paranoid is {ct.paranoia()}")


def ordinary_user(plain):
    if not ROOT_HERE or not shutil.which("setpriv"):
        ct.skip("an ordinary user", "needs root and setpriv")
        return
    program = ct.WORK / "candor"
    shutil.copy(ct.PROGRAM, program)
    doctor = Doctor(wrapper=NOBODY, program=program, cwd="/")
    well_formed(doctor, "nobody")
    row(doctor, "user", "ok", ["nobody", "run it as root"], "nobody")
    row(plain, "user", "ok", ["all users"], "root")
    if works(plain):
        row(plain, "perf_event_paranoid", "ok", [], "root")
        row(plain, "kernel mode", "ok", [], "root")
        kernel_hidden(doctor, "nobody")


def limits(plain):
    row(plain, "open files", "ok", [], "here")
    row(plain, "pending signals", "ok", [], "here")
    doctor = Doctor(wrapper=["prlimit", "--nofile=200:200"])
    row(doctor, "open files", "warning", ["200", "one descriptor per thread", "RLIMIT_NOFILE"], "few descriptors")
    doctor = Doctor(wrapper=["prlimit", "--sigpending=0:0"])
    row(doctor, "pending signals", "note", ["of 0", "RLIMIT_SIGPENDING"], "no queued signals")
    row(doctor, "clock timer", "warning", ["limit", "RLIMIT_SIGPENDING"], "no queued signals")
    for kind in works(plain):
        row(doctor, f"clock {kind}", "ok", [], "no queued signals")


def namespaces():
    if not ROOT_HERE or ct.run("unshare", "--mount", "--pid", "--fork", "true").status:
        ct.skip("namespaces", "needs root and unshare")
        return
    hidden = ["unshare", "--mount", "--pid", "--fork", "sh", "-c", 'mount -t proc -o hidepid=2 none /proc; exec "$@"', "sh"]
    row(Doctor(wrapper=hidden), "/proc", "ok", ["to root"], "a /proc that hides, as root")
    row(Doctor(wrapper=[*hidden, *NOBODY], program=ct.WORK / "candor", cwd="/"), "/proc", "note", ["hidepid", "as root"],
        "a /proc that hides")
    doctor = Doctor(wrapper=["unshare", "--pid", "--fork", "--mount-proc"])
    row(doctor, "PID namespace", "note", ["container's", "on the host"], "a PID namespace")
    for what, mount, level, words in (
            ("a read-only /tmp", "mount -t tmpfs -o ro none /tmp", "problem", ["Read-only", "1777"]),
            ("a noexec /tmp", "mount -t tmpfs -o noexec none /tmp", "note", ["noexec", "libcandor.so beside"]),
            ("a full /tmp", "mount -t tmpfs -o size=64k none /tmp; ! cat /dev/zero >/tmp/x 2>&-", "note",
             ["full", "attaching works", "make room"]),
            ("a /tmp without room for files", "mount -t tmpfs -o nr_inodes=2 none /tmp; : >/tmp/x", "problem", ["full", "make room"]),
            ("a good /tmp", "mount -t tmpfs none /tmp", "ok", ["writable"])):
        # The program itself may be below /tmp, so it is opened before the mount hides it.
        script = f'exec 9<"$0"; {mount}; exec /proc/self/fd/9 "$@"'
        doctor = Doctor(wrapper=["unshare", "--mount", "sh", "-c", script])
        row(doctor, "/tmp", level, words, what)
        well_formed(doctor, what)


def symbols(plain):
    """The first symbols may be at address 0, as per-CPU symbols are; a user who may not see addresses sees no other value."""
    if "kernel stacks" not in plain.rows or not ROOT_HERE or plain.level("kernel stacks") == "warning":
        ct.skip("kernel symbols", "needs root, and a clock with the kernel's stacks")
        return
    for what, address, level in (("hidden", "0000000000000000", "note"), ("shown", "ffffffff81000000", "ok")):
        table = ct.WORK / f"kallsyms-{what}"
        table.write_text("0000000000000000 A fixed_percpu_data\n0000000000000000 A __per_cpu_start\n" +
                         f"{address} T _text\n{address} T _stext\n")
        mount = f'mount --bind {table} /proc/kallsyms; exec "$@"'
        row(Doctor(wrapper=["unshare", "--mount", "sh", "-c", mount, "sh"]), "kernel stacks", level, [],
            f"addresses of symbols are {what}")


def cgroup_of_half_a_cpu():
    """A new cgroup limited to half a CPU, or None."""
    for base, files in (("/sys/fs/cgroup/cpu", {"cpu.cfs_period_us": "100000", "cpu.cfs_quota_us": "50000"}),
                        ("/sys/fs/cgroup", {"cpu.max": "50000 100000"})):
        folder = pathlib.Path(base) / f"candor-test-{os.getpid()}"
        try:
            folder.mkdir()
        except OSError:
            continue
        try:
            for name, text in files.items():
                if not (folder / name).exists():
                    raise OSError
                (folder / name).write_text(text)
            return folder
        except OSError:
            folder.rmdir()
    return None


def cpu_limit(plain):
    folder = cgroup_of_half_a_cpu()
    if not folder:
        ct.skip("a CPU limit", "needs root and a writable cgroup file system with the cpu controller")
        return
    doctor = Doctor(wrapper=["sh", "-c", f'echo $$ >{folder}/cgroup.procs; exec "$@"', "sh"])
    row(doctor, "CPU limit", "note", ["0.5 CPUs", "throttled", "nr_throttled"], "half a CPU")
    ct.ok("0.5 CPUs" not in plain.text("CPU limit"), "here: no such limit", plain.rows["CPU limit"])
    ct.wait_until(lambda: not (folder / "cgroup.procs").read_text())
    folder.rmdir()


def colours():
    master, slave = pty.openpty()
    process = ct.spawn([ct.PROGRAM, "doctor"], stdout=slave, env={"PATH": os.environ["PATH"], "TERM": "xterm"})
    text = b""
    os.close(slave)
    try:
        while part := os.read(master, 65536):
            text += part
    except OSError:
        pass  # end of a terminal without a writer
    process.wait(ct.PATIENCE)
    ct.ok(b"\x1b[32mok" in text, "a terminal gets colors", text)


def stand_in(*words, wrapper=()):
    process = ct.spawn([*wrapper, sys.executable, "-c", STAND_IN, *words], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                       cwd="/")
    process.stdout.readline()
    return process


def end(process):
    process.stdin.close()
    process.wait(ct.PATIENCE)


def strange_jdk(release):
    """The home of a JDK that has neither tables nor symbols."""
    home = ct.WORK / "strange"
    (home / "lib" / "server").mkdir(parents=True)
    library = home / "lib" / "server" / "libjvm.so"
    (home / "empty.c").write_text("int nothing;")
    subprocess.run(["cc", "-shared", "-s", "-o", library, home / "empty.c"], check=True)
    (home / "release").write_text(release)
    musl = home / "lib" / "ld-musl-x86_64.so.1"
    shutil.copy(library, musl)
    return library, musl


def strange_jvms():
    library, musl = strange_jdk('JAVA_VERSION="99.0.1"\nMODULES="java.base jdk.jfr.not"\n')
    process = stand_in(library, musl, "SIGPROF")
    doctor, what = Doctor(process.pid), "a strange JVM"
    well_formed(doctor, what)
    row(doctor, "JDK", "warning", ["99.0.1", "untested", "candor report"], what)
    row(doctor, "C library", "problem", ["musl", "glibc"], what)
    row(doctor, "JVM tables", "warning", ["not exported", "gHotSpotVMStructs"], what)
    row(doctor, "JVM symbols", "note", ["stripped", ".symtab"], what)
    row(doctor, "Flight Recorder", "note", ["no module jdk.jfr"], what)
    row(doctor, "other profiler", "note", ["SIGPROF", "stop the other one"], what)
    row(doctor, "debugger", "ok", ["none"], what)
    library.write_bytes(b"\0" * 4096)
    row(Doctor(process.pid), "libjvm.so", "note", ["cannot be read"], "a libjvm.so that is none")
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.ptrace(0x4206, process.pid, None, None):  # PTRACE_SEIZE
        ct.skip("a debugger", f"ptrace: {os.strerror(ctypes.get_errno())}")
    else:
        row(Doctor(process.pid), "debugger", "warning", [str(os.getpid()), "detach"], "a debugger")
        process.send_signal(signal.SIGSTOP)
        os.waitpid(process.pid, 0x40000000)  # __WALL: the stop at which a tracer may detach
        libc.ptrace(17, process.pid, None, None)  # PTRACE_DETACH
        process.send_signal(signal.SIGCONT)
    end(process)
    gone = Doctor(process.pid)
    ct.ok(gone.result.status == 1 and "no process" in gone.result.err, "a process that is gone", gone)


def other_agent(library):
    process = stand_in(library)
    row(Doctor(process.pid), "agent", "ok", ["not loaded"], "no agent")
    end(process)
    process = ct.spawn([sys.executable, "-c", STAND_IN, library, ct.ROOT / "tests" / "cli" / "fake_agent.py"],
                       stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd="/")
    ct.wait_until(lambda: os.path.exists(f"/tmp/.candor-{process.pid}"))
    doctor = Doctor(process.pid)
    row(doctor, "agent", "warning", ["9.9", "idle", "restart the JVM"], "an agent of another version")
    row(doctor, "attach", "ok", ["not needed"], "an active agent")
    process.kill()
    process.wait()
    pathlib.Path(f"/tmp/.candor-{process.pid}").unlink(missing_ok=True)


def no_jvm():
    process = ct.spawn(["sleep", "100"])
    doctor = Doctor(process.pid)
    well_formed(doctor, "sleep")
    row(doctor, "process", "problem", ["no JVM", "candor list"], "sleep")
    ct.ok(process.poll() is None, "sleep lives on")
    process.kill()
    process.wait()


def other_rights(jdk, library, plain):
    if "no filter" in plain.text("seccomp"):
        process = stand_in(library, wrapper=refusing(REFUSE, PERF_EVENT_OPEN))
        row(Doctor(process.pid), "seccomp of the JVM", "note", ["filter", "allow perf_event_open"], "a JVM under a filter")
        end(process)
    own_users = ["unshare", "--user", "--map-root-user"]
    if ct.run(*own_users, "true").status:
        ct.skip("a user namespace", "not allowed here")
    else:
        doctor = Doctor(wrapper=[*own_users, sys.executable, "-c", INSIDE, STAND_IN, library])
        row(doctor, "rights", "ok", [], "both in a user namespace")
        if works(plain):
            kernel_hidden(doctor, "root of a user namespace")
        row(Doctor(wrapper=own_users), "user", "ok", ["user namespace"], "root of a user namespace")
    if not ROOT_HERE or not shutil.which("setpriv"):
        ct.skip("other users", "needs root and setpriv")
        return
    with ct.Jvm(jdk, "TwoMethods", wrapper=READS_ALL, cwd="/") as jvm:
        jvm.expect("ready")
        doctor, what = Doctor(jvm.pid), "nobody's JVM"
        well_formed(doctor, what)
        row(doctor, "user", "ok", ["nobody"], what)
        row(doctor, "rights", "ok", ["the user and the capabilities of the JVM"], what)
        ct.ok("seccomp of the JVM" not in doctor.rows, f"{what}: no filter is claimed", doctor)
        if works(plain):
            kernel_hidden(doctor, what)
        stranger = ct.run("setpriv", "--reuid=65533", "--regid=65533", "--clear-groups", ct.WORK / "candor", "doctor",
                          jvm.pid, cwd="/")
        ct.ok(stranger.status == 1 and "problem" in stranger.out and "run candor as user 'nobody' or as root" in stranger.out,
              "another user is told which user to be", stranger)


def verified():
    """The JDKs that the README names."""
    line = re.search("HotSpot JDK (.*)", (ct.ROOT / "README.md").read_text())[1]
    return {int(number) for number in re.findall(r"[0-9]+", line)}


def real_jvms(jdk):
    what = f"{jdk}"
    with ct.Jvm(jdk, "TwoMethods", agent=None, flags=["-XX:+UseSerialGC"]) as jvm:
        jvm.expect("ready")
        before = jvm.status("SigCgt", "Threads")
        doctor = Doctor(jvm.pid)
        well_formed(doctor, what)
        ct.ok(doctor.possible, f"{what}: a recording is possible", doctor)
        row(doctor, "user", "ok", ["TwoMethods"], what)
        row(doctor, "JDK", *(("ok", ["verified"]) if jdk.version in verified() else ("warning", ["untested"])), what)
        row(doctor, "attach", "ok", ["nothing forbids"], what)
        row(doctor, "agent", "ok", ["not loaded"], what)
        row(doctor, "JVM tables", "ok", ["exported"], what)
        release = jdk.home / "release"  # not every JDK 8 has one
        modules = release.exists() and re.search('MODULES="(.*)"', release.read_text())
        row(doctor, "Flight Recorder", *(("ok", ["jdk.jfr"]) if modules and "jdk.jfr" in modules[1].split() else ("note", [])),
            what)
        row(doctor, "C library", "ok", [], what)
        row(doctor, "debug information", "note", ["sparse", "DebugNonSafepoints"], what)
        row(doctor, "agent loading", *(("note", ["JEP 451", "+EnableDynamicAgentLoading"]) if jdk.version >= 21 else ("ok", [])),
            what)
        ct.ok("JNI checks" not in doctor.rows and "compilers" not in doctor.rows, f"{what}: no row without its cause", doctor)
        ct.ok("opy" in doctor.text("collector") or "erial" in doctor.text("collector"), f"{what}: its collector",
              doctor.rows.get("collector"))
        ct.ok(jvm.status("SigCgt", "Threads") == before and not os.path.exists(f"/tmp/.java_pid{jvm.pid}") and
              not os.path.exists(f"/tmp/.attach_pid{jvm.pid}"), f"{what}: the JVM was not touched", jvm.transcript())
        jvm.process.send_signal(signal.SIGSTOP)
        ct.wait_until(lambda: jvm.status("State")[0].startswith("T"))
        row(Doctor(jvm.pid), "attach", "problem", ["stopped", f"kill -CONT {jvm.pid}"], f"{what}, stopped")
        jvm.process.send_signal(signal.SIGCONT)
        ct.ok(jvm.finish() == 0 and not any("thread dump" in line for line in jvm.out), f"{what}: it ends normally", jvm.transcript())


def unwilling_jvms(jdk):
    flags = ["-XX:+DisableAttachMechanism", "-XX:-EnableDynamicAgentLoading", "-Xint", "-Xcheck:jni", "-XX:-UsePerfData",
             "-XX:+UnlockDiagnosticVMOptions", "-XX:+DebugNonSafepoints", "-XX:+UseParallelGC", "-XX:+IgnoreUnrecognizedVMOptions"]
    with ct.Jvm(jdk, "TwoMethods", flags=flags, wrapper=["prlimit", "--nofile=16:16"]) as jvm:
        jvm.expect("ready")
        doctor, what = Doctor(jvm.pid), f"{jdk}, unwilling"
        well_formed(doctor, what)
        row(doctor, "attach", "problem", ["DisableAttachMechanism", "-agentpath"], what)
        if jdk.version > 8:  # which has no such flag
            row(doctor, "agent loading", "problem", ["EnableDynamicAgentLoading", "-agentpath"], what)
        row(doctor, "compilers", "note", ["-Xint"], what)
        row(doctor, "JNI checks", "note", ["-Xcheck:jni"], what)
        row(doctor, "debug information", "ok", ["DebugNonSafepoints"], what)
        row(doctor, "collector", "ok", ["Parallel"], what)
        row(doctor, "open files", "warning", ["of 16 open", "RLIMIT_NOFILE"], what)
    with ct.Jvm(jdk, "TwoMethods", flags=["-Xrs", "-XX:+IgnoreUnrecognizedVMOptions", "-XX:+EnableDynamicAgentLoading"]) as jvm:
        jvm.expect("ready")
        doctor = Doctor(jvm.pid)
        row(doctor, "attach", "ok", ["-Xrs"], f"{jdk}, -Xrs")
        os.unlink(f"/tmp/.java_pid{jvm.pid}")
        row(Doctor(jvm.pid), "attach", "problem", ["SIGQUIT", "-Xrs", "-agentpath"], f"{jdk}, -Xrs, and its socket removed")
        row(doctor, "agent loading", "ok", ["allowed"], f"{jdk}, +EnableDynamicAgentLoading")


def agents(jdk):
    with ct.Jvm(jdk, "TwoMethods", agent=ct.agent_options()) as jvm:
        jvm.expect("ready")
        doctor, what = Doctor(jvm.pid), f"{jdk} with the agent"
        well_formed(doctor, what)
        row(doctor, "agent", "ok", ["idle", ct.candor("version").out.split()[1]], what)
        row(doctor, "attach", "ok", ["not needed"], what)
        row(doctor, "debug information", "ok", ["since the agent was loaded"], what)
        jvm.control("start", file=ct.WORK / f"agent-{jdk.version}.jfr")
        row(Doctor(jvm.pid), "agent", "ok", ["recording"], what)
        jvm.control("stop")
        ct.ok(jvm.finish() == 0, f"{what}: it ends normally", jvm.transcript())


def main():
    ct.need(ct.PROGRAM)
    plain = plain_machine()
    filters(plain)
    ordinary_user(plain)
    limits(plain)
    namespaces()
    symbols(plain)
    cpu_limit(plain)
    colours()
    no_jvm()
    strange_jvms()
    jdks = ct.jdks()
    for jdk in jdks[-1:]:  # its library, in a stand-in for a JVM
        other_agent(jdk.libjvm)
        other_rights(jdk, jdk.libjvm, plain)
    for jdk in jdks:
        real_jvms(jdk)
        unwilling_jvms(jdk)
        if not ct.SANITIZED:
            agents(jdk)
    ct.done()


main()
