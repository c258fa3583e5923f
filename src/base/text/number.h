/* Numbers in text, for everything that reads one: options, requests, files, /proc. No other file calls strtoul and its like.
 *
 * A reader for whole texts refuses what follows the number. A taker reads the number that a text begins with and moves the text behind
 * it. Both take bounds, which belong to the range. Neither changes anything unless it returns NUMBER_GOOD.
 *
 * An unsigned number is digits and nothing else: no blank and no sign before it. A signed number and a real one have the C library's
 * syntax, which skips white space first. */
#ifndef CANDOR_BASE_TEXT_NUMBER_H
#define CANDOR_BASE_TEXT_NUMBER_H

#include <stdbool.h>
#include <stdint.h>

enum number_fault {
    NUMBER_GOOD,
    NUMBER_EMPTY,    /* no text at all; NULL counts as this */
    NUMBER_NOT,      /* the text does not begin with a number */
    NUMBER_SMALL,    /* below the least */
    NUMBER_LARGE,    /* above the most, or above what 64 bits hold */
    NUMBER_TRAILING, /* something follows the number */
};

enum number_fault number_parse(const char *text, uint64_t least, uint64_t most, uint64_t *out);
enum number_fault number_parse_signed(const char *text, int64_t least, int64_t most, int64_t *out);
enum number_fault number_parse_real(const char *text, double least, double most, double *out);

/* base is 8, 10 or 16. */
enum number_fault number_take(const char **text, unsigned base, uint64_t least, uint64_t most, uint64_t *out);
enum number_fault number_take_signed(const char **text, int64_t least, int64_t most, int64_t *out);
enum number_fault number_take_real(const char **text, double least, double most, double *out);
/* The same of bytes that end before `end`, without a zero. */
enum number_fault number_take_before(const char **bytes, const char *end, unsigned base, uint64_t *out);

/* The number at the beginning of a text, after blanks; 0 if text is NULL, or there is no number. A number that does not fit in 64
 * bits becomes the largest that does. For texts of our own or of the kernel. */
uint64_t number_or_zero(const char *text);
uint64_t number_based_or_zero(const char *text, int base);
int64_t number_signed_or_zero(const char *text);

/* Whether the text reads back as this value: as a float if `single`, else as a double. */
bool number_reads_as(const char *text, double value, bool single);

/* 0 to 15, or -1. */
static inline int number_hex_digit(char c)
{
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

#endif
