#!/usr/bin/env python3
"""Finding JVMs and attaching to them: the right JVMs are found, the protocol is followed, and other processes are not harmed.

tier: default
timeout: 600

A test agent replaces libcandor.so: it writes its options to a file and returns the code that it is told. A small program around
attach_load loads it, to test the protocol; a copy of candor beside the test agent loads it, to test what users see.
"""
import json
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import candortest as ct

AGENT_SOURCE = r"""
#include <stdio.h>
__attribute__((visibility("default"))) int Agent_OnAttach(void *vm, char *options, void *reserved)
{
    char path[1024];
    int code = 0;
    if (!options || sscanf(options, "code=%d,file=%1023s", &code, path) != 2)
        return 77;
    FILE *f = fopen(path, "w");
    if (f) {
        fputs(options, f);
        fclose(f);
    }
    return code;
}
"""
LOADER_SOURCE = r"""
#include "attach/attach.h"
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv)
{
    struct error e = {0};
    int code = argc == 4 ? attach_load(atoi(argv[1]), argv[2], argv[3], 20000000000ull, &e) : 1;
    puts(e.text);
    return code != 0;
}
"""
# The client's folder: readable for every user, with the test agent beside the program.
CLIENT = ct.WORK / "client"
CANDOR, AGENT, LOADER = CLIENT / "candor", CLIENT / "libcandor.so", CLIENT / "loader"
# Lists only this test's JVMs: other tests may run JVMs at the same time.
MAIN_CLASSES = f"Twin{os.getpid()}Class", f"Single{os.getpid()}Class"
STRANGER = ["setpriv", "--reuid=65533", "--regid=65533", "--clear-groups"]


def build():
    CLIENT.mkdir()
    shutil.copy(ct.PROGRAM, CANDOR)
    (CLIENT / "agent.c").write_text(AGENT_SOURCE)
    (CLIENT / "loader.c").write_text(LOADER_SOURCE)
    subprocess.run(["cc", "-shared", "-fPIC", "-o", AGENT, CLIENT / "agent.c"], check=True)
    libraries = [ct.BUILD / "src" / part / f"lib{part}.a" for part in ("attach", "base")]
    sanitize = ["-fsanitize=address,undefined"] if b"__asan_init" in ct.PROGRAM.read_bytes() else []
    subprocess.run(["cc", *sanitize, "-D_GNU_SOURCE", "-I", ct.ROOT / "src", "-o", LOADER, CLIENT / "loader.c", *libraries],
                   check=True)


def compile_programs():
    sources = [CLIENT / f"{name}.java" for name in MAIN_CLASSES]
    for source, name in zip(sources, MAIN_CLASSES):
        source.write_text(f"class {name} {{ public static void main(String[] a) throws Exception {{"
                          'System.out.println("ready"); System.in.read(); } }')
    subprocess.run([ct.compiler().javac, "--release", "8", "-nowarn", "-Xlint:-options", "-d", CLIENT, *sources], check=True)


def jvm_rows():
    result = ct.run(CANDOR, "list", "--json")
    return {row["pid"]: row for row in json.loads(result.out)["jvms"]}


def lists(jdk):
    with ct.Jvm(jdk, "TwoMethods", "a", "b") as jvm:
        jvm.expect("ready")
        row = jvm_rows().get(jvm.pid)
        ct.ok(row and row["main"] == "TwoMethods" and jdk.is_named(row["jdk"]) and
              row["agent"] is False and row["user"], f"{jdk}: list --json", row)
        table = ct.run(CANDOR, "list")
        ct.ok(any(line.split()[0] == str(jvm.pid) and line.split()[-1] == "TwoMethods"
                  for line in table.out.splitlines()), f"{jdk}: list", table)
        ct.ok(str(jvm.pid) in ct.run(CANDOR, "list", "--pids").out.split(), f"{jdk}: list --pids")
    with ct.Jvm(jdk, "TwoMethods", flags=["-XX:-UsePerfData"]) as jvm:
        jvm.expect("ready")
        row = jvm_rows().get(jvm.pid)
        # Then the version comes from the file `release`, which not every JDK 8 has.
        ct.ok(row and row["main"] == "TwoMethods" and jdk.is_named(row["jdk"] or "8"),
              f"{jdk}: list of a JVM without performance data", row)
    ct.ok(jvm.pid not in jvm_rows(), f"{jdk}: an ended JVM is not listed")


