#include "load/workload/inserted.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

int inserted_init(struct inserted *i, uint64_t next)
{
    *i = (struct inserted){.next = next, .newest = next - 1, .ended = calloc(1, INSERTED_WINDOW)};
    return i->ended ? 0 : -ENOMEM;
}

void inserted_deinit(struct inserted *i)
{
    free(i->ended);
}

uint64_t inserted_begin(struct inserted *i)
{
    return __atomic_fetch_add(&i->next, 1, __ATOMIC_RELAXED); /* relaxed: it is only a number */
}

void inserted_end(struct inserted *i, uint64_t record)
{
    if (record - inserted_newest(i) >= INSERTED_WINDOW)
        return; /* this record, and those after it, are never chosen */
    /* Release and acquire: a thread that moves `newest` on over this record does so after the record's insert has ended. */
    __atomic_store_n(&i->ended[record % INSERTED_WINDOW], 1, __ATOMIC_RELEASE);
    uint64_t newest = __atomic_load_n(&i->newest, __ATOMIC_RELAXED);
    for (;;) {
        uint8_t *next = &i->ended[(newest + 1) % INSERTED_WINDOW], one = 1;
        /* The thread that takes the mark moves `newest` on; nobody else can take the same one. */
        if (!__atomic_compare_exchange_n(next, &one, 0, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)) {
            uint64_t now = __atomic_load_n(&i->newest, __ATOMIC_RELAXED);
            if (now == newest)
                return;
            newest = now;
            continue;
        }
        __atomic_store_n(&i->newest, ++newest, __ATOMIC_RELEASE);
    }
}

uint64_t inserted_newest(const struct inserted *i)
{
    return __atomic_load_n(&i->newest, __ATOMIC_ACQUIRE);
}
