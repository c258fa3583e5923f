/* A stream of an HTTP/2 connection: one request and its answer.
 *
 *     headers -> TASK_BEGIN -> (a piece of the body -> TASK_BODY) ... -> answer -> free
 *                    '-- gRPC: when the five bytes before the message have arrived, too
 *
 * A stream belongs to the loop. While `working` is set, a worker has `request` and `piece`; the loop may then only add received bytes to
 * `in` and set the flags. The window of a stream grows again when a worker has taken the bytes, so a client cannot fill the memory. */
#ifndef CANDOR_SERVER_FRONT_STREAM_H
#define CANDOR_SERVER_FRONT_STREAM_H

#include "server/front/peer.h"
#include "server/front/request.h"
#include "server/front/work.h"

#include <nghttp2/nghttp2.h>
#include <stdatomic.h>

struct stream {
    struct work work;          /* the first member */
    struct stream *next, **at; /* neighbors among the streams of the connection */
    struct stream *next_work;  /* the next stream with work to submit */
    const struct peer *of;
    int32_t id;
    char *method, *path, *authority; /* until the headers are complete; NULL = not received */
    struct buffer fields;            /* the other headers so far, as lines of HTTP/1.1 */
    size_t head_bytes;               /* bytes of all headers so far */
    struct request *request;         /* NULL until the headers are complete */
    struct buffer in;                /* received bytes of the body */
    struct buffer piece;             /* the bytes that a worker has, or had */
    size_t owed;                     /* bytes of the body that are dealt with, for which the client gets its window back */
    struct grpc_answer grpc;         /* for the answer of a call of gRPC */
    uint64_t offset;                 /* bytes of the answer's content, with its prefix, that were put into frames */
    bool too_large;                  /* the headers have more bytes than allowed; those beyond are dropped */
    bool ended;                      /* the client has sent the whole request */
    bool begun;                      /* TASK_BEGIN was submitted */
    bool working;                    /* work was submitted and has not come back */
    bool answering;                  /* the answer was given to nghttp2 */
    bool closed;                     /* nghttp2 has closed the stream, or the connection has ended */
    atomic_bool gone;                /* the same, for the worker to read; it orders no other memory access */
    uint64_t since_ns;               /* when the server began to wait for the body, or to send the answer */
    uint64_t progress_ns;            /* when bytes were last received or sent */
};

/* Makes a stream. `of` must exist as long as the stream. Returns NULL if there is no memory. */
struct stream *stream_new(const struct peer *of, int32_t id);
/* Frees a stream that is closed, and that no worker has, and whose handler does not wait. */
void stream_free(struct stream *s);

/* Adds a header. Returns 0 or -ENOMEM. */
int stream_header(struct stream *s, const uint8_t *name, size_t name_len, const uint8_t *value, size_t value_len);
/* Makes the request when its headers are complete. Returns false if there is no memory. */
bool stream_begin(struct stream *s);
/* Adds bytes of the body. Returns false if there is no memory. */
bool stream_body(struct stream *s, const uint8_t *bytes, size_t n);

enum stream_next {
    STREAM_WAIT,   /* for the client, or for a worker */
    STREAM_WORK,   /* submit s->work */
    STREAM_ANSWER, /* stream_answer */
    STREAM_RESET,  /* there is no answer */
    STREAM_FREE,   /* it is over */
};
/* Decides how to continue. With STREAM_WORK, the stream counts as working. */
enum stream_next stream_next(struct stream *s);
/* Does a worker's part of the work. */
void stream_work(struct stream *s);
/* Answers with an error instead of waiting for the rest of the body. slow: because the client is too slow, otherwise because the server
 * ends. */
void stream_give_up(struct stream *s, bool slow);
/* Whether the server waits for the client to send more of the body. */
bool stream_is_waiting(const struct stream *s);

/* Gives the answer to nghttp2. Returns 0, or a code of nghttp2. */
int stream_answer(struct stream *s, nghttp2_session *session);
/* Says that the client may send its body. */
int stream_continue(struct stream *s, nghttp2_session *session);

#endif
