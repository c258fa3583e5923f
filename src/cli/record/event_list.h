/* The value of -e: the events to record, separated by commas, or one event that perf counts. */
#ifndef CANDOR_CLI_RECORD_EVENT_LIST_H
#define CANDOR_CLI_RECORD_EVENT_LIST_H

#include "cli/cli.h"

#include <stdbool.h>
#include <stdint.h>

/* Checks a list of events. NULL means cpu alone, and is good. The event safepoint, and events that perf counts, must be alone in the
 * list. Only the agent can check whether the machine can count an event or has a tracepoint. CLI_OK, or CLI_USAGE with the line
 * printed. */
int event_list_check(const struct cli_command *command, const char *list);
/* The following functions need a list that was checked. Whether it has the event. An event that perf counts is found as cpu. */
bool event_list_has(const char *list, const char *event);
/* Whether the list is an event that perf counts. */
bool event_list_counts(const char *list);
/* The smallest --event-interval of an event that perf counts; 0 for any other list. */
uint64_t event_list_least(const char *list);

#endif
