#!/usr/bin/env python3
"""How many processors a server needs for more hosts than a machine can play: a simulation of their recordings' arrival.

usage: script/bench arrivals [--hosts N,N,...] [--chunk S] [--cpu MS] [--outage S]

Each host sends a recording every --chunk seconds, at a moment of its own. A recording takes --cpu milliseconds of one processor (measured:
docs/benchmarks/hosts.md), half of that or up to 1.75 times as much. The server works at as many as it has processors, in the order in which
they came; one that has waited for five seconds is refused (429), and comes again 1 to 10 s later. For each number of hosts and of
processors it prints what a recording waits and the share that is refused in ten minutes, and how long it takes after an outage of
--outage seconds until all that the hosts have kept meanwhile is stored. It runs no server.
"""
import argparse
import heapq
import math
import random

MOST_WAIT, LATER, MINUTES = 5.0, (1, 10), 10  # --max-send-wait; when a refused recording comes again


def simulate(hosts, processors, chunk, cpu, seconds, kept, seed=1):
    """(waits of stored recordings, the share that was refused, the moment at which the last of those that were kept is stored)."""
    draw = random.Random(seed)
    due = [(0.0, True, False) for _ in range(hosts * kept)]  # when it comes, whether it was kept, whether it comes again
    for host in range(hosts):
        moment = draw.uniform(0, chunk)
        due += [(moment + turn * chunk, False, False) for turn in range(max(0, math.ceil((seconds - moment) / chunk)))]
    heapq.heapify(due)
    free, waits, came, refused, last, old = [0.0] * processors, [], 0, 0, 0.0, hosts * kept
    while due and (old or due[0][0] < seconds):
        at, is_old, again = heapq.heappop(due)
        begin = max(at, free[0])
        came += not again
        if begin - at > MOST_WAIT:
            refused += not again
            heapq.heappush(due, (at + MOST_WAIT + draw.uniform(*LATER), is_old, True))
            continue
        end = begin + cpu * draw.choice((0.5, 0.75, 1, 1, 1.75))
        heapq.heapreplace(free, end)
        waits.append(begin - at)
        if is_old:
            old, last = old - 1, max(last, end)
    return sorted(waits), refused / max(1, came), last


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--hosts", default="1000,10000")
    parser.add_argument("--chunk", type=float, default=30)
    parser.add_argument("--cpu", type=float, default=30, help="milliseconds of a processor for a recording")
    parser.add_argument("--outage", type=float, default=300)
    options = parser.parse_args()
    cpu = options.cpu / 1000
    print("| hosts | processors | busy | wait, median | 99 % | refused at least once | after an outage, all is stored in |")
    print("|---|---|---|---|---|---|---|")
    for hosts in map(int, options.hosts.split(",")):
        need = hosts / options.chunk * cpu
        for processors in sorted({math.ceil(need * factor) for factor in (0.8, 1.05, 1.3, 2)}):
            waits, refused, _ = simulate(hosts, processors, options.chunk, cpu, 60 * MINUTES, 0)
            busy = min(1, need / processors)
            after = "never"
            if need < processors:
                last = simulate(hosts, processors, options.chunk, cpu, 0, math.ceil(options.outage / options.chunk))[2]
                after = f"{last / (1 - busy):,.0f} s"  # meanwhile new recordings take their part of the processors
            median, most = (1000 * waits[int(len(waits) * share)] for share in (0.5, 0.99))
            print(f"| {hosts:,} | {processors} | {busy:.0%} | {median:,.0f} ms | {most:,.0f} ms | {refused:.1%} | {after} |", flush=True)


main()
