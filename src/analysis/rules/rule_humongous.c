/* Collections that G1 begins because the program allocates humongous objects: each takes whole regions of the heap, so a few of them fill
 * it. The cause of the pause says so. */
#include "analysis/rules.h"

#include "analysis/findings.h"
#include "base/text/units.h"

#include <string.h>

#define HUMONGOUS_WARNING 0.5 /* of all pauses */

enum { PAUSES_LEAST = 3 }; /* less is chance */

struct pauses {
    uint64_t all, humongous, humongous_ns;
};

static struct pauses count_pauses(const struct halts *h)
{
    struct pauses p = {0};
    for (uint32_t i = 0; i < h->count; i++) {
        const struct halt *one = &h->list[i];
        if (one->kind != HALT_GC)
            continue;
        p.all++;
        if (!strstr(halts_text(h, one->what), "G1 Humongous Allocation"))
            continue;
        p.humongous++;
        p.humongous_ns += one->ns;
    }
    return p;
}

void rule_humongous(struct findings *f, const struct evidence *e)
{
    char stopped[32];
    struct pauses p = e->halts ? count_pauses(e->halts) : (struct pauses){0};
    if (p.humongous < PAUSES_LEAST)
        return;
    struct amount share = amount_share((double)p.humongous, (double)p.all, (double)p.all);
    findings_add(f, &(struct finding){
                        .kind = FINDING_HUMONGOUS,
                        .score = score_saturate(share.low, HUMONGOUS_WARNING),
                        .text = findings_say(f,
                                             "humongous objects, each of half a G1 region or more, were the cause of %llu of %llu pauses "
                                             "for garbage collection, which stopped all threads for %s",
                                             (unsigned long long)p.humongous, (unsigned long long)p.all,
                                             units_format_duration(stopped, sizeof stopped, p.humongous_ns)),
                        .subject = findings_string(f, "G1 Humongous Allocation"),
                        .count = p.humongous,
                        .lost_ns = amount_exact((double)p.humongous_ns),
                    });
}
