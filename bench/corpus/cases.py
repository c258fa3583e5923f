"""The corpus as data: pairs of a planted problem and its fixed twin, and real programs that are in order.

A pair is (program, name, ids): the method NAME of bench/corpus/PROGRAM.java, and the findings that name the problem rightly; the first one
is the one that we expect. Further fields are in Pair.
"""
import dataclasses

ALL = (8, 11, 17, 21, 25, 27)
FROM_11 = ALL[1:]
FROM_17 = ALL[2:]
FROM_21 = ALL[3:]

COMMON = "-Djava.util.concurrent.ForkJoinPool.common.parallelism="
SMALL = ("-Xmx64m", "-Xms64m")
CROWD = ("cpu_saturated",)  # the same on a machine whose processors are the bottleneck


@dataclasses.dataclass(frozen=True)
class Pair:
    program: str
    name: str
    ids: tuple
    jdks: tuple = ALL
    flags: tuple = ()          # of both
    planted: tuple = ()        # flags of the planted one
    fixed: tuple = ()          # flags of the twin
    seconds: int = 0           # 0 = the runner's
    with_line: bool = True     # the problem has a line in the program
    method: str = ""           # of the program, if it is not `name`
    with_libraries: bool = False
    options: tuple = ()        # of diagnose
    may: tuple = ()            # findings that both may have: the program does that, too


def _pairs(program, *rows, **common):
    return [Pair(program, name, (ids,) if isinstance(ids, str) else ids, **{**common, **more}) for name, ids, more in rows]


LOCKS = _pairs(
    "Locks",
    ("asleep", "lock_held_asleep", {}),
    ("asleepInLock", "lock_held_asleep", {}),
    ("asleepInMap", "lock_held_asleep", {}),
    ("readInLock", "lock_held_in_io", {}),
    ("futureInLock", ("lock_held_waiting", "lock_contended"), {}),
    ("convoy", ("lock_contended", "lock_owner_preempted"), {}),
    ("digest", ("lock_contended", "lock_owner_preempted"), {}),
    ("convoyOfLambda", ("lock_contended", "lock_owner_preempted"), {}),
    ("preempted", ("lock_owner_preempted", "cpu_saturated"), {}),
    ("synchronizedMap", ("lock_contended", "lock_owner_preempted"), {}),
    ("writersStarve", "writers_starve", {}),
    ("deadlock", "deadlock", {}),
    ("deadlockOfLocks", "deadlock", {}),
)

POOLS = _pairs(
    "Pools",
    ("queue", "pool_too_small", {}),
    ("linkedQueue", "pool_too_small", {}),
    ("permits", "pool_too_small", {}),
    ("waitNotify", "pool_too_small", {}),
    ("condition", "pool_too_small", {}),
    ("completable", "pool_too_small", {}),
    ("completableGet", "pool_too_small", {}),
    ("executor", "pool_too_small", {}),
    ("invokeAll", "pool_too_small", {}),
    ("forkJoin", "pool_too_small", {}),
    ("latch", "pool_too_small", {}),
    ("server", "pool_too_small", {}),
    ("nested", "pool_too_small", {}),
    ("commonPool", ("common_pool_blocked", "pool_too_small"), {"flags": (COMMON + "4",)}),
    ("threadForEach", "thread_churn", {"flags": (COMMON + "1",), "jdks": (8, 11, 17, 21)}),
)

MEMORY = _pairs(
    "Memory",
    ("boxes", "boxing", {}),
    ("boxedList", "boxing", {}),
    ("buffers", "allocation_site", {}),
    ("concatenation", "allocation_site", {}),
    ("copies", "allocation_site", {}),
    ("directBuffers", ("direct_buffers", "system_gc"), {}),
    ("pressure", "gc_pressure", {"flags": ("-Xmx160m",)}),
    ("systemGc", "system_gc", {}),
    ("full", ("gc_full", "gc_pressure"), {"flags": SMALL}),
    ("humongous", "gc_humongous", {"flags": ("-XX:+UseG1GC", "-Xmx256m", "-XX:G1HeapRegionSize=1m")}),
    ("errors", "errors", {"jdks": (25, 27), "options": ("--jfr", "on")}), # so few that nothing else shows them
    ("outOfMemory", "errors", {"flags": SMALL, "with_line": False}),
    ("leak", "leak", {"flags": ("-Xmx400m",), "seconds": 15}),
    ("threadLocalLeak", "leak", {"flags": ("-Xmx400m",), "seconds": 15}),
    ("classes", ("gc_metaspace", "class_loading", "classes_grow"), {}),
    jdks=FROM_11)

WORK = _pairs(
    "Work",
    ("regex", "regex_compiled", {}),
    ("backtracking", "regex_backtracks", {"jdks": (8,)}),
    ("properties", "properties_loaded", {}),
    ("parsers", "lookups_repeated", {}),
    ("sharedRandom", ("random_shared", "cpu_saturated"), {}),
    ("keys", "keys_generated", {}),
    ("opens", "files_opened", {}),
    ("polling", "busy_waiting", {}),
    ("format", "text_formatted", {}),
    ("dates", "formats_made", {}),
    ("stackWalks", "stacks_walked", {}),
    ("collisions", "hash_collisions", {}),
    ("scans", "list_scanned", {}),
    ("linkedList", "list_scanned", {}),
    ("growth", "collections_grow", {}),
    ("copyOnWrite", "copied_on_write", {}),
    ("serialization", "java_serialization", {}),
    ("console", "console_output", {}),
    ("bytes", "bytes_one_by_one", {}),
    ("spinning", "busy_waiting", {}),
    ("secureRandom", "secure_random", {}),
    ("threadLocals", "thread_locals", {}),
    ("intern", "strings_interned", {}),
    ("finalizers", "finalizers", {}),
    ("processes", ("processes_started", "child_processes"), {}),
    ("exceptions", "exceptions", {}),
    ("parsing", "exceptions", {}),
    ("overflow", ("errors", "exceptions"), {"jdks": FROM_11}),
    ("saturation", "cpu_saturated", {}),
    ("churn", "thread_churn", {}),
)

