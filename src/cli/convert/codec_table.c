#include "cli/convert/codec_table.h"

#include "base/time_units.h"
#include "cli/cli.h"
#include "cli/progress.h"
#include "compress/intake.h"
#include "compress/pack.h"

#include <string.h>
#include <time.h>

struct row {
    uint64_t packed;
    double pack_s, unpack_s;
};

static double cpu_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / NS_PER_S;
}

static int to_spool(void *context, const void *bytes, size_t n)
{
    struct error e;
    return spool_put(context, bytes, n, &e);
}

static int measure(const struct codec *codec, int level, const uint8_t *bytes, uint64_t size, struct row *row)
{
    struct spool packed;
    struct intake back;
    struct error e;
    spool_init(&packed);
    double begin = cpu_s();
    int rc = pack_bytes(codec, level, bytes, size, to_spool, &packed);
    if (!rc)
        rc = spool_finish(&packed, &e);
    double middle = cpu_s();
    if (!rc)
        rc = intake_open_memory(&back, packed.bytes, packed.size, codec->name, &e);
    *row = (struct row){packed.size, middle - begin, cpu_s() - middle};
    if (!rc) {
        bool same = back.size == size && !memcmp(back.bytes, bytes, size);
        intake_close(&back);
        rc = same ? 0 : -1;
    }
    spool_deinit(&packed);
    return rc;
}

static double speed(uint64_t bytes, double seconds)
{
    return (double)bytes / 1e6 / (seconds > 1e-6 ? seconds : 1e-6);
}

static int print_row(const struct codec *codec, int level, const uint8_t *bytes, uint64_t size)
{
    struct row row;
    char count[32];
    if (measure(codec, level, bytes, size, &row))
        return cli_fail("%s at level %d: unpacking does not give the original data", codec->name, level);
    printf("%-6s %5d %16s %6.2f %10.1f %12.1f\n", codec->name, level, progress_count(row.packed, count, sizeof count),
           (double)size / (double)row.packed, speed(size, row.pack_s), speed(size, row.unpack_s));
    fflush(stdout);
    return CLI_OK;
}

int codec_table_print(const uint8_t *bytes, uint64_t size)
{
    char count[32];
    bool cut = size > CODEC_TABLE_BYTES;
    if (cut)
        size = CODEC_TABLE_BYTES;
    printf("%s%s bytes; MB/s of a core, in bytes of the recording\n\n", cut ? "the first " : "", progress_count(size, count, sizeof count));
    printf("%-6s %5s %16s %6s %10s %12s\n", "format", "level", "bytes", "ratio", "pack MB/s", "unpack MB/s");
    intake_set_limit(2 * CODEC_TABLE_BYTES); /* a recording may compress better than the limit for strangers' files allows */
    int status = CLI_OK;
    for (size_t i = 0; !status && codecs[i]; i++)
        for (const int *level = codecs[i]->shown; !status && *level; level++)
            status = print_row(codecs[i], *level, bytes, size);
    int written = cli_finish_output();
    return status ? status : written;
}
