#!/usr/bin/env python3
"""What candor prints about itself and about wrong usage: help, completion, man pages, one-line errors with status 2.

tier: quick
timeout: 180
"""
import os
import pathlib
import pty
import re
import select
import shutil
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import candortest as ct

COMMANDS = ("list", "doctor", "record", "top", "start", "stop", "dump", "status", "report", "analyze", "diagnose", "asm", "diff", "trace",
            "print", "summary", "convert", "scrub", "verify", "daemon", "server", "fleet", "load", "hist", "help", "completion", "version")


def wrong(words, *wanted):
    result = ct.candor(*words)
    lines = result.err.splitlines()
    ct.ok(result.status == 2 and len(lines) == 1 and lines[0].startswith("candor: ") and not result.out and
          all(word in lines[0] for word in wanted), f"candor {words}: status 2, one line", result)


def usage():
    wrong([], "candor list", "candor record PID", "candor help")
    wrong(["recrod"], "'record'", "candor help")
    wrong(["frobnicate"], "'frobnicate'")
    wrong(["list", "--jsno"], "'--json'", "candor help list")
    wrong(["list", "-q"], "'-q'")
    wrong(["list", "this"], "'this'")
    wrong(["record"], "missing", "candor list")
    wrong(["record", "-o", "app.html", "1"], "'app.jfr'", "candor convert")
    wrong(["record", "--"], "missing")
    wrong(["record", "-d"], "needs a value")
    wrong(["record", "-d", "5x", "1"], "'5x'", "duration")
    wrong(["record", "-d", "0", "1"], "duration")
    wrong(["record", "-i", "1us", "1"], "100us")
    wrong(["record", "-i", "11s", "1"], "'11s'", "100us to 10s")
    wrong(["record", "-e", "cycles", "--event-interval", "99999", "1"], "-e cycles", "100000 or more")
    wrong(["record", "-e", "r1a2b", "--event-interval", "9", "1"], "1000 or more")
    wrong(["start", "-e", "sched:sched_switch", "--event-interval", "9", "1"], "10 or more")
    wrong(["record", "-e", "page-fualts", "1"], "no event 'page-fualts'", "page-faults")
    wrong(["start", "-e", "alloc", "--alloc-rate", "2000000/s", "1"], "1/s to 1000000/s")
    wrong(["start", "--dump-on", "cpu>1", "--dump-dir", "/" + "x" * 5000, "1"], "too long", "4096")
    wrong(["status", "--timeout", "0", "1"], "--timeout 0")
    twice = ct.candor("status", "--timeout", "5s", "--timeout", "6s", os.getpid())
    ct.ok("--timeout is given twice: '6s' is used, not '5s'" in twice.err, "an option given twice", twice)
    wrong(["record", "-i", "100 us", "-e", "moon", "1"], "'moon'")
    wrong(["record", "--max-size", "512 KiB", "1"], "'512 KiB'", "1MB to 1GB")
    wrong(["record", "-e", "moon", "1"], "'moon'", "cpu")
    wrong(["record", "-e", "cpu,moon", "1"], "'moon'", "cpu")
    wrong(["record", "-e", "cpu,", "1"], "''", "cpu")
    wrong(["start", "-e", "wall,cpu,wall", "1"], "wall", "twice")
    wrong(["start", "-e", "safepoint,halt", "1"], "safepoint", "alone")
    wrong(["record", "-e", "cycles,page-faults", "1"], "'cycles,page-faults'", "only be recorded alone")
    wrong(["record", "-e", "cpu,page-faults", "1"], "'cpu,page-faults'", "only be recorded alone")
    wrong(["record", "-e", "page-faults", "-i", "1ms", "1"], "--event-interval")
    wrong(["record", "-e", "page-faults", "--max-rate", "5/s", "1"], "--event-interval")
    wrong(["record", "-e", "page-faults", "--clock", "itimer", "1"], "itimer", "leave it out")
    wrong(["record", "-e", "page-faults", "--event-interval", "0", "1"], "'0'")
    wrong(["record", "--event-interval", "5", "1"], "-e page-faults")
    wrong(["asm", "-e", "wall", "1"], "--event wall", "cpu")
    wrong(["asm", "-e", "moon", "1"], "'moon'", "cpu")
    wrong(["record", "--clock", "sundial", "1"], "'sundial'", "sigtrap")
    wrong(["record", "-e", "safepoint", "-i", "900us", "1"], "1ms or more")
    wrong(["start", "-e", "safepoint", "--clock", "timer", "1"], "no clock")
    wrong(["record", "-e", "safepoint", "--carrier-frames", "1"], "leave it out")
    wrong(["record", "-e", "safepoint", "--recompile", "1"], "leave them out")
    wrong(["record", "-e", "safepoint", "--heal", "paced", "1"], "leave them out")
    wrong(["record", "--recompile", "--heal", "off", "1"], "use one of them")
    wrong(["record", "-e", "alloc", "--clock", "timer", "1"], "no clock", "cpu,alloc")
    wrong(["start", "--alloc-rate", "10", "1"], "-e alloc")
    wrong(["record", "-e", "alloc", "--alloc-rate", "10", "--alloc-interval", "1k", "1"], "one of them")
    wrong(["record", "-e", "cpu,alloc", "--alloc-interval", "1", "1"], "'1'", "512k")
    wrong(["record", "-e", "alloc", "--alloc-rate", "fast", "1"], "'fast'", "100/s")
    wrong(["record", "-e", "live", "--clock", "timer", "1"], "no clock", "cpu,live")
    wrong(["record", "-e", "alloc", "--live-max", "100", "1"], "-e live")
    wrong(["start", "-e", "live", "--live-max", "63", "1"], "63", "64 to 16384")
    wrong(["start", "-e", "cpu,live", "--live-max", "many", "1"], "many")
    wrong(["record", "-e", "cpu", "--paths", "1"], "--paths", "-e live")
    wrong(["record", "-e", "live", "--paths=soon", "1"], "--paths 'soon'", "200ms")
    wrong(["start", "-e", "live", "--paths=0", "1"], "--paths '0'", "200ms")
    wrong(["dump", "--paths=11m", "1"], "--paths '11m'", "10m")
    wrong(["record", "-e", "halt", "--clock", "timer", "1"], "no clock", "cpu,halt")
    wrong(["record", "-e", "wall", "-i", "900us", "1"], "1ms or more")
    wrong(["record", "-e", "wall", "--clock", "timer", "1"], "no clock")
    wrong(["record", "-e", "wall", "--max-rate", "5/s", "1"], "--wall-rate")
    wrong(["record", "-e", "cpu", "--wall-rate", "5/s", "1"], "-e wall")
    wrong(["start", "-e", "cpu,wall", "--wall-interval", "5", "1"], "'5'", "1ms to 10s")
    wrong(["start", "-e", "wall", "--wall-rate", "0/s", "1"], "'0/s'")
    wrong(["record", "-e", "lock", "--clock", "timer", "1"], "no clock", "cpu,lock")
    wrong(["start", "--lock-rate", "10/s", "1"], "-e lock")
    wrong(["record", "-e", "cpu,lock", "--lock-threshold", "11s", "1"], "'11s'", "up to 10s")
    wrong(["start", "-e", "lock", "--lock-rate", "0/s", "1"], "'0/s'")
    wrong(["record", "--jfr", "yes", "1"], "'yes'", "existing")
    wrong(["start", "--jfr", "on", "-d", "10s", "1"], "--jfr on", "candor record")
    wrong(["record", "--jfr", "existing", "--", "sh", "-c", "true"], "--jfr existing", "java itself")
    wrong(["record", "-o", "-", "1"], "--output")
    wrong(["record", "--keep", "5", "1"], "'5'", "5m")
    wrong(["record", "--keep", "10ms", "1"], "1s or more")
    wrong(["start", "--max-size", "1k", "1"], "'1k'", "1MB")
    wrong(["start", "--max-size", "2GB", "1"], "'2GB'", "1GB")
    wrong(["start", "--dump-on", "cpu", "1"], "in quotes")
    wrong(["start", "--dump-on", "lock>10ms", "1"], "not lock", "cpu>90%", "-e lock")
    wrong(["start", "--dump-on", "latency(a.B.c)>1s", "1"], "not latency", "cpu>90%")
    wrong(["start", "--dump-on", "cpu>101%", "1"], "100%")
    wrong(["start", "--dump-on", "cpu>90%/1ms", "1"], "1s to 1h")
    wrong(["start", "--dump-on", "cpu>90%", "--dump-dir", "x", "1"], "absolute")
    wrong(["start", "--dump-on", "cpu>90%", "--dump-max", "0", "1"], "1 to 1000")
    wrong(["start", "--dump-on", "cpu>90%", "--dump-pause", "0", "1"], "1s or more")
    wrong(["start", "--dump-max", "3", "1"], "--dump-on")
    wrong(["record", "1", "2"], "'2'", "--")
    wrong(["report", "--kind", "halt", "--tree", "x.jfr"], "--tree", "--time")
    wrong(["report", "--kind", "halt", "--group-by", "endpoint", "x.jfr"], "--group-by", "--time")
    wrong(["report", "--kind", "halt", "x.jfr", "y.jfr"], "one FILE")
    wrong(["report", "--timeline", "x.jfr"], "--kind halt")
    wrong(["report", "--kind", "pause", "x.jfr"], "'pause'", "halt")
    wrong(["analyze", "--top", "few", "x.jfr"], "'few'")
    wrong(["analyze", "x.jfr", "y.jfr"], "'y.jfr'")
    wrong(["status", "--timeout", "soon", "1"], "'soon'")
    wrong(["stop"], "missing")
    wrong(["help", "nothing"], "'nothing'")
    wrong(["record", "--help=most"], "'most'")
    wrong(["completion", "tcsh"], "'tcsh'", "bash")
    wrong(["list", "\x1b[31m\n"], "argument")
    bad = ct.run(ct.PROGRAM, b"\xff\xfe\x1b]0;x\x07")
    ct.ok(bad.status == 2 and "\x1b" not in bad.err and "\x07" not in bad.err, "no control character is echoed", bad)


