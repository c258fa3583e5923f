#!/usr/bin/env python3
"""A process that looks like a JVM in which the agent and the JDK's recorder run, for tests of how the client handles their answers.

usage: fake_recorder.py LIBJVM FILE FLIGHT NAME [BEHAVIOUR...]

The agent says that it records into FILE, beside the JDK's recording NAME, as with `--jfr existing`. The recorder returns copies of
FLIGHT. Every diagnostic command is printed as a line. Behaviors: writes (the agent has that file open for writing, until it is told
to stop), lingers (for a moment longer, like a child of the JVM that is just being created), waits (a dump begins when a line has come
on standard input), on (as with `--jfr on`; when told to stop that recording, the JVM is about to end, writes the recording, and
answers no more), timer (with on: when the recorder is told to stop that recording, the JVM's own timer has just stopped it, and it is
written after the JVM has been asked twice for its recordings).
"""
import fcntl
import mmap
import os
import pathlib
import shutil
import signal
import socket
import sys
import threading
import time


def words_of(channel):
    data = b""
    while data.count(b"\0") < 5:
        data += channel.recv(65536) or b"\0" * 5
    return [word.decode() for word in data.split(b"\0")]


def end(channel, flight, folder):
    shutil.copy(flight, folder / "flight.jfr")
    channel.shutdown(socket.SHUT_RDWR)
    time.sleep(0.5)
    os._exit(0)


def recorder(listener, flight, name, behaviours):
    stopped = 0
    while True:
        channel, _ = listener.accept()
        with channel:
            command = words_of(channel)[2]
            print(command, flush=True)
            answer = f"Recording 7: name={name} maxsize=250.0MB ({'stopped' if stopped else 'running'})\n"
            if stopped and command.startswith("JFR.check"):
                stopped += 1
                if stopped == 3:
                    shutil.copy(flight, f"/tmp/.{name}/flight.jfr")
                    answer = "No available recordings.\n"
            if command.startswith("JFR.stop") and "timer" in behaviours:
                stopped = 1
                channel.sendall(b"-1\njava.lang.IllegalStateException: Can't stop an already stopped recording.\n")
                continue
            if command.startswith("JFR.dump"):
                if "waits" in behaviours:
                    sys.stdin.readline()
                shutil.copy(flight, dict(word.split("=", 1) for word in command.split()[1:])["filename"])
                answer = "Dumped recording, 1 kB written to:\n"
            if command.startswith("JFR.stop"):
                end(channel, flight, pathlib.Path(f"/tmp/.{name}"))
            channel.sendall(f"0\n{answer}".encode())


def agent(listener, file, behaviours):
    mode = "on" if "on" in behaviours else "existing"
    with open(file, "r+b" if "writes" in behaviours else "rb") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        while True:
            channel, _ = listener.accept()
            with channel:
                command = channel.recv(65536).decode().split()[0]
                pairs = {"version": "9.9", "protocol": 1, "pid": os.getpid(), "file": file, "jfr": mode, "elapsed_ns": 10**18}
                pairs |= {"state": "running"} if command == "status" else {"bytes": 1, "samples": 1}
                if command == "stop" and "lingers" not in behaviours:
                    held.close()
                channel.sendall(("ok\n" + "".join(f"{key}={value}\n" for key, value in pairs.items())).encode())
            if command == "stop":
                time.sleep(0.5)
                held.close()


def listen(path):
    listener = socket.socket(socket.AF_UNIX)
    pathlib.Path(path).unlink(missing_ok=True)
    listener.bind(path)
    os.chmod(path, 0o600)
    listener.listen()
    return listener


def main():
    library, file, flight, name, *behaviours = sys.argv[1:]
    with open(library, "rb") as image:
        code = mmap.mmap(image.fileno(), 0, prot=mmap.PROT_READ | mmap.PROT_EXEC, flags=mmap.MAP_PRIVATE)
    signal.signal(signal.SIGQUIT, lambda *_: None)
    name = name.replace("PID", str(os.getpid()))
    with code, listen(f"/tmp/.java_pid{os.getpid()}") as jvm, listen(f"/tmp/.candor-{os.getpid()}") as ours:
        threading.Thread(target=recorder, args=(jvm, flight, name, behaviours), daemon=True).start()
        print("ready", flush=True)
        agent(ours, file, behaviours)


main()
