/* Writes the daemon's log: one line per event on standard error, `event key=value ...`. Under journald, a line begins with its priority
 * (sd-daemon(3)), otherwise with the time. Any thread may call these functions, because a line is one write. Control characters and invalid
 * UTF-8 become '?', because parts of a line may be from strangers. */
#ifndef CANDOR_DAEMON_LOG_H
#define CANDOR_DAEMON_LOG_H

#include <stddef.h>
#include <stdint.h>

void log_info(const char *format, ...) __attribute__((format(printf, 1, 2)));
void log_warning(const char *format, ...) __attribute__((format(printf, 1, 2)));
void log_error(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Copies the last warning or error to text, and returns its time (by clock_realtime_ns; 0 = none yet). */
uint64_t log_last_problem(char *text, size_t size);

#endif
