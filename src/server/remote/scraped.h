/* Reads metrics in Prometheus' text format, as the server writes them for a scrape. So remote write sends the same metrics that a scrape
 * gets.
 *
 *   scraped_init -> [ scraped_read ]* -> read `series` and `families` -> scraped_deinit
 *
 * All texts are in `texts`. One owner, no locking. */
#ifndef CANDOR_SERVER_REMOTE_SCRAPED_H
#define CANDOR_SERVER_REMOTE_SCRAPED_H

#include "base/strtab.h"

#include <stdbool.h>

enum scraped_type { SCRAPED_UNKNOWN, SCRAPED_COUNTER, SCRAPED_GAUGE, SCRAPED_HISTOGRAM }; /* numbers of remote write's MetricType */

struct scraped_family {
    uint32_t name, help; /* texts */
    enum scraped_type type;
};

struct scraped_label {
    uint32_t name, value; /* texts */
};

struct scraped_labels {
    uint32_t first, count; /* in `labels` */
};

struct scraped_series {
    struct scraped_labels labels; /* sorted by name; __name__ is one of them */
    uint32_t family;              /* place in `families` */
    double value;
    bool has_exemplar;
    struct scraped_labels exemplar;
    double exemplar_value;
    double exemplar_s; /* seconds since the epoch; 0 = not known */
};

struct scraped {
    struct strtab texts;
    struct scraped_label *labels;
    uint32_t label_count, label_cap;
    struct scraped_family *families;
    uint32_t family_count, family_cap;
    struct scraped_series *series;
    uint32_t series_count, series_cap;
};

int scraped_init(struct scraped *s); /* 0 or -ENOMEM; call scraped_deinit in each case */
void scraped_deinit(struct scraped *s);
/* Adds the series of a text. Each gets the further labels `job` and `instance`. Returns 0, -ENOMEM, or -EINVAL if a line cannot be read. */
int scraped_read(struct scraped *s, const char *text, const char *job, const char *instance);

#endif
