#include "agent/entry/jvmti/jvmti_collections.h"

#include "agent/entry/jvmti/jvmti_events.h"
#include "agent/hot/fault/visit.h"

#include <stdatomic.h>
#include <stddef.h>

enum { USERS_MAX = 2 };

static jvmtiEnv *jvmti;
/* The agent's thread writes them, and the JVM's thread reads them. Relaxed, because a late or an additional call does no harm. */
static const struct jvmti_collections_user *_Atomic users[USERS_MAX];

static const struct jvmti_events events = {{.can_generate_garbage_collection_events = 1},
                                           JVMTI_EVENT_GARBAGE_COLLECTION_START,
                                           JVMTI_EVENT_GARBAGE_COLLECTION_FINISH};

static const struct jvmti_collections_user *user_at(int i)
{
    return atomic_load_explicit(&users[i], memory_order_relaxed);
}

static int count_users(void)
{
    int count = 0;
    for (int i = 0; i < USERS_MAX; i++)
        count += user_at(i) != NULL;
    return count;
}

static void replace(const struct jvmti_collections_user *before, const struct jvmti_collections_user *after)
{
    for (int i = 0; i < USERS_MAX; i++)
        if (user_at(i) == before) {
            atomic_store_explicit(&users[i], after, memory_order_relaxed);
            return;
        }
}

jvmtiError jvmti_collections_open(const struct jvmti_collections_user *user)
{
    jvmtiError rc = count_users() ? JVMTI_ERROR_NONE : jvmti_events_on(jvmti, &events);
    if (!rc)
        replace(NULL, user);
    return rc;
}

void jvmti_collections_close(const struct jvmti_collections_user *user)
{
    replace(user, NULL);
    if (!count_users())
        jvmti_events_off(jvmti, &events);
}

static void tell_started(void *unused)
{
    for (int i = 0; i < USERS_MAX; i++) {
        const struct jvmti_collections_user *user = user_at(i);
        if (user && user->started)
            user->started();
    }
}

static void tell_finished(void *unused)
{
    for (int i = 0; i < USERS_MAX; i++) {
        const struct jvmti_collections_user *user = user_at(i);
        if (user)
            user->finished();
    }
}

void JNICALL jvmti_collections_started(jvmtiEnv *env)
{
    if (!turn_has_faulted())
        visit(tell_started, NULL);
}

void JNICALL jvmti_collections_finished(jvmtiEnv *env)
{
    if (!turn_has_faulted())
        visit(tell_finished, NULL);
}

void jvmti_collections_init(jvmtiEnv *env)
{
    jvmti = env;
}
