"""A real Cassandra for tests of candor load: from Maven's jars, in a JVM with a small heap, with logins, and on one port with and without
TLS. What a test needs to ask it is a small client of CQL's native protocol."""
import os
import pathlib
import re
import socket
import struct
import subprocess

import candortest as ct
import stores

FETCH = pathlib.Path(__file__).resolve().parents[1] / "jvm" / "fetch_jars.sh"
USER = PASSWORD = "cassandra"  # the login that a new node has
STARTUP, QUERY, AUTH_RESPONSE = 0x01, 0x07, 0x0F
ERROR, AUTHENTICATE, ROWS = 0x00, 0x03, 2

SETTINGS = """
cluster_name: candor
num_tokens: 1
partitioner: org.apache.cassandra.dht.Murmur3Partitioner
endpoint_snitch: SimpleSnitch
seed_provider:
  - {{class_name: org.apache.cassandra.locator.SimpleSeedProvider, parameters: [{{seeds: "127.0.0.1:{storage}"}}]}}
listen_address: 127.0.0.1
storage_port: {storage}
rpc_address: 127.0.0.1
native_transport_port: {port}
commitlog_sync: periodic
commitlog_sync_period: 10000ms
commitlog_segment_size: 4MiB
data_file_directories: ["{folder}/data"]
commitlog_directory: "{folder}/commitlog"
saved_caches_directory: "{folder}/saved"
hints_directory: "{folder}/hints"
cdc_raw_directory: "{folder}/cdc"
authenticator: PasswordAuthenticator
client_encryption_options: {{enabled: true, optional: true, keystore: "{folder}/keys", keystore_password: secret}}
"""
LOG = """<configuration><appender name="O" class="ch.qos.logback.core.ConsoleAppender"><encoder><pattern>%msg%n%ex</pattern></encoder>
</appender><root level="WARN"><appender-ref ref="O"/></root></configuration>"""
FLAGS = ["-Xmx500m", "-Xmn250m", "-XX:+UseSerialGC", "-Xlog:gc:file=collections", "-XX:TieredStopAtLevel=1",
         "-Dcassandra-foreground=yes", "-Dcassandra.ring_delay_ms=1", "-Dcassandra.skip_wait_for_gossip_to_settle=0",
         "-Dcassandra.superuser_setup_delay_ms=0"]
# What cassandra-all of this version reaches into, on JDK 11.
OPENED = ["--add-exports=java.base/jdk.internal.misc=ALL-UNNAMED", "--add-exports=java.base/jdk.internal.ref=ALL-UNNAMED",
          "--add-exports=java.base/sun.nio.ch=ALL-UNNAMED", "--add-exports=java.rmi/sun.rmi.registry=ALL-UNNAMED",
          "--add-exports=java.rmi/sun.rmi.server=ALL-UNNAMED",
          "--add-exports=java.management.rmi/com.sun.jmx.remote.internal.rmi=ALL-UNNAMED"]


def receive(connection, n):
    data = b""
    while len(data) < n:
        part = connection.recv(n - len(data))
        if not part:
            raise ConnectionError("Cassandra has closed the connection")
        data += part
    return data


def call(connection, opcode, body):
    """(kind, body) of the answer; ConnectionError with the server's text if it is an error."""
    connection.sendall(struct.pack(">BBhBi", 4, 0, 0, opcode, len(body)) + body)
    _, _, _, kind, length = struct.unpack(">BBhBi", receive(connection, 9))
    answer = receive(connection, length)
    if kind == ERROR:
        raise ConnectionError(answer[6:].decode())
    return kind, answer


def number_in(answer):
    """The number in an answer that consists of one row with one column of type bigint."""
    kind, flags, _ = struct.unpack(">iii", answer[:12])
    count, size, number = struct.unpack(">iiq", answer[-16:])
    if kind != ROWS or flags & ~1 or (count, size) != (1, 8):
        raise ValueError(f"the answer is no number: {answer!r}")
    return number


class Cassandra:
    def __init__(self, jdk, jars):
        self.port, self.folder = stores.free_port(), ct.WORK / "cassandra"
        self.folder.mkdir()
        settings = SETTINGS.format(port=self.port, storage=stores.free_port(), folder=self.folder)
        (self.folder / "settings").write_text(settings)
        (self.folder / "log.xml").write_text(LOG)
        keys = ct.run(jdk.home / "bin" / "keytool", "-genkeypair", "-keystore", self.folder / "keys", "-storepass", "secret", "-alias",
                      "it", "-keyalg", "RSA", "-dname", "CN=localhost")
        ct.ok(keys.status == 0, "a certificate for Cassandra", keys)
        log = open(self.folder / "log", "w")
        self.process = ct.spawn([jdk.java, *FLAGS, *OPENED, "-cp", f"{jars}/*", f"-Dcassandra.config=file://{self.folder}/settings",
                                 f"-Dcassandra.storagedir={self.folder}", f"-Dlogback.configurationFile={self.folder}/log.xml",
                                 "org.apache.cassandra.service.CassandraDaemon"], stdout=log, stderr=log, cwd=self.folder)
        self.pid = self.process.pid
        self.url = f"cql://{USER}:{PASSWORD}@127.0.0.1:{self.port}"

    def starts(self):
        """Waits until a login succeeds. Returns whether it did."""
        ct.wait_until(lambda: self.count("read", "system", "local") is not None or self.process.poll() is not None)
        return self.process.poll() is None

    def collected(self):
        """For how long collections have stopped it so far, in s."""
        return sum(float(ms) for ms in re.findall(r"([\d.]+)ms$", (self.folder / "collections").read_text(), re.M)) / 1000

    def log(self):
        return (self.folder / "log").read_text()[-3000:]

    def number(self, query):
        """The number that a query returns; None if it fails."""
        login = b"\0" + USER.encode() + b"\0" + PASSWORD.encode()
        try:
            with socket.create_connection(("127.0.0.1", self.port), ct.PATIENCE) as connection:
                version = b"".join(struct.pack(">H", len(word)) + word for word in (b"CQL_VERSION", b"3.0.0"))
                if call(connection, STARTUP, b"\0\1" + version)[0] == AUTHENTICATE:
                    call(connection, AUTH_RESPONSE, struct.pack(">i", len(login)) + login)
                return number_in(call(connection, QUERY, struct.pack(">i", len(query)) + query.encode() + b"\0\1\0")[1])
        except OSError:
            return None

    def count(self, what, keyspace, table):
        """What the node itself counted for a table: "read" or "write"."""
        return self.number(f"SELECT count FROM system_views.local_{what}_latency WHERE keyspace_name = '{keyspace}' AND "
                           f"table_name = '{table}'")

    def counts(self):
        return {what: self.count(what, "ycsb", "usertable") for what in ("read", "write")}


def cassandra():
    """A node that has started; None after a skip, or after a failed point."""
    jdk = ct.jdk(11)
    if not jdk:
        ct.skip("Cassandra", "JDK 11 is not cached; run script/jdks")
        return None
    fetched = subprocess.run([FETCH, "cassandra"], capture_output=True, text=True, check=False)
    if fetched.returncode:
        ct.skip("Cassandra", f"{FETCH.name} cannot fetch its jars: {os.linesep.join(fetched.stderr.splitlines()[:1])}")
        return None
    node = Cassandra(jdk, fetched.stdout.strip())
    return node if ct.ok(node.starts(), "Cassandra starts", node.log()) else None
