/* What the files of /v1/changes share. */
#ifndef CANDOR_SERVER_FLEET_CHANGES_PARTS_H
#define CANDOR_SERVER_FLEET_CHANGES_PARTS_H

#include "profile/figures/changes.h"
#include "server/metrics/cost.h"
#include "server/request/question.h"

/* One of the two sides that are compared. */
struct fleet_side {
    struct selector selector;
    char *select;                    /* its text */
    char value[LABEL_VALUE_MAX + 1]; /* of the label that was asked `by`; "" = the sides were given */
    int64_t from, to;
    struct store_result result;
    uint64_t seconds; /* that its recordings cover, over all hosts */
    double requests;  /* per second, of an average host; 0 = unknown */
};

/* The cost of a request by the requests that recordings count, of the hosts that count them. */
struct fleet_requests {
    bool known;
    uint32_t hosts[2];
    struct fleet_estimate cost[2]; /* in the unit of fleet_per_second */
    struct fleet_estimate change;  /* the second one divided by the first */
};

struct fleet_changes {
    struct http *http;
    struct error *error; /* of the comparison */
    struct question query;
    const char *by;    /* the label whose values are compared */
    const char *split; /* NULL, or a label whose values are distinguished among the causes */
    uint32_t limit;
    bool all;
    uint32_t few;               /* a side with fewer hosts is split into blocks of time */
    struct fleet_side sides[2]; /* by enum changes_side */
    struct changes changes;
    bool told; /* the client says how many requests there are */
    struct fleet_requests requests;
};

/* Reads before, after and by, and chooses the sides. Returns 0, or a code if it has already answered with an error. */
int changes_sides(struct fleet_changes *f);
/* Adds the rows of a side to the comparison. Returns 0, or a code with a message in e. */
int changes_take(struct fleet_changes *f, enum changes_side side, struct error *e);
/* Finds the cost of a request after the comparison, and sets `requests` of the sides, unless no recording counts requests or the cost is
 * not possible (server/metrics/cost.h). Returns 0, or a code with a message in e. */
int changes_requests(struct fleet_changes *f, struct error *e);
/* Returns how much weight a unit of answers is: a second, if the weight is time. */
double fleet_unit(const struct fleet_side *side);
/* Returns weight per second: cores, for CPU time. */
double fleet_per_second(const struct fleet_side *side, double weight);
/* Whether to give the question up, as store_is_over says: 0, or a code with a message in f->error. f: a struct fleet_changes. */
int changes_give_up(void *f);
/* Returns 0, or a code with a message in f->error. */
int changes_write(struct fleet_changes *f, struct http_writer *w);

#endif
