/* Writes the books of a recording, for all its events, as lines of accounts (base/agreed/accounts.h): their present state,
 * the base from which a new chunk's books count, and the last lines of a recording that a fault in the agent ended.
 *
 *   accounts_begin -> [ accounts_write, accounts_write_bases, accounts_flushed ]* -> accounts_write_last_words
 *
 * All on the agent's thread. */
#ifndef CANDOR_AGENT_COLLECT_SAMPLING_ACCOUNTS_H
#define CANDOR_AGENT_COLLECT_SAMPLING_ACCOUNTS_H

#include "agent/collect/books/books.h"
#include "agent/collect/books/event_books.h"
#include "agent/collect/sampling/snapshots.h"
#include "agent/record/recording.h"
#include "agent/trigger/clocks/clock.h"

#include <stdbool.h>
#include <stdint.h>

/* The sources of the books; all of it stays the caller's. */
struct accounts_of {
    struct recording *recording;
    bool cpu; /* it has books of the event cpu: these */
    const struct clock *clock;
    const struct books *books;
    const struct event_books *event_books; /* instead of most of them, if the clock counts something other than CPU time */
    const struct snapshots *snapshots;
};

void accounts_begin(const struct accounts_of *them);
void accounts_write(void);
/* Call it at the beginning of a chunk that may later become the first of the file. */
void accounts_write_bases(uint64_t now);
/* Notes that the lines written last are in the file for good. */
void accounts_flushed(void);
/* A separate turn (hot/thread/turn.h), after one that was left at an arbitrary point: opens the file again, and ends it. It contains the
 * books of the last flush; CPU time used since then is lost. */
void accounts_write_last_words(void *unused);

#endif