def names(jdk):
    twin, single = (["-cp", CLIENT, name] for name in MAIN_CLASSES)
    with ct.Jvm(jdk, "", flags=twin) as one, ct.Jvm(jdk, "", flags=twin) as two, ct.Jvm(jdk, "", flags=single) as other:
        for jvm in (one, two, other):
            jvm.expect("ready")
        both = ct.run(CANDOR, "status", MAIN_CLASSES[0][1:])
        ct.ok(both.status == 1 and str(one.pid) in both.err and str(two.pid) in both.err and both.err.count("\n") == 1,
              f"{jdk}: a name of two JVMs is refused, naming both", both)
        alone = ct.run(CANDOR, "status", "--json", MAIN_CLASSES[1][1:])
        ct.ok(alone.status == 0 and json.loads(alone.out) == {"pid": other.pid, "state": "absent"},
              f"{jdk}: part of a name finds the one JVM", alone)
        none = ct.run(CANDOR, "status", "NoSuchName")
        ct.ok(none.status == 1 and "NoSuchName" in none.err, f"{jdk}: an unknown name", none)


def load(jvm, library, options):
    return ct.run(LOADER, jvm.pid, library, options)


def protocol(jdk):
    marker = ct.WORK / f"marker-{jdk.version}"
    options = f"code=0,file={marker}"
    with ct.Jvm(jdk, "TwoMethods") as jvm:
        jvm.expect("ready")
        first = load(jvm, AGENT, options)
        ct.ok(first.status == 0 and marker.read_text() == options, f"{jdk}: an agent is loaded with its options", first)
        odd = ct.WORK / f"odd name, with = and %-{jdk.version}"
        again = load(jvm, AGENT, f"code=0,file={odd}")
        ct.ok(again.status == 0 and not odd.exists() and (ct.WORK / "odd").exists(),
              f"{jdk}: again, over the socket that is open now", again)
        (ct.WORK / "odd").unlink()
        code = load(jvm, AGENT, f"code=5,file={marker}")
        ct.ok(code.status == 1 and "code 5" in code.out, f"{jdk}: the agent's own failure", code)
        missing = load(jvm, "/nonexistent/x.so", "")
        told = "/nonexistent/x.so" if jdk.version > 8 else "read the agent's library"  # JDK 8 says no more than -1
        ct.ok(missing.status == 1 and told in missing.out, f"{jdk}: a library that is not there", missing)
        text = f"{options} " + "x" * 5000
        long = load(jvm, AGENT, text)
        if jdk.version >= 24:
            ct.ok(long.status == 0 and marker.read_text() == text, f"{jdk}: long options, by version 2 of the protocol", long)
        else:
            ct.ok(long.status == 1 and "longer than the JVM accepts" in long.out, f"{jdk}: options longer than the protocol takes", long)
        good = load(jvm, AGENT, options)
        ct.ok(good.status == 0, f"{jdk}: and after all that a good one", good)
        ct.ok(not os.path.exists(f"/tmp/.attach_pid{jvm.pid}"), f"{jdk}: no trigger file is left")
        row = jvm_rows()[jvm.pid]
        ct.ok(row["agent"] is True and row["recording"] is False, f"{jdk}: list shows the loaded agent", row)
        ct.ok(any(line.split()[0] == str(jvm.pid) and line.split()[3] == "idle" for line in ct.run(CANDOR, "list").out.splitlines()),
              f"{jdk}: as idle")
        jvm.round(seconds=0.1)
        ct.ok(jvm.finish() == 0 and not dumped(jvm), f"{jdk}: the JVM ends normally, without a thread dump", jvm.transcript())


