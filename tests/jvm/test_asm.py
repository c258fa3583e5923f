#!/usr/bin/env python3
"""candor asm for a JVM that was started without any flag: it finds the hot instructions of loops whose machine code is known.

tier: default
timeout: 600

Four threads share the machine evenly, a quarter of the CPU time each. If other programs use it, too, each thread still gets at least
a tenth. All sums are exact. At least 99.9 % of the bytes of sampled code are instructions. In the loop of a thread that waits for
another thread, the load of the value that the other thread writes is among the three hottest instructions, or among the instructions
that these point to.
"""
import json
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import candortest as ct

SECONDS, ENOUGH = (2, 8, 32), 1000


def asm(*arguments):
    result = ct.candor("asm", "--json", "--top", "0", "--threshold", "0", *arguments)
    try:
        return json.loads(result.out), result
    except ValueError:
        return None, result


def share(rows, pattern):
    return sum(row["share"] for row in rows if re.search(pattern, row.get("name", "")))


def sums(what, report):
    """Each sample is in one region, one method and one source, and in the books."""
    for table in ("regions", "methods", "sources"):
        found = [sum(row[key] for row in report[table]) for key in ("weight_ns", "samples")]
        ct.ok(found == [report["weight_ns"], report["samples"]], f"{what}: the {table} add up to all {report['samples']} samples",
              (found, report["weight_ns"], report["samples"]))
    books = report["books"]
    ct.ok([books["weight_ns"], books["samples"]] == [report["weight_ns"], report["samples"]], f"{what}: and so do the books", books)
    for region in report["regions"]:
        inside = [line for line in region.get("lines", ()) if "weight_ns" in line]
        if "lines" in region and sum(line["weight_ns"] for line in inside) != region["weight_ns"]:
            ct.ok(False, f"{what}: the lines of {region['title']} add up to it", region["weight_ns"])
            return
    ct.ok(True, f"{what}: the lines of every region add up to it")


def division(what, report):
    """The division, or the instruction that waits for its result, has most of the loop's samples."""
    regions = [region for region in report["regions"] if region["name"] == "HotCode.divide" and region["source"].startswith("C2")]
    if not ct.ok(regions, f"{what}: the loop was compiled by C2", [region["title"] for region in report["regions"]][:20]):
        return
    lines = regions[0]["lines"]
    hottest = max((i for i, line in enumerate(lines) if "share" in line), key=lambda i: lines[i]["share"])
    near = [line["text"] for line in lines[max(0, hottest - 1):hottest + 1]]
    ct.ok(any("div" in text for text in near), f"{what}: the hottest instruction of the loop is the division, or the next: {near}",
          "\n".join(f"{line.get('share', 0):.4f} {line['text']}" for line in lines))
    if "div" not in lines[hottest]["text"]:
        ct.ok(lines[hottest]["consider"] == lines[hottest - 1]["address"], f"{what}: then the division is what to consider",
              lines[hottest])
    inside = [jump for jump in regions[0]["jumps"] if int(jump["from"], 16) > int(jump["to"], 16)]
    ct.ok(inside, f"{what}: the jump back of the loop is known", regions[0]["jumps"])
    stacks = {line["stack"][-1]["method"] for line in lines if line["stack"]}
    ct.ok("HotCode.divide" in stacks, f"{what}: its instructions stand for frames of it", stacks)


def backwards(what, report):
    """The loop over an array, backwards: its load of an element, its jump back, and most of its samples between these two."""
    regions = [region for region in report["regions"] if region["name"] == "HotCode.reverse" and region["source"].startswith("C2")]
    if not ct.ok(regions, f"{what}: the reversed loop was compiled by C2", [region["title"] for region in report["regions"]][:20]):
        return
    lines = regions[0]["lines"]
    inside = set()
    for jump in regions[0]["jumps"]:
        begin, end = int(jump["to"], 16), int(jump["from"], 16)
        inside |= {line["address"] for line in lines if begin <= int(line["address"], 16) <= end}
    listing = "\n".join(f"{line.get('share', 0):.4f} {line['address']} {line['text']}" for line in lines)
    in_loop = sum(line.get("share", 0) for line in lines if line["address"] in inside)
    ct.ok(in_loop > 0.9 * regions[0]["share"],
          f"{what}: {in_loop:.3f} of the {regions[0]['share']:.3f} of the reversed loop is inside its jump back", listing)
    ct.ok(any(line["address"] in inside and re.search(r"\[\w+ \+ \w+\*4", line["text"]) for line in lines),
          f"{what}: the load of an element is there", listing)
    # It does a fixed share of the work, a tenth of the time and more on an idle machine. Where others use the caches, the loops that fill
    # memory take longer, and this one has less of the time.
    ct.ok(regions[0]["share"] > 0.03, f"{what}: the reversed loop has {regions[0]['share']:.3f}")


