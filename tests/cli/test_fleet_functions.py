#!/usr/bin/env python3
"""Where methods run: each figure is the sum of what candor report says about the same recordings, by service, by label and over time.

tier: default
timeout: 300
"""
import collections
import json
import pathlib
import random
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import candortest as ct
import recordings
from recordings import MS, RUN
from servers import DAY, Server

START, DAY_S = 1_700_000_000, 86400
TIMES = ("--from", DAY["from"], "--until", DAY["to"])
ROOT = RUN + ";demo.Work.serve:5"
STACKS = [ROOT + ";demo.Cart.get:3", ROOT + ";demo.Cart.get:3;java.util.HashMap.get:9", ROOT + ";demo.Cart.get:3;demo.Tree.sum:1",
          # methods that call themselves, directly and through others
          ROOT + ";demo.Tree.sum:1;demo.Tree.sum:2;demo.Tree.sum:2",
          ROOT + ";demo.Tree.sum:1;demo.Cart.get:4;demo.Tree.sum:1;demo.Cart.get:3",
          ROOT, "Native|libc.write", recordings.FAILED, "...;" + ROOT + ";demo.Cart.getAll:7"]
HOSTILE = ['demo."},{.a', "demo.<img src=x>.b", "demo.日本.メソッド", "demo.\x1b[31mred.c", "demo.%s%n.d", "demo.a b.e", "demo.\x1f.f"]


def lines(seed, samples, stacks=STACKS):
    """The script of a recording with a sample every ms; and the same as (ms, weight, methods root first)."""
    rng = random.Random(seed)
    script = [("setting", "interval_ns", 10 * MS), ("thread", "main", 1, 1), ("thread", "worker", 2, 2)]
    truth = []
    for _ in range(samples):
        stack, weight = rng.choice(stacks), 10 * MS + rng.randrange(5 * MS)
        truth.append((len(script), weight, stack))
        script.append(("sample", rng.randrange(1, 3), weight, "truncated" if stack.startswith("...") else "complete", stack))
    return script, truth


def names(stack):
    """The methods of a stack, as a report lists them."""
    frames = [frame.rsplit("|", 1) for frame in stack.removeprefix("...;").split(";")]
    return ["[gc_active] libjvm.so!evacuate" if len(f) == 2 and f[0] == "Failed" else f[-1].rsplit(":", 1)[0] for f in frames]


def sums(truth, wanted, when=None):
    """(self, total, samples) of the wanted methods together; when: the seconds that count."""
    self_, total, samples = 0, 0, 0
    for ms, weight, stack in truth:
        if when is not None and START + ms // 1000 not in when:
            continue
        of = [wanted(name) for name in names(stack)]
        self_, total, samples = self_ + weight * of[-1], total + weight * any(of), samples + any(of)
    return self_, total, samples


def reported(paths):
    """The sums over the reports of the recordings: name -> (self, total, samples, self_samples)."""
    out = collections.defaultdict(lambda: [0, 0, 0, 0])
    for path in paths:
        for row in recordings.report_json(path)["methods"]:
            for i, key in enumerate(("self", "total", "samples", "self_samples")):
                out[row["name"]][i] += row[key]
    return {name: tuple(row) for name, row in out.items()}


def figures(row):
    return tuple(row[key] for key in ("self", "total", "samples", "self_samples"))


def rows_of(answer, **labels):
    """name -> figures of the groups with these labels."""
    return {m["name"]: figures(g) for m in answer["methods"] for g in m["groups"] if labels.items() <= g["labels"].items()}


def test_sums(server, files):
    """files: (service, host) -> path."""
    answer = server.get("/v1/functions", match="*", limit=1000, by="host")
    ct.ok(answer["complete"] and answer["by"] == ["service", "host"] and not answer["methods_left_out"], "* is all methods", answer["by"])
    for (service, host), path in files.items():
        ct.ok(rows_of(answer, service=service, host=host) == reported([path]), f"{service} on {host}: as its report", answer["methods"])
    whole = reported(files.values())
    ct.ok({m["name"]: figures(m) for m in answer["methods"]} == whole, "all services: the sum of the reports")
    ct.ok([m["total"] for m in answer["methods"]] == sorted((m["total"] for m in answer["methods"]), reverse=True), "the heaviest first")
    services = server.get("/v1/functions", match="*", limit=1000)
    for service in sorted({service for service, _ in files}):
        paths = [path for key, path in files.items() if key[0] == service]
        ct.ok(rows_of(services, service=service) == reported(paths), f"{service}: the sum of the reports of its hosts")
    ct.ok(all("demo.Cart.get" in rows_of(services, service=service) for service in ("shop", "cart")), "a method of two services")


