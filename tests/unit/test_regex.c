/* Regular expressions: RE2's dialect, patterns that are refused, and patterns that are made to use much memory or time.
 * tier: quick
 * timeout: 30 */
#include "../tap.h"

#include "regex/regex.h"

#include <errno.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>

static void is_found(const char *pattern, const char *text, enum regex_where where, bool wanted)
{
    struct regex *r;
    struct error e = {""};
    int rc = regex_compile(&r, pattern, where, &e);
    tap_ok(!rc && regex_matches(r, text) == wanted && regex_matches(r, text) == wanted, "'%s' %s %zu bytes%s", pattern,
           wanted ? "matches" : "does not match", strlen(text), where == REGEX_WHOLE ? " as a whole" : ", or a part of them");
    if (rc)
        tap_note("%s", e.text);
    regex_free(r);
}

static void test_matches(void)
{
    static const char *const found[][2] = {
        {"", ""},
        {"b", "abc"},
        {"^a|c$", "xc"},
        {"a.c", "a\nc"},
        {"(?-s)a.c", "abc"},
        {"a{2,3}$", "aaa"},
        {"^a{2,}$", "aaaa"},
        {"(ab)+$", "abab"},
        {"a{,3}", "a{,3}"},
        {"x{", "x{"},
        {"[a-c]+$", "cab"},
        {"[^a-c]", "abcd"},
        {"[]a]+$", "a]"},
        {"[a\\]-]+$", "]-a"},
        {"[[:alpha:]_]+$", "a_Z"},
        {"\\d\\W\\s", "1- "},
        {"[\\d.]+$", "1.2"},
        {"\\x41\\x{263a}", "A\xe2\x98\xba"},
        {"\\101", "A101"},
        {"^.$", "\xe2\x98\xba"},
        {"^\xef\xbf\xbd$", "\xff"},
        {"(?i)straSse", "STRASSE"},
        {"(?i:a)b", "Ab"},
        {"\\bcat\\b", "a cat."},
        {"\\Bat", "cat"},
        {"\\Qa.b*\\E+c", "a.b**c"},
        {"(?P<n>a)(?<m>b)", "ab"},
        {"(?m)^b$", "a\nb\nc"},
        {"a*?b", "aab"},
        {"(|a)+$", "aa"},
        {"\\Aa\\z", "a"},
        {"a||b", ""},
        {"java\\.util\\..*Map", "java.util.HashMap.get"},
    };
    static const char *const missed[][2] = {
        {"^b", "ab"},      {"a.c", "ac"},       {"(?-s)a.c", "a\nc"}, {"(?i:a)b", "AB"},        {"\\bat", "cat"},       {"a$", "a\n"},
        {"^a{2,3}$", "a"}, {"^[^a-c]+$", "xa"}, {"\\Qa.b", "axb"},    {"^..$", "\xe2\x98\xba"}, {"[[:^digit:]]", "12"}, {"(?m)^b$", "ab"},
    };
    for (size_t i = 0; i < sizeof found / sizeof *found; i++)
        is_found(found[i][0], found[i][1], REGEX_SOMEWHERE, true);
    for (size_t i = 0; i < sizeof missed / sizeof *missed; i++)
        is_found(missed[i][0], missed[i][1], REGEX_SOMEWHERE, false);
    is_found("a|ab", "ab", REGEX_WHOLE, true);
    is_found("a|b", "ab", REGEX_WHOLE, false);
    is_found("web-.*", "web-1", REGEX_WHOLE, true);
    is_found("eb", "web", REGEX_WHOLE, false);
    is_found("", "", REGEX_WHOLE, true);
}

static void test_refused(void)
{
    static const char *const bad[][2] = {
        {"(?=a)", "lookaround"},
        {"(?!a)", "lookaround"},
        {"(?<=a)", "lookaround"},
        {"(?<!a)", "lookaround"},
        {"(a)\\1", "backreferences"},
        {"\\pL", "\\p"},
        {"\\C", "\\C"},
        {"\\Z", "no such escape"},
        {"(?>a)", "group"},
        {"a++", "repetition of a repetition"},
        {"a**", "repetition"},
        {"*a", "nothing to repeat"},
        {"{2}", "nothing to repeat"},
        {"a{1001}", "{1000}"},
        {"a{2,1}", "{1000}"},
        {"(a", "character 1: a )"},
        {"a)", "character 2"},
        {"[a", "]"},
        {"[b-a]", "range"},
        {"[[:foo:]]", "class"},
        {"\\x4", "\\x"},
        {"\\x{110000}", "\\x"},
        {"a\\", "backslash"},
        {"(?P<>a)", "name"},
        {"(?q)", "flag"},
        {"\xff", "UTF-8"},
        {"[\xff]", "UTF-8"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct regex *r;
        struct error e = {""};
        int rc = regex_compile(&r, bad[i][0], REGEX_SOMEWHERE, &e);
        tap_ok(rc == -EINVAL && !r && strstr(e.text, bad[i][1]), "'%s' is refused: %s", bad[i][0], e.text);
    }
}

/* The memory of a compiled pattern, in bytes; -1 if the pattern is refused. */
static long kept(const char *pattern)
{
    struct regex *r;
    struct error e;
    size_t before = mallinfo2().uordblks + mallinfo2().hblkhd;
    int rc = regex_compile(&r, pattern, REGEX_WHOLE, &e);
    size_t after = mallinfo2().uordblks + mallinfo2().hblkhd;
    regex_free(r);
    return rc ? -1 : (long)(after - before);
}

static void test_bombs(void)
{
    static const char *const refused[] = {
        "((((a{1,255}){1,255}){1,255}){1,255})",
        "(((x{1000}){1000}){1000})",
        "((((){1,1000}){1,1000}){1,1000})",
        "(a{40}){40}",
        "(abcdef){1000}",
        "((a{0,999}){1,1}){0,999}",
    };
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
        tap_ok(kept(refused[i]) == -1, "refused: %s", refused[i]);
    char text[REGEX_TEXT_MAX + 2];
    memset(text, '(', sizeof text);
    text[sizeof text - 1] = 0;
    tap_ok(kept(text) == -1, "refused: %d open groups", REGEX_TEXT_MAX + 1);
    text[REGEX_TEXT_MAX] = 0;
    memset(text, '.', REGEX_TEXT_MAX);
    tap_ok(kept(text) >= 0 && kept(text) < 8 << 20, "%d dots keep less than 8 MiB", REGEX_TEXT_MAX); /* sanitized: 0 */
    memset(text, 'a', REGEX_TEXT_MAX);
    /* A backtracking engine needs 2^n steps for these. */
    static const char *const slow[] = {"(a*)*b",           "(a|a)*b",        "(a|aa)+b", "(a+)+b", "(.*)(.*)(.*)(.*)(.*)b",
                                       "(a?){500}a{500}b", "((a*)*|(a*)*)*b"};
    for (size_t i = 0; i < sizeof slow / sizeof *slow; i++)
        is_found(slow[i], text, REGEX_WHOLE, false);
}

int main(void)
{
    test_matches();
    test_refused();
    test_bombs();
    return tap_done();
}
