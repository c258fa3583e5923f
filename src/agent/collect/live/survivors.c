#include "agent/collect/live/survivors.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int survivors_init(struct survivors *s, uint32_t capacity)
{
    *s = (struct survivors){.capacity = capacity, .held = calloc(capacity, sizeof *s->held)};
    return s->held ? 0 : -ENOMEM;
}

void survivors_deinit(struct survivors *s)
{
    free(s->held);
    *s = (struct survivors){0};
}

/* ---- the heap ---- */

static void swap(struct survivor *a, struct survivor *b)
{
    struct survivor c = *a;
    *a = *b;
    *b = c;
}

static void rise(struct survivor *held, uint32_t i)
{
    while (i && held[i].priority < held[(i - 1) / 2].priority) {
        swap(&held[i], &held[(i - 1) / 2]);
        i = (i - 1) / 2;
    }
}

static void sink(struct survivor *held, uint32_t count, uint32_t i)
{
    for (;;) {
        uint32_t least = i;
        for (uint32_t child = 2 * i + 1; child <= 2 * i + 2 && child < count; child++)
            if (held[child].priority < held[least].priority)
                least = child;
        if (least == i)
            return;
        swap(&held[i], &held[least]);
        i = least;
    }
}

/* ---- thresholds ---- */

/* Returns the highest priority that has left since this entry arrived. The list is short, because it keeps a departure only if all later
 * ones have lower priorities. */
static double threshold(const struct survivors *s, const struct survivor *one)
{
    for (uint32_t i = 0; i < s->gone_count; i++)
        if (s->gone[i].arrival >= one->arrival)
            return s->gone[i].priority > one->threshold ? s->gone[i].priority : one->threshold;
    return one->threshold;
}

static void bring_up_to_date(struct survivors *s)
{
    for (uint32_t i = 0; i < s->count; i++)
        s->held[i].threshold = threshold(s, &s->held[i]);
    s->gone_count = 0;
}

static void note_gone(struct survivors *s, double priority)
{
    while (s->gone_count && s->gone[s->gone_count - 1].priority <= priority)
        s->gone_count--;
    if (s->gone_count == SURVIVORS_GONE_MAX)
        bring_up_to_date(s);
    s->gone[s->gone_count++] = (struct survivors_gone){s->arrivals, priority};
}

/* ---- the set ---- */

/* Returns a number in (0, 1]. */
static double unit(uint64_t random)
{
    return (double)((random >> 11) + 1) * 0x1p-53;
}

bool survivors_add(struct survivors *s, uint64_t span, uint64_t size, void *object, uint64_t random, void **gone)
{
    struct survivor one = {.span = span, .size = size, .object = object, .priority = (double)span / unit(random), .arrival = ++s->arrivals};
    if (s->count < s->capacity) {
        s->held[s->count] = one;
        rise(s->held, s->count++);
        return false;
    }
    if (s->held[0].priority < one.priority) {
        swap(&s->held[0], &one);
        sink(s->held, s->count, 0);
    }
    note_gone(s, one.priority);
    *gone = one.object;
    return true;
}

uint32_t survivors_part(struct survivors *s, const bool *is_alive)
{
    uint32_t count = s->count, alive = 0;
    for (uint32_t i = 0; i < count; i++)
        if (is_alive[i])
            swap(&s->held[alive++], &s->held[i]);
    s->count = alive;
    for (uint32_t i = alive / 2; i-- > 0;)
        sink(s->held, alive, i);
    return count - alive;
}

uint64_t survivors_bytes(const struct survivors *s, const struct survivor *one)
{
    double least = threshold(s, one), most = 0x1p62;
    return least > (double)one->span ? (uint64_t)((least < most ? least : most) + 0.5) : one->span;
}

/* An object of s bytes that stands for b bytes is in the set with probability s/b, so its variance b^2 s/b (1 - s/b) is estimated by
 * b^2 (1 - s/b). */
double survivors_variance(uint64_t bytes, uint64_t size)
{
    return bytes > size ? (double)bytes * (double)(bytes - size) : 0;
}
