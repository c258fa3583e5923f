"""candor diff: its output for recordings with a known difference, its exit status, its options.

tier: quick
timeout: 120
"""
import json
import pathlib
import random
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import candortest as ct
import flamedata
from recordings import COLD, HOT, MS, RUN, by_name, make

SAMPLES = 3000


def recording(name, hot, seed, extra=0.0):
    """HOT with this probability, another method with the probability of extra, otherwise COLD."""
    draw = random.Random(seed)
    lines = [("setting", "clock", "perf"), ("setting", "interval_ns", 10 * MS), ("thread", "main", 1, 1)]
    for _ in range(SAMPLES):
        at = draw.random()
        stack = HOT if at < hot else f"{RUN};demo.Added.work:5" if at < hot + extra else COLD
        lines.append(("sample", 1, 10 * MS, "complete", stack))
    lines += [("book", "complete", "", SAMPLES * 10 * MS, SAMPLES), ("book", "cpu", "", SAMPLES * 10 * MS, 0)]
    return make(name, lines)


def diff(*arguments):
    result = ct.candor("diff", "--json", *arguments)
    return json.loads(result.out) if result.status == 0 else {"failed": str(result)}


def main():
    a, same = recording("a.jfr", 0.5, 1), recording("same.jfr", 0.5, 2)
    b, new = recording("b.jfr", 0.6, 3), recording("new.jfr", 0.5, 4, extra=0.05)

    found = diff(a, same)
    ct.ok(found.get("methods") == [] and found["tests"] > 0, "nothing changed, nothing named", found)
    text = ct.candor("diff", a, same)
    ct.ok("no change is larger than chance" in text.out and "a growth by" in text.out, "and what would have been seen", text)
    everything = diff("--all", a, same)
    ct.ok(len(everything["methods"]) == 4 and all(m["self"]["change"] == "same" for m in everything["methods"]), "--all")

    found = diff(a, b)
    rows = by_name(found.get("methods", []))
    hot, cold = rows["demo.Work.hot"]["self"], rows["demo.Work.cold"]["self"]
    ct.ok(hot["change"] == "grew" and cold["change"] == "shrank" and set(rows) == {"demo.Work.hot", "demo.Work.cold"},
          "what grew and what shrank", found)
    # The interval misses the true value, 0.1, once in twenty; five standard errors are 0.065.
    ct.ok(hot["low"] < hot["difference"] < hot["high"] and abs(hot["difference"] - 0.1) < 0.065 and hot["q"] < 0.01, "by how much", hot)
    back = by_name(diff(b, a)["methods"])["demo.Work.hot"]["self"]
    ct.ok(abs(back["difference"] + hot["difference"]) < 1e-9 and back["change"] == "shrank", "and the other way round", back)

    rows = by_name(diff(a, new)["methods"])
    ct.ok(rows["demo.Added.work"]["self"]["change"] == "new" and rows["demo.Added.work"]["samples_a"] == 0, "a new method", rows)
    ct.ok(by_name(diff(new, a)["methods"])["demo.Added.work"]["self"]["change"] == "gone", "that is gone the other way round")
    ct.ok([m["name"] for m in diff("--only", "new", a, new)["methods"]] == ["demo.Added.work"], "--only")
    ct.ok(diff("--top", "1", a, b)["methods"][1:] == [], "--top")

    several = diff(a, b, same, recording("b2.jfr", 0.6, 5))
    ct.ok(several.get("variance") == "runs" and several["a"]["runs"] == 2 and
          by_name(several["methods"])["demo.Work.hot"]["self"]["change"] == "grew", "several runs", several)
    absolute = by_name(diff("--absolute", a, b)["methods"])["demo.Work.hot"]["self"]
    ct.ok(absolute["change"] == "grew" and abs(absolute["a"] / hot["a"] - 10) < 0.1, "seconds per second", absolute)

    for gate, status in (("5", 1), ("20", 0)):
        result = ct.candor("diff", "--gate", gate, a, b)
        told = "grew by more than 5 points" in result.err and "--absolute" in result.err
        ct.ok(result.status == status and told == bool(status), f"--gate {gate}", result)
    ct.ok(ct.candor("diff", "--gate", "0", a, same).status == 0, "--gate lets through what is no change")

    filtered = diff("--method", "Work.hot", a, b)
    ct.ok(filtered.get("methods") == [], "filters: of what is left all is hot, on both sides", filtered)
    collapsed = ct.WORK / "a.collapsed"
    ct.candor("convert", a, collapsed)
    result = ct.candor("diff", a, collapsed)
    ct.ok(result.status == 1 and "cannot be compared" in result.err, "nanoseconds with samples", result)
    other = ct.WORK / "b.collapsed"
    ct.candor("convert", b, other)
    rows = by_name(diff(collapsed, other)["methods"])
    ct.ok(rows["demo.Work.hot"]["self"]["change"] == "grew", "collapsed stacks, whose rows stand for many samples", rows)
    for arguments, word in (((a, b, same), "compared in pairs"), ((a,), "missing"), (("--level", "x", a, b), "percentage"),
                            (("--only", "worse", a, b), "new, gone, grown or shrunk")):
        result = ct.candor("diff", *arguments)
        ct.ok(result.status == 2 and word in result.err and result.err.count("\n") == 1, f"{word}: told", result)
    page = ct.WORK / "changes.html"
    result = ct.candor("diff", "-o", page, a, b, same, recording("b3.jfr", 0.6, 7))
    data = flamedata.read(page.read_text()) if result.status == 0 else {}
    ct.ok(data.get("before") and sum(data["nodes"]["before"]) == sum(data["nodes"]["self"]) > 0 and
          any(change[3] for change in data["changes"]), "a page of both sides, each the sum of its runs", (result, str(data)[:1000]))
    ct.ok((data["before"]["title"], data["title"]) == ("a.jfr and 1 more", "b.jfr and 1 more"), "called by the files", data["title"])
    book = sum(samples * 10 * MS for samples in (SAMPLES, SAMPLES))
    ct.ok(data["samples"] == data["before"]["samples"] == 2 * SAMPLES and data["before"]["approximate_share"] is not None
          and data["before"]["books"]["complete_ns"] == data["books"]["complete_ns"] == book, "with the books of both", data["before"])
    folders = [ct.WORK / folder / "a.jfr" for folder in ("old", "new")]
    for copy, original in zip(folders, (a, b)):
        copy.parent.mkdir()
        copy.write_bytes(original.read_bytes())
    for left, right, titles in ((*folders, ("old/a.jfr", "new/a.jfr")), (a, b, ("a.jfr", "b.jfr")), (a, a, ("a.jfr", "a.jfr")),
                                (a, folders[0], (f"{ct.WORK.name}/a.jfr", "old/a.jfr"))):
        ct.candor("diff", "-o", page, left, right)
        data = flamedata.read(page.read_text())
        ct.ok((data["before"]["title"], data["title"]) == titles, "titles: %s, %s" % titles, (data["before"]["title"], data["title"]))
    result = ct.candor("diff", "--absolute", "-o", page, a, b)
    ct.ok(result.status == 2 and "--absolute" in result.err, "a page shows shares", result)
    result = ct.candor("diff", "--absolute", collapsed, other)
    ct.ok(result.status == 1 and "duration" in result.err, "no times", result)
    result = ct.candor("diff", "--thread", "nobody", a, b)
    ct.ok(result.status == 1 and "pass the filter" in result.err, "nothing left", result)
    ct.done()


main()
