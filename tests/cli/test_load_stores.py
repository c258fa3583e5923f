#!/usr/bin/env python3
"""candor load with real servers of its drivers: as many operations as the server counts, values that are read are those that were written,
wrong values and logins are reported. CQL's server is a strict double (tests/lib/cqlserver.py).

tier: default
timeout: 600
"""
import json
import os
import pathlib
import shutil
import socket
import sys
import threading

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import candortest as ct
import stores

RECORDS, OPERATIONS = 300, 1500
SIZES = f"recordcount={RECORDS},operationcount={OPERATIONS},fieldlength=20"


def load(*arguments):
    result = ct.candor("load", "--json", "-q", *arguments)
    figures = json.loads(result.out) if result.out.startswith("{") else {}
    counts = {one["name"]: one["service"]["count"] for one in figures.get("requests", [])}
    return result, figures, counts


def clean(figures, wanted):
    """All requests are answered, and none is missing."""
    return figures.get("outcomes", {}).get("answered") == wanted == sum(figures["outcomes"].values()) == figures["service"]["count"]


def fill(store, name):
    result, figures, _ = load("--workload", "a", "--phase", "load", "--properties", SIZES, store.url)
    return ct.ok(result.status == 0 and clean(figures, RECORDS), f"{name}: the load phase inserts each record once", result)


def run(store, name, workload, *options):
    result, figures, counts = load("--workload", workload, "--properties", SIZES, *options, store.url)
    ct.ok(result.status == 0 and clean(figures, OPERATIONS), f"{name}, workload {workload}: each operation is answered", result)
    return counts


def record_store(store, name):
    """Workload a with one request at a time, and b with many in progress on a connection, by schedule."""
    if not fill(store, name):
        return
    first = run(store, name, "a")
    second = run(store, name, "b", "--in-flight", "16", "-c", "2", "-r", "20000", "--drain", "60s")
    reads, updates = first["read"] + second["read"], first["update"] + second["update"]
    found = store.counts()
    wanted = {"read": reads, "update": updates, "insert": RECORDS, "write": updates + RECORDS}
    ct.ok(found == {key: wanted[key] for key in found}, f"{name}: the server counts the same", (found, wanted))


def all_workloads(store, name):
    for workload in "cdef":
        run(store, name, workload, "--in-flight", "4", "-c", "3")
    only = ct.WORK / "one.properties"
    only.write_text("# one field of each record\nreadproportion=1\nupdateproportion=0\nreadallfields=false\n"
                    "requestdistribution = sequential\n")
    run(store, name, str(only))


def spoiled(store, name):
    store.spoil()
    result, figures, _ = load("--workload", "c", "--properties", SIZES, store.url)
    ct.ok(result.status == 1 and figures["outcomes"]["wrong"] == OPERATIONS and "another value" in figures["first_problem"],
          f"{name}: a value that nobody has written is found", result)
    result, figures, _ = load("--workload", "c", "--properties", SIZES + f",recordcount={RECORDS + 100000}", store.url)
    ct.ok(figures["outcomes"]["refused"] > OPERATIONS / 2 and "--phase load" in figures["first_problem"],
          f"{name}: a record that is missing is an error with its remedy", result)


def refused(url, name, *options):
    result, _, _ = load("--workload", "a", "-d", "1s", *options, url)
    ct.ok(result.status == 1 and result.err.count("\n") == 1 and "login" in result.err and "wrong-pw" not in result.err,
          f"{name}: a wrong password is refused at once, and not shown", result)


