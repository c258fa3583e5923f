#!/usr/bin/env python3
"""candor scrub: recordings of the JDK, async-profiler and Candor without their secrets. All readers can still read them, and everything
else is unchanged.

tier: default
timeout: 600
"""
import json
import os
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import candortest as ct

SECRETS = ("hunter2", "topsecret")
ENVIRONMENT = {**os.environ, "DB_PASSWORD": "hunter2", "A_TOKEN": "x-topsecret-x"}


def record(jdk, agent):
    """The path of a recording of a program that has secrets everywhere."""
    path = ct.WORK / f"secret-{jdk.version}.jfr"
    classes = ct.own_classes(jdk, ct.ROOT / "tests" / "jvm" / "Secrets.java")
    result = ct.run(jdk.java, agent.format(path=path), "-Dapp.secret=topsecret", "-Dapp.url=http://bob:hunter2@host/",
                    "-cp", classes, "Secrets", "--password", "hunter2", "--port", "80", env=ENVIRONMENT)
    ct.ok(result.status == 0 and any(secret.encode() in path.read_bytes() for secret in SECRETS),
          f"{jdk}: a recording with secrets", result)
    return path


def events(path):
    result = ct.candor("print", "--json", path)
    return [json.loads(line) for line in result.out.splitlines()]


def changed(before, after, where=""):
    """(place, old text, new text) of all differences; a value that is not text is None there."""
    if isinstance(before, dict) and isinstance(after, dict) and before.keys() == after.keys():
        return [one for key in before for one in changed(before[key], after[key], f"{where}.{key}")]
    if isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
        return [one for i, pair in enumerate(zip(before, after)) for one in changed(*pair, f"{where}[{i}]")]
    if before == after:
        return []
    return [(where, before, after)]


def check(newest, path, what):
    clean = path.with_name(f"clean-{path.name}")
    result = ct.candor("scrub", path, clean)
    ct.ok(result.status == 0 and re.fullmatch(r"\d+ texts of \d+ events redacted\n", result.err), f"{what}: scrubbed", result)
    left = [secret for secret in SECRETS if secret.encode() in clean.read_bytes()]
    ct.ok(not left, f"{what}: no secret is left in the bytes", left)
    before, after = events(path), events(clean)
    ct.ok(len(before) == len(after) > 100 and [e["type"] for e in before] == [e["type"] for e in after], f"{what}: all events are there")
    differences = changed(before, after)
    ct.ok(differences and all(isinstance(new, str) and "***" in new for _, _, new in differences),
          f"{what}: they are the same but for {len(differences)} texts", differences[:5])
    theirs = ct.run(newest.jfr, "print", "--json", clean)
    ct.ok(theirs.status == 0 and len(json.loads(theirs.out)["recording"]["events"]) == len(after), f"{what}: jfr reads it", theirs.err)
    again = path.with_name(f"again-{path.name}")
    ct.candor("scrub", clean, again)
    ct.ok(again.read_bytes() == clean.read_bytes(), f"{what}: scrubbed again it is the same")
    return after


def values(printed, name):
    return [event["values"] for event in printed if event["type"] == name]


def check_values(printed, what):
    properties = {v["key"]: v["value"] for v in values(printed, "jdk.InitialSystemProperty")}
    ct.ok(properties["app.secret"] == "***" and properties["app.url"] == "http://***@host/"
          and properties["java.vm.specification.name"] == "Java Virtual Machine Specification", f"{what}: properties", properties)
    logins = values(printed, "test.Login")
    ct.ok({v["value"] for v in logins} == {"***", "a value of some length that is pooled"}
          and {v["message"] for v in logins} == {"connecting to jdbc:x://***@db/shop?token=***&x=1 as of now"}
          and [v["number"] for v in logins] == list(range(20)), f"{what}: pooled texts", logins[:2])
    jvm = values(printed, "jdk.JVMInformation")[0]
    ct.ok("--password *** --port 80" in jvm["javaArguments"] or "[REDACTED]" in jvm["javaArguments"],
          f"{what}: arguments, unless the JVM did it itself (27)", jvm)


def test_usage(path):
    for words, status, arguments in (("must end in .jfr", 2, (path, ct.WORK / "clean.html")), ("No such file", 1, (ct.WORK / "none", "-")),
                                     ("missing", 2, ())):
        result = ct.candor("scrub", *arguments)
        ct.ok(result.status == status and words in result.err, f"scrub: {words}", result)
    packed = ct.WORK / "clean.jfr.zst"
    plain = ct.WORK / f"clean-{path.name}"
    ct.candor("scrub", path, packed)
    ct.ok(packed.stat().st_size < plain.stat().st_size / 2 and events(packed) == events(plain), "packed as well")
    cut = ct.WORK / "cut.jfr"
    cut.write_bytes(path.read_bytes()[:-300])
    result = ct.candor("scrub", cut, ct.WORK / "rest.jfr")
    ct.ok(result.status in (0, 1) and "candor:" in result.err and not any(
        secret.encode() in (ct.WORK / "rest.jfr").read_bytes() for secret in SECRETS if (ct.WORK / "rest.jfr").exists()),
          "of a damaged one no byte is copied unseen", result)


ct.need()
newest = ct.jdk(25)
if not newest:
    ct.skip("scrubbed recordings", "JDK 25 is not cached; run script/jdks")
    ct.done()
for jdk in ct.jdks():
    recording = record(jdk, "-XX:StartFlightRecording=filename={path},settings=profile")
    check_values(check(newest, recording, f"{jdk}'s recording"), f"{jdk}'s recording")
test_usage(recording)
library = ct.async_profiler()
if library:
    check(newest, record(newest, f"-agentpath:{library}=start,event=cpu,interval=1ms,jfr,file={{path}}"), "async-profiler's")
ct.done()
