"""Real servers for tests of candor load, each in a directory of its own and on a port that the system chose. What is not installed is
None after a skip. A store has `url`, `pid` (of the process that answers, to be stopped), and `counts()`: what the server itself counted."""
import functools
import json
import os
import pathlib
import re
import shutil
import socket
import subprocess
import sys
import time

import candortest as ct
import goclients

HERE = pathlib.Path(__file__).resolve().parent


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def answers(port):
    try:
        socket.create_connection(("127.0.0.1", port), 1).close()
        return True
    except OSError:
        return False


def program(name, package, *folders):
    found = shutil.which(name, path=os.pathsep.join([os.environ.get("PATH", ""), "/usr/sbin", *folders]))
    if not found:
        ct.skip(name, f"it is not installed; script/bootstrap test installs {package}")
    return found


def start(command, port, **keywords):
    process = ct.spawn([str(word) for word in command], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **keywords)
    ct.wait_until(lambda: answers(port) or process.poll() is not None)
    return process


@functools.cache
def certificate():
    """(certificate, key): files of a certificate for 127.0.0.1 that nobody knows."""
    files = ct.WORK / "certificate.pem", ct.WORK / "key.pem"
    made = ct.run("openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-out", files[0], "-keyout", files[1], "-days", "2", "-subj",
                  "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1")
    ct.ok(made.status == 0, "a certificate", made)
    for file in files:
        os.chmod(file, 0o644)
    return files


class Redis:
    def __init__(self, found, password="", tls=False):
        self.port = free_port()
        folder = ct.WORK / f"redis-{self.port}"
        folder.mkdir()
        login = ["--requirepass", password] if password else []
        port = ["--port", self.port]
        if tls:
            port = ["--port", "0", "--tls-port", self.port, "--tls-cert-file", certificate()[0], "--tls-key-file", certificate()[1],
                    "--tls-ca-cert-file", certificate()[0], "--tls-auth-clients", "no"]
        self.pid = start([found, *port, "--bind", "127.0.0.1", "--save", "", "--dir", folder, *login], self.port).pid
        self.url = f"redis{'s' if tls else ''}://127.0.0.1:{self.port}"
        self.password = password

    def call(self, *words):
        with socket.create_connection(("127.0.0.1", self.port), 60) as s:
            lines = [f"AUTH {self.password}"] if self.password else []
            s.sendall("".join(line + "\r\n" for line in [*lines, " ".join(words), "QUIT"]).encode())
            data = b""
            while part := s.recv(65536):
                data += part
        return data.decode("latin-1")

    def counts(self):
        calls = {name: int(n) for name, n in re.findall(r"cmdstat_(\w+):calls=(\d+)", self.call("INFO", "commandstats"))}
        return {"read": calls.get("hgetall", 0), "update": calls.get("hset", 0) - calls.get("zadd", 0), "insert": calls.get("zadd", 0)}

    def spoil(self):
        """Changes a field of each record."""
        for name in re.findall(r"user\d+", self.call("ZRANGE", "_indices:usertable", "0", "-1")):
            self.call("HSET", name, "field3", "spoiled")


class Memcached:
    def __init__(self, found, login=None, tls=False):
        self.port = free_port()
        extra = ["-Z", "-o", f"ssl_chain_cert={certificate()[0]},ssl_key={certificate()[1]}"] if tls else []
        if login:
            (ct.WORK / "logins").write_text(":".join(login) + "\n")
            os.chmod(ct.WORK / "logins", 0o644)
            extra += ["-Y", ct.WORK / "logins"]
        user = ["-u", "root"] if os.getuid() == 0 else []
        self.pid = start([found, "-l", "127.0.0.1", "-p", self.port, "-U", "0", *user, *extra], self.port).pid
        self.url = f"memcached{'s' if tls else ''}://127.0.0.1:{self.port}"

    def counts(self):
        with socket.create_connection(("127.0.0.1", self.port), 60) as s:
            s.sendall(b"stats\r\nquit\r\n")
            data = b""
            while part := s.recv(65536):
                data += part
        found = dict(re.findall(r"STAT (cmd_get|cmd_set) (\d+)", data.decode()))
        return {"read": int(found["cmd_get"]), "write": int(found["cmd_set"])}