def by_tls(store, name, *login):
    """A login over TLS: with a certificate that is trusted, or with --insecure; any other is refused at once."""
    sizes = ("--workload", "a", "--properties", SIZES)
    trusted = {**os.environ, "SSL_CERT_FILE": str(stores.certificate()[0])}
    url = store.url.replace("://", f"://{':'.join(login)}@") if login else store.url
    loaded = ct.candor("load", "-q", *sizes, "--phase", "load", url, env=trusted)
    result, figures, _ = load(*sizes, "--in-flight", "16", "--insecure", url)
    ct.ok(loaded.status == result.status == 0 and clean(figures, OPERATIONS), f"{name}: a login by TLS", (loaded, result))
    untrusted(url, name, *sizes)
    if login:
        refused(store.url.replace("://", f"://{login[0]}:wrong-pw@"), f"{name} by TLS", "--insecure")


def untrusted(url, name, *arguments):
    result = ct.candor("load", "-q", *arguments, url)
    ct.ok(result.status == 1 and "certificate" in result.err and result.err.count("\n") == 1, f"{name}: a certificate nobody knows", result)


def calls_by_tls(url, name, login):
    """A login in a header, by TLS."""
    runs = ("-r", "1000", "-d", "50ms", "--drain", "60s", "-c", "2", "--in-flight", "4", "--insecure")
    result, figures, _ = load(*runs, "-H", login, url)
    ct.ok(result.status == 0 and clean(figures, 50), f"{name}: a login by TLS", result)
    _, figures, _ = load(*runs, url)
    ct.ok(figures["outcomes"]["refused"] == 50, f"{name}: no login, and each request is refused", figures)
    untrusted(url, name, "-d", "50ms")


def calls(store, name):
    """Requests of the user, for servers without records."""
    result, figures, _ = load("-r", "5000", "--drain", "60s", "-d", "300ms", "-c", "1", "--in-flight", "8", store.url)
    ct.ok(result.status == 0 and clean(figures, 1500), f"{name}: each request is answered", result)
    if name == "nginx":
        ct.ok(figures["connects"] >= 2 and figures["statuses"]["2xx"] == 1500 and figures["body_bytes"] == 5 * 1500,
              "nginx: it ends a connection after 1,000 requests, and none is lost", figures)
    ct.ok(store.counts() == {"requests": 1500}, f"{name}: the server counts the same")


class Lines:
    """A server that answers each line with a line, and counts them."""

    def __init__(self):
        self.listener, self.count, self.lock = socket.create_server(("127.0.0.1", 0)), 0, threading.Lock()
        self.url = f"line://127.0.0.1:{self.listener.getsockname()[1]}/hello"
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            client, _ = self.listener.accept()
            threading.Thread(target=self.serve, args=(client,), daemon=True).start()

    def serve(self, client):
        with client, client.makefile("rwb", buffering=0) as lines:
            while line := lines.readline():
                with self.lock:
                    self.count += line == b"hello\n"
                lines.write(line)


def own_driver():
    """The example of examples/: built as its comment says, and used."""
    compiler, library, server = shutil.which("cc"), ct.WORK / "line.so", Lines()
    built = ct.run(compiler, "-shared", "-fPIC", "-Wall", "-Wextra", "-Werror", f"-I{ct.ROOT / 'include'}", "-o", library,
                   ct.ROOT / "examples" / "load_driver.c")
    ct.ok(built.status == 0, "the example of a driver builds", built)
    result, figures, _ = load("--driver", library, "-r", "5000", "-d", "300ms", "--drain", "60s", "-c", "3", "--in-flight", "8", server.url)
    ct.ok(result.status == 0 and clean(figures, 1500) and server.count == 1500, "and its server counts the same", (result, server.count))
    result = ct.candor("load", "--driver", ct.BUILD / "libcandor.so", "x://h")
    ct.ok(result.status == 1 and "is no driver" in result.err, "a library that is no driver is refused", result)


