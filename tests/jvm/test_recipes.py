#!/usr/bin/env python3
"""The recipes of docs/agent.md that can be run here are run: word for word but for the paths of the agent, of the files and of Tomcat.

A recipe is the first fenced block below its heading. Recipes for products that are not here (Docker, Gradle, IDEs) are not run, and the
page says so.

tier: full
timeout: 300
sanitize: no
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import candortest as ct

PAGE = (ct.ROOT / "docs/agent.md").read_text()
TOMCAT = pathlib.Path("/usr/share/tomcat10")
APP = """
public class App {
    static long hot(long times) {
        long x = 1;
        for (long i = 0; i < times; i++)
            x = x * 31 + i;
        return x;
    }

    static long colder(long times) {
        long x = 1;
        for (long i = 0; i < times; i++)
            x = x * 33 + i;
        return x;
    }

    public static void main(String[] args) {
        long x = 0;
        for (int i = 0; i < 100; i++)
            x += hot(args.length > 0 ? 20_000_000 : 5_000_000) + colder(5_000_000);
        System.out.println(x);
    }
}
"""


def recipe(heading):
    """The first block below a heading, with this build's agent and the test's folder."""
    section = PAGE.split(f"\n## {heading}\n")[1].split("\n## ")[0]
    block = re.search(r"```\n(.*?)```", section, re.DOTALL)[1]
    return block.replace("/usr/lib/candor/libcandor.so", str(ct.AGENT)).replace("/var/tmp/", f"{ct.WORK}/")


def make_jar(jdk):
    source = ct.WORK / "App.java"
    source.write_text(APP)
    done = ct.run(ct.ROOT / "java/build.py", "--main", "App", jdk.javac, ct.WORK / "app.jar", source)
    if not ct.ok(done.status == 0, "app.jar is made", done):
        ct.done()


def shell(jdk, script, **variables):
    path = f"{ct.PROGRAM.parent}:{jdk.java.parent}:{os.environ['PATH']}"
    return ct.run("sh", "-euc", script, cwd=ct.WORK, env={**os.environ, "PATH": path, **variables})


def recordings(pattern):
    return sorted(ct.WORK.glob(pattern))


def check_recording(pattern, what, method="App.hot"):
    """One recording has come, and its report names the program's method."""
    files = recordings(pattern)
    report = ct.run(ct.PROGRAM, "report", *files)
    ct.ok(len(files) == 1 and report.status == 0 and method in report.out, f"{what}: the recording has {method}", f"{files}\n{report}")


def check_any_jvm(jdk):
    lines = recipe("Any JVM: JAVA_TOOL_OPTIONS").splitlines()
    done = shell(jdk, "\n".join(lines[:-1]))
    ct.ok(done.status == 0 and "Picked up JAVA_TOOL_OPTIONS" in done.err, "JAVA_TOOL_OPTIONS: the JVM says that it has read them", done)
    process = recordings("app-*.jfr")[0].stem.split("-")[1]
    report = shell(jdk, lines[-1].replace("4711", process))
    ct.ok(report.status == 0 and "App.hot" in report.out, "JAVA_TOOL_OPTIONS: the page's last command shows the method", report)


def check_tomcat(jdk):
    if not (TOMCAT / "bin/catalina.sh").exists():
        ct.skip("Tomcat", f"needs {TOMCAT}, from tomcat10-common")
        return
    base = ct.WORK / "tomcat"
    for name in ("conf", "logs", "temp", "bin"):
        (base / name).mkdir(parents=True)
    (base / "bin/setenv.sh").write_text(recipe("Tomcat"))
    (base / "conf/server.xml").write_text('<Server port="-1"><Service name="Catalina"><Engine name="Catalina" defaultHost="localhost">'
                                          '<Host name="localhost"/></Engine></Service></Server>')
    server = ct.spawn([TOMCAT / "bin/catalina.sh", "run"], cwd=ct.WORK, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                      env={**os.environ, "JAVA_HOME": str(jdk.home), "CATALINA_HOME": str(TOMCAT), "CATALINA_BASE": str(base)})
    said = ""
    while "Server startup in" not in said:
        line = server.stderr.readline()
        if not line:
            break
        said += line
    server.terminate()
    server.communicate(timeout=ct.PATIENCE)
    ct.ok("Server startup in" in said, "Tomcat: catalina.sh starts with the page's setenv.sh", said)
    check_recording("tomcat-*.jfr", "Tomcat", "org.apache.catalina")


def check_systemd(jdk):
    """systemd reads the drop-in without a complaint; with its own doubling of % undone, the variable makes a JVM record."""
    if not shutil.which("systemd-analyze"):
        ct.skip("systemd", "needs systemd-analyze")
        return
    folder = ct.WORK / "app.service.d"
    folder.mkdir()
    text = recipe("systemd")
    (ct.WORK / "app.service").write_text("[Service]\nExecStart=/bin/true\n")
    (folder / "override.conf").write_text(text)
    read = ct.run("systemd-analyze", "verify", "--man=no", "./app.service", cwd=ct.WORK)
    complaints = [line for line in read.err.splitlines() if "app.service" in line]  # and none about this machine's other units
    ct.ok(read.status == 0 and not complaints, "systemd: the drop-in has no mistake", read)
    value = re.search(r'Environment="JAVA_TOOL_OPTIONS=(.*)"', text)[1].replace("app-%%p", "unit-%%p")
    ct.ok("%" not in value.replace("%%", ""), "systemd: every % is doubled", value)
    run = shell(jdk, "java -jar app.jar", JAVA_TOOL_OPTIONS=value.replace("%%", "%"))
    ct.ok(run.status == 0, "systemd: a JVM takes the variable", run)
    check_recording("unit-*.jfr", "systemd")


def check_kubernetes(jdk):
    """What the init container and the application's container do, with a folder for the volume."""
    text = recipe("Kubernetes")
    volume = ct.WORK / "candor"
    volume.mkdir()
    copy = re.findall(r'"([^"]*)"', re.search(r"command: \[(.*)\]", text)[1])
    done = ct.run(*(str(volume) if word == "/candor/" else word for word in copy))
    ct.ok(copy[0] == "cp" and done.status == 0, "Kubernetes: the init container's command copies the agent", done)
    value = re.search(r'JAVA_TOOL_OPTIONS, value: "(.*)"', text)[1]
    run = shell(jdk, "java -jar app.jar", JAVA_TOOL_OPTIONS=value.replace("/candor/", f"{volume}/"))
    ct.ok(run.status == 0, "Kubernetes: a JVM takes the variable", run)
    check_recording("candor/app-*.jfr", "Kubernetes")


def check_gate(jdk):
    """The change makes one method four times as long: the gate closes. Against itself it stays open."""
    text = recipe("A gate in CI")
    jars = text.replace("benchmark-main.jar", "app.jar").replace("benchmark-change.jar", "app.jar slow")
    closed = shell(jdk, jars)
    ct.ok(closed.status == 1 and "App.hot" in closed.out, "gate: status 1 for a method that has grown", closed)
    opened = shell(jdk, text.splitlines()[-1].replace("change.jfr", "main.jfr"))
    ct.ok(opened.status == 0, "gate: status 0 without a change", opened)


def main():
    ct.need(ct.PROGRAM, ct.AGENT)
    jdk = ct.some(ct.jdks(), 17, 21)[0]
    make_jar(jdk)
    for check in (check_any_jvm, check_tomcat, check_systemd, check_kubernetes, check_gate):
        check(jdk)
    ct.done()


main()