def dumped(jvm):
    return any("Full thread dump" in line for line in jvm.out + jvm.err)


def refused(what, jvm, *words):
    started = ct.run(CANDOR, "start", "-o", ct.WORK / "refused.jfr", jvm.pid)
    ct.ok(started.status == 1 and started.err.count("\n") == 1 and all(word in started.err for word in words), what, started)
    jvm.round(seconds=0.1)
    ct.ok(jvm.finish() == 0 and not dumped(jvm), f"{what}: the JVM was not signalled", jvm.transcript())


def refusals(jdk):
    ways = [("an option", {"flags": ["-XX:+DisableAttachMechanism"]}),
            ("JAVA_TOOL_OPTIONS", {"env": {**os.environ, "JAVA_TOOL_OPTIONS": "-XX:+DisableAttachMechanism"}})]
    if jdk.version > 8:
        ways.append(("an argument file", {"flags": [in_a_file(jdk, "+DisableAttachMechanism")]}))
    for how, keywords in ways:
        with ct.Jvm(jdk, "TwoMethods", **keywords) as jvm:
            jvm.expect("ready")
            refused(f"{jdk}: attach disabled by {how}", jvm, "DisableAttachMechanism", "-agentpath")
    if jdk.version == 8:
        ct.skip(f"{jdk}: dynamic loading disabled", "the flag is younger")
        return
    with ct.Jvm(jdk, "TwoMethods", flags=["-XX:-EnableDynamicAgentLoading"]) as jvm:
        jvm.expect("ready")
        refused(f"{jdk}: dynamic loading disabled", jvm, "-XX:+EnableDynamicAgentLoading", "-agentpath")
    hidden = [in_a_file(jdk, "-EnableDynamicAgentLoading"), "-XX:-UsePerfData"]
    with ct.Jvm(jdk, "TwoMethods", flags=hidden) as jvm:
        jvm.expect("ready")
        refused(f"{jdk}: dynamic loading disabled, as only the JVM knows", jvm, "-XX:+EnableDynamicAgentLoading", "-agentpath")


def in_a_file(jdk, flag):
    """The argument that makes the JVM read a flag from a file. JDK 8 has no argument files, and its own kind of file cannot be seen from
    outside."""
    path = ct.WORK / "arguments"
    path.write_text(flag if jdk.version == 8 else f"-XX:{flag}")
    return f"-XX:Flags={path}" if jdk.version == 8 else f"@{path}"


def silent(jdk):
    """Attach is disabled in a way that cannot be seen from outside: the JVM answers SIGQUIT with a thread dump, and the client gives up."""
    hidden = [in_a_file(jdk, "+DisableAttachMechanism"), "-XX:-UsePerfData"]
    with ct.Jvm(jdk, "TwoMethods", flags=hidden) as jvm:
        jvm.expect("ready")
        result = ct.run(CANDOR, "start", "--timeout", "2s", "-o", ct.WORK / "silent.jfr", jvm.pid)
        ct.ok(result.status == 1 and "2 s" in result.err and "DisableAttachMechanism" in result.err,
              f"{jdk}: a JVM that opens no socket", result)
        ct.ok(not os.path.exists(f"/tmp/.attach_pid{jvm.pid}"), f"{jdk}: no trigger file is left")
        ct.ok(jvm.finish() == 0, f"{jdk}: it lives on")


def stopped(jdk):
    with ct.Jvm(jdk, "TwoMethods") as jvm:
        jvm.expect("ready")
        jvm.process.send_signal(signal.SIGSTOP)
        ct.wait_until(lambda: jvm.status("State")[0].startswith("T"))
        for words in (["start", "-o", ct.WORK / "stopped.jfr"], ["stop"], ["status"], ["dump"]):
            result = ct.run(CANDOR, *words, "--timeout", "1h", jvm.pid)
            ct.ok(result.status == 1 and f"kill -CONT {jvm.pid}" in result.err and result.err.count("\n") == 1,
                  f"{jdk}: {words[0]} of a stopped JVM, at once", result)
        jvm.process.send_signal(signal.SIGCONT)
        ct.ok(jvm.finish() == 0 and not dumped(jvm), f"{jdk}: and it continues unharmed", jvm.transcript())


