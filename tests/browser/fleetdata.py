"""What the tests of the server's views send to it: a service of which a version has become slower, one whose threads wait for a lock, one
that allocates, one with pauses, one that is at work just now, and one with hostile names everywhere."""
import random

import pprofs
import recordings
from recordings import MS, RUN

START = 1_700_000_000  # of recordings.make
TIMES = {"from": START - 3600, "to": START + 3600}
SECOND = 10**9
MARKUP = "<img/src=x/onerror=alert(1)>"
RIGHT_TO_LEFT = "\u202eevil"
LONG = "x" * 1000
LONG_METHOD = "com.evil.%s.run" % ("Y" * 10_000)

# Weights of the methods of a service; the newer version is slower in one of them, and has renamed another one.
SAME = {"demo.Work.a:11": 5, "demo.Work.b:12": 3, "demo.Work.c:13": 3, "demo.Work.d:14": 2, "demo.Db.run:30;demo.Db.query:31": 2}
OLD = {**SAME, "demo.Slow.hot:21": 1.5, "demo.Name.caller:40;demo.Name.old:41": 2}
NEW = {**SAME, "demo.Slow.hot:21": 4.5, "demo.Name.caller:40;demo.Name.fresh:41": 2}
SAMPLES = 1000
LOG = "demo.Main.run:1;demo.Log.log:12"


def regression(server, service="shop", hosts=6):
    """Two versions, each on hosts of its own, with independent samples."""
    chance = random.Random(40)
    for side, (version, methods) in enumerate((("1.0", OLD), ("1.1", NEW))):
        for host in range(hosts):
            weights = [methods[stack] * chance.gammavariate(400, 1 / 400) for stack in methods]
            lines = [("setting", "interval_ns", 10 * MS), ("thread", "main", 1, 1)]
            lines += [("sample", 1, 10 * MS, "complete", f"{RUN};{stack}") for stack in chance.choices(list(methods), weights, k=SAMPLES)]
            body = recordings.make(f"{service}-{side}-{host}.jfr", lines).read_bytes()
            server.send(body, service=service, host=f"h{side}{host}", version=version)


def waits(server):
    """Threads wait for a lock whose owner sleeps, and workers of a pool for work."""
    idle = "java.util.concurrent.locks.AbstractQueuedSynchronizer$ConditionObject"
    lines = [("setting", "event", "cpu,wall,lock,halt"), ("thread", "main", 4711, 1), ("thread", "worker", 4712, 2),
             *[("monitor", 2, 500 * MS, "demo.Log", 64, 1, 0, LOG)] * 8, ("park", 2, 9 * 1000 * MS, idle, 6, 0, 0, RUN),
             *[("holder", 1, 50 * MS, "demo.Log", LOG + ";Native|java.lang.Thread.sleep")] * 20,
             *[("sample", 1, MS, "complete", recordings.HOT)] * 900]
    server.send(recordings.make("waits.jfr", lines).read_bytes(), service="log", host="f", version="3")


def memory(server):
    rows = [(name, [n * 1024 * 1024, n * 1024]) for name, n in (("com.shop.Basket", 60), ("byte[]", 30), ("java.lang.String", 10))]
    body = pprofs.make([("alloc_space", "bytes"), ("inuse_space", "bytes")], rows, ("space", "bytes", 512 * 1024), START, 60)
    server.send(body, service="heap", host="m")


def metered(server, service="metered"):
    """130 s, two processors busy; pauses of 300 and 700 ms; 2 % unseen, 1 % own cost."""
    lines = [("setting", "event", "cpu,wall,lock,halt"), ("setting", "interval_ns", 10 * MS), ("thread", "main", 1, 1)]
    lines += [("sample", 1, 10 * MS, "complete", RUN + ";demo.Work.hot:23")]
    at = {5: [("pause", 300 * MS, "G1New", "G1 Evacuation Pause")], 70: [("pause", 700 * MS, "G1New", "System.gc()")],
          50: [("counted", 50 * MS, 1, 9 * MS, 4 * MS)]}
    for second in range(1, 131):
        cpu = 2 * second * 1000 * MS
        parts = {"complete": cpu * 97 // 100, "unseen": cpu * 2 // 100, "own_cost": cpu // 100}
        lines += [("at", second * 1000), ("book", "cpu", "", cpu, 0), ("book", "complete", "", parts["complete"], second),
                  ("book", "unseen", "kernel", parts["unseen"], 0), ("book", "own_cost", "", parts["own_cost"], 0),
                  ("book", "residual", "", cpu - parts["complete"] - parts["unseen"], 0), *at.get(second, [])]
    lines += [("book", "halt_gc", "", 1000 * MS, 2), ("book", "halt_safepoints", "", 9 * MS, 1)]
    server.send(recordings.make(f"{service}.jfr", lines).read_bytes(), service=service, host="web-1", version="2")




def hostile(server):
    """Names that are markup, change the direction of text, or are long, for the service, its labels, and its methods."""
    for name in (MARKUP, RIGHT_TO_LEFT, LONG):
        for host in (MARKUP, RIGHT_TO_LEFT, LONG):
            stacks = f"{MARKUP};{LONG_METHOD} 500\n{RIGHT_TO_LEFT};{MARKUP} 300\n"
            server.request("POST", "/v1/recordings", stacks.encode(), service=name, host=host, version=MARKUP, format="collapsed",
                           **{"from": START, "until": START + 60})


def present(server, now, minutes=20):
    """A service at work until now: three quarters of it in one method."""
    for minute in range(minutes):
        begun = now - 60 * (minutes - minute)
        work = "org.live.Main.run;org.live.Work.hot 4500\norg.live.Main.run 1500\n"
        server.request("POST", "/ingest", work.encode(), name="live{host=l%d,version=7}" % (minute % 2), format="folded",
                       **{"from": begun, "until": begun + 60})


def everything(server, now):
    regression(server)
    waits(server)
    memory(server)
    metered(server)
    hostile(server)
    present(server, now)
