/* Lines and words of a text, borrowed from it: what the readers of texts share. */
#ifndef CANDOR_FORMAT_READ_LINES_H
#define CANDOR_FORMAT_READ_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct span {
    const char *bytes;
    size_t len;
};

/* Takes the next line off the text, without its end; false at the end. */
bool lines_next(struct span *text, struct span *line);
/* The text without the blanks at its beginning and end. */
struct span lines_trim(struct span t);
struct span lines_from(struct span t, size_t at);
size_t lines_blanks(struct span t); /* at the beginning */
size_t lines_word(struct span t);   /* what is no blank, at the beginning */
bool lines_start(struct span t, const char *with);
/* The first place of the word, or NULL. */
const char *lines_find(struct span t, const char *word);
/* Take a sign, a decimal number, or a hexadecimal number with or without "0x" off the beginning of the text. False, and the text is
 * unchanged, if it does not begin so. A number that is too large does not count. */
bool lines_take_sign(struct span *t, char sign);
bool lines_take_number(struct span *t, uint64_t *number);
bool lines_take_hex(struct span *t, uint64_t *number);

#endif