def young(jdk):
    """A JVM that has mapped its library but has not set its handler yet would die of SIGQUIT."""
    statuses, loaded, attempts = [], 0, 12 if ct.TIER == "all" else 6
    for i in range(attempts):
        with ct.Jvm(jdk, "TwoMethods") as jvm:
            time.sleep(0.048 * i / attempts)
            loaded += load(jvm, AGENT, f"code=0,file={ct.WORK}/young").status == 0
            statuses.append(jvm.finish())
    ct.note(f"{jdk}: {loaded} of {attempts} attached while starting")
    ct.ok(statuses == [0] * attempts, f"{jdk}: a JVM that is just starting survives every attempt", statuses)


def planted(jdk):
    """A socket at the place of the JVM's: another user's socket, or a link to one."""
    with ct.Jvm(jdk, "TwoMethods") as jvm, socket.socket(socket.AF_UNIX) as listener:
        jvm.expect("ready")
        path = f"/tmp/.java_pid{jvm.pid}"
        listener.bind(path)
        listener.listen()
        result = load(jvm, AGENT, "")
        ct.ok(result.status == 1 and "its socket would be" in result.out, f"{jdk}: a socket another process listens on", result)
        os.rename(path, path + ".other")
        os.symlink(path + ".other", path)
        result = load(jvm, AGENT, "")
        ct.ok(result.status == 1 and "its socket would be" in result.out, f"{jdk}: a link in its place", result)
        os.unlink(path)
        os.unlink(path + ".other")
        control = f"/tmp/.candor-{jvm.pid}"
        pathlib.Path(control).unlink(missing_ok=True)  # left by a killed process that had the same number
        os.symlink("/etc/passwd", control)
        result = ct.run(CANDOR, "status", "--json", jvm.pid)
        ct.ok(result.status == 0 and json.loads(result.out)["state"] == "absent", f"{jdk}: a link in place of the control socket", result)
        os.unlink(control)


def squatted(jdk):
    """Another user's files under the names that attaching needs."""
    if os.geteuid() != 0:
        ct.skip(f"{jdk}: another user's files", "needs root")
        return
    with ct.Jvm(jdk, "TwoMethods", wrapper=["setpriv", "--bounding-set=-all", "--inh-caps=-all"]) as jvm:
        jvm.expect("ready")
        for name in (f".java_pid{jvm.pid}", f".attach_pid{jvm.pid}"):
            with socket.socket(socket.AF_UNIX) as listener:
                listener.bind(f"/tmp/{name}")
            os.chown(f"/tmp/{name}", 65533, 65533)
        result = load(jvm, AGENT, "")
        ct.ok(result.status == 1 and all(word in result.out for word in ("'65533'", "root remove it", "-agentpath")),
              f"{jdk}: another user's socket in place of the JVM's", result)
        if jdk.version == 17:  # it has nothing to do with the JDK
            doctor = json.loads(ct.run(CANDOR, "doctor", "--json", jvm.pid).out)
            ct.ok(any(row["check"] == "attach" and row["level"] == "problem" and "'65533'" in row["found"] for row in doctor["checks"]),
                  f"{jdk}: which doctor says, too", doctor)
        os.unlink(f"/tmp/.java_pid{jvm.pid}")
        marker = ct.WORK / f"squatted-{jdk.version}"
        result = load(jvm, AGENT, f"code=0,file={marker}")
        ct.ok(result.status == 0 and marker.exists(), f"{jdk}: another user's file in place of the trigger: the JVM's own folder will do",
              result)
        ct.ok(not (jvm.directory / f".attach_pid{jvm.pid}").exists(), f"{jdk}: where nothing is left")
        ct.remove_left(f"/tmp/.attach_pid{jvm.pid}")
        ct.ok(jvm.finish() == 0 and not dumped(jvm), f"{jdk}: and it ends normally", jvm.transcript())


