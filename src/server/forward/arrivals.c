#include "server/forward/arrivals.h"

#include "base/text/hex.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

enum { LEAVE_TRIES = 2 };

int arrivals_open(struct arrivals **out, const char *url, const struct s3_options *o, const atomic_bool *stop,
                  void (*tell)(const char *text), struct error *e)
{
    struct arrivals *a = *out = calloc(1, sizeof *a);
    if (!a)
        return error_set(e, -ENOMEM, "out of memory");
    pthread_mutex_init(&a->lock, NULL);
    a->tell = tell;
    int rc = s3_open(&a->s3, url, o, stop, e);
    if (rc) {
        arrivals_close(a);
        *out = NULL;
    }
    return rc;
}

void arrivals_close(struct arrivals *a)
{
    if (!a)
        return;
    s3_close(a->s3);
    pthread_mutex_destroy(&a->lock);
    free(a);
}

void arrivals_note(struct arrivals *a, const struct error *failure)
{
    char text[600];
    pthread_mutex_lock(&a->lock);
    bool changed = a->failed != (failure != NULL);
    a->failed = failure != NULL;
    a->counts.failures += failure != NULL;
    pthread_mutex_unlock(&a->lock);
    if (!changed)
        return;
    snprintf(text, sizeof text, "--arrivals: %.500s", failure ? failure->text : "recordings can be left and taken again");
    for (char *c = text; *c; c++)
        *c = (unsigned char)*c < ' ' ? ' ' : *c;
    a->tell(text);
}

int arrivals_leave(struct arrivals *a, const char *file, struct error *e)
{
    struct envelope v;
    struct error why;
    char name[ARRIVALS_NAME] = ARRIVALS_WAIT;
    int rc = envelope_open(&v, file, e);
    if (rc)
        return rc;
    hex_put(name + sizeof ARRIVALS_WAIT - 1, v.identity, sizeof v.identity);
    rc = s3_put(a->s3, name, v.map, v.map_size, LEAVE_TRIES, &why);
    envelope_close(&v);
    if (rc != -ECANCELED) /* the end of this server is no failure of the other */
        arrivals_note(a, rc ? &why : NULL);
    if (rc) /* the sender need not know where the object storage is */
        return error_set(e, rc, "the object storage for recordings (--arrivals) does not take it now");
    pthread_mutex_lock(&a->lock);
    a->counts.left++;
    pthread_mutex_unlock(&a->lock);
    return 0;
}

struct arrivals_counts arrivals_counts(struct arrivals *a)
{
    pthread_mutex_lock(&a->lock);
    struct arrivals_counts counts = a->counts;
    pthread_mutex_unlock(&a->lock);
    return counts;
}
