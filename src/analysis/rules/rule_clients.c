/* Finds HTTP clients of the JDK that are made again and again. Making one takes little CPU time where it is asked for: most goes into
 * threads that each client starts for itself. One of these has the client's number in its name, so the clients can be counted. */
#include "analysis/rules.h"

#include "analysis/findings.h"
#include "analysis/stack.h"
#include "base/map.h"
#include "base/time_units.h"

#include <stdio.h>
#include <stdlib.h>

#define CLIENTS_WARNING 5.0 /* a second */

enum { CLIENTS_LEAST = 10 };

/* Returns the number of the client whose thread has this name; 0 = it is another thread. The JDK's first client has the number 1. */
static uint32_t client_of(const char *name)
{
    uint32_t number;
    int end = 0;
    if (*name != 'H') /* a recording may have many threads, and is judged in many windows */
        return 0;
    return sscanf(name, "HttpClient-%u-SelectorManager%n", &number, &end) == 1 && end && !name[end] ? number : 0;
}

/* Adds the clients whose threads have samples; a window has the threads of the whole recording. Returns how many are new. */
static uint32_t add_clients(struct findings *f, const struct profile *p, struct map *seen)
{
    uint32_t count = 0, *clients = p ? calloc((size_t)p->thread_count + 1, sizeof *clients) : NULL;
    for (uint32_t i = 0; clients && i < p->thread_count; i++)
        clients[i] = client_of(profile_text(p, p->threads[i].name));
    for (uint32_t i = 0; clients && i < p->sample_count; i++) {
        bool added = false;
        uint32_t client = clients[p->samples[i].thread];
        if (client && !map_add(seen, client, &added))
            f->failed = true;
        count += added;
    }
    f->failed = f->failed || (p && !clients);
    free(clients);
    return count;
}

static uint32_t making_line(struct findings *f, const struct evidence *e)
{
    const struct profile *const all[] = {e->cpu, e->alloc, e->wall};
    uint32_t line = 0;
    for (size_t i = 0; i < sizeof all / sizeof *all && !line && !f->failed; i++) {
        struct stack_marks marks;
        if (all[i] && stack_marks_of(&marks, f, all[i]))
            f->failed = true;
        else if (all[i])
            line = stack_line_most(f, all[i], &marks, STACK_MAKES_CLIENT, NULL);
    }
    return line;
}

void rule_clients(struct findings *f, const struct evidence *e)
{
    struct map seen;
    if (!e->duration_ns)
        return;
    map_init(&seen);
    uint32_t count = add_clients(f, e->cpu, &seen);
    count += add_clients(f, e->wall, &seen);
    map_deinit(&seen);
    struct amount rate = amount_scaled(amount_count(count), NS_PER_S / (double)e->duration_ns);
    double score = score_saturate(rate.low, CLIENTS_WARNING);
    if (count < CLIENTS_LEAST || score < SCORE_INFO)
        return;
    uint32_t site = making_line(f, e);
    findings_add(
        f, &(struct finding){
               .kind = FINDING_CLIENTS,
               .score = score,
               .text = findings_say(f, "%u different clients of java.net.http were at work, %.1f new ones a second (%.1f to %.1f)%s%.300s",
                                    count, rate.value, rate.low, rate.high, site ? "; they are made at " : "", findings_text(f, site)),
               .site = site,
               .count = count,
           });
}
