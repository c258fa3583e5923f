/* Makes one request over a transport, for the files of this folder:
 *
 *   transport_begin -> t->call.easy_setopt(t->curl, ...), transport_header ... -> transport_perform */
#ifndef CANDOR_HTTP_TRANSPORT_REQUEST_H
#define CANDOR_HTTP_TRANSPORT_REQUEST_H

#include "http/transport.h"

#include <curl/curl.h>

struct transport {
    void *library;
    CURL *curl;
    struct curl_slist *headers;
    const atomic_bool *cancel;
    const char *ca_file, *certificate, *key; /* "" = none */
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
};

/* Begins a request. stall_s: after this many seconds without any byte in either direction, the request fails. token: "" = none. */
void transport_begin(struct transport *t, const char *url, const char *token, long stall_s);
void transport_header(struct transport *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Sends the request. Returns 0 and the status if there is an answer. Otherwise returns a negative code with a message in e: -ECANCELED,
 * -ECONNREFUSED if there is no server, -EACCES if its certificate is not trusted, or -EIO. */
int transport_perform(struct transport *t, long *status, struct error *e);

/* The two below are for many.c, which lets libcurl perform many requests at once. */
/* Ends a request that libcurl has performed with this result. Returns as transport_perform does. */
int transport_end(struct transport *t, CURLcode rc, long *status, struct error *e);
/* Frees the headers of a request that was not performed. */
void transport_abandon(struct transport *t);

/* A function of libcurl, and the pointer that gets its address. */
struct transport_function {
    const char *name;
    void *place;
};
/* Finds functions in the library that t has loaded. Returns 0, or -ENOTSUP with e if it lacks one. */
int transport_find(const struct transport *t, const struct transport_function *functions, size_t count, struct error *e);

#endif
