"""A small HTTP/1.1 server for tests of `candor load`, run as a program: prints its port, then answers until it is killed.

The path chooses the answer: /ok, /status/404, /slow/0.05 (seconds), /chunked, /close (a body that ends with the connection), /broken
(half an answer), /silent (no answer), /garbage, /login (401 without the header "Authorization: Basic eDp5"), /drop (the connection is
closed after the answer, without announcing it). POST bodies are sent back.
"""
import socket
import ssl
import sys
import threading
import time


def read_request(reader):
    line = reader.readline()
    if not line:
        return None
    length, login = 0, ""
    while (header := reader.readline()) not in (b"\r\n", b""):
        name, _, value = header.partition(b":")
        if name.lower() == b"content-length":
            length = int(value)
        elif name.lower() == b"authorization":
            login = value.strip().decode()
    method, path, _ = line.decode().split()
    return method, path, reader.read(length), login


def answer(method, path, body, login):
    """(bytes, whether the connection stays open)"""
    part = path.split("/")
    if part[1] == "login" and login != "Basic eDp5":
        part = ["", "status", "401"]
    if part[1] == "status":
        return f"HTTP/1.1 {part[2]} Word\r\nContent-Length: 2\r\n\r\nno".encode(), True
    if part[1] == "slow":
        time.sleep(float(part[2]))
    if part[1] == "chunked":
        return b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n6\r\n world\r\n0\r\n\r\n", True
    if part[1] == "close":
        return b"HTTP/1.0 200 OK\r\n\r\nuntil the end", False
    if part[1] == "broken":
        return b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf", False
    if part[1] == "garbage":
        return b"what is this\r\n\r\n", False
    text = body if method == "POST" else b"hello"
    return b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s" % (len(text), text), part[1] != "drop"


def serve(connection, context):
    try:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if context:
            connection = context.wrap_socket(connection, server_side=True)
        with connection, connection.makefile("rb") as reader:
            while request := read_request(reader):
                if request[1] == "/silent":
                    time.sleep(3600)
                data, stays = answer(*request)
                connection.sendall(data)
                if not stays:
                    return
    except OSError:
        pass


def main():
    context = None
    if len(sys.argv) > 1:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(sys.argv[1], sys.argv[2])
    listener = socket.create_server(("127.0.0.1", 0), backlog=256)
    print(listener.getsockname()[1], flush=True)
    while True:
        connection, _ = listener.accept()
        threading.Thread(target=serve, args=(connection, context), daemon=True).start()


if __name__ == "__main__":
    main()
