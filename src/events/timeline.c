#include "events/timeline.h"

#include "base/array.h"
#include "events/halt_parts.h"

#include <string.h>

/* The number of rows that have cells at a time. If there are more threads, it is only known at the end of the file which ones ran longest.
 * Their cells are then filled in a second pass over the file. */
enum { ROWS_AT_ONCE = 1024 };

const struct timeline_state_info timeline_states[TIMELINE_STATES] = {
    [TIMELINE_UNKNOWN] = {"unknown", '.'},   [TIMELINE_RUNNING] = {"running", 'R'}, [TIMELINE_READY] = {"waiting_for_cpu", 'c'},
    [TIMELINE_MONITOR] = {"monitor", 'M'},   [TIMELINE_WAITING] = {"wait", 'W'},    [TIMELINE_PARKED] = {"parked", 'P'},
    [TIMELINE_SLEEPING] = {"sleeping", 'S'}, [TIMELINE_IO] = {"io", 'I'},           [TIMELINE_OTHER] = {"other", '?'},
};

/* ---- states ---- */

static enum timeline_state state_of_text(struct jfr_text text)
{
    static const struct {
        const char *text;
        enum timeline_state state;
    } known[] = {{"STATE_RUNNABLE", TIMELINE_RUNNING},       {"STATE_IN_NATIVE", TIMELINE_RUNNING},
                 {"STATE_IN_VM", TIMELINE_RUNNING},          {"STATE_NOT_JAVA", TIMELINE_RUNNING},
                 {"STATE_WAITING_FOR_CPU", TIMELINE_READY},  {"STATE_BLOCKED_ON_MONITOR_ENTER", TIMELINE_MONITOR},
                 {"STATE_IN_OBJECT_WAIT", TIMELINE_WAITING}, {"STATE_PARKED", TIMELINE_PARKED},
                 {"STATE_SLEEPING", TIMELINE_SLEEPING},      {"STATE_IN_NATIVE_IO", TIMELINE_IO}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strlen(known[i].text) == text.len && !memcmp(known[i].text, text.bytes, text.len))
            return known[i].state;
    return TIMELINE_OTHER;
}

static enum timeline_state state_of_halt(enum halt_kind kind)
{
    switch (kind) {
    case HALT_MONITOR:
        return TIMELINE_MONITOR;
    case HALT_WAIT:
        return TIMELINE_WAITING;
    case HALT_PARK:
        return TIMELINE_PARKED;
    case HALT_SLEEP:
        return TIMELINE_SLEEPING;
    case HALT_SOCKET_READ:
    case HALT_SOCKET_WRITE:
    case HALT_FILE_READ:
    case HALT_FILE_WRITE:
    case HALT_FILE_FORCE:
        return TIMELINE_IO;
    default:
        return TIMELINE_OTHER;
    }
}

/* ---- cells ---- */

static int64_t begin_of(const struct timeline *t, uint32_t column)
{
    return t->from_ns + (int64_t)((double)(t->to_ns - t->from_ns) * column / t->columns);
}

static uint32_t column_at(const struct timeline *t, int64_t ns)
{
    uint32_t column = (uint32_t)((double)(ns - t->from_ns) / (double)(t->to_ns - t->from_ns) * t->columns);
    return column < t->columns ? column : t->columns - 1;
}

/* Adds a time within the timeline to the cells of the columns that it covers. stride: the distance between cells. */
static void spread(const struct timeline *t, int64_t from, int64_t to, uint64_t *cells, uint32_t stride)
{
    uint32_t first = column_at(t, from);
    if (first && begin_of(t, first) > from) /* rounded */
        first--;
    for (uint32_t i = first; i < t->columns && begin_of(t, i) < to; i++) {
        int64_t begin = begin_of(t, i), end = i + 1 < t->columns ? begin_of(t, i + 1) : t->to_ns;
        int64_t low = from > begin ? from : begin, high = to < end ? to : end;
        if (high > low)
            cells[(size_t)i * stride] += (uint64_t)(high - low);
    }
}

static int add_cells(const struct timeline *t, struct timeline_row *row)
{
    row->cells = calloc((size_t)t->columns * TIMELINE_STATES, sizeof *row->cells);
    return row->cells ? 0 : -ENOMEM;
}

