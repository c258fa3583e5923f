/* Key metrics over time, of all selected JVMs together or by the values of a label.
 *
 *   key_series_ask -> [ key_series_value ... ]* -> key_series_deinit
 *
 * A value is computed in this order, from the amounts of JVMs by minute (store/query/metrics.h):
 *   rates and levels   the values of the JVMs in a minute are added up; the value of a step is the mean of its minutes, weighed by how
 *                      much of them recordings cover. So JVMs that follow each other count as one, and minutes without recordings do not
 *                      count
 *   shares             the sum of the amounts, divided by the sum of the bases
 *   the longest        the largest amount */
#ifndef CANDOR_SERVER_METRICS_KEY_SERIES_H
#define CANDOR_SERVER_METRICS_KEY_SERIES_H

#include "store/query/metrics.h"

enum { KEY_SERIES_POINTS_MAX = 4000000 };

struct key_series {
    int64_t begin, step; /* seconds, whole minutes: step k is the time from begin + k * step to begin + (k + 1) * step */
    uint32_t step_count;
    enum key_metric metrics[KEY_METRICS];
    uint32_t metric_count;
    struct key_group {
        uint32_t value; /* of the label, a string id in `of.values` */
        struct key_point {
            double sum, over;
        } * points;                /* of each metric and step */
        struct key_point *minutes; /* of each metric and minute of the hour: the sum over JVMs, and the time that it stands for. NULL =
                                      the group has no data in this hour */
    } * groups;                    /* the values of the label that have data, in the order in which they were found */
    uint32_t group_count, group_cap;
    struct map places; /* value -> place in groups */
    int64_t hour;      /* that `minutes` are of */
    struct store_metrics of;
};

/* Asks for the wanted metrics (bits 1 << enum key_metric). step: seconds, whole minutes. Steps begin at multiples of it, so that the same
 * minutes are in one step, whatever time is asked for. 0 = the whole time is one step. by: a label, or NULL. Returns 0, or a code with a
 * message in e: -E2BIG if there are more than KEY_SERIES_POINTS_MAX points. Call key_series_deinit in each case. */
int key_series_ask(struct key_series *s, struct store *store, const struct store_query *q, uint64_t wanted, int64_t step, const char *by,
                   struct error *e);
/* Returns the value of the metric in that place of `metrics`, for a group and a step. Returns false if there is none. */
bool key_series_value(const struct key_series *s, uint32_t metric, uint32_t group, uint32_t step, double *value);
void key_series_deinit(struct key_series *s);

#endif
