#!/usr/bin/env python3
"""Alerts while the server's clock jumps: an incident that lasts is told once, whatever the clock does, and resolves once.

tier: default
timeout: 240
sanitize: no
"""
import mmap
import pathlib
import struct
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import candortest as ct
from servers import Server
from test_fleet_alerts import Feeder, Sink, alert, wait

RULES = """
[send hook]
type = webhook
url = {url}/hook
[alert hot]
each = service
value = self
method = demo\\.Work\\.hot
above = 20%
resolve = 10%
window = 4s
interval = 1s
delay = 2s
"""
# The time of day as the server sees it, later by the seconds in the file that the environment names. The parts of the C library that need
# the time otherwise are not asked.
CLOCK = """
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static const volatile int64_t *shift;

__attribute__((constructor)) static void begin(void)
{
    int fd = open(getenv("CANDOR_TEST_CLOCK"), O_RDONLY);
    shift = mmap(NULL, sizeof *shift, PROT_READ, MAP_SHARED, fd, 0);
}

int clock_gettime(clockid_t clock, struct timespec *now)
{
    int rc = (int)syscall(SYS_clock_gettime, clock, now);
    now->tv_sec += clock == CLOCK_REALTIME ? *shift : 0;
    return rc;
}
"""


class Clock:
    """The server's clock, which can be set; the hosts' clocks stay right."""

    def __init__(self):
        self.library, source, self.file = ct.WORK / "clock.so", ct.WORK / "clock.c", ct.WORK / "clock.shift"
        source.write_text(CLOCK)
        made = ct.run("cc", "-shared", "-fPIC", "-O1", "-o", self.library, source)
        ct.ok(made.status == 0, "the library with another time is built", made)
        self.file.write_bytes(bytes(8))
        with open(self.file, "r+b") as file:
            self.shift = mmap.mmap(file.fileno(), 8)

    def wrapper(self):
        return ("env", f"LD_PRELOAD={self.library}", f"CANDOR_TEST_CLOCK={self.file}")

    def jump(self, seconds):
        self.shift[:] = struct.pack("=q", seconds)


def evaluated(server, clock, seconds, what):
    """Sets the clock, and waits until the rule has been evaluated several times by it."""
    clock.jump(seconds)
    seen = {}

    def is_there():
        alert(server, "hot", seen)
        return len([at for at in seen if abs(at - time.time() - seconds) < 300]) >= 3

    wait(is_there, f"{what}: the rule is evaluated by the new time", lambda: sorted(seen))
    states = {one["state"] for one in seen.values()}
    ct.ok(states == {"firing"}, f"{what}: the alert fires all the time", seen)


def main():
    sink, clock, path = Sink(), Clock(), ct.WORK / "alerts.conf"
    path.write_text(RULES.format(url=f"http://127.0.0.1:{sink.port}"))
    server = Server("clock", "--alerts", path, wrapper=clock.wrapper())
    feeder = Feeder(server)
    feeder.incident = True
    wait(lambda: alert(server, "hot")["state"] == "firing" and sink.hooks("hot", "firing"), "the incident fires", lambda: sink.got)
    evaluated(server, clock, 1200, "20 minutes ahead")
    evaluated(server, clock, -1200, "40 minutes back")
    evaluated(server, clock, 0, "right again")
    feeder.incident = False
    wait(lambda: alert(server, "hot")["state"] == "resolved" and sink.hooks("hot", "resolved"), "it resolves", lambda: sink.got)
    fired, over = sink.hooks("hot", "firing"), sink.hooks("hot", "resolved")
    ct.ok(len(fired) == len(over) == 1 and fired[0]["fingerprint"] == over[0]["fingerprint"], "told once, and its end once", sink.got)
    feeder.stop()
    ct.ok(server.end() == 0, "ends by SIGTERM")
    sink.close()
    ct.done()


if __name__ == "__main__":
    main()
