/* The number that shows a scan that no thread has begun or ended.
 * tier: quick
 * timeout: 30 */
#include "../tap.h"

#include "agent/trigger/tasks/tasks.h"

#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>

enum { TRIES = 10000, SWAPS = 200 };

struct sleeper {
    pthread_t thread;
    sem_t begun, end;
};

static void *sleep_on(void *context)
{
    struct sleeper *s = context;
    sem_post(&s->begun);
    sem_wait(&s->end);
    return NULL;
}

static void begin(struct sleeper *s)
{
    sem_init(&s->begun, 0, 0);
    sem_init(&s->end, 0, 0);
    if (pthread_create(&s->thread, NULL, sleep_on, s))
        abort();
    sem_wait(&s->begun);
}

static void end(struct sleeper *s)
{
    sem_post(&s->end);
    pthread_join(s->thread, NULL);
}

static struct tasks_mark mark(void)
{
    struct tasks_mark m = {0};
    if (!tasks_mark(&m))
        abort();
    return m;
}

static bool is_same(struct tasks_mark a, struct tasks_mark b)
{
    return a.last_id == b.last_id && a.count == b.count;
}

/* A thread that was joined may be counted a little longer. */
static bool is_counted_less_than(unsigned long count)
{
    for (int i = 0; i < TRIES * 100; i++)
        if (mark().count < count)
            return true;
    return false;
}

int main(void)
{
    struct sleeper sleepers[2], *one = &sleepers[0], *other = &sleepers[1];
    int same = 0, swaps = 0;
    for (int i = 0; i < TRIES && !same; i++)
        same = is_same(mark(), mark());
    tap_ok(same, "where nothing began and ended the marks are equal, unless another process began");

    struct tasks_mark before = mark();
    begin(one);
    tap_ok(!is_same(before, mark()), "a thread begins: another mark");
    tap_ok(mark().count == before.count + 1, "and one more is counted");
    for (int i = 0; i < SWAPS; i++) {
        struct tasks_mark with_one = mark();
        begin(other);
        end(one);
        swaps += !is_same(with_one, mark());
        struct sleeper *ended = one;
        one = other;
        other = ended;
    }
    tap_ok(swaps == SWAPS, "one begins, and another ends: another mark, %d of %d times", swaps, SWAPS);
    before = mark();
    end(one);
    tap_ok(is_counted_less_than(before.count), "a thread ends: one less is counted");
    return tap_done();
}
