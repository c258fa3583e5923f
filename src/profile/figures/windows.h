/* The variance of a share if clocks are by lot (agent/trigger/lot.h). A file of its own, because its unit is the window, all samples of a
 * thread from one draw to the next, and not the sample.
 *
 * Window w was drawn with the chance c. Its samples weigh X together, those that show the figure weigh Y, and p is the figure's share. The
 * variance of p comes from two draws: chance decides whether the window is there, and when its clock expires.
 *
 *   variance * (weight of all samples)^2  =  sum over windows of (1-c) (Y - pX)^2 + c (sum over its samples of (weight * (shows - p))^2)
 *
 * A sample of a thread that has its clock for certain is a window of one, with c = 1. docs/internals/sampling-math.md derives it. */
#ifndef CANDOR_PROFILE_FIGURES_WINDOWS_H
#define CANDOR_PROFILE_FIGURES_WINDOWS_H

#include "profile/profile.h"

#include <stdint.h>

/* Sums over the samples that show a figure, or over all samples. They begin as {0}. */
struct window_sums {
    double weight;
    double squares;  /* over windows, of (1-c) Y^2; */
    double products; /* and of (1-c) Y X */
    double draws;    /* over samples, of c weight^2; */
    double singles;  /* and of weight^2 */
};

/* The sums over all samples, and what follows from them. */
struct window_whole {
    struct window_sums sums;
    double fourth; /* over windows, of the square of what each contributes to `squares` and `draws` */
};

/* Adds a sample that shows the figure. chance: of its window; 1 = the thread has its clock for certain. */
void window_add_sample(struct window_sums *s, const struct profile_sample *sample, double chance);
/* Adds a window, of which all samples that show the figure were added. */
void window_add(struct window_sums *s, double showing, double length, double chance);
/* Adds a window to the sums of all samples. squares: over its samples, of weight^2. */
void window_whole_add(struct window_whole *whole, double length, double squares, double chance);
/* Adds the sums of one figure to those of another, with which it has no window in common. */
void window_sums_add(struct window_sums *to, const struct window_sums *of);
/* Returns the chance of a sample's window. If a recording does not say it, 0, which makes intervals wider. */
double window_chance(const struct profile_sample *sample);

/* Returns the figure's variance, as a multiple of the variance that the effective size of the samples (stats_effective_size) gives. It is
 * at least that of independent samples. What it is beyond that is an estimate from the windows; if they are few, it is multiplied so that
 * an interval is as wide as Student's t demands. If all samples show the figure, or none, each window counts as one draw. */
double window_effect(const struct window_sums *s, const struct window_whole *whole);

#endif
