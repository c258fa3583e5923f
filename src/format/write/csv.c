/* Writes one line for each sample, for spreadsheets and data frames (RFC 4180): time, weight, count, thread, ids, state, outcome, the
 * innermost method with class and line, and the whole stack, root first, with ';' between the frames. */
#include "format/export.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Writes text inside quotes. A quote is doubled. Line ends in a name become blanks, for readers that split the file into lines first. */
static void put_plain(FILE *out, const char *text)
{
    for (; *text; text++) {
        if (*text == '"')
            fputc('"', out);
        fputc(*text == '\n' || *text == '\r' ? ' ' : *text, out);
    }
}

static void put_text(FILE *out, const char *text)
{
    fputc('"', out);
    put_plain(out, text);
    fputs("\",", out);
}

/* Writes "key=value;key=value". */
static void put_labels(FILE *out, const struct profile *p, uint32_t labels)
{
    const struct profile_label *list[PROFILE_LABELS_MAX];
    uint32_t count = profile_label_list(p, labels, list);
    fputc('"', out);
    for (uint32_t i = 0; i < count; i++) {
        put_plain(out, i ? ";" : "");
        put_plain(out, profile_text(p, list[i]->key));
        fputc('=', out);
        put_plain(out, profile_text(p, list[i]->value));
    }
    fputs("\",", out);
}

static void put_stack(FILE *out, const struct profile *p, uint32_t stack, uint32_t *path)
{
    uint32_t depth = 0;
    for (uint32_t node = stack; node; node = p->nodes[node].parent)
        path[depth++] = p->frames[p->nodes[node].frame].label;
    fputc('"', out);
    while (depth--) {
        put_plain(out, profile_text(p, path[depth]));
        if (depth)
            fputc(';', out);
    }
    fputs("\"\r\n", out);
}

static void put_sample(FILE *out, const struct profile *p, const struct profile_sample *s, uint32_t *path)
{
    const struct profile_thread *t = &p->threads[s->thread];
    const struct profile_frame *leaf = s->stack ? &p->frames[p->nodes[s->stack].frame] : NULL;
    fprintf(out, "%" PRId64 ",%" PRIu64 ",%" PRIu32 ",", s->time_ns, s->weight, s->count);
    put_text(out, profile_text(p, t->name));
    fprintf(out, "%" PRIu64 ",%" PRIu64 ",%s,", t->os_id, t->java_id, jfr_thread_state_names[s->state]);
    put_text(out, profile_text(p, s->outcome));
    put_labels(out, p, s->labels);
    put_text(out, leaf ? profile_text(p, leaf->label) : "");
    put_text(out, leaf ? profile_text(p, p->methods[leaf->method].class_name) : "");
    fprintf(out, "%" PRId32 ",%s,", leaf ? leaf->line : 0, leaf ? profile_type_name(leaf->type) : "");
    put_stack(out, p, s->stack, path);
}

int csv_export(const struct export_request *as, FILE *out)
{
    const struct profile *p = as->profile;
    uint32_t *path = calloc(PROFILE_DEPTH_MAX + 1, sizeof *path);
    if (!path)
        return -ENOMEM;
    fprintf(out, "time_ns,%s,samples,thread,os_id,java_id,state,outcome,labels,method,class,line,type,stack\r\n",
            p->unit == PROFILE_UNIT_SAMPLES ? "weight" : profile_unit_word(p));
    for (uint32_t i = 0; i < p->sample_count; i++)
        put_sample(out, p, &p->samples[i], path);
    free(path);
    return 0;
}
