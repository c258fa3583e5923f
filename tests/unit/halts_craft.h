/* Chunks whose halts are known: what they say, tests/unit/test_halts.c asserts. Times are ms from the start, of a second. */
#ifndef TESTS_HALTS_CRAFT_H
#define TESTS_HALTS_CRAFT_H

#include "base/buffer.h"

#include <stdbool.h>

/* As the JDK's recorder tells: one safepoint in six events, collections with and without pauses, waits of three threads, exceptions,
 * samples; all in no order. */
void craft_halts_jdk(struct buffer *b);
/* A safepoint from 100 to 104 ms whose threads are asked to stop at 101, and weighed samples. */
void craft_halts_busy(struct buffer *b);
/* The same safepoint, and so many samples of one stack of so many frames, all of them the JDK's. */
void craft_halts_deep(struct buffer *b, unsigned frames, unsigned samples);
/* A safepoint from 100 to 104 ms, and threads "t0", "t1", ...: each ran for 1 ms until 500, but the last one for 50 ms until 900. */
void craft_halts_crowd(struct buffer *b, unsigned threads);
/* A safepoint from 100 to 150 ms whose threads are asked to stop at 101: "t0" to "t6" run for 1 ms, and "t7" behind them for 20. */
void craft_halts_late(struct buffer *b);
/* As the agent tells: a pause that the JDK told of, another, and safepoints that were counted. */
void craft_halts_agent(struct buffer *b);
/* As the agent with the event lock tells of waits: of worker for a monitor, 38 ms from 301 ms on, and late parked, 10 ms from 340 on, both
 * of which the JDK told of; of worker again, 5 ms from 620 on, and main parked, 3 ms from 700 on. They weigh what they took. */
void craft_halts_waits(struct buffer *b);
/* The same of a recording of 320 ms, at whose end two waits for a monitor went on: worker's since 301 ms, of which the JDK told, too, and
 * late's since 310, of which it did not. */
void craft_halts_open(struct buffer *b);
/* A recording of the agent, of these events, with the JDK's chunk behind it: with the event lock the agent's wait of the worker for a
 * monitor from 300 to 340 ms, and parks unless these are unseen; then all of craft_halts_jdk, in a chunk that says it is five seconds
 * long. */
void craft_halts_joined(struct buffer *b, const char *events, bool parks);

#endif