def no_jvms():
    """Processes that would die of SIGQUIT; also one that has read libjvm.so, but is not a JVM."""
    child = ct.spawn(["sleep", "100"])
    library = next((one.libjvm for one in map(ct.jdk, ct.VERSIONS) if one), "/dev/null")
    reader = ct.spawn([sys.executable, "-c", "import mmap, sys\nf = open(sys.argv[1], 'rb')\n"
                       "m = mmap.mmap(f.fileno(), 4096, prot=mmap.PROT_READ) if f.name != '/dev/null' else None\n"
                       "print('ready', flush=True)\nsys.stdin.read()", library], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    reader.stdout.readline()
    for process, what in ((child, "sleep"), (reader, "a reader of libjvm.so")):
        for command in ("start", "record"):
            result = ct.run(CANDOR, command, "-d", "1s", "-o", ct.WORK / "none.jfr", process.pid)
            ct.ok(result.status == 1 and "not a JVM" in result.err and result.err.count("\n") == 1, f"{command} {what}", result)
        ct.ok(process.poll() is None, f"{what} lives on", process.returncode)
        ct.ok(process.pid not in jvm_rows(), f"{what} is not listed")
        process.kill()
    child.wait()
    for pid in (child.pid, 4194304 + 1, 0, 99999999999999999999):
        result = ct.run(CANDOR, "start", pid)
        ct.ok(result.status == 1 and f"no process {pid}" in result.err, f"process {pid}: not there", result)
    thread = next(tid for tid in os.listdir("/proc/self/task"))
    ct.ok(ct.run(CANDOR, "start", thread).status == 1, "the test itself is no JVM")


def other_user(jdk):
    if os.geteuid() != 0 or not shutil.which("setpriv"):
        ct.skip(f"{jdk}: another user's JVM", "needs root and setpriv")
        return
    home = ct.WORK / f"home-{jdk.version}"
    home.mkdir()
    shutil.chown(home, "nobody", "nogroup")
    marker = home / "marker"
    with ct.Jvm(jdk, "TwoMethods", wrapper=ct.as_nobody(), cwd=home) as jvm:
        jvm.expect("ready")
        for command in (["start"], ["stop"], ["status"], ["record", "-d", "1s"]):
            result = ct.run(*STRANGER, CANDOR, *command, jvm.pid, cwd="/")
            ct.ok(result.status == 1 and "'nobody'" in result.err and "root" in result.err and result.err.count("\n") == 1,
                  f"{jdk}: a stranger may not {command[0]}", result)
        row = json.loads(ct.run(*STRANGER, CANDOR, "list", "--json", cwd="/").out)["jvms"]
        ct.ok(any(one["pid"] == jvm.pid and one["user"] == "nobody" and one["agent"] is None for one in row),
              f"{jdk}: but sees the JVM in the list", row)
        loaded = load(jvm, AGENT, f"code=0,file={marker}")
        ct.ok(loaded.status == 0 and marker.stat().st_uid == home.stat().st_uid, f"{jdk}: root may attach", loaded)
        ct.ok(jvm.finish() == 0 and not dumped(jvm), f"{jdk}: nobody's JVM ends normally", jvm.transcript())


def main():
    ct.need(ct.PROGRAM)
    if not shutil.which("cc"):
        ct.skip("attach", "no C compiler for the test agent")
        ct.done()
    build()
    compile_programs()
    no_jvms()
    for jdk in ct.jdks():
        lists(jdk)
        names(jdk)
        protocol(jdk)
        refusals(jdk)
        silent(jdk)
        stopped(jdk)
        young(jdk)
        planted(jdk)
        squatted(jdk)
        if ct.in_closed_folder(jdk):
            ct.skip(f"{jdk}: another user's JVM", ct.CLOSED_FOLDER)
        else:
            other_user(jdk)
    ct.done()


main()
