#!/usr/bin/env python3
"""The context of waits for locks, of their holders, of live objects and of samples at safepoints, in a program whose methods show the right
context. A wait also has the context of the thread that held the lock when the wait began.

tier: default
timeout: 900

As in test_context.py there is one right answer for each event, and no event may have another. In each round exactly one thread waits, so
the number of waits by endpoint is known, too. Contexts that the agent could not read are allowed only where the books count them.
"""
import collections
import json
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import candortest as ct
import jfrfile
from recordings import report_json

JAR = ct.BUILD / "candor-context.jar"
ROUNDS = 48
HOLDER = 1 << 40
FLAGS = ["-Xmx128m", "-XX:CompileCommand=quiet", "-XX:CompileCommand=dontinline,ContextWaits.*"]
WAITS = ("jdk.JavaMonitorEnter", "jdk.ThreadPark")


def program():
    target = ct.WORK / "waits"
    target.mkdir()
    source = pathlib.Path(__file__).with_name("ContextWaits.java")
    subprocess.run([ct.compiler().javac, "--release", "8", "-nowarn", "-Xlint:-options", "-cp", JAR, "-d", target, source], check=True)
    return f"{target}:{JAR}"


def shows(event, method):
    return any(ct.frame_of(frame)[0] == f"ContextWaits.{method}" for frame in (event.get("stackTrace") or {}).get("frames", ()))


def number(labels):
    """The number from which trace, span and root span of a context are made; None if they do not agree."""
    trace, span = (labels or {}).get("trace_id", ""), (labels or {}).get("span_id", "")
    return int(span, 16) if span and trace == 2 * span and labels.get("root_span_id") == span else None


def losses(path):
    return sum(event["count"] for event in last_books(path).values() if event["account"] == "context_lost")


def last_books(path):
    return {(event["account"], event["reason"]): event for event in jfrfile.events(path, {"candor.BookLine"})}


def judge_waits(what, path):
    """Each wait's own context, and that of the lock's owner. Returns the numbers of the rounds in which somebody waited in a scope."""
    seen, wrong = collections.Counter(), []
    for event in jfrfile.events(path, set(WAITS)):
        own, owner = jfrfile.labels(event["context"]), jfrfile.labels(event["ownerContext"])
        nobody = shows(event, "nobodyWaits")
        if not nobody and not shows(event, "wait"):
            wrong += [event] if owner or (own and own.get("endpoint") != "POST /hold") else []
            continue
        kind = "monitor" if event["@type"] == WAITS[0] else "park"
        right = own is None if nobody else (own or {}).get("endpoint") == "GET /wait" and number(own) and own["tier"] == (
            "gold" if kind == "monitor" else "silver")
        if owner:
            right = right and owner["endpoint"] == "POST /hold" and (nobody or number(owner) == number(own) | HOLDER)
        wrong += [] if right else [f"{event['@type']} {own} {owner}"]
        seen[kind, "nobody" if nobody else "scope"] += 1
        seen["owner" if owner else "no owner"] += 1
    ct.note(f"{what}: {dict(seen)}")
    ct.ok(not wrong, f"{what}: no wait has another's context, or another's owner", "\n".join(map(str, wrong[:10])))
    return seen


def names_owners(what, seen):
    # A thread that is preempted after the JVM calls it blocked, and before it says so, may find the lock free.
    ct.ok(seen["owner"] >= 0.8 * ROUNDS, f"{what}: {seen['owner']} of {ROUNDS} waits say for which request the lock was held", seen)


