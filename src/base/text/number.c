#include "base/text/number.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

/* Reads digits up to `end`. If `end` is NULL, stops at the terminating zero, which is not a digit. */
static enum number_fault take_digits(const char **text, const char *end, unsigned base, uint64_t *out)
{
    const char *at = *text;
    uint64_t number = 0;
    bool beyond = false;
    for (int digit; at != end && (digit = number_hex_digit(*at)) >= 0 && (unsigned)digit < base; at++)
        beyond |= __builtin_mul_overflow(number, base, &number) || __builtin_add_overflow(number, (unsigned)digit, &number);
    if (at == *text)
        return at == end || !*at ? NUMBER_EMPTY : NUMBER_NOT;
    if (beyond)
        return NUMBER_LARGE;
    *text = at;
    *out = number;
    return NUMBER_GOOD;
}

enum number_fault number_take_before(const char **bytes, const char *end, unsigned base, uint64_t *out)
{
    return take_digits(bytes, end, base, out);
}

enum number_fault number_take(const char **text, unsigned base, uint64_t least, uint64_t most, uint64_t *out)
{
    const char *at = *text;
    uint64_t number;
    enum number_fault fault = at ? take_digits(&at, NULL, base, &number) : NUMBER_EMPTY;
    if (fault)
        return fault;
    if (number < least || number > most)
        return number < least ? NUMBER_SMALL : NUMBER_LARGE;
    *text = at;
    *out = number;
    return NUMBER_GOOD;
}

enum number_fault number_take_signed(const char **text, int64_t least, int64_t most, int64_t *out)
{
    char *end;
    if (!*text || !**text)
        return NUMBER_EMPTY;
    errno = 0;
    long long number = strtoll(*text, &end, 10);
    if (end == *text)
        return NUMBER_NOT;
    if (errno || number < least || number > most)
        return number < least || (errno && number < 0) ? NUMBER_SMALL : NUMBER_LARGE;
    *text = end;
    *out = number;
    return NUMBER_GOOD;
}

enum number_fault number_take_real(const char **text, double least, double most, double *out)
{
    char *end;
    if (!*text || !**text)
        return NUMBER_EMPTY;
    double number = strtod(*text, &end);
    if (end == *text || isnan(number))
        return NUMBER_NOT;
    if (number < least || number > most)
        return number < least ? NUMBER_SMALL : NUMBER_LARGE;
    *text = end;
    *out = number;
    return NUMBER_GOOD;
}

/* Checks that the text ends after the number that was read from it. `taken` is the result of reading the number. */
static enum number_fault whole(enum number_fault taken, const char *rest)
{
    return taken ? taken : *rest ? NUMBER_TRAILING : NUMBER_GOOD;
}

enum number_fault number_parse(const char *text, uint64_t least, uint64_t most, uint64_t *out)
{
    uint64_t number;
    enum number_fault taken = number_take(&text, 10, least, most, &number), fault = whole(taken, text);
    if (!fault)
        *out = number;
    return fault;
}

enum number_fault number_parse_signed(const char *text, int64_t least, int64_t most, int64_t *out)
{
    int64_t number;
    enum number_fault taken = number_take_signed(&text, least, most, &number), fault = whole(taken, text);
    if (!fault)
        *out = number;
    return fault;
}

enum number_fault number_parse_real(const char *text, double least, double most, double *out)
{
    double number;
    enum number_fault taken = number_take_real(&text, least, most, &number), fault = whole(taken, text);
    if (!fault)
        *out = number;
    return fault;
}

uint64_t number_or_zero(const char *text)
{
    return number_based_or_zero(text, 10);
}

uint64_t number_based_or_zero(const char *text, int base)
{
    return text ? strtoull(text, NULL, base) : 0;
}

int64_t number_signed_or_zero(const char *text)
{
    return text ? strtoll(text, NULL, 10) : 0;
}

bool number_reads_as(const char *text, double value, bool single)
{
    return single ? strtof(text, NULL) == (float)value : strtod(text, NULL) == value;
}
