#!/usr/bin/env python3
"""Samples of each kind in recordings of async-profiler, and of the JDK's allocation events: the same numbers and sums as
async-profiler's own converter and the JDK's own reader find.

tier: default
timeout: 300
"""
import json
import pathlib
import re
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "lib"))
import candortest as ct
import flamedata

JARS = HERE.parent / "jvm/fetch_jars.sh"


def recorded(jdk, name, *flags, seconds=0.2):
    path = ct.WORK / f"{name}.jfr"
    with ct.Jvm(jdk, "Mixed", flags=[flag.format(path=path) for flag in flags]) as jvm:
        jvm.round(seconds=seconds)
        jvm.finish()
    return path


def figures(path, *options):
    """Number and total weight of the samples; if there are no samples of the kind, the message."""
    result = ct.candor("report", "--json", *options, path)
    if result.status:
        return result.err
    report = json.loads(result.out)
    return report["sample_count"], report["sampled"]


def converted(jdk, jars, path, *options, sums=((), ("--total",))):
    """The same from async-profiler's converter."""
    found = []
    for total in sums:
        collapsed = ct.WORK / "converted.txt"
        ct.run(jdk.java, "-XX:TieredStopAtLevel=1", "-cp", f"{jars}/*", "one.convert.Main", *options, *total,
               "-o", "collapsed", path, collapsed)
        found.append(sum(int(line.rpartition(" ")[2]) for line in collapsed.read_text().splitlines()))
    return tuple(found)


def collapsed(path, kind, *options):
    """The sum of our collapsed stacks."""
    lines = ct.candor("convert", "--kind", kind, *options, "--to", "collapsed", path, "-").out.splitlines()
    return sum(int(line.rpartition(" ")[2]) for line in lines)


def check_profiler(jdk, jars, library):
    agent = f"-agentpath:{library}=start,jfr,file={{path}}"
    path = recorded(jdk, "all", f"{agent},event=cpu,interval=1ms,wall=2ms,alloc=64k,live,nativemem=0")
    for kind, options in (("alloc", ["--alloc"]), ("live", ["--live"]), ("nativemem", ["--nativemem"]),
                          ("nativeleak", ["--nativemem", "--leak", "--tail", "0"])):
        ours, theirs = figures(path, "--kind", kind), converted(jdk, jars, path, *options)
        ct.ok(theirs[0] and ours == theirs, f"{kind}: samples and bytes as the converter has them", f"{ours}, {theirs}")
        written = collapsed(path, kind, "--unit", "samples"), collapsed(path, kind)
        ct.ok(written == theirs, f"{kind}: collapsed stacks have bytes, and samples on request", f"{written}, {theirs}")
    check_clocks(jdk, jars, path, "batched", 1_000_000, 2_000_000)
    path = recorded(jdk, "single", f"{agent},event=cpu,interval=1ms,wall=2ms,nobatch")
    check_clocks(jdk, jars, path, "not batched", 1_000_000, 2_000_000)
    path = recorded(jdk, "wall", f"{agent},event=wall,interval=2ms,nobatch")
    samples = converted(jdk, jars, path, "--wall", sums=[()])[0]
    running = converted(jdk, jars, path, "--wall", "--state", "runnable", sums=[()])[0]
    ct.ok(samples > running > 0 and figures(path, "--kind", "wall") == (samples, samples * 2_000_000), "a wall clock alone: all states",
          f"{samples}, {running}")
    ct.ok(figures(path) == (running, running * 2_000_000), "and its running threads are CPU time", figures(path))
    said = figures(path, "--kind", "alloc")
    ct.ok("no allocation samples in this recording, which has cpu;" in said, "what it does not have, and what it has", said)


def check_clocks(jdk, jars, path, what, cpu_ns, wall_ns):
    for kind, ns in (("cpu", cpu_ns), ("wall", wall_ns)):
        samples = converted(jdk, jars, path, f"--{kind}", sums=[()])[0]
        ct.ok(samples and figures(path, "--kind", kind) == (samples, samples * ns), f"both clocks, {what}: {kind}",
              f"{figures(path, '--kind', kind)}, {samples}")


