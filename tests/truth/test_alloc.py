#!/usr/bin/env python3
"""Sampled allocations: programs know the bytes that they have allocated, in objects of 96 bytes to 2 MB, and the samples must add up to
them, by class, by method and in all.

tier: default
timeout: 900

An object of size s is sampled with the chance p = 1 - e^(-s/T) and then weighs s/p. For N objects the standard error is sqrt(N (1 -
p)/p) s, estimated from the samples as sqrt(sum w^2 (1 - p)). The bound of a comparison is 5 standard errors, plus 12 times the longest T,
because a few samples do not show their own error: if n samples are due, the chance that none comes is e^-n. The chance of a false alarm is
at most 6e-7 per comparison, and below 1e-4 for all comparisons together. If a JVM samples more or less often than it says, which its own
count of bytes shows, the report must say so.
"""
import math
import pathlib
import re
import struct
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import candortest as ct

HUGE = 2 << 20
SIZES = {"small": (96, "byte[]"), "medium": (4096, "int[]"), "large": (200 << 10, "char[]"), "huge": (2 << 20, "long[]")}
BYTES = 600 << 20
HEAP = ["-Xms256m", "-Xmx256m", "-XX:+UseSerialGC"]


class Allocation:
    """One jdk.ObjectAllocationSample."""
    def __init__(self, event):
        self.weight, self.size, self.interval, self.counted = (event[key] for key in ("weight", "size", "interval", "counted"))
        name = event["objectClass"]["name"]
        self.kind = name["string"] if isinstance(name, dict) else name
        self.thread, self.carrier, self.outcome = event["eventThread"], event["carrierThread"], event["outcome"]
        self.frames = [ct.frame_of(frame) for frame in event["stackTrace"]["frames"]]

    def shows(self, method):
        return any(name == method for name, _, _ in self.frames)


class Recording(ct.Recording):
    def take(self, kind, event):
        if kind == "jdk.ObjectAllocationSample":
            self.all.append(Allocation(event))
        else:
            super().take(kind, event)

    def of(self, size):
        return [one for one in self.all if one.shows(f"Allocations.{size}")]

    def lost(self):
        return {reason: line for (account, reason), line in self.books.items() if account == "alloc_lost_bytes"}


def standard_error(samples, total):
    """The relative standard error, for this many bytes in objects of one size."""
    return math.sqrt(sum(one.weight ** 2 * math.exp(-one.size / one.interval) for one in samples)) / total


def record(jvm, name, sizes=SIZES, total=BYTES, words=(), **options):
    path = ct.WORK / f"{name}-{jvm.jdk.version}.jfr"
    jvm.start(path, event="alloc", **options)
    truth = {size: jvm.round(*words, size=size, bytes=total)["bytes"] for size in sizes}
    jvm.stop()
    return Recording(path), truth


def agrees(found, truth, what):
    """Each size separately. Returns whether the JVM samples as it says, by its own count."""
    for size, bytes_ in truth.items():
        mine = found.of(size)
        estimate, error = sum(one.weight for one in mine) / bytes_, standard_error(mine, bytes_)
        lost = sum(line[0] for line in found.lost().values()) / bytes_
        few = 12 * found.books["alloc_longest_interval", ""][0] / bytes_
        ct.ok(abs(estimate - 1) <= 5 * error + few + lost,
              f"{what}: {size}: {estimate:.4f} of the truth by {len(mine)} samples, standard error {error:.4f}", f"{bytes_} {found.lost()}")
        ct.ok(mine and {one.size for one in mine if one.frames[0][0] == f"Allocations.{size}"} == {SIZES[size][0]},
              f"{what}: {size}: the size is the object's", {one.size for one in mine})


def sound(found, what):
    taken = found.books["alloc_bytes", ""]
    ct.ok(taken == (sum(one.weight for one in found.all), len(found.all)), f"{what}: the books are those of the samples", found.books)
    whole = [one for one in found.all if one.outcome == "complete"]
    ct.ok(len(whole) >= 0.99 * len(found.all), f"{what}: {len(whole)} of {len(found.all)} stacks are whole",
          {one.outcome for one in found.all})
    counted, weighed = found.books["alloc_counted_bytes", ""], found.books["alloc_weighed_bytes", ""]
    ct.ok(counted[1] == weighed[1] > 0.9 * len(found.all), f"{what}: the JVM counts along", found.books)
    ct.note(f"{what}: the JVM counted {counted[0] / weighed[0]:.4f} of what the samples say")


def fixed(jvm, interval):
    what = f"{jvm.jdk}, a sample per {interval}"
    found, truth = record(jvm, f"fixed-{interval}", **{"alloc-interval": interval})
    agrees(found, truth, what)
    sound(found, what)
    intervals = {one.interval for size in SIZES for one in found.of(size)}
    ct.ok(intervals == {int(interval[:-1]) << 10}, f"{what}: as requested", intervals)
    return found, truth


