/* Finds threads that wait for each other in a cycle when the recording ends. A cycle is certain, not a matter of chance, because the
 * owners were read while all of these waits were under way. */
#include "analysis/rules.h"

#include "analysis/findings.h"
#include "analysis/stack.h"
#include "base/buffer.h"
#include "profile/locks.h"

enum { TEXT_MAX = 2000, LINKS_SHOWN = 5 };

static const char *name_of(const struct profile *p, uint32_t sample)
{
    return profile_text(p, p->threads[p->samples[sample].thread].name);
}

static void put_link(struct findings *f, struct buffer *b, const struct profile *p, uint32_t sample, uint32_t owner)
{
    uint32_t class_name = locks_label(p, &p->samples[sample], "class");
    buffer_printf(b, "%.100s waits for %s %.200s, which %.100s holds, at %.200s", name_of(p, sample),
                  p->samples[sample].state == JFR_STATE_MONITOR ? "the monitor of" : "a lock,",
                  class_name ? profile_text(p, class_name) : "[unknown]", name_of(p, owner),
                  findings_text(f, stack_site(f, p, p->samples[sample].stack)));
}

static void add_circle(struct findings *f, const struct profile *p, const struct locks_link *links, uint32_t count)
{
    const struct profile_sample *first = &p->samples[links[0].sample];
    struct buffer b;
    uint64_t lost = 0;
    buffer_init(&b, TEXT_MAX);
    buffer_printf(&b, "%u threads wait for each other forever", count);
    for (uint32_t i = 0; i < count; i++) {
        lost += p->samples[links[i].sample].weight;
        if (i >= LINKS_SHOWN)
            continue;
        buffer_text(&b, i ? "; " : ": ");
        put_link(f, &b, p, links[i].sample, links[(i + 1) % count].sample);
    }
    buffer_u8(&b, 0);
    findings_add(f, &(struct finding){.kind = FINDING_DEADLOCK,
                                      .score = SCORE_CERTAIN,
                                      .text = b.failed ? findings_say(f, "%u threads wait for each other forever", count)
                                                       : findings_string(f, (const char *)b.data),
                                      .subject = findings_string(f, profile_text(p, locks_label(p, first, "class"))),
                                      .site = stack_site(f, p, first->stack),
                                      .owner = findings_string(f, name_of(p, links[0].sample)),
                                      .count = count,
                                      .threads = count,
                                      .lost_ns = amount_exact((double)lost)});
    buffer_deinit(&b);
}

void rule_deadlock(struct findings *f, const struct evidence *e)
{
    struct locks l;
    if (!e->lock)
        return;
    f->failed = locks_compute(&l, e->lock) || f->failed;
    for (uint32_t i = 0, first = 0; i < l.link_count; i++)
        if (l.links[i].ends) {
            add_circle(f, e->lock, &l.links[first], i + 1 - first);
            first = i + 1;
        }
    locks_deinit(&l);
}
