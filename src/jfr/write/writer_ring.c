#include "jfr/write/writer_ring.h"

#include "jfr/write/writer_internal.h"
#include "jfr/write/writer_tail.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

enum { PAGE = JFR_TAIL_PAGE, SHELL = JFR_TAIL_SHELL };
_Static_assert(JFR_RING_FRONT_MAX >= PAGE + SHELL, "nearest_front");

/* Returns the chunk with this number. The present chunk follows those that have ended. */
static struct jfr_chunk_head *chunk_at(struct jfr_writer *w, uint32_t i)
{
    return i < w->ring.count ? &w->ring.ended[i] : &w->head;
}

static const struct jfr_chunk_head *peek_chunk(const struct jfr_writer *w, uint32_t i)
{
    return i < w->ring.count ? &w->ring.ended[i] : &w->head;
}

/* Returns the size of a chunk, for the last one including the tail. */
static uint64_t size_of(const struct jfr_writer *w, uint32_t i)
{
    return (i < w->ring.count ? peek_chunk(w, i + 1)->at : w->size) - peek_chunk(w, i)->at;
}

/* Returns where the kept data can begin: as many whole pages as possible before its present place, but after the shell that stays. */
static uint64_t nearest_front(const struct jfr_writer *w)
{
    uint64_t in_page = w->ring.front % PAGE, nearest = in_page < SHELL ? in_page + PAGE : in_page;
    return nearest < w->ring.front ? nearest : w->ring.front;
}

uint32_t jfr_ring_chunks(const struct jfr_writer *w)
{
    return w->ring.count;
}

uint64_t jfr_ring_end_ticks(const struct jfr_writer *w, uint32_t chunk)
{
    return peek_chunk(w, chunk + 1)->ticks;
}

uint64_t jfr_ring_end_offset(const struct jfr_writer *w, uint32_t chunk)
{
    return peek_chunk(w, chunk + 1)->at;
}

uint64_t jfr_ring_start_ticks(const struct jfr_writer *w)
{
    return peek_chunk(w, 0)->ticks;
}

uint64_t jfr_ring_start_offset(const struct jfr_writer *w)
{
    return w->ring.front;
}

static int give_up(struct jfr_writer *w, uint32_t chunks)
{
    const struct jfr_chunk_head *first = chunk_at(w, chunks);
    int rc = jfr_tail_write_shell(w, first, 0, first->at);
    if (rc)
        return rc;
    w->ring.front = first->at;
    w->ring.count -= chunks;
    memmove(w->ring.ended, w->ring.ended + chunks, w->ring.count * sizeof *w->ring.ended);
    return 0;
}

bool jfr_ring_can_close_up(const struct jfr_writer *w)
{
    uint64_t room = w->ring.front - nearest_front(w), longest = 0;
    for (uint32_t i = 0; i <= w->ring.count; i++)
        if (size_of(w, i) > longest)
            longest = size_of(w, i);
    return room >= longest + SHELL && room < JFR_TAIL_GAP_MAX;
}

/* Moves a chunk into the shell before it, which is `room` bytes long. */
static int move(struct jfr_writer *w, uint64_t at, uint64_t size, uint64_t room)
{
    uint64_t to = at - room, first = size < SHELL ? size : SHELL;
    int rc = jfr_tail_copy(w, to + first, at + first, size - first);
    if (!rc)
        rc = jfr_tail_write_shell(w, chunk_at(w, 0), to + size, room);
    return rc ? rc : jfr_tail_copy(w, to, at, first);
}

/* Splits the shell at the front into two: one that stays, and one into which chunks move. */
static int split_front(struct jfr_writer *w, uint64_t nearest)
{
    int rc = jfr_tail_write_shell(w, chunk_at(w, 0), nearest, w->ring.front - nearest);
    return rc ? rc : jfr_tail_write_shell(w, chunk_at(w, 0), 0, nearest);
}

static int close_up(struct jfr_writer *w)
{
    uint64_t nearest = nearest_front(w), room = w->ring.front - nearest;
    int rc = split_front(w, nearest);
    for (uint32_t i = 0; i <= w->ring.count && !rc; i++) {
        rc = move(w, chunk_at(w, i)->at, size_of(w, i), room);
        if (!rc && i < w->ring.count)
            w->ring.ended[i].at -= room;
    }
    if (rc)
        return rc;
    w->ring.front = nearest;
    w->head.at -= room;
    w->gap -= room;
    w->end -= room;
    w->size -= room;
    return ftruncate(w->fd, (off_t)w->size) ? -errno : 0;
}

/* Drops chunks in several steps, because a shell has a largest size. The next step comes after the gap of the previous one was
 * closed. */
static int give_up_in_parts(struct jfr_writer *w, uint32_t chunks)
{
    int rc = 0;
    while (chunks && !rc) {
        uint32_t n = chunks;
        while (n && chunk_at(w, n)->at >= JFR_TAIL_GAP_MAX)
            n--;
        rc = n ? give_up(w, n) : 0;
        chunks -= n;
        if (rc || (chunks && !jfr_ring_can_close_up(w)))
            break;
        rc = chunks ? close_up(w) : 0;
    }
    return rc;
}

int jfr_ring_give_up(struct jfr_writer *w, uint32_t chunks, struct error *e)
{
    return jfr_writer_settle(w, w->failed ? 0 : give_up_in_parts(w, chunks), e);
}

int jfr_ring_close_up(struct jfr_writer *w, struct error *e)
{
    int rc = w->failed || !jfr_ring_can_close_up(w) ? 0 : close_up(w);
    return jfr_writer_settle(w, rc, e);
}
