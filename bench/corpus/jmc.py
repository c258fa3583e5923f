"""What the rules of JDK Mission Control say about the same recordings."""
import collections
import pathlib
import subprocess

from runner import SOURCES, ct

# Mission Control's rules that name the problem of a finding; findings that are not here have none.
RULES_OF = {
    "lock_held_asleep": ("JavaBlocking",), "lock_held_in_io": ("JavaBlocking",), "lock_held_waiting": ("JavaBlocking",),
    "lock_contended": ("JavaBlocking",), "lock_owner_preempted": ("JavaBlocking",), "writers_starve": ("JavaBlocking",),
    "deadlock": ("JavaBlocking",), "boxing": ("PrimitiveToObjectConversion",), "allocation_site": ("Allocations.class",),
    "gc_pressure": ("GcPauseRatio", "HighGc"), "gc_full": ("FullGc", "GcPauseRatio", "HighGc"), "gc_humongous": ("GcPauseRatio", "HighGc"),
    "system_gc": ("SystemGc",), "gc_metaspace": ("MetaspaceOom", "IncreasingMetaSpaceLiveSet"), "leak": ("IncreasingLiveSet",),
    "errors": ("Errors",), "exceptions": ("Exceptions",), "slow_socket": ("SocketRead",), "slow_write": ("SocketWrite",),
    "file_forced": ("FileForce",), "class_loading": ("ClassLoading",), "child_processes": ("ProcessStarted",),
    "processes_started": ("ProcessStarted",), "safepoint_storm": ("VMOperations", "ApplicationHalts"),
    "late_at_safepoints": ("ApplicationHalts", "VMOperations"), "finalizers": ("FinalizersRun",),
    "flag_slow": ("DiscouragedVmOptions", "Options"), "flag_risky": ("BytecodeVerification", "DiscouragedVmOptions", "Options"),
    "flag_outdated": ("Options", "DiscouragedVmOptions"), "flag_twice": ("DuplicateFlags",),
    "heap_setup": ("GcOptions", "GcInvertedParallelism"), "secret_in_arguments": ("PasswordsInArguments",),
    "remote_control": ("ManagementAgent",),
}
# Rules about the recorder and the machine, not about the program.
OF_RECORDER = ("DebugNonSafepoints", "FewSampledThreads", "BufferLost", "FlightRecordingSupport", "OverAggressiveRecordingSetting",
               "StackdepthSetting", "DumpReason", "JfrPeriodicEventsFix", "DynamicAgents", "MultipleAgents", "CompareCpu", "PID1Rule",
               "LowOnPhysicalMemory", "ManyRunningProcesses")


def results_of(paths):
    """By path: the rules with a result of severity INFO or WARNING, the worst first."""
    jars = subprocess.run([SOURCES / "fetch_libraries.sh", "jmc"], check=True, capture_output=True, text=True).stdout.strip()
    found = collections.defaultdict(list)
    for path in paths:  # each in a JVM of its own, because a rule that does not end takes a processor
        told = subprocess.run([ct.jdk(21).java, "-cp", f"{jars}/*", SOURCES / "jmc" / "Rules.java", path], check=True, capture_output=True,
                              text=True).stdout
        found[str(path)] += [line.split("\t")[1] for line in told.splitlines()]
    return {path: [rule for rule in rules if rule not in OF_RECORDER] for path, rules in found.items()}


def word_of(pair, variant, rules):
    """The verdict of Mission Control's rules, which know no lines: hit, found, wrong, miss; silent, alarm."""
    if variant != "planted":
        return "alarm" if rules else "silent"
    wanted = [rule for kind in pair.ids for rule in RULES_OF.get(kind, ())]
    if not rules:
        return "miss"
    return "hit" if rules[0] in wanted else "found" if set(rules) & set(wanted) else "wrong"


def summary(kept):
    """kept: (pair, variant, path) of each recording."""
    found = results_of([path for _, _, path in kept])
    words = collections.Counter((variant == "planted", word_of(pair, variant, found[str(path)])) for pair, variant, path in kept)
    planted, healthy = (sum(n for (is_planted, _), n in words.items() if is_planted == want) for want in (True, False))
    return (f"Mission Control's rules on the same recordings: of {planted} planted problems {words[True, 'hit']} first, "
            f"{words[True, 'found']} behind another result, {words[True, 'wrong']} with other results only, "
            f"{words[True, 'miss']} without a result; results about {words[False, 'alarm']} of {healthy} programs that are in order. "
            f"Its rules name no lines, and results about the recorder and the machine do not count")


def path_of(folder, pair, variant, version):
    return pathlib.Path(folder) / f"{pair.program}-{pair.name}-{variant}-{version}.jfr"
