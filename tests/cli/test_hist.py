#!/usr/bin/env python3
"""candor hist: logs that are split and joined again are the same; ranges and windows; every format; damage gives one clear line.

tier: quick
timeout: 120
"""
import csv
import io
import json
import pathlib
import sys
import xml.etree.ElementTree as xml

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import candortest as ct

LOG = ct.WORK / "run.hlog"


def hist(*arguments, **keywords):
    return ct.candor("hist", *arguments, **keywords)


def tags(*arguments):
    """{tag: its row} of the totals."""
    return {row["tag"]: row for row in json.loads(hist("summarize", "--json", *arguments).out)["tags"]}


def without_times(rows):
    return {tag: {key: value for key, value in row.items() if not key.endswith("_s") and key != "per_second"} for tag,
            row in rows.items()}


def split_and_united():
    whole = tags(LOG)
    folder = ct.WORK / "parts"
    folder.mkdir()
    parts = hist("split", "-o", folder, LOG).out.split()
    ct.ok(len(parts) == len(whole) == 8, "a log for each tag", parts)
    united = ct.WORK / "united.hlog"
    hist("union", "-o", united, *parts)
    ct.ok(without_times(tags(united)) == without_times(whole), "split and united is the same", tags(united))
    hist("union", "-i", "7s", "-o", united, *parts)
    ct.ok(without_times(tags(united)) == without_times(whole), "in other intervals too")
    ct.ok(len(united.read_text().splitlines()) < len(LOG.read_text().splitlines()) / 5, "which are fewer")
    hist("union", "-o", united, f"one={LOG}", f"two={LOG}")
    both = tags(united)
    ct.ok(len(both) == 16 and both["one::read-rt"]["count"] == both["two::read-rt"]["count"] == whole["read-rt"]["count"],
          "machines by name", both)
    twice = tags("--tags", "read-rt", LOG, LOG)
    ct.ok(twice["read-rt"]["count"] == 2 * whole["read-rt"]["count"] and twice["read-rt"]["p99"] == whole["read-rt"]["p99"],
          "two files are one")
    all_of_it = tags("--ignore-tags", LOG)
    ct.ok(list(all_of_it) == [""] and all_of_it[""]["count"] == sum(row["count"] for row in whole.values()), "tags ignored",
          all_of_it)
    later = ct.WORK / "later.hlog"
    later.write_text(LOG.read_text().replace("#[StartTime: ", "#[StartTime: 1"))
    ct.ok(json.loads(hist("--json", LOG, later).out)["length_s"] > 1e9, "two days are far apart")
    ct.ok(json.loads(hist("--json", "--relative", LOG, later).out)["length_s"] < 40, "but not --relative")


def ranges():
    rows = json.loads(hist("time", "--json", "--tags", "read-rt", LOG).out)["intervals"]
    part = json.loads(hist("time", "--json", "--tags", "read-rt", "-s", "10s", "-e", "20s", LOG).out)["intervals"]
    ct.ok(len(rows) == 30 and part == rows[10:20], "ten of thirty seconds", part)
    windows = json.loads(hist("time", "--json", "--tags", "read-rt", "-i", "10s", LOG).out)["intervals"]
    ct.ok([row["start_s"] for row in windows] == [0, 10, 20] and windows[1]["count"] == sum(row["count"] for row in part)
          and windows[1]["max"] == max(row["max"] for row in part), "windows of ten seconds", windows)
    wait = json.loads(hist("time", "--json", "--tags", "read-rt,read-wt", LOG).out)["intervals"]
    ct.ok(len(wait) == 60, "two tags")


def simulated(name, *arguments):
    """The log of a minute of simulated load."""
    log = ct.WORK / name
    ct.candor("load", "-q", "--virtual-time", "-r", "1000", "-c", "20", "-d", "60s", "-o", log, *arguments)
    return log


def compared(*arguments):
    result = hist("compare", "--json", *arguments)
    return result, {(row["tag"], row["percentile"]): row for row in json.loads(result.out or '{"rows": []}')["rows"]}


