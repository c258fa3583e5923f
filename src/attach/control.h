/* The client of the agent's control socket (docs/formats/control.md). Each call is one connection, with one request and one answer. */
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
    int passed; /* a descriptor to send with the request, -1 = none */
};

struct control_answer {
    struct {
        const char *key, *value; /* value is decoded; both point into text */
    } pairs[CONTROL_PAIRS_MAX];
    int count;
    char *text;
};

void control_begin(struct control_request *r, const char *command);
/* Adds key=value; a NULL value adds nothing. */
void control_option(struct control_request *r, const char *key, const char *value);
/* Adds an open file to the request, into which the agent then writes under this name. It must be open for reading and writing. The
 * descriptor remains the caller's, and must stay open until the request is sent. */
void control_pass_file(struct control_request *r, const char *name, int fd);
/* Sends the request to the agent in the process and receives the answer. The request cannot be used again, even after an error. On success,
 * free the answer with control_answer_free.
 *
 * Returns 0, or with e: -ESRCH the process is gone, -ENOENT no agent listens there, -EACCES it is another user's process, -EPERM the socket
 * belongs to another user, -ETIMEDOUT, -EREMOTEIO the agent answered `error`, -EPROTO the answer is malformed, -EMSGSIZE. */
int control_send(pid_t pid, struct control_request *r, uint64_t timeout_ns, struct control_answer *answer, struct error *e);
/* Parses the text of an answer. The text is changed and must outlive the answer. It is public for tests. Returns 0, or -EREMOTEIO or
 * -EPROTO with e. */
int control_parse(char *text, struct control_answer *answer, struct error *e);
void control_answer_free(struct control_answer *answer);

/* Returns the value of a key, or NULL. */
const char *control_text(const struct control_answer *answer, const char *key);
/* Returns the value as a number, or `otherwise` if the value is missing or is not a number. */
uint64_t control_number(const struct control_answer *answer, const char *key, uint64_t otherwise);

#endif
