"""What the short and the long fuzz test of the reader share."""
import fuzzing
from fuzzing import ct

SOURCES = ("src/jfr/*.c", "src/base/*.c", "tests/unit/jfr_*.c")


def main(**limit):
    if fuzzing.available():
        target = fuzzing.build("fuzz_jfr_reader", SOURCES, fuzzing.SANITIZE, "-fno-sanitize-recover=all")
        seeds = ct.WORK / "seeds"
        seeds.mkdir()
        writer = fuzzing.build("jfr_seeds", SOURCES)
        ct.ok(ct.run(writer, seeds).status == 0, "seeds are written")
        fuzzing.fuzz(target, seeds, **limit)
    ct.done()
