"""What the short and the long fuzz test of the readers of other tools' formats share."""
import shutil

import fuzzing
import jfr_reader
from fuzzing import ct

SOURCES = ("src/format/read/*_*.c", "src/format/read/lines.c", "src/format/import.c", "src/format/label.c",
           "src/format/system_name.c", "src/profile/profile.c", "src/profile/kinds.c", "src/profile/names.c", "src/jfr/schema.c",
           "src/base/*.c", "src/base/*/*.c")
WRITERS = ("src/format/write/*_write.c", "src/format/write/collapsed.c", "src/format/write/fold.c", "src/format/write/gzip.c",
           "src/format/write/value_type.c", "src/profile/figures/calltree.c", "src/profile/figures/successive.c",
           "src/profile/figures/windows.c", "src/compress/*.c", "tests/unit/format_*.c", "tests/unit/profile_maker.c")
LIBRARIES = ("-lz", "-ljansson", "-lm")
READERS = ("pprof", "otlp", "collapsed", "speedscope", "hpl", "legacy", "perf", "threads")


def main(**limit):
    if fuzzing.available():
        writer = fuzzing.build("format_seeds", SOURCES + WRITERS, "-DCANDOR_VERSION=\"fuzz\"", *LIBRARIES, *jfr_reader.FLAGS)
        everything = ct.WORK / "seeds"
        everything.mkdir()
        ct.ok(ct.run(writer, everything).status == 0, "seeds are written")
        for reader in ct.by_turns(READERS):
            seeds = ct.WORK / f"seeds-{reader}"
            seeds.mkdir()
            for seed in everything.glob(f"{reader}*"):
                shutil.copy(seed, seeds)
            target = fuzzing.build("fuzz_formats", SOURCES, fuzzing.SANITIZE, "-fno-sanitize-recover=all",
                                   f"-DREADER={reader}_read", *LIBRARIES)
            target = target.rename(target.with_name(f"fuzz_{reader}"))
            fuzzing.fuzz(target, seeds, **limit)
    ct.done()