def test_intervals(server):
    """Shares and intervals are those of candor report of the same data."""
    keys = [f"{a}_{b}" for a in ("self", "total") for b in ("share", "low", "high")]
    answer = server.get("/v1/functions", match="*", limit=1000)
    shop = {m["name"]: g for m in answer["methods"] for g in m["groups"] if g["labels"]["service"] == "shop"}
    for select, rows in (('service="shop"', shop), ("", {m["name"]: m for m in answer["methods"]})):
        report = json.loads(ct.candor("report", "--json", "--select", select, *TIMES, server.url).out)
        wrong = [row for row in report["methods"] if any(row[key] != rows[row["name"]][key] for key in keys)]
        ct.ok(len(report["methods"]) == len(rows) and not wrong, f"shares and intervals of {select or 'all'}: those of the report", wrong)
    ct.ok(all(answer[key] == report[key] for key in ("sampled", "effective_samples")), "so is the whole", answer["sampled"])


def test_match(server, truth):
    for match, wanted in (("Cart.get", lambda n: "Cart.get" in n), ("demo.Cart*", lambda n: n.startswith("demo.Cart")),
                          (r"/Cart\.get$/", lambda n: n.endswith("Cart.get")), ("/^(java|libc)/", lambda n: n.startswith(("java", "libc"))),
                          ("cart", lambda n: "cart" in n), ("/(?i)CART/", lambda n: "cart" in n.lower()), ("//", lambda n: True),
                          ("[gc_active]", lambda n: n.startswith("[gc")), ("run", lambda n: "run" in n)):
        answer = server.get("/v1/functions", match=match)
        found = answer["found"]
        ct.ok((found["self"], found["total"], found["samples"]) == sums(truth, wanted), f"{match}: a sample counts once for all", found)
        ct.ok({m["name"] for m in answer["methods"]} == {n for _, _, s in truth for n in names(s) if wanted(n)} and
              found["methods"] == len(answer["methods"]), f"{match}: these methods", [m["name"] for m in answer["methods"]])
    for match, words in (("", "which methods"), ("/(/", "character 1"), (r"/(a)\1/", "match"), ("/" + "a{1000}" * 9 + "/", "match"),
                         ("a\0b", "zero byte"), ("/" + "x" * 5000 + "/", "at most")):
        answer = server.get("/v1/functions", match=match)
        ct.ok(answer.get("status") == 400 and words in answer["error"], f"{match[:20]!r}: 400 and why", answer)
    for wrong in ({"by": "a b"}, {"by": "a,"}, {"by": "x\0"}, {"limit": "0"}, {"limit": "x"}, {"select": "x"}, {"from": "x"}):
        ct.ok(server.get("/v1/functions", match="x", **wrong).get("status") == 400, f"{wrong}: 400")
    few = server.get("/v1/functions", match="*", limit=2)
    ct.ok(len(few["methods"]) == 2 and few["methods_left_out"] == few["found"]["methods"] - 2 > 0 and few["complete"] is False and
          few["found"]["total"] == few["sampled"], "a list that is cut says so, and counts", few["found"])
    other = server.get("/v1/functions", match="*", type="alloc_space:bytes")
    ct.ok(other["methods"] == [] and other["sampled"] == 0 and other["complete"], "nothing of another type", other)


def wanted_tree(name):
    return "Tree" in name


