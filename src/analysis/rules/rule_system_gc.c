/* Finds garbage collections that the program requests with System.gc(), and the place of the call, if the JDK's event for it or samples
 * of the waiting thread show the place. */
#include "analysis/rules.h"

#include "analysis/findings.h"
#include "analysis/stack.h"
#include "analysis/tally.h"
#include "base/text/units.h"

#include <string.h>

#define ASKED_WARNING 0.5 /* as a share of all pauses */

enum { CALLS_LEAST = 2 };

static bool is_asked_for(const char *what)
{
    static const char cause[] = "System.gc()";
    size_t n = strlen(what);
    return n >= sizeof cause - 1 && !strcmp(what + n - (sizeof cause - 1), cause);
}

/* Returns the place that most samples of threads in the call show. */
static uint32_t caller_by_samples(struct findings *f, const struct profile *p)
{
    struct stack_marks marks;
    struct tally stacks;
    if (!p)
        return 0;
    tally_init(&stacks);
    if (stack_marks_of(&marks, f, p))
        f->failed = true;
    for (uint32_t i = 0; !f->failed && i < p->sample_count; i++)
        if (stack_has(&marks, p->samples[i].stack, STACK_CALLS_GC))
            tally_add(&stacks, 0, p->samples[i].stack, p->samples[i].weight);
    const struct tally_row *row = tally_largest(&stacks, 0);
    uint32_t site = row ? stack_site(f, p, row->key) : 0;
    f->failed = f->failed || stacks.failed;
    tally_deinit(&stacks);
    return site;
}

static uint32_t text_of(struct findings *f, const struct halts *h, const struct tally *t)
{
    const struct tally_row *row = tally_largest(t, 0);
    return row ? findings_string(f, halts_text(h, row->key)) : 0;
}

struct collections {
    uint64_t all, asked, asked_ns;
    struct tally sites, callers; /* group 0 */
};

static void add_pause(struct collections *c, const struct halts *h, const struct halt *one)
{
    c->all++;
    if (!is_asked_for(halts_text(h, one->what)))
        return;
    c->asked++;
    c->asked_ns += one->ns;
    if (one->site)
        tally_add(&c->sites, 0, one->site, one->ns);
    if (one->by)
        tally_add(&c->callers, 0, one->by, one->ns);
}

static void judge(struct findings *f, const struct evidence *e, const struct collections *c)
{
    struct amount share = amount_share((double)c->asked, (double)c->all, (double)c->all);
    char stopped[32];
    if (c->asked < CALLS_LEAST)
        return;
    uint32_t site = text_of(f, e->halts, &c->sites), by = text_of(f, e->halts, &c->callers);
    site = site ? site : caller_by_samples(f, e->wall);
    site = site ? site : caller_by_samples(f, e->cpu);
    findings_add(f, &(struct finding){
                        .kind = FINDING_SYSTEM_GC,
                        .score = score_saturate(share.low, ASKED_WARNING),
                        .text = findings_say(f,
                                             "System.gc() was the cause of %llu of %llu pauses for garbage collection, which stopped "
                                             "all threads for %s%s%.300s%s%.100s",
                                             (unsigned long long)c->asked, (unsigned long long)c->all,
                                             units_format_duration(stopped, sizeof stopped, c->asked_ns), site ? "; called at " : "",
                                             findings_text(f, site), by ? ", by " : "", findings_text(f, by)),
                        .subject = findings_string(f, "System.gc()"),
                        .site = site,
                        .owner = by,
                        .count = c->asked,
                        .lost_ns = amount_exact((double)c->asked_ns),
                    });
}

void rule_system_gc(struct findings *f, const struct evidence *e)
{
    struct collections c = {0};
    if (!e->halts)
        return;
    tally_init(&c.sites);
    tally_init(&c.callers);
    for (uint32_t i = 0; i < e->halts->count; i++)
        if (e->halts->list[i].kind == HALT_GC)
            add_pause(&c, e->halts, &e->halts->list[i]);
    f->failed = f->failed || c.sites.failed || c.callers.failed;
    judge(f, e, &c);
    tally_deinit(&c.sites);
    tally_deinit(&c.callers);
}
