/* The events that a recording can have, a row each: for the command line and the daemon, which check their names, for the agent, which
 * records them, and for the types that the file declares.
 *
 * EVENT(symbol, name). The rows stand in the order in which help and recordings list them. A recording has one or several of
 * RECORDING_EVENTS_TOGETHER, or safepoint alone, or, in place of cpu, one event that perf counts.
 *
 * A new event is a row here; docs/internals/adding.md has the other steps. */
#ifndef CANDOR_BASE_AGREED_RECORDED_EVENTS_H
#define CANDOR_BASE_AGREED_RECORDED_EVENTS_H

#define RECORDING_EVENTS_BESIDE_CPU(EVENT)                                                                                                 \
    EVENT(WALL, "wall")                                                                                                                    \
    EVENT(ALLOC, "alloc")                                                                                                                  \
    EVENT(HALT, "halt")                                                                                                                    \
    EVENT(LOCK, "lock")                                                                                                                    \
    EVENT(LIVE, "live")

#define RECORDING_EVENTS_TOGETHER(EVENT) EVENT(CPU, "cpu") RECORDING_EVENTS_BESIDE_CPU(EVENT)
#define RECORDING_EVENT_ROWS(EVENT)      RECORDING_EVENTS_TOGETHER(EVENT) EVENT(SAFEPOINT, "safepoint")

#define RECORDING_EVENT_PLACE(symbol, name) RECORDING_EVENT_##symbol,
enum recording_event { RECORDING_EVENT_ROWS(RECORDING_EVENT_PLACE) RECORDING_EVENT_COUNT };

/* For texts: "cpu, wall, ..." and "cpu|wall|...|safepoint". */
#define RECORDING_EVENT_COMMA(symbol, name) ", " name
#define RECORDING_EVENT_BAR(symbol, name)   "|" name
#define RECORDING_EVENT_TOGETHER            "cpu" RECORDING_EVENTS_BESIDE_CPU(RECORDING_EVENT_COMMA)
#define RECORDING_EVENT_WORDS               "cpu" RECORDING_EVENTS_BESIDE_CPU(RECORDING_EVENT_BAR) "|safepoint"

#endif
