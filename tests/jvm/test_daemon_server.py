#!/usr/bin/env python3
"""candor daemon and candor server together: whichever of them is killed, every sample of the JVM is in the store exactly once; also over
TLS.

tier: default
timeout: 3600

The agent counts the samples of its recording. The server's recordings contain each of them once, and its sums are those of the
recordings, to the nanosecond. There are 6 kills in the default tier, 500 in `all`; CANDOR_KILLS sets another number. The network is
cut for 5 seconds, in `all` for ten minutes; CANDOR_CUT sets another time.
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
from daemons import Daemon, check_sums, config, jvm, sums, wait_for
from servers import Server, certificate, client_certificate

KILLS = int(os.environ.get("CANDOR_KILLS", 500 if ct.TIER == "all" else 6))
CUT_S = float(os.environ.get("CANDOR_CUT", 600 if ct.TIER == "all" else 5))
EVER = {"from": "-2h", "to": str(int(time.time()) + 86400)}


def empty_spool(name, daemon, server):
    """The next daemon sends what an earlier daemon left; it profiles nothing."""
    if not daemon.is_empty():
        config(name, "[jvm nothing]", "profile = no", server=server.url)
        last = Daemon(name)
        wait_for(last.is_empty)
        last.end()
    ct.ok(daemon.is_empty(), f"{name}: nothing is left in the spool", daemon)


def check_store(name, server, pid, samples):
    """samples: the number that the agent counted."""
    got = sums(server.recordings(**EVER)).get(pid)
    check_sums(name, got, pid, samples)
    total = server.total(**EVER)
    ct.ok(got and total == got.weight, f"{name}: the sum that the server shows is that of the recordings: {total} ns", got)
    shown = ct.candor("report", "--json", "--from", "-2h", server.url)
    ct.ok(shown.status == 0 and json.loads(shown.out)["sampled"] == total, f"{name}: candor report of the server has that sum", shown)
    return got


def kills(jdk):
    """kill -9 for one or the other, at random moments. The next daemon starts at once; every second server lets the daemon fail first."""
    server = Server("kills")
    with jvm(jdk, "kills") as one:
        config("kills", server=server.url, chunk="1s", look="1s", min_age="0")
        stop = threading.Event()
        worker = threading.Thread(target=lambda: [one.round(seconds=0.2, threads=1) for _ in iter(lambda: stop.wait(0.3), True)],
                                  daemon=True)
        worker.start()
        chance = random.Random(20261123)
        daemon = Daemon("kills")
        ct.ok(daemon.wait_log("profiling pid="), f"{jdk}: profiled", daemon)
        refused, balanced, adopted, servers, failed = 0, True, 0, 0, 0
        # Each is killed at least every second time, whatever the number of kills.
        turns = [turn for pair in range((KILLS + 1) // 2) for turn in chance.sample(("server", "daemon"), 2)][:KILLS]
        for i, turn in enumerate(turns):
            time.sleep(chance.uniform(0, 2))
            if turn == "daemon":
                failed += len(daemon.log("not sent: "))
                daemon.end(signal.SIGKILL)
                daemon = Daemon("kills")
                if i % 20 < 2 or i > KILLS - 3:  # it must sometimes be at work when it is killed
                    adopted += len(daemon.wait_log("took over pid="))
                continue
            refused += server.send(b"no recording", service="kills")[0] == 415
            balanced &= server.balances()
            server.end(signal.SIGKILL)
            time.sleep(0 if servers % 2 else chance.uniform(1.5, 2.5))
            servers += 1
            server = Server("kills", port=server.port)
        time.sleep(2)
        stop.set()
        worker.join(60)
        ct.ok(adopted >= 1, f"{jdk}: {servers} servers and {KILLS - servers} daemons are killed, and replaced", daemon)
        failed += len(daemon.log("not sent: "))
        ct.ok(failed >= 1, f"{jdk}: {failed} attempts to send failed")
        ct.ok(daemon.end() == 0, f"{jdk}: the last daemon ends normally", daemon)
        counted = daemon.log(r"stopped pid=(\d+) samples=(\d+)")
        ct.ok(len(counted) == 1, f"{jdk}: and its recording with it", daemon)
        empty_spool("kills", daemon, server)
        refused += server.send(b"no recording", service="kills")[0] == 415
        ct.ok(refused == servers + 1, f"{jdk}: what is no recording is refused before each kill", refused)
        ct.ok(balanced and server.balances(), f"{jdk}: received = stored + duplicates + refused + on their way, each time",
              server.metrics())
        check_store(f"{jdk}, {KILLS} kills", server, one.pid, int(counted[0][2]) if counted else -1)
        ct.ok(one.finish() == 0, f"{jdk}: the JVM did not mind", one.transcript())
    ct.ok(server.end() == 0, "the server ends normally")


def cut(jdk):
    """The server cannot be reached for a long time: the daemon keeps the recordings, and sends them as soon as it can."""
    server = Server("cut")
    with jvm(jdk, "cut") as one:
        config("cut", server=server.url, chunk="1s", look="1s", min_age="0")
        daemon = Daemon("cut")
        one.round(seconds=1)
        ct.ok(wait_for(lambda: sums(server.recordings(**EVER)).get(one.pid)), f"{jdk}: the server has something", daemon)
        server.end(signal.SIGKILL)
        end = time.monotonic() + CUT_S
        while time.monotonic() < end:
            one.round(seconds=0.05)
            time.sleep(1)
        ct.ok(daemon.process.poll() is None and not daemon.is_empty(), f"{jdk}: {CUT_S:.0f} s without it, and the daemon keeps what comes",
              daemon)
        server = Server("cut", port=server.port)
        one.round(seconds=0.2)
        ct.ok(daemon.end() == 0, f"{jdk}: it ends normally", daemon)
        counted = daemon.log(r"stopped pid=(\d+) samples=(\d+)")
        empty_spool("cut", daemon, server)
        check_store(f"{jdk}, after the cut", server, one.pid, int(counted[0][2]) if counted else -1)
        ct.ok(one.finish() == 0, f"{jdk}: the JVM did not mind", one.transcript())
    ct.ok(server.end() == 0, "the server ends normally")


def encrypted(jdk):
    """Tokens over TLS, with a certificate that only --ca-file knows; then the daemon has a certificate of its own."""
    tokens, files = ct.WORK / "tokens", {}
    for scope in ("read", "write"):
        files[scope] = ct.WORK / f"{scope}.token"
        files[scope].write_text(ct.candor("server", "--token-file", tokens, "--new-token", f"{scope}:{scope}").out)
    secrets = {scope: file.read_text().strip() for scope, file in files.items()}
    pair = certificate("fleet")
    own = client_certificate("web", pair, "web-1.test")
    tokens.write_text(tokens.read_text() + "web-*.test write certificate service=safe\n")
    server = Server("tls", "--token-file", tokens, "--tls-client-ca", pair[0], tls=pair, token=secrets["read"])
    with jvm(jdk, "tls", "-Dservice.name=safe") as one:
        config("tls", server=server.url, chunk="1s", look="1s", min_age="0", token_file=files["write"])
        daemon = Daemon("tls")
        ct.ok(daemon.wait_log("not sent: .*certificate"), f"{jdk}: a certificate that nobody vouches for is refused", daemon)
        said = str(daemon)
        daemon.end(signal.SIGKILL)
        ct.ok(not server.recordings(**EVER), f"{jdk}: and gets nothing")
        config("tls", server=server.url, chunk="1s", look="1s", min_age="0", token_file=files["read"], ca_file=pair[0])
        daemon = Daemon("tls")
        ct.ok(daemon.wait_log("not sent: the server answers 403"), f"{jdk}: a token that may only read sends nothing", daemon)
        said += str(daemon)
        daemon.end(signal.SIGKILL)
        config("tls", server=server.url, chunk="1s", look="1s", min_age="0", ca_file=pair[0], cert_file=own[0], key_file=own[1])
        daemon = Daemon("tls")
        ct.ok(daemon.wait_log("took over pid="), f"{jdk}: the next one has a certificate of its own, and no token", daemon)
        one.round(seconds=1)
        ct.ok(daemon.end() == 0, f"{jdk}: it ends", daemon)
        counted = daemon.log(r"stopped pid=(\d+) samples=(\d+)")
        wait_for(daemon.is_empty, 5)
        got = sums(server.recordings(**EVER)).get(one.pid)
        check_sums(f"{jdk}, over TLS", got, one.pid, int(counted[0][2]) if counted else -1)
        shown = ct.candor("report", "--json", "--select", 'service="safe"', "--token-file", files["read"], "--ca-file", pair[0], server.url)
        ct.ok(shown.status == 0 and got and json.loads(shown.out)["sampled"] == got.weight, f"{jdk}: and candor report has the sum", shown)
        said += str(daemon) + shown.err
        ct.ok("cannot ask for recordings on demand" not in str(daemon), f"{jdk}: the certificate is good for questions, too", daemon)
        ct.ok(not [secret for secret in secrets.values() if secret in said], f"{jdk}: tokens are told to nobody")
    ct.ok(server.end() == 0, "the server ends normally")


def main():
    ct.need(ct.AGENT, ct.PROGRAM, ct.BUILD / "candor-server")
    available = ct.jdks()
    if available:
        encrypted(available[0])
        cut(available[-1])
        kills(available[-1])
    ct.done()


if __name__ == "__main__":
    main()
