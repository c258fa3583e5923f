/* Reads recordings again that the catalog does not know. See reread.c. */
#ifndef CANDOR_STORE_REREAD_H
#define CANDOR_STORE_REREAD_H

#include "store/store_internal.h"

/* The segments of a catalog that is gone mean nothing to a new one: moves them to quarantine/ until reread_begin is done with them. */
int reread_put_segments_aside(struct store *s, struct error *e);
/* Whether they are there. */
bool reread_has_segments(const struct store *s);

/* Begins, when the store is opened, and waits until all is done or was tried, or for wait_ns at most; 0 = without a limit. Other threads go
 * on with the rest. Returns 0, or a code with a message in e. Call reread_end in each case, before the catalog is closed. */
int reread_begin(struct store *s, uint64_t wait_ns, struct error *e);
/* Ends soon. What is not done is left to the next start. */
void reread_end(struct store *s);
/* Whether all is done. Until then, the store must not be maintained. */
bool reread_is_over(const struct store *s);
/* Returns how many recordings answers lack; at least 1 until all is done. Call it before you read the catalog. */
uint64_t reread_left(const struct store *s);

#endif
