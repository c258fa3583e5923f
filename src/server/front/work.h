/* Work of a connection that a worker does: its own, or that of one of its HTTP/2 streams. It goes from the loop to a worker and back, so
 * each struct work is with one thread at a time. */
#ifndef CANDOR_SERVER_FRONT_WORK_H
#define CANDOR_SERVER_FRONT_WORK_H

#include "server/front/workers.h"

struct connection;
struct stream;

enum task { TASK_HANDSHAKE, TASK_BEGIN, TASK_BODY, TASK_DROP };

struct work {
    struct job job; /* the first member: a worker gets this */
    struct connection *connection;
    struct stream *stream; /* NULL = the connection's own work */
    enum task task;
};

#endif
