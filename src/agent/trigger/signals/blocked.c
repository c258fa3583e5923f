#include "agent/trigger/signals/blocked.h"

#include "agent/trigger/signals/signals.h"
#include "base/text/units.h"

#include <stdio.h>
#include <string.h>

enum { NAMED = 32, SHOWN = 3 };

static struct {
    uint32_t count, named;
    int signal;
    struct blocked {
        uint32_t uid;
        char name[32];
        uint64_t ns;
    } threads[NAMED];
} all;

void blocked_reset(void)
{
    memset(&all, 0, sizeof all);
}

/* Returns the thread's entry, which may be new; NULL if there are too many. */
static struct blocked *find(const struct sampled_thread *t)
{
    for (uint32_t i = 0; i < all.named; i++)
        if (all.threads[i].uid == t->uid)
            return &all.threads[i];
    if (all.named == NAMED)
        return NULL;
    all.threads[all.named].uid = t->uid;
    return &all.threads[all.named++];
}

void blocked_note(struct sampled_thread *t, int signal, uint64_t ns)
{
    struct blocked *b = find(t);
    all.signal = signal;
    all.count += !t->scan.has_blocked;
    t->scan.has_blocked = true;
    if (!b)
        return;
    snprintf(b->name, sizeof b->name, "%s", *t->java_name ? t->java_name : t->os_name);
    b->ns = ns;
}

static int next_of(const bool *shown)
{
    int most = -1;
    for (int i = 0; i < (int)all.named; i++)
        if (!shown[i] && (most < 0 || all.threads[i].ns > all.threads[most].ns))
            most = i;
    return most;
}

uint32_t blocked_describe(char *text, size_t size)
{
    bool shown[NAMED] = {false};
    uint32_t told = 0;
    char time[32];
    int used = snprintf(text, size, "%s:", signals_name(all.signal));
    for (int i; told < SHOWN && (i = next_of(shown)) >= 0 && (size_t)used < size; told++) {
        shown[i] = true;
        used += snprintf(text + used, size - (size_t)used, "%s %s %s", told ? "," : "", all.threads[i].name,
                         units_format_duration(time, sizeof time, all.threads[i].ns));
    }
    if (all.count > told && (size_t)used < size)
        snprintf(text + used, size - (size_t)used, " and %u more", all.count - told);
    return all.count;
}
