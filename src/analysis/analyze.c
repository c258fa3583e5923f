#include "analysis/analyze.h"

#include "analysis/consequences.h"
#include "analysis/rules.h"
#include "analysis/windows.h"

#include <errno.h>

static void (*const rules[])(struct findings *f, const struct evidence *e) = {
#define RULE_ENTRY(function) function,
    RULES(RULE_ENTRY)
#undef RULE_ENTRY
};

/* Returns the missing sources of a kind; the first of them is reported. */
static unsigned missing_of(unsigned sources, enum finding_kind kind)
{
    unsigned missing = finding_infos[kind].all & ~sources;
    return missing || !finding_infos[kind].any || (finding_infos[kind].any & sources) ? missing : finding_infos[kind].any;
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
    f->gaps[f->gap_count++] = (struct finding_gap){kind, info->words, info->remedy, missing};
}

static void judge(struct findings *f, const struct evidence *e)
{
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        rules[i](f, e);
}

int analyze(struct findings *f, const struct evidence *e)
{
    judge(f, e);
    windows_add(f, e, judge);
    findings_sort(f);
    consequences_order(f);
    for (int kind = 0; kind < FINDING_KINDS; kind++) {
        unsigned missing = missing_of(e->sources, (enum finding_kind)kind);
        if (missing && !f->left_out[kind] && !is_found(f, (enum finding_kind)kind))
            add_gap(f, (enum finding_kind)kind, missing);
    }
    return f->failed ? -ENOMEM : 0;
}
