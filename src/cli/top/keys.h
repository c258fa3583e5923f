/* The effect of each key on the model: one table, from which the help is made too. */
#ifndef CANDOR_CLI_TOP_KEYS_H
#define CANDOR_CLI_TOP_KEYS_H

#include "cli/top/model.h"

/* Keys are characters, or one of these. */
enum {
    KEYS_UP = 0x200000,
    KEYS_DOWN,
    KEYS_LEFT,
    KEYS_RIGHT,
    KEYS_PAGE_UP,
    KEYS_PAGE_DOWN,
    KEYS_HOME,
    KEYS_END,
    KEYS_BACKSPACE,
    KEYS_RESIZE
};

enum keys_effect {
    KEYS_NOTHING,
    KEYS_DRAW, /* the picture is another */
    KEYS_LOOK, /* the rows are others: another part, or another table */
};

enum keys_effect keys_take(struct model *m, uint32_t key);

/* A line of the help; NULL at the end. */
struct keys_line {
    const char *keys, *what;
};
const struct keys_line *keys_help(void);

#endif
