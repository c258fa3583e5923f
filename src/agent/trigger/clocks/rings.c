#include "agent/trigger/clocks/rings.h"

#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

static struct {
    uint32_t open, refused;
    int error; /* of the last refused ring */
} rings;

static size_t ring_bytes(void)
{
    return 2 * (size_t)sysconf(_SC_PAGESIZE); /* the first page describes the second */
}

static void refuse(struct sampled_thread *t, int error)
{
    t->clock.ring_refused = true;
    rings.refused++;
    rings.error = error;
}

void rings_open(struct sampled_thread *t)
{
    if (t->clock.fd < 0 || t->clock.ring_refused || atomic_load_explicit(&t->clock.ring, memory_order_relaxed))
        return;
    if (rings.open == RINGS_MAX) {
        refuse(t, -ENOSPC);
        return;
    }
    void *p = mmap(NULL, ring_bytes(), PROT_READ | PROT_WRITE, MAP_SHARED, t->clock.fd, 0);
    if (p == MAP_FAILED) {
        refuse(t, -errno);
        return;
    }
    rings.open++;
    /* Relaxed, because a handler that sees the mapping's address sees its content, too. */
    atomic_store_explicit(&t->clock.ring, (uintptr_t)p, memory_order_relaxed);
}

void rings_close(struct sampled_thread *t)
{
    uintptr_t ring = atomic_exchange_explicit(&t->clock.ring, 0, memory_order_relaxed);
    if (!ring)
        return;
    munmap((void *)ring, ring_bytes());
    rings.open--;
}

uint32_t rings_refused(int *error)
{
    *error = rings.error;
    return rings.refused;
}

void rings_reset(void)
{
    rings.refused = 0;
    rings.error = 0;
}
