/* Where the stores of tests have their rows: in files, or in ClickHouse if CANDOR_TEST_CLICKHOUSE has its URL. So the same program tests
 * both (tests/cli/test_store_clickhouse.py). */
#ifndef CANDOR_TESTS_STORE_PLACE_H
#define CANDOR_TESTS_STORE_PLACE_H

#include "store/store.h"

#include <stdlib.h>

static inline bool store_place_is_away(void)
{
    return getenv("CANDOR_TEST_CLICKHOUSE") != NULL;
}

/* Skips what is about files of rows, if there are none. */
static inline bool store_place_has_files(const char *what)
{
    if (store_place_is_away())
        tap_skip("%s: rows are not in files", what);
    return !store_place_is_away();
}

static inline void store_place(struct store_options *o)
{
    o->clickhouse = getenv("CANDOR_TEST_CLICKHOUSE");
    o->clickhouse_user = getenv("CANDOR_TEST_CLICKHOUSE_USER");
    o->clickhouse_password_file = getenv("CANDOR_TEST_CLICKHOUSE_PASSWORD_FILE");
    o->clickhouse_wait_ns = 1; /* a test asks for what it has just sent */
}

/* Opens the store there. If it cannot be opened, the test ends. */
static inline struct store *store_place_open(struct store_options *o)
{
    struct store *s;
    struct error e;
    store_place(o);
    if (store_open(&s, o, &e)) {
        tap_note("%s", e.text);
        exit(1);
    }
    return s;
}

#endif