def known_loops(what, report):
    """The loops that fill an array and sum it up use vector instructions."""
    fills = [line for region in report["regions"] if re.search(r"HotCode\.fill|Arrays\.fill|_fill$", region["name"])
             for line in region.get("lines", ()) if "share" in line]
    hottest = sorted(fills, key=lambda line: line["share"], reverse=True)[:5]
    ct.ok(any(re.search(r"(mov|stos)\S* [^\[]*\[[^\]]*\],", line["text"]) for line in hottest),
          f"{what}: a store is among the hottest of filling", [line["text"] for line in hottest])
    sums = [line["text"] for region in report["regions"] if re.search("(?i)crc32", region["name"]) and region["source"] == "stub"
            for line in region.get("lines", ()) if "share" in line]
    if "pclmulqdq" not in pathlib.Path("/proc/cpuinfo").read_text():
        ct.skip(f"{what}: the checksum's loop", "this processor multiplies without carries nowhere")
    else:
        ct.ok(any("clmul" in text for text in sums), f"{what}: products without carries are in the checksum's loop", sums)


def waited_for(what, report, method, offset):
    """The thread that waits for the other thread's index."""
    regions = [region for region in report["regions"] if region["name"] == method and region["source"].startswith("C2")]
    if not ct.ok(regions, f"{what}: {method} was compiled by C2", [region["title"] for region in report["regions"]][:20]):
        return
    lines = [line for region in regions for line in region["lines"]]
    texts = {line["address"]: line["text"] for line in lines}
    hottest = sorted((line for line in lines if "share" in line), key=lambda line: line["share"], reverse=True)[:3]
    named = [texts.get(address, "") for line in hottest for address in (line["address"], line["consider"]) if address]
    if offset < 0:
        ct.skip(f"{what}: the load of the index", "this JDK does not tell where a field lies")
        return
    ct.ok(any(re.search(rf"ptr \[\w+ \+ {offset:#x}\]", text) for text in named),
          f"{what}: the load of the index, {offset:#x} in its object, is among the hottest: {named}",
          "\n".join(f"{line.get('share', 0):.4f} {line['address']} {line['text']}" for line in lines))


def sharing(jdk):
    """Two queues between two threads: with indexes in one cache line, and in separate cache lines."""
    with ct.Jvm(jdk, "FalseSharing") as jvm:
        jvm.expect("ready")
        for queue in ("shared", "padded"):
            what = f"{jdk}, {queue} queue"
            jvm.round(seconds=0.5, queue=queue)
            for seconds in SECONDS:
                jvm.say(f"go seconds={seconds + 1.5} queue={queue}")
                report, result = asm("-d", f"{seconds}s", "-i", "250us", jvm.pid)
                truth = dict(word.split("=") for word in jvm.expect("done").split()[1:])
                if not report or report["samples"] >= ENOUGH:
                    break
            if ct.ok(report and result.status == 0, f"{what}: a report", result):
                sums(what, report)
                waited_for(what, report, f"FalseSharing.consume{queue.title()}", int(truth["tail"]))
                ct.note(f"{what}: {truth['elements']} elements")
        ct.ok(jvm.finish() == 0, f"{jdk}: the program with two queues ends normally", jvm.transcript())


