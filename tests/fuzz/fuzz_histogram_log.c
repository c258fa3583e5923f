/* libFuzzer target: whatever the bytes are, the readers of histogram logs and of percentile tables must neither crash nor hang, and a
 * log that was read can be written and read again. */
#include "base/time_units.h"
#include "candor/histogram.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static void check_again(const struct candor_histogram *h)
{
    struct candor_histogram back;
    char *text;
    if (candor_histogram_encode(h, &text))
        abort();
    if (candor_histogram_decode(&back, text, strlen(text)) || memcmp(back.counts, h->counts, candor_histogram_bytes(h)))
        abort();
    candor_histogram_deinit(&back);
    free(text);
}

static void read_log(FILE *in)
{
    struct candor_histogram_log_reader r;
    struct candor_histogram_log_entry entry;
    int got;
    candor_histogram_log_open(&r, in);
    while ((got = candor_histogram_log_next(&r, &entry))) {
        if (got < 0)
            continue;
        candor_histogram_percentile(&entry.histogram, 99);
        candor_histogram_stddev(&entry.histogram);
        check_again(&entry.histogram);
        candor_histogram_deinit(&entry.histogram);
    }
    candor_histogram_log_close(&r);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct candor_histogram h;
    FILE *in = fmemopen((void *)(uintptr_t)bytes, size ? size : 1, "r");
    if (!in)
        return 0;
    if (size)
        read_log(in);
    rewind(in);
    candor_histogram_init(&h, 1, 3600 * NS_PER_S, 3);
    candor_histogram_read_hgrm(&h, in, NS_PER_MS);
    candor_histogram_deinit(&h);
    fclose(in);
    return 0;
}