def options_in(text):
    return re.findall(r"^  (?:-\w, |    )--([a-z-]+)", text, re.M)


def brief_and_whole(name, brief):
    """A long help text begins with the part that most users need, on one screen, and says how much more there is."""
    whole = ct.candor("help", name, "--all")
    ct.ok(whole.out == ct.candor(name, "--help=all").out and max(map(len, whole.out.splitlines()[2:])) <= 130, f"help {name} --all", whole)
    shown, every = options_in(brief), options_in(whole.out)
    more = re.search(r"^(\d+) more options, and all about them: candor help (\S+) --all$", brief, re.M)
    if not more:
        ct.ok(brief == whole.out, f"help {name}: it is all there is")
        return
    ct.ok(set(shown) < set(every) and len(shown) >= 5 and int(more[1]) == len(every) - len(shown) and more[2] == name
          and len(brief.splitlines()) <= 45, f"help {name}: {len(shown)} options, {len(every) - len(shown)} more", brief)


def helps():
    result = ct.candor("help")
    ct.ok(result.status == 0 and not result.err and all(f"  {name} " in result.out for name in COMMANDS),
          "help names every command", result)
    ct.ok(ct.candor("--help").out == result.out == ct.candor("-h").out, "--help and -h are help")
    for name in COMMANDS:
        one = ct.candor("help", name)
        ct.ok(one.status == 0 and f"candor {name}" in one.out and "--help" in one.out and not one.err, f"help {name}", one)
        ct.ok(ct.candor(name, "--help").out == one.out, f"{name} --help is the same")
        brief_and_whole(name, one.out)
    version = ct.candor("version")
    ct.ok(version.status == 0 and re.fullmatch(r"candor \d+\.\d+\.\d+( \([0-9a-f]{7,}(-dirty)?\))?\n", version.out),
          "version, and the commit where there is one", version)
    ct.ok(ct.candor("--version").out == version.out, "--version is the same")
    with open("/dev/full", "w") as full:
        process = ct.spawn([ct.PROGRAM, "help"], stdout=full, stderr=subprocess.PIPE)
        error = process.communicate()[1].decode()
    ct.ok(process.returncode == 1 and error.count("\n") == 1, "output that cannot be written is an error", error)