def counts(what, path, seen):
    """The report by endpoint against the program's rounds: of four, three are within a scope."""
    table = {row["value"]: row["samples"] for row in report_json(path, "--kind", "lock", "--group-by", "endpoint")["label"]["values"]}
    ct.ok(table.get("GET /wait") == seen["monitor", "scope"] + seen["park", "scope"] >= 3 * ROUNDS // 4,
          f"{what}: the report counts the waits of the endpoint", table)
    of_gold = report_json(path, "--kind", "lock", "--label", "tier=^gold$")
    ct.ok(of_gold["sample_count"] == ROUNDS // 2 == seen["monitor", "scope"], f"{what}: and those of a label", of_gold["sample_count"])
    owners = {row["value"]: row["samples"]
              for row in report_json(path, "--kind", "lock", "--group-by", "owner_endpoint")["label"]["values"]}
    ct.ok(owners.get("POST /hold") == seen["owner"], f"{what}: and for whom they waited", owners)


def judge_holders(what, path):
    found = [jfrfile.labels(event["context"]) for event in jfrfile.events(path, {"candor.LockHolder"}) if shows(event, "holdUntilWaiting")]
    good = [one for one in found if one and one["endpoint"] == "POST /hold" and (number(one) or 0) & HOLDER]
    ct.ok(len(good) >= 10 and len(good) == len(found), f"{what}: all {len(found)} samples of holders have theirs", found[:5])
    table = {row["value"]: row["samples"] for row in report_json(path, "--kind", "holder", "--group-by", "endpoint")["label"]["values"]}
    ct.ok(table.get("POST /hold", 0) >= len(good) and set(table) <= {"POST /hold", None}, f"{what}: in the report, too", table)


def traced(what, path):
    """candor trace of one round: the wait, and for whom."""
    trace = f"{1:032x}".replace("0" * 16, f"{1:016x}", 1)
    result = ct.candor("trace", "--json", path, trace)
    pieces = [one for one in json.loads(result.out)["pieces"] if one["state"] == "waits_for_lock"] if result.status == 0 else []
    owner = pieces[0]["lock"] if pieces else {}
    wanted = f"{1 | HOLDER:016x}"
    ct.ok(len(pieces) == 1 and owner["class"] == "java.lang.Object" and owner["owner"] == "holder" and
          owner["owner_endpoint"] in ("POST /hold", None) and owner["owner_span_id"] in (wanted, None),
          f"{what}: a trace shows the wait, the owner and its span", result)
    text = ct.candor("trace", path, trace)
    shown = owner.get("owner_span_id") is None or f"held by holder (POST /hold, span {wanted}, trace {2 * wanted})" in text.out
    ct.ok(text.status == 0 and shown, f"{what}: as text, too", text)


def halted(what, path):
    result = ct.candor("report", "--kind", "halt", "--json", "--top", "0", path)
    halts = json.loads(result.out)["halts"] if result.status == 0 else []
    mine = [one for one in halts if "endpoint=GET /wait" in (one.get("context") or "")]
    ct.ok(len(mine) >= 3 * ROUNDS // 4 and all("endpoint=POST /hold" in (one["by_context"] or "endpoint=POST /hold") for one in mine),
          f"{what}: {len(mine)} halts say whose they are", result if not mine else mine[:3])


def waits(jvm):
    what, path = str(jvm.jdk), ct.WORK / f"waits-{jvm.jdk.version}.jfr"
    jvm.start(path, event="lock,halt", **{"lock-threshold": "0"})
    jvm.say(f"rounds {ROUNDS}")
    jvm.expect("rounds")
    jvm.stop()
    seen = judge_waits(what, path)
    names_owners(what, seen)
    counts(what, path, seen)
    judge_holders(what, path)
    traced(what, path)
    halted(what, path)


def virtual_waits(jvm):
    """The waiting thread is virtual, and may leave its carrier."""
    what, path = f"{jvm.jdk}, virtual", ct.WORK / f"virtual-{jvm.jdk.version}.jfr"
    jvm.start(path, event="lock", **{"lock-threshold": "0"})
    jvm.say(f"virtual {ROUNDS}")
    jvm.expect("rounds")
    jvm.stop()
    seen = judge_waits(what, path)
    waits_seen = {kind: sum(seen[kind, whose] for whose in ("scope", "nobody")) for kind in ("monitor", "park")}
    ct.ok(waits_seen["park"] == ROUNDS // 2 and seen["park", "scope"] == ROUNDS // 4, f"{what}: its parks have their contexts", seen)
    ct.ok(waits_seen["monitor"] == seen["monitor", "scope"] == ROUNDS // 2, f"{what}: and its waits for monitors", seen)


def open_wait(jvm):
    """A wait that goes on when the recording ends."""
    what, path = str(jvm.jdk), ct.WORK / f"stuck-{jvm.jdk.version}.jfr"
    jvm.start(path, event="lock")
    jvm.say("stuck")
    jvm.expect("stuck")
    jvm.stop()
    jvm.say("")
    jvm.expect("free")
    found = [(jfrfile.labels(event["context"]), jfrfile.labels(event["ownerContext"])) for event in jfrfile.events(path, set(WAITS))
             if not event["finished"] and shows(event, "waitForMonitor")]
    ct.ok(len(found) == 1 and found[0][0]["endpoint"] == "GET /stuck" and found[0][1]["endpoint"] == "POST /forever" and
          number(found[0][0]) | HOLDER == number(found[0][1]), f"{what}: a wait that does not end has both contexts", found)


def alive(jvm):
    what, path, count = str(jvm.jdk), ct.WORK / f"live-{jvm.jdk.version}.jfr", 4000
    jvm.start(path, event="live", **{"alloc-interval": "8k", "live-max": 4096})
    jvm.say(f"keep {count}")
    jvm.expect("kept")
    jvm.stop()
    seen, of_endpoint, wrong = collections.Counter(), collections.Counter(), []
    for event in jfrfile.events(path, {"jdk.OldObjectSample", "candor.ObjectEnd"}):
        method = next((one for one in ("keep", "drop", "nobodyKeeps") if shows(event, one)), None)
        context = jfrfile.labels(event["context"])
        if method:
            right = context is None if method == "nobodyKeeps" else context and context["endpoint"] == f"GET /{method}" and number(context)
            wrong += [] if right else [f"{event['@type']} {method} {context}"]
        if event["@type"] == "jdk.OldObjectSample":
            seen[method] += 1
            of_endpoint[context and context["endpoint"]] += 1
    ct.ok(not wrong, f"{what}: no live object has another's context", "\n".join(wrong[:10]))
    ct.ok(seen["keep"] >= 20 and seen["nobodyKeeps"] >= 20, f"{what}: live objects have the context that allocated them", seen)
    table = {row["value"]: row["samples"] for row in report_json(path, "--kind", "live", "--group-by", "endpoint")["label"]["values"]}
    ct.ok(table == of_endpoint, f"{what}: also in the report", (table, of_endpoint))


def at_safepoints(jvm):
    what, path = str(jvm.jdk), ct.WORK / f"safepoint-{jvm.jdk.version}.jfr"
    jvm.say("busy")
    jvm.expect("busy")
    jvm.start(path, event="safepoint", interval="2ms")
    ct.wait_until(lambda: int(jvm.ask("status")["samples"]) >= 4000)
    jvm.stop()
    jvm.say("")
    jvm.expect("idle")
    wanted, seen, wrong = {"spin": "POST /spin", "slow": "GET /slow"}, collections.Counter(), []
    for event in jfrfile.events(path, {"candor.SafepointSample"}):
        method = next((one for one in wanted if shows(event, one)), None)
        name, context = event["eventThread"]["javaName"], jfrfile.labels(event["context"])
        if name == "nobody" and context or method and context and (context["endpoint"] != wanted[method] or not number(context)):
            wrong.append(f"{name} {method} {context}")
        if method and name != "nobody":
            seen[method, "right" if context else "none"] += 1
    ct.ok(not wrong, f"{what}: no sample at a safepoint has another's context", "\n".join(wrong[:10]))
    none = sum(count for (_, kind), count in seen.items() if kind == "none")
    ct.ok(none <= losses(path), f"{what}: the books count the {none} samples whose context changed meanwhile", last_books(path).keys())
    ct.ok(all(seen[method, "right"] >= 50 for method in wanted), f"{what}: samples at safepoints have theirs", seen)


def main():
    ct.need(ct.AGENT, ct.PROGRAM, JAR)
    classes = program()
    for jdk in ct.jdks():
        with ct.Jvm(jdk, "-cp", classes, "ContextWaits", agent=ct.agent_options(), flags=FLAGS) as jvm:
            jvm.expect("ready")
            waits(jvm)
            if jdk.version >= 21:
                virtual_waits(jvm)
            open_wait(jvm)
            if jdk.version >= 11:
                alive(jvm)
            at_safepoints(jvm)
            jvm.say("end")
            ct.ok(jvm.finish() == 0, f"{jdk}: the program ends normally", jvm.transcript())
    ct.done()


main()
