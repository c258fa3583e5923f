#include "store/query/selection.h"

#include "base/array.h"
#include "base/time_units.h"
#include "store/files/contexts.h"

#include <errno.h>
#include <stdlib.h>

/* Maps the dictionary's ids to the profile's. */
struct ids {
    struct profile *to;
    const struct profile *from;
    uint32_t *strings, *frames, *nodes, *threads, *labels; /* the profile's id plus 1; 0 = not added yet */
    bool *kept;    /* by node; NULL = all. For a node that is not kept, `nodes` has its nearest ancestor that is */
    uint32_t mark; /* the frame that replaces pruned nodes */
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

/* Finds the profile's set of labels for a context. */
static int labels_id(struct ids *m, uint32_t context, uint32_t *id)
{
    uint32_t of = context > CONTEXT_NONE ? context - CONTEXT_NONE : 0;
    *id = 0;
    if (!of)
        return 0;
    if (!m->labels[of]) {
        const struct profile_label *l = &m->from->labels[of];
        struct profile_label one = {0};
        if (labels_id(m, CONTEXT_NONE + l->parent, &one.parent) || string_id(m, l->key, &one.key) || string_id(m, l->value, &one.value) ||
            profile_label(m->to, &one, id))
            return -ENOMEM;
        m->labels[of] = *id + 1;
    }
    *id = m->labels[of] - 1;
    return 0;
}

/* Computes the self and total weight of each node. */
static void weigh(const struct ids *m, const struct selection *l, uint64_t *self, uint64_t *totals)
{
    for (uint32_t i = 0; i < l->count; i++)
        self[l->rows[i].stack] += l->rows[i].weight;
    for (uint32_t i = m->from->node_count - 1; i > 0; i--) {
        totals[i] += self[i];
        totals[m->from->nodes[i].parent] += totals[i];
    }
}

/* ---- methods ---- */

static int add_method(struct ids *m, struct selection_methods *to, uint32_t label, uint64_t self, uint64_t total)
{
    bool added;
    uint32_t id = label;
    if (string_id(m, label, &id))
        return -ENOMEM;
    uint32_t *place = map_add(&to->places, id, &added);
    if (!place || ARRAY_GROW(to->list, to->cap, to->count))
        return -ENOMEM;
    if (added) {
        *place = to->count;
        to->list[to->count++] = (struct method_sum){.label = id};
    }
    to->list[*place].self += self;
    to->list[*place].total += total;
    return 0;
}

static int sum_methods(struct ids *m, struct selection_methods *to, const uint64_t *self, const uint64_t *totals)
{
    uint32_t strings = m->from->strings.count;
    uint64_t *self_of = calloc(strings, sizeof *self_of), *total_of = calloc(strings, sizeof *total_of);
    int rc = self_of && total_of ? method_sums(m->from, self, totals, self_of, total_of) : -ENOMEM;
    for (uint32_t label = 0; !rc && label < strings; label++)
        if (total_of[label])
            rc = add_method(m, to, label, self_of[label], total_of[label]);
    free(self_of);
    free(total_of);
    return rc;
}

/* ---- stacks ---- */

/* Sets `kept` if there are more nodes than `keep`. */
static int64_t choose_nodes(struct ids *m, const struct selection *l, const uint64_t *totals)
{
    uint32_t nodes = m->from->node_count;
    if (nodes <= l->keep)
        return 0;
    m->kept = calloc(nodes, sizeof *m->kept);
    return m->kept ? prune_choose(totals, nodes, l->keep, m->kept) : -ENOMEM;
}

static int choose(struct ids *m, const struct selection *l)
{
    uint32_t nodes = m->from->node_count;
    if (!l->keep)
        return 0;
    uint64_t *self = calloc(nodes, sizeof *self), *totals = calloc(nodes, sizeof *totals);
    int64_t left_out = -ENOMEM;
    if (self && totals) {
        weigh(m, l, self, totals);
        left_out = l->methods ? sum_methods(m, l->methods, self, totals) : 0;
        left_out = left_out ? left_out : choose_nodes(m, l, totals);
    }
    free(self);
    free(totals);
    if (left_out > 0) {
        l->pruned->nodes += (uint32_t)left_out;
        return prune_frame(m->to, &m->mark);
    }
    free(m->kept);
    m->kept = NULL;
    return (int)left_out;
}

/* Marks the stacks that rows use, and all their ancestors. */
static void mark_used(struct ids *m, const struct selection *l)
{
    for (uint32_t i = 0; i < l->count; i++)
        m->nodes[l->rows[i].stack] = 1;
    for (uint32_t i = m->from->node_count - 1; i > 0; i--)
        if (m->nodes[i])
            m->nodes[m->from->nodes[i].parent] = 1;
    m->nodes[0] = 0; /* the root */
}

/* Adds the stacks to the profile. A parent always comes before its children. */
static int take_stacks(struct ids *m, const struct selection *l)
{
    if (!m->kept)
        mark_used(m, l);
    for (uint32_t i = 1; i < m->from->node_count; i++) {
        uint32_t frame, below = m->nodes[m->from->nodes[i].parent];
        if (m->kept && !m->kept[i])
            m->nodes[i] = below;
        else if ((m->kept || m->nodes[i]) &&
                 (frame_id(m, m->from->nodes[i].frame, &frame) || profile_stack(m->to, below, frame, &m->nodes[i])))
            return -ENOMEM;
    }
    return 0;
}

/* Finds the profile's stack of a row. If the stack was pruned, this is its nearest kept ancestor with the frame "[pruned]" on top. */
static int take_stack(struct ids *m, const struct selection *l, const struct selected_row *row, uint32_t *stack)
{
    *stack = m->nodes[row->stack];
    if (!m->kept || m->kept[row->stack] || !row->stack)
        return 0;
    l->pruned->weight += row->weight;
    return profile_stack(m->to, *stack, m->mark, stack);
}

static int take_samples(struct ids *m, const struct selection *l)
{
    int rc = 0;
    for (uint32_t i = 0; !rc && i < l->count; i++) {
        const struct selected_row *row = &l->rows[i];
        struct profile_sample sample = {.weight = row->weight, .count = row->count, .state = row->state};
        sample.time_ns = m->one_thread ? 0 : row->second * NS_PER_S;
        rc = take_stack(m, l, row, &sample.stack);
        rc = rc ? rc : thread_id(m, row->thread, &sample.thread);
        rc = rc ? rc : string_id(m, row->outcome, &sample.outcome);
        rc = rc ? rc : labels_id(m, l->labels ? row->context : CONTEXT_NONE, &sample.labels);
        rc = rc ? rc : profile_add_sample(m->to, &sample);
    }
    return rc;
}

int selection_convert(struct selection *l, const struct profile *from)
{
    struct ids m = {.to = l->p, .from = from, .one_thread = l->add_up};
    m.strings = calloc(from->strings.count, sizeof *m.strings);
    m.frames = calloc((size_t)from->frame_count + 1, sizeof *m.frames);
    m.nodes = calloc(from->node_count, sizeof *m.nodes);
    m.threads = calloc((size_t)from->thread_count + 1, sizeof *m.threads);
    m.labels = calloc(from->label_count, sizeof *m.labels);
    int rc = m.strings && m.frames && m.nodes && m.threads && m.labels ? 0 : -ENOMEM;
    rc = rc ? rc : choose(&m, l);
    rc = rc ? rc : take_stacks(&m, l);
    rc = rc ? rc : take_samples(&m, l);
    free(m.strings);
    free(m.frames);
    free(m.nodes);
    free(m.threads);
    free(m.labels);
    free(m.kept);
    return rc;
}