class Postgres:
    BINARIES = "/usr/lib/postgresql/15/bin"

    def __init__(self, folder):
        self.port, self.data, self.binaries = free_port(), ct.WORK / "postgres", pathlib.Path(folder)
        self.as_user = {"user": "postgres", "group": "postgres", "extra_groups": []} if os.getuid() == 0 else {}
        self.data.mkdir()
        if self.as_user:
            shutil.chown(self.data, "postgres")
            for parent in self.data.parents:
                if parent.stat().st_uid == os.getuid() and not parent.stat().st_mode & 1:
                    os.chmod(parent, parent.stat().st_mode | 0o011)
        (self.data.parent / "pw").write_text("se cret")
        os.chmod(self.data.parent / "pw", 0o644)
        subprocess.run([self.binaries / "initdb", "-D", self.data, "-A", "scram-sha-256", "-N", "-U", "bench", "--pwfile",
                        self.data.parent / "pw"], check=True, capture_output=True, cwd="/", **self.as_user)
        for name, file in zip(("server.crt", "server.key"), certificate()):
            shutil.copy(file, self.data / name)
            os.chmod(self.data / name, 0o600)
            if self.as_user:
                shutil.chown(self.data / name, "postgres")
        self.process = start([self.binaries / "postgres", "-D", self.data, "-p", self.port, "-k", self.data, "-c", "fsync=off", "-c",
                              "ssl=on", "-c", "listen_addresses=127.0.0.1", "-c", "max_parallel_workers=0", "-c", "autovacuum=off"],
                             self.port, cwd="/", **self.as_user)
        self.url = f"postgresql://bench:se%20cret@127.0.0.1:{self.port}/postgres"
        self.pid = self.process.pid
        ct.wait_until(lambda: self.query("SELECT 1") == "1")

    def query(self, text):
        done = subprocess.run([self.binaries / "psql", "-At", "-c", text, self.url], capture_output=True, text=True, check=False, cwd="/")
        return done.stdout.strip()

    def backends(self):
        """The processes that serve connections."""
        return [int(pid) for pid in self.query("SELECT pid FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> "
                                               "pg_backend_pid()").split()]

    def counts(self):
        ct.wait_until(lambda: not self.backends())  # a connection reports its counts at its end
        row = self.query("SELECT n_tup_ins, n_tup_upd, idx_scan FROM pg_stat_user_tables WHERE relname = 'usertable'").split("|")
        inserts, updates, scans = (int(cell) for cell in row)
        return {"insert": inserts, "update": updates, "read": scans - updates - inserts}  # an insert looks for its key first

    def spoil(self):
        self.query("UPDATE usertable SET field3 = 'spoiled'")


class Nginx:
    def __init__(self, found, settings, tls=False):
        self.port = free_port()
        self.folder = ct.WORK / f"nginx-{self.port}"
        self.folder.mkdir()
        paths = "\n".join(f"{kind}_temp_path {self.folder}/{kind};" for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
        listen = f"ssl http2; ssl_certificate {certificate()[0]}; ssl_certificate_key {certificate()[1]}" if tls else "http2"
        user = "user root;" if os.getuid() == 0 else ""
        (self.folder / "conf").write_text(
            f"daemon off; master_process off; pid {self.folder}/pid; error_log {self.folder}/error; {user}\n"
            f"events {{ worker_connections 512; }}\nhttp {{ access_log {self.folder}/access; {settings} {paths}\n"
            f"server {{ listen 127.0.0.1:{self.port} {listen}; location / {{ return 200 \"hello\"; }} location /no {{ return 404; }}\n"
            'location /login { if ($http_authorization != "Basic eDp5") { return 401; } return 200 "hello"; } } }\n')
        self.pid = start([found, "-c", self.folder / "conf", "-e", self.folder / "error"], self.port).pid
        self.url = f"h2{'s' if tls else ''}://127.0.0.1:{self.port}/x"

    def counts(self):
        return {"requests": len((self.folder / "access").read_text().splitlines())}


class Grpc:
    METHOD = "/grpc.health.v1.Health/Check"

    def __init__(self, found, tls=False):
        self.process = ct.spawn([found, *(certificate() if tls else ())], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.url = f"grpc{'s' if tls else ''}://127.0.0.1:{int(self.process.stdout.readline())}{self.METHOD}"
        self.pid = self.process.pid

    def counts(self):
        """Ends the service."""
        out, _ = self.process.communicate(timeout=ct.PATIENCE)
        return {"requests": int(dict(line.split() for line in out.splitlines()).get(self.METHOD, 0))}


class Cql:
    def __init__(self, *login, tls=False):
        words = [*(("--tls", *certificate()) if tls else ()), *login]
        self.process = ct.spawn([sys.executable, HERE / "cqlserver.py", *words], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.url = f"cql{'s' if tls else ''}://{':'.join(login)}{'@' if login else ''}127.0.0.1:{int(self.process.stdout.readline())}"
        self.pid = self.process.pid

    def counts(self):
        self.process.stdin.write("\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())


def redis(*arguments, **keywords):
    found = program("redis-server", "redis-server")
    return Redis(found, *arguments, **keywords) if found else None


def memcached(*arguments, **keywords):
    found = program("memcached", "memcached")
    return Memcached(found, *arguments, **keywords) if found else None


def postgres():
    found = program("initdb", "postgresql", Postgres.BINARIES)
    return Postgres(pathlib.Path(found).resolve().parent) if found else None


def nginx(settings="", **keywords):
    found = program("nginx", "nginx-light")
    return Nginx(found, settings, **keywords) if found else None


def grpc(**keywords):
    found = goclients.build("grpc_service")
    return Grpc(found, **keywords) if found else None
