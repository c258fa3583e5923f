"""Profiles for the viewer's tests, with names that a hostile program could choose. The right answers are computed here in another way
than in the viewer: with whole stacks, not with columns.
"""

import base64
import functools
import json
import math
import random
import re
import zlib

TYPES = ["Interpreted", "C1 compiled", "JIT compiled", "Inlined", "Native", "Stub", "Kernel", "Failed", "Pseudo",
         "C1 compiled (approximate)", "JIT compiled (approximate)", "Inlined (approximate)"]
APPROXIMATE = TYPES[-3:]
DATA_MARK = "/*CANDOR_DATA*/"

HOSTILE = [
    "<img src=x onerror=alert(1)>.Tag.run",
    "</script><script>document.title='broken'</script>.End.run",
    "quote\"and'apostrophe`.Class.m&amp;",
    "emoji.\U0001f469\u200d\U0001f680\U0001f525.\U0001f600\U0001f600\U0001f600\U0001f600",
    "\u05e9\u05dc\u05d5\u05dd.\u05e2\u05d5\u05dc\u05dd.\u05de\u05ea\u05d5\u05d3\u05d4",
    "com.evil.\u202eReversed.txet",
    "control.\x01\x1b[31m.\nnewline\ttab",
    "long." + "x" * 9990 + ".m",
    "__proto__",
    "constructor",
    "",
    "   ",
    "com.acme.Parser.parse(java.lang.String, int)",
    "com.acme.Service$$Lambda$14/0x00007f.accept",
    "com.acme.Service$$Lambda$15.0x00007fbaf8000a08.apply",
]


def pack(values, ascending=False):
    """A column in the encoding that the program writes."""
    out, before = bytearray(), 0
    for value in values:
        rest, before = value - before, value if ascending else 0
        while rest > 127:
            out.append(rest & 127 | 128)
            rest >>= 7
        out.append(rest)
    return base64.b64encode(zlib.compress(out)).decode()


