/* One request over time, from samples: pieces that belong together, and spans in their order, however many there are.
 * tier: quick
 * timeout: 60 */
#include "../tap.h"

#include "profile_maker.h"
#include "report/trace.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static void add(struct profile *p, int64_t time, const char *thread, const char *span, const char *frames)
{
    struct profile_sample s = {.time_ns = time, .weight = 10, .stack = frames ? maker_stack(p, frames) : 0};
    struct profile_label label = {.key = maker_string(p, "span_id"), .value = maker_string(p, span)};
    profile_thread(p, maker_string(p, thread), 0, 0, &s.thread);
    profile_label(p, &label, &s.labels);
    profile_add_sample(p, &s);
}

static void contains(const char *text, const char *part, const char *what)
{
    if (!tap_ok(strstr(text, part) != NULL, "%s", what))
        tap_note("no '%s' in:\n%s", part, text);
}

static void test_spans(void)
{
    struct profile p;
    struct trace t = {0};
    char *text;
    size_t size;
    maker_init(&p);
    add(&p, 30, "a", "early", "shop.Cart.pay:1");
    add(&p, 20, "b", "late", "shop.Cart.pay:1");
    add(&p, 40, "a", "early", "shop.Cart.pay:1");
    add(&p, 50, "a", "late", "shop.Cart.add:2");
    add(&p, 10, "", "early", NULL);
    tap_ok(!trace_add(&t, &p) && !trace_finish(&t) && t.span_count == 2 && t.piece_count == 4 && t.samples == 5,
           "two spans, four pieces: %" PRIu32 " %" PRIu32, t.span_count, t.piece_count);
    tap_ok(t.span_count == 2 && !strcmp(t.spans[0].id, "early") && t.spans[0].from_ns == 10 && t.spans[0].to_ns == 40 &&
               t.spans[0].weights[PROFILE_RUNNING] == 30 && t.spans[1].from_ns == 20 && t.spans[1].to_ns == 50 &&
               t.spans[1].weights[PROFILE_RUNNING] == 20,
           "each from its first sample to its last, in the order of the first, with its weight");
    bool in_order = true;
    for (uint32_t i = 1; i < t.piece_count; i++)
        in_order &= t.pieces[i - 1].from_ns <= t.pieces[i].from_ns;
    tap_ok(in_order, "pieces in the order of time");
    FILE *out = open_memstream(&text, &size);
    trace_json(out, &t, "0123");
    fclose(out);
    contains(text, "\"thread\": null", "a thread that nobody knows is null");
    contains(text, "\"method\": null", "and so is its method");
    free(text);
    trace_deinit(&t);
    profile_deinit(&p);
}

/* As in a hostile file or a very long request; a comparison of all pairs would take minutes. */
static void test_many(void)
{
    enum { SPANS = 200000 };
    struct profile p;
    struct trace t = {0};
    char span[32];
    maker_init(&p);
    for (int i = 0; i < SPANS; i++) {
        snprintf(span, sizeof span, "%016x", i);
        add(&p, i, "main", span, NULL);
    }
    tap_ok(!trace_add(&t, &p) && !trace_finish(&t) && t.span_count == SPANS && t.piece_count == SPANS, "%d spans", SPANS);
    tap_ok(t.span_count == SPANS && t.spans[SPANS - 1].from_ns == SPANS - 1 && t.weights[PROFILE_RUNNING] == 10 * (uint64_t)SPANS,
           "each of them, in order");
    trace_deinit(&t);
    profile_deinit(&p);
}

/* As far apart as the numbers allow. */
static void test_far(void)
{
    struct profile p;
    struct trace t = {0};
    char *text;
    size_t size;
    maker_init(&p);
    add(&p, INT64_MIN, "a", "x", NULL);
    add(&p, INT64_MAX, "a", "y", NULL);
    FILE *out = open_memstream(&text, &size);
    tap_ok(!trace_add(&t, &p) && !trace_finish(&t), "times that cannot be true");
    trace_text(out, &t, "0123");
    fclose(out);
    contains(text, "+18446744073709.551 ms", "are no overflow");
    free(text);
    trace_deinit(&t);
    profile_deinit(&p);
}

int main(void)
{
    test_spans();
    test_many();
    test_far();
    return tap_done();
}
