"""ClickHouse for tests: the server that script/clickhouse fetches, and today's engine, chDB, behind chdb_front.py."""
import os
import pathlib
import socket
import sys
import urllib.error
import urllib.request

import candortest as ct

CACHE = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache") / "candor"
PASSWORD = "not-'so'-secret"

CONFIG = """<yandex>
<logger><level>warning</level><log>{folder}/log</log><errorlog>{folder}/errors</errorlog></logger>
<http_port>{http}</http_port><tcp_port>{tcp}</tcp_port><listen_host>{listen}</listen_host>
{more}<path>{folder}/data/</path><tmp_path>{folder}/tmp/</tmp_path><user_files_path>{folder}/files/</user_files_path>
<format_schema_path>{folder}/schemas/</format_schema_path><users_config>{folder}/users.xml</users_config>
<default_profile>default</default_profile><default_database>default</default_database><mark_cache_size>67108864</mark_cache_size>
</yandex>"""

USERS = """<yandex>
<profiles><default><insert_distributed_sync>1</insert_distributed_sync></default>
<reader><readonly>2</readonly></reader></profiles><quotas><default></default></quotas><users>
<candor><password>{password}</password><networks><ip>::/0</ip></networks><profile>{profile}</profile><quota>default</quota></candor>
</users></yandex>"""


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


class Debian:
    """The distribution's server, with its old dialect. It can be stopped, started again, and made read-only."""

    def __init__(self, name, tcp=0, more="", wrapper=(), address=None):
        """wrapper, address: as of servers.Server."""
        self.wrapper, self.address = wrapper, address or "127.0.0.1"
        self.folder, self.http, self.tcp, self.process = ct.WORK / name, free_port(), tcp or free_port(), None
        self.folder.mkdir(exist_ok=True)
        (self.folder / "config.xml").write_text(CONFIG.format(
            folder=self.folder, http=self.http, tcp=self.tcp, more=more, listen="0.0.0.0" if address else "127.0.0.1"))
        self.password = self.folder / "password"
        self.password.write_text(PASSWORD + "\n")
        self.start()

    @staticmethod
    def missing():
        return None if (CACHE / "clickhouse").is_dir() else "it is not here; script/clickhouse fetches it"

    def start(self, read_only=False):
        files = CACHE / "clickhouse"
        libraries = ":".join(str(one) for one in [*files.glob("usr/lib/*-linux-gnu"), *files.glob("lib/*-linux-gnu")])
        (self.folder / "users.xml").write_text(USERS.format(password=PASSWORD, profile="reader" if read_only else "default"))
        self.process = ct.spawn([*self.wrapper, files / "usr/sbin/clickhouse-server", f"--config-file={self.folder}/config.xml"],
                                env={**os.environ, "LD_LIBRARY_PATH": libraries}, stdout=open(self.folder / "out", "ab"),
                                stderr=open(self.folder / "out", "ab"))
        ct.ok(ct.wait_until(self.answers, 60), "ClickHouse answers", (self.folder / "out").read_text(errors="replace"))

    def stop(self):
        self.process.kill()
        self.process.wait()

    def answers(self):
        try:
            return bool(self.ask("SELECT 1"))
        except OSError:
            return False

    @property
    def url(self):
        return f"http://{self.address}:{self.http}"

    @property
    def options(self):
        return ["--store", f"clickhouse:{self.url}", "--store-user", "candor", "--store-password-file", self.password]

    @property
    def environment(self):
        return {"CANDOR_TEST_CLICKHOUSE": self.url, "CANDOR_TEST_CLICKHOUSE_USER": "candor",
                "CANDOR_TEST_CLICKHOUSE_PASSWORD_FILE": str(self.password)}

    def ask(self, statement):
        request = urllib.request.Request(self.url, statement.encode(), {"X-ClickHouse-User": "candor", "X-ClickHouse-Key": PASSWORD})
        with urllib.request.urlopen(request, timeout=ct.PATIENCE) as answer:
            return answer.read().decode()


class Cluster(Debian):
    """Two of the distribution's servers, with half of the services each, as docs/clickhouse.md describes it."""

    def __init__(self, name):
        ports = free_port(), free_port()
        shards = "".join(f"<shard><replica><host>127.0.0.1</host><port>{port}</port><user>candor</user><password>{PASSWORD}</password>"
                         "</replica></shard>" for port in ports)
        more = f"<remote_servers><candor>{shards}</candor></remote_servers>"
        self.other = Debian(f"{name}-other", ports[1], more)
        super().__init__(name, ports[0], more)
        for statement in statements():
            for server in (self, self.other):
                server.ask(statement)

    def stop(self):
        super().stop()
        self.other.stop()


def statements():
    """The statements of docs/clickhouse.md that make tables over several servers."""
    text = (pathlib.Path(__file__).resolve().parents[2] / "docs" / "clickhouse.md").read_text()
    block = text.partition("## Several ClickHouse servers")[2].partition("\n    CREATE")[2].partition("\n\n")[0]
    return [" ".join(one.split()) for one in ("CREATE" + block).split(";") if one.strip()]


class Current:
    """Today's engine."""

    def __init__(self, name):
        folder = ct.WORK / name
        folder.mkdir()
        self.process = ct.spawn([sys.executable, pathlib.Path(__file__).with_name("chdb_front.py"), folder],
                                env={**os.environ, "PYTHONPATH": str(CACHE / "chdb")}, stdout=-1, stderr=open(folder / "errors", "wb"))
        self.http = int(self.process.stdout.readline() or 0)
        ct.ok(self.http, "chDB starts", (folder / "errors").read_text(errors="replace"))

    @staticmethod
    def missing():
        return None if (CACHE / "chdb").is_dir() else "it is not here; script/clickhouse --current fetches it"

    def stop(self):
        self.process.kill()
        self.process.wait()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.http}"

    @property
    def options(self):
        return ["--store", f"clickhouse:{self.url}"]

    @property
    def environment(self):
        return {"CANDOR_TEST_CLICKHOUSE": self.url}

    def ask(self, statement):
        with urllib.request.urlopen(f"{self.url}/", statement.encode(), timeout=ct.PATIENCE) as answer:
            return answer.read().decode()
