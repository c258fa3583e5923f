#include "server/request/readiness.h"

#include "base/text/units.h"
#include "base/time_units.h"
#include "server/forward/forward.h"

#include <errno.h>

enum { LATEST_S = 10 };

/* Returns the result of the last check, or of a new one if that was a second ago. One thread at a time checks, without the lock: a disk
 * that hangs keeps one thread, and the others say so. */
static int check(struct server *s, struct error *e)
{
    struct readiness *r = &s->readiness;
    struct error problem = {""};
    pthread_mutex_lock(&r->lock);
    uint64_t now = clock_monotonic_ns();
    bool mine = !r->checking && (!r->checked_ns || now - r->checked_ns > NS_PER_S);
    if (mine) {
        r->checking = true;
        pthread_mutex_unlock(&r->lock);
        int result = s->store ? store_check_ready(s->store, &problem) : forward_check_ready(s->forward, &problem);
        pthread_mutex_lock(&r->lock);
        r->checking = false;
        r->result = result;
        r->problem = problem;
        now = r->checked_ns = clock_monotonic_ns();
    }
    int rc = r->result;
    *e = r->problem;
    if (!r->checked_ns || (now > r->checked_ns && now - r->checked_ns > (uint64_t)LATEST_S * NS_PER_S))
        rc = error_set(e, -EBUSY, "a check of the disk has begun and has not ended yet");
    pthread_mutex_unlock(&r->lock);
    return rc;
}

int readiness_check(struct server *s, struct error *e)
{
    return s->stop.asked ? error_set(e, -ESHUTDOWN, "the server is ending") : check(s, e);
}