def check(what, report, result):
    if not ct.ok(report and result.status == 0, f"{what}: a report", result):
        return
    sums(what, report)
    ct.ok(report["samples"] >= ENOUGH, f"{what}: {report['samples']} samples")
    division(what, report)
    backwards(what, report)
    known_loops(what, report)
    stub = share([row for row in report["regions"] if row["source"] == "stub"], r"(?i)crc32")
    ct.ok(stub > 0.02, f"{what}: the checksum's stub has {stub:.3f}", [row["title"] for row in report["regions"]][:20])
    fill = share(report["methods"], r"HotCode\.fill|Arrays\.fill|_fill$")
    ct.ok(fill > 0.1, f"{what}: filling has {fill:.3f}", [(row["source"], row.get("name")) for row in report["methods"]][:20])
    code = report["code"]
    ct.ok(code["bytes"] > 1000 and code["undecoded"] <= 0.001 * code["bytes"],
          f"{what}: {code['undecoded']} of {code['bytes']} bytes are no instructions")
    missed = sum(report["books"]["uncaptured"].values())
    ct.ok(missed <= 0.01 * report["samples"], f"{what}: code of {missed} samples was not captured", report["books"])


def texts(what, path):
    """The same recording as text."""
    result = ct.candor("asm", path)
    wanted = ["Hottest code regions", "[Hottest Region 1]", "[Hottest Regions]", "[Hottest Methods (after inlining)]",
              "[Distribution by Source]", "Skid:", "CPU time by the clock", "<total for region 1", "C2, level 4", "stub"]
    ct.ok(result.status == 0 and all(text in result.out for text in wanted) and "\033" not in result.out, f"{what}: as text", result)
    ct.ok("as much as the books contain" in result.out, f"{what}: it says that the books have the same", result)
    result = ct.candor("asm", "--syntax", "att", "--method", "HotCode.divide", "--top", "3", path)
    titles = re.findall(r"\[Hottest Region \d+\]\.*\n(.*)", result.out)
    ct.ok(result.status == 0 and titles and all("HotCode.divide" in title for title in titles) and
          re.search(r"idivq? ", result.out) and "%rax" in result.out,
          f"{what}: one method, in AT&T's syntax", result)


def others(what, path):
    """Other commands read it as an ordinary recording."""
    recording = ct.Recording(path)
    ct.ok(recording.counts["candor.CodeSample"] == recording.counts["candor.CpuSample"] == len(recording.samples),
          f"{what}: a code sample for each sample", recording.counts)
    for command in ("report", "summary", "print"):
        result = ct.candor(command, path)
        ct.ok(result.status == 0 and not result.err, f"{what}: candor {command} reads it", result.err)
    names, dump = ct.WORK / "perf.map", ct.WORK / "jit.dump"
    result = ct.candor("convert", "--to", "perfmap", path, names)
    lines = [line.split(" ", 2) for line in names.read_text().splitlines()] if result.status == 0 else []
    ranges = sorted((int(begin, 16), int(size, 16)) for begin, size, _ in lines)
    ct.ok(any(name == "HotCode.divide" for *_, name in lines) and len(lines) > 100 and
          all(begin + size <= next_begin or begin == next_begin for (begin, size), (next_begin, _) in zip(ranges, ranges[1:])),
          f"{what}: {len(lines)} names for perf, one for each address", result)
    result = ct.candor("convert", "--to", "jitdump", path, dump)
    ct.ok(result.status == 0 and dump.read_bytes()[:8] == b"DTiJ\1\0\0\0" and b"HotCode.divide, version" in dump.read_bytes(),
          f"{what}: and its code", result)
    result = ct.candor("convert", "--to", "jitdump", path)
    ct.ok(result.status == 2 and result.err.count("\n") == 1, f"{what}: which wants a file to go to", result)
    page = ct.WORK / "code.html"
    result = ct.candor("convert", path, page)
    ct.ok(result.status == 0 and '"code":[[' in page.read_text() and "HotCode.divide, version" in page.read_text(),
          f"{what}: its page has the code", result)
    jdk = ct.jdk(17)
    if jdk:
        result = ct.run(jdk.jfr, "print", "--events", "CodeSnapshot", path)
        ct.ok(result.status == 0 and "HotCode.divide" in result.out and "code = \"" in result.out, f"{what}: the JDK's own jfr, too",
              result)