def on_terminal(**environment):
    """The bytes that `candor help` prints on a terminal."""
    master, slave = pty.openpty()
    process = ct.spawn([ct.PROGRAM, "help"], stdout=slave, env={"PATH": os.environ["PATH"], **environment})
    process.wait(ct.PATIENCE)
    os.close(slave)
    text = b""
    try:
        while part := os.read(master, 65536):
            text += part
    except OSError:
        pass  # end of a terminal without a writer
    os.close(master)
    return text


def colours():
    ct.ok(b"\x1b[" in on_terminal(TERM="xterm"), "a terminal gets colors")
    ct.ok(b"\x1b[" not in on_terminal(TERM="xterm", NO_COLOR="1"), "not with NO_COLOR")
    ct.ok(b"\x1b[" not in on_terminal(TERM="dumb"), "nor a dumb one")
    ct.ok("\x1b[" not in ct.candor("help").out, "nor a file")


def complete(*words):
    """What bash offers for the last word."""
    script = f"""
        source <({ct.PROGRAM} completion bash)
        candor() {{ [[ "$*" == "list --pids" ]] && echo 4711; }}
        COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
        _candor; printf '%s\\n' "${{COMPREPLY[@]}}"
    """
    return ct.run("bash", "-c", script, "bash", *words, cwd=ct.WORK).out.split()


WITH_PROGRAM = {"PATH": f"{ct.BUILD}:{os.environ['PATH']}", "HOME": str(ct.WORK), "TERM": "dumb"}


