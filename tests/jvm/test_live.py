#!/usr/bin/env python3
"""Live objects: programs that know what they keep, and programs that leak, with twins that do not.

tier: default
timeout: 900

Live bytes are estimated from sampled objects. An object of size s that stands for b is kept with the chance s/b, so the sum over B
live bytes of such objects has the variance B (b - s). Bounds are 5 standard errors (false alarm 5.7e-7 per comparison, below 1e-4 of
them in all), and the bytes of a thread from one sample to its end. A twin that does not leak is reported as a leak with a chance of
1e-6 at most, as the report itself states. A leak must be found: in a quarter of the recording n of its objects are sampled; m are
alive at its beginning and others at its end. So it grows by n +- sqrt(n + 2m), and sqrt(2 ln 1e4 (n + 2m)) is required. The program
makes sure that a quarter has at least 4000 requests: n = 313, m = 39, so it grows by 313 +- 20, and 85 is required. If the looks
after collections lie such that half of that is cut off, it grows by 157 +- 15, and 66 is required: the chance that this is not
reached is 1e-9.
"""
import concurrent.futures
import math
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import candortest as ct

SIZES = {"small": (96, 24 << 20, "byte[]"), "medium": (4096, 48 << 20, "int[]"), "large": (200 << 10, 60 << 20, "char[]")}
INTERVAL = 16 << 10
WATCHED = 1024
KINDS = ("hashtable", "secondIndex", "threadLocal", "classLoader", "listener")
SECONDS = 12
SERIAL = ["-XX:+UseSerialGC"]


class Object:
    """One jdk.OldObjectSample, or candor.ObjectEnd."""
    def __init__(self, event):
        self.told, self.weight, self.size = event["startTime"], event["weight"], event["objectSize"]
        self.age = event["objectAge"]
        self.frames = [ct.frame_of(frame) for frame in event["stackTrace"]["frames"]]

    def shows(self, method):
        return any(name == method for name, _, _ in self.frames)


class Recording(ct.Recording):
    def __init__(self, path):
        self.sets = []
        super().__init__(path)
        last = max((one.told for one in self.all), default=0)
        self.alive = [one for one in self.all if one.told == last]

    def take(self, kind, event):
        if kind == "jdk.OldObjectSample":
            self.all.append(Object(event))
        elif kind == "candor.LiveSet":
            self.sets.append(event)
        else:
            super().take(kind, event)

    def of(self, size):
        return [one for one in self.alive if one.shows(f"Leaks.{size}")]

    def lost(self):
        """The bytes of samples that the event alloc took and that did not arrive here, according to its books."""
        return self.sum("alloc_lost_bytes")


def standard_error(objects, size, bytes_):
    """The standard error of the sum over this many live bytes, in objects of this size; each stands for the mean of the objects."""
    each = sum(one.weight for one in objects) / len(objects) if objects else INTERVAL
    return math.sqrt(bytes_ * max(each - size, 0)) + INTERVAL


def weak_references(jvm):
    """The number of references that the JVM holds for JNI, by its own count; None if it does not say."""
    dump = ct.run(jvm.jdk.jcmd, jvm.pid, "Thread.print")
    found = re.search(r"weak refs: (\d+)", dump.out)
    return int(found[1]) if found else None


# -- what is alive ---------------------------------------------------------------------------------------------------

def agrees(found, truth, what):
    variance = 0
    for size, bytes_ in truth.items():
        mine = found.of(size)
        estimate, error = sum(one.weight for one in mine), standard_error(mine, SIZES[size][0], bytes_)
        variance += error ** 2
        ct.ok(abs(estimate - bytes_) <= 5 * error + found.lost(), f"{what}: {size}: {estimate / bytes_:.3f} of the truth by {len(mine)} "
              f"objects, standard error {error / bytes_:.3f}", (bytes_, estimate))
        ct.ok(error < 0.35 * bytes_, f"{what}: {size}: which is not just anything", error / bytes_)
        ct.ok({one.size for one in mine if one.frames[0][0] == f"Leaks.{size}"} == {SIZES[size][0]}, f"{what}: {size}: of the right size")
    estimate = sum(one.weight for size in truth for one in found.of(size))
    ct.ok(abs(estimate - sum(truth.values())) <= 5 * math.sqrt(variance) + found.lost(),
          f"{what}: and all together", (estimate, truth))