def compare():
    one, other = simulated("one.hlog", "--mock", "hiccup"), simulated("other.hlog", "--mock", "hiccup", "--seed", "7")
    slower = simulated("slower.hlog", "--mock", "delay=5ms")
    faster = simulated("faster.hlog", "--mock", "delay=4ms")
    _, rows = compared(one, other)
    ct.ok(rows["mock-rt", 99]["p"] > 0.05 and not any(row["differs"] for row in rows.values()), "two runs of one server do not differ",
          rows)
    _, rows = compared("-p", "50,99", "--tags", "mock-st", faster, slower)
    ct.ok(len(rows) == 2 and all(row["differs"] and row["p"] < 0.01 and row["b"] > row["a"] for row in rows.values()),
          "a slower one does", rows)
    text = hist("compare", "-p", "50", "--tags", "mock-st", slower, faster).out
    ct.ok(" lower" in text and "-20.0 %" in text, "and the text says so", text)
    _, rows = compared("-e", "5s", one, other)
    ct.ok(rows and all(row["p"] is None and not row["differs"] for row in rows.values()), "five intervals are too few", rows)
    late = ("-p", "50", "--tags", "mock-st", "-s", "50s")
    _, rows = compared(*late, faster, slower)
    ct.ok(rows["mock-st", 50]["differs"], "the end of two logs has as many intervals as it is long", rows)
    more = simulated("more.hlog", "--mock", "delay=4ms", "--requests", "mock=1,other=1")
    result, rows = compared("--tags", "mock-st,other-st", faster, more)
    ct.ok(json.loads(result.out)["only_b"] == ["other-st"] and list({tag for tag, _ in rows}) == ["mock-st"], "tags of one log are named",
          result)
    result = hist("compare", "--tags", "mock-st,other-st", faster, more)
    ct.ok("only in B, not compared: other-st" in result.out, "also in the text", result)
    result = hist("compare", "--tags", "mock-st,other-rt", faster, hist("split", "--tags", "other-rt", "-o", ct.WORK, more).out.strip())
    ct.ok(result.status == 1 and "no tag in common" in result.err and not result.out, "no tag in common", result)
    table = ct.WORK / "one.hgrm"
    table.write_text(hist("-f", "hgrm", "--tags", "mock-rt", one).out)
    _, rows = compared("-p", "50", table, table)
    ct.ok(rows["", 50]["p"] is None and rows["", 50]["a"] > 0, "tables have percentiles, but no test", rows)
    ct.ok(hist("compare", one).status == 2 and hist("compare", one, other, one).status == 2, "it takes two logs")
    ct.ok(hist("compare", "-f", "csv", one, other).status == 2, "and prints text or JSON")


