#!/usr/bin/env python3
"""candor daemon with real JVMs and a misbehaving server: everything arrives exactly once, whatever is killed.

tier: default
timeout: 3600

The agent counts the samples of each recording; the server must have received exactly these. 6 daemons are killed in the default tier,
504 in `all`: 84 with each JDK.
"""
import json
import os
import pathlib
import random
import signal
import sys
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import candortest as ct
import collector
from daemons import Daemon, check_sums, config, jvm, sums, wait_for
from servers import certificate

KILLS = 84 if ct.TIER == "all" else 6


def misbehaving_server(jdks):
    """The server refuses, does not answer, cuts connections, or is absent, with a JVM of each of two JDKs."""
    with collector.Collector(token="secret-7f3a") as server:
        (ct.WORK / "token").write_text("secret-7f3a\n")
        config("odd", server=server.url, chunk="1s", look="1s", min_age="0", token_file=ct.WORK / "token")
        jvms = [jvm(one, "odd", f"-Dservice.name=service-{one.version}", "-Ddd.version=1.2") for one in jdks]
        server.behave("503", retry_after=1)
        server.behave("cut", times=2)
        server.behave("mute")
        server.behave("500")
        server.behave("429", retry_after=1)
        server.behave("hang")
        daemon = Daemon("odd")
        try:
            ct.ok(len(daemon.wait_log(r"profiling pid=(\d+)", len(jvms))) == len(jvms), "both JVMs are found and profiled", daemon)
            for one in jvms:
                one.round(seconds=2)
            wait_for(lambda: not server.faults_left() and server.requests >= 7)
            server.release()
            ct.ok(wait_for(lambda: len(server.taken) >= 2), "after all of that recordings arrive", daemon)
            gaps = [b - a for a, b in zip(server.times, server.times[1:])]
            ct.ok(gaps[0] >= 1, "no sooner than the server requested", gaps)
            server.close()
            jvms[0].round(seconds=2)
            ct.ok(daemon.wait_log("not sent: .*next attempt"), "the server is away, and the daemon says so", daemon)
            server.open()
            ct.ok(daemon.wait_log("sending works again", 2), "it is back", daemon)
            status = wait_for(lambda: daemon.status()["sent"]["recordings"] and daemon.status())
            states = {entry["pid"]: entry for entry in status["jvms"]}
            ct.ok(all(states[one.pid]["state"] == "recording" and states[one.pid]["rule"] == "mine" for one in jvms),
                  "the status names them", status)
            for one in jvms:
                old = one.jdk.version == 8
                ct.ok(states[one.pid]["events"] == ("cpu,wall,lock,halt" if old else "cpu,wall,alloc,lock,halt"),
                      f"{one.jdk}: all events are recorded that it knows", states[one.pid])
                ct.ok(bool(states[one.pid]["left_out"]) == old, f"{one.jdk}: and what it does not know is named", states[one.pid])
            ct.ok(all(entry["reason"] for entry in status["jvms"] if entry["state"] == "left alone"), "and why others are not profiled")
            shown = ct.candor("daemon", "--status", "--spool", daemon.spool)
            ct.ok(shown.status == 0 and json.loads(shown.out)["running"] is True, "candor daemon --status prints it", shown)
            second = ct.candor("daemon", "--config", ct.WORK / "odd.conf", "--spool", daemon.spool)
            ct.ok(second.status == 1 and "another candor daemon" in second.err, "a second daemon refuses the spool", second)
            jvms[1].round(seconds=1)
            ct.ok(daemon.end() == 0, "SIGTERM: it ends normally", daemon)
            ct.ok(daemon.is_empty(), "and leaves nothing in the spool", daemon)
            stopped = {int(match[1]): int(match[2]) for match in daemon.log(r"stopped pid=(\d+) samples=(\d+)")}
            got = sums(server.taken)
            for one in jvms:
                check_sums(str(one.jdk), got.get(one.pid), one.pid, stopped.get(one.pid))
                missing = [kind for kind in ("candor.CpuSample", "candor.WallSample") if not got[one.pid].types[kind]]
                ct.ok(not missing, f"{one.jdk}: samples of each event", got[one.pid].types)
                ct.ok(got[one.pid].services == {f"service-{one.jdk.version}"}, f"{one.jdk}: with its service")
            ct.ok(all(taken.labels["version"] == "1.2" and taken.labels["host"] for taken in server.taken), "version and host")
            ct.ok(server.duplicates >= 1 and not server.problems, "what the server had taken without saying so it knew again",
                  server.problems)
            ct.ok("secret-7f3a" not in str(daemon) + shown.out, "the token is told to nobody")
        finally:
            daemon.process.kill()
            for one in jvms:
                one.kill()


