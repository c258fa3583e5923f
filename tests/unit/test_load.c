/*
 * The parts of the load generator: schedules compared with their integral, URLs, mixes, HTTP answers split at every byte, the mock.
 * tier: quick
 * timeout: 60
 */
#include "../tap.h"
#include "base/time_units.h"
#include "load/schedule/arrivals.h"
#include "load/mix.h"
#include "load/mock.h"
#include "load/response.h"
#include "load/schedule/schedule.h"
#include "load/url.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static struct error e;

static void test_schedule(void)
{
    struct schedule s;
    tap_ok(!schedule_parse(&s, "1000", &e) && schedule_due(&s, 0) == 0 && schedule_due(&s, 7) == 7000000 &&
               schedule_due(&s, 3600000000) == 3600000000000000,
           "a steady rate: n / rate, also after an hour of hours");
    tap_ok(schedule_count(&s, 0) == 0 && schedule_count(&s, 1) == 1 && schedule_count(&s, NS_PER_S) == 1000, "and its count");
    /* 0 to 100 in 10 s: n(t) = 5 t^2; then 100/s. */
    tap_ok(!schedule_parse(&s, "0-100:10s,100", &e), "a ramp");
    unsigned wrong = 0, falling = 0;
    uint64_t before = 0;
    for (uint64_t n = 0; n < 1000; n++) {
        double t = n < 500 ? sqrt((double)n / 5) : 10 + ((double)n - 500) / 100;
        uint64_t due = schedule_due(&s, n);
        wrong += fabs((double)due / NS_PER_S - t) > 1e-8;
        wrong += schedule_count(&s, due) > n || schedule_count(&s, due + 1) <= n;
        falling += due < before;
        before = due;
    }
    tap_ok(!wrong && !falling, "is its integral");
    tap_ok(!schedule_parse(&s, "100-0:10s", &e) && schedule_due(&s, 499) < 10 * NS_PER_S && schedule_due(&s, 501) == UINT64_MAX,
           "down to nothing, and then nothing");
    static const char *const bad[] = {"", "x", "-1", "0", "10-20", "10:0s", "10,20", "1e99", "1000001", "10:5"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        tap_ok(schedule_parse(&s, bad[i], &e) < 0, "'%s' is refused", bad[i]);
}

static void test_url(void)
{
    struct url u;
    tap_ok(!url_parse(&u, "http://host", &e) && !strcmp(u.host, "host") && !strcmp(u.port, "80") && !strcmp(u.path, "/") && !u.tls,
           "a host");
    tap_ok(!url_parse(&u, "https://[::1]:8443/a?b=c#d", &e) && !strcmp(u.host, "::1") && !strcmp(u.port, "8443") &&
               !strcmp(u.path, "/a?b=c") && u.tls && !strcmp(u.authority, "[::1]:8443"),
           "everything in one");
    tap_ok(!url_parse(&u, "http://h?q", &e) && !strcmp(u.path, "/?q"), "a query without a path");
    static const char *const bad[] = {"host",        "ftp://host", "http://",      "http://:80",        "http://h:0",  "http://h:99999",
                                      "http://h:8o", "http://u@h", "http://h/a b", "http://h/\r\nX: y", "http://[::1", "http://h:"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        tap_ok(url_parse(&u, bad[i], &e) < 0, "bad URL %zu is refused", i);
}

static void test_mix(void)
{
    struct mix m;
    unsigned counts[2] = {0};
    tap_ok(!mix_parse(&m, "insert=1:POST:/x:hello,read=9", "/y", &e) && m.count == 2 && !strcmp(m.types[0].method, "POST") &&
               m.types[0].body_len == 5 && !strcmp(m.types[1].path, "/y"),
           "two types");
    for (uint64_t n = 0; n < 100000; n++)
        counts[mix_choose(&m, n)]++;
    /* binomial: 5 standard errors of 95 */
    tap_ok(counts[0] > 10000 - 475 && counts[0] < 10000 + 475, "one in ten is of the first (%u of 100,000)", counts[0]);
    tap_ok(!mix_render(&m, "h:1", "A: b\r\n", true) &&
               !strncmp(m.types[0].bytes, "POST /x HTTP/1.1\r\nHost: h:1\r\nA: b\r\nContent-Length: 5\r\n\r\nhello", m.types[0].len),
           "the request's bytes");
    mix_deinit(&m);
    static const char *const bad[] = {"", "a", "a=", "a=0", "a=-1", "a=x", "a=1:get", "a=1:GET:x", "a b=1", "a=1,a=1", "=1"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        tap_ok(mix_parse(&m, bad[i], "/", &e) < 0, "'%s' is refused", bad[i]);
        mix_deinit(&m);
    }
}

#define OK "HTTP/1.1 200 OK\r\n"

static const struct {
    const char *bytes;
    int status; /* 0: broken */
    unsigned body, rest;
    bool keep_alive, close;
} answers[] = {
    {OK "Content-Length: 5\r\n\r\nhello", 200, 5, 0, true, false},
    {OK "content-length:5 \r\n\r\nhello and more", 200, 5, 9, true, false},
    {OK "Content-Length: 0\r\nConnection: close\r\n\r\n", 200, 0, 0, false, false},
    {"HTTP/1.0 404 Not Found\r\nContent-Length: 2\r\n\r\nno", 404, 2, 0, false, false},
    {"HTTP/1.0 200\r\nConnection: Keep-Alive\r\nContent-Length: 2\r\n\r\nno", 200, 2, 0, true, false},
    {OK "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\nA;x=y\r\n0123456789\r\n0\r\nT: x\r\n\r\n", 200, 15, 0, true, false},
    {OK "Transfer-Encoding: gzip, chunked\r\nContent-Length: 3\r\n\r\n0\r\n\r\n", 200, 0, 0, true, false},
    {OK "\r\nuntil the end", 200, 13, 0, false, true},
    {"HTTP/1.1 100 Continue\r\n\r\n" OK "Content-Length: 1\r\n\r\nx", 200, 1, 0, true, false},
    {"HTTP/1.1 204 No Content\r\n\r\n", 204, 0, 0, true, false},
    {"HTTP/1.1 304 Not Modified\r\nContent-Length: 100\r\n\r\n", 304, 0, 0, true, false},
    {OK "Content-Length: 5\nX: y\n\nhello", 200, 5, 0, true, false},
    {"HTTP/2 200 OK\r\n\r\n", 0, 0, 0, false, false},
    {"garbage\r\n", 0, 0, 0, false, false},
    {OK "Content-Length: 5x\r\n\r\nhello", 0, 0, 0, false, false},
    {OK "Content-Length: -5\r\n\r\nhello", 0, 0, 0, false, false},
    {OK "Content-Length: 99999999999999999999\r\n\r\n", 0, 0, 0, false, false},
    {OK "Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello", 0, 0, 0, false, false},
    {OK "no colon\r\n\r\n", 0, 0, 0, false, false},
    {OK "Transfer-Encoding: chunked\r\n\r\nzz\r\n", 0, 0, 0, false, false},
    {OK "Transfer-Encoding: chunked\r\n\r\n2\r\nabc\r\n", 0, 0, 0, false, false},
    {OK "Transfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\n", 0, 0, 0, false, false},
    {"HTTP/1.1 101 Switching Protocols\r\n\r\n", 0, 0, 0, false, false},
    {OK "Content-Length: 5\r\n\r\nhel", 0, 0, 0, false, true},
};

/* The answer in two pieces, or byte by byte for split 0. */
static bool is_as_told(size_t i, size_t split)
{
    static struct response r;
    size_t n = strlen(answers[i].bytes), taken = 0;
    response_start(&r, false);
    for (size_t at = 0; at < n && r.state != RESPONSE_DONE && r.state != RESPONSE_BROKEN;) {
        size_t piece = !split ? 1 : at < split ? split - at : n - at;
        taken = response_feed(&r, answers[i].bytes + at, piece);
        at += taken;
        if (taken < piece && r.state != RESPONSE_DONE && r.state != RESPONSE_BROKEN)
            return false;
        if (r.state == RESPONSE_DONE && split == n && n - at != answers[i].rest)
            return false;
    }
    if (answers[i].close)
        response_close(&r);
    if (!answers[i].status)
        return r.state == RESPONSE_BROKEN && r.problem;
    return r.state == RESPONSE_DONE && r.status == answers[i].status && r.body == answers[i].body && r.keep_alive == answers[i].keep_alive;
}

static void test_answers(void)
{
    for (size_t i = 0; i < sizeof answers / sizeof *answers; i++) {
        unsigned wrong = 0;
        for (size_t split = 0; split <= strlen(answers[i].bytes); split++)
            wrong += !is_as_told(i, split);
        tap_ok(!wrong, "answer %zu in pieces of every size (%u wrong)", i, wrong);
    }
    static struct response r;
    static char endless[100000];
    response_start(&r, false);
    response_feed(&r, OK, strlen(OK));
    memset(endless, 'a', sizeof endless);
    response_feed(&r, endless, sizeof endless);
    tap_ok(r.state == RESPONSE_BROKEN && !strcmp(r.problem, "a header line is too long"), "an endless header");
    response_start(&r, false);
    response_feed(&r, OK, strlen(OK));
    for (int i = 0; i < 20000; i++)
        response_feed(&r, "a: b\r\n", 6);
    tap_ok(r.state == RESPONSE_BROKEN && !strcmp(r.problem, "more than 64 KiB of headers"), "endless headers");
    response_start(&r, true);
    response_feed(&r, OK "Content-Length: 5\r\n\r\n", strlen(OK) + 21);
    tap_ok(r.state == RESPONSE_DONE, "HEAD has no body");
}

static void test_mock(void)
{
    struct mock m;
    tap_ok(!mock_parse(&m, "delay=4ms", 1, &e) && mock_done(&m, 100) == 4000100, "a fixed delay");
    mock_parse(&m, "hiccup=50ms-100ms", 3, &e);
    unsigned stops = 0, early = 0, short_ones = 0;
    uint64_t gate = 0;
    enum { N = 1000000 };
    for (uint64_t i = 0; i < N; i++) {
        uint64_t now = i * NS_PER_MS, before = m.gate, done = mock_done(&m, now);
        if (m.gate != before) {
            stops++;
            early += m.gate < now + 50000000;
            gate = m.gate;
        } else {
            early += now < gate && done < gate; /* a request that comes during a stop waits for its end */
            short_ones += now >= gate && done - now < NS_PER_MS;
        }
    }
    /* 1 in 10,000: 100 with a standard error of 10; 6 of them */
    tap_ok(stops > 40 && stops < 160, "one in ten thousand stops all (%u of a million)", stops);
    tap_ok(!early, "and all wait for it");
    tap_ok(short_ones > 0.88 * N && short_ones < 0.91 * N, "nine in ten take less than a millisecond (%u)", short_ones);
    static const char *const bad[] = {"", "delay", "delay=4", "hiccup=", "hiccup=5ms", "hiccup=5ms-4ms", "other"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        tap_ok(mock_parse(&m, bad[i], 1, &e) < 0, "'%s' is refused", bad[i]);
}

/* A Poisson process on a ramp: its counts in windows of the same expectation have a variance like their mean. */
static void test_arrivals(void)
{
    enum { WINDOWS = 1000, EACH = 50 };
    struct schedule s;
    unsigned counts[WINDOWS] = {0}, falling = 0;
    double squares = 0, mean = EACH;
    schedule_parse(&s, "0-5000:10s,5000", &e);
    uint64_t length = schedule_at(&s, WINDOWS * EACH);
    tap_ok(!arrivals_poisson(&s, length, 3, &e), "poisson arrivals");
    for (uint64_t n = 0, before = 0; n < s.arrival_count; n++) {
        double t = (double)schedule_due(&s, n) / NS_PER_S, expected = t < 10 ? 250 * t * t : 25000 + 5000 * (t - 10);
        falling += schedule_due(&s, n) < before;
        before = schedule_due(&s, n);
        counts[(unsigned)(expected / EACH) % WINDOWS]++;
    }
    for (int i = 0; i < WINDOWS; i++)
        squares += (counts[i] - mean) * (counts[i] - mean) / mean;
    /* chi-square with 1000 degrees of freedom: mean 1000, five standard deviations are 224 */
    tap_ok(!falling && fabs(squares - WINDOWS) < 224, "follow the ramp, with the spread of a Poisson process: %.0f", squares);
    tap_ok(fabs((double)s.arrival_count - WINDOWS * EACH) < 5 * sqrt(WINDOWS * EACH) && schedule_due(&s, s.arrival_count) == UINT64_MAX &&
               schedule_count(&s, length) == s.arrival_count,
           "and its number");
    schedule_deinit(&s);
}

int main(void)
{
    test_arrivals();
    test_schedule();
    test_url();
    test_mix();
    test_answers();
    test_mock();
    return tap_done();
}
