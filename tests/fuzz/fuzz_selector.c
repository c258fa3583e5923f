/* libFuzzer target: a selector, as any client may send it, and after a zero byte the value of the labels that it is asked about. Reading it
 * must end, within its limits, and so must matching. */
#include "store/selector.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static void check(bool holds)
{
    if (!holds)
        abort();
}

static const char *same_value(void *value, const char *name)
{
    (void)name;
    return value;
}

static void set_labels(struct labels *l, const char *value)
{
    static const char *const names[] = {"service", "host", "on_demand"};
    struct error ignored;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        labels_set(l, names[i], strlen(names[i]), value, strlen(value), &ignored); /* it may refuse the value */
}

static void read_selector(const char *text, const char *value)
{
    struct selector s;
    struct labels l = {0};
    struct error e = {0};
    int rc = selector_parse(&s, text, &e);
    check(!rc || *e.text);
    check(s.count <= SELECTOR_MAX);
    if (!rc) {
        set_labels(&l, value);
        bool matches = selector_matches(&s, &l);
        check(!matches || selector_may_match(&s, labels_get(&l, "service"))); /* else a query would miss a service */
        check(matches == selector_matches(&s, &l));
        selector_holds_for_sample(&s, same_value, (void *)value);
        labels_deinit(&l);
    }
    selector_deinit(&s);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    char *text = malloc(size + 2); /* a text, a zero, and perhaps a value with its own zero */
    check(text);
    memcpy(text, bytes, size);
    text[size] = text[size + 1] = 0;
    read_selector(text, text + strlen(text) + 1);
    free(text);
    return 0;
}