def killed_daemons(jdk):
    """kill -9 at random moments; each time the next daemon continues."""
    with collector.Collector() as server, jvm(jdk, "kill") as one:
        config("kill", server=server.url, chunk="1s", look="1s", min_age="0")
        stop = threading.Event()
        worker = threading.Thread(target=lambda: [one.round(seconds=1) for _ in iter(stop.is_set, True)], daemon=True)
        worker.start()
        chance = random.Random(4711)
        adopted = 0
        first = Daemon("kill")
        ct.ok(first.wait_log("profiling pid="), f"{jdk}: profiled", first)
        daemon = first
        for i in range(KILLS):
            time.sleep(chance.uniform(0, 2))
            if i % 3 == 0:
                server.behave("mute")
            daemon.end(signal.SIGKILL)
            daemon = Daemon("kill")
            if i % 20 == 0 or i == KILLS - 1: # it must sometimes be at work when it is killed
                adopted += len(daemon.wait_log("took over pid="))
        time.sleep(2)
        stop.set()
        worker.join(60)
        ct.ok(adopted >= 1, f"{jdk}: the next daemon takes the recording over", daemon)
        ct.ok(daemon.end() == 0 and daemon.is_empty(), f"{jdk}: the last one ends normally", daemon)
        stopped = daemon.log(r"stopped pid=(\d+) samples=(\d+)")
        ct.ok(len(stopped) == 1, f"{jdk}: and its recording with it", daemon)
        check_sums(f"{jdk}, {KILLS} daemons killed", sums(server.taken).get(one.pid), one.pid, int(stopped[0][2]) if stopped else -1)
        ct.ok(not server.problems, f"{jdk}: no request was wrong", server.problems)
        ct.ok(one.finish() == 0, f"{jdk}: the JVM did not mind", one.transcript())


def all_sent(server, counted):
    got = sums(server.taken)
    return all(pid in got and got[pid].samples >= samples for pid, samples in counted.items())


def ending_jvms(jdk):
    """A JVM that ends, one that is killed, one that another program records, and one that must not be profiled."""
    with collector.Collector() as server, jvm(jdk, "ends") as ending, jvm(jdk, "ends") as killed, jvm(jdk, "ends") as taken, \
            jvm(jdk, "other") as other:
        config("ends", "[jvm named]", "service = by-rule", "label.team = pay & co", server=server.url, chunk="300s", look="1s",
               min_age="0")
        own = ct.WORK / "own.jfr"
        alone = ct.candor("start", "-e", "safepoint", "-o", own, taken.pid)
        ct.ok(alone.status == 0, f"{jdk}: somebody records one, and nobody can beside that", alone)
        daemon = Daemon("ends")
        daemon.wait_log(r"profiling pid=", 2)
        daemon.wait_log(r"left alone pid=\d+ .*another recording is running")
        profiled = {int(match[1]) for match in daemon.log(r"profiling pid=(\d+)")}
        ct.ok(profiled == {ending.pid, killed.pid}, f"{jdk}: those two are profiled", daemon)
        truth = ending.round(seconds=2)
        killed.round(seconds=2)
        time.sleep(2.5)  # the agent has flushed all its data
        killed.process.kill()
        ct.ok(ending.finish() == 0, f"{jdk}: one ends by itself")
        ct.ok(len(daemon.wait_log(r"ended pid=", 2)) == 2, f"{jdk}: the daemon sees both end", daemon)
        counted = {int(match[1]): int(match[2]) for match in daemon.log(r"ended pid=(\d+) .*samples=(\d+)")}
        wait_for(lambda: all_sent(server, counted))  # in more than one recording each, if a chunk ended meanwhile
        got = sums(server.taken)
        for pid in (ending.pid, killed.pid):
            check_sums(f"{jdk}, ended", got.get(pid), pid, counted.get(pid))
            ct.ok(got.get(pid) and got[pid].samples > 50, f"{jdk}: its last chunk is sent", got)
        ct.ok(set(got) == {ending.pid, killed.pid}, f"{jdk}: nothing of the others is sent")
        ct.ok(all(one.labels["service"] == "by-rule" and one.labels["team"] == "pay & co" for one in server.taken),
              f"{jdk}: as the rule says")
        ct.ok(daemon.end() == 0 and daemon.is_empty(), f"{jdk}: it ends normally", daemon)
        status = ct.candor("status", "--json", taken.pid)
        ct.ok(json.loads(status.out).get("file") == str(own), f"{jdk}: the other's recording went on", status)
        gone = ct.candor("daemon", "--status", "--spool", daemon.spool)
        ct.ok(gone.status == 1 and json.loads(gone.out)["running"] is False and "no daemon is running" in gone.err,
              f"{jdk}: the last word stays in the spool", gone)


