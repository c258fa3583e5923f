#include "store/missing.h"

#include "base/text/units.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

const char *const missing_names[MISSING_REASONS] = {"damaged", "unsealed", "lost",   "retain",    "max_disk", "max_disk_per_service",
                                                    "rebuilt", "coarse",   "flawed", "unlabeled", "unread",   "rereading",
                                                    "waiting"};

static const char *const words[MISSING_REASONS] = {
    "damaged",
    "not sealed yet",
    "lost to damage",
    "deleted by --retain",
    "deleted by --max-disk",
    "deleted by --max-disk-per-service",
    "lost with a damaged catalog",
    "in an hour or a day that is kept as a whole",
    "damaged when they came",
    "stored without labels of samples",
    "whose recording was deleted or not read",
    "not read again yet after the catalog was lost",
    "waiting in object storage",
};

void missing_add(struct missing *m, enum missing_why why, uint64_t parts, uint64_t rows, uint64_t weight)
{
    m->sums[why].parts += parts;
    m->sums[why].rows += rows;
    m->sums[why].weight += weight;
}

void missing_add_all(struct missing *to, const struct missing *from)
{
    for (int why = 0; why < MISSING_REASONS; why++)
        missing_add(to, (enum missing_why)why, from->sums[why].parts, from->sums[why].rows, from->sums[why].weight);
    to->rounded_since = to->rounded_since ? to->rounded_since : from->rounded_since;
}

uint64_t missing_parts(const struct missing *m)
{
    uint64_t parts = 0;
    for (int i = 0; i < MISSING_REASONS; i++)
        parts += m->sums[i].parts;
    return parts;
}

char *missing_text(const struct missing *m, const char *type, char *out, size_t size)
{
    uint64_t flawed = m->sums[MISSING_FLAWED].parts, parts = missing_parts(m) - flawed, weight = 0, rows = 0;
    char list[600] = "", amount[64]; /* list: all words have room, with the largest numbers */
    size_t at = 0;
    for (int i = 0; i < MISSING_REASONS; i++) {
        if (i == MISSING_FLAWED)
            continue;
        weight += m->sums[i].weight;
        rows += m->sums[i].rows;
        if (m->sums[i].parts)
            at += (size_t)snprintf(list + at, sizeof list - at, "%s%" PRIu64 " %s", at ? ", " : "", m->sums[i].parts, words[i]);
    }
    const char *unit = strrchr(type, ':');
    if (unit && !strcmp(unit, ":ns"))
        units_format_duration(amount, sizeof amount, weight);
    else
        snprintf(amount, sizeof amount, "%" PRIu64 " %s", weight, unit ? unit + 1 : "");
    at = 0;
    *out = 0;
    bool more = m->sums[MISSING_REBUILT].parts || m->sums[MISSING_REREAD].parts ||
                m->sums[MISSING_WAITING].parts; /* their rows are unknown, and given as 0 */
    if (parts)
        at = (size_t)snprintf(out, size, "incomplete: %" PRIu64 " part%s missing (%s); ", parts,
                              parts == 1 ? " of a recording is" : "s of recordings are", list);
    if (parts && at < size && more && !rows)
        at += (size_t)snprintf(out + at, size - at, "how many rows is not known");
    else if (parts && at < size)
        at += (size_t)snprintf(out + at, size - at, "%" PRIu64 " rows, %s at %s", rows, amount, more ? "least" : "most");
    if (flawed && at < size)
        snprintf(out + at, size - at, "%s%" PRIu64 " recording%s damaged; how much of %s is missing is not known",
                 at ? "; " : "incomplete: ", flawed, flawed == 1 ? " arrived" : "s arrived", flawed == 1 ? "it" : "them");
    return out;
}
