/* Chunks with known halts; tests/unit/test_halts.c asserts what they contain. Times are ms from the start, within one second. */
#ifndef TESTS_HALTS_CRAFT_H
#define TESTS_HALTS_CRAFT_H

#include "base/buffer.h"

#include <stdbool.h>

/* Written like the JDK's recorder: one safepoint in six events, collections with and without pauses, waits of three threads, exceptions,
 * samples; in no order. */
void craft_halts_jdk(struct buffer *b);
/* A safepoint from 100 to 104 ms whose threads are asked to stop at 101, and weighed samples. */
void craft_halts_busy(struct buffer *b);
/* The same safepoint, and a number of samples of one stack with a number of frames, all of which belong to the JDK. */
void craft_halts_deep(struct buffer *b, unsigned frames, unsigned samples);
/* A safepoint from 100 to 104 ms, and threads "t0", "t1", ...: each ran for 1 ms until 500, except the last one, which ran for 50 ms
 * until 900. */
void craft_halts_crowd(struct buffer *b, unsigned threads);
/* A safepoint from 100 to 150 ms whose threads are asked to stop at 101: "t0" to "t6" run for 1 ms, and "t7" runs for 20 ms after them. */
void craft_halts_late(struct buffer *b);
/* Written like the agent: a pause that the JDK also reports, another pause, and safepoints that were counted. */
void craft_halts_agent(struct buffer *b);
/* Waits as the agent with the event lock writes them. Both of these are also reported by the JDK: worker waits for a monitor, 38 ms from
 * 301 ms on, and late is parked, 10 ms from 340 on. Only the agent reports these: worker again, 5 ms from 620 on, and main is parked, 3
 * ms from 700 on. Weights are durations. */
void craft_halts_waits(struct buffer *b);
/* The same for a recording of 320 ms. At its end two waits for a monitor go on: worker's since 301 ms, which the JDK reports, too, and
 * late's since 310, which the JDK does not report. */
void craft_halts_open(struct buffer *b);
/* A recording of the agent with these events, followed by the JDK's chunk. With the event lock it has the agent's wait of the worker for
 * a monitor, from 300 to 340 ms, and parks unless they are unseen. The JDK's chunk has all of craft_halts_jdk, and says that it is five
 * seconds long. */
void craft_halts_joined(struct buffer *b, const char *events, bool parks);

#endif
