/* The value of -e: the events to record, separated by commas, or one event that perf counts. */
#ifndef CANDOR_CLI_RECORD_EVENT_LIST_H
#define CANDOR_CLI_RECORD_EVENT_LIST_H

#include "cli/cli.h"

#include <stdbool.h>
#include <stdint.h>

/* Whether the agent takes the list; NULL, which is cpu alone, it does. Safepoint and what perf counts go alone; whether the machine can
 * count one, and has a tracepoint, the agent knows. CLI_OK, or CLI_USAGE with the line printed. */
int event_list_check(const struct cli_command *command, const char *list);
/* The next are of a list that was checked. Whether it has the event; that of a clock is cpu, whatever it counts. */
bool event_list_has(const char *list, const char *event);
/* Whether it is one that perf counts. */
bool event_list_counts(const char *list);
/* The least --event-interval of one that perf counts; 0 of any other list. */
uint64_t event_list_least(const char *list);

#endif
