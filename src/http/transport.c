#include "http/transport_request.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CONNECT_S = 10, HEADER_MAX = 4608 };

int transport_find(const struct transport *t, const struct transport_function *functions, size_t count, struct error *e)
{
    for (size_t i = 0; i < count; i++) {
        void *found = dlsym(t->library, functions[i].name);
        if (!found)
            return error_set(e, -ENOTSUP, "this libcurl has no %s; install a newer one", functions[i].name);
        memcpy(functions[i].place, &found, sizeof found);
    }
    return 0;
}

static int find_functions(struct transport *t, struct error *e)
{
    const struct transport_function functions[] = {
        {"curl_global_init", &t->call.global_init},   {"curl_easy_init", &t->call.easy_init},
        {"curl_easy_cleanup", &t->call.easy_cleanup}, {"curl_easy_reset", &t->call.easy_reset},
        {"curl_easy_setopt", &t->call.easy_setopt},   {"curl_easy_getinfo", &t->call.easy_getinfo},
        {"curl_easy_perform", &t->call.easy_perform}, {"curl_easy_strerror", &t->call.easy_strerror},
        {"curl_slist_append", &t->call.slist_append}, {"curl_slist_free_all", &t->call.slist_free_all},
    };
    return transport_find(t, functions, sizeof functions / sizeof *functions, e);
}

/* Sets the library up once. Older ones take neither two threads that do it at once nor so many calls that their counter overflows: many.c
 * makes a transport for each request. */
static int set_up(const struct transport *t)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static bool done;
    pthread_mutex_lock(&lock);
    done = done || !t->call.global_init(CURL_GLOBAL_DEFAULT);
    bool ready = done;
    pthread_mutex_unlock(&lock);
    return ready ? 0 : -EIO;
}

static int load_library(struct transport *t, struct error *e)
{
    static const char *const names[] = {"libcurl.so.4", "libcurl-gnutls.so.4", "libcurl-nss.so.4"};
    for (int i = 0; i < 3 && !t->library; i++)
        t->library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
    if (!t->library)
        return error_set(e, -ENOENT, "no server can be reached: libcurl is not installed; apt-get install libcurl4");
    int code = find_functions(t, e);
    if (!code && set_up(t))
        code = error_set(e, -EIO, "no server can be reached: libcurl cannot be set up");
    return code;
}

struct transport *transport_new(const char *ca_file, const atomic_bool *cancel, struct error *e)
{
    struct transport *t = calloc(1, sizeof *t);
    if (!t) {
        error_set(e, -ENOMEM, "out of memory");
        return NULL;
    }
    t->ca_file = ca_file;
    t->certificate = t->key = "";
    t->cancel = cancel;
    if (load_library(t, e)) {
        transport_free(t);
        return NULL;
    }
    t->curl = t->call.easy_init();
    if (!t->curl) {
        error_set(e, -ENOMEM, "no server can be reached: libcurl has no memory");
        transport_free(t);
        return NULL;
    }
    return t;
}

void transport_use_certificate(struct transport *t, const char *certificate, const char *key)
{
    t->certificate = certificate;
    t->key = key;
}

void transport_free(struct transport *t)
{
    if (t && t->curl)
        t->call.easy_cleanup(t->curl);
    free(t); /* the library stays loaded, because it may have started threads */
}

static bool is_cancelled(const struct transport *t)
{
    return t->cancel && atomic_load(t->cancel);
}

static int watch(void *context, curl_off_t a, curl_off_t b, curl_off_t c, curl_off_t d)
{
    return is_cancelled(context);
}

void transport_header(struct transport *t, const char *format, ...)
{
    char line[HEADER_MAX];
    va_list args;
    va_start(args, format);
    vsnprintf(line, sizeof line, format, args);
    va_end(args);
    t->headers = t->call.slist_append(t->headers, line);
    explicit_bzero(line, sizeof line);
}

void transport_begin(struct transport *t, const char *url, const char *token, long stall_s)
{
    CURL *c = t->curl;
    t->headers = NULL;
    *t->problem = 0;
    t->call.easy_reset(c);
    t->call.easy_setopt(c, CURLOPT_URL, url);
    t->call.easy_setopt(c, CURLOPT_NOPROGRESS, 0L);
    t->call.easy_setopt(c, CURLOPT_XFERINFOFUNCTION, watch);
    t->call.easy_setopt(c, CURLOPT_XFERINFODATA, t);
    t->call.easy_setopt(c, CURLOPT_ERRORBUFFER, t->problem);
    t->call.easy_setopt(c, CURLOPT_NOSIGNAL, 1L);
    t->call.easy_setopt(c, CURLOPT_USERAGENT, "candor/" CANDOR_VERSION);
    t->call.easy_setopt(c, CURLOPT_CONNECTTIMEOUT, (long)CONNECT_S);
    t->call.easy_setopt(c, CURLOPT_LOW_SPEED_LIMIT, 1L);
    t->call.easy_setopt(c, CURLOPT_LOW_SPEED_TIME, stall_s);
    if (*t->ca_file)
        t->call.easy_setopt(c, CURLOPT_CAINFO, t->ca_file);
    if (*t->certificate) {
        t->call.easy_setopt(c, CURLOPT_SSLCERT, t->certificate);
        t->call.easy_setopt(c, CURLOPT_SSLKEY, t->key);
    }
    if (*token)
        transport_header(t, "Authorization: Bearer %s", token);
}

static int code_of(CURLcode rc)
{
    switch (rc) {
    case CURLE_COULDNT_RESOLVE_HOST:
    case CURLE_COULDNT_CONNECT:
        return -ECONNREFUSED;
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_CACERT_BADFILE:
        return -EACCES;
    default:
        return -EIO;
    }
}

void transport_abandon(struct transport *t)
{
    t->call.slist_free_all(t->headers);
    t->headers = NULL;
}

int transport_end(struct transport *t, CURLcode rc, long *status, struct error *e)
{
    *status = 0;
    t->call.easy_getinfo(t->curl, CURLINFO_RESPONSE_CODE, status);
    transport_abandon(t);
    if (rc == CURLE_ABORTED_BY_CALLBACK && is_cancelled(t))
        return error_set(e, -ECANCELED, "given up: the end has come");
    return rc ? error_set(e, code_of(rc), "%s", *t->problem ? t->problem : t->call.easy_strerror(rc)) : 0;
}

int transport_perform(struct transport *t, long *status, struct error *e)
{
    t->call.easy_setopt(t->curl, CURLOPT_HTTPHEADER, t->headers);
    return transport_end(t, t->call.easy_perform(t->curl), status, e);
}