/* Finds or adds a row. *row is NULL if the second pass does not display it. */
static int row_of(struct timeline *t, uint32_t name, struct timeline_row **row)
{
    bool added = false;
    uint32_t *place = t->is_second ? map_find(&t->by_name, name) : map_add(&t->by_name, name, &added);
    *row = NULL;
    if (t->is_second && !place)
        return 0;
    if (!place || ARRAY_GROW(t->rows, t->cap, t->count))
        return -ENOMEM;
    if (added) {
        struct timeline_row one = {.name = name, .seen_ns = INT64_MIN};
        if (t->count < ROWS_AT_ONCE && add_cells(t, &one))
            return -ENOMEM;
        *place = t->count;
        t->rows[t->count++] = one;
    }
    *row = &t->rows[*place];
    return 0;
}

static void put(struct timeline *t, struct timeline_row *row, enum timeline_state state, int64_t from, int64_t to)
{
    from = from > t->from_ns ? from : t->from_ns;
    to = to < t->to_ns ? to : t->to_ns;
    if (from >= to)
        return;
    if (!t->is_second)
        row->sums[state] += (uint64_t)(to - from);
    if (row->cells)
        spread(t, from, to, row->cells + state, TIMELINE_STATES);
}

/* ---- samples ---- */

struct sampled {
    const struct jfr_type *type; /* NULL = the chunk has none */
    const char *thread;
};

static struct sampled choose(struct jfr_chunk *chunk)
{
    static const char *const names[][2] = {
        {"candor.WallSample", "eventThread"}, {"candor.CpuSample", "eventThread"}, {"jdk.ExecutionSample", "sampledThread"}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const struct jfr_type *type = jfr_chunk_type(chunk, names[i][0]);
        if (type && type->event && type->events)
            return (struct sampled){type, names[i][1]};
    }
    return (struct sampled){0};
}

static struct jfr_value field(struct jfr_event *event, const char *name)
{
    return jfr_event_value(event, jfr_type_field(event->type, name));
}

/* Adds a sample. A sample without a weight counts as the shortest possible time. */
static int take_sample(struct timeline *t, struct jfr_event *event, const char *thread_field, const struct regex *thread, struct map *names)
{
    int rc = 0;
    struct timeline_row *row;
    int64_t at = jfr_event_epoch_ns(event), weight = jfr_value_int(field(event, "weight"));
    if (at < t->from_ns || at - (weight > 0 && weight < at ? weight : 0) > t->to_ns)
        return 0;
    uint32_t name = halt_cached(t->h, names, event, thread_field, halt_thread, &rc);
    if (rc || !name || (thread && !regex_matches(thread, halts_text(t->h, name))))
        return rc;
    if ((rc = row_of(t, name, &row)) || !row)
        return rc;
    int64_t from = weight > 0 && weight < at ? at - weight : at - 1;
    if (row->seen_ns > from && row->seen_ns < at)
        from = row->seen_ns;
    row->seen_ns = at;
    put(t, row, state_of_text(jfr_value_text(field(event, "state"))), from, at);
    return 0;
}

static int take_samples(struct timeline *t, const struct jfr_file *file, const struct regex *thread, struct error *e)
{
    int rc = 0;
    struct map names; /* for the current chunk: thread key -> name */
    map_init(&names);
    for (uint32_t i = 0; !rc && i < jfr_file_chunks(file); i++) {
        struct jfr_chunk *chunk;
        struct jfr_event event;
        rc = jfr_chunk_open(&chunk, file, i, NULL, e); /* halts_read has already reported the problems */
        if (rc || !chunk)
            continue;
        struct sampled s = choose(chunk);
        map_clear(&names);
        for (struct jfr_cursor cursor = jfr_cursor_init(chunk); s.type && !rc && jfr_cursor_next(&cursor, &event);)
            if (event.type == s.type)
                rc = take_sample(t, &event, s.thread, thread, &names);
        jfr_chunk_close(chunk);
    }
    map_deinit(&names);
    return rc;
}

/* ---- halts ---- */

