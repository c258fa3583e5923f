"""Runs inside gdb, which is attached to a JVM with libcandor-standing.so. It stops the JVM CANDOR_STOPS times and writes to the file
CANDOR_STOPS_OUT, a line of JSON for each thread at each stop:

    {"thread": name, "tid": id, "theirs": [pc...], "why": how gdb's list ended, "ours": [[frame type, pc]...], "outcome": n}

A pc is that of the interrupted instruction, or the last byte of a call. gdb's list ends at code that is in no file, which is Java's
("java"), at the thread's first function ("end"), or where gdb could not continue.
"""
import json
import os
import signal
import struct
import threading
import time

import gdb

REGISTERS = ["r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15", "rdi", "rsi", "rbp", "rbx", "rdx", "rax", "rcx", "rsp", "rip"]
MOST_FRAMES = 400
NO_FRAMES = (gdb.INLINE_FRAME, gdb.TAILCALL_FRAME)  # not on the stack: gdb takes it from debug information


def code_of_files(pid):
    ranges = []
    with open(f"/proc/{pid}/maps") as maps:
        for line in maps:
            fields = line.split()
            if "x" in fields[1] and len(fields) > 5 and (fields[5].startswith("/") or fields[5] == "[vdso]"):
                low, high = fields[0].split("-")
                ranges.append((int(low, 16), int(high, 16)))
    return ranges


def their_walk(ranges):
    pcs, frame, exact = [], gdb.newest_frame(), True
    while len(pcs) < MOST_FRAMES:
        pc = frame.pc()
        if not any(low <= pc < high for low, high in ranges):
            return pcs, "java"
        if frame.type() not in NO_FRAMES:
            pcs.append(pc if exact else pc - 1)
            exact = frame.type() == gdb.SIGTRAMP_FRAME
        older = frame.older()
        if older is None:
            reason = frame.unwind_stop_reason()
            ended = reason in (gdb.FRAME_UNWIND_NO_REASON, gdb.FRAME_UNWIND_OUTERMOST)
            return pcs, "end" if ended else gdb.frame_stop_reason_string(reason)
        frame = older
    return pcs, "too deep"


def words(inferior, at, count):
    return struct.unpack(f"<{count}Q", inferior.read_memory(at, 8 * count).tobytes())


def address(symbol):
    return int(gdb.parse_and_eval(f"(unsigned long)&{symbol}"))


def our_walk(inferior, thread, walker):
    values = [int(gdb.parse_and_eval(f"(unsigned long)${name}")) for name in REGISTERS]
    inferior.write_memory(address("standing_registers"), struct.pack(f"<{len(values)}Q", *values))
    inferior.write_memory(address("standing_request"), struct.pack("<i", thread.ptid[1]))
    walker.switch()
    gdb.execute("continue", to_string=True)
    request, count = (struct.unpack("<i", inferior.read_memory(address(f"standing_{what}"), 4).tobytes())[0]
                      for what in ("request", "count"))
    if request:
        raise RuntimeError(f"{thread.name}: stopped before the walk was done")
    if count < 0:
        return None, None
    frames = words(inferior, address("standing_frames"), count)
    outcome, = words(inferior, address("standing_outcome"), 1)
    return [(frame >> 60, frame & (1 << 60) - 1) for frame in frames], outcome


def look(inferior, out):
    ranges = code_of_files(inferior.pid)
    walker = next(thread for thread in inferior.threads() if thread.name == "standing")
    for thread in (thread for thread in inferior.threads() if thread is not walker):
        thread.switch()
        theirs, why = their_walk(ranges)
        ours, outcome = our_walk(inferior, thread, walker)
        if ours is not None:
            out.write(json.dumps({"thread": thread.name, "tid": thread.ptid[1], "theirs": theirs, "why": why, "ours": ours,
                                  "outcome": outcome}) + "\n")


def go_on_for(pid, seconds):
    def stop():
        time.sleep(seconds)
        os.kill(pid, signal.SIGINT)

    threading.Thread(target=stop).start()
    gdb.execute("continue", to_string=True)


def main():
    inferior = gdb.selected_inferior()
    for command in ("set pagination off", "set confirm off", "set backtrace past-main on", "set backtrace past-entry on",
                    "set scheduler-locking on", "set print thread-events off", "set auto-load no", "handle all nostop noprint pass",
                    "handle SIGINT stop nopass"):
        gdb.execute(command, to_string=True)
    gdb.Breakpoint(f"*{address('standing_done')}", internal=True).silent = True
    with open(os.environ["CANDOR_STOPS_OUT"], "w") as out:
        for left in reversed(range(int(os.environ["CANDOR_STOPS"]))):
            look(inferior, out)
            if left:
                gdb.execute("set scheduler-locking off")
                go_on_for(inferior.pid, 0.05)
                gdb.execute("set scheduler-locking on")
    gdb.execute("detach", to_string=True)


main()
