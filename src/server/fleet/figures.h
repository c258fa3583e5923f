/* Shared by the answers about methods: the labels that make groups, and figures with their shares and intervals. */
#ifndef CANDOR_SERVER_FLEET_FIGURES_H
#define CANDOR_SERVER_FLEET_FIGURES_H

#include "base/buffer.h"
#include "server/request/http.h"
#include "store/functions.h"

/* The labels that make groups, for store_functions. */
struct figures_by {
    struct buffer names; /* with STORE_BY_SEPARATOR between them, and a zero byte at the end; empty = no labels */
};

/* Reads the parameter `by`: labels with commas between them. Those in `first`, a list of the same form, come first, whatever else is named.
 * Returns 0, or a code if it has already answered with an error. Call figures_by_deinit in each case. */
int figures_by_init(struct figures_by *by, struct http *h, const char *first);
/* Adds a label, unless it is one of them. */
void figures_by_add(struct figures_by *by, const char *name, size_t len);
void figures_by_deinit(struct figures_by *by);
/* Returns the names for struct store_function_query, or NULL if there are none. */
const char *figures_by_names(const struct figures_by *by);
/* Writes the member "by", a list of names, or the member "labels": the names with a group's values. */
void figures_put_by(struct jsonw *j, const struct figures_by *by);
void figures_put_labels(struct jsonw *j, const struct figures_by *by, const char *values);

/* All samples that figures are a part of. */
struct figures_whole {
    uint64_t weight, samples;
    double squares;
};

void figures_add(struct figures_whole *to, const struct store_group *group);
/* Adds the figures of a row to another one. */
void figures_add_row(struct store_function *to, const struct store_function *row);
double figures_effective(const struct figures_whole *whole);
/* Writes the members sampled, sample_count and effective_samples. */
void figures_put_whole(struct jsonw *j, const struct figures_whole *whole);
/* Writes the members NAME, NAME_share, NAME_low and NAME_high. */
void figures_put(struct jsonw *j, const char *name, uint64_t weight, const struct figures_whole *whole);
/* Does the same for weights of which none is missing, such as counts of all requests: the share is exact. */
void figures_put_exact(struct jsonw *j, const char *name, uint64_t weight, const struct figures_whole *whole);
/* Writes both figures of a row, with samples and self_samples, as in the JSON of `candor report`. */
void figures_put_row(struct jsonw *j, const struct store_function *row, const struct figures_whole *whole);

#endif
