/* Writes the books of a recording, for all its events, as lines of accounts (docs/formats/recording.md): their present state,
 * the base from which a new chunk's books count, and the last lines of a recording that a fault in the agent ended.
 *
 *   accounts_begin -> [ accounts_write, accounts_write_bases, accounts_flushed ]* -> accounts_write_last_words
 *
 * All on the agent's thread. */
#ifndef CANDOR_AGENT_COLLECT_ACCOUNTS_H
#define CANDOR_AGENT_COLLECT_ACCOUNTS_H

#include "agent/collect/books.h"
#include "agent/collect/event_books.h"
#include "agent/collect/snapshots.h"
#include "agent/record/recording.h"
#include "agent/trigger/clock.h"

#include <stdbool.h>
#include <stdint.h>

/* What they are of; all of it stays the caller's. */
struct accounts_of {
    struct recording *recording;
    bool cpu; /* it has books of the event cpu: these */
    const struct clock *clock;
    const struct books *books;
    const struct event_books *event_books; /* in place of most of them, where the clock counts something else than CPU time */
    const struct snapshots *snapshots;
};

void accounts_begin(const struct accounts_of *them);
void accounts_write(void);
/* Where a chunk begins that may come to be the file's first. */
void accounts_write_bases(uint64_t now);
/* What was written last is in the file for good. */
void accounts_flushed(void);
/* A turn of its own (hot/turn.h), after one that was left in the midst of anything: opens the file again, and ends it. The books of the
 * last flush stand in it. What was used since, nobody will see. */
void accounts_write_last_words(void *unused);

#endif
