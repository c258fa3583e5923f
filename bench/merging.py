#!/usr/bin/env python3
"""Whether merging keeps up with more hosts than a machine can play: a simulation of the store's merging, with measured costs.

usage: script/bench merging [--hosts N,N,...] [--types N] [--rows N] [--hours N] [--output FOLDER]

bench/server/merging plays hosts without real recordings, and measures what maintaining the store costs. Two small runs give the costs of a
merge: for each segment, each row, and each small segment among which the next set is looked for. A third run, of a thousand hosts, checks
the simulation: it must have as many segments, and need as much CPU time, in each half minute. Then the simulation plays --hosts, whose
recordings have --types types with --rows rows each, twenty hosts to a service, a recording each 30 s, for --hours. The store looks after
itself every ten seconds, or two seconds later if there was more to merge than fits into 1.5 s. Raw data go to
OUTPUT/merging.csv, the page to OUTPUT/merging.md.
"""
import argparse
import collections
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests" / "lib"))
sys.path.insert(0, str(ROOT / "bench" / "lib"))
import candortest as ct
from results import Results, output_option

OF_SERVICE, CHUNK_S, PASSES = 20, 30, 3
SAME, ALL, MOST, ROWS, TIME_S, WAIT_S, SOON_S = 64, 1024, 256, 1 << 20, 1.5, 10, 2  # src/store/merge.c, src/server/server.c
FIELDS = ("what", "hosts", "round", "rows", "measured_cpu", "simulated_cpu", "processor", "measured_segments", "simulated_segments")
Costs = collections.namedtuple("Costs", "find segment row")  # CPU seconds: for each small segment looked at; merged; row


