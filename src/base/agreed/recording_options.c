/* Reads the values of the options that the command line and the agent share, by their table. */
#include "base/agreed/recording_options.h"

#include "base/text/number.h"
#include "base/text/units.h"
#include "base/text/word_list.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define NUMBER_ROW(symbol, letter, key, kind, least, most, field, event, argument, without, wants, help)                                   \
    {key, event, wants, RECORDING_OPTION_##kind, least, most},
#define WORD_ROW(symbol, letter, name, argument, choices, help) {.key = name},
const struct recording_option_row recording_option_rows[RECORDING_OPTIONS_COUNT] = {
    RECORDING_OPTION_ROWS(NUMBER_ROW, WORD_ROW, RECORDING_OPTION_NO_ROW)};

static int read_switch(const char *text, uint64_t *number)
{
    *number = !strcmp(text, "on");
    return *number || !strcmp(text, "off") ? 0 : -EINVAL;
}

static int read_value(enum recording_option_kind kind, const char *text, struct recording_option_value *value)
{
    switch (kind) {
    case RECORDING_OPTION_DURATION:
        return units_parse_duration(text, &value->number);
    case RECORDING_OPTION_SECONDS:
        return units_parse_seconds(text, &value->number);
    case RECORDING_OPTION_RATE:
        return units_parse_rate(text, &value->number);
    case RECORDING_OPTION_SHARE:
        return units_parse_percent(text, &value->share);
    case RECORDING_OPTION_SIZE:
        return units_parse_size(text, &value->number);
    case RECORDING_OPTION_COUNT:
        return number_parse(text, 0, UINT64_MAX, &value->number) ? -EINVAL : 0;
    case RECORDING_OPTION_SWITCH:
        return read_switch(text, &value->number);
    case RECORDING_OPTION_WORD:
        break;
    }
    return -EINVAL;
}

int recording_option_read(enum recording_option option, const char *text, struct recording_option_value *value, struct error *e)
{
    const struct recording_option_row *row = &recording_option_rows[option];
    *value = (struct recording_option_value){0};
    if (read_value(row->kind, text, value) || value->number < row->least || value->number > row->most)
        return error_set(e, -EINVAL, "%s '%.200s': use %s", row->key, text, row->wants);
    return 0;
}

const char *recording_option_lacks(enum recording_option option, const char *events, int *n)
{
    const char *needed = recording_option_rows[option].event;
    char word[32];
    for (const char *one = needed; one; one = strchr(one, '|') ? strchr(one, '|') + 1 : NULL) {
        snprintf(word, sizeof word, "%.*s", (int)strcspn(one, "|"), one);
        if (word_list_has(events, word))
            return NULL;
    }
    *n = needed ? (int)strcspn(needed, "|") : 0;
    return needed;
}
