/* The events that a recording can have, one row each. The command line and the daemon check names with these rows, the agent records the
 * events, and the declared types of a recording file come from these rows.
 *
 * EVENT(symbol, name). The rows have the order in which help texts and recordings list the events. A recording has one or several of
 * RECORDING_EVENTS_TOGETHER, or only safepoint. In place of cpu it may have one event that perf counts.
 *
 * A new event needs a row here; docs/internals/adding.md has the other steps. */
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

/* Lists of the names for help texts and messages: "cpu, wall, ..." and "cpu|wall|...|safepoint". */
#define RECORDING_EVENT_COMMA(symbol, name) ", " name
#define RECORDING_EVENT_BAR(symbol, name)   "|" name
#define RECORDING_EVENT_TOGETHER            "cpu" RECORDING_EVENTS_BESIDE_CPU(RECORDING_EVENT_COMMA)
#define RECORDING_EVENT_WORDS               "cpu" RECORDING_EVENTS_BESIDE_CPU(RECORDING_EVENT_BAR) "|safepoint"

#endif