def by_rate(jvm):
    """The interval changes; the sums stay right. Objects that do not fit into a thread's buffer are left out on JDKs that sample too
    many of them with long intervals."""
    what = f"{jvm.jdk}, by rate"
    sizes = ("small", "medium") if 11 < jvm.jdk.version < 25 else SIZES
    found, truth = record(jvm, "rate", sizes, total=2 << 30, **{"alloc-rate": "1000/s"})
    agrees(found, truth, what)
    sound(found, what)
    longest, longest_seen = found.books["alloc_longest_interval", ""][0], max(one.interval for one in found.all)
    ct.ok(longest >= longest_seen, f"{what}: the longest interval is in the books", (longest, longest_seen))
    ct.ok(len({one.interval for one in found.all}) > 1, f"{what}: the interval was adapted", {one.interval for one in found.all})


def mixed(jvm):
    """Small objects between large ones: a JVM before 25 (JDK-8356372) samples the large ones too rarely and the small ones too often.
    The sums are right, and the report says so."""
    what, path = f"{jvm.jdk}, mixed", ct.WORK / f"mixed-{jvm.jdk.version}.jfr"
    jvm.start(path, event="alloc", **{"alloc-interval": "512k"})
    each = jvm.round(size="mixed", bytes=BYTES)["bytes"]
    jvm.stop()
    found = Recording(path)
    truth = {"small": each // HUGE * (HUGE // 96) * 96, "medium": each, "large": each // HUGE * (HUGE // 204800) * 204800, "huge": each}
    text, shares = ct.candor("report", path).out, {}
    for size, bytes_ in truth.items():
        shares[size] = sum(one.weight for one in found.of(size)) / bytes_
    mine, whole = [one for one in found.all if any(one.shows(f"Allocations.{size}") for size in truth)], sum(truth.values())
    error = math.sqrt(sum(one.weight ** 2 for one in mine)) / whole
    biased = jvm.jdk.version < 25
    ct.ok(abs(sum(one.weight for one in mine) / whole - 1) <= 5 * error + (0.05 if biased else 0), f"{what}: the sum is right, standard "
          f"error {error:.4f}", shares)
    ct.ok(("a JVM before 25" in text) == biased and "differ by more than chance" not in text, f"{what}: what is off is marked", text)
    if not biased:
        agrees(found, truth, what)
    ct.note(f"{what}: of the truth {({size: round(share, 3) for size, share in shares.items()})}")


def shown(found, truth, what):
    """The report and the converted files."""
    report = ct.candor("report", "--json", found.path)
    if not ct.ok(report.status == 0, f"{what}: is reported without --kind", report):
        return
    data = ct.json.loads(report.out)
    ct.ok(data["kind"] == "alloc" and data["unit"] == "bytes" and data["value"] == "alloc_space" and not data["problems"],
          f"{what}: as allocated bytes", data["problems"])
    by_class = {row["class"]: row["self"] for row in data["allocated"]}
    by_method = {row["name"]: row["self"] for row in data["methods"]}
    for size, (_, name) in SIZES.items():
        weight = sum(one.weight for one in found.of(size))
        ct.ok(by_method.get(f"Allocations.{size}") == weight, f"{what}: {size}: by method", by_method)
        # Other code allocates a few arrays, too.
        ct.ok(weight <= by_class.get(name, 0) <= 1.02 * weight + 64 * 2 ** 20, f"{what}: {name}: by class", by_class)
    text = ct.candor("report", "--tree", found.path).out
    ct.ok("Allocated classes" in text and "Allocating methods" in text and re.search(r"long\[\]$", text, re.M),
          f"{what}: the text has the tables, and the class in the tree", text)
    wrong = ct.candor("report", "--kind", "cpu", found.path)
    ct.ok(wrong.status == 1 and "no cpu samples" in wrong.err, f"{what}: --kind cpu: there are none", wrong)
    folded = ct.WORK / f"{found.path.stem}.collapsed"
    done = ct.candor("convert", found.path, folded)
    lines = folded.read_text().splitlines() if done.status == 0 else []
    stacks = [line.rsplit(" ", 1) for line in lines]
    ct.ok(sum(int(n) for _, n in stacks) == sum(one.weight for one in found.all) and
          any(stack.endswith("Allocations.huge;long[]") for stack, _ in stacks), f"{what}: collapsed: bytes, the class at the leaf",
          [done, *lines[:5]])
    pprof, back = ct.WORK / f"{found.path.stem}.pb.gz", None
    if ct.candor("convert", found.path, pprof).status == 0:
        back = ct.json.loads(ct.candor("report", "--json", "--value", "alloc_space", pprof).out)
    ct.ok(back and back["unit"] == "bytes" and back["sampled"] == sum(one.weight for one in found.all),
          f"{what}: pprof: alloc_space in bytes", back and back["sampled"])


def opens_in_the_jdk(found, what):
    jdk = ct.jdk(17) or ct.jdk(21)
    printed = ct.run(jdk.jfr, "print", "--events", "jdk.ObjectAllocationSample", found.path)
    ct.ok(printed.status == 0 and printed.out.count("jdk.ObjectAllocationSample {") == len(found.all) and
          "objectClass = long[]" in printed.out and re.search(r"weight = \d+([.,]\d+)? [kMG]?B", printed.out),
          f"{what}: the JDK's own tool prints all of them", printed.out[:600])


def both(jvm):
    what, path = f"{jvm.jdk}, cpu and alloc", ct.WORK / f"both-{jvm.jdk.version}.jfr"
    jvm.start(path, event="cpu,alloc", interval="1ms", **{"alloc-interval": "512k"})
    status = jvm.control("status")[1]
    ct.ok(status.get("event") == "cpu,alloc" and "clock" in status, f"{what}: the status says both", status)
    truth = {"medium": jvm.round(size="medium", bytes=BYTES, threads=2)["bytes"]}
    jvm.stop()
    found = Recording(path)
    agrees(found, truth, what)
    sound(found, what)
    report = ct.report(path)
    ct.ok(report["kind"] == "cpu" and len(found.samples) == report["samples"] > 0 and report["allocation_samples"] == len(found.all),
          f"{what}: {len(found.samples)} samples of the clock beside them")
    ct.identity_closes(report["books"], what)
    alloc = ct.candor("report", "--json", "--kind", "alloc", path)
    ct.ok(alloc.status == 0 and ct.json.loads(alloc.out)["sampled"] == sum(one.weight for one in found.all),
          f"{what}: --kind alloc shows them", alloc)


def virtual(jvm):
    what = f"{jvm.jdk}, virtual threads"
    path = ct.WORK / f"virtual-{jvm.jdk.version}.jfr"
    jvm.start(path, event="alloc", **{"alloc-interval": "64k"})
    bytes_ = jvm.round(size="medium", bytes=30 << 20, threads=4, virtual=1)["bytes"]
    jvm.stop()
    found = Recording(path)
    agrees(found, {"medium": bytes_}, what)
    mine = found.of("medium")
    ct.ok(mine and all(one.thread["virtual"] and one.carrier for one in mine) and
          len({one.thread["javaThreadId"] for one in mine}) == 4, f"{what}: each has its own samples",
          {(one.thread["virtual"], one.thread["javaThreadId"]) for one in mine})


def interval_of(jvm):
    """The JVM's sampling interval, if its library has the symbol; otherwise None."""
    table = subprocess.run(["readelf", "-sW", jvm.jdk.libjvm], capture_output=True, text=True, check=True).stdout
    symbol = re.search(r"([0-9a-f]{16}) .* _ZN17ThreadHeapSampler18_sampling_intervalE$", table, re.M)
    if not hasattr(jvm, "base"):  # before a recording, when the agent has the file itself mapped as well
        maps = pathlib.Path(f"/proc/{jvm.pid}/maps").read_text().splitlines()
        jvm.base = next(int(line.split("-")[0], 16) for line in maps if line.endswith("libjvm.so"))
    if not symbol:
        return None
    with open(f"/proc/{jvm.pid}/mem", "rb") as memory:
        memory.seek(jvm.base + int(symbol[1], 16))
        return struct.unpack("i", memory.read(4))[0]


def cycles(jvm, count=50):
    what, path = f"{jvm.jdk}, {count} recordings", ct.WORK / f"cycles-{jvm.jdk.version}.jfr"
    before, fds, inside = interval_of(jvm), len(jvm.fds()), set()
    for i in range(count):
        jvm.start(path, event="alloc", **({"alloc-interval": "100k"} if i % 2 else {}))
        inside.add(interval_of(jvm))
        jvm.stop()
    after = interval_of(jvm)
    if before is None:
        ct.skip(f"{what}: the JVM's interval", "this libjvm has no symbol table")
    else:
        ct.ok(before == after == 524288 and 100 << 10 in inside, f"{what}: the JVM's interval is as before", (before, after, inside))
    ct.ok(len(jvm.fds()) == fds, f"{what}: no descriptor is left")
    found, _ = record(jvm, "after", sizes=("huge",), total=64 << 20, **{"alloc-interval": "64k"})
    ct.ok(len(found.of("huge")) == 32, f"{what}: and it still samples: all of 32 large objects", len(found.of("huge")))


def agent(jdk):
    return ct.Jvm(jdk, "Allocations", agent=ct.agent_options(), flags=HEAP)


def refused(jdk):
    with agent(jdk) as jvm:
        jvm.expect("ready")
        good, answer = jvm.control("start", file=ct.WORK / "refused.jfr", event="alloc")
        ct.ok(not good and "Java 8 cannot sample allocations" in answer and "event=cpu" in answer, f"{jdk}: refused, with what is possible",
              answer)


def main():
    ct.need()
    jdks = ct.jdks()
    for jdk in jdks:
        if jdk.version < 11:
            refused(jdk)
            continue
        with agent(jdk) as jvm:
            jvm.expect("ready")
            fixed(jvm, "64k")
            found, truth = fixed(jvm, "512k")
            by_rate(jvm)
            mixed(jvm)
            if jdk.version in (17, 25):
                shown(found, truth, f"{jdk}, shown")
                opens_in_the_jdk(found, f"{jdk}")
                cycles(jvm)
            if jdk.version in (11, 25):
                both(jvm)
            if jdk.version >= 21:
                virtual(jvm)
            ct.ok(jvm.finish() == 0, f"{jdk}: the program ends normally", jvm.transcript())
    ct.done()


main()
