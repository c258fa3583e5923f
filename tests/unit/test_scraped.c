/* What remote write reads of the server's own metrics: labels in order, escapes, exemplars, types; broken lines; and the messages of it.
 * tier: quick
 * timeout: 60 */
#include "../tap.h"

#include "base/pb.h"
#include "server/remote/write_request.h"

#include <errno.h>
#include <math.h>
#include <snappy-c.h>
#include <stdlib.h>
#include <string.h>

static const char text[] = "# HELP a_total How many.\n# TYPE a_total counter\n"
                           "a_total{z=\"1\",b=\"x\\\\y\\\"\\nq # {\"} 7 # {trace_id=\"ff\"} 2.5 100.25\n"
                           "# HELP g Now.\n# TYPE g gauge\ng NaN\ng{le=\"+Inf\"} +Inf\n# EOF\n";

static const char *label_of(const struct scraped *s, const struct scraped_labels *l, uint32_t i)
{
    static char out[64];
    const struct scraped_label *one = &s->labels[l->first + i];
    snprintf(out, sizeof out, "%s=%s", strtab_text(&s->texts, one->name), strtab_text(&s->texts, one->value));
    return out;
}

static void test_reading(struct scraped *s)
{
    int rc = scraped_read(s, text, "job 1", "host:1");
    tap_ok(!rc && s->series_count == 3 && s->family_count == 2, "two families, three series: %d", rc);
    const struct scraped_series *one = &s->series[0];
    tap_ok(one->value == 7 && one->labels.count == 5 && s->families[one->family].type == SCRAPED_COUNTER &&
               !strcmp(strtab_text(&s->texts, s->families[one->family].help), "How many."),
           "the value, the type, the help");
    static const char *const wanted[] = {"__name__=a_total", "b=x\\y\"\nq # {", "instance=host:1", "job=job 1", "z=1"};
    bool same = true;
    for (uint32_t i = 0; i < 5; i++)
        same = same && !strcmp(label_of(s, &one->labels, i), wanted[i]);
    tap_ok(same, "the labels, sorted, without escapes; what looks like an exemplar in one is none");
    tap_ok(one->has_exemplar && one->exemplar.count == 1 && !strcmp(label_of(s, &one->exemplar, 0), "trace_id=ff") &&
               one->exemplar_value == 2.5 && one->exemplar_s == 100.25,
           "the exemplar");
    tap_ok(isnan(s->series[1].value) && isinf(s->series[2].value) && !s->series[2].has_exemplar, "numbers that are none");
}

static void test_broken(void)
{
    static const char head[] = "# HELP a b\n# TYPE a gauge\n";
    static const char *const lines[] = {"a",
                                        "a ",
                                        "a x",
                                        "a{",
                                        "a{b",
                                        "a{b=",
                                        "a{b=\"",
                                        "a{b=\"c",
                                        "a{b=\"c\"",
                                        "a{b=\"c\"} ",
                                        "a 1 2",
                                        "a 1 # {",
                                        "a 1 # {b=\"c\"}",
                                        "{b=\"c\"} 1",
                                        "a{=\"c\"} 1",
                                        "a 1 # {b=\"c\"} x",
                                        "a 1 # {b=\"c\"} 1 x"};
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        struct scraped s;
        char all[200];
        snprintf(all, sizeof all, "%s%s\n", head, lines[i]);
        tap_ok(!scraped_init(&s) && scraped_read(&s, all, "j", "i") == -EINVAL, "'%s' is no line", lines[i]);
        scraped_deinit(&s);
    }
    struct scraped s;
    tap_ok(!scraped_init(&s) && scraped_read(&s, "a 1\n", "j", "i") == -EINVAL, "a series without a family is refused");
    scraped_deinit(&s);
}

/* Counts the fields with that number in the message of a request. */
static uint32_t fields(const struct buffer *packed, uint32_t number)
{
    size_t n = 0;
    uint32_t count = 0;
    if (snappy_uncompressed_length((const char *)packed->data, packed->len, &n) != SNAPPY_OK)
        return 0;
    char *bytes = malloc(n + 1);
    if (snappy_uncompress((const char *)packed->data, packed->len, bytes, &n) == SNAPPY_OK) {
        struct pb m = pb_init(bytes, n);
        for (struct pb_field f; pb_next(&m, &f);)
            count += f.number == number;
        count = m.bad ? 0 : count;
    }
    free(bytes);
    return count;
}

static void test_messages(const struct scraped *s)
{
    struct buffer first, second;
    buffer_init(&first, 1 << 20);
    buffer_init(&second, 1 << 20);
    int rc = write_request_make(write_request_version("1.0"), s, 1000, &first);
    rc = rc ? rc : write_request_make(write_request_version("2.0"), s, 1000, &second);
    tap_ok(!rc && fields(&first, 1) == 3 && fields(&first, 3) == 2, "1.0: three series, and the types of two families");
    tap_ok(fields(&second, 5) == 3 && fields(&second, 4) == s->texts.count, "2.0: three series, and the texts");
    tap_ok(!write_request_version("3.0"), "no other version");
    buffer_deinit(&first);
    buffer_deinit(&second);
}

int main(void)
{
    struct scraped s;
    tap_ok(!scraped_init(&s), "empty");
    test_reading(&s);
    test_messages(&s);
    scraped_deinit(&s);
    test_broken();
    return tap_done();
}
