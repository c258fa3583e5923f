#!/usr/bin/env python3
"""Healing: if samples hit code that was compiled before a late attach, the code is discarded and compiled again with exact lines.

tier: default
timeout: 600

Places.java has run a load before the agent comes, so most samples of that load in compiled code are approximate. After healing less than
1 % of those in the last quarter of the recording may be approximate. The true share there is nearly 0: only code that no sample hit before
is left. With 700 samples and a true share of 0.1 %, seven approximate ones have a probability below 1e-5. A quarter of eight seconds is
2,000 samples, of which about half are in compiled code: 663 of 1,250 were the fewest seen. That the share was high before is asserted with
a bound of a tenth, for a true share above a half: of 33 samples, three or fewer have a probability below 1e-6.
"""
import pathlib
import sys
import zipfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import candortest as ct

LOAD, FEW, ENOUGH = "lambda", 100, 700
COMPILED = ct.JAVA_FRAMES - {"Interpreted"}


def innermost(sample):
    return next((kind for _, kind, _ in sample.frames if kind != "Kernel"), None)


def marked(samples):
    """How many of them were in compiled code, and how many of those are approximate."""
    kinds = [innermost(sample) for sample in samples]
    return sum(kind in COMPILED for kind in kinds), sum(kind in ct.APPROXIMATE_FRAMES for kind in kinds)


def record(jdk, path, seconds, arguments, **start):
    """The recording, and the load's samples in its first and last quarter. seconds: CPU time."""
    with ct.Jvm(jdk, "Places", **start) as jvm:
        jvm.expect("ready")
        jvm.round(load=LOAD, seconds=1)
        result = ct.attach(jvm, path, "1ms", *arguments)
        ct.ok(result.status == 0, f"{jdk} {arguments}: the recording starts", result)
        jvm.round(load=LOAD, seconds=seconds)
        ct.candor("stop", jvm.pid)
        ct.ok(jvm.finish() == 0, f"{jdk} {arguments}: the program ends normally", jvm.transcript())
    recording = ct.Recording(path)
    samples = sorted(recording.of_thread(f"place-{LOAD}"), key=lambda sample: sample.start)
    quarter = len(samples) // 4
    return recording, samples[:quarter], samples[-quarter:]


def heal_books(recording):
    return {account: figures for (account, reason), figures in recording.books.items() if account.startswith("heal_") and not reason}


def check_healed(jdk, mode):
    what, path = f"{jdk}, {mode}", ct.WORK / f"{mode}-{jdk.version}.jfr"
    arguments = () if mode == "paced" else ("--heal", mode)
    recording, first, last = record(jdk, path, 8, arguments)
    n, approximate = marked(first[:FEW])
    if mode != "now":
        ct.ok(n >= FEW // 3 and approximate > n / 10, f"{what}: at first {approximate} of {n} samples in compiled code are approximate")
    n, approximate = marked(last)
    ct.ok(n >= ENOUGH and approximate < n / 100, f"{what}: in the end {approximate} of {n} are", recording.log)
    books, setting = heal_books(recording), recording.settings.get("heal")
    ct.ok(setting == mode, f"{what}: the recording says how: {setting}")
    methods, pauses = books.get("heal_methods", (0, 0)), books.get("heal_pauses", (0, 0))
    ct.ok(pauses[1] >= 1 and (pauses[0] > 0 or jdk.version >= 17) and (mode == "now" or methods[1] >= 1),
          f"{what}: the books tell of {pauses[1]} steps, {pauses[0]} ns, {methods[1]} methods", books)
    said = [text for _, text in recording.log if "was discarded" in text]
    ct.ok(len(said) == pauses[1], f"{what}: the log tells of each step", recording.log)
    report = ct.report(path)["healing"]
    ct.ok(report and (report["steps"], report["paused_ns"], report["methods"]) == (pauses[1], pauses[0], methods[1])
          and report["left_ns"] <= report["left_of_ns"] / 100, f"{what}: so does the report", report)
    ct.ok("\nHealed: code compiled before" in ct.candor("report", path).out, f"{what}: and its text")


def check_off(jdk):
    recording, first, last = record(jdk, ct.WORK / f"off-{jdk.version}.jfr", 2, ("--heal", "off"))
    shares = [approximate / max(n, 1) for n, approximate in (marked(first), marked(last))]
    ct.ok(min(shares) > 0.1 and not heal_books(recording) and recording.settings["heal"] == "off",
          f"{jdk}, off: the code stays as it is: {shares}", recording.books)
    ct.ok(ct.report(recording.path)["healing"] is None, f"{jdk}, off: the report has nothing to say of it")


def check_start(jdk):
    """An agent that was loaded at the start of the JVM has nothing to heal, whatever is requested."""
    recording, first, last = record(jdk, ct.WORK / f"start-{jdk.version}.jfr", 2, ("--heal", "now"), agent=ct.agent_options())
    ct.ok(not any(marked(part)[1] for part in (first, last)) and not heal_books(recording)
          and not any("was discarded" in text for _, text in recording.log),
          f"{jdk}, agent from the start: nothing is thrown away", recording.log)


def java_agent(jdk):
    """The flag that loads Transformer.java as an agent."""
    path = ct.WORK / "transformer.jar"
    with zipfile.ZipFile(path, "w") as jar:
        jar.writestr("META-INF/MANIFEST.MF", "Premain-Class: Transformer\nCan-Retransform-Classes: true\n")
        jar.write(pathlib.Path(ct.classes(jdk)) / "Transformer.class", "Transformer.class")
    return f"-javaagent:{path}"


def check_beside_agent(jdk):
    """Healing transforms no class, so the transformers of a Java agent do not run again."""
    path = ct.WORK / f"agent-{jdk.version}.jfr"
    with ct.Jvm(jdk, "Places", flags=[java_agent(jdk)]) as jvm:
        jvm.expect("ready")
        jvm.round(load=LOAD, seconds=1)
        ct.attach(jvm, path, "1ms", "--heal", "paced")
        jvm.round(load=LOAD, seconds=5)
        ct.candor("stop", jvm.pid)
        jvm.finish()
        transformed = [line for line in jvm.out if line.startswith("transform ")]
    books = heal_books(ct.Recording(path))
    ct.ok(books["heal_methods"][1] >= 1, f"{jdk}, beside a Java agent: code heals as without one", books)
    ct.ok(not transformed, f"{jdk}, beside a Java agent: no class is transformed again", transformed)


def main():
    ct.need()
    jdks = ct.jdks()
    for jdk, mode in ct.spread(jdks, ["now", "paced"]):
        check_healed(jdk, mode)
    for jdk, check in ct.spread(ct.some(jdks, 25), [check_off, check_start, check_beside_agent]):
        check(jdk)
    ct.done()


main()