def test_time(server, truth):
    """Ranges that cut recordings in two, and series over time."""
    last = max(ms for ms, _, _ in truth) // 1000
    for begin, end in ((START, START + 1), (START + 1, START + 2), (START + last, START + 100), (START - 50, START), (START, START + 2)):
        found = server.get("/v1/functions", match="Tree", **{"from": begin, "to": end})["found"]
        ct.ok((found["self"], found["total"], found["samples"]) == sums(truth, wanted_tree, range(begin, end)),
              f"from {begin - START} to {end - START} s", found)
    for step in (1, 2, 7):
        answer = server.get("/v1/functions/series", match="Tree", step=step, **{"from": START, "to": START + 20})
        points = [[at, *sums(truth, wanted_tree, range(at, at + step))[:2]] for at in range(START, START + 20, step)]
        ct.ok([s["points"] for s in answer["series"]] == [[p for p in points if p[2]]] and answer["complete"],
              f"a series by {step} s", answer["series"])
    short = {"from": START, "to": START + 100}
    split = server.get("/v1/functions/series", match="Tree", by="service,host", step=1, **short)
    both = server.get("/v1/functions", match="Tree", by="host")
    totals = collections.Counter({tuple(s["labels"].values()): s["total"] for s in split["series"]})
    adds_up = all([s["self"], s["total"]] == [sum(p[i] for p in s["points"]) for i in (1, 2)] for s in split["series"])
    ct.ok(sum(totals.values()) == both["found"]["total"] and len(totals) == 3 and adds_up, "split by labels: the same sum", totals)
    cut = server.get("/v1/functions/series", match="Tree", by="service,host", step=1, limit=1, **short)
    ct.ok(len(cut["series"]) == 1 and cut["complete"] is False and cut["series_left_out"]["series"] == 2 and
          cut["series"][0]["total"] + cut["series_left_out"]["total"] == both["found"]["total"], "a cut list of series", cut)
    ct.ok(server.get("/v1/functions/series", match="nothing")["series"] == [], "a series of nothing")
    many = server.get("/v1/functions/series", match="x", step="1", **{"from": START - 40 * DAY_S})
    ct.ok(many.get("status") == 400, "too many steps: 400", many)


def test_hostile(server):
    script, truth = lines(5, 70, [f"demo.Main.main;{name}" for name in HOSTILE])
    path = recordings.make("hostile.jfr", script)
    server.send(path.read_bytes(), service="\"},{", host="<b>")
    answer = server.get("/v1/functions", match="demo.", select='host="<b>"', by="host")
    ct.ok(rows_of(answer, service="\"},{", host="<b>") == reported([path]), "hostile names", answer["methods"])
    for name in HOSTILE:
        one = server.get("/v1/functions", match=name, select='host="<b>"')
        total = sums(truth, lambda n, name=name: n == name)[1]
        ct.ok([m["name"] for m in one["methods"]] == [name] and one["found"]["total"] == total, f"{name!r} is found", one["methods"])
    shown = ct.candor("fleet", "functions", server.url, "demo.", *TIMES, "--select", 'host="<b>"')
    ct.ok(shown.status == 0 and "\x1b" not in shown.out and "demo.?[31mred.c" in shown.out and
          len(shown.out.splitlines()) == 2 + len(HOSTILE), "in a table without control characters", shown)


def test_table(server):
    shown = ct.candor("fleet", "functions", server.url, "Cart.get", *TIMES, "--by", "host", "--limit", "1")
    rows = [line.split() for line in shown.out.splitlines()]
    answer = server.get("/v1/functions", match="Cart.get", by="host", limit=1)
    group = answer["methods"][0]["groups"][0]
    ct.ok(rows[0] == "SERVICE HOST SELF SHARE 95 % TOTAL SHARE 95 % METHOD".split() and len(rows) == 4 and
          rows[1][:2] == list(group["labels"].values()) and rows[1][-1] == "demo.Cart.get" and
          f"{100 * group['self_share']:.2f}" in rows[1] and f"[{100 * group['total_low']:.2f}..{100 * group['total_high']:.2f}]" in rows[1],
          "a table of methods", shown)
    ct.ok("cut off" in shown.err, "and it says that there are more", shown.err)
    printed = ct.candor("fleet", "functions", server.url, "Cart.get", *TIMES, "--by", "host", "--limit", "1", "--json")
    ct.ok(json.loads(printed.out) == answer, "JSON is the server's answer")
    nothing = ct.candor("fleet", "functions", server.url, "no such method", *TIMES)
    ct.ok(nothing.status == 0 and "no sample" in nothing.err, "nothing is reported", nothing)
    for words, wanted in (((server.url,), "usage"), ((server.url, "/(/"), "character 1"), ((server.url, "x", "--limit", "x"), "limit")):
        result = ct.candor("fleet", "functions", *words)
        ct.ok(result.status in (1, 2) and wanted in result.err and len(result.err.splitlines()) == 1, f"{words[1:]}: one line", result)


