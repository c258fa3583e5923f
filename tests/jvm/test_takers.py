#!/usr/bin/env python3
"""Libraries set their own handlers for the signal of an armed clock, or reset all handlers, in every way that the C library has. The
program continues and is still sampled, and everything that it sees of its signals is as it would be without a profiler.

tier: default
timeout: 600

Native code checks each way itself (signal_takers.c): the action in force before and afterwards, when its handler is called and with
which mask, while expiries come. Without the code that keeps our handler in front, the first handler that is reset would end the JVM,
or a handler would be called for an expiry. SIGURG is ignored by default, so for SIGURG only the calls of the handler show the
difference.
"""
import pathlib
import signal
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import candortest as ct

TAKERS = ct.BUILD / "tests" / "jvm" / "libsignal_takers.so"
AT_LOAD = ct.BUILD / "tests" / "jvm" / "libtaker_at_load.so"
# Event, clock, the signal that is then ours (or could be, and is not), and whether the libraries are loaded when the agent comes.
CASES = [("cpu", "sigtrap", signal.SIGTRAP, False), ("cpu", "sigtrap", signal.SIGTRAP, True), ("cpu", "itimer", signal.SIGPROF, True),
         ("cpu", "timer", signal.SIGVTALRM, False), ("wall", None, signal.SIGURG, True), ("cpu", "signal", signal.SIGURG, False)]


def begin(jvm, late, path, event, clock):
    """Returns true when the recording has begun."""
    if late:
        result = ct.attach(jvm, path, "1ms", "-e", event, *(["--clock", clock] if clock else []))
        return ct.ok(result.status == 0, f"{jvm.jdk}: attached", result)
    options = {"clock": clock, "interval": "1ms"} if clock else {"wall-interval": "1ms"}
    good, answer = jvm.control("start", file=path, event=event, **options)
    return ct.ok(good, f"{jvm.jdk}: begun", answer)


def check(jdk, case, libjsig=False):
    event, clock, number, late = case
    what = f"{jdk}, {event}, clock {clock}, {'attached' if late else 'at start'}{', libjsig' if libjsig else ''}"
    path = ct.WORK / f"takers-{jdk.version}-{event}-{clock}-{late}-{libjsig}.jfr"
    env = {"CANDOR_TEST_TAKES": str(int(number)), **({"LD_PRELOAD": str(next(jdk.home.glob("**/libjsig.so")))} if libjsig else {})}
    flags = ["-XX:+IgnoreUnrecognizedVMOptions", "-XX:-CreateCoredumpOnCrash"]
    with ct.Jvm(jdk, "SignalTakers", agent=None if late else ct.agent_options(), flags=flags, env={**ct.os.environ, **env}) as jvm:
        try:
            jvm.expect("ready")
            names = None
            if late:
                jvm.round(load=TAKERS)
                names = jvm.round("look", signal=int(number))["names"]
            if not begin(jvm, late, path, event, clock):
                return
            if not late:
                jvm.round(load=TAKERS)
            jvm.round(load=AT_LOAD)
            burnt = jvm.round("burn")["cpu_ns"]
            taken = jvm.round("take", signal=int(number))
            ct.ok(taken["wrong"] == "none" and taken["ways"] > 10, f"{what}: nobody sees a profiler, in {taken['ways']} ways", taken)
            burnt += jvm.round("burn")["cpu_ns"]
            status = jvm.control("status")[1]
            ct.ok(not status.get("warning") and clock in (None, status.get("clock")), f"{what}: nothing is amiss", status)
            jvm.round("once", signal=int(number), how="keep")
            good, answer = jvm.control("stop")
            ct.ok(good, f"{what}: it stops", answer)
            after = jvm.round("look", signal=int(number))
            is_trap = number == signal.SIGTRAP
            ct.ok(is_trap or (after["kernel"] and names in (None, after["names"])),
                  f"{what}: then the kernel has what the program wants, and names lead where they led", (names, after))
            end = jvm.finish()
        except (RuntimeError, BrokenPipeError) as death:
            ct.ok(False, f"{what}: the JVM lives", f"{death}\n{jvm.transcript()}")
            return
        ct.ok(end == 0, f"{what}: the JVM ends normally", jvm.transcript())
    check_recording(path, burnt, event, what)


def check_recording(path, burnt, event, what):
    """Both phases of work, before the handlers were taken and after, have their samples."""
    recording = ct.Recording(path)
    if event == "cpu":
        seen = sum(s.weight for s in recording.samples if any(name.endswith("SignalTakers.burn") for name, _, _ in s.frames))
        ct.ok(seen > 0.8 * burnt, f"{what}: {seen / 1e6:.0f} of {burnt / 1e6:.0f} ms are in the recording")
        ct.identity_closes(ct.report(path)["books"], what)
    ct.ok(not [text for level, text in recording.log if level != "info"], f"{what}: the recording warns of nothing", recording.log)


def goes_on(jdk, how, clock, number, words):
    """Code that cannot be prevented from taking the signal, or that has a right to it: the recording continues with another clock, and
    says so."""
    what, path = f"{jdk}, clock {clock}, {how}", ct.WORK / f"goes-on-{how}.jfr"
    with ct.Jvm(jdk, "SignalTakers", agent=ct.agent_options(file=path, interval="1ms", clock=clock)) as jvm:
        try:
            jvm.expect("ready")
            jvm.round(load=TAKERS)
            jvm.round("burn")
            calls = jvm.round("once", signal=int(number), how=how)["calls"]
            said = ct.wait_until(lambda: jvm.control("status")[1].get("warning"))
            burnt = jvm.round("burn")["cpu_ns"]
            end = jvm.finish()
        except (RuntimeError, BrokenPipeError) as death:
            ct.ok(False, f"{what}: the JVM lives", f"{death}\n{jvm.transcript()}")
            return
    ct.ok(end == 0 and all(word in said for word in words), f"{what}: it is reported: {said}")
    ct.ok(how == "raw" or calls > 3, f"{what}: its handler was called {calls} times")
    seen = sum(s.weight for s in ct.Recording(path).samples if any(name.endswith("SignalTakers.burn") for name, _, _ in s.frames))
    ct.ok(seen > 1.6 * burnt, f"{what}: both burns, of {burnt / 1e6:.0f} ms each, are in the recording: {seen / 1e6:.0f} ms")


def main():
    ct.need(ct.AGENT, ct.PROGRAM, TAKERS, AT_LOAD)
    for jdk, case in ct.spread(ct.jdks(), CASES):
        check(jdk, case)
    check(ct.jdk(17), CASES[1], libjsig=True)
    goes_on(ct.jdk(21), "raw", "signal", signal.SIGURG, ("SIGURG", "system call", "clock="))
    goes_on(ct.jdk(17), "timer", "itimer", signal.SIGPROF, ("CPU timer", "clock="))
    ct.done()


main()
