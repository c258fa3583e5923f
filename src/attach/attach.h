/* HotSpot's attach protocol in plain C: makes a running JVM load an agent library, or run a diagnostic command. */
#ifndef CANDOR_ATTACH_ATTACH_H
#define CANDOR_ATTACH_ATTACH_H

#include "attach/process.h"
#include "base/buffer.h"
#include "base/error.h"

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Loads the library (absolute path as the JVM sees it; before JDK 24 it and the options have at most 1023 bytes each) with
 * Agent_OnAttach(options); returns when that has returned 0. The JVM must be ours, or we root. A process is sent SIGQUIT (the
 * JVM's wake-up call) only when it is a JVM that has a handler for it and is not known to refuse.
 *
 * 0, or with e: -ESRCH gone, -ENOEXEC no JVM, -EACCES another user's, -EOPNOTSUPP attach or loading is disabled,
 * -ETIMEDOUT, -EREMOTEIO the JVM or the agent refused, -EAGAIN the process is stopped, -EBUSY it still starts, -ENAMETOOLONG,
 * -EPROTONOSUPPORT. */
int attach_load(pid_t pid, const char *library, const char *options, uint64_t timeout_ns, struct error *e);

/* Whether its attach socket is open, so that it need not be woken by a signal: with -Xrs it is open from the start, otherwise
 * once somebody has attached. Connects to it, and requests nothing. */
bool attach_is_open(const struct process *p, uint64_t timeout_ns);

/* Whether a file of another user has the name of the JVM's socket. *owner: that user. The file is not changed. */
bool attach_is_taken(const struct process *p, uid_t *owner);

/* Judges the JVM's answer to `load`: 0, -EOPNOTSUPP, -EBUSY (it still starts), -EPROTONOSUPPORT (it does not speak that version of
 * the protocol) or -EREMOTEIO with e. The text is zero-terminated. */
int attach_parse_reply(pid_t pid, const char *reply, struct error *e);

/* Has the JVM do what `jcmd PID COMMAND` would; at most 1023 bytes. Wakes it, if need be, under the same conditions. The answer,
 * initialized by the caller, holds the JVM's whole answer, zero-terminated: attach_answer_text. A command may fail and still have been
 * done as the protocol sees it: its text says so.
 *
 * 0, or with e: what attach_load gives, but for what loading alone can run into; -EREMOTEIO has the JVM's text: it has no such command,
 * for one. */
int attach_command(pid_t pid, const char *command, uint64_t timeout_ns, struct buffer *answer, struct error *e);
/* Judges the status in an answer. It does not need the JVM. */
int attach_parse_answer(pid_t pid, const char *answer, struct error *e);
/* The text after the status line. */
const char *attach_answer_text(const char *answer);

#endif
