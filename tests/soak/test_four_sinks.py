#!/usr/bin/env python3
"""Hours with four recordings at once: one of all events from the beginning to the end, and three that come and go. No crash, no hang,
constant memory, and every recording is whole and its books close.

tier: all
timeout: 20000

Soak.java (classes and threads that come and go, allocation) runs on each JDK in turn, for CANDOR_SOAK_SECONDS (two hours) in all. In each
round one of the three ends and another begins, with other events and another interval, so the clocks' pace changes all the time, and
sometimes nobody wants clocks. Resident memory is compared between a third of a JVM's life and its end. The heap is of fixed size and
already in memory, so any growth comes from the agent, or from the JVM for code and classes.
"""
import itertools
import time

import soaking
from soaking import ct, ok

WANTED = ({"event": "cpu", "interval": "1ms"}, {"event": "wall"}, {"event": "cpu,alloc", "interval": "20ms"}, {"event": "lock"},
          {"event": "halt"}, {"event": "cpu,wall,alloc,lock,halt"}, {"event": "cpu", "interval": "5ms", "keep": "10s"})
ALWAYS = "wall,alloc,lock,halt"
COMING = 3
MOST_GROWN_KIB = 64 * 1024


def possible(jvm, events):
    """Java 8 cannot sample allocations."""
    return events if jvm.jdk.version > 8 else events.replace(",alloc", "")


class Sinks:
    """The recordings that come and go in one JVM."""

    def __init__(self, tally, jvm, name):
        self.tally, self.jvm, self.running = tally, jvm, []
        self.names = (ct.WORK / f"{name}-{i}.jfr" for i in itertools.count())
        self.wanted = itertools.cycle(WANTED)

    def begin(self):
        path, wanted = next(self.names), next(self.wanted)
        options = {**wanted, "event": possible(self.jvm, wanted["event"])}
        good, answer = self.jvm.control("start", file=path, **options)
        if good:
            self.running.append((answer["recording"], path, options))
        else:
            self.tally.bad.append(f"{options}: {answer}")

    def end(self):
        number, path, options = self.running.pop(0)
        good, answer = self.jvm.control("stop", recording=number)
        books = ct.report(path)["books"] if good and "cpu" in options["event"] else None
        if not good or (books and ct.accounts_ns(books) != books["cpu_ns"]):
            self.tally.bad.append(f"{options}: {answer}, {books}")
        self.tally.samples[options["event"]] += int(answer.get("samples", 0))
        path.unlink(missing_ok=True)

    def one_round(self):
        if not self.tally.rounds:
            self.jvm.start(ct.WORK / "always.jfr", event=possible(self.jvm, ALWAYS), keep="1m")
        self.jvm.round(**soaking.WORK, seconds=1)
        if len(self.running) == COMING:
            self.end()
        self.begin()


def soak(jdk, end):
    tally = soaking.Tally(f"{jdk}, four recordings")
    with ct.Jvm(jdk, "Soak", agent=ct.agent_options(), flags=soaking.STEADY_MEMORY) as jvm:
        sinks = Sinks(tally, jvm, jdk.version)
        soaking.strain(tally, jvm, end, sinks.one_round)
    grown = tally.resident[-1] - tally.resident[len(tally.resident) // 3] if tally.resident else 0
    ok(grown < MOST_GROWN_KIB, f"{tally.what}: {grown} KiB grown, of {tally.resident[-1:]}", tally.resident)
    ok(not tally.bad and sum(tally.samples.values()) > 0, f"{tally.what}: {dict(tally.samples)}, and books that close",
       "\n".join(tally.bad))


def main():
    ct.need(ct.AGENT, ct.PROGRAM)
    jdks, end = list(ct.jdks()), time.monotonic() + soaking.SECONDS
    for i, jdk in enumerate(jdks):
        now = time.monotonic()
        soak(jdk, now + max(end - now, 0) / (len(jdks) - i))
    ct.done()


main()
