#include "agent/record/keep.h"

#include "base/time_units.h"
#include "jfr/write/writer_ring.h"

enum { TIME_PARTS = 10, BYTE_PARTS = 8, CHUNK_BYTES_MAX = 32 << 20, GAP_BYTES_MAX = 128 << 20 };
static const uint64_t chunk_ns_max = 60 * NS_PER_S, chunk_ns_min = NS_PER_S;

uint64_t keep_chunk_ns(const struct keep *k)
{
    uint64_t part = k->ns ? k->ns / TIME_PARTS : chunk_ns_max;
    return part < chunk_ns_min ? chunk_ns_min : part < chunk_ns_max ? part : chunk_ns_max;
}

uint64_t keep_chunk_bytes(const struct keep *k)
{
    uint64_t part = k->bytes ? k->bytes / BYTE_PARTS : CHUNK_BYTES_MAX;
    return part < CHUNK_BYTES_MAX ? part : CHUNK_BYTES_MAX;
}

bool keep_wants_flush(const struct keep *k, const struct jfr_writer *w)
{
    return k->bytes && jfr_writer_pending(w) >= keep_chunk_bytes(k) / 2;
}

/* Returns the size that most flushes do not exceed: one half events, one half names. */
static uint64_t reserve(const struct keep *k)
{
    return k->bytes / BYTE_PARTS;
}

static uint32_t too_old(const struct keep *k, const struct jfr_writer *w, uint64_t now)
{
    uint32_t n = 0;
    while (k->ns && n < jfr_ring_chunks(w) && jfr_ring_end_ticks(w, n) + k->ns <= now)
        n++;
    return n;
}

/* Returns by how many bytes the file exceeds the limit if this many are added. */
static uint64_t beyond(const struct keep *k, const struct jfr_writer *w, uint64_t more)
{
    uint64_t needed = jfr_writer_size(w) + more;
    return k->bytes && needed > k->bytes ? needed - k->bytes : 0;
}

/* Makes room in the file. Closing the gap copies all data that is kept, so it must free at least as much as two chunks. */
static int make_room(const struct keep *k, struct jfr_writer *w, uint32_t n, uint64_t excess, struct error *e)
{
    uint64_t wanted = 2 * (k->bytes / BYTE_PARTS);
    if (wanted < excess)
        wanted = excess;
    wanted += JFR_RING_FRONT_MAX;
    if (wanted > GAP_BYTES_MAX)
        wanted = GAP_BYTES_MAX;
    while (n < jfr_ring_chunks(w) && (!n || jfr_ring_end_offset(w, n - 1) < wanted))
        n++;
    int rc = jfr_ring_give_up(w, n, e);
    while (!rc && !jfr_ring_can_close_up(w) && jfr_ring_chunks(w))
        rc = jfr_ring_give_up(w, 1, e);
    return rc ? rc : jfr_ring_close_up(w, e);
}

static int make_room_for_flush(const struct keep *k, struct jfr_writer *w, struct error *e)
{
    uint64_t excess = beyond(k, w, jfr_writer_growth(w));
    return excess ? make_room(k, w, 0, excess, e) : 0;
}

/* Makes room for a flush. Room for the events is made first, because gathering many names already writes some of them, and the events
 * before them, to the file. */
int keep_make_way(const struct keep *k, struct jfr_writer *w, uint64_t now, struct error *e)
{
    int rc = make_room_for_flush(k, w, e);
    if (!rc)
        rc = jfr_writer_gather(w, now, e);
    return rc ? rc : make_room_for_flush(k, w, e);
}

int keep_trim(const struct keep *k, struct jfr_writer *w, uint64_t now, struct error *e)
{
    uint32_t n = too_old(k, w, now);
    uint64_t excess = beyond(k, w, reserve(k));
    if (excess)
        return make_room(k, w, n, excess, e);
    int rc = jfr_ring_give_up(w, n, e);
    uint64_t gap = jfr_ring_start_offset(w), kept = jfr_writer_size(w) - gap;
    bool pays = n && (gap >= kept / 2 || gap >= GAP_BYTES_MAX);
    return rc || !pays ? rc : jfr_ring_close_up(w, e);
}

int keep_finish(const struct keep *k, struct jfr_writer *w, uint64_t now, struct error *e)
{
    int rc = keep_trim(k, w, now, e);
    if (!rc)
        rc = jfr_ring_close_up(w, e);
    return rc ? rc : keep_make_way(k, w, now, e);
}
