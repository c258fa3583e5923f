#include "daemon/post.h"

#include <curl/curl.h>
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { CONNECT_S = 10, STALL_S = 30, TOTAL_S = 300, HEADER_MAX = 4608 };

struct post {
    void *library;
    CURL *curl;
    const atomic_bool *cancel;
    char problem[CURL_ERROR_SIZE];
    struct {
        __typeof__(&curl_global_init) global_init;
        __typeof__(&curl_easy_init) easy_init;
        __typeof__(&curl_easy_cleanup) easy_cleanup;
        __typeof__(&curl_easy_reset) easy_reset;
        __typeof__(&(curl_easy_setopt)) easy_setopt;
        __typeof__(&(curl_easy_getinfo)) easy_getinfo;
        __typeof__(&curl_easy_perform) easy_perform;
        __typeof__(&curl_easy_strerror) easy_strerror;
        __typeof__(&curl_slist_append) slist_append;
        __typeof__(&curl_slist_free_all) slist_free_all;
    } call;
    const char *ca_file;
};

static int find_functions(struct post *h, struct error *e)
{
    const struct {
        const char *name;
        void *place;
    } functions[] = {
        {"curl_global_init", &h->call.global_init},   {"curl_easy_init", &h->call.easy_init},
        {"curl_easy_cleanup", &h->call.easy_cleanup}, {"curl_easy_reset", &h->call.easy_reset},
        {"curl_easy_setopt", &h->call.easy_setopt},   {"curl_easy_getinfo", &h->call.easy_getinfo},
        {"curl_easy_perform", &h->call.easy_perform}, {"curl_easy_strerror", &h->call.easy_strerror},
        {"curl_slist_append", &h->call.slist_append}, {"curl_slist_free_all", &h->call.slist_free_all},
    };
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        void *found = dlsym(h->library, functions[i].name);
        if (!found)
            return error_set(e, -ENOTSUP, "this libcurl has no %s; install a newer one", functions[i].name);
        memcpy(functions[i].place, &found, sizeof found);
    }
    return 0;
}

static int load_library(struct post *h, struct error *e)
{
    static const char *const names[] = {"libcurl.so.4", "libcurl-gnutls.so.4", "libcurl-nss.so.4"};
    for (int i = 0; i < 3 && !h->library; i++)
        h->library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
    if (!h->library)
        return error_set(e, -ENOENT, "cannot send: libcurl is not installed; apt-get install libcurl4");
    int code = find_functions(h, e);
    if (!code && h->call.global_init(CURL_GLOBAL_DEFAULT))
        code = error_set(e, -EIO, "cannot send: libcurl cannot be set up");
    return code;
}

struct post *post_new(const char *ca_file, const atomic_bool *cancel, struct error *e)
{
    struct post *h = calloc(1, sizeof *h);
    if (!h) {
        error_set(e, -ENOMEM, "out of memory");
        return NULL;
    }
    h->ca_file = ca_file;
    h->cancel = cancel;
    if (load_library(h, e)) {
        post_free(h);
        return NULL;
    }
    h->curl = h->call.easy_init();
    if (!h->curl) {
        error_set(e, -ENOMEM, "cannot send: libcurl has no memory");
        post_free(h);
        return NULL;
    }
    return h;
}

void post_free(struct post *h)
{
    if (h && h->curl)
        h->call.easy_cleanup(h->curl);
    free(h); /* the library stays: it may have started threads */
}

struct body {
    const struct post_letter *post;
    uint64_t at;
};

static size_t give_body(char *out, size_t size, size_t count, void *context)
{
    struct body *b = context;
    uint64_t left = b->post->size - b->at, want = size * count;
    ssize_t n = pread(b->post->fd, out, want < left ? want : left, (off_t)(b->post->offset + b->at));
    if (n < 0 || (n == 0 && left))
        return CURL_READFUNC_ABORT;
    b->at += (uint64_t)n;
    return (size_t)n;
}

