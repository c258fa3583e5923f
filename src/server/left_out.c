#include "server/left_out.h"

#include "profile/allocated.h"
#include "store/files/contexts.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void left_out_add(struct store_profiles *of, const char *format, ...)
{
    size_t used = strlen(of->left_out);
    va_list args;
    if (used)
        used += (size_t)snprintf(of->left_out + used, sizeof of->left_out - used, "; ");
    va_start(args, format);
    if (used < sizeof of->left_out)
        vsnprintf(of->left_out + used, sizeof of->left_out - used, format, args);
    va_end(args);
}

/* Whether the label is kept: as a label, or as a frame. */
static bool is_kept(const struct profile *p, const struct profile_label *label)
{
    return contexts_keep(p, label) || (allocated_has_classes(p) && !strcmp(profile_text(p, label->key), "class"));
}

static bool is_in(const char *list, const char *name)
{
    size_t n = strlen(name);
    for (const char *at = list; (at = strstr(at, name)); at += n)
        if ((at == list || at[-1] == ' ') && (!at[n] || at[n] == ','))
            return true;
    return false;
}

static void add_names(const struct profile *p, char *names, size_t size)
{
    for (uint32_t i = 1; i < p->label_count; i++) {
        const char *key = profile_text(p, p->labels[i].key);
        size_t used = strlen(names);
        if (*key && !is_kept(p, &p->labels[i]) && !is_in(names, key) && used + strlen(key) + 3 < size)
            snprintf(names + used, size - used, "%s%s", used ? ", " : "", key);
    }
}

/* Counts the samples that lose a label. */
static uint64_t samples_with_labels(const struct profile *p)
{
    uint64_t n = 0;
    for (uint32_t i = 0; i < p->sample_count; i++) {
        uint32_t set = p->samples[i].labels;
        while (set && is_kept(p, &p->labels[set]))
            set = p->labels[set].parent;
        n += set != 0;
    }
    return n;
}

/* Several values of the same samples are separate profiles of one kind; their labels are counted once. */
void left_out_labels(struct store_profiles *of)
{
    char names[200] = "";
    uint64_t samples = 0;
    for (uint32_t i = 0; i < of->count; i++) {
        const struct profile *p = &of->list[i];
        if (i && p->kind == of->list[0].kind)
            continue;
        samples += samples_with_labels(p);
        add_names(p, names, sizeof names);
    }
    if (samples)
        left_out_add(of, "labels of %" PRIu64 " samples (%s)", samples, names);
}
