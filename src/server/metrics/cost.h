/* The cost of a request: the weight of some hosts divided by the requests that they counted, with its 95 % interval. It is a ratio of two
 * sums over hosts, so its variance is that of the hosts' deviations from it, if that is more than the draw of the samples. */
#ifndef CANDOR_SERVER_METRICS_COST_H
#define CANDOR_SERVER_METRICS_COST_H

#include "base/text/jsonw.h"
#include "store/query/label_sums.h"

struct fleet_estimate {
    double value, low, high; /* with its 95 % interval */
};

/* The type of the rows that count requests. They are no samples: all requests are counted. */
#define COST_REQUESTS "requests:count"
bool cost_is_of_requests(const char *type);

/* Whether the requests of a selection and of its groups are counted: requests have an endpoint, and no other label of samples, so they
 * cannot be compared with the weight of samples that have one, or lack it. Both may be NULL. by: as in
 * store_label_sums. */
bool cost_is_possible(const struct selector *s, const char *by);

/* Whether a host counts: it must count its requests in nearly all of the time that its recordings cover. */
bool cost_is_known(double known_ns, double covered_ns);
/* Computes the interval of a ratio from the variance of its logarithm: that of draws alone, and that by the squares of the deviations of so
 * many hosts. The larger one counts. */
struct fleet_estimate cost_estimate(double ratio, double draws, double squares, uint32_t hosts);
/* Writes the members value, low and high. */
void cost_put(struct jsonw *j, const struct fleet_estimate *of);

/* ---- the costs of groups, such as endpoints ---- */

/* costs_find -> [ costs_of ]* -> costs_deinit (after a failure, too). There is one owner. */
struct costs {
    struct strtab groups, types, hosts; /* a host is its name and its service */
    struct cost_time {
        double known_ns, covered_ns;
    } * times; /* by host */
    uint32_t times_cap;
    struct cost_group {
        double requests, squares; /* of all its hosts, and the squares of each host's part */
        uint32_t hosts;
    } * by_group;
    struct map requests; /* (group, host) -> place in `counts` */
    double *counts;
    uint32_t count, count_cap;
    struct map places; /* (group, type) -> place in `cells` */
    struct cost_cell {
        double weight, draws; /* of all hosts, and the sum of the squares of single samples */
        double squares;       /* the squares of the hosts' deviations, beyond those of cost_group */
        uint32_t hosts;       /* beyond those of cost_group */
    } * cells;
    uint32_t cell_count, cell_cap;
};

/* Finds the cost of a request for each group and type that q selects. by: the labels that make groups, as in store_label_sums; the service
 * is the first. Returns 0 or a code with a message in e. Without counted requests, or if the cost is not possible, there are no costs. */
int costs_find(struct costs *c, struct store *s, const struct store_query *q, const char *by, struct error *e);
/* Returns whether the cost is known. group: the group's values, as in the list of store_label_sums. value: in the unit of the type. */
bool costs_of(const struct costs *c, const char *group, const char *type, struct fleet_estimate *out, uint32_t *hosts);
void costs_deinit(struct costs *c);

#endif
