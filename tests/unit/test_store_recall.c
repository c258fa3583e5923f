/* What the store remembers of the stacks of a service's recordings: it has one owner at a time, is limited in memory, and is never taken
 * for what another dictionary has, not even for what the same file has after it was read again.
 * tier: quick
 * timeout: 60 */
#include "../tap.h"

#include "store/files/dictionary.h"
#include "store/files/recall.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct recall recall;

static uint32_t string(struct profile *p, const char *text)
{
    uint32_t id = 0;
    profile_string(p, text, strlen(text), &id);
    return id;
}

/* Adds a stack of two frames, below one root. */
static uint32_t add_stack(struct profile *p, unsigned number)
{
    char name[32];
    uint32_t method, frame, stack = 0;
    snprintf(name, sizeof name, "leaf%u", number % 1000);
    profile_method(p, string(p, "com.shop.Main"), string(p, "main"), string(p, "()V"), &method);
    profile_frame(p, method, 1, 1, 1, &frame);
    profile_stack(p, 0, frame, &stack);
    profile_method(p, string(p, "com.shop.Main"), string(p, name), string(p, "()V"), &method);
    profile_frame(p, method, 2 + (int32_t)number, 2, 1, &frame);
    profile_stack(p, stack, frame, &stack);
    return stack;
}

static void test_owners(void)
{
    struct recalled *shop = recall_get(&recall, "shop"), *second = recall_get(&recall, "shop");
    tap_ok(shop && second && shop != second, "two threads get two of them");
    add_stack(&shop->stacks.names, 1);
    recall_put(&recall, shop, true);
    recall_put(&recall, second, false);
    struct recalled *other = recall_get(&recall, "sho");
    tap_ok(other && other != shop && other->stacks.names.node_count == 1, "another service gets nothing of it");
    second = recall_get(&recall, "shop");
    tap_ok(second == shop && shop->stacks.names.node_count == 3, "the service gets what it had");
    recall_put(&recall, shop, false);
    second = recall_get(&recall, "shop");
    tap_ok(second && second->stacks.names.node_count == 1, "after a failure, it is forgotten");
    recall_put(&recall, second, true);
    recall_put(&recall, other, true);
    other = recall_get(NULL, "shop");
    tap_ok(other && other->stacks.names.node_count == 1, "without a store, nothing is remembered");
    recall_put(NULL, other, true);
}

static uint64_t bytes_in_list(void)
{
    uint64_t bytes = 0;
    for (const struct recalled *one = recall.list; one; one = one->next)
        bytes += one->bytes;
    return bytes;
}

static void test_limits(void)
{
    enum { SERVICES = 100 };
    char name[32];
    bool limited = true;
    struct recalled *one = recall_get(&recall, "unique");
    for (unsigned i = 0; i <= RECALL_STACKS_MAX; i++)
        add_stack(&one->stacks.names, i);
    uint32_t methods = one->stacks.names.method_count;
    recall_put(&recall, one, true);
    for (unsigned k = 0; k < SERVICES; k++) {
        snprintf(name, sizeof name, "service-%u", k);
        one = recall_get(&recall, name);
        for (unsigned i = 0; i < RECALL_STACKS_MAX / 32; i++)
            add_stack(&one->stacks.names, i);
        recall_put(&recall, one, true);
        limited = limited && recall.bytes <= RECALL_BYTES && recall.bytes == bytes_in_list();
    }
    one = recall_get(&recall, "service-0");
    limited = limited && one->stacks.names.node_count == 1;
    recall_put(&recall, one, true);
    tap_ok(limited && recall_bytes(&recall) == bytes_in_list(), "all take at most %d bytes: %llu", RECALL_BYTES,
           (unsigned long long)recall.bytes);
    one = recall_get(&recall, name);
    tap_ok(one->stacks.names.node_count > 1, "the last service is remembered");
    recall_put(&recall, one, true);
    one = recall_get(&recall, "unique");
    tap_ok(one->stacks.names.node_count == 1 && one->stacks.names.method_count <= methods, "too many stacks are forgotten");
    recall_put(&recall, one, true);
}

/* Adopts a stack of `one`, and checks what the dictionary has under its id. */
static bool adopt(struct dictionary *d, struct recalled *one, const struct profile *samples, unsigned number)
{
    struct dictionary_places at;
    struct error e = {""};
    char name[32];
    pthread_mutex_lock(&d->lock);
    int rc = dictionary_adopt(d, samples, recalled_in(one, d), &at, &e);
    uint32_t stack = rc ? 0 : dictionary_stack(&at, samples->samples[0].stack);
    const struct profile *names = &d->names;
    snprintf(name, sizeof name, "leaf%u", number);
    bool good = stack && stack < names->node_count &&
                !strcmp(profile_text(names, names->methods[names->frames[names->nodes[stack].frame].method].name), name);
    dictionary_places_deinit(&at);
    pthread_mutex_unlock(&d->lock);
    if (!good)
        tap_note("stack %u of %u: %s", stack, names->node_count, e.text);
    return good;
}

static void test_dictionaries(void)
{
    char folder[] = "/tmp/candor-recall-XXXXXX", paths[2][64];
    struct dictionary d[2];
    struct profile samples;
    struct profile_sample s = {.weight = 1, .count = 1};
    struct error e;
    struct recalled *one = recall_get(&recall, "shop");
    bool good = mkdtemp(folder) && one && !profile_init(&samples);
    for (int i = 0; i < 2; i++) {
        snprintf(paths[i], sizeof paths[i], "%s/%d", folder, i);
        good = good && !dictionary_open(&d[i], paths[i], &e);
    }
    add_stack(&one->stacks.names, 1);
    s.stack = add_stack(&one->stacks.names, 2);
    profile_add_sample(&samples, &s);
    tap_ok(good && adopt(&d[0], one, &samples, 2), "a dictionary gets the stack");
    tap_ok(adopt(&d[1], one, &samples, 2) && d[1].names.node_count == 3, "so does another one, which lacked it");
    tap_ok(adopt(&d[0], one, &samples, 2) && d[0].names.node_count == 3, "and the first has it once");
    dictionary_close(&d[0]);
    unlink(paths[0]);
    good = !dictionary_open(&d[0], paths[0], &e) && d[0].names.node_count == 1;
    tap_ok(good && adopt(&d[0], one, &samples, 2), "a dictionary whose file was lost gets it again");
    for (int i = 0; i < 2; i++) {
        dictionary_close(&d[i]);
        unlink(paths[i]);
    }
    profile_deinit(&samples);
    recall_put(&recall, one, true);
    rmdir(folder);
}

int main(void)
{
    recall_init(&recall);
    test_owners();
    test_limits();
    test_dictionaries();
    recall_deinit(&recall);
    return tap_done();
}
