/* Growing arrays of plain structs. Pointer, count and capacity are fields of the owner's struct. */
#ifndef CANDOR_BASE_ARRAY_H
#define CANDOR_BASE_ARRAY_H

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>

/* Makes room for one more element after `count` elements; new room is not cleared. Returns 0, or -ENOMEM (the array is then unchanged).
 * Counts stay below 2^31, so that dense ids fit in 32 bits with room for marks. */
static inline int array_grow(void **elements, uint32_t *cap, uint32_t count, size_t size)
{
    if (count < *cap)
        return 0;
    uint32_t wanted = *cap ? *cap * 2 : 64;
    if (wanted > INT32_MAX)
        return -ENOMEM;
    void *grown = realloc(*elements, wanted * size);
    if (!grown)
        return -ENOMEM;
    *elements = grown;
    *cap = wanted;
    return 0;
}

#define ARRAY_GROW(elements, cap, count) array_grow((void **)&(elements), &(cap), (count), sizeof *(elements))

#endif
