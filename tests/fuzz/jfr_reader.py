"""What the short and the long fuzz test of the reader share."""
import fuzzing
from fuzzing import ct

SOURCES = ("src/jfr/*.c", "src/jfr/*/*.c", "src/base/*.c", "src/base/*/*.c", "src/compress/*.c", "tests/unit/jfr_*.c")
FLAGS = ("-DCANDOR_GZIP", "-DCANDOR_LZ4", "-DCANDOR_ZSTD", "-DCANDOR_XZ", "-lz", "-llz4", "-lzstd", "-llzma", "-lm")


def seeds():
    """A directory of recordings that the writer and a test's hands made."""
    folder = ct.WORK / "seeds"
    folder.mkdir()
    writer = fuzzing.build("jfr_seeds", SOURCES, *FLAGS)
    ct.ok(ct.run(writer, folder).status == 0, "seeds are written")
    return folder


def main(**limit):
    if fuzzing.available():
        target = fuzzing.build("fuzz_jfr_reader", SOURCES, fuzzing.SANITIZE, "-fno-sanitize-recover=all", *FLAGS)
        fuzzing.fuzz(target, seeds(), **limit)
    ct.done()
