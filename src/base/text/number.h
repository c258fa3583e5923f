/* Reads numbers in text: options, requests, files and /proc. No other file calls strtoul and similar functions.
 *
 * A number_parse function reads a whole text, and refuses anything after the number. A number_take function reads the number at the
 * beginning of a text, and moves the text's pointer to the character after it. Both take bounds, which are inclusive. A function changes
 * nothing unless it returns NUMBER_GOOD.
 *
 * An unsigned number consists of digits only: blanks and signs before it are errors. A signed number and a real number have the C
 * library's syntax, which skips white space first. */
#ifndef CANDOR_BASE_TEXT_NUMBER_H
#define CANDOR_BASE_TEXT_NUMBER_H

#include <stdbool.h>
#include <stdint.h>

enum number_fault {
    NUMBER_GOOD,
    NUMBER_EMPTY,    /* no text at all; NULL counts as this */
    NUMBER_NOT,      /* the text does not begin with a number */
    NUMBER_SMALL,    /* below the least */
    NUMBER_LARGE,    /* above the most, or above the range of 64 bits */
    NUMBER_TRAILING, /* something follows the number */
};

enum number_fault number_parse(const char *text, uint64_t least, uint64_t most, uint64_t *out);
enum number_fault number_parse_signed(const char *text, int64_t least, int64_t most, int64_t *out);
enum number_fault number_parse_real(const char *text, double least, double most, double *out);

/* base is 8, 10 or 16. */
enum number_fault number_take(const char **text, unsigned base, uint64_t least, uint64_t most, uint64_t *out);
enum number_fault number_take_signed(const char **text, int64_t least, int64_t most, int64_t *out);
enum number_fault number_take_real(const char **text, double least, double most, double *out);
/* Reads an unsigned number from bytes that end before `end` and have no terminating zero. */
enum number_fault number_take_before(const char **bytes, const char *end, unsigned base, uint64_t *out);

/* Return the number at the beginning of a text, after blanks; 0 if text is NULL or has no number there. A number that does not fit in 64
 * bits becomes the largest that does. These functions are for texts that Candor or the kernel wrote. */
uint64_t number_or_zero(const char *text);
uint64_t number_based_or_zero(const char *text, int base);
int64_t number_signed_or_zero(const char *text);

/* Whether the text reads back as this value: as a float if `single`, else as a double. */
bool number_reads_as(const char *text, double value, bool single);

/* Returns the value of a hexadecimal digit, 0 to 15; -1 if c is none. */
static inline int number_hex_digit(char c)
{
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

#endif
