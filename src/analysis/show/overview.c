#include "analysis/show/overview.h"

#include "analysis/stack.h"
#include "base/time_units.h"
#include "profile/figures/stats.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static void add(struct overview *v, const struct overview_row *row)
{
    v->rows[v->count++] = *row;
}

/* Returns a mean over the recording's time, from the sum of the samples' weights and the sum of their squares. Each sample is a random
 * draw. */
static struct amount mean_of(double sum, double squares, const struct evidence *e)
{
    return amount_scaled(amount_normal(sum, sqrt(squares)), 1 / (double)e->duration_ns);
}

/* Adds the row of CPU time. Its weights are measured, not drawn. */
static void add_cpu(struct overview *v, struct findings *f, const struct evidence *e)
{
    if (!e->cpu || e->cpu->unit != PROFILE_UNIT_NS)
        return;
    double share;
    uint32_t site = stack_line_most(f, e->cpu, NULL, 0, &share);
    add(v, &(struct overview_row){.id = "cpu",
                                  .words = "processors in use",
                                  .processors = e->processors,
                                  .amount = amount_exact((double)e->cpu->weight / (double)e->duration_ns),
                                  .site = site,
                                  .site_share = share});
}

static void add_ready(struct overview *v, const struct evidence *e)
{
    double sum = 0, squares = 0;
    if (!e->wall || !evidence_has(e, SOURCE_WALL))
        return;
    for (uint32_t i = 0; i < e->wall->sample_count; i++) {
        const struct profile_sample *s = &e->wall->samples[i];
        if (s->state != JFR_STATE_READY)
            continue;
        sum += (double)s->weight;
        squares += (double)s->weight * (double)s->weight;
    }
    add(v, &(struct overview_row){.id = "ready", .words = "threads that had no processor", .amount = mean_of(sum, squares, e)});
}

static void add_monitors(struct overview *v, const struct evidence *e)
{
    double sum = 0;
    if (!e->lock)
        return;
    for (uint32_t i = 0; i < e->lock->sample_count; i++)
        sum += e->lock->samples[i].state == JFR_STATE_MONITOR ? (double)e->lock->samples[i].weight : 0;
    add(v, &(struct overview_row){
               .id = "monitors", .words = "threads that waited for monitors", .amount = amount_exact(sum / (double)e->duration_ns)});
}

static void add_pauses(struct overview *v, const struct evidence *e)
{
    double sum = 0;
    if (!e->halts || !evidence_has(e, SOURCE_PAUSES))
        return;
    for (uint32_t i = 0; i < e->halts->count; i++)
        sum += e->halts->list[i].kind == HALT_GC ? (double)e->halts->list[i].ns : 0;
    add(v, &(struct overview_row){.id = "gc",
                                  .words = "of the time in pauses for garbage collection",
                                  .unit = OVERVIEW_SHARE,
                                  .amount = amount_exact(sum / (double)e->duration_ns)});
}

static void add_allocations(struct overview *v, struct findings *f, const struct evidence *e)
{
    if (!e->alloc)
        return;
    double squares = 0, second = (double)e->duration_ns / NS_PER_S, sum = (double)e->alloc->weight, share;
    uint32_t site = stack_line_most(f, e->alloc, NULL, 0, &share);
    for (uint32_t i = 0; i < e->alloc->sample_count; i++)
        squares += (double)e->alloc->samples[i].weight * (double)e->alloc->samples[i].weight;
    add(v, &(struct overview_row){.id = "alloc",
                                  .words = "allocated",
                                  .unit = OVERVIEW_BYTES,
                                  .amount = amount_scaled(amount_normal(sum, sqrt(squares)), 1 / second),
                                  .site = site,
                                  .site_share = share});
}

void overview_make(struct overview *v, struct findings *f, const struct evidence *e)
{
    *v = (struct overview){0};
    if (!e->duration_ns)
        return;
    add_cpu(v, f, e);
    add_ready(v, e);
    add_monitors(v, e);
    add_pauses(v, e);
    add_allocations(v, f, e);
}

bool overview_is_undecided(const struct finding_gap *gap)
{
    return gap->sources == SOURCE_BIT(SOURCE_GROWTH);
}

const char *overview_again(const struct findings *f, const struct overview *v, char *line, size_t size)
{
    bool helps = false, is_of_jdk = false;
    for (uint32_t i = 0; i < f->gap_count; i++) {
        helps = helps || !overview_is_undecided(&f->gaps[i]);
        is_of_jdk = is_of_jdk || strstr(f->gaps[i].remedy, "--jfr on");
    }
    *line = 0;
    if (helps)
        snprintf(line, size, "candor diagnose %s%s", is_of_jdk ? "--jfr on " : "", v->again ? v->again : "PID");
    return line;
}
