#!/usr/bin/env python3
"""A process that implements the agent's side of the control socket (docs/formats/control.md), for tests of the client.

usage: fake_agent.py RECORDING [BEHAVIOUR...]

`start` copies RECORDING to the file that was passed. Every request is printed as one JSON line {"command", "options"}. Behaviors:
busy (start is refused), stop-error (stop says that the disk was full), stopped-by-other (idle after the third status), exit (the
process ends at the third status), killed (it dies of SIGKILL then), silent (never answers), slow-dump (does not answer a dump),
garbage, endless (an answer without end), cut (half an answer), escape (a terminal's escape sequence in a value), future and past
(another protocol, and one from before it had a number).
"""
import itertools
import json
import os
import pathlib
import signal
import socket
import sys
import time
import urllib.parse


HELD = []  # connections that are kept open without an answer


class Agent:
    def __init__(self, recording, behaviours):
        self.recording, self.behaviours = recording, behaviours
        self.options, self.started, self.looks, self.passed = None, 0, 0, None

    def answer(self, command, options):
        return {"status": self.status, "start": self.start, "stop": self.stop, "dump": self.dump}[command](options)

    def status(self, options):
        if self.options:
            self.looks += 1
        if self.looks == 3 and "exit" in self.behaviours:
            os._exit(0)
        if self.looks == 3 and "killed" in self.behaviours:
            os.kill(os.getpid(), signal.SIGKILL)
        if self.looks == 3 and "stopped-by-other" in self.behaviours:
            self.options = None
        version = "\x1b[31m9.9" if "escape" in self.behaviours else "9.9"
        pairs = {"version": version, "protocol": 1, "pid": os.getpid(), "state": "running" if self.options else "idle"}
        if "future" in self.behaviours:
            pairs["protocol"] = 99
        if "past" in self.behaviours:
            del pairs["protocol"]
        if self.options:
            elapsed = time.monotonic_ns() - self.started
            pairs |= {"file": self.options["file"], "clock": "timer", "clock_resolution_ns": 4000000,
                      "interval_ns": 10000000, "elapsed_ns": elapsed, "samples": 1234567, "cpu_ns": 5, "lost": 0,
                      "threads": 3, "bytes": 100}
        return pairs

    def start(self, options):
        if "busy" in self.behaviours:
            return "already recording to /x/y.jfr since 12:00:00"
        self.options, self.started = options, time.monotonic_ns()
        with open(self.passed, "wb", closefd=False) as file:
            file.write(pathlib.Path(self.recording).read_bytes())
        return self.status(options)

    def stop(self, options):
        if not self.options:
            return "no recording"
        pairs = {"file": self.options["file"], "bytes": 100, "samples": 1234567}
        if "stop-error" in self.behaviours:
            pairs["error"] = "No space left on device"
        self.options = None
        return pairs

    def dump(self, options):
        return {"file": options.get("file", self.options["file"]), "bytes": 50} if self.options else "no recording"


def encode(value):
    return str(value).replace("%", "%25").replace("\n", "%0A")


def serve(channel, agent, behaviours):
    request = b""
    while not request.endswith(b"\n"):
        part, passed, _, _ = socket.recv_fds(channel, 65536, 1)
        if passed:
            agent.passed = passed[0]
        if not part:
            return
        request += part
    command, _, rest = request.decode().rstrip("\n").partition(" ")
    options = dict(pair.split("=", 1) for pair in rest.split(",")) if rest else {}
    options = {key: urllib.parse.unquote(value) for key, value in options.items()}
    print(json.dumps({"command": command, "options": options}), flush=True)
    if command == "dump" and "slow-dump" in behaviours:
        HELD.append(channel.dup())
        return
    if "silent" in behaviours:
        time.sleep(3600)
    if "garbage" in behaviours:
        channel.sendall(b"\0\xff\x1b[31mHTTP/1.1\n")
        return
    if "cut" in behaviours:
        channel.sendall(b"ok\nversion=9.9\nsta")
        return
    if "endless" in behaviours:
        for _ in itertools.count():
            channel.sendall(b"ok\n" * 1000)
    answer = agent.answer(command, options)
    if isinstance(answer, str):
        channel.sendall(f"error {answer}\n".encode())
    else:
        channel.sendall(("ok\n" + "".join(f"{key}={encode(value)}\n" for key, value in answer.items())).encode())


def main():
    recording, *behaviours = sys.argv[1:]
    path = f"/tmp/.candor-{os.getpid()}"
    agent = Agent(recording, behaviours)
    if os.path.exists(path):  # left by an agent with the same process id that was killed
        os.unlink(path)
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as listener:
        listener.bind(path)
        os.chmod(path, 0o600)
        listener.listen(4)
        print("ready", flush=True)
        while True:
            channel, _ = listener.accept()
            with channel:
                try:
                    serve(channel, agent, behaviours)
                except OSError:
                    pass  # the client went away


main()
