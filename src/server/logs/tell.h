/* The operator's log, on standard error: one line for each event. It is bounded, so that an event that happens all the time, or that a
 * client can cause, neither fills the disk nor hides other events. Lines beyond the limit are counted. Any thread may call these
 * functions. */
#ifndef CANDOR_SERVER_LOGS_TELL_H
#define CANDOR_SERVER_LOGS_TELL_H

#include <stdint.h>

enum { TELL_WINDOW_S = 10, TELL_LINES = 200 }; /* lines in a window */

void tell_line(const char *text);
/* Reports how many lines were left out, if their window is over. Call it every few seconds. */
void tell_rest(void);
/* Returns how many lines were left out since the start. */
uint64_t tell_left_out(void);

#endif
