#include "profile/figures/windows.h"

#include "profile/figures/significance.h"

#include <math.h>

static const double TAIL = 0.025; /* beyond each end of an interval of 95 % */

static double square_of(const struct profile_sample *sample)
{
    return (double)sample->weight * (double)sample->weight / sample->count;
}

double window_chance(const struct profile_sample *sample)
{
    return sample->window ? sample->chance / 100.0 : 1;
}

void window_add_sample(struct window_sums *s, const struct profile_sample *sample, double chance)
{
    s->weight += (double)sample->weight;
    s->draws += chance * square_of(sample);
    s->singles += square_of(sample);
}

void window_add(struct window_sums *s, double showing, double length, double chance)
{
    s->squares += (1 - chance) * showing * showing;
    s->products += (1 - chance) * showing * length;
}

void window_whole_add(struct window_whole *whole, double length, double squares, double chance)
{
    double contribution = (1 - chance) * length * length + chance * squares;
    window_add(&whole->sums, length, length, chance);
    whole->fourth += contribution * contribution;
}

/* The variance is a sum of what the windows contribute, and chance decides which windows do. So its own relative variance is `fourth` /
 * sum^2, and that of chi square with f degrees is 2/f. */
void window_whole_finish(struct window_whole *whole)
{
    double sum = whole->sums.squares + whole->sums.draws, degrees = whole->fourth > 0 ? 2 * sum * sum / whole->fourth : 1;
    double wider = significance_student(TAIL, degrees) / significance_normal(TAIL);
    whole->widening = wider * wider;
}

void window_sums_add(struct window_sums *to, const struct window_sums *of)
{
    to->weight += of->weight;
    to->squares += of->squares;
    to->products += of->products;
    to->draws += of->draws;
    to->singles += of->singles;
}

double window_effect(const struct window_sums *s, const struct window_whole *whole)
{
    const struct window_sums *all = &whole->sums;
    double p = all->weight > 0 ? s->weight / all->weight : 0;
    if (!(all->singles > 0))
        return 1;
    if (!(p > 0 && p < 1))
        return whole->widening * fmax(1, (all->squares + all->draws) / all->singles);
    double between = s->squares - 2 * p * s->products + p * p * all->squares;
    double within = (1 - 2 * p) * s->draws + p * p * all->draws;
    double independent = (1 - 2 * p) * s->singles + p * p * all->singles;
    return whole->widening * fmax(between + within, independent) / (all->singles * p * (1 - p));
}
