#include "profile/load/load_minutes.h"

#include "base/array.h"
#include "base/time_units.h"
#include "profile/accounts.h"

#include <errno.h>
#include <stdlib.h>

#define MINUTE_NS (60 * (int64_t)NS_PER_S)

void load_minutes_deinit(struct load_minutes *m)
{
    map_deinit(&m->places);
    free(m->lines);
}

static int64_t minute_of(struct load_minutes *m, int64_t time_ns)
{
    if (time_ns != m->tick_ns) {
        m->before_ns = m->tick_ns && m->tick_ns < time_ns ? m->tick_ns : time_ns;
        m->tick_ns = time_ns;
    }
    int64_t middle = m->before_ns + (time_ns - m->before_ns) / 2;
    return middle / MINUTE_NS - (middle % MINUTE_NS < 0);
}

/* Adds to a minute. Sums wrap around, as the sums of the books do. */
static void add(struct profile_book_minute *to, uint64_t ns, uint64_t count)
{
    to->ns = (int64_t)((uint64_t)to->ns + ns);
    to->count = (int64_t)((uint64_t)to->count + count);
}

static int add_minute(struct profile *p, struct load_minutes_line *line, int64_t minute)
{
    if (ARRAY_GROW(p->book_minutes, p->book_minute_cap, p->book_minute_count))
        return -ENOMEM;
    p->book_minutes[p->book_minute_count++] =
        (struct profile_book_minute){.minute = minute, .account = line->last.account, .reason = line->last.reason};
    line->now = p->book_minute_count;
    line->first = line->first ? line->first : line->now;
    return 0;
}

static int line_of(struct load_minutes *m, const struct profile_book *like, struct load_minutes_line **line)
{
    bool added;
    uint32_t *place = map_add(&m->places, (uint64_t)like->account << 32 | like->reason, &added);
    if (!place || ARRAY_GROW(m->lines, m->line_cap, m->line_count))
        return -ENOMEM;
    if (added) {
        *place = m->line_count;
        m->lines[m->line_count++] = (struct load_minutes_line){.last = {.account = like->account, .reason = like->reason}};
    }
    *line = &m->lines[*place];
    return 0;
}

int load_minutes_note(struct load_minutes *m, struct profile *p, const struct profile_book *line, int64_t time_ns)
{
    struct load_minutes_line *known;
    int64_t minute = minute_of(m, time_ns);
    if (accounts_is_level(p, line))
        return 0;
    if (line_of(m, line, &known))
        return -ENOMEM;
    uint64_t ns = (uint64_t)line->ns - (uint64_t)known->last.ns, count = line->count - known->last.count;
    if (!ns && !count)
        return 0;
    if ((!known->now || p->book_minutes[known->now - 1].minute != minute) && add_minute(p, known, minute))
        return -ENOMEM;
    add(&p->book_minutes[known->now - 1], ns, count);
    known->last = *line;
    return 0;
}

void load_minutes_settle(struct load_minutes *m, struct profile *p)
{
    for (uint32_t i = 0; i < p->book_count; i++) {
        const struct profile_book *book = &p->books[i];
        const uint32_t *place = map_find(&m->places, (uint64_t)book->account << 32 | book->reason);
        const struct load_minutes_line *line = place ? &m->lines[*place] : NULL;
        if (line && line->first)
            add(&p->book_minutes[line->first - 1], (uint64_t)book->ns - (uint64_t)line->last.ns, book->count - line->last.count);
    }
}
