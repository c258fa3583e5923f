/* A store of the last two days, for tests that damage it. One store at a time. */
#ifndef TESTS_STORE_DAYS_H
#define TESTS_STORE_DAYS_H

#include "store/store.h"

enum { DAYS_S = 86400 };

/* Called before a recording is read, with its number (see days_add); NULL = nothing. Returns 0, or a code that reading then returns. */
extern int (*days_before_load)(uint32_t number);

/* The folder of the next store: one of this name, which is new. */
void days_begin(const char *name);
/* Opens the store, which reads recordings again for wait_ns at most (store_options.reread_wait_ns). Ends the test if that fails. */
struct store *days_open(uint64_t wait_ns);
/* Adds recordings of today and of yesterday in turn, numbered from `first`; number i has the weight 100 + i. Returns the sum of their
 * weights. */
uint64_t days_add(struct store *s, uint32_t first, uint32_t count);
/* Returns the sum of all weights, and what the answer lacks. */
uint64_t days_sum_missing(struct store *s, struct missing *missing);
uint64_t days_sum(struct store *s, bool *complete);
/* Runs a shell command in the store's folder. Returns whether it succeeded. */
bool days_run(const char *command);
/* Removes everything. Returns whether that succeeded. */
bool days_end(void);

#endif
