#include "format_text.h"

#include "base/buffer.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void put_frame(struct buffer *b, const struct profile *p, const struct profile_frame *f, unsigned what)
{
    buffer_text(b, profile_text(p, f->label));
    if (what & FORMAT_LINES)
        buffer_printf(b, ":%" PRId32, f->line);
    if (what & FORMAT_TYPES)
        buffer_printf(b, "(%s %" PRIu32 " %s)", profile_type_name(f->type), f->bci, profile_text(p, p->methods[f->method].descriptor));
    buffer_text(b, ";");
}

/* Root first, in recursive order. */
static void put_stack(struct buffer *b, const struct profile *p, uint32_t node, unsigned what)
{
    if (!node)
        return;
    put_stack(b, p, p->nodes[node].parent, what);
    put_frame(b, p, &p->frames[p->nodes[node].frame], what);
}

static void put_labels(struct buffer *b, const struct profile *p, uint32_t labels)
{
    const struct profile_label *list[PROFILE_LABELS_MAX];
    uint32_t count = profile_label_list(p, labels, list);
    for (uint32_t i = 0; i < count; i++)
        buffer_printf(b, "%s%s%s%s ", profile_text(p, list[i]->key), list[i]->number ? "#" : "=", profile_text(p, list[i]->value),
                      profile_text(p, list[i]->unit));
}

static char *line_of(const struct profile *p, const struct profile_sample *s, unsigned what)
{
    const struct profile_thread *t = &p->threads[s->thread];
    struct buffer b;
    buffer_init(&b, 1 << 24);
    if (what & FORMAT_TIMES)
        buffer_printf(&b, "%020" PRId64 " ", s->time_ns);
    if (what & FORMAT_THREADS)
        buffer_printf(&b, "%s ", profile_text(p, t->name));
    if (what & FORMAT_THREAD_IDS)
        buffer_printf(&b, "%" PRIu64 " %" PRIu64 " ", t->os_id, t->java_id);
    if (what & FORMAT_STATES)
        buffer_printf(&b, "%s ", jfr_thread_state_names[s->state]);
    if (what & FORMAT_OUTCOMES)
        buffer_printf(&b, "%s ", profile_text(p, s->outcome));
    if (what & FORMAT_LABELS)
        put_labels(&b, p, s->labels);
    put_stack(&b, p, s->stack, what);
    buffer_u8(&b, 0);
    if (b.failed)
        abort();
    return (char *)b.data;
}

struct line {
    char *text;
    uint64_t weight, count;
};

static int by_text(const void *left, const void *right)
{
    const struct line *a = left, *b = right;
    int by = strcmp(a->text, b->text);
    by = by ? by : (a->weight > b->weight) - (a->weight < b->weight);
    return by;
}

char *format_text(const struct profile *p, unsigned what)
{
    struct line *lines = calloc(p->sample_count + 1, sizeof *lines);
    struct buffer out;

    if (!lines)
        abort();
    for (uint32_t i = 0; i < p->sample_count; i++)
        lines[i] = (struct line){line_of(p, &p->samples[i], what), p->samples[i].weight, p->samples[i].count};
    qsort(lines, p->sample_count, sizeof *lines, by_text);
    buffer_init(&out, 1 << 28);
    for (uint32_t i = 0; i < p->sample_count; i++) {
        if (i + 1 < p->sample_count && !strcmp(lines[i].text, lines[i + 1].text)) {
            lines[i + 1].weight += lines[i].weight;
            lines[i + 1].count += lines[i].count;
        } else {
            buffer_printf(&out, "%s %" PRIu64, lines[i].text, lines[i].weight);
            if (what & FORMAT_COUNTS)
                buffer_printf(&out, " in %" PRIu64, lines[i].count);
            buffer_text(&out, "\n");
        }
        free(lines[i].text);
    }
    buffer_printf(&out, "sum %" PRIu64 " %s\n", p->weight, profile_unit_word(p));
    if (what & FORMAT_PROCESS)
        buffer_printf(&out, "%s, %" PRIu64 ", %s, from %" PRId64 " for %" PRIu64 ", each %" PRIu64 "\n", profile_text(p, p->command),
                      p->pid, profile_text(p, p->jvm_version), p->start_ns, p->duration_ns, p->interval_ns);
    buffer_u8(&out, 0);
    if (out.failed)
        abort();
    free(lines);
    return (char *)out.data;
}
