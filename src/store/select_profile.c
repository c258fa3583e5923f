/* Rows of segments as one profile. */
#include "store/gather.h"

#include "base/array.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Rows of one dictionary, on their way. */
struct row {
    int64_t second;
    uint64_t weight;
    uint32_t stack, count, thread, outcome;
    uint8_t state;
};

struct selection {
    struct profile *p;
    struct row *rows;
    uint32_t count, cap;
    uint32_t *row_of_stack; /* plus 1; NULL = rows stay single */
    uint32_t stacks;
    bool add_up;
};

static int grow_stacks(struct selection *l, uint32_t stacks)
{
    if (stacks <= l->stacks)
        return 0;
    uint32_t *grown = realloc(l->row_of_stack, stacks * sizeof *grown);
    if (!grown)
        return -ENOMEM;
    memset(grown + l->stacks, 0, (stacks - l->stacks) * sizeof *grown);
    l->row_of_stack = grown;
    l->stacks = stacks;
    return 0;
}

/* Added up, a stack keeps the outcome and state of its first row: a stack that was cut off shows that itself. */
static int take_row(void *context, const struct gathered *of, const struct segment *segment,
                    const struct segment_row *row)
{
    struct selection *l = context;
    if (l->add_up && grow_stacks(l, segment->nodes))
        return -ENOMEM;
    uint32_t *known = l->add_up ? &l->row_of_stack[row->stack] : NULL;
    if (known && *known && row->count <= UINT32_MAX - l->rows[*known - 1].count) {
        l->rows[*known - 1].weight += row->weight;
        l->rows[*known - 1].count += row->count;
        return 0;
    }
    if (ARRAY_GROW(l->rows, l->cap, l->count))
        return -ENOMEM;
    l->rows[l->count++] = (struct row){
        segment->first + row->second, row->weight, row->stack, row->count, row->thread, row->outcome, row->state};
    if (known)
        *known = l->count;
    return 0;
}

/* ---- from the dictionary's ids to the profile's ---- */

struct ids {
    struct profile *to;
    const struct profile *from;
    uint32_t *strings, *frames, *nodes, *threads; /* plus 1, 0 = not yet */
    bool one_thread;
};

static int string_id(struct ids *m, uint32_t of, uint32_t *id)
{
    if (!m->strings[of]) {
        if (profile_string(m->to, profile_text(m->from, of), strtab_len(&m->from->strings, of), id))
            return -ENOMEM;
        m->strings[of] = *id + 1;
    }
    *id = m->strings[of] - 1;
    return 0;
}

static int frame_id(struct ids *m, uint32_t of, uint32_t *id)
{
    if (!m->frames[of]) {
        const struct profile_frame *f = &m->from->frames[of];
        const struct profile_method *method = &m->from->methods[f->method];
        uint32_t class_name, name, descriptor, to;
        if (string_id(m, method->class_name, &class_name) || string_id(m, method->name, &name) ||
            string_id(m, method->descriptor, &descriptor) || profile_method(m->to, class_name, name, descriptor, &to) ||
            profile_frame(m->to, to, f->line, f->bci, f->type, id))
            return -ENOMEM;
        m->frames[of] = *id + 1;
    }
    *id = m->frames[of] - 1;
    return 0;
}

static int thread_id(struct ids *m, uint32_t of, uint32_t *id)
{
    static const char all[] = "[all]";
    uint32_t name;
    if (m->one_thread)
        return profile_string(m->to, all, sizeof all - 1, &name) || profile_thread(m->to, name, 0, 0, id) ? -ENOMEM : 0;
    if (!m->threads[of]) {
        if (string_id(m, m->from->threads[of].name, &name) || profile_thread(m->to, name, 0, 0, id))
            return -ENOMEM;
        m->threads[of] = *id + 1;
    }
    *id = m->threads[of] - 1;
    return 0;
}

/* Marks the stacks that are used with all they stand on, and takes those over: parents come first. */
static int take_stacks(struct ids *m, const struct selection *l)
{
    for (uint32_t i = 0; i < l->count; i++)
        m->nodes[l->rows[i].stack] = 1;
    for (uint32_t i = m->from->node_count - 1; i > 0; i--)
        if (m->nodes[i])
            m->nodes[m->from->nodes[i].parent] = 1;
    m->nodes[0] = 0; /* the root */
    for (uint32_t i = 1; i < m->from->node_count; i++) {
        uint32_t frame;
        if (m->nodes[i] && (frame_id(m, m->from->nodes[i].frame, &frame) ||
                            profile_stack(m->to, m->nodes[m->from->nodes[i].parent], frame, &m->nodes[i])))
            return -ENOMEM;
    }
    return 0;
}

static int take_samples(struct ids *m, const struct selection *l)
{
    int rc = 0;
    for (uint32_t i = 0; !rc && i < l->count; i++) {
        const struct row *row = &l->rows[i];
        struct profile_sample sample = {
            .weight = row->weight, .count = row->count, .state = row->state, .stack = m->nodes[row->stack]};
        sample.time_ns = m->one_thread ? 0 : row->second * 1000000000;
        rc = thread_id(m, row->thread, &sample.thread);
        rc = rc ? rc : string_id(m, row->outcome, &sample.outcome);
        rc = rc ? rc : profile_add_sample(m->to, &sample);
    }
    return rc;
}

