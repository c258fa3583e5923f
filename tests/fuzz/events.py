"""What the short and the long fuzz test of print, summary, scrub and packed input share."""
import gzip
import lzma
import shutil
import subprocess

import fuzzing
import jfr_reader
from fuzzing import ct


def pack(seeds):
    """Each seed again in every format."""
    for seed in list(seeds.iterdir()):
        plain = seed.read_bytes()
        (seeds / f"{seed.name}.gz").write_bytes(gzip.compress(plain))
        (seeds / f"{seed.name}.xz").write_bytes(lzma.compress(plain))
        for tool in filter(shutil.which, ("lz4", "zstd")):
            (seeds / f"{seed.name}.{tool}").write_bytes(subprocess.run([tool, "-c"], input=plain, capture_output=True).stdout)


def main(**limit):
    if fuzzing.available():
        sources = ("src/events/*.c", "src/regex/*.c", "tests/unit/events_walk.c", *jfr_reader.SOURCES)
        target = fuzzing.build("fuzz_events", sources, fuzzing.SANITIZE, "-fno-sanitize-recover=all", *jfr_reader.FLAGS)
        pack(seeds := jfr_reader.seeds())
        fuzzing.fuzz(target, seeds, **limit)
    ct.done()
