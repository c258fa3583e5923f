/* The client of the agent's control socket (docs/formats/control.md): one request, one answer, each call a connection. */
#ifndef CANDOR_ATTACH_CONTROL_H
#define CANDOR_ATTACH_CONTROL_H

#include "base/buffer.h"
#include "base/error.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

enum { CONTROL_REQUEST_MAX = 8 << 10, CONTROL_ANSWER_MAX = 64 << 10, CONTROL_PAIRS_MAX = 64 };

/* A request under construction: control_begin, control_option..., control_send. */
struct control_request {
    struct buffer line;
    int options;
    int passed; /* a descriptor to send along, -1 = none */
};

struct control_answer {
    struct {
        const char *key, *value; /* value decoded; both point into text */
    } pairs[CONTROL_PAIRS_MAX];
    int count;
    char *text;
};

void control_begin(struct control_request *r, const char *command);
/* Adds key=value; a NULL value adds nothing. */
void control_option(struct control_request *r, const char *key, const char *value);
/* Adds an open file to the request, which the agent then writes under this name. It must be open for reading and writing. The
 * descriptor stays the caller's, and must be open until the request is sent. */
void control_pass_file(struct control_request *r, const char *name, int fd);
/* Sends the request to the agent in the process and takes the answer; the request is used up in any case. On success the
 * answer must be freed with control_answer_free.
 *
 * 0, or with e: -ESRCH the process is gone, -ENOENT no agent listens there, -EACCES another user's process, -EPERM the
 * socket is somebody else's, -ETIMEDOUT, -EREMOTEIO the agent said `error`, -EPROTO garbage, -EMSGSIZE. */
int control_send(pid_t pid, struct control_request *r, uint64_t timeout_ns, struct control_answer *answer, struct error *e);
/* Takes the text of an answer apart (for tests); the text is changed and must outlive the answer. 0, -EREMOTEIO or
 * -EPROTO with e. */
int control_parse(char *text, struct control_answer *answer, struct error *e);
void control_answer_free(struct control_answer *answer);

/* The value of a key, or NULL. */
const char *control_text(const struct control_answer *answer, const char *key);
/* The value as a number; otherwise when missing or no number. */
uint64_t control_number(const struct control_answer *answer, const char *key, uint64_t otherwise);

#endif