def sound(found, what):
    account = {name: line for (name, _), line in found.books.items()}
    parts = [account[f"live_{part}_bytes"] for part in ("watched", "dead", "displaced", "unreferenced")]
    ct.ok(tuple(map(sum, zip(*parts))) == account["alloc_bytes"], f"{what}: the books balance", account)
    ct.ok(account["live_displaced_bytes"][1] > 0 and account["live_dead_bytes"][1] > 0 and not account["live_unreferenced_bytes"][1],
          f"{what}: there were displaced ones, and dead", account)
    ct.ok(0 < len(found.alive) <= account["live_watched_bytes"][1] <= WATCHED, f"{what}: no more are watched than may be", account)
    ct.ok(all(0 < one.age < 600e9 for one in found.alive), f"{what}: and are older than nothing, and younger than the test")
    told = list({one["startTime"]: one for one in found.sets}.values())  # of two with the same time the later one counts
    ct.ok(all(b["oldBefore"] == a["oldCollections"] for a, b in zip(told, told[1:])) and
          (told[0]["oldBefore"] < told[-1]["oldCollections"]) == (found.settings["live_old_collections"] == "counted"),
          f"{what}: which collections were of old objects",
          [(one["oldBefore"], one["oldCollections"]) for one in told])
    used = [one["heapUsed"] for one in found.sets]
    least = 64 << 10 if found.settings["live_collections"] == "pauses" else 0  # others need not tell
    ct.ok(used and all(least <= n <= 512 << 20 for n in used), f"{what}: the heap after collections", used[:10])
    ct.ok(found.settings["live_max"] == str(WATCHED), f"{what}: as requested", found.settings)


def alive(jdk, flags=SERIAL):
    what = f"{jdk} {' '.join(flags)}"
    path = ct.WORK / f"alive-{jdk.version}-{flags[0][8:]}.jfr"
    with ct.Jvm(jdk, "Leaks", agent=ct.agent_options(), flags=["-Xms512m", "-Xmx512m", *flags]) as jvm:
        jvm.expect("ready")
        before = weak_references(jvm)
        jvm.start(path, event="live", **{"alloc-interval": INTERVAL, "live-max": WATCHED})
        answers = {size: jvm.round("keep", size=size, bytes=bytes_) for size, (_, bytes_, _) in SIZES.items()}
        good, copied = jvm.control("dump", file=path.with_suffix(".copy.jfr"))
        ct.ok(good, f"{what}: is copied", copied)
        during = weak_references(jvm)  # now that none is still waiting to be watched
        jvm.stop()
        after = weak_references(jvm)
        ct.ok(jvm.finish() == 0, f"{what}: the program ends normally", jvm.transcript())
    truth = {size: answer["bytes"] for size, answer in answers.items()}
    found, copy = Recording(path), Recording(path.with_suffix(".copy.jfr"))
    agrees(found, truth, what)
    agrees(copy, truth, f"{what}, the copy")
    sound(found, what)
    ct.ok(all(answer["dropped"] > 40 and not answer["held"] for answer in answers.values()), f"{what}: nothing is kept alive", answers)
    ct.ok(before is not None and after == before and before < during <= before + 2 * WATCHED,
          f"{what}: {during} weak references at most, and none is left", (before, during, after))
    return found, truth


def shown(found, truth, what):
    report = ct.candor("report", "--json", "--kind", "live", found.path)
    if not ct.ok(report.status == 0, f"{what}: is reported", report):
        return
    data = ct.json.loads(report.out)
    ct.ok(data["kind"] == "live" and data["unit"] == "bytes" and data["value"] == "inuse_space" and not data["problems"] and
          data["sampled"] == sum(one.weight for one in found.alive) and data["sample_count"] == len(found.alive),
          f"{what}: the last set, and only that", (data["sampled"], data["problems"]))
    ct.ok(len(data["live"]["sets"]) == len(found.sets), f"{what}: with what collections left")
    by_class = {row["class"]: row["self"] for row in data["allocated"]}
    for size, (_, _, name) in SIZES.items():
        ct.ok(by_class.get(name, 0) >= sum(one.weight for one in found.of(size)) > 0, f"{what}: {name}: by class", by_class)
    text = ct.candor("report", "--kind", "live", found.path).out
    ct.ok("Leak candidates" in text and "Live classes" in text and "found dead" in text, f"{what}: the text has the tables", text)
    alloc = ct.candor("report", "--json", found.path)
    ct.ok(alloc.status == 0 and ct.json.loads(alloc.out)["kind"] == "alloc", f"{what}: without --kind it shows the allocations", alloc)
    wrong = ct.candor("report", "--kind", "wall", found.path)
    ct.ok(wrong.status == 1 and "no wall samples" in wrong.err, f"{what}: --kind wall: there are none", wrong)


def opens_in_the_jdk(found, what):
    jdk = ct.jdk(17) or ct.jdk(21)
    printed = ct.run(jdk.jfr, "print", "--events", "jdk.OldObjectSample", found.path)
    ct.ok(printed.status == 0 and printed.out.count("jdk.OldObjectSample {") == len(found.all) and "int[]" in printed.out,
          f"{what}: the JDK's own tool prints all of them", printed.out[:800] + printed.err[:400])