def zsh_completes(typed, wanted):
    """Types the words and a tab into an interactive zsh. Returns whether the line becomes `wanted`."""
    if not shutil.which("zsh"):
        ct.skip(f"zsh completes '{typed}'", "no zsh here; run script/bootstrap")
        return
    master, slave = pty.openpty()
    process = ct.spawn(["zsh", "-f", "-i"], stdin=slave, stdout=slave, stderr=slave, env=WITH_PROGRAM, cwd=ct.WORK,
                       start_new_session=True)
    os.close(slave)
    shown = b""

    def shows(text):
        nonlocal shown
        while select.select([master], [], [], 0)[0]:
            shown += os.read(master, 65536)
        return text in shown

    os.write(master, b"autoload -Uz compinit && compinit -D -u; source <(candor completion zsh); print lo''aded\n")
    ct.wait_until(lambda: shows(b"loaded"))
    os.write(master, typed.encode() + b"\t")
    ct.ok(ct.wait_until(lambda: shows(wanted.encode())), f"zsh completes '{typed}'", shown.decode(errors="replace"))
    process.kill()
    process.wait()
    os.close(master)


def fish_completes(typed, wanted):
    if not shutil.which("fish"):
        ct.skip(f"fish completes '{typed}'", "no fish here; run script/bootstrap")
        return
    offered = ct.run("fish", "-c", "candor completion fish | source; complete -C $argv[1]", typed, env=WITH_PROGRAM)
    words = [line.split("\t")[0] for line in offered.out.splitlines()]
    ct.ok(words == wanted and not offered.err, f"fish completes '{typed}'", offered)


def completions():
    for shell in ("bash", "zsh", "fish"):
        result = ct.candor("completion", shell)
        ct.ok(result.status == 0 and all(name in result.out for name in COMMANDS), f"{shell} completion", result)
        if not shutil.which(shell):
            ct.skip(f"{shell} parses it", f"no {shell} here")
            continue
        path = ct.WORK / f"completion.{shell}"
        path.write_text(result.out)
        parsed = ct.run(shell, "-n", path)
        ct.ok(parsed.status == 0 and not parsed.err, f"{shell} parses it", parsed)
    (ct.WORK / "some.jfr").write_text("")
    ct.ok(complete("candor", "rec") == ["record"], "a command", complete("candor", "rec"))
    ct.ok(complete("candor", "record", "--dur") == ["--duration"], "an option", complete("candor", "record", "--dur"))
    ct.ok(complete("candor", "record", "--clock", "s") == ["sigtrap", "signal"], "the choices of an option")
    ct.ok(complete("candor", "record", "-e", "h") == ["halt"], "a word of a list")
    ct.ok(complete("candor", "record", "-e", "cpu,wall,h") == ["cpu,wall,halt"], "and a further one")
    ct.ok(complete("candor", "record", "--event", "page") == ["page-faults"] and "..." not in complete("candor", "record", "--event", ""),
          "those of an option that takes others, too", complete("candor", "record", "--event", ""))
    ct.ok(complete("candor", "status", "") == ["4711"], "a process", complete("candor", "status", ""))
    ct.ok(complete("candor", "report", "so") == ["some.jfr"], "a file", complete("candor", "report", "so"))
    ct.ok(complete("candor", "record", "-o", "so") == ["some.jfr"], "the file of an option")
    ct.ok(complete("candor", "record", "-d", "") == [], "nothing where there is nothing to know")
    zsh_completes("candor rec", "candor record ")
    zsh_completes("candor record --dur", "candor record --duration ")
    zsh_completes("candor record -e cpu,ha", "candor record -e cpu,halt")
    fish_completes("candor rec", ["record"])
    fish_completes("candor record --dur", ["--duration"])
    fish_completes("candor record --clock si", ["signal", "sigtrap"])
    fish_completes("candor record -e cpu,h", ["cpu,halt"])


def manuals():
    made = ct.WORK / "man"
    made.mkdir()
    updated = ct.run(ct.ROOT / "docs" / "man" / "update", ct.PROGRAM, made)
    kept = {path.name: path.read_text() for path in (ct.ROOT / "docs" / "man").glob("*.1")}
    ct.ok(updated.status == 0 and set(kept) == {"candor.1", *(f"candor-{name}.1" for name in COMMANDS)},
          "one man page per command", updated)
    for path in sorted(made.glob("*.1")):
        ct.ok(kept.get(path.name) == path.read_text(), f"{path.name} is up to date (ninja man)")
        if not shutil.which("groff"):
            ct.skip(f"{path.name} renders", "no groff here")
            continue
        shown = ct.run("groff", "-man", "-Tutf8", "-ww", path)
        ct.ok(shown.status == 0 and not shown.err and "EXIT STATUS" in re.sub("\x1b\\[[0-9;]*m|.\x08", "", shown.out),
              f"{path.name} renders without a warning", shown)


def main():
    ct.need(ct.PROGRAM)
    usage()
    helps()
    colours()
    completions()
    manuals()
    ct.done()


main()
