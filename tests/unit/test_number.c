/* Numbers in text: what each reader accepts, and which error it reports otherwise.
 * tier: quick
 * timeout: 20
 * aarch64: yes */
#include "../tap.h"

#include "base/text/number.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { BEFORE = 77 };

static void whole(const char *text, uint64_t least, uint64_t most, enum number_fault wanted, uint64_t number)
{
    uint64_t out = BEFORE;
    enum number_fault fault = number_parse(text, least, most, &out);
    tap_ok(fault == wanted && out == (wanted ? BEFORE : number), "'%s' in %" PRIu64 " to %" PRIu64 ": fault %d, %" PRIu64,
           text ? text : "(null)", least, most, fault, out);
}

static void test_whole(void)
{
    whole("0", 0, UINT64_MAX, NUMBER_GOOD, 0);
    whole("00012", 0, UINT64_MAX, NUMBER_GOOD, 12);
    whole("18446744073709551615", 0, UINT64_MAX, NUMBER_GOOD, UINT64_MAX);
    whole("18446744073709551616", 0, UINT64_MAX, NUMBER_LARGE, 0);
    whole("99999999999999999999999999x", 0, UINT64_MAX, NUMBER_LARGE, 0);
    whole("1", 1, 10, NUMBER_GOOD, 1);
    whole("10", 1, 10, NUMBER_GOOD, 10);
    whole("0", 1, 10, NUMBER_SMALL, 0);
    whole("11", 1, 10, NUMBER_LARGE, 0);
    whole("5x", 1, 10, NUMBER_TRAILING, 0);
    whole("5 ", 1, 10, NUMBER_TRAILING, 0);
    whole("5.5", 1, 10, NUMBER_TRAILING, 0);
    whole("0x5", 0, 10, NUMBER_TRAILING, 0);
    whole("", 1, 10, NUMBER_EMPTY, 0);
    whole(NULL, 1, 10, NUMBER_EMPTY, 0);
    whole(" 5", 1, 10, NUMBER_NOT, 0);
    whole("+5", 1, 10, NUMBER_NOT, 0);
    whole("-5", 0, 10, NUMBER_NOT, 0);
    whole("five", 0, UINT64_MAX, NUMBER_NOT, 0);
}

static void with_sign(const char *text, int64_t least, int64_t most, enum number_fault wanted, int64_t number)
{
    int64_t out = BEFORE;
    enum number_fault fault = number_parse_signed(text, least, most, &out);
    tap_ok(fault == wanted && out == (wanted ? BEFORE : number), "'%s' with a sign: fault %d, %" PRId64, text, fault, out);
}

static void test_signed(void)
{
    with_sign("-9223372036854775808", INT64_MIN, INT64_MAX, NUMBER_GOOD, INT64_MIN);
    with_sign("9223372036854775807", INT64_MIN, INT64_MAX, NUMBER_GOOD, INT64_MAX);
    with_sign("-9223372036854775809", INT64_MIN, INT64_MAX, NUMBER_SMALL, 0);
    with_sign("9223372036854775808", INT64_MIN, INT64_MAX, NUMBER_LARGE, 0);
    with_sign(" +7", -7, 7, NUMBER_GOOD, 7);
    with_sign("-8", -7, 7, NUMBER_SMALL, 0);
    with_sign("8", -7, 7, NUMBER_LARGE, 0);
    with_sign("7x", -7, 7, NUMBER_TRAILING, 0);
    with_sign("-", -7, 7, NUMBER_NOT, 0);
    with_sign("", -7, 7, NUMBER_EMPTY, 0);
}

static void real(const char *text, double least, double most, enum number_fault wanted, double number)
{
    double out = BEFORE;
    enum number_fault fault = number_parse_real(text, least, most, &out);
    tap_ok(fault == wanted && out == (wanted ? BEFORE : number), "'%s' as a real number: fault %d, %g", text, fault, out);
}