def collapsed(day, i):
    """The same two methods in each recording, each day after other methods, so that ids differ from day to day."""
    return "".join(f"x.A.main;x.D{day}.m{n};x.Both.run;x.Both.run {n + i + 1}\n" for n in range(day + 1)) + f"x.A.main {i + 1}\n"


def test_days(server):
    """Several days, and segments that are merged between queries."""
    files, begin = collections.defaultdict(list), START - 20 * DAY_S
    for day in range(3):
        for i in range(12):
            path = ct.WORK / f"{day}-{i}.collapsed"
            path.write_text(collapsed(day, i))
            service = ("even", "odd")[i % 2]
            files[service].append(path)
            server.send(path.read_bytes(), service=service, host=f"h{i}", **{"from": begin + day * DAY_S + i * 60})
    when = {"from": begin - DAY_S, "to": begin + 4 * DAY_S, "type": "cpu:samples", "limit": 100}
    expected = {service: reported(paths) for service, paths in files.items()}
    before = server.get("/v1/functions", match="x.*", **when)
    ct.ok({s: rows_of(before, service=s) for s in files} == expected, "three days: the sum of the reports", before["found"])
    merged = ct.wait_until(lambda: server.metrics()["candor_server_store_segments"] <= 12, timeout=100)  # one for each service and day
    after = server.get("/v1/functions", match="x.*", **when)
    ct.ok(merged and after == before, "segments that were merged say the same", after["found"])
    series = server.get("/v1/functions/series", match="Both", step="1d", **when)
    days = [sum(n + i + 1 for i in range(12) for n in range(day + 1)) for day in range(3)]
    one = series["series"][0]
    ct.ok([p[2] for p in one["points"]] == days and one["self"] == sum(days), "a series over days", series["series"])
    one = server.get("/v1/functions", match="x.D1.m1", **when)
    ct.ok([m["name"] for m in one["methods"]] == ["x.D1.m1"] and one["sampled"] == before["sampled"], "a method of one day", one["found"])
    second = server.get("/v1/functions/series", match="x.D1.m1", step="1d", **when)
    ct.ok(len(second["series"][0]["points"]) == 1 and second["complete"], "and its series", second["series"])


def test_damage(server):
    """A damaged segment is missing from the answer, and the answer says so."""
    begin = START - 60 * DAY_S
    server.send(collapsed(0, 1).encode(), service="hurt", **{"from": begin})
    when = {"from": begin - 10, "to": begin + 10, "match": "Both", "select": 'service="hurt"', "type": "cpu:samples"}
    whole = server.get("/v1/functions", **when)
    newest = max((server.data / "segments").glob("*/*.seg"), key=lambda path: int(path.parent.name))  # the segment of the last dictionary
    content = bytearray(newest.read_bytes())
    content[12] ^= 1  # in its header, which every query reads
    newest.write_bytes(content)
    answer = server.get("/v1/functions", **when)
    ct.ok(whole["complete"] and whole["found"]["total"] == 2 and answer["complete"] is False and answer["found"]["total"] == 0 and
          answer["missing"]["damaged"]["weight"] == whole["sampled"], "a damaged segment is said to be missing", answer)


def main():
    server = Server("functions")
    files, truth = {}, []
    for i, (service, host) in enumerate((("shop", "a"), ("shop", "b"), ("cart", "a"))):
        script, of = lines(i, 3000 - 900 * i)
        path = files[service, host] = recordings.make(f"functions-{i}.jfr", script)
        truth += of
        status, answer = server.send(path.read_bytes(), service=service, host=host)
        ct.ok(status == 200, f"{service} on {host} is taken", answer)
    test_sums(server, files)
    test_intervals(server)
    test_match(server, truth)
    test_time(server, truth)
    test_table(server)
    test_hostile(server)
    test_days(server)
    test_damage(server)
    ct.ok(server.end() == 0, "ends by SIGTERM")
    ct.done()


if __name__ == "__main__":
    main()
