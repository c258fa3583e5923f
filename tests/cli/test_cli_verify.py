#!/usr/bin/env python3
"""candor verify as a user sees it: errors are reported in one line with a remedy; text, JSON and page say the same.

tier: default
timeout: 300

tests/truth/test_verify.py checks that the verdicts are right; with as few samples as here, one in 10,000 is wrong.
"""
import html.parser
import json
import os
import pathlib
import signal
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import candortest as ct


def wrong(arguments, status, text, **keywords):
    result = ct.candor("verify", *arguments, **keywords)
    ct.ok(result.status == status and text in result.err and result.err.count("\n") <= 2 and not result.out,
          f"verify {' '.join(map(str, arguments))}: {status}, '{text}'", result)


def check_usage():
    wrong(["sharez"], 2, "did you mean shares")
    wrong(["--tools", "perf"], 2, "no tool 'perf'")
    wrong(["--tools", ","], 2, "names no tool")
    wrong(["--interval", "10us"], 2, "100us")
    wrong(["--duration", "1ms"], 2, "a hundred times --interval")
    wrong(["--java", "/nowhere"], 1, "no java at")
    wrong(["--java", ct.WORK], 1, "no java at")
    wrong([], 1, "no java at", env={**os.environ, "JAVA_HOME": "/nowhere"})
    wrong([], 1, "no java in $PATH", env={"PATH": "/nowhere::/tmp"})
    wrong(["--java", ct.JDKS / "17", "shares"], 1, "set TMPDIR", env={**os.environ, "TMPDIR": "/nowhere"})


class Page(html.parser.HTMLParser):
    """The page's text, and the tags that are not closed."""

    def __init__(self):
        super().__init__()
        self.text, self.open, self.strays = [], [], []

    def handle_starttag(self, tag, attributes):
        if tag != "meta":
            self.open.append(tag)

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.strays.append(tag)

    def handle_data(self, data):
        self.text.append(data)


def check_result(jdk):
    page = ct.WORK / "truth.html"
    common = ("--java", jdk.home / "bin" / "java", "-d", "500ms", "--tools", "candor", "shares")
    result = ct.candor("verify", "-o", page, *common)
    ct.ok(result.status in (0, 1) and "shares" in result.out and f"page: {page}" in result.out, "text, and where the page is", result)
    parser = Page()
    parser.feed(page.read_text())
    ct.ok(not parser.open and not parser.strays, "the page's elements close", (parser.open, parser.strays))
    text = " ".join(parser.text)
    ct.ok(all(word in text for word in ("Three methods in one thread", "candor", "true")), "it says what was done", text[:2000])
    answer = json.loads(ct.candor("verify", "--json", *common).out)
    run = answer["runs"][0]
    ct.ok(answer["good"] == (run["verdict"] == "true") and jdk.is_named(answer["jvm"]), "JSON: the JVM", answer["jvm"])
    ct.ok(len(run["parts"]) >= 3 and all(part["low"] <= part["share"] <= part["high"] for part in run["parts"]),
          "JSON: parts with intervals around their shares", run)
    ct.ok(run["samples"] > 500 and abs(run["cpu_ns"] / run["true_cpu_ns"] - 1) < 0.1, "JSON: samples and what they stand for", run)


def check_failures(jdk):
    """A tool that does not work is reported as such. If nothing could be judged, the exit status says so."""
    arguments = ("--java", jdk.home, "-d", "500ms", "shares")
    result = ct.candor("verify", "--json", "--tools", "async-profiler=/nowhere.so", *arguments)
    run = json.loads(result.out)["runs"][0]
    ct.ok(run["verdict"] == "failed" and "/nowhere.so" in run["why"] and result.status == 1, "another profiler that is not there", result)
    (ct.WORK / "java").write_text("#!/bin/sh\necho nonsense\nexit 3\n")
    (ct.WORK / "java").chmod(0o755)
    result = ct.candor("verify", "--tools", "candor", "--java", ct.WORK / "java", "shares")
    ct.ok(result.status == 1 and "failed" in result.out, "a java that is none", result)


def check_interrupt(jdk):
    temporary = ct.WORK / "tmp"
    temporary.mkdir()
    process = ct.spawn([ct.PROGRAM, "verify", "--java", jdk.home], stdout=-1, stderr=-1, env={**os.environ, "TMPDIR": str(temporary)})
    time.sleep(2)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    ct.ok(process.returncode == 1 and b"interrupted after" in err, "Ctrl-C ends it", (process.returncode, err))
    ct.ok(not list(temporary.iterdir()), "and leaves nothing behind", list(temporary.iterdir()))


def main():
    ct.need()
    listed = ct.candor("verify", "--list")
    ct.ok(listed.status == 0 and listed.out.count("\n") > 15 and "trap-hot" in listed.out, "--list", listed)
    check_usage()
    jdk = ct.jdk(17) or ct.jdks()[0]
    if ct.SANITIZED:
        ct.skip("a result", "a sanitized agent needs a JVM with the sanitizer in it")
    else:
        check_result(jdk)
    check_failures(jdk)
    check_interrupt(jdk)
    ct.done()


main()
