/* Finds objects allocated at one place whose number keeps growing (profile/figures/leaks.h explains when that is more than chance). The
 * score depends on the bytes of these objects that were allocated during the recording. */
#include "analysis/rules.h"

#include "analysis/findings.h"
#include "analysis/stack.h"
#include "base/text/units.h"
#include "profile/figures/leaks.h"

#include <math.h>

#define GROWTH_WARNING 0.25 /* growth since the first quarter, as a share of the bytes that are alive at the end */

static void judge(struct findings *f, const struct evidence *e, const struct leak *leak, enum leaks_proof proof)
{
    const struct profile *p = e->live;
    struct amount growth = amount_normal(leak->growth, leak->growth_error);
    double score = leak->bytes ? score_saturate(growth.low / (double)leak->bytes, GROWTH_WARNING) : 0;
    bool is_proved = proof == LEAKS_PROVED;
    char low[32], high[32], hour[32];
    uint32_t site = stack_site(f, p, leak->stack);
    findings_add(
        f, &(struct finding){
               .kind = FINDING_LEAK,
               .score = is_proved ? score : fmin(score, SCORE_WARNING - 1),
               .text = findings_say(
                   f, "objects of %.200s from %.300s grew by between %s and %s; that is %s an hour%s", profile_text(p, leak->class_name),
                   findings_text(f, site), units_format_bytes(low, sizeof low, amount_whole(growth.low)),
                   units_format_bytes(high, sizeof high, amount_whole(growth.high)),
                   units_format_bytes(hour, sizeof hour, amount_whole(leak->per_hour)),
                   is_proved ? ""
                             : "; the old generation was not collected in each quarter of the recording, so these objects may be garbage"),
               .subject = findings_string(f, profile_text(p, leak->class_name)),
               .site = site,
               .count = leak->objects,
           });
}

void rule_leak(struct findings *f, const struct evidence *e)
{
    struct leaks l;
    if (!e->live)
        return;
    f->failed = leaks_find(&l, e->live) || f->failed;
    for (uint32_t i = 0; i < l.count; i++)
        judge(f, e, &l.rows[i], l.proof);
    leaks_deinit(&l);
}
