/* libFuzzer target: whatever the bytes are, the reader must neither crash nor hang, nor return text that is not UTF-8. jfr_seeds writes
 * the seeds; docs/internals/fuzzing.md says how to run it. */
#include "jfr_walk.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static struct jfr_walk walk;
    jfr_walk(bytes, size, &walk);
    return 0;
}
