/* The table of a recording's options: what each kind of value accepts and refuses, which events an option needs, and that
 * docs/formats/control.md has the same rows.
 * tier: quick
 * timeout: 30 */
#include "../tap.h"

#include "base/agreed/recording_options.h"
#include "base/time_units.h"
#include "doc_table.h"

#include <string.h>

static const struct doc_row {
    const char *key, *value, *event, *help;
} doc_rows[] = {
#define NUMBER(symbol, letter, key, kind, least, most, field, event, argument, without, wants, help) {key, wants, event, help},
#define WORD(symbol, letter, key, argument, choices, help)                                           {key, choices, NULL, help},
    RECORDING_OPTION_ROWS(NUMBER, WORD, RECORDING_OPTION_NO_ROW)};

/* A bar would end the table cell. */
static void put_cell(char *out, size_t size, const char *text)
{
    size_t used = 0;
    for (; *text && used + 3 < size; text++) {
        if (*text == '|')
            out[used++] = '\\';
        out[used++] = *text;
    }
    out[used] = 0;
}

static void test_doc(void)
{
    struct doc_table table;
    char row[1024], value[256], event[64];
    doc_table_open(&table, CONTROL_DOC, "\n| option | value | event | meaning |\n");
    for (int i = 0; i < RECORDING_OPTIONS_COUNT; i++) {
        put_cell(value, sizeof value, doc_rows[i].value ? doc_rows[i].value : "-");
        put_cell(event, sizeof event, doc_rows[i].event ? doc_rows[i].event : "-");
        snprintf(row, sizeof row, "\n| `%s` | %s | %s | %s |\n", doc_rows[i].key, value, event, doc_rows[i].help);
        doc_table_has(&table, row, doc_rows[i].key);
    }
    doc_table_has_only(&table, RECORDING_OPTIONS_COUNT);
    doc_table_close(&table);
}

static int reads(enum recording_option option, const char *text, uint64_t number)
{
    struct recording_option_value value;
    struct error e = {""};
    int rc = recording_option_read(option, text, &value, &e);
    return rc ? -1 : value.number == number;
}

static void refuses(enum recording_option option, const char *text)
{
    struct recording_option_value value;
    struct error e = {""};
    const char *wants = recording_option_rows[option].wants;
    tap_ok(recording_option_read(option, text, &value, &e) < 0 && strstr(e.text, recording_option_rows[option].key) &&
               strstr(e.text, text) && strstr(e.text, wants),
           "%s", e.text);
}

static void test_values(void)
{
    struct recording_option_value value;
    struct error e;
    tap_ok(reads(OPTION_INTERVAL, "100us", 100000) == 1 && reads(OPTION_INTERVAL, "10s", 10 * NS_PER_S) == 1 &&
               reads(OPTION_DURATION, "30", 30 * NS_PER_S) == 1 && reads(OPTION_DURATION, "5m", 300 * NS_PER_S) == 1 &&
               reads(OPTION_MAX_SIZE, "1GB", 1 << 30) == 1 && reads(OPTION_WALL_RATE, "100000/s", 100000) == 1 &&
               reads(OPTION_LIVE_MAX, "64", 64) == 1 && reads(OPTION_LOCK_THRESHOLD, "0", 0) == 1 && reads(OPTION_ASM, "on", 1) == 1 &&
               reads(OPTION_ASM, "off", 0) == 1,
           "each kind of number, to its bounds");
    tap_ok(!recording_option_read(OPTION_MAX_OVERHEAD, "0.5%", &value, &e) && value.share == 0.005, "a share");
    refuses(OPTION_INTERVAL, "99us");
    refuses(OPTION_INTERVAL, "10001ms");
    refuses(OPTION_INTERVAL, "5");
    refuses(OPTION_DURATION, "soon");
    refuses(OPTION_MAX_SIZE, "1025M");
    refuses(OPTION_WALL_RATE, "0");
    refuses(OPTION_LIVE_MAX, "63");
    refuses(OPTION_LIVE_MAX, "1k");
    refuses(OPTION_EVENT_INTERVAL, "18446744073709551616");
    refuses(OPTION_MAX_OVERHEAD, "101");
    refuses(OPTION_RECOMPILE, "yes");
}

static void test_events(void)
{
    int n = 0;
    const char *lacking = recording_option_lacks(OPTION_ALLOC_RATE, "cpu,wall", &n);
    tap_ok(lacking && n == 5 && !strncmp(lacking, "alloc", 5), "alloc-rate needs alloc");
    tap_ok(!recording_option_lacks(OPTION_ALLOC_RATE, "cpu,live", &n) && !recording_option_lacks(OPTION_ALLOC_RATE, "alloc", &n) &&
               !recording_option_lacks(OPTION_KEEP, "halt", &n),
           "or live; keep needs none");
    tap_ok(recording_option_lacks(OPTION_WALL_RATE, "wallet", &n) != NULL, "the whole word counts");
}

int main(void)
{
    test_values();
    test_events();
    test_doc();
    return tap_done();
}
