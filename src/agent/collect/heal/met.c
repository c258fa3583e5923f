#include "agent/collect/heal/met.h"

#include "agent/hot/java/method.h"
#include "agent/hot/record.h"
#include "base/map.h"

#include <string.h>

void met_clear(struct met *m)
{
    memset(m, 0, sizeof *m);
}

void met_restart(struct met *m)
{
    memset(m->slots, 0, sizeof m->slots);
    m->count = 0;
}

/* The frames of one nmethod are adjacent. The outermost one belongs to the method that was compiled. */
bool met_is_approximate(const uint64_t *frames, size_t count, uint32_t *method)
{
    size_t i = 0;
    *method = 0;
    while (i < count && frames[i] >> 60 == JFR_FRAME_KERNEL)
        i++;
    if (i == count || !frame_is_java(frames[i]) || !(frames[i] >> 48 & 1))
        return false;
    for (; i < count && frame_is_java(frames[i]) && frames[i] >> 48 & 1; i++)
        *method = frame_method(frames[i]);
    return true;
}

/* ---- methods whose code returned ---- */

static uint64_t key_of(uint32_t method)
{
    struct method_info info = method_get(method);
    uint64_t hash = hash_mix(hash_bytes(info.class_name, info.class_len));
    hash = hash_mix(hash ^ hash_bytes(info.name, info.name_len));
    return hash_mix(hash ^ hash_bytes(info.descriptor, info.descriptor_len));
}

static bool has_returned(const struct met *m, uint32_t method)
{
    uint64_t key = m->returned_count ? key_of(method) : 0;
    for (size_t i = 0; i < m->returned_count; i++)
        if (m->returned[i] == key)
            return true;
    return false;
}

static void note_returned(struct met *m, struct met_method *one)
{
    one->state = MET_KEPT;
    one->fate = OLD_METHOD_RETURNED;
    if (m->returned_count < MET_RETURNED_MAX && !has_returned(m, one->method))
        m->returned[m->returned_count++] = key_of(one->method);
}

/* ---- the table ---- */

/* Returns the slot of the method, or a free one; NULL if the table is full. */
static struct met_method *find(struct met *m, uint32_t method)
{
    uint32_t at = method * UINT32_C(2654435769) % MET_SLOTS;
    while (m->slots[at].method && m->slots[at].method != method)
        at = (at + 1) % MET_SLOTS;
    if (m->slots[at].method)
        return &m->slots[at];
    if (m->count == MET_MAX)
        return NULL;
    m->count++;
    m->slots[at] = (struct met_method){.method = method};
    if (has_returned(m, method))
        note_returned(m, &m->slots[at]);
    return &m->slots[at];
}

bool met_sample(struct met *m, uint32_t method, uint64_t weight)
{
    struct met_method *one = method ? find(m, method) : NULL;
    if (!one)
        return false;
    one->weight += weight;
    one->recent += weight;
    if (one->state == MET_DISCARDED && one->tries == MET_TRIES_MAX)
        note_returned(m, one);
    else if (one->state == MET_DISCARDED)
        one->state = MET_SPARSE;
    return one->state == MET_SPARSE;
}

static struct met_method *hottest(struct met *m)
{
    struct met_method *best = NULL;
    for (size_t i = 0; i < MET_SLOTS; i++) {
        struct met_method *one = &m->slots[i];
        if (one->method && one->state == MET_SPARSE && !one->picked && one->recent && (!best || one->recent > best->recent))
            best = one;
    }
    return best;
}

static struct old_method old_method(const struct method_info *info)
{
    return (struct old_method){.class_name = info->class_name,
                               .class_len = info->class_len,
                               .name = info->name,
                               .name_len = info->name_len,
                               .descriptor = info->descriptor,
                               .descriptor_len = info->descriptor_len};
}

size_t met_pick(struct met *m, struct old_method *methods, size_t max)
{
    size_t count = 0;
    for (struct met_method *one; count < max && (one = hottest(m));) {
        struct method_info info = method_get(one->method);
        methods[count] = old_method(&info);
        methods[count].again = one->tries > 0;
        one->picked = &methods[count++];
    }
    return count;
}

static size_t discarded(struct met_method *one)
{
    one->state = MET_DISCARDED;
    one->tries++;
    return 1;
}

size_t met_settle(struct met *m)
{
    size_t count = 0;
    for (size_t i = 0; i < MET_SLOTS; i++) {
        struct met_method *one = &m->slots[i];
        if (!one->picked)
            continue;
        one->fate = one->picked->fate;
        one->picked = NULL;
        if (one->fate == OLD_METHOD_DISCARDED)
            count += discarded(one);
        else if (one->fate != OLD_METHOD_LEFT)
            one->state = MET_KEPT;
    }
    return count;
}

size_t met_settle_all(struct met *m)
{
    size_t count = 0;
    for (size_t i = 0; i < MET_SLOTS; i++)
        if (m->slots[i].method && m->slots[i].state == MET_SPARSE)
            count += discarded(&m->slots[i]);
    return count;
}

void met_fade(struct met *m)
{
    for (size_t i = 0; i < MET_SLOTS; i++)
        m->slots[i].recent /= 2;
}

static void add(struct met_sum *sum, const struct met_method *one)
{
    sum->weight += one->weight;
    sum->count += one->weight > 0;
}

struct met_sum met_sum_discarded(const struct met *m)
{
    struct met_sum sum = {0};
    for (size_t i = 0; i < MET_SLOTS; i++)
        if (m->slots[i].method && m->slots[i].state == MET_DISCARDED)
            add(&sum, &m->slots[i]);
    return sum;
}

struct met_sum met_sum_kept(const struct met *m, enum old_method_fate fate)
{
    struct met_sum sum = {0};
    for (size_t i = 0; i < MET_SLOTS; i++)
        if (m->slots[i].method && m->slots[i].state == MET_KEPT && m->slots[i].fate == fate)
            add(&sum, &m->slots[i]);
    return sum;
}
