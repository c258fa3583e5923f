#!/usr/bin/env python3
"""`meson install` puts down everything that users need, and the tree works wherever it is moved.

What must be there is listed below. Then the tree is moved, and programs, manual pages, completion, the agent and the jar are used there.

tier: default
timeout: 180
sanitize: no
"""
import pathlib
import re
import shutil
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import candortest as ct

WANTED = """
    bin/candor bin/candor-server lib/candor/libcandor.so share/java/candor-context.jar
    include/candor/queue.h include/candor/histogram.h include/candor/queue/record.h
    lib/*/libcandor-queue.a lib/*/libcandor-queue.so lib/*/libcandor-queue.so.0 lib/*/pkgconfig/candor-queue.pc
    lib/*/libcandor-histogram.a lib/*/libcandor-histogram.so lib/*/libcandor-histogram.so.0 lib/*/pkgconfig/candor-histogram.pc
    lib/systemd/system/candor-daemon.service lib/systemd/system/candor-server.service lib/sysusers.d/candor-server.conf
    share/bash-completion/completions/candor share/zsh/site-functions/_candor share/fish/vendor_completions.d/candor.fish
    share/doc/candor/README.md share/doc/candor/CHANGELOG.md share/doc/candor/LICENSE
    lib/*/cmake/candor-queue/candor-queue-config.cmake lib/*/cmake/candor-histogram/candor-histogram-config-version.cmake
    share/doc/candor/examples/Shop.java share/doc/candor/examples/Invoices.java
    share/doc/candor/examples/alerts.conf share/doc/candor/examples/daemon.conf share/doc/candor/examples/server.env
    share/candor/grafana/fleet.json share/candor/grafana/jvm.json share/candor/grafana/server.json share/candor/grafana/service.json
    share/candor/prometheus/candor.rules.yml share/candor/compose.yaml
    share/candor/kubernetes/server.yaml share/candor/kubernetes/daemon.yaml share/candor/kubernetes/kustomization.yaml
    share/candor/kubernetes/pair.yaml share/candor/kubernetes/receiver.yaml
""".split()
BY_RULES = ["CHANGELOG.md", "LICENSE", "daemon.conf", "server.env"]


def install():
    """The installed tree, moved away from where it was put down."""
    there, moved = ct.WORK / "destination", ct.WORK / "elsewhere"
    result = ct.run("meson", "install", "-C", ct.BUILD, "--no-rebuild", "--quiet", "--destdir", there)
    ct.ok(result.status == 0, "meson install", result)
    found = list(there.glob("**/bin/candor"))
    if not ct.ok(len(found) == 1, "one program is installed", found):
        ct.done()
    found[0].parents[1].rename(moved)
    return moved


def check_files(top):
    missing = [name for name in WANTED if not list(top.glob(name))]
    ct.ok(not missing, f"{len(WANTED)} files are there", missing)
    commands = re.findall(r"^  ([a-z]+)  ", ct.run(top / "bin/candor", "help").out, re.MULTILINE)
    pages = {path.name for path in top.glob("share/man/man1/*.1")}
    wanted = {"candor.1"} | {f"candor-{command}.1" for command in commands}
    ct.ok(len(commands) > 20 and pages == wanted, f"{len(commands)} commands have a manual page", pages ^ wanted)
    headers = {path.relative_to(ct.ROOT / "include") for path in (ct.ROOT / "include").glob("**/*.h")}
    ct.ok({path.relative_to(top / "include") for path in top.glob("include/**/*.h")} == headers, "all headers are there")
    ct.ok(not [path for path in top.glob("etc/**/*") if path.is_file()], "no file of the configuration is overwritten")


def check_packages(top):
    """Debian's packages take every installed file, and each of their patterns finds one; dist/debian/rules moves or removes a few."""
    patterns = [line.split()[0] for file in (ct.ROOT / "dist/debian").glob("*.install") for line in file.read_text().splitlines()]
    patterns = [pattern.removeprefix("usr/") for pattern in patterns if pattern.startswith("usr/")]
    idle = [pattern for pattern in patterns if not list(top.glob(pattern))]
    ct.ok(len(patterns) > 20 and not idle, f"{len(patterns)} patterns of Debian's packages find files", idle)
    taken = {path for pattern in patterns for path in top.glob(pattern)}
    left = [path.relative_to(top) for path in top.glob("**/*") if not path.is_dir() and not taken & {path, *path.parents}]
    ct.ok(sorted(path.name for path in left) == BY_RULES, "the packages leave no installed file behind", left)


def check_units(top):
    for unit in top.glob("lib/systemd/system/*.service"):
        program = re.search(r"^ExecStart=(\S+) ", unit.read_text(), re.MULTILINE)[1]
        ct.ok(program.endswith("/bin/candor") and "@" not in unit.read_text(), f"{unit.name}: it starts the program of the prefix",
              program)


def check_completion(top):
    """bash completes a command and an option with the installed file."""
    file = top / "share/bash-completion/completions/candor"
    ask = 'source "$1"; COMP_WORDS=(candor rep); COMP_CWORD=1; COMP_LINE="candor rep"; COMP_POINT=10; ' \
          'f=$(complete -p candor | sed "s/.*-F \\([^ ]*\\).*/\\1/"); $f candor rep candor; echo "${COMPREPLY[@]}"'
    result = ct.run("bash", "-c", ask, "bash", file)
    ct.ok(result.out.split() == ["report"], "bash completes rep", result)
    for name in ("share/zsh/site-functions/_candor", "share/fish/vendor_completions.d/candor.fish"):
        ct.ok("diagnose" in (top / name).read_text(), f"{name} knows the commands")


def check_programs(top):
    """From an empty environment: what a program needs is inside of it or beside it."""
    environment = {"PATH": "/usr/bin:/bin", "HOME": str(ct.WORK)}
    version = ct.run(top / "bin/candor", "version", env=environment)
    ct.ok(version.status == 0 and version.out.startswith("candor "), "candor runs", version)
    server = ct.run(top / "bin/candor", "server", "--data", ct.WORK / "none", "--check-alerts", ct.ROOT / "dist/alerts.conf",
                    env=environment)
    ct.ok(server.status == 0, "candor finds candor-server beside itself", server)
    manual = ct.run("man", "-l", top / "share/man/man1/candor-record.1") if shutil.which("man") else None
    if manual:
        ct.ok(manual.status == 0 and "candor-record" in manual.out, "man shows a page", manual)


def check_agent(top):
    """A JVM takes the installed agent by its path, and the installed program reads the recording."""
    jdk = ct.jdks()[0]
    recording = ct.WORK / "app.jfr"
    agent = ct.agent_options(top / "lib/candor/libcandor.so", file=recording, interval="1ms")
    with ct.Jvm(jdk, "TwoMethods", agent=agent) as jvm:
        jvm.round(seconds=1)
        jvm.finish()
    report = ct.run(top / "bin/candor", "report", recording)
    ct.ok(report.status == 0 and "Samples" in report.out, f"{jdk}: the installed agent records", report)


def main():
    ct.need(ct.PROGRAM, ct.AGENT, ct.BUILD / "candor-server")
    top = install()
    check_files(top)
    check_packages(top)
    check_units(top)
    check_completion(top)
    check_programs(top)
    check_agent(top)
    ct.done()


main()
