#!/usr/bin/env python3
"""The units of dist/: their command lines work, the files beside them are read, and systemd, if it is there, reports no problems.

tier: default
timeout: 120
sanitize: no
"""
import pathlib
import re
import shlex
import shutil
import signal
import subprocess
import sys
import urllib.request

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import candortest as ct

DIST = ct.ROOT / "dist"
UNITS = ct.BUILD / "dist"  # with the paths of this build's prefix


def command(unit, **replaced):
    """What the unit starts, with this build's program and other paths."""
    line = re.search(r"^ExecStart=(.*)", (UNITS / unit).read_text(), re.MULTILINE)[1]
    for old, new in {"/bin/candor ": f"{ct.PROGRAM} ", **replaced}.items():
        ct.ok(old in line, f"{unit}: {old} stands in its command line", line)
        line = re.sub(r"\S*" + re.escape(old), lambda _: str(new), line)
    return shlex.split(line)


def option_lines(path):
    """The settings that a file shows in comments."""
    return re.findall(r"^# (CANDOR_SERVER_OPTIONS=.*)", path.read_text(), re.MULTILINE)


def check_server():
    shown = option_lines(DIST / "server.env")
    help_text = ct.candor("help", "server", "--all").out
    options = [word for line in shown for word in line.split() if "--" in word]
    ct.ok(len(options) >= 4 and all(re.search(r"--[a-z-]+", word)[0] in help_text for word in options), "server.env: its options exist",
          options)
    words = command("candor-server.service", **{"/var/lib/candor-server": ct.WORK / "server",
                                                "$CANDOR_SERVER_OPTIONS": "--listen 127.0.0.1:0"})
    server = ct.spawn(words, stdout=subprocess.PIPE, text=True)
    listening = re.match(r"listening on (\S+)\n", server.stdout.readline())
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    ct.ok(listening and opener.open(listening[1] + "/healthz", timeout=60).status == 200, "candor-server.service: it serves", words)
    server.send_signal(signal.SIGTERM)
    ct.ok(server.wait(ct.PATIENCE) == 0, "and ends by SIGTERM")


def check_daemon():
    words = command("candor-daemon.service", **{"/etc/candor/daemon.conf": DIST / "daemon.conf"})
    result = ct.run(*words, "--status", "--spool", ct.WORK / "no-spool")
    ct.ok(result.status == 1 and "no daemon has written" in result.err, "candor-daemon.service: its configuration is read", result)
    everything = re.sub(r"^# (?=\[|[a-z-]+ *=)", "", (DIST / "daemon.conf").read_text(), flags=re.MULTILINE)
    (ct.WORK / "daemon.conf").write_text(everything)
    result = ct.run(ct.PROGRAM, "daemon", "--config", ct.WORK / "daemon.conf", "--status", "--spool", ct.WORK / "no-spool")
    ct.ok(everything.count("\n#") < 3 and result.status == 1 and "no daemon has written" in result.err,
          "daemon.conf: what is commented out is right, too", (result, everything))


def check_units():
    if not shutil.which("systemd-analyze"):
        ct.skip("systemd reads the units", "there is no systemd-analyze")
        return
    for unit in sorted(UNITS.glob("*.service")):
        copy = ct.WORK / unit.name
        copy.write_text(re.sub(r"^ExecStart=\S+", "ExecStart=/bin/true", unit.read_text(), flags=re.MULTILINE)
                        .replace("User=candor-server\n", "User=root\n"))
        result = ct.run("systemd-analyze", "verify", "--man=no", copy)
        ct.ok(result.status == 0 and unit.name not in result.err, f"{unit.name}: systemd reads it without a word", result)


def main():
    ct.need(ct.PROGRAM, ct.BUILD / "candor-server")
    check_server()
    check_daemon()
    check_units()
    ct.done()


if __name__ == "__main__":
    main()
