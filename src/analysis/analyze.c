#include "analysis/analyze.h"

#include "analysis/rules.h"

#include <errno.h>

static void (*const rules[])(struct findings *f, const struct evidence *e) = {
    rule_deadlock, rule_locks,   rule_pool,   rule_safepoints, rule_late,
    rule_system_gc, rule_sockets, rule_forces, rule_pinned,    rule_exceptions,
};

#define BIT SOURCE_BIT

/* What it takes to say that there is nothing of a kind: all of `all`, and of `any` one, if there are any. The first that is missing is
 * told. */
static const struct {
    unsigned all, any;
} needs[FINDING_KINDS] = {
    [FINDING_DEADLOCK] = {.all = BIT(SOURCE_OWNERS)},
    [FINDING_LOCK_HELD_ASLEEP] = {.all = BIT(SOURCE_OWNERS)},
    [FINDING_LOCK_HELD_IN_IO] = {.all = BIT(SOURCE_OWNERS)},
    [FINDING_WRITERS_STARVE] = {.all = BIT(SOURCE_OWNERS) | BIT(SOURCE_PARKS)},
    [FINDING_LOCK_CONTENDED] = {.all = BIT(SOURCE_LOCKS)},
    [FINDING_POOL_TOO_SMALL] = {.all = BIT(SOURCE_WALL)},
    [FINDING_SAFEPOINT_STORM] = {.all = BIT(SOURCE_SAFEPOINTS)},
    [FINDING_LATE_AT_SAFEPOINTS] = {.all = BIT(SOURCE_CPU) | BIT(SOURCE_ASKED)},
    [FINDING_SYSTEM_GC] = {.all = BIT(SOURCE_PAUSES)},
    [FINDING_SLOW_SOCKET] = {.all = BIT(SOURCE_SOCKETS)},
    [FINDING_FILE_FORCED] = {.any = BIT(SOURCE_WALL) | BIT(SOURCE_FORCES)},
    [FINDING_PINNED_CARRIER] = {.all = BIT(SOURCE_PINNED)},
    [FINDING_EXCEPTIONS] = {.any = BIT(SOURCE_CPU) | BIT(SOURCE_THROWS)},
};

static unsigned missing_of(unsigned sources, enum finding_kind kind)
{
    unsigned missing = needs[kind].all & ~sources;
    return missing || !needs[kind].any || (needs[kind].any & sources) ? missing : needs[kind].any;
}

static bool is_found(const struct findings *f, enum finding_kind kind)
{
    for (uint32_t i = 0; i < f->count; i++)
        if (f->list[i].kind == kind)
            return true;
    return false;
}

static void add_gap(struct findings *f, enum finding_kind kind, unsigned missing)
{
    const struct source_info *info = &source_infos[__builtin_ctz(missing)];
    f->gaps[f->gap_count++] = (struct finding_gap){kind, info->words, info->remedy};
}

int analyze(struct findings *f, const struct evidence *e)
{
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        rules[i](f, e);
    findings_sort(f);
    for (int kind = 0; kind < FINDING_KINDS; kind++) {
        unsigned missing = missing_of(e->sources, (enum finding_kind)kind);
        if (missing && !is_found(f, (enum finding_kind)kind))
            add_gap(f, (enum finding_kind)kind, missing);
    }
    return f->failed ? -ENOMEM : 0;
}