class Store:
    """The small segments of each service, host and type, and what merging them costs."""

    def __init__(self, hosts, types, rows, costs, processor=1.0):
        """processor: how much of a processor the store gets, because its limit is a time."""
        self.small = [[[0] * types for _ in range(min(OF_SERVICE, hosts - first))] for first in range(0, hosts, OF_SERVICE)]
        self.counts, self.merged, self.rows, self.costs, self.types = [0] * len(self.small), 0, rows, costs, types
        self.begin, self.processor = 0, processor

    def add(self, host):
        service = host // OF_SERVICE
        self.small[service][host % OF_SERVICE] = [n + 1 for n in self.small[service][host % OF_SERVICE]]
        self.counts[service] += self.types

    def find(self):
        """(the service, (host, type) or type alone of the next set, CPU seconds of looking for it)."""
        seen = 0
        order = [*range(self.begin, len(self.counts)), *(range(len(self.counts)) if self.begin else ())]
        for service in order:
            count = self.counts[service]
            if count < SAME:
                continue
            seen += count
            hosts = self.small[service]
            for kind in range(self.types):
                for host, kinds in enumerate(hosts):
                    if kinds[kind] >= SAME:
                        self.begin = service
                        return service, (host, kind), seen * self.costs.find
                if sum(kinds[kind] for kinds in hosts) >= ALL:
                    self.begin = service
                    return service, (None, kind), seen * self.costs.find
        self.begin = 0
        return None, None, seen * self.costs.find

    def merge(self, service, which):
        """Merges a set. Returns the CPU seconds."""
        host, kind = which
        left = taken = min(MOST, max(1, ROWS // self.rows))
        for number, kinds in enumerate(self.small[service]):
            if host in (None, number):
                n = min(left, kinds[kind])
                kinds[kind] -= n
                left -= n
        taken -= left
        self.counts[service] -= taken
        self.merged += 1
        return taken * (self.costs.segment + self.rows * self.costs.row)

    def maintain(self):
        """Merges for a while. Returns the CPU seconds, and whether there is more to merge."""
        used, service = 0.0, 0
        while service is not None and used < TIME_S * self.processor:
            service, which, cost = self.find()
            used += cost
            if service is not None:
                used += self.merge(service, which)
        return used, service is not None

    def segments(self):
        return sum(self.counts) + self.merged


def simulate_rounds(hosts, rounds, rows, costs, processor=1.0):
    """[(CPU seconds, segments)] of each half minute, as bench/server/merging plays it."""
    store, out = Store(hosts, 1, rows, costs, processor), []
    for _ in range(rounds):
        used = 0.0
        for turn in range(PASSES):
            for host in range(turn, hosts, PASSES):
                store.add(host)
            used += store.maintain()[0]
        out.append((used, store.segments()))
    return out


def measure_rounds(hosts, rounds, rows):
    memory = pathlib.Path("/dev/shm")
    folder = tempfile.mkdtemp(dir=memory if memory.is_dir() else None)
    try:
        command = (ct.BUILD / "bench" / "server" / "merging", pathlib.Path(folder, "store"), hosts, rounds, rows)
        text = subprocess.run([str(word) for word in command], check=True, stdout=subprocess.PIPE, text=True).stdout
    finally:
        shutil.rmtree(folder)
    return [(float(cpu), float(time), int(segments)) for _, _, cpu, time, segments in map(str.split, text.splitlines())]


def costs_of(few, many, hosts, rows_few, rows_many):
    """The costs that explain two runs that differ in rows only. Both have merged each host's first SAME segments in their last rounds."""
    quiet = [cpu for cpu, _, _ in few[:SAME - 1]]
    looked_at = [sum(hosts * (turn + (part + 1) / PASSES) for part in range(PASSES)) for turn in range(SAME - 1)]
    find = sum(cpu * n for cpu, n in zip(quiet, looked_at)) / sum(n * n for n in looked_at)
    probe = Costs(find, 0, 0)
    looking = sum(cpu for cpu, _ in simulate_rounds(hosts, len(few), rows_few, probe)[SAME - 1:])
    merging = [max(0, sum(cpu for cpu, _, _ in run[SAME - 1:]) - looking) / (hosts * SAME) for run in (few, many)]
    row = max(0, merging[1] - merging[0]) / (rows_many - rows_few)
    return Costs(find, merging[0] - rows_few * row, row)


def predict(hosts, types, rows, hours, costs):
    """(small segments at the end, and an hour before; the share of a processor; whether it keeps up)"""
    draw, store, used, now, added, history = random.Random(1), Store(hosts, types, rows, costs), 0.0, 0.0, 0, []
    for host in range(hosts):  # they did not begin at the same moment
        begun = draw.randrange(SAME)
        store.small[host // OF_SERVICE][host % OF_SERVICE] = [begun] * types
        store.counts[host // OF_SERVICE] += begun * types
    while now < hours * 3600:
        for second in range(added, int(now)):
            for host in range(second % CHUNK_S, hosts, CHUNK_S):
                store.add(host)
        added = int(now)
        cpu, more = store.maintain()
        used += cpu
        history.append((now, sum(store.counts)))
        now += cpu + (SOON_S if more else WAIT_S)
    before = next(count for then, count in history if then >= now - 3700)
    return history[-1][1], before, used / now, history[-1][1] <= before * 1.1 + 1000


def page(results, costs, checked, predicted, options):
    worst = max(abs(m - s) / m for _, _, m, s in checked)
    cpu, simulated = (sum(row[i] for row in checked) for i in (0, 1))
    lines = ["# Merging, measured and simulated", "", f"{results.origin()}.", "",
             f"A merge costs {1e6 * costs.segment:.0f} us for a segment and {1e9 * costs.row:.0f} ns for a row, and looking for the next "
             f"set {1e6 * costs.find:.2f} us for each small segment.", "",
             f"Checked with 1,000 hosts, {len(checked)} rounds of 30 s: merging took {cpu:.2f} s of CPU time, and the simulation says "
             f"{simulated:.2f} s; the number of segments differed by {worst:.1%} at most.", "",
             f"Then each host sends {options.types} types of {options.rows:,} rows every 30 s, for {options.hours} hours:", "",
             "| hosts | merging, of a processor | segments that are not merged yet | an hour before | keeps up |", "|---|---|---|---|---|"]
    for hosts, (at, before, share, keeps_up) in predicted:
        lines.append(f"| {hosts:,} | {share:.1%} | {at:,} | {before:,} | {'yes' if keeps_up else 'no'} |")
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--hosts", default="1000,10000,100000")
    parser.add_argument("--types", type=int, default=5)
    parser.add_argument("--rows", type=int, default=700)
    parser.add_argument("--hours", type=float, default=3)
    output_option(parser)
    options = parser.parse_args()
    results = Results(options.output / "merging.csv", FIELDS)
    hosts, rounds, few, many = 60, SAME + 6, 20, 700
    costs = costs_of(measure_rounds(hosts, rounds, few), measure_rounds(hosts, rounds, many), hosts, few, many)
    print(costs, flush=True)
    checked, measured = [], measure_rounds(1000, rounds, few)
    processor = min(1, sum(cpu for cpu, _, _ in measured[SAME - 1:]) / sum(time for _, time, _ in measured[SAME - 1:]))
    for turn, ((cpu, _, segments), (said, then)) in enumerate(zip(measured, simulate_rounds(1000, rounds, few, costs, processor))):
        results.add(what="check", hosts=1000, round=turn, rows=few, measured_cpu=f"{cpu:.4f}", simulated_cpu=f"{said:.4f}",
                    processor=f"{processor:.3f}", measured_segments=segments, simulated_segments=then)
        checked.append((cpu, said, segments, then))
    predicted = [(n, predict(n, options.types, options.rows, options.hours, costs)) for n in map(int, options.hosts.split(","))]
    text = page(results, costs, checked, predicted, options)
    (options.output / "merging.md").write_text(text)
    print(text)


main()