WAITS = _pairs(
    "Waits",
    ("slowPeer", "slow_socket", {}),
    ("slowPeerOfChannel", "slow_socket", {}),
    ("slowReader", "slow_write", {}),
    ("connects", "connections_opened", {}),
    ("force", "file_forced", {}),
    ("fileLocks", "file_locks", {}),
    ("smallReads", "bytes_one_by_one", {}),
    ("threadDumps", "safepoint_storm", {}),
    ("deadlockSearch", "safepoint_storm", {}),
    ("late", "late_at_safepoints", {"jdks": FROM_17, "flags": ("-XX:-UseCountedLoopSafepoints", "-XX:+UseSerialGC")}),
)

FLAGS = [Pair("Flags", name, (kind,), with_line=False, method="calm", planted=planted, fixed=fixed, jdks=jdks, seconds=2)
         for name, kind, planted, fixed, jdks in (
             ("interpreter", "flag_slow", ("-Xint",), (), ALL),
             ("firstTier", "flag_slow", ("-XX:TieredStopAtLevel=1",), (), ALL),
             ("unverified", "flag_risky", ("-XX:-BytecodeVerificationRemote",), (), ALL),
             ("outdated", "flag_outdated", ("-XX:MaxPermSize=64m",), (), (8,)),
             ("twice", "flag_twice", ("-Xmx100m", "-Xmx200m"), ("-Xmx100m", "-Xmx102400k"), ALL),
             ("threads", "heap_setup", ("-XX:+UseParallelGC", "-XX:ParallelGCThreads=64"), ("-XX:+UseParallelGC",), ALL),
             ("debugger", "remote_control", ("-agentlib:jdwp=transport=dt_socket,server=y,suspend=n,address=0.0.0.0:0",), (), FROM_11),
             ("secret", "secret_in_arguments", ("-Ddb.password=hunter2",), ("-Ddb.password.file=/run/secret",), ALL),
         )]

LIBRARIES = _pairs(
    "Libraries",
    ("hikari", "pool_too_small", {}),
    ("tomcatJdbc", "pool_too_small", {}),
    ("commonsPool", "pool_too_small", {}),
    ("httpClient", "pool_too_small", {}),
    ("clientPerCall", "clients_made", {}),
    ("apacheClientPerCall", "clients_made", {}),
    ("h2Scan", "tables_scanned", {}),
    ("hsqldbScan", "tables_scanned", {}),
    ("statements", "statements_parsed", {}),
    ("hsqldbForce", "file_forced", {}),
    ("luceneCommits", "file_forced", {}),
    ("nettyBlocked", "event_loop_blocked", {}),
    ("vertxBlocked", "event_loop_blocked", {}),
    ("reactorBlocked", "event_loop_blocked", {}),
    ("objectMapper", "mappers_made", {}),
    ("templates", "templates_compiled", {}),
    ("scripts", "templates_compiled", {}),
    ("disruptor", "busy_waiting", {"with_line": False}),
    ("cache", "leak", {"flags": ("-Xmx400m",), "seconds": 15}),
    jdks=FROM_17, with_libraries=True)

TRACED = _pairs(
    "Traced",
    ("questionPerItem", "requests_one_by_one", {}),
    ("questionPerRow", "requests_one_by_one", {}),
)

VIRTUAL = _pairs(
    "Virtual",
    ("pinned", "pinned_carrier", {"jdks": (21,)}),
    ("carriers", ("carriers_busy", "cpu_saturated"), {}),
    ("permits", "pool_too_small", {}),
    ("asleepInLock", "lock_held_asleep", {}),
    ("asleepInMonitor", "lock_held_asleep", {}),
    jdks=FROM_21)

# Programs that are in order: (program, method).
HEALTHY = [Pair("Healthy", name, (), jdks=FROM_17, with_libraries=True) for name in (
    "tomcat", "jetty", "undertow", "netty", "vertx", "jdkServer", "h2", "hsqldb", "hikari", "lucene", "kafka", "logback", "jackson",
    "caffeine", "freemarker", "javac", "parallelStreams", "parallelSort", "forkJoin", "schedule", "consumers", "idle", "batch")]
HEALTHY.append(Pair("Healthy", "computingPool", (), jdks=FROM_17, with_libraries=True, may=(*CROWD, "context_switches")))
HEALTHY.append(Pair("Healthy", "reactor", (), jdks=FROM_17, with_libraries=True, may=("boxing",)))  # its stream has boxed numbers
HEALTHY.append(Pair("Virtual", "server", (), jdks=FROM_21))
HEALTHY.append(Pair("Traced", "oneQuestionEach", ()))

PAIRS = [*LOCKS, *POOLS, *MEMORY, *WORK, *WAITS, *TRACED, *LIBRARIES, *VIRTUAL, *FLAGS]