# A store in the program itself: it is ready before connect has returned, and answers before issue has returned. Its connections end soon.
# It ends the program if it is entered twice, or without its connection.
AT_ONCE = r"""
#include <candor/load_driver.h>
#include <stdlib.h>
struct side { const struct candor_load_host *host; struct candor_load_connection *candor; int inside, updates; };
static void *open_target(const struct candor_load_target *t, char *message, size_t size) { return (void *)t; }
static void nothing(void *x) { }
static void *connect_to(void *target, const struct candor_load_host *host, struct candor_load_connection *candor)
{
    struct side *s = calloc(1, sizeof *s);
    s->host = host, s->candor = candor, s->inside = 1;
    host->ready(candor);
    s->inside = 0;
    return s;
}
static void issue(void *side, struct candor_load_request *r)
{
    struct side *s = side;
    if (!s || s->inside++)
        abort();
    s->host->done(s->candor, r, CANDOR_LOAD_ANSWERED, 0, NULL);
    if (r->action == CANDOR_LOAD_UPDATE && ++s->updates == 50) {
        s->host->problem(s->candor, "a bell:\a");
        s->host->lost(s->candor, "fifty updates are enough");
    }
    s->inside--;
}
static void event(void *side, uint32_t events) { }
const struct candor_load_driver *candor_load_driver(void)
{
    static const struct candor_load_driver d = {.version = 1, .name = "at once", .actions = 31, .open = open_target, .close = nothing,
        .connect = connect_to, .disconnect = free, .issue = issue, .event = event};
    return &d;
}
"""


def driver_at_once():
    source, library = ct.WORK / "at_once.c", ct.WORK / "at_once.so"
    source.write_text(AT_ONCE)
    built = ct.run(shutil.which("cc"), "-shared", "-fPIC", f"-I{ct.ROOT / 'include'}", "-o", library, source)
    ct.ok(built.status == 0, "a driver that answers at once builds", built)
    for workload in "af":
        result, figures, _ = load("--driver", library, "--workload", workload, "--properties", SIZES, "--in-flight", "4", "x://h")
        ct.ok(result.status == 0 and clean(figures, OPERATIONS), f"it is never entered twice, workload {workload}", result)
        ct.ok(figures.get("first_problem") == "a bell:?", "a driver's text does not control the terminal", result)


def few_streams(server):
    """Two streams at once: requests wait for the settings of each new connection, or the server refuses them."""
    result, figures, _ = load("-r", "20000", "--drain", "20s", "-d", "200ms", "-c", "1", "--in-flight", "32", server.url)
    ct.ok(result.status == 0 and clean(figures, 4000), "nginx: with two streams at once", result)


def usage():
    for words, text in ((("--workload", "a", "http://127.0.0.1:1/"), "--workload needs a URL of a store"),
                        (("redis://127.0.0.1:1",), "cannot connect to 127.0.0.1:1"),
                        (("--workload", "e", "memcached://127.0.0.1:1"), "memcached has no scan"),
                        (("--workload", "x", "redis://127.0.0.1:1"), "cannot read the workload x"),
                        (("--workload", "a", "--properties", "recordcount=0", "redis://127.0.0.1:1"), "recordcount=0"),
                        (("--phase", "load", "redis://127.0.0.1:1"), "--phase needs --workload"),
                        (("postgresql://127.0.0.1:1/x",), "needs --workload"),
                        (("--in-flight", "0", "redis://127.0.0.1:1"), "--in-flight must be"),
                        (("--driver", "/no/such.so", "x://h"), "cannot load the driver"),
                        (("gopher://h/",), "is not a URL of http:// or https://")):
        result = ct.candor("load", *words)
        ct.ok(result.status in (1, 2) and text in result.err and result.err.count("\n") == 1, f"wrong usage: {text}", result)


ct.need(ct.PROGRAM)
usage()
own_driver()
driver_at_once()
if server := stores.redis():
    record_store(server, "redis")
    all_workloads(server, "redis")
    spoiled(server, "redis")
