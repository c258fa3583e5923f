/* What -e says: which events a recording is to be of, with commas between them. */
#ifndef CANDOR_CLI_EVENT_LIST_H
#define CANDOR_CLI_EVENT_LIST_H

#include "cli/cli.h"

#include <stdbool.h>

/* Those of the agent (enum collect_event). */
#define EVENT_LIST_MEMBERS "cpu|wall|alloc|live|lock|halt|safepoint"

/* Whether the agent takes the list; NULL, which is cpu alone, it does. CLI_OK, or CLI_USAGE with the line printed. */
int event_list_check(const struct cli_command *command, const char *list);
/* Whether a list that was checked has the event. */
bool event_list_has(const char *list, const char *event);

#endif
