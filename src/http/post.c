#include "http/post.h"

#include "base/time_units.h"
#include "http/transport_request.h"

#include <string.h>
#include <unistd.h>

enum { STALL_S = 30, TOTAL_S = 300 };

struct body {
    const struct post_letter *post;
    uint64_t at;
};

static size_t give_body(char *out, size_t size, size_t count, void *context)
{
    struct body *b = context;
    uint64_t left = b->post->size - b->at, want = size * count;
    if (b->post->bytes) {
        want = want < left ? want : left;
        memcpy(out, (const char *)b->post->bytes + b->at, want);
        b->at += want;
        return want;
    }
    ssize_t n = pread(b->post->fd, out, want < left ? want : left, (off_t)(b->post->offset + b->at));
    if (n < 0 || (n == 0 && left))
        return CURL_READFUNC_ABORT;
    b->at += (uint64_t)n;
    return (size_t)n;
}

static size_t take_answer(char *bytes, size_t size, size_t count, void *context)
{
    struct post_answer *a = context;
    size_t n = size * count, room = sizeof a->text - 1 - a->size, taken = n < room ? n : room;
    memcpy(a->text + a->size, bytes, taken);
    a->size += taken;
    a->text[a->size] = 0;
    return n; /* the rest is ignored; the time for it is limited */
}

int post_send(struct transport *t, const struct post_letter *post, struct post_answer *answer, struct error *e)
{
    struct body body = {post, 0};
    curl_off_t retry_after = 0;
    *answer = (struct post_answer){0};
    transport_begin(t, post->url, post->token, STALL_S);
    t->call.easy_setopt(t->curl, CURLOPT_TIMEOUT, (long)TOTAL_S);
    t->call.easy_setopt(t->curl, CURLOPT_POST, 1L);
    t->call.easy_setopt(t->curl, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)post->size);
    t->call.easy_setopt(t->curl, CURLOPT_READFUNCTION, give_body);
    t->call.easy_setopt(t->curl, CURLOPT_READDATA, &body);
    t->call.easy_setopt(t->curl, CURLOPT_WRITEFUNCTION, take_answer);
    t->call.easy_setopt(t->curl, CURLOPT_WRITEDATA, answer);
    transport_header(t, "Content-Type: %s", post->type ? post->type : "application/octet-stream");
    if (post->encoding)
        transport_header(t, "Content-Encoding: %s", post->encoding);
    if (post->header)
        transport_header(t, "%s", post->header);
    if (post->key)
        transport_header(t, "Idempotency-Key: %s", post->key);
    transport_header(t, "Expect:"); /* turned off, because a server that refuses the request says so anyway */
    int code = transport_perform(t, &answer->status, e);
    t->call.easy_getinfo(t->curl, CURLINFO_RETRY_AFTER, &retry_after);
    answer->retry_after_ns = retry_after > 0 && retry_after < NS_PER_S ? (uint64_t)retry_after * NS_PER_S : 0;
    return code;
}