static void test_real(void)
{
    real("0.5", 0, 1, NUMBER_GOOD, 0.5);
    real(" -2.5e1", -30, 0, NUMBER_GOOD, -25);
    real("1", 0, 1, NUMBER_GOOD, 1);
    real("1.001", 0, 1, NUMBER_LARGE, 0);
    real("-0.001", 0, 1, NUMBER_SMALL, 0);
    real("1e999", 0, 1e308, NUMBER_LARGE, 0);
    real("inf", -INFINITY, INFINITY, NUMBER_GOOD, INFINITY);
    real("nan", -INFINITY, INFINITY, NUMBER_NOT, 0);
    real("1%", 0, 100, NUMBER_TRAILING, 0);
    real("%", 0, 100, NUMBER_NOT, 0);
    real("", 0, 100, NUMBER_EMPTY, 0);
}

static void test_takers(void)
{
    const char *text = "42/s", *hex = "fFg", *octal = "0100002\n", *beyond = "300:", *none = NULL;
    uint64_t out = BEFORE;
    tap_ok(!number_take(&text, 10, 0, 100, &out) && out == 42 && !strcmp(text, "/s"), "a taker stops behind the number");
    tap_ok(!number_take(&hex, 16, 0, 255, &out) && out == 255 && !strcmp(hex, "g"), "hexadecimal digits in either case");
    tap_ok(!number_take(&octal, 8, 0, UINT64_MAX, &out) && out == 0100002, "octal digits");
    tap_ok(number_take(&beyond, 10, 0, 255, &out) == NUMBER_LARGE && out == 0100002 && !strcmp(beyond, "300:"),
           "a number that is refused leaves text and result as they were");
    tap_ok(number_take(&none, 10, 0, 255, &out) == NUMBER_EMPTY, "no text is an empty one");

    int64_t with = BEFORE;
    double part = BEFORE;
    const char *code = "-3 failed", *share = "99.9,50";
    tap_ok(!number_take_signed(&code, INT64_MIN, INT64_MAX, &with) && with == -3 && !strcmp(code, " failed"), "a signed one");
    tap_ok(!number_take_real(&share, 0, 100, &part) && part == 99.9 && !strcmp(share, ",50"), "a real one");
}

static void test_bytes(void)
{
    static const char bytes[] = {'1', '2', '3', '4'};
    const char *at = bytes, *end = bytes + 3;
    uint64_t out = BEFORE;
    tap_ok(!number_take_before(&at, end, 10, &out) && out == 123 && at == end, "bytes end where they are said to");
    tap_ok(number_take_before(&at, end, 10, &out) == NUMBER_EMPTY && out == 123, "behind them is nothing");
}

static void test_own(void)
{
    tap_ok(number_or_zero("12 ms") == 12 && !number_or_zero("x") && !number_or_zero("") && !number_or_zero(NULL), "or zero");
    tap_ok(number_or_zero("99999999999999999999") == UINT64_MAX, "or the largest");
    tap_ok(number_signed_or_zero("-12") == -12 && !number_signed_or_zero(NULL), "with a sign");
    tap_ok(number_based_or_zero("\t00ff\n", 16) == 255 && number_based_or_zero(" 017", 8) == 15, "in another base");
    tap_ok(number_reads_as("0.1", 0.1, false) && !number_reads_as("0.1", 0.1f, false) && number_reads_as("0.1", 0.1f, true),
           "a text reads back as a double, or as a float");
    int digits = 0;
    for (int c = 1; c < 256; c++)
        digits += number_hex_digit((char)c) >= 0;
    tap_ok(digits == 22 && number_hex_digit('9') == 9 && number_hex_digit('a') == 10 && number_hex_digit('F') == 15,
           "22 characters are hexadecimal digits");
}

int main(void)
{
    test_whole();
    test_signed();
    test_real();
    test_takers();
    test_bytes();
    test_own();
    return tap_done();
}
