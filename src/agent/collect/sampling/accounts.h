/* Writes the books of each recording, for all its events, as lines of accounts (base/agreed/accounts.h): their present state, the base from
 * which the file's first chunk counts, and the last lines of recordings that a fault in the agent ended.
 *
 *   accounts_begin -> [ accounts_write, accounts_write_bases, accounts_flushed ]* -> accounts_write_last_words
 *
 * All functions run on the agent's thread. */
#ifndef CANDOR_AGENT_COLLECT_SAMPLING_ACCOUNTS_H
#define CANDOR_AGENT_COLLECT_SAMPLING_ACCOUNTS_H

#include "agent/collect/books/books.h"
#include "agent/collect/books/event_books.h"
#include "agent/collect/sampling/sinks.h"
#include "agent/record/recording.h"
#include "agent/trigger/clocks/clock.h"

#include <stdbool.h>
#include <stdint.h>

/* The sources of the books. All of it remains the caller's property. */
struct accounts_of {
    struct recording *whole;
    const struct clock *clock;
    const struct books *books;
    const struct event_books *event_books; /* used in place of most of `books` if the clock does not count CPU time */
};

void accounts_begin(const struct accounts_of *them);
void accounts_write(struct sink *s);
/* Writes the bases. Call it at the beginning of a chunk that is the first of the file, or may later become the first. */
void accounts_write_bases(struct sink *s);
/* Notes that the lines written last are in the file for good. */
void accounts_flushed(struct sink *s);
/* Opens the files again after a fault, and ends them. It runs in a separate turn (hot/thread/turn.h), after a turn that was left at an
 * arbitrary point. The files contain the books of the last flush. CPU time used since that flush is not in them. */
void accounts_write_last_words(void *unused);

#endif
