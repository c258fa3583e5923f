"""candor report on recordings of the JDK's own flight recorder: they are read, their samples are weighed, and the report says that they
have no books.

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

MS = 1_000_000


def record(jdk, name, *settings):
    """The path of a recording of TwoMethods, 1 s of CPU in each of two threads."""
    path = ct.WORK / f"{name}.jfr"
    options = ",".join([f"filename={path}", "settings=profile", *settings])
    flags = [f"-XX:StartFlightRecording={options}"]
    if jdk.version == 8:  # otherwise its sampler finds hardly any frame of a loop without polls
        flags += ["-XX:+UnlockDiagnosticVMOptions", "-XX:+DebugNonSafepoints"]
    with ct.Jvm(jdk, "TwoMethods", flags=flags) as jvm:
        truth = jvm.round(seconds=1, threads=2)
        status = jvm.finish()
    ct.ok(status == 0 and path.exists(), f"{jdk}: {name} is recorded")
    return path, truth


def report(path):
    result = ct.candor("report", "--json", path)
    return json.loads(result.out) if result.status == 0 else {"failed": str(result)}


def jfr_count(jdk, path, event):
    """How many events of a type the JDK's own tool finds."""
    out = ct.run(jdk.jfr, "summary", path).out
    match = re.search(rf"^\s*{re.escape(event)}\s+(\d+)", out, re.M)
    return int(match.group(1)) if match else 0


def self_of(r, name):
    return next((m for m in r["methods"] if m["name"] == name), {"self": 0, "self_share": 0})


def check_shares(r, truth, text):
    """heavy / (heavy + light), compared with the program's own account. The sampler has its own bias, and stacks are taken at polls. So
    the test looks only for a gross error of ours (a wrong frame, a wrong weight): 6 standard errors and 10 points."""
    heavy, light = self_of(r, "TwoMethods.heavy")["self"], self_of(r, "TwoMethods.light")["self"]
    true = truth["heavy_ns"] / (truth["heavy_ns"] + truth["light_ns"])
    seen = heavy / max(1, heavy + light)
    bound = 6 * (0.25 / max(1, r["effective_samples"])) ** 0.5 + 0.1
    ct.ok(abs(seen - true) < bound, f"{text}: heavy is {seen:.3f} of both, in truth {true:.3f}", r["methods"][:5])


def check_execution(jdk):
    path, truth = record(jdk, f"execution-{jdk.version}")
    r = report(path)
    count = jfr_count(jdk, path, "jdk.ExecutionSample")
    ct.ok(count > 50 and r["execution_samples"] == count and r["samples"] == 0 and r["source"] == "jdk.ExecutionSample",
          f"{jdk}: as many jdk.ExecutionSample as the JDK's own tool counts ({count})", r)
    ct.ok(r["books"] is None and r["unit"] == "ns" and r["interval_ns"] % MS == 0 and r["interval_ns"] > 0
          and r["sampled"] == count * r["interval_ns"], f"{jdk}: weighed by the period of the settings, no books", r)
    check_shares(r, truth, f"{jdk}, jdk.ExecutionSample")
    names = {t["name"] for t in r["threads"]}
    ct.ok(any(name.startswith("two-methods-") for name in names), f"{jdk}: threads by name", names)
    ct.ok(all(line["line"] > 0 for line in r["lines"] if line["name"].startswith("TwoMethods.")), f"{jdk}: lines")
    text = ct.candor("report", "--tree", path)
    ct.ok(" on web-3\n" in text.out and r["settings"].get("host") == "web-3", f"{jdk}: the host, from the environment", text)
    ct.ok(text.status == 0 and "This recording has no books" in text.out, f"{jdk}: the text report", text)
    html = ct.WORK / "out.html"
    ct.ok(ct.candor("convert", path, html).status == 0 and "TwoMethods.heavy" in html.read_text(), f"{jdk}: flame graph")


def check_cpu_time(jdk):
    path, truth = record(jdk, "cputime", "jdk.CPUTimeSample#enabled=true")
    r = report(path)
    count = jfr_count(jdk, path, "jdk.CPUTimeSample")
    samples = sum(t["samples"] for t in r["threads"])
    ct.ok(count > 50 and samples == count and r["source"] == "jdk.CPUTimeSample" and r["books"] is None,
          f"{jdk}: jdk.CPUTimeSample is preferred ({count} samples)", r)
    cpu = truth["cpu_ns"]
    ct.ok(0.6 * cpu < r["sampled"] < 1.8 * cpu, f"{jdk}: weights add up to about the CPU time",
          f"sampled {r['sampled']}, threads used {cpu}")
    check_shares(r, truth, f"{jdk}, jdk.CPUTimeSample")


ct.need(ct.PROGRAM)
os.environ["HOSTNAME"] = "web-3"
for one in ct.jdks():
    check_execution(one)
    if one.version == 25:
        check_cpu_time(one)
ct.done()