def formats():
    ms, us, raw = tags(LOG)["read-rt"], tags("-u", "us", LOG)["read-rt"], tags("--ratio", "1", LOG)["read-rt"]
    ct.ok(abs(us["p99"] / ms["p99"] / 1000 - 1) < 1e-9 and abs(raw["p99"] / us["p99"] / 1000 - 1) < 1e-9, "units", (ms, us, raw))
    table = list(csv.DictReader(io.StringIO(hist("-f", "csv", "-p", "50,99.9", LOG).out)))
    ct.ok({row["Tag"] for row in table} == set(tags(LOG))
          and all(float(row["p50"]) <= float(row["p99.9"]) <= float(row["Max"]) for row in table), "CSV")
    timed = list(csv.DictReader(io.StringIO(hist("time", "-f", "csv", "--tags", "read-st", LOG).out)))
    ct.ok(len(timed) == 30 and timed[3]["Start"] == "3.000", "CSV over time", timed[:4])
    for dialect, foot in (("hgrm", "1.000000000000"), ("hgrm-c", "inf")):
        text = hist("-f", dialect, "--tags", "read-rt", LOG).out
        (ct.WORK / "one.hgrm").write_text(text)
        back = tags(ct.WORK / "one.hgrm")[""]
        ct.ok(foot in text and back["count"] == ms["count"] and abs(back["p50"] / ms["p50"] - 1) < 0.01
              and abs(back["max"] / ms["max"] - 1) < 0.001, f"{dialect} written and read", back)
    text = hist(LOG).out
    ct.ok("read-rt" in text and "p99.99 " in text and " ms" in text, "text", text)
    svg, page = ct.WORK / "plot.svg", ct.WORK / "plot.html"
    result = hist("plot", "-o", svg, LOG)
    svg_ns = "{http://www.w3.org/2000/svg}"
    root = xml.parse(svg).getroot()
    lines = list(root.iter(f"{svg_ns}polyline"))
    ct.ok(result.status == 0 and len(lines) == 16, "a picture with two curves for each tag", result)
    looks = [(line.get("stroke"), line.get("stroke-dasharray")) for line in lines]
    legend = [(line.get("stroke"), line.get("stroke-dasharray")) for line in root.iter(f"{svg_ns}line") if line.get("stroke-dasharray")]
    ct.ok(len(set(looks)) == 8 and looks == legend, "eight tags have eight looks, and the legend has them", (looks, legend))
    named = ct.WORK / "named.hlog"
    named.write_text(LOG.read_text().replace("Tag=read-rt,", "Tag=<b>&,"))
    hist("plot", "-o", page, named)
    text = page.read_text()
    ct.ok("&lt;b&gt;&amp;" in text and "<b>" not in text and text.count("<polyline") == 16 and "<table>" in text,
          "a page, with tags as text")


def damage():
    good = LOG.read_text()
    cut = ct.WORK / "cut.hlog"
    cut.write_text(good[:len(good) * 2 // 3])
    result = hist("--json", cut)
    ct.ok(result.status == 1 and result.err.count("\n") == 1 and "cut.hlog: line" in result.err
          and json.loads(result.out)["unread_lines"] == 1,
          "a log that was cut: what is whole, and one line", result)
    for name, content, word in (("empty", b"", "empty"), ("binary", ct.PROGRAM.read_bytes()[:100000], "not a histogram log"),
                                ("text", b"hello\nworld\n" * 1000, "not a histogram log"),
                                ("v1", b"0.1,1.0,2.0,HISTEwAAAAMAAAAAAAAABByEkwEAAAAA\n", "histogram")):
        (ct.WORK / name).write_bytes(content)
        result = hist(ct.WORK / name)
        ct.ok(result.status == 1 and not result.out and result.err.count("\n") == 1 and word in result.err,
              f"{name}: one line", result)
    result = hist(ct.WORK / "missing")
    ct.ok(result.status == 1 and "No such file" in result.err, "no file", result)
    ct.ok(hist("-o", "/dev/full", LOG).status == 1, "a full disk")
    kept = ct.WORK / "kept.csv"
    kept.write_text("of yesterday")
    hist("time", "-f", "csv", "-o", kept, ct.WORK / "missing")
    ct.ok(kept.read_text() == "of yesterday", "what was there stays where nothing is written")
    result = hist()
    ct.ok(result.status == 2 and result.err.startswith("candor: the file is missing: "), "no file is named", result)
    for arguments in (("plot", LOG), ("plot", "-o", "x.png", LOG), ("summarize",), ("-u", "ms", "--ratio", "5", LOG),
                      ("-p", "99,50", LOG),
                      ("-s", "5s", "-e", "5s", LOG), ("--ratio", "0", LOG), ("time", "-f", "hgrm", LOG), ("split", LOG, LOG)):
        ct.ok(hist(*arguments).status == 2, f"hist {' '.join(map(str, arguments))[:60]} is wrong usage")
    result = hist("--tags", "other", LOG)
    ct.ok(result.status == 1 and "no interval is left" in result.err, "no such tag", result)


ct.need(ct.PROGRAM)
ct.candor("load", "--mock", "hiccup", "-r", "1000", "-c", "4", "-d", "30s", "--virtual-time", "-q", "-o", LOG, "--requests",
          "insert=1,read=9")
split_and_united()
ranges()
compare()
formats()
damage()
ct.done()
