#!/usr/bin/env python3
"""A process that looks like a JVM and implements the JVM's side of the attach protocol, for tests of the client.

usage: fake_jvm.py LIBJVM [BEHAVIOUR]

It maps LIBJVM as code, under that name, and has its attach socket open. Every request is printed as one JSON list of its words.
Behaviors: version-1 (knows no other version), version-2 (likewise), other-version (knows neither), silent (never answers), starting
(does not accept agents yet, and never answers afterwards), hangs-up, unarmed (no socket, and no handler for SIGQUIT: the signal would
end it), leaving (version-1 with an agent that leaves as its first client comes).
"""
import json
import mmap
import os
import pathlib
import signal
import socket
import sys
import threading
import time

BAD_VERSION = b"101\n"
STARTING = b"-1\nDynamic agent loading is only permitted in the live phase\n"
LOADED = b"0\nreturn code: 0"


def read_request(channel):
    data = b""
    while True:
        words = data.split(b"\0")[:-1]
        if words and (words[0] != b"2" and len(words) == 5 or words[0] == b"2" and len(words) == 6):
            return [word.decode() for word in words]
        part = channel.recv(65536)
        if not part:
            return [word.decode() for word in words]
        data += part


def serve(listener, behaviour):
    while True:
        channel, _ = listener.accept()
        with channel:
            if behaviour == "hangs-up":
                continue
            words = read_request(channel)
            print(json.dumps(words), flush=True)
            if behaviour == "silent":
                time.sleep(3600)
            if behaviour == "starting":
                channel.sendall(STARTING)
                behaviour = "silent"
                continue
            channel.sendall(LOADED if words and behaviour == f"version-{words[0]}" else BAD_VERSION)


def listen(name):
    listener = socket.socket(socket.AF_UNIX)
    path = pathlib.Path(f"/tmp/{name}{os.getpid()}")
    path.unlink(missing_ok=True)  # as a JVM and the agent do: a process that was killed may have had this id before
    listener.bind(str(path))
    listener.listen()
    return listener, path


def leave(listener, path):
    channel, _ = listener.accept()
    path.unlink()
    listener.close()
    channel.close()


def main():
    library, behaviour = sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else "version-1"
    with open(library, "rb") as file:
        code = mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ | mmap.PROT_EXEC, flags=mmap.MAP_PRIVATE)
    if behaviour == "unarmed":
        print("ready", flush=True)
        signal.pause()  # to be killed
    signal.signal(signal.SIGQUIT, lambda *_: None)
    if behaviour == "leaving":
        threading.Thread(target=leave, args=listen(".candor-"), daemon=True).start()
        behaviour = "version-1"
    listener, path = listen(".java_pid")
    with listener, code:
        print("ready", flush=True)
        try:
            serve(listener, behaviour)
        except KeyboardInterrupt:
            path.unlink()


main()
