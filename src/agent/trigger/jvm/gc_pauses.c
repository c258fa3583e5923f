#include "agent/trigger/jvm/gc_pauses.h"

#include "agent/hot/walk/work.h"
#include "agent/hotspot/counters.h"
#include "base/text/units.h"

#include <stdatomic.h>
#include <string.h>

struct gc_events gc_events;

static struct gc_pause ring[GC_PAUSES_MAX];
static _Atomic uint32_t written, taken;
static _Atomic uint64_t lost, lost_ns;
static _Atomic uint32_t recording; /* the recording's number, so that halves of pauses from two recordings are not combined */

/* Only the writer uses it. */
static struct {
    uint32_t recording;
    uint32_t depth; /* a collection that gives up may begin another one inside it: the outermost is the pause */
    uint64_t start_ns;
    uint64_t collections[COUNTERS_COLLECTORS];
} now;

void gc_pauses_reset(void)
{
    /* Relaxed, because no reader runs, and only the last line informs the writer. */
    atomic_store_explicit(&taken, atomic_load_explicit(&written, memory_order_acquire), memory_order_relaxed);
    atomic_store_explicit(&lost, 0, memory_order_relaxed);
    atomic_store_explicit(&lost_ns, 0, memory_order_relaxed);
    atomic_fetch_add_explicit(&recording, 1, memory_order_release); /* Release: pairs with the acquire in gc_pauses_begin. */
}

void gc_pauses_begin(void)
{
    uint32_t current = atomic_load_explicit(&recording, memory_order_acquire);
    if (now.recording != current) {
        now.recording = current;
        now.depth = 0;
    }
    if (now.depth++)
        return;
    now.start_ns = clock_monotonic_ns();
    for (int i = 0; i < COUNTERS_COLLECTORS; i++)
        now.collections[i] = counters_value(counters.collectors[i].collections);
}

/* Returns the collector that counted the pause. If several did, for instance when a young collection becomes a full one, it returns the
 * last, which is the more thorough. */
static int collector_that_counted(void)
{
    for (int i = COUNTERS_COLLECTORS - 1; i >= 0; i--)
        if (counters_value(counters.collectors[i].collections) != now.collections[i])
            return i;
    return GC_NO_COLLECTOR;
}

/* Copies the cause. The JVM has the cause of the current collection, and that of the latest finished one. For a pause that no collector
 * counts, only the former is right, because the latest cause belongs to another collection. */
static void copy_cause(struct gc_pause *p)
{
    static const char none[] = "No GC";
    counters_copy(&counters.cause, p->cause, sizeof p->cause);
    if (!p->cause[0] || strcmp(p->cause, none))
        return;
    p->cause[0] = 0;
    if (p->collector != GC_NO_COLLECTOR)
        counters_copy(&counters.last_cause, p->cause, sizeof p->cause);
}

void gc_pauses_end(void)
{
    uint64_t end_ns = clock_monotonic_ns();
    /* A pause whose beginning was not reported is not a pause of this recording. */
    if (now.recording != atomic_load_explicit(&recording, memory_order_relaxed) || !now.depth || --now.depth)
        return;
    uint32_t at = atomic_load_explicit(&written, memory_order_relaxed);
    /* Acquire: pairs with the release in gc_pauses_take, which has read the slot. */
    if (at - atomic_load_explicit(&taken, memory_order_acquire) >= GC_PAUSES_MAX) {
        atomic_fetch_add_explicit(&lost, 1, memory_order_relaxed);
        atomic_fetch_add_explicit(&lost_ns, end_ns - now.start_ns, memory_order_relaxed);
        return;
    }
    struct gc_pause *p = &ring[at % GC_PAUSES_MAX];
    p->start_ns = now.start_ns;
    p->end_ns = end_ns;
    p->collector = collector_that_counted();
    if (!work_operation(&p->operation))
        p->operation = 0;
    copy_cause(p);
    atomic_store_explicit(&written, at + 1, memory_order_release); /* release: pairs with the acquire in gc_pauses_take */
}

bool gc_pauses_take(struct gc_pause *out)
{
    uint32_t at = atomic_load_explicit(&taken, memory_order_relaxed);
    if (at == atomic_load_explicit(&written, memory_order_acquire))
        return false;
    *out = ring[at % GC_PAUSES_MAX];
    atomic_store_explicit(&taken, at + 1, memory_order_release);
    return true;
}

void gc_pauses_lost(uint64_t *count, uint64_t *ns)
{
    *count = atomic_load_explicit(&lost, memory_order_relaxed);
    *ns = atomic_load_explicit(&lost_ns, memory_order_relaxed);
}
