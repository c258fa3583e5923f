#include "daemon/demand/poll.h"

#include "http/token.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int post(struct poll *p, const char *body, struct poll_answer *out)
{
    char url[1200], token[TOKEN_MAX];
    int code = token_read(p->token_file, token, &out->error);
    if (code)
        return code;
    snprintf(url, sizeof url, "%s/v1/profiles/poll", p->target->base);
    const struct post_letter letter = {
        .url = url, .token = token, .type = "application/json", .bytes = body, .fd = -1, .size = strlen(body)};
    code = post_send(p->transport, &letter, &out->got, &out->error);
    explicit_bzero(token, sizeof token);
    return code;
}

static void *run(void *context)
{
    struct poll *p = context;
    pthread_mutex_lock(&p->lock);
    while (!p->ending) {
        if (!p->body) {
            pthread_cond_wait(&p->wake, &p->lock);
            continue;
        }
        struct poll_answer answer = {0};
        char *body = p->body;
        p->body = NULL;
        pthread_mutex_unlock(&p->lock);
        answer.code = post(p, body, &answer);
        free(body);
        pthread_mutex_lock(&p->lock);
        p->answer = answer;
        p->state = POLL_ANSWERED;
    }
    pthread_mutex_unlock(&p->lock);
    return NULL;
}

int poll_start(struct poll *p, const struct emit_target *target, const struct ship_files *files, struct error *e)
{
    *p = (struct poll){.target = target, .token_file = files->token};
    p->transport = transport_new(files->ca, &p->cancel, e);
    if (!p->transport)
        return -ENOENT;
    transport_use_certificate(p->transport, files->certificate, files->key);
    pthread_mutex_init(&p->lock, NULL);
    pthread_cond_init(&p->wake, NULL);
    int rc = pthread_create(&p->thread, NULL, run, p);
    p->started = !rc;
    return rc ? error_set(e, -rc, "cannot start a thread: %s", strerror(rc)) : 0;
}

void poll_stop(struct poll *p)
{
    if (!p->started)
        return;
    atomic_store(&p->cancel, true);
    pthread_mutex_lock(&p->lock);
    p->ending = true;
    pthread_cond_broadcast(&p->wake);
    pthread_mutex_unlock(&p->lock);
    pthread_join(p->thread, NULL);
    free(p->body);
    transport_free(p->transport);
    p->started = false;
}

bool poll_is_idle(struct poll *p)
{
    pthread_mutex_lock(&p->lock);
    bool idle = p->state == POLL_IDLE;
    pthread_mutex_unlock(&p->lock);
    return idle;
}

void poll_send(struct poll *p, char *body)
{
    pthread_mutex_lock(&p->lock);
    p->body = body;
    p->state = POLL_SENDING;
    pthread_cond_broadcast(&p->wake);
    pthread_mutex_unlock(&p->lock);
}

bool poll_take(struct poll *p, struct poll_answer *out)
{
    pthread_mutex_lock(&p->lock);
    bool answered = p->state == POLL_ANSWERED;
    if (answered) {
        *out = p->answer;
        p->state = POLL_IDLE;
    }
    pthread_mutex_unlock(&p->lock);
    return answered;
}