static int take_halts(struct timeline *t, const struct halt_view *v)
{
    int64_t stopped_to = t->from_ns; /* the end of the stopped time that is already counted */
    for (uint32_t i = 0; i < v->count; i++) {
        const struct halt *one = &v->h->list[v->rows[i]];
        int64_t from = one->start_ns > t->from_ns ? one->start_ns : t->from_ns;
        int64_t to = halt_end(one) < t->to_ns ? halt_end(one) : t->to_ns;
        if (halt_scope(one) == HALT_OF_THREAD && one->thread) {
            struct timeline_row *row;
            if (row_of(t, one->thread, &row))
                return -ENOMEM;
            if (row)
                put(t, row, state_of_halt((enum halt_kind)one->kind), from, to);
        } else if (!t->is_second && halt_scope(one) == HALT_OF_ALL && to > stopped_to) {
            spread(t, from > stopped_to ? from : stopped_to, to, t->stopped, 1);
            stopped_to = to;
        }
    }
    return 0;
}

/* ---- the whole ---- */

static int by_running(const void *left, const void *right)
{
    const struct timeline_row *a = left, *b = right;
    for (int state = TIMELINE_RUNNING; state < TIMELINE_STATES; state++)
        if (a->sums[state] != b->sums[state])
            return a->sums[state] > b->sums[state] ? -1 : 1;
    return (a->name > b->name) - (a->name < b->name);
}

static int fill(struct timeline *t, const struct halt_view *v, const struct jfr_file *file, const struct regex *thread, struct error *e)
{
    int rc = take_halts(t, v);
    return rc ? rc : take_samples(t, file, thread, e);
}

static bool lacks_cells(const struct timeline *t, uint32_t drawn)
{
    for (uint32_t i = 0; i < drawn; i++)
        if (!t->rows[i].cells)
            return true;
    return false;
}

/* Prepares the second pass. From here on only the first rows are found by name, and have cells. */
static int begin_second(struct timeline *t, uint32_t drawn)
{
    t->is_second = true;
    map_clear(&t->by_name);
    for (uint32_t i = 0; i < t->count; i++) {
        free(t->rows[i].cells);
        t->rows[i].cells = NULL;
    }
    for (uint32_t i = 0; i < drawn; i++) {
        bool added;
        uint32_t *place = map_add(&t->by_name, t->rows[i].name, &added);
        if (!place || add_cells(t, &t->rows[i]))
            return -ENOMEM;
        *place = i;
        t->rows[i].seen_ns = INT64_MIN;
    }
    return 0;
}

int timeline_make(struct timeline *t, struct halts *h, const struct halt_view *v, const struct jfr_file *file, uint32_t columns,
                  uint32_t top, const struct regex *thread, struct error *e)
{
    *t = (struct timeline){.h = h, .from_ns = v->from_ns, .to_ns = v->to_ns, .columns = columns};
    map_init(&t->by_name);
    t->stopped = calloc(columns, sizeof *t->stopped);
    int rc = t->stopped ? 0 : -ENOMEM;
    if (!rc && t->from_ns < t->to_ns)
        rc = fill(t, v, file, thread, e);
    if (!rc && t->count)
        qsort(t->rows, t->count, sizeof *t->rows, by_running);
    uint32_t drawn = top && top < t->count ? top : t->count;
    if (!rc && lacks_cells(t, drawn)) {
        rc = begin_second(t, drawn);
        rc = rc ? rc : fill(t, v, file, thread, e);
    }
    return rc ? error_set(e, rc, "no memory for the threads' timelines") : 0;
}

void timeline_deinit(struct timeline *t)
{
    for (uint32_t i = 0; i < t->count; i++)
        free(t->rows[i].cells);
    free(t->rows);
    free(t->stopped);
    map_deinit(&t->by_name);
    *t = (struct timeline){0};
}

enum timeline_state timeline_cell(const struct timeline *t, const struct timeline_row *row, uint32_t column)
{
    const uint64_t *ns = row->cells + (size_t)column * TIMELINE_STATES;
    enum timeline_state best = TIMELINE_UNKNOWN;
    for (int state = TIMELINE_RUNNING; state < TIMELINE_STATES; state++)
        if (ns[state] > ns[best])
            best = (enum timeline_state)state;
    return best;
}

bool timeline_is_stopped(const struct timeline *t, uint32_t column)
{
    int64_t begin = begin_of(t, column), end = column + 1 < t->columns ? begin_of(t, column + 1) : t->to_ns;
    return end > begin && 2 * t->stopped[column] >= (uint64_t)(end - begin);
}
