/* libFuzzer target: whatever the bytes are, the reader neither crashes nor hangs nor hands out text that is not UTF-8.
 * Seeds come from jfr_seeds; how to run it: docs/internals/fuzzing.md. */
#include "jfr_walk.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static struct jfr_walk walk;
    jfr_walk(bytes, size, &walk);
    return 0;
}