if server := stores.redis("pw%1"):
    result, _, _ = load("--workload", "a", "--phase", "load", "--properties", SIZES, server.url.replace("://", "://:pw%251@"))
    ct.ok(result.status == 0, "redis: a login", result)
    (ct.WORK / "password").write_text("pw%1\n")
    result, _, _ = load("--workload", "c", "--properties", SIZES, "--password-file", ct.WORK / "password", server.url)
    ct.ok(result.status == 0, "redis: a password in a file", result)
    refused(server.url.replace("://", "://:wrong-pw@"), "redis")
if server := stores.redis("pw%1", tls=True):
    by_tls(server, "redis", "", "pw%251")
if server := stores.memcached():
    record_store(server, "memcached")
    result, figures, _ = load("--workload", "a", "--phase", "load", "-c", "1", "--in-flight", "64", "--properties",
                              "recordcount=400,fieldcount=1,fieldlength=900000", server.url)
    ct.ok(result.status == 0 and clean(figures, 400), "memcached: more bytes than a connection may have waiting, over time", result)
if server := stores.memcached(("me", "secret")):
    result, _, _ = load("--workload", "a", "--phase", "load", "--properties", SIZES, server.url.replace("://", "://me:secret@"))
    ct.ok(result.status == 0, "memcached: a login", result)
    refused(server.url.replace("://", "://me:wrong-pw@"), "memcached")
if server := stores.memcached(("me", "secret"), tls=True):
    by_tls(server, "memcached", "me", "secret")
if server := stores.postgres():
    record_store(server, "postgresql")
    all_workloads(server, "postgresql")
    (ct.WORK / "password").write_text("se cret\n")
    result, _, _ = load("--workload", "c", "--properties", SIZES, "--password-file", ct.WORK / "password",
                        server.url.replace(":se%20cret", ""))
    ct.ok(result.status == 0, "postgresql: a password in a file", result)
    spoiled(server, "postgresql")
    root = f"?sslmode=verify-full&sslrootcert={stores.certificate()[0]}"
    result, figures, _ = load("--workload", "c", "--properties", SIZES, server.url + root)
    ct.ok(result.status == 1 and figures["outcomes"]["wrong"] == OPERATIONS, "postgresql: a login by TLS", result)
    untrusted(server.url + f"?sslmode=verify-full&sslrootcert={ct.WORK / 'none'}", "postgresql", "--workload", "c")
    refused(server.url.replace("se%20cret", "wrong-pw"), "postgresql")
record_store(stores.Cql(), "cql")
server = stores.Cql("me", "secret")
fill(server, "cql with a login")
all_workloads(server, "cql with a login")
refused(server.url.replace("secret", "wrong-pw"), "cql")
by_tls(stores.Cql("me", "secret", tls=True), "cql")
if server := stores.nginx(tls=True):
    calls_by_tls(server.url.replace("/x", "/login"), "nginx", "Authorization: Basic eDp5")
if server := stores.grpc(tls=True):
    calls_by_tls(server.url, "gRPC", "Authorization: Bearer token")
if server := stores.nginx():
    result, figures, _ = load("-r", "1000", "-d", "10ms", "--drain", "9s", server.url.replace("/x", "/no"))
    ct.ok(figures["outcomes"]["refused"] == 10 and "400 to 499" in result.err, "nginx: answers of 404 are errors", result)
    (server.folder / "access").write_text("")
    calls(server, "nginx")
    result, figures, _ = load("-r", "1000", "-d", "10ms", "--drain", "9s", "-H", "|".join(f"X-{n}: y" for n in range(64)), server.url)
    ct.ok(figures["outcomes"]["refused"] == 10 and "63 headers" in figures["first_problem"], "nginx: more headers than can be sent", result)
    few_streams(stores.nginx("http2_max_concurrent_streams 2;"))
if server := stores.grpc():
    result, figures, _ = load("-r", "1000", "-d", "10ms", "--drain", "9s", server.url.replace("Check", "Fly"))
    ct.ok(figures["outcomes"]["refused"] == 10 and "gRPC status 12" in figures["first_problem"], "gRPC: a method that is none", result)
    calls(server, "gRPC")
ct.done()
