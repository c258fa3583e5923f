/* A store whose recordings belong to one service, shop, and have one sample each: for tests of what the store keeps besides samples. If
 * something fails, the test ends. */
#ifndef CANDOR_TESTS_STORE_SHOP_H
#define CANDOR_TESTS_STORE_SHOP_H

#include "../tap.h"
#include "store_place.h"

#include "base/text/units.h"
#include "base/time_units.h"
#include "compress/intake.h"
#include "format/read/formats.h"
#include "store/store.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* For the store's `load`: adds the profile of a recording that shop_add has sent. Returns 0 or a code. */
static inline int shop_load(struct store_profiles *to, const struct envelope *v, struct profile **p, struct error *e)
{
    struct intake in;
    *p = store_profiles_add(to);
    int rc = *p ? intake_open_memory(&in, v->body, v->size, "test", e) : -ENOMEM;
    rc = rc ? rc : formats_load_from(*p, &in, "test", "collapsed", NULL, NULL, e);
    if (!rc)
        (*p)->unit = PROFILE_UNIT_NS;
    return rc;
}

static inline struct store *shop_open(const char *folder, const char *name, uint64_t retain_s,
                                      int (*load)(struct store_profiles *to, const struct envelope *v, struct error *e))
{
    char path[300];
    struct store_options o = {.path = path, .limits.retain_s = retain_s, .load = load};
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return store_place_open(&o);
}

/* Adds a recording of 900 ns that begins at this second. number: different for each recording. */
static inline void shop_add(struct store *s, int64_t second, const char *host, uint16_t number)
{
    struct envelope_writer w;
    struct envelope_note note = {.received_ns = (int64_t)clock_realtime_ns(), .from_ns = second * NS_PER_S};
    uint8_t identity[ENVELOPE_IDENTITY] = {1, (uint8_t)number, (uint8_t)(number >> 8)};
    struct store_added added;
    struct error e;
    int rc = labels_set(&note.labels, "service", 7, "shop", 4, &e) || labels_set(&note.labels, "host", 4, host, strlen(host), &e);
    rc = rc ? rc : store_begin(s, &w, &e);
    rc = rc ? rc : envelope_put(&w, "x.A.main 900\n", 13, &e);
    rc = rc ? rc : store_add(s, &w, &note, identity, &added, &e);
    if (rc) {
        tap_note("%s", e.text);
        exit(1);
    }
    labels_deinit(&note.labels);
}

/* Runs a command of the shell in the folder. */
static inline void shop_run(const char *folder, const char *command)
{
    char text[600];
    snprintf(text, sizeof text, "cd %s && %s", folder, command);
    if (system(text))
        exit(1);
}

#endif