def beside_others(jdk):
    """Another program records a JVM when the daemon comes: both record, and each ends only its own recording; the same holds for the
    next daemon."""
    with collector.Collector() as server, jvm(jdk, "beside") as one:
        config("beside", server=server.url, chunk="1s", look="1s", min_age="0")
        own, more = ct.WORK / "beside.jfr", ct.WORK / "more.jfr"
        ct.ok(ct.candor("start", "-i", "1ms", "-o", own, one.pid).status == 0, f"{jdk}: somebody records")
        daemon = Daemon("beside")
        ct.ok(daemon.wait_log("profiling pid="), f"{jdk}: the daemon does, too", daemon)
        status = one.ask("status", recording=2)
        ct.ok(status["recordings"] == "1,2" and status["name"] == "daemon", f"{jdk}: under its name", status)
        state = wait_for(lambda: "\nrecording 2\n" in "".join(path.read_text() for path in (daemon.spool / "live").glob("*.state")))
        ct.ok(state, f"{jdk}: it keeps the number")
        one.round(seconds=2)
        stopped = ct.candor("stop", one.pid)
        ct.ok(stopped.status == 0 and one.ask("status")["recordings"] == "2", f"{jdk}: candor stop ends the user's", stopped)
        ct.ok(ct.Recording(own).samples, f"{jdk}: which has samples")
        ct.ok(ct.candor("start", "-o", more, one.pid).status == 0, f"{jdk}: another begins")
        daemon.end(signal.SIGKILL)
        daemon = Daemon("beside")
        ct.ok(daemon.wait_log("took over pid="), f"{jdk}: the next daemon takes its recording over", daemon)
        one.round(seconds=1)
        ct.ok(daemon.end() == 0 and daemon.is_empty(), f"{jdk}: and ends it", daemon)
        status = one.ask("status")
        ct.ok(status["recordings"] == "3" and status["file"] == str(more), f"{jdk}: and not the user's", status)
        counted = daemon.log(r"stopped pid=(\d+) samples=(\d+)")
        check_sums(f"{jdk}, beside others", sums(server.taken).get(one.pid), one.pid, int(counted[0][2]) if counted else -1)
        ct.ok(ct.candor("stop", one.pid).status == 0 and ct.Recording(more).samples, f"{jdk}: which ends when it is reported")


def once_and_refused(jdk):
    with collector.Collector() as server, jvm(jdk, "once") as one:
        config("once", server=server.url, chunk="2s", look="1s", min_age="0")
        server.behave("400")
        daemon = Daemon("once", "--once")
        daemon.wait_log("profiling")
        one.round(seconds=3)
        ct.ok(daemon.process.wait(ct.PATIENCE) == 0, f"{jdk}: --once ends by itself", daemon)
        daemon.reader.join(10)
        status = daemon.status()
        ct.ok(status["dropped"]["refused"]["recordings"] == 1 and daemon.log("reason=refused: the server answers 400 .*as told"),
              f"{jdk}: what the server will never take is dropped, counted and named", status)
        ct.ok(status["spooled"]["recordings"] == status["sent"]["recordings"] + 1 == len(server.taken) + 1,
              f"{jdk}: spooled = sent + dropped", status)
        ct.ok(daemon.is_empty(), f"{jdk}: nothing stays behind", daemon)
        server.close()
        daemon = Daemon("once", "--once")
        daemon.wait_log("profiling")
        one.round(seconds=1)
        failed = daemon.process.wait(ct.PATIENCE)
        ct.ok(failed == 1 and list((daemon.spool / "queue").iterdir()), f"{jdk}: without a server it fails, and keeps what it has", daemon)
        server.open()
        daemon = Daemon("once", "--once")
        daemon.process.wait(ct.PATIENCE)
        ct.ok(daemon.is_empty(), f"{jdk}: for the next", daemon)
        ct.ok(sums(server.taken)[one.pid].repeated == 0, f"{jdk}: nothing is sent twice")


