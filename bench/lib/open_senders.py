"""Hosts that send on an open schedule: each recording is sent when it is due, whether or not earlier ones were answered, on a connection of
its own, from an address of its host's own. A host that gets 429 or 503, or whose connection ends without an answer, comes again when the
answer says, or after ten seconds. So more and more wait while more arrives than the server takes."""
import asyncio
import collections
import json
import multiprocessing
import random
import re
import resource
import time

TRIES, LATER_S, CLIENT_S = 100, 10, 120
Upload = collections.namedtuple("Upload", "due host path query")  # due: seconds after the beginning
OUTCOMES = ("put_off_429", "put_off_503", "unanswered", "without_retry", "given_up")
RETRY = re.compile(rb"\r\nretry-after: *(\d+)", re.IGNORECASE)
LENGTH = re.compile(rb"\r\ncontent-length: *(\d+)", re.IGNORECASE)


def address(host):
    """One of 127.0.1.1 to 127.0.250.250: a server limits the connections of each."""
    return f"127.0.{1 + host // 250 % 250}.{1 + host % 250}"


async def exchange(port, host, request, content):
    """(status, seconds of Retry-After or None, body) of a request."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port, local_addr=(address(host), 0))
    try:
        writer.write(request)
        writer.write(content)
        head = await reader.readuntil(b"\r\n\r\n")
        body = await reader.readexactly(int(LENGTH.search(head)[1]))
        retry = RETRY.search(head)
        return int(head[9:12]), retry and int(retry[1]), body
    finally:
        writer.close()


def head_of(upload, content):
    return (f"POST /v1/recordings?{upload.query} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
            f"Content-Length: {len(content)}\r\n\r\n").encode()


class Senders:
    def __init__(self, port):
        self.port, self.contents, self.waiting = port, {}, 0
        self.totals = {**collections.Counter({name: 0 for name in OUTCOMES}), "ids": [], "times": [], "bytes": 0, "most_waiting": 0,
                       "first_put_off_s": None}

    async def send(self, upload, began):
        """Sends an upload until it is taken."""
        if upload.path not in self.contents:
            self.contents[upload.path] = upload.path.read_bytes()
        content, draw = self.contents[upload.path], random.Random(str(upload))
        for _ in range(TRIES):
            try:
                status, retry, body = await asyncio.wait_for(exchange(self.port, upload.host, head_of(upload, content), content), CLIENT_S)
            except (OSError, EOFError, asyncio.TimeoutError):
                status, retry, body = 0, None, b""
            if status == 200:
                self.totals["ids"].append(json.loads(body)["id"])
                self.totals["times"].append(time.monotonic() - began - upload.due)
                return
            self.note_put_off(status, retry, body, began)
            await asyncio.sleep((retry or LATER_S) * draw.uniform(1, 1.2))
        self.totals["given_up"] += 1

    def note_put_off(self, status, retry, body, began):
        if status not in (0, 429, 503):
            raise RuntimeError(f"status {status}: {body[:200]}")
        self.totals[f"put_off_{status}" if status else "unanswered"] += 1
        self.totals["without_retry"] += status != 0 and retry is None
        if self.totals["first_put_off_s"] is None:
            self.totals["first_put_off_s"] = time.monotonic() - began

    async def one(self, upload, began):
        await asyncio.sleep(max(0, began + upload.due - time.monotonic()))
        self.waiting += 1
        self.totals["most_waiting"] = max(self.waiting, self.totals["most_waiting"])
        await self.send(upload, began)
        self.waiting -= 1
        self.totals["bytes"] += upload.path.stat().st_size

    async def all(self, uploads):
        began = time.monotonic()
        await asyncio.gather(*(self.one(upload, began) for upload in uploads))
        self.totals["seconds"] = time.monotonic() - began


def allow_files():
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))


def try_once(port, uploads, pipe):
    """Sends each upload at once, and not again; the pipe gets the answers, in order."""
    async def all_at_once():
        contents = [upload.path.read_bytes() for upload in uploads]
        return await asyncio.gather(*(exchange(port, upload.host, head_of(upload, content), content)
                                      for upload, content in zip(uploads, contents)))

    allow_files()
    pipe.send(asyncio.run(all_at_once()))


def _send(port, uploads, pipe):
    allow_files()
    senders = Senders(port)
    asyncio.run(senders.all(uploads))
    put_off = senders.totals["put_off_429"] + senders.totals["put_off_503"]
    pipe.send({**senders.totals, "taken": len(senders.totals["ids"]), "put_off": put_off, "cpu": time.process_time()})


def send(port, uploads):
    """What became of uploads that another process has sent, so that its CPU time is not ours."""
    ours, theirs = multiprocessing.Pipe()
    process = multiprocessing.Process(target=_send, args=(port, uploads, theirs))
    process.start()
    theirs.close()
    totals = ours.recv()
    process.join()
    return totals