# -- what leaks ------------------------------------------------------------------------------------------------------

def leaks(jdk, kind, fixed):
    """The report on it, or the error."""
    path = ct.WORK / f"leaks-{jdk.version}-{kind}-{fixed}.jfr"
    with ct.Jvm(jdk, "Leaks", agent=ct.agent_options(), flags=["-Xms96m", "-Xmx96m", *SERIAL]) as jvm:
        jvm.expect("ready")
        jvm.start(path, event="live", **{"alloc-interval": "2k", "live-max": 16384})
        done = jvm.round(kind=kind, fixed=fixed, seconds=SECONDS)
        jvm.stop()
        status = jvm.finish()
    report = ct.candor("report", "--json", "--kind", "live", path)
    rules = ct.candor("analyze", "--json", path)
    if report.status or rules.status:
        return done, status, (report, rules)
    return done, status, {**ct.json.loads(report.out), "rules": ct.json.loads(rules.out)}


def judge(jdk, kind, fixed, answer):
    what = f"{jdk}: {kind}{', fixed' if fixed else ''}"
    done, status, data = answer
    if not done["full"]:
        ct.skip(what, f"the machine had no time for {done['requests']} requests in {done['seconds']} s")
        return
    if not ct.ok(status == 0 and isinstance(data, dict) and data["leaks"], f"{what}: is recorded and reported", data):
        return
    found = data["leaks"]
    names = [(one["class"], one["site"], round(one["growth"]), one["chance"]) for one in found["candidates"]]
    ct.ok(found["proof"] == "proved" and found["groups"] > 0, f"{what}: old objects were collected in each quarter", found["proof"])
    told = [one["evidence"] for one in data["rules"]["findings"] if one["id"] == "leak"]
    if fixed:
        ct.ok(not names and not told and "leak" in data["rules"]["judged"], f"{what}: no candidate", (names, told))
        return
    if not ct.ok(bool(names), f"{what}: {len(names)} candidates", data["live"]["sets"][-3:]):
        return
    first = found["candidates"][0]
    ct.ok(first["class"] == "byte[]" and f"Leaks.{kind}" in first["stack"] and first["site"].startswith("Leaks"),
          f"{what}: the first is {first['class']} of {first['site']}", names)
    ct.ok(told and told[0]["subject"] == "byte[]" and told[0]["site"].startswith("Leaks"), f"{what}: a rule says so", told)
    ct.ok(first["growth"] > 5 * first["growth_error"] and first["chance"] * found["groups"] <= found["false_alarm"] == 1e-6 and
          all(a < b for a, b in zip(first["quarters"], first["quarters"][1:])), f"{what}: it grew all the time", first["quarters"])


def all_leaks(jdk):
    cases = [(kind, fixed) for kind in KINDS for fixed in (0, 1)]
    with concurrent.futures.ThreadPoolExecutor(5) as pool:
        answers = list(pool.map(lambda case: leaks(jdk, *case), cases))
    for case, answer in zip(cases, answers):
        judge(jdk, *case, answer)


# --------------------------------------------------------------------------------------------------------------------

def refused(jdk):
    with ct.Jvm(jdk, "Leaks", agent=ct.agent_options()) as jvm:
        jvm.expect("ready")
        good, answer = jvm.control("start", file=ct.WORK / "refused.jfr", event="live")
        ct.ok(not good and "SampledObjectAlloc" in answer and "this is Java 8" in answer, f"{jdk}: refused, with what is missing", answer)
        ct.ok(not (ct.WORK / "refused.jfr").exists(), f"{jdk}: and no file")
        ct.ok(jvm.finish() == 0, f"{jdk}: the program ends normally", jvm.transcript())


def collectors(jdk):
    names = ["G1", "Parallel"] + (["Z", "Shenandoah"] if jdk.version >= 17 else [])
    return [[f"-XX:+Use{name}GC"] for name in names]


def main():
    ct.need()
    jdks = ct.jdks()
    sampled = [jdk for jdk in jdks if jdk.version >= 11]
    for jdk in jdks:
        if jdk.version < 11:
            refused(jdk)
    for jdk in sampled:
        found, truth = alive(jdk)
        if jdk.version in (17, 25):
            shown(found, truth, f"{jdk}, shown")
            opens_in_the_jdk(found, f"{jdk}")
        if ct.TIER == "all":
            for flags in collectors(jdk):
                alive(jdk, flags)
    for jdk in sampled if ct.TIER == "all" else [jdk for jdk in sampled if jdk.version == 21] or sampled[:1]:
        all_leaks(jdk)
    ct.done()


main()