def encrypted(jdk):
    """TLS, with a certificate that only --ca-file knows."""
    pair = certificate("collector")
    with collector.Collector(certificate=pair) as server, jvm(jdk, "tls") as one:
        config("tls", server=f"https://localhost:{server.port}", chunk="1s", look="1s", min_age="0")
        daemon = Daemon("tls")
        one.round(seconds=2)
        ct.ok(daemon.wait_log("not sent: .*certificate"), f"{jdk}: a certificate that nobody vouches for is refused", daemon)
        daemon.end()
        ct.ok(not server.taken, f"{jdk}: and gets nothing")
        daemon = Daemon("tls", "--ca-file", pair[0])
        ct.ok(wait_for(lambda: server.taken), f"{jdk}: with --ca-file it is trusted", daemon)
        daemon.end()


def other_users(jdk):
    """Root profiles the JVMs of all users, user nobody only its own."""
    if os.geteuid() != 0:
        ct.skip("a JVM of another user", "only root can start one")
        return
    with collector.Collector() as server, jvm(jdk, "users", wrapper=ct.as_nobody()) as nobodys, jvm(jdk, "users") as roots:
        path = config("users", server=server.url, chunk="1s", look="1s", min_age="0")
        daemon = Daemon("users")
        ct.ok(len(daemon.wait_log("profiling pid=", 2)) == 2, f"{jdk}: root profiles nobody's JVM and root's", daemon)
        nobodys.round(seconds=2)
        ct.ok(daemon.end() == 0 and daemon.is_empty(), f"{jdk}: and stops", daemon)
        stopped = {int(match[1]): int(match[2]) for match in daemon.log(r"stopped pid=(\d+) samples=(\d+)")}
        check_sums(f"{jdk}, of nobody", sums(server.taken).get(nobodys.pid), nobodys.pid, stopped.get(nobodys.pid))
        os.chown(daemon.spool, 65534, 65534)
        for entry in daemon.spool.rglob("*"):
            os.chown(entry, 65534, 65534)
        path.chmod(0o644)
        daemon = Daemon("users", wrapper=ct.as_nobody())
        daemon.wait_log("profiling pid=")
        reason = lambda: [entry["reason"] or "" for entry in daemon.status()["jvms"] if entry["pid"] == roots.pid]
        ct.ok(wait_for(lambda: daemon.log("profiling pid=") and "run the daemon as root" in "".join(reason())),
              f"{jdk}: nobody leaves root's JVM alone, and says why", daemon)
        ct.ok({int(match[1]) for match in daemon.log(r"profiling pid=(\d+)")} == {nobodys.pid}, f"{jdk}: and profiles his own", daemon)
        ct.ok(daemon.end() == 0, f"{jdk}: to the end", daemon)


def usage():
    for arguments, word in ((["--server", "ftp://x"], "http://HOST:PORT"), ([], "no server"),
                            (["--server", "http://x", "--chunk", "5"], "chunk '5'"),
                            (["--server", "http://x", "--config", "/none"], "/none"), (["--server", "http://x", "a"], "")):
        result = ct.candor("daemon", *arguments)
        ct.ok(result.status == 2 and word in result.err and result.err.count("\n") <= 2, f"usage: {' '.join(arguments)}", result)


ct.need()
usage()
available = ct.jdks()
if available:
    chosen = ct.spread(available, [ending_jvms, killed_daemons, beside_others, once_and_refused])
    encrypted(available[0])
    other_users(next(one for one in available if not ct.in_closed_folder(one)))
    misbehaving_server([available[0], available[-1]])
    for which, scenario in chosen[:4] if ct.TIER != "all" else chosen:
        scenario(which)
ct.done()
