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
    lines = [("setting", "event", "cpu,wall,lock,halt"), ("setting", "version", "0.10.0"),
             ("thread", "main", 4711, 1), ("thread", "worker", 4712, 2),
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
    lines = [("setting", "event", "cpu,wall,lock,halt"), ("setting", "version", "0.9.0"), ("setting", "interval_ns", 10 * MS),
             ("thread", "main", 1, 1), ("sample", 1, 10 * MS, "complete", RUN + ";demo.Work.hot:23")]
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


# A request: for each process what its threads did, as (thread, ms of the first sample, number of samples, state, place). A sample stands
# for 10 ms.
TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"
LIFE = {"web": [(1, 5, 4, "cpu", "org.shop.Pay.check"), (1, 65, 12, "PARKED", "org.shop.Stock.await"),
                (1, 195, 3, "cpu", "org.shop.Pay.book"), (1, 225, 6, "BLOCKED_ON_MONITOR_ENTER", "org.shop.Log.write"),
                (2, 45, 2, "WAITING_FOR_CPU", "org.shop.Mail.send")],
        "stock": [(1, 75, 5, "cpu", "org.stock.Table.scan"), (1, 125, 4, "IN_NATIVE_IO", "org.stock.Disk.read")]}
OTHERS = 12  # further requests, each shorter than the one before, of two endpoints


def lived(life, context):
    """The lines of what threads did for a request."""
    events = [(at + 10 * i, thread, state, place) for thread, at, samples, state, place in life for i in range(samples)]
    for at, thread, state, place in sorted(events):
        stack = f"{RUN};{place}:7"
        yield from (("at", at), ("context", *context))
        yield ("sample", thread, 10 * MS, "complete", stack) if state == "cpu" else \
            ("wall", thread, 10 * MS, "complete", "STATE_" + state, "method", stack)


def requests(server):
    """Two processes that work for the same requests; one endpoint's name is markup."""
    for number, (service, life) in enumerate(LIFE.items(), 1):
        lines = [("setting", "event", "cpu,wall"), ("setting", "interval_ns", 10 * MS), ("thread", "exec-1", 11, 1),
                 ("thread", "exec-2", 12, 2), *lived(life, ("POST /pay", TRACE, f"{number:016x}", f"{1:016x}"))]
        if service == "web":  # the wait that the samples of the wall clock show, as the JVM reports it
            lines.append(("monitor", 1, 60 * MS, "org.shop.Log", 64, 2, 0, RUN + ";org.shop.Log.write:7"))
        for i in range(OTHERS if service == "web" else 0):
            begun = 1000 * (i + 1)
            short = [(1, begun, 2 * (OTHERS - i), "cpu", "org.shop.Cart.show"), (2, begun + 5, 2, "PARKED", "org.shop.Cart.load")]
            lines += lived(short, (MARKUP if i % 3 == 2 else "GET /cart", f"{i + 100:032x}", f"{i + 100:016x}", f"{i + 100:016x}"))
        lines += [("at", 20_000), ("context", "", "")] + [("sample", 1, 10 * MS, "complete", RUN)] * 20
        server.send(recordings.make(f"requests-{service}.jfr", lines).read_bytes(), service=service, host=f"r{number}", version="5")


def counted(server):
    """A JVM whose tracer counts 400 requests, which take 2 s of CPU time."""
    lines = [("setting", "event", "cpu"), ("setting", "jfr", "on"), ("setting", "interval_ns", 10 * MS), ("thread", "exec-1", 11, 1),
             ("context", "GET /price"), *[("sample", 1, 10 * MS, "complete", RUN)] * 200, ("at", 60_000),
             ("book", "cpu", "", 2 * SECOND, 0), ("book", "complete", "", 2 * SECOND, 200)]
    body, begun = recordings.later(recordings.make("counted.jfr", lines), 0)
    spans = recordings.spans("counted.spans", [(i + 1, i + 1, 100 * i, "GET /price") for i in range(400)], begun, 60)
    server.send(body + spans, service="counted", host="c", version="6")


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
    requests(server)
    hostile(server)
    present(server, now)