def spans_of(page):
    """The spans of a page: when each began, how long it took (us), its name, its thread, and whether its time is exact."""
    part = json.loads(re.search(r'data-part="spans">([^<]*)', page.read_text()).group(1))
    texts, column = part["texts"], lambda key: flamedata.column(part[key], False)
    start = [part["start_ns"] // 1000 + us for us in flamedata.column(part["start_us"], True)]
    return sorted(zip(start, column("length_us"), (texts[i] for i in column("endpoint")), (texts[i] for i in column("thread")),
                      column("exact")))


def check_spans(jdk, reader):
    """Spans of async-profiler's own API, some of them without a sample."""
    jars = ct.run(JARS, "spans", timeout=200)
    if jars.status:
        return ct.skip("async-profiler's spans", "its jar cannot be fetched")
    path, page = ct.WORK / "spans.jfr", ct.WORK / "spans.html"
    jar, = pathlib.Path(jars.out.strip()).glob("*.jar")
    classes = ct.own_classes(jdk, HERE.parent / "jvm" / "SpansProfiled.java", jars=[jar])
    ran = ct.run(jdk.java, "-cp", f"{jar}:{classes}", "SpansProfiled", path)
    ct.ok(ran.status == 0, "a program with spans runs", ran)
    printed = json.loads(ct.run(reader.jfr, "print", "--json", "--events", "profiler.Span", path).out)["recording"]["events"]
    made = ct.candor("report", "-o", page, path)
    ct.ok(made.status == 0, "its recording has a page", made)
    found = spans_of(page)
    values = [event["values"] for event in printed]
    ct.ok(len(found) == 7 and sorted((tag, thread) for _, _, tag, thread, _ in found)
          == sorted((one["tag"] or "", one["eventThread"]["javaName"]) for one in values), "each span, with its name and thread",
          (found, values))
    seconds = sorted(float(one["duration"][2:-1]) for one in values)
    ct.ok(all(exact == 1 for *_, exact in found)
          and all(abs(us - 1e6 * s) <= 1 for us, s in zip(sorted(us for _, us, *_ in found), seconds)), "and its exact length",
          (found, seconds))
    ct.ok("7 spans (profiler.Span) are on the page" in ct.candor("report", path).out + made.err + made.out, "the report names them",
          ct.candor("report", path))
    return None


def check_tlab(jdk, reader):
    settings = ct.WORK / "tlab.jfc"
    on = "".join(f"<setting name='{name}'>true</setting>" for name in ("enabled", "stackTrace"))
    settings.write_text("<configuration version='2.0'>" + "".join(
        f"<event name='jdk.ObjectAllocation{where}TLAB'>{on}</event>" for where in ("InNew", "Outside")) + "</configuration>")
    path = recorded(jdk, "tlab", f"-XX:StartFlightRecording=filename={{path}},settings={settings}")
    printed = ct.run(reader.jfr, "print", "--json", "--events", "ObjectAllocation*", "--stack-depth", "1", path)
    events = [event["values"] for event in json.loads(printed.out)["recording"]["events"]]
    weights = [event.get("tlabSize") or event["allocationSize"] for event in events]
    ct.ok(weights and figures(path) == (len(weights), sum(weights)), f"{jdk}: {len(weights)} TLAB events, without --kind",
          f"{figures(path)}, {sum(weights)}")


ct.need()
newest = ct.jdk(25)
library = ct.async_profiler()
jars = ct.run(JARS, "jfrconv", timeout=200)
if not newest:
    ct.skip("agreement with jfr", "JDK 25 is not cached; run script/jdks")
elif jars.status:
    ct.skip("async-profiler's converter", "its jar cannot be fetched")
elif library:
    check_profiler(newest, jars.out.strip(), library)
if newest:
    check_tlab(newest, newest)
    check_spans(newest, newest)
ct.done()
