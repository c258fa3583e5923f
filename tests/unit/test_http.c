/* The parts of talking to a server that are not libcurl's: addresses, texts in a query, headers of an answer, the file of a token.
 * tier: quick
 * timeout: 20 */
#include "../tap.h"

#include "http/address.h"
#include "http/fetch.h"
#include "http/token.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void test_addresses(void)
{
    static const char *const good[][2] = {{"http://h", "http://h"},
                                          {"https://h:4041/", "https://h:4041"},
                                          {"http://[::1]:1", "http://[::1]:1"},
                                          {"https://h/candor//", "https://h/candor"}};
    static const char *const bad[] = {"",           "h:4041",     "ftp://h",    "http://",   "http:///x", "http://:1", "https://u:p@h",
                                      "http://h?a", "http://h#a", "http://a b", "http://h\n"};
    char out[32];
    struct error e;
    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        tap_ok(!address_read(good[i][0], out, sizeof out, &e) && !strcmp(out, good[i][1]), "%s is a server", good[i][0]);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        tap_ok(address_read(bad[i], out, sizeof out, &e) == -EINVAL && strstr(e.text, "http://HOST:PORT"), "bad address %zu", i);
    tap_ok(!address_read("http://a2345678901234567890123/", out, 32, &e), "as long as there is room");
    tap_ok(address_read("http://a23456789012345678901234567890", out, 32, &e) == -EINVAL, "and no longer");
    tap_ok(address_is("https://x") && !address_is("http.jfr") && !address_is("./http://x"), "what looks like one");
}

static void test_escape(void)
{
    struct buffer b;
    buffer_init(&b, 100);
    address_escape(&b, "a{b=~\"c d&e\"}%\xc3\xa4-._~");
    buffer_u8(&b, 0);
    tap_ok(!b.failed && !strcmp((const char *)b.data, "a%7Bb%3D~%22c%20d%26e%22%7D%25%C3%A4-._~"), "a text in a query");
    buffer_reset(&b);
    address_escape(&b, "");
    tap_ok(!b.failed && !b.len, "an empty one");
    buffer_deinit(&b);
}

static bool header_is(const char *headers, const char *name, size_t size, const char *wanted)
{
    struct fetch_answer a = {0};
    char out[16];
    buffer_init(&a.headers, 1000);
    buffer_text(&a.headers, headers);
    const char *got = fetch_header(&a, name, out, size);
    bool same = wanted ? got && !strcmp(got, wanted) : !got;
    fetch_deinit(&a);
    return same;
}

static void test_headers(void)
{
    static const char some[] = "X-Total-Of: 1\r\nx-total:  12 \r\nEmpty:\r\nno colon\r\nX-Total: 13\r\nLast: 7";
    tap_ok(header_is(some, "X-Total", 16, "12"), "the first of that name, whatever its case, without blanks");
    tap_ok(header_is(some, "Empty", 16, ""), "an empty one");
    tap_ok(header_is(some, "Last", 16, "7"), "without a line end");
    tap_ok(header_is(some, "X-Total-O", 16, NULL) && header_is(some, "otal", 16, NULL) && header_is(some, "no colon", 16, NULL) &&
               header_is("", "X", 16, NULL) && header_is("X", "X", 16, NULL) && header_is("X-Long-Name", "X-Long-Name-More", 16, NULL),
           "none");
    tap_ok(header_is(some, "X-Total", 3, "12") && header_is(some, "X-Total", 2, NULL), "with room for it, and without");
}

static int token_of(const char *content, char *token, struct error *e)
{
    char path[] = "/tmp/candor-test-XXXXXX";
    int fd = mkstemp(path);
    bool written = fd >= 0 && write(fd, content, strlen(content)) == (ssize_t)strlen(content);
    if (fd >= 0)
        close(fd);
    int rc = written ? token_read(path, token, e) : -EIO;
    unlink(path);
    return rc;
}

static void test_tokens(void)
{
    char token[TOKEN_MAX];
    struct error e;
    tap_ok(!token_read("", token, &e) && !*token, "no file, no token");
    tap_ok(!token_of("abc\n", token, &e) && !strcmp(token, "abc"), "the first line");
    tap_ok(!token_of("abc\r\nmore than it\n", token, &e) && !strcmp(token, "abc"), "of several");
    tap_ok(token_of("", token, &e) == -EINVAL && strstr(e.text, "empty"), "an empty file");
    tap_ok(token_of("a b\n", token, &e) == -EINVAL && strstr(e.text, "more than a token"), "what is no token");
    tap_ok(token_read("/nowhere/token", token, &e) == -ENOENT && strstr(e.text, "/nowhere/token"), "a file that is not there");
}

int main(void)
{
    test_addresses();
    test_escape();
    test_headers();
    test_tokens();
    return tap_done();
}
