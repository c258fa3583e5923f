/* The effect of each key on the model. One table has the keys; the help is made from it, too. */
#ifndef CANDOR_CLI_TOP_KEYS_H
#define CANDOR_CLI_TOP_KEYS_H

#include "cli/top/model.h"

/* A key is a character, or one of these. */
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
    KEYS_DRAW, /* the picture has changed */
    KEYS_LOOK, /* other rows are needed: of another part of the recording, or of another table */
};

enum keys_effect keys_take(struct model *m, uint32_t key);

/* Lines of the help; the last one has NULL as keys. */
struct keys_line {
    const char *keys, *what;
};
const struct keys_line *keys_help(void);

#endif
