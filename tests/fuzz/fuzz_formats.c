/* libFuzzer target, built once for each reader (-DREADER=pprof_read): whatever the bytes are, the reader must end with a profile that
 * adds up, or with an error of one line. docs/internals/fuzzing.md says how to run it. */
#include "format/collapsed.h"
#include "format/otlp.h"
#include "format/pprof.h"
#include "format/speedscope.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static void must(bool good)
{
    if (!good)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct error e = {""};
    const struct import in = {.bytes = bytes, .size = size, .name = "fuzz", .error = &e};
    struct profile p;
    uint64_t weight = 0, samples = 0;
    must(!profile_init(&p));
    int rc = READER(&p, &in);
    for (uint32_t i = 0; i < p.sample_count; i++) {
        const struct profile_sample *s = &p.samples[i];
        must(s->stack && s->stack < p.node_count && s->thread < p.thread_count);
        weight += s->weight;
        samples += s->count;
    }
    must(rc ? *e.text && !strchr(e.text, '\n') : weight == p.weight && samples == p.sampled);
    profile_deinit(&p);
    return 0;
}