static int convert(struct selection *l, const struct profile *from)
{
    struct ids m = {.to = l->p, .from = from, .one_thread = l->add_up};
    m.strings = calloc(from->strings.count, sizeof *m.strings);
    m.frames = calloc((size_t)from->frame_count + 1, sizeof *m.frames);
    m.nodes = calloc(from->node_count, sizeof *m.nodes);
    m.threads = calloc((size_t)from->thread_count + 1, sizeof *m.threads);
    int rc = m.strings && m.frames && m.nodes && m.threads ? 0 : -ENOMEM;
    rc = rc ? rc : take_stacks(&m, l);
    rc = rc ? rc : take_samples(&m, l);
    free(m.strings);
    free(m.frames);
    free(m.nodes);
    free(m.threads);
    return rc;
}

/* ---- all dictionaries ---- */

/* What the dictionary does not have (any more) its rows cannot mean. */
struct checked {
    struct selection *selection;
    const struct profile *names;
};

static int take_checked(void *context, const struct gathered *of, const struct segment *segment,
                        const struct segment_row *row)
{
    struct checked *c = context;
    bool fits = segment->nodes <= c->names->node_count && segment->strings <= c->names->strings.count &&
                segment->threads <= c->names->thread_count;
    return fits ? take_row(c->selection, of, segment, row) : -EBADMSG;
}

static int take_dictionary(struct selection *l, struct store *s, const struct gather *g, const struct store_query *q,
                           uint32_t *at, struct dictionary *d, struct store_result *r, struct error *e)
{
    uint32_t id = g->list[*at].dictionary;
    int rc = 0;
    l->count = 0;
    if (l->row_of_stack)
        memset(l->row_of_stack, 0, l->stacks * sizeof *l->row_of_stack);
    pthread_mutex_lock(&d->lock);
    struct checked c = {l, &d->names};
    while (!rc && *at < g->count && g->list[*at].dictionary == id) {
        const struct gathered *first = &g->list[*at];
        uint64_t weight = r->weight;
        rc = gather_segment(g, s, q, at, SEGMENT_ALL, take_checked, &c, r, e);
        if (rc != -EBADMSG)
            continue;
        r->weight = weight;
        error_set(e, rc, "segments/%u/%llu.seg: its dictionary is damaged", first->dictionary,
                  (unsigned long long)first->segment);
        buffer_printf(&r->unreadable, "%s\n", e->text);
        recover_quarantine(s, first->dictionary, first->segment, e->text);
        rc = 0;
    }
    rc = rc ? rc : convert(l, &d->names);
    pthread_mutex_unlock(&d->lock);
    return rc;
}

static int take_all(struct selection *l, struct store *s, const struct gather *g, const struct store_query *q,
                    struct store_result *r, struct error *e)
{
    int rc = 0;
    for (uint32_t at = 0; !rc && at < g->count;) {
        char path[DISK_PATH_MAX];
        struct dictionary *d;
        uint32_t id = g->list[at].dictionary;
        rc = cache_get(&s->cache, id, store_dictionary_file(s, path, id), &d, e);
        if (rc)
            return rc;
        rc = take_dictionary(l, s, g, q, &at, d, r, e);
        cache_put(&s->cache, d);
    }
    return rc == -ENOMEM   ? error_set(e, rc, "out of memory")
           : rc == -ERANGE ? error_set(e, rc, "more than can be added up")
                           : rc;
}

/* ---- what the profile says of itself ---- */

static int describe(struct profile *p, const struct store_query *q, const struct store_result *r)
{
    static const char source[] = "candor server";
    const char *colon = strrchr(r->type, ':');
    size_t len = colon ? (size_t)(colon - r->type) : 0;
    const char *unit = colon ? colon + 1 : "samples";
    p->unit = !strcmp(unit, "ns")        ? PROFILE_UNIT_NS
              : !strcmp(unit, "samples") ? PROFILE_UNIT_SAMPLES
              : !strcmp(unit, "bytes")   ? PROFILE_UNIT_BYTES
                                         : PROFILE_UNIT_OTHER;
    p->thinned = true; /* rows are no order of samples */
    p->merged = (uint32_t)r->recordings;
    p->start_ns = q->from * 1000000000;
    p->duration_ns = (uint64_t)(q->to - q->from) * 1000000000;
    return profile_string(p, source, sizeof source - 1, &p->source) || profile_string(p, r->type, len, &p->value) ||
                   profile_string(p, unit, strlen(unit), &p->unit_name)
               ? -ENOMEM
               : 0;
}

int store_profile(struct store *s, const struct store_query *q, struct profile *p, struct store_result *r,
                  struct error *e)
{
    struct gather g;
    struct selection l = {.p = p};
    int rc = gather_init(&g, s, q, NULL, r, e);
    l.add_up = g.rows > STORE_ROWS_MAX;
    rc = rc ? rc : take_all(&l, s, &g, q, r, e);
    if (!rc && describe(p, q, r))
        rc = error_set(e, -ENOMEM, "out of memory");
    free(l.rows);
    free(l.row_of_stack);
    gather_deinit(&g);
    return rc;
}

void store_result_deinit(struct store_result *r)
{
    buffer_deinit(&r->unreadable);
}
