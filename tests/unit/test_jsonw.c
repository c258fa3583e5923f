/* The JSON writer, and the UTF-8 functions that it uses.
 * tier: quick
 * timeout: 20 */
#include "../tap.h"

#include "base/text/jsonw.h"
#include "base/text/utf8.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The output of the calls, as a string that the caller frees. */
#define WRITTEN(j, ...)                                                                                                                    \
    ({                                                                                                                                     \
        char *text = NULL;                                                                                                                 \
        size_t size;                                                                                                                       \
        struct jsonw j##_, *j = &j##_;                                                                                                     \
        FILE *f = open_memstream(&text, &size);                                                                                            \
        jsonw_init(j, f);                                                                                                                  \
        __VA_ARGS__;                                                                                                                       \
        fclose(f);                                                                                                                         \
        text;                                                                                                                              \
    })

static void is(char *got, const char *wanted, const char *what)
{
    if (!tap_ok(!strcmp(got, wanted), "%s", what))
        printf("# got %s\n", got);
    free(got);
}

static void test_structure(void)
{
    is(WRITTEN(j,
               {
                   jsonw_object(j);
                   jsonw_key(j, "a"), jsonw_array(j), jsonw_int(j, -1), jsonw_uint(j, UINT64_MAX), jsonw_array_end(j);
                   jsonw_key(j, "b"), jsonw_object(j), jsonw_object_end(j);
                   jsonw_key(j, "c"), jsonw_bool(j, true), jsonw_key(j, "d"), jsonw_null(j);
                   jsonw_key(j, "e"), jsonw_text_or_null(j, "x"), jsonw_key(j, "f"), jsonw_text_or_null(j, "");
                   jsonw_object_end(j);
               }),
       "{\"a\":[-1,18446744073709551615],\"b\":{},\"c\":true,\"d\":null,\"e\":\"x\",\"f\":null}", "commas and colons");
    is(WRITTEN(j,
               {
                   j->line_depth = 1;
                   jsonw_object(j);
                   jsonw_key(j, "a"), jsonw_array(j), jsonw_int(j, 1), jsonw_int(j, 2), jsonw_array_end(j);
                   jsonw_key(j, "b"), jsonw_int(j, 3);
                   jsonw_object_end(j);
               }),
       "{\n \"a\": [1, 2],\n \"b\": 3\n}", "line breaks down to a depth");
    is(WRITTEN(j,
               {
                   jsonw_array(j);
                   jsonw_number(j, 0.125), jsonw_number(j, NAN), jsonw_number(j, INFINITY), jsonw_number(j, 1e300);
                   jsonw_array_end(j);
               }),
       "[0.125,null,null,1e+300]", "numbers; what is none becomes null");
    is(WRITTEN(j,
               {
                   jsonw_array(j);
                   jsonw_int(j, INT64_MIN), jsonw_int(j, 0), jsonw_int(j, INT64_MAX), jsonw_quoted_int(j, INT64_MIN),
                       jsonw_quoted_int(j, 7);
                   jsonw_array_end(j);
               }),
       "[-9223372036854775808,0,9223372036854775807,\"-9223372036854775808\",\"7\"]", "whole numbers, the least and the most");
}

static void test_strings(void)
{
    is(WRITTEN(j, jsonw_text(j, "a\"b\\c\nd\te\x01")), "\"a\\\"b\\\\c\\nd\\u0009e\\u0001\"", "quotes and controls");
    is(WRITTEN(j, jsonw_string(j, "a\0b", 3)), "\"a\\u0000b\"", "a zero byte inside");
    is(WRITTEN(j, jsonw_text(j, "\xc3\xa9 \xf0\x9d\x84\x9e")), "\"\xc3\xa9 \xf0\x9d\x84\x9e\"", "UTF-8 stays");
    is(WRITTEN(j, jsonw_text(j, "\xff|\xc3|\xed\xa0\x80|\xc0\xaf|\xf5\x80\x80\x80")),
       "\"\\ufffd|\\ufffd|\\ufffd\\ufffd\\ufffd|\\ufffd\\ufffd|\\ufffd\\ufffd\\ufffd\\ufffd\"", "what is not UTF-8 becomes U+FFFD");
    is(WRITTEN(j, jsonw_text(j, "</script>&")), "\"</script>&\"", "plain JSON leaves HTML's characters");
    is(WRITTEN(j, (j->html = true, jsonw_text(j, "</script>&\xe2\x80\xa8\xe2\x80\xa9\xe2\x80\xaa"))),
       "\"\\u003c/script\\u003e\\u0026\\u2028\\u2029\xe2\x80\xaa\"", "for HTML they are escaped");
}

static void test_utf8(void)
{
    tap_ok(utf8_length("", 0) == 0 && utf8_length("a", 1) == 1, "ASCII");
    tap_ok(utf8_length("\xe2\x82\xac", 3) == 3 && utf8_length("\xe2\x82\xac", 2) == 0, "a character that is cut off");
    tap_ok(utf8_length("\xf4\x8f\xbf\xbf", 4) == 4 && utf8_length("\xf4\x90\x80\x80", 4) == 0, "the end of Unicode");
    tap_ok(utf8_length("\xe0\x80\x80", 3) == 0 && utf8_length("\xed\x9f\xbf", 3) == 3, "overlong forms and surrogates");
    tap_ok(utf8_columns("a\xc3\xa9\xe2\x82\xac") == 3, "columns");
    char *text;
    size_t size;
    FILE *f = open_memstream(&text, &size);
    utf8_print(f, "a\033[31m\x7f\xc2\x9b\xff\xc3\xa9");
    fclose(f);
    is(text, "a?[31m???\xc3\xa9", "no control character reaches the terminal");
}

int main(void)
{
    test_structure();
    test_strings();
    test_utf8();
    return tap_done();
}
