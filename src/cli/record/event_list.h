/* Checks the value of -e: the events to record, separated by commas, or one event that perf counts. */
#ifndef CANDOR_CLI_RECORD_EVENT_LIST_H
#define CANDOR_CLI_RECORD_EVENT_LIST_H

#include "cli/cli.h"

#include <stdbool.h>
#include <stdint.h>

/* Checks a list of events. NULL means cpu alone, and is valid. The event safepoint, and events that perf counts, must be alone in the
 * list. Only the agent can check whether the machine can count an event or has a tracepoint. Returns CLI_OK, or CLI_USAGE after printing
 * the error. */
int event_list_check(const struct cli_command *command, const char *list);
/* Whether the list has the event. For an event that perf counts, the answer is that of cpu. This function and the following ones need a
 * list that was checked. */
bool event_list_has(const char *list, const char *event);
/* Whether the list is a single event that perf counts. */
bool event_list_counts(const char *list);
/* Returns the smallest --event-interval of an event that perf counts; 0 for any other list. */
uint64_t event_list_least(const char *list);

#endif