def attached(jdk):
    """Attaches while the program runs at full speed."""
    what, path = str(jdk), ct.WORK / f"asm-{jdk.version}.jfr"
    with ct.Jvm(jdk, "HotCode") as jvm:
        jvm.expect("ready")
        jvm.round(seconds=0.5)
        for seconds in SECONDS:  # a machine that is busy with other work takes longer
            jvm.say(f"go seconds={seconds + 1.5}")
            report, result = asm("-d", f"{seconds}s", "-i", "250us", "-o", path, jvm.pid)
            jvm.expect("done")
            if not report or report["samples"] >= ENOUGH:
                break
        ct.ok(jvm.finish() == 0, f"{what}: the program ends normally", jvm.transcript())
    check(what, report, result)
    again, result = asm(path)
    ct.ok(again and again["regions"] == report["regions"], f"{what}: the recording says the same again", result.err)
    return path


def recorded(jdk, what, **options):
    """From the start, with every compilation that has samples."""
    path = ct.WORK / f"start-{jdk.version}.jfr"
    options = ct.agent_options(file=path, interval="250us", asm="on", **options)
    with ct.Jvm(jdk, "HotCode", agent=options) as jvm:
        jvm.expect("ready")
        jvm.round(seconds=SECONDS[0])
        ct.ok(jvm.finish() == 0, f"{what}: the program ends normally", jvm.transcript())
    report, result = asm(path)
    ct.ok(report and result.status == 0, f"{what}: a report", result)
    sums(what, report)
    return path, {row["source"] for row in report["sources"]}, report


def from_the_start(jdk):
    what = f"{jdk}, from the start"
    _, sources, report = recorded(jdk, what, keep="1m")
    ct.ok({"interpreter", "libjvm"} <= sources and any(source.startswith("C1") for source in sources),
          f"{what}: all kinds of code: {sorted(sources)}")
    named = [row["name"] for row in report["regions"] if row["source"] == "interpreter"]
    ct.ok(len(set(named)) >= 5, f"{what}: the interpreter by its parts: {sorted(set(named))[:8]}")
    what = f"{jdk}, in a small file"  # too small for the code that runs at the start alone
    path, sources, _ = recorded(jdk, what, keep="1m", **{"max-size": "1MB"})
    ct.ok("not captured: limit" in sources, f"{what}: it says what did not fit: {sorted(sources)}")
    ct.ok(path.stat().st_size <= 1 << 20, f"{what}: within its bound: {path.stat().st_size} bytes")


def refused(path):
    """If the machine code cannot be shown, one line says so."""
    plain = ct.WORK / "plain.jfr"
    jdk = ct.compiler()
    with ct.Jvm(jdk, "HotCode", agent=ct.agent_options(file=plain, interval="1ms")) as jvm:
        jvm.expect("ready")
        jvm.round(seconds=0.2)
        jvm.finish()
    noise = ct.WORK / "noise.jfr"
    noise.write_bytes(bytes(range(256)) * 16)
    for words, status, wanted in (((plain,), 1, "--asm"), ((noise,), 1, "not a JFR recording"), ((ct.WORK / "none.jfr",), 1, "none.jfr"),
                                  (("--method", "(", path), 2, "regular expression"), (("-d", "5s", path), 2, "--duration"),
                                  (("--syntax", "masm", path), 2, "intel|att"), (("-",), 2, "standard input")):
        result = ct.candor("asm", *words)
        ct.ok(result.status == status and wanted in result.err and result.err.count("\n") == 1 and not result.out,
              f"candor asm {words[0]}: one line", result)
    result = ct.candor("record", "-e", "safepoint", "--asm", "1")
    ct.ok(result.status == 2 and "--asm" in result.err, "--asm with -e safepoint is refused", result)


def main():
    ct.need()
    path = None
    for jdk in ct.jdks(None if ct.TIER == "all" else {8: "in tier all", 27: "in tier all"}):
        path = attached(jdk)
        texts(str(jdk), path)
    sharing(ct.jdk(21) or ct.compiler())
    if ct.TIER == "all":
        for jdk in ct.jdks({21: "it was the first"}):
            sharing(jdk)
    if path:
        others("the last", path)
        refused(path)
        from_the_start(ct.jdk(25) or ct.compiler())
    ct.done()


main()
