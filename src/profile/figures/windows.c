#include "profile/figures/windows.h"

#include <math.h>

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

void window_sums_add(struct window_sums *to, const struct window_sums *of)
{
    to->weight += of->weight;
    to->squares += of->squares;
    to->products += of->products;
    to->draws += of->draws;
    to->singles += of->singles;
}

/* Returns the square of Student's t for intervals of 95 %, divided by the normal distribution's. This is Fisher's expansion, which is a
 * hundredth off for 2 degrees, the fewest here: the exact t would take longer than all the rest. */
static double widening(double degrees)
{
    double wider = 1 + (1.2104 + (1.4401 + (1.3041 + 0.8110 / degrees) / degrees) / degrees) / degrees;
    return wider * wider;
}

/* Returns the degrees of freedom of the sum of what windows contribute. Chance decides which windows do, so its relative variance is
 * `fourth` / sum^2; that of chi square with f degrees is 2/f. */
static double degrees_of(const struct window_whole *whole)
{
    double sum = whole->sums.squares + whole->sums.draws;
    return 2 * sum * sum / whole->fourth;
}

double window_effect(const struct window_sums *s, const struct window_whole *whole)
{
    const struct window_sums *all = &whole->sums;
    double p = all->weight > 0 ? s->weight / all->weight : 0;
    if (!(all->singles > 0))
        return 1;
    if (!(p > 0 && p < 1))
        return fmax(1, (all->squares + all->draws) / all->singles);
    double between = s->squares - 2 * p * s->products + p * p * all->squares;
    double within = (1 - 2 * p) * s->draws + p * p * all->draws;
    double independent = (1 - 2 * p) * s->singles + p * p * all->singles;
    double variance = fmax(between + within, independent), excess = variance - independent;
    /* Only the excess is an estimate: Satterthwaite's degrees for the sum of both. */
    double wider = excess > 0 ? widening(degrees_of(whole) * variance * variance / (excess * excess)) : 1;
    return wider * variance / (all->singles * p * (1 - p));
}
