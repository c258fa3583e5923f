/* libFuzzer target: whatever the bytes are, packed or not, summary, print and scrub neither crash nor hang, and keep what
 * events_walk.h says. */
#include "events_walk.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    events_walk(bytes, size);
    return 0;
}
