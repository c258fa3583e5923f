#include "asm/report.h"

#include "profile/accounts.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { CARD_WITHIN = 8, TITLE_MAX = 1400 };

bool asm_is_listed(const struct asm_report *a, const struct asm_region *region)
{
    char title[TITLE_MAX];
    if (a->method)
        return regex_matches(a->method, asm_region_title(a, region, title, sizeof title));
    return region->figure.share >= a->threshold;
}

char *asm_region_title(const struct asm_report *a, const struct asm_region *region, char *out, size_t size)
{
    if (region->snapshot)
        return asm_title(a->recording, &a->recording->snapshots[region->snapshot - 1], out, size);
    snprintf(out, size, "%.1000s", asm_string(a->recording, region->name));
    return out;
}

void asm_stretch(const struct asm_listing *l, const struct asm_region *region, uint32_t *first, uint32_t *count)
{
    uint32_t low = asm_listing_find(l, region->begin), high = asm_listing_find(l, region->end);
    low = low > ASM_MARGIN_LINES ? low - ASM_MARGIN_LINES : 0;
    high = high + ASM_MARGIN_LINES < l->count ? high + ASM_MARGIN_LINES + 1 : l->count;
    *first = low;
    *count = high > low ? high - low : 0;
}

static bool is_in(const struct asm_region *region, uint32_t offset)
{
    return offset >= region->begin && offset <= region->end;
}

uint32_t asm_hottest(const struct asm_listing *l, const struct asm_region *region)
{
    uint32_t hottest = UINT32_MAX;
    for (uint32_t i = asm_listing_find(l, region->begin); i < l->count && is_in(region, l->lines[i].offset); i++)
        if (l->lines[i].point && (hottest == UINT32_MAX || l->lines[i].point->figure.weight > l->lines[hottest].point->figure.weight))
            hottest = i;
    return hottest;
}

/* Whether the store marks a card. Only a collector's barrier stores a byte shortly after it shifts an address. */
static bool is_card_mark(const struct asm_listing *l, uint32_t line)
{
    for (uint32_t back = 1; back <= CARD_WITHIN && back <= line; back++)
        if (l->lines[line - back].instruction.mark == ASM_MARK_CARD_INDEX)
            return true;
    return false;
}

char *asm_note(const struct asm_report *a, const struct asm_listing *l, uint32_t line, char *out, size_t size)
{
    const struct asm_instruction *i = &l->lines[line].instruction;
    uint64_t offset;
    out[0] = 0;
    if (i->target && (i->target < l->snapshot->address || i->target - l->snapshot->address >= l->snapshot->size)) {
        const char *name = asm_name_at(a->recording, i->target, &offset);
        if (name)
            snprintf(out, size, offset ? "%.200s+0x%" PRIx64 : "%.200s", name, offset);
    } else if (i->mark == ASM_MARK_POLL)
        snprintf(out, size, "safepoint poll");
    else if (i->mark == ASM_MARK_RETURN_POLL)
        snprintf(out, size, "safepoint poll at return");
    else if (i->mark == ASM_MARK_BYTE_STORE && is_card_mark(l, line))
        snprintf(out, size, "card mark");
    return out;
}

int asm_list(const struct asm_report *a, const struct asm_region *region, struct asm_listing *l, const struct asm_point ***points)
{
    uint32_t count;
    memset(l, 0, sizeof *l);
    *points = asm_listing_points(a->regions, region->snapshot, &count);
    if (!*points)
        return -ENOMEM;
    return asm_listing_make(l, a->decoder, &a->recording->snapshots[region->snapshot - 1], *points, count);
}

static int count_snapshot(const struct asm_report *a, const struct asm_region *region, uint64_t *bytes, uint64_t *undecoded)
{
    struct asm_listing l;
    const struct asm_point **points;
    int rc = asm_list(a, region, &l, &points);
    if (!rc) {
        *bytes += l.snapshot->size;
        *undecoded += l.undecoded;
    }
    asm_listing_deinit(&l);
    free(points);
    return rc;
}

int asm_count_bytes(const struct asm_report *a, uint64_t *bytes, uint64_t *undecoded)
{
    uint8_t *seen = calloc(a->recording->snapshot_count + 1u, 1);
    int rc = seen ? 0 : -ENOMEM;
    *bytes = *undecoded = 0;
    for (uint32_t i = 0; !rc && i < a->regions->count; i++) {
        const struct asm_region *region = &a->regions->regions[i];
        if (!region->snapshot || seen[region->snapshot - 1])
            continue;
        seen[region->snapshot - 1] = 1;
        rc = count_snapshot(a, region, bytes, undecoded);
    }
    free(seen);
    return rc;
}

bool asm_counts_events(const struct profile *p)
{
    return p->unit == PROFILE_UNIT_OTHER;
}

const char *asm_whole(const struct profile *p)
{
    return asm_counts_events(p) ? profile_text(p, p->value) : "CPU time";
}

bool asm_booked(const struct profile *p, uint64_t *ns, uint64_t *samples)
{
    const unsigned sampled = 1u << ACCOUNT_IS_SEEN | 1u << ACCOUNT_IS_FAILED;
    struct account_sum sum = accounts_sum_roles(p, asm_counts_events(p) ? BOOK_EVENTS : BOOK_CPU, sampled);
    *ns = (uint64_t)sum.ns;
    *samples = sum.count;
    return p->book_count != 0;
}

char *asm_event(const struct profile *p, char *out, size_t size)
{
    const char *clock = profile_setting(p, "clock");
    if (asm_counts_events(p)) {
        snprintf(out, size, "%.90s", asm_whole(p));
        return out;
    }
    snprintf(out, size, "CPU time by the clock %.40s", clock ? clock : "unknown");
    return out;
}
