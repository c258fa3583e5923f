/* Functions for lines and words of a text, for all readers of text formats. Spans point into the text. */
#ifndef CANDOR_FORMAT_READ_LINES_H
#define CANDOR_FORMAT_READ_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct span {
    const char *bytes;
    size_t len;
};

/* Takes the next line from the text, without its line end. Returns false at the end of the text. */
bool lines_next(struct span *text, struct span *line);
/* Returns the text without the blanks at its beginning and end. */
struct span lines_trim(struct span t);
struct span lines_from(struct span t, size_t at);
size_t lines_blanks(struct span t); /* the number of blanks at the beginning */
size_t lines_word(struct span t);   /* the number of other characters at the beginning */
bool lines_start(struct span t, const char *with);
/* Returns the first occurrence of the word, or NULL. */
const char *lines_find(struct span t, const char *word);
/* Take a sign, a decimal number, or a hexadecimal number with or without "0x" from the beginning of the text. If the text does not begin
 * with one, or the number is too large, return false and leave the text unchanged. */
bool lines_take_sign(struct span *t, char sign);
bool lines_take_number(struct span *t, uint64_t *number);
bool lines_take_hex(struct span *t, uint64_t *number);

#endif