class Profile:
    """Stacks with weights: {((name, type), ...): ns}; with `cut`, also the times and threads of the samples."""

    BUCKET_NS = 20_000_000
    BUCKETS = 1500
    THREADS = ["main", "worker-1", "<b>GC</b> Thread#0", "\u202eneht"]

    def __init__(self, title, stacks, samples, books=None):
        self.slices = {}
        self.title, self.stacks, self.samples, self.books = title, stacks, samples, books
        self.total = sum(stacks.values())
        self.effective = samples * 0.6  # weights differ, so the intervals are wider than with the same number of equal weights

    def json(self, before=None):
        """As the data of a page; with another profile as a comparison, which has no slices."""
        strings, types = {}, TYPES
        nodes = {key: [] for key in ("parent", "name", "type", "self", "self_effect", "total_effect")}
        index = {}

        def node(path):
            if path in index:
                return index[path]
            parent = node(path[:-1]) if path else 0
            name, kind = path[-1] if path else ("root", "Native")
            index[path] = len(nodes["parent"])
            nodes["parent"].append(parent)
            nodes["name"].append(strings.setdefault(name, len(strings)))
            nodes["type"].append(types.index(kind))
            nodes["self"].append(0)
            nodes["self_effect"].append(self_effect(name))
            nodes["total_effect"].append(total_effect(name))
            return index[path]

        node(())
        for path, weight in self.stacks.items():
            nodes["self"][node(path)] += weight
        for path in before.stacks if before else ():
            node(path)
        if before:
            nodes["before"] = [before.stacks.get(path, 0) for path in index]
        sliced = {} if before else self.slices
        rows = sorted((bucket, thread, node(path), weight) for (bucket, thread, path), weight in sliced.items())
        slices = {key: pack([row[i] for row in rows], key == "time")
                  for i, key in enumerate(("time", "thread", "node", "weight"))}
        data = {
            "title": self.title,
            "unit": "ns",
            "total": self.total,
            "threads": self.THREADS,
            "slices": dict(slices, count=len(rows), bucket_ns=self.BUCKET_NS, buckets=self.BUCKETS) if rows else None,
            "samples": self.samples,
            "effective_samples": self.effective,
            "approximate_share": 0.034,
            "books": self.books,
            "accounts": accounts(),
            "strings": list(strings),
            "types": types,
            "nodes": dict(nodes, count=len(nodes["parent"])),
            "methods": [[i, self_effect(name), total_effect(name)] for name, i in strings.items()],
        }
        if before:
            data["before"] = {"title": before.title, "samples": before.samples, "effective_samples": before.effective}
        return json.dumps(data, ensure_ascii=False)

    def write(self, template, path):
        write_page(template, path, self.json())

    def cut(self, seed=3):
        """Assigns times to each stack, in up to twenty pieces."""
        random_ = random.Random(seed)
        for path, weight in self.stacks.items():
            thread = random_.randrange(len(self.THREADS))
            while weight > 0:
                piece = min(weight, max(weight // 3, self.total // 3000))
                key = (random_.randrange(self.BUCKETS), thread, path)
                self.slices[key] = self.slices.get(key, 0) + piece
                weight -= piece

    # The right answers.

    def part(self, wanted):
        """The profile of some slices, selected by wanted(bucket, thread)."""
        stacks = {}
        for (bucket, thread, path), weight in self.slices.items():
            if wanted(bucket, thread):
                stacks[path] = stacks.get(path, 0) + weight
        return self.like(stacks)

    def like(self, stacks):
        """Another profile, whose intervals are as precise as this one's for its part of the time."""
        made = Profile(self.title, stacks, self.samples, self.books)
        made.effective = self.effective * made.total / self.total
        return made

    def map(self, change):
        """The profile with each stack changed, or left out if change(stack) is None."""
        stacks = {}
        for path, weight in self.stacks.items():
            made = change(path)
            if made is not None:
                stacks[made] = stacks.get(made, 0) + weight
        return self.like(stacks)

    def under(self, path):
        """Total of a frame: the weight of all stacks that begin with this path."""
        return sum(w for stack, w in self.stacks.items() if stack[: len(path)] == path)

    def frames(self):
        return {stack[:depth] for stack in self.stacks for depth in range(1, len(stack) + 1)}

    def matching(self, test):
        """(frames, methods, weight of the stacks that contain a match) of a search."""
        hits = [path for path in self.frames() if test(path[-1][0])]
        weight = sum(w for stack, w in self.stacks.items() if any(test(name) for name, _ in stack))
        return len(hits), len({path[-1][0] for path in hits}), weight

    def methods(self):
        """{name: (self, total)}"""
        result = {}
        for stack, weight in self.stacks.items():
            for name in {name for name, _ in stack}:
                own, total = result.get(name, (0, 0))
                result[name] = (own + (weight if stack[-1][0] == name else 0), total + weight)
        return result

    def callers(self):
        """The profile with each stack reversed. Its shortest stacks end inside longer ones, as intended."""
        turned = {}
        for stack, weight in self.stacks.items():
            if stack:
                turned[stack[::-1]] = turned.get(stack[::-1], 0) + weight
        return Profile(self.title, turned, self.samples, self.books)


def write_page(template, path, data):
    head, mark, tail = template.partition(DATA_MARK)
    assert mark, "the page has no data mark"
    with open(path, "w", encoding="utf-8", newline="") as f:
        f.write(head + data.replace("<", "\\u003c") + tail)


def self_effect(name):
    """Effects in thousandths, up to that of independent samples; different for each name, and equal in the tree and over it."""
    return 50 + len(name) * 37 % 951


def total_effect(name):
    return 1001 - self_effect(name)


def wilson(share, samples, effect=1000, z=1.959964):
    n = 1000 * samples / effect
    centre = (share + z * z / (2 * n)) / (1 + z * z / n)
    half = z * math.sqrt(share * (1 - share) / n + z * z / (4 * n * n)) / (1 + z * z / n)
    return max(0.0, centre - half), min(1.0, centre + half)


def newcombe(before, samples_before, after, samples_after):
    """The change of a share and its 95 % interval."""
    low1, high1 = wilson(before, samples_before)
    low2, high2 = wilson(after, samples_after)
    change = after - before
    return change, change - math.hypot(after - low2, high1 - before), change + math.hypot(high2 - after, before - low1)


def changed(profile, seed=7):
    """The same program before the change: one method cost less, one cost more, one did not exist, and one has gone since."""
    random_ = random.Random(seed)
    stacks = {}
    for path, weight in profile.stacks.items():
        names = [name for name, _ in path]
        factor = 0.3 if "com.acme.Main.worker1" in names else 3 if "com.acme.Recursion.f" in names else 1
        if "com.acme.Main.worker4" not in names:
            stacks[path] = int(weight * factor * random_.uniform(0.98, 1.02)) + 1
    stacks[(("java.lang.Thread.run", "Interpreted"), ("com.acme.Gone.away", "JIT compiled"))] = 2_000_000_000
    return Profile("before.jfr", stacks, 2100)


@functools.cache
def accounts():
    """The words of the accounts, as the program writes them into every page."""
    import candortest as ct
    import flamedata
    import recordings
    recording, page = recordings.make("accounts.jfr", recordings.example()), ct.WORK / "accounts.html"
    assert ct.candor("convert", recording, page).status == 0
    return flamedata.read(page.read_text())["accounts"]


def books(total):
    accounts = {
        "complete_ns": total,
        "truncated_ns": total // 200,
        "failed_ns": {"gc_active": total // 300, "deopt": total // 900},
        "lost_ns": {"queue_full": total // 500},
        "unseen_ns": {"kernel": total // 100, "after_exit": 0},
    }
    known = sum(sum(a.values()) if isinstance(a, dict) else a for a in accounts.values())
    return {
        "cpu_ns": known + total // 250,
        **accounts,
        "residual_ns": total // 250,
        "own_cost_ns": total // 400,
        "clock": "perf task clock, SIGTRAP",
        "clock_resolution_ns": 1,
        "complete": 1000,
        "truncated": 5,
        "failed": {"gc_active": 3},
        "lost": {"queue_full": 2},
    }


def everyday(seed=1):
    """An ordinary server, some 2,000 frames, with the hostile names among its methods."""
    random_ = random.Random(seed)
    packages = [
        "java.util",
        "java.util.concurrent.locks",
        "org.apache.catalina.core",
        "org.apache.coyote.http11",
        "com.acme.shop.cart",
        "com.acme.shop.price",
        "com.acme.json",
        "org.hibernate.engine.internal",
        "io.netty.channel.nio",
        "sun.nio.ch",
        "jdk.internal.misc",
        "com.fasterxml.jackson.core.json",
        "scala.collection.immutable",
    ]
    names = [
        "%s.%s.%s"
        % (
            random_.choice(packages),
            random_.choice(["Worker", "StandardWrapperValve", "HashMap", "Node", "Cart$Item"]),
            random_.choice(["run", "invoke", "get", "computeIfAbsent", "serializeFieldsFiltered", "<init>"]),
        )
        for _ in range(120)
    ]
    names = sorted(set(names)) + HOSTILE
    stacks = {}

    def grow(stack, weight):
        if len(stack) > 26 or weight < 3_000_000 or (len(stack) > 5 and random_.random() < 0.07):
            kind = random_.choice(["Native", "Kernel", "Stub", "Failed", "Pseudo", "Java", "Java", *APPROXIMATE])
            leaf = {
                "Native": "libc.so.6`memcpy",
                "Kernel": "copy_user_generic",
                "Stub": "jbyte_disjoint_arraycopy",
                "Failed": "gc_active",
                "Pseudo": "C2 compiling com.acme.Parser.parse",
                **dict.fromkeys(APPROXIMATE, "com.acme.Parser.next"),
            }.get(kind)
            stack = stack + ((leaf, kind),) if leaf else stack
            stacks[stack] = stacks.get(stack, 0) + weight
            return
        children = random_.choice([1, 1, 1, 2, 2, 3])
        cuts = sorted(random_.randrange(weight) for _ in range(children))
        for low, high in zip([0] + cuts[:-1], cuts):
            if high > low:
                grow(stack + ((random_.choice(names), random_.choice(TYPES[:4])),), high - low)
        rest = weight - (cuts[-1] if cuts else 0)
        if rest > 0:
            stacks[stack] = stacks.get(stack, 0) + rest

    for thread in range(6):
        grow(
            (("java.lang.Thread.run", "Interpreted"), ("com.acme.Main.worker%d" % thread, "C1 compiled")),
            9_000_000_000 // (thread + 1),
        )
    for i, name in enumerate(HOSTILE):
        stack = (
            ("java.lang.Thread.run", "Interpreted"),
            ("com.acme.Hostile.dispatch", "JIT compiled"),
            (name, "JIT compiled"),
        )
        stacks[stack] = 150_000_000 + i
    recursive = tuple(("com.acme.Recursion.f", "JIT compiled") for _ in range(40))
    stacks[(("java.lang.Thread.run", "Interpreted"),) + recursive] = 700_000_000
    stacks[()] = 1_000_000
    profile = Profile("everyday.jfr <b>CPU</b>", stacks, 2300)
    profile.books = books(profile.total)
    profile.cut()
    return profile


def large(nodes, seed=2):
    """JSON of a profile with many frames, generated without storing its stacks."""
    random_ = random.Random(seed)
    strings = ["root"] + ["com.acme.part%d.Class%d.method%d" % (i % 40, i % 900, i) for i in range(20_000)]
    parent, name, kind, own = [0], [0], [4], [0]
    for i in range(1, nodes):
        # A parent near the last nodes makes the tree deep; a parent among all nodes makes it wide.
        up = i - 1 - int(random_.random() ** 3 * min(i, 60)) if random_.random() < 0.7 else random_.randrange(i)
        parent.append(up)
        name.append(1 + int(random_.random() ** 2 * 20_000) % 20_000)
        kind.append(i % 4)
        own.append(random_.randrange(1, 20) * 1_000_000)
    total = sum(own)
    data = {
        "title": "large",
        "unit": "ns",
        "total": total,
        "samples": nodes,
        "effective_samples": nodes,
        "books": books(total),
        "accounts": accounts(),
        "strings": strings,
        "types": TYPES,
        "nodes": {"count": nodes, "parent": parent, "name": name, "type": kind, "self": own,
                  "self_effect": [1000] * nodes, "total_effect": [1000] * nodes},
        "methods": [],
    }
    return json.dumps(data)


def text_search(query):
    return lambda name: query.lower() in name.lower()


def regex_search(query):
    pattern = re.compile(query, re.I)
    return lambda name: pattern.search(name) is not None
