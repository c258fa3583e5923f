/* libFuzzer target: whatever the bytes are, packed or not, summary, print and scrub must neither crash nor hang, and must satisfy the
 * checks of events_walk.h. */
#include "events_walk.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    events_walk(bytes, size);
    return 0;
}
