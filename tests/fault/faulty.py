"""A JVM with the faulty agent (inject.c), and the counts of the agent."""
import pathlib
import struct
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import candortest as ct

AGENT = ct.BUILD / "tests" / "fault" / "libcandor-faulty.so"
REPORT_BYTES = 16384
COUNTS = ("loads", "faults", "walks", "frames", "kept", "unbounded", "crashes", "nested", "recalled", "differ", "handler_bytes",
          "kernel_bytes", "measured")
SITES = 1024


def _outcomes():
    """The names in src/base/agreed/reasons.h, in the same order."""
    lines = (ct.ROOT / "src" / "base" / "agreed" / "reasons.h").read_text().splitlines()
    return [line.split('"')[1] for line in lines if line.startswith("    OUTCOME(")]


OUTCOMES = _outcomes()


def read_counts(path):
    words = struct.unpack(f"<{REPORT_BYTES // 8}Q", path.read_bytes())
    counts = dict(zip(COUNTS, words))
    at = len(COUNTS)
    counts["outcomes"] = dict(zip(OUTCOMES, words[at:at + len(OUTCOMES)]))
    counts["sites"] = sum(1 for word in words[at + len(OUTCOMES):at + len(OUTCOMES) + SITES] if word)
    return counts


class Faults:
    """The faults that the agent of one JVM injects, and its counts."""

    def __init__(self, name, **what):
        self.path = ct.WORK / f"{name}.faults"
        self.path.write_bytes(bytes(REPORT_BYTES))
        self.environment = {"CANDOR_INJECT": ",".join(f"{key}={value}" for key, value in what.items()),
                            "CANDOR_INJECT_REPORT": str(self.path)}

    def counts(self):
        return read_counts(self.path)
