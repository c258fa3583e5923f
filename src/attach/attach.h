/* HotSpot's attach protocol in plain C: makes a running JVM load an agent library, or run a diagnostic command. */
#ifndef CANDOR_ATTACH_ATTACH_H
#define CANDOR_ATTACH_ATTACH_H

#include "attach/process.h"
#include "base/buffer.h"
#include "base/error.h"

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Loads the library with Agent_OnAttach(options), and returns when that has returned 0. library: the absolute path as the JVM sees it.
 * Before JDK 24, the path and the options have at most 1023 bytes each. The JVM must belong to our user, or we must be root. A process is
 * sent SIGQUIT, which wakes the JVM's attach listener, only if it is a JVM that has a handler for it and is not known to refuse.
 *
 * Returns 0, or with e: -ESRCH the process is gone, -ENOEXEC it is not a JVM, -EACCES it belongs to another user, -EOPNOTSUPP attach or
 * loading is disabled, -ETIMEDOUT, -EREMOTEIO the JVM or the agent refused, -EAGAIN the process is stopped, -EBUSY it is still starting,
 * -ENAMETOOLONG, -EPROTONOSUPPORT. */
int attach_load(pid_t pid, const char *library, const char *options, uint64_t timeout_ns, struct error *e);

/* Whether the JVM's attach socket is open, so that no signal is needed to wake it. With -Xrs the socket is open from the start, otherwise
 * after the first attach. The function connects to the socket, and requests nothing. */
bool attach_is_open(const struct process *p, uint64_t timeout_ns);

/* Whether a file with the name of the JVM's socket belongs to another user. *owner: that user. The file is not changed. */
bool attach_is_taken(const struct process *p, uid_t *owner);

/* Judges the JVM's answer to `load`: 0, -EOPNOTSUPP, -EBUSY (it still starts), -EPROTONOSUPPORT (it does not speak that version of
 * the protocol) or -EREMOTEIO with e. The text is zero-terminated. */
int attach_parse_reply(pid_t pid, const char *reply, struct error *e);

/* Runs a diagnostic command, like `jcmd PID COMMAND`. The command has at most 1023 bytes. The JVM is woken, if necessary, under the same
 * conditions as above. The caller initializes `answer`, which receives the JVM's whole answer, zero-terminated (see attach_answer_text). A
 * command may fail although the protocol reports success: then its text says so.
 *
 * Returns 0, or with e the errors of attach_load, except those of loading. -EREMOTEIO has the JVM's text, for instance that it has no such
 * command. */
int attach_command(pid_t pid, const char *command, uint64_t timeout_ns, struct buffer *answer, struct error *e);
/* Judges the status in an answer. It does not need the JVM. */
int attach_parse_answer(pid_t pid, const char *answer, struct error *e);
/* Returns the text after the status line. */
const char *attach_answer_text(const char *answer);

#endif
