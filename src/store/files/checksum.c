#include "store/files/checksum.h"

#include <xxhash.h>

uint64_t checksum_of(const void *bytes, size_t n)
{
    return XXH3_64bits(bytes, n);
}

void *checksum_new(void)
{
    XXH3_state_t *state = XXH3_createState();
    if (state)
        XXH3_64bits_reset(state);
    return state;
}

void checksum_add(void *state, const void *bytes, size_t n)
{
    XXH3_64bits_update(state, bytes, n);
}

uint64_t checksum_end(const void *state)
{
    return XXH3_64bits_digest(state);
}

void checksum_free(void *state)
{
    if (state)
        XXH3_freeState(state);
}