static size_t take_answer(char *bytes, size_t size, size_t count, void *context)
{
    struct post_answer *a = context;
    size_t used = strlen(a->text), n = size * count, room = sizeof a->text - 1 - used;
    memcpy(a->text + used, bytes, n < room ? n : room);
    a->text[used + (n < room ? n : room)] = 0;
    return n; /* the rest is passed over; the time is bounded */
}

static int watch(void *context, curl_off_t a, curl_off_t b, curl_off_t c, curl_off_t d)
{
    const struct post *h = context;
    return atomic_load(h->cancel);
}

static struct curl_slist *headers_of(struct post *h, const struct post_letter *p)
{
    char line[HEADER_MAX];
    struct curl_slist *list = h->call.slist_append(NULL, "Content-Type: application/octet-stream");
    snprintf(line, sizeof line, "Idempotency-Key: %s", p->key);
    list = h->call.slist_append(list, line);
    list = h->call.slist_append(list, "Expect:"); /* a server that refuses says so anyway */
    snprintf(line, sizeof line, "Authorization: Bearer %s", p->token);
    return *p->token ? h->call.slist_append(list, line) : list;
}

static void set_up(struct post *h, const struct post_letter *p, struct body *body, struct post_answer *answer)
{
    CURL *c = h->curl;
    h->call.easy_reset(c);
    h->call.easy_setopt(c, CURLOPT_URL, p->url);
    h->call.easy_setopt(c, CURLOPT_POST, 1L);
    h->call.easy_setopt(c, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)p->size);
    h->call.easy_setopt(c, CURLOPT_READFUNCTION, give_body);
    h->call.easy_setopt(c, CURLOPT_READDATA, body);
    h->call.easy_setopt(c, CURLOPT_WRITEFUNCTION, take_answer);
    h->call.easy_setopt(c, CURLOPT_WRITEDATA, answer);
    h->call.easy_setopt(c, CURLOPT_NOPROGRESS, 0L);
    h->call.easy_setopt(c, CURLOPT_XFERINFOFUNCTION, watch);
    h->call.easy_setopt(c, CURLOPT_XFERINFODATA, h);
    h->call.easy_setopt(c, CURLOPT_ERRORBUFFER, h->problem);
    h->call.easy_setopt(c, CURLOPT_NOSIGNAL, 1L);
    h->call.easy_setopt(c, CURLOPT_USERAGENT, "candor/" CANDOR_VERSION);
    h->call.easy_setopt(c, CURLOPT_CONNECTTIMEOUT, (long)CONNECT_S);
    h->call.easy_setopt(c, CURLOPT_TIMEOUT, (long)TOTAL_S);
    h->call.easy_setopt(c, CURLOPT_LOW_SPEED_LIMIT, 1L);
    h->call.easy_setopt(c, CURLOPT_LOW_SPEED_TIME, (long)STALL_S);
    if (*h->ca_file)
        h->call.easy_setopt(c, CURLOPT_CAINFO, h->ca_file);
}

int post_send(struct post *h, const struct post_letter *post, struct post_answer *answer, struct error *e)
{
    struct body body = {post, 0};
    curl_off_t retry_after = 0;
    *answer = (struct post_answer){0};
    *h->problem = 0;
    struct curl_slist *headers = headers_of(h, post);
    set_up(h, post, &body, answer);
    h->call.easy_setopt(h->curl, CURLOPT_HTTPHEADER, headers);
    CURLcode rc = h->call.easy_perform(h->curl);
    h->call.easy_getinfo(h->curl, CURLINFO_RESPONSE_CODE, &answer->status);
    h->call.easy_getinfo(h->curl, CURLINFO_RETRY_AFTER, &retry_after);
    h->call.slist_free_all(headers);
    if (rc == CURLE_ABORTED_BY_CALLBACK && atomic_load(h->cancel))
        return error_set(e, -ECANCELED, "the daemon is ending");
    if (rc)
        return error_set(e, -EIO, "%s", *h->problem ? h->problem : h->call.easy_strerror(rc));
    answer->retry_after_ns = retry_after > 0 && retry_after < 1000000000 ? (uint64_t)retry_after * 1000000000 : 0;
    return 0;
}
