#include "server/metrics/condition.h"

#include "base/text/number.h"
#include "server/metrics/key_metrics.h"

#include <ctype.h>
#include <errno.h>
#include <float.h>
#include <stdio.h>
#include <string.h>

enum { NUMBER_BYTES = 40, NAMES_BYTES = 1024, SHOWN = 20 };

struct parsing {
    struct condition *c;
    struct error *e;
    const char *text, *at;
    unsigned depth;
};

static int parse_condition(struct parsing *p, uint8_t *node);

static int fail(const struct parsing *p, const char *what)
{
    return error_set(p->e, -EINVAL, "where: at character %zu, before '%.*s': %s", (size_t)(p->at - p->text) + 1, SHOWN, p->at, what);
}

/* ---- words ---- */

static void skip_blanks(struct parsing *p)
{
    p->at += strspn(p->at, " \t\n");
}

static size_t word_length(const char *at)
{
    size_t n = 0;
    while (isalnum((unsigned char)at[n]) || at[n] == '_')
        n++;
    return n;
}

/* Takes the word if it is next. */
static bool take_word(struct parsing *p, const char *word)
{
    skip_blanks(p);
    if (word_length(p->at) != strlen(word) || strncmp(p->at, word, strlen(word)) != 0)
        return false;
    p->at += strlen(word);
    return true;
}

static bool take_sign(struct parsing *p, const char *sign)
{
    skip_blanks(p);
    if (strncmp(p->at, sign, strlen(sign)) != 0)
        return false;
    p->at += strlen(sign);
    return true;
}

static int add_node(struct parsing *p, const struct condition_node *node, uint8_t *place)
{
    if (p->c->count == CONDITION_NODES_MAX)
        return fail(p, "the condition has too many parts");
    *place = (uint8_t)p->c->count;
    p->c->nodes[p->c->count++] = *node;
    return 0;
}

/* ---- a comparison ---- */

static size_t digits(const char *at)
{
    return strspn(at, "0123456789");
}

static int take_number(struct parsing *p, double *number)
{
    char text[NUMBER_BYTES];
    skip_blanks(p);
    const char *at = p->at + (*p->at == '-');
    size_t whole = digits(at), part = at[whole] == '.' ? 1 + digits(at + whole + 1) : 0;
    size_t n = (size_t)(at - p->at) + whole + part;
    if (!whole || part == 1)
        return fail(p, "a number is wanted, such as 2 or 0.1");
    if (n >= sizeof text)
        return fail(p, "the number has too many digits");
    snprintf(text, sizeof text, "%.*s", (int)n, p->at);
    p->at += n;
    return number_parse_real(text, -DBL_MAX, DBL_MAX, number) ? fail(p, "this is no number") : 0;
}

/* Units smaller than that of the metric divide, so that 700 ms is the same number as 0.7 s. */
static const struct unit {
    const char *word;
    enum key_unit of;
    double times, parts;
} units[] = {
    {"%", KEY_UNIT_SHARE, 1, 100},          {"s", KEY_UNIT_SECONDS, 1, 1},    {"ms", KEY_UNIT_SECONDS, 1, 1e3},
    {"us", KEY_UNIT_SECONDS, 1, 1e6},       {"KB", KEY_UNIT_BYTES, 1e3, 1},   {"MB", KEY_UNIT_BYTES, 1e6, 1},
    {"GB", KEY_UNIT_BYTES, 1e9, 1},         {"KiB", KEY_UNIT_BYTES, 1024, 1}, {"MiB", KEY_UNIT_BYTES, 1048576, 1},
    {"GiB", KEY_UNIT_BYTES, 1073741824, 1},
};

static int take_unit(struct parsing *p, enum key_metric metric, double *number)
{
    enum key_unit of = key_metric_rows[metric].unit;
    char message[120];
    skip_blanks(p);
    size_t n = *p->at == '%' ? 1 : word_length(p->at);
    if (!n || (n == 3 && !strncmp(p->at, "and", n)) || (n == 2 && !strncmp(p->at, "or", n)))
        return 0;
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        bool fits = units[i].of == of || (units[i].of == KEY_UNIT_BYTES && of == KEY_UNIT_BYTES_PER_S);
        if (!fits || strlen(units[i].word) != n || strncmp(p->at, units[i].word, n) != 0)
            continue;
        *number = *number * units[i].times / units[i].parts;
        p->at += n;
        return 0;
    }
    snprintf(message, sizeof message, "this is no unit of %s, which is in %s", key_metric_rows[metric].name, key_unit_rows[of].word);
    return fail(p, message);
}

static int take_metric(struct parsing *p, enum key_metric *metric)
{
    char message[NAMES_BYTES], names[NAMES_BYTES - 80];
    skip_blanks(p);
    size_t n = word_length(p->at);
    *metric = key_metric_named(p->at, n);
    if (*metric != KEY_METRICS) {
        p->at += n;
        return 0;
    }
    snprintf(message, sizeof message, "%s; there are %s", n ? "no key metric has this name" : "a key metric is wanted",
             key_metrics_names(names, sizeof names));
    return fail(p, message);
}

static int parse_comparison(struct parsing *p, uint8_t *place)
{
    static const struct {
        const char *sign;
        int compare;
    } signs[] = {{">=", IS_LEAST}, {"<=", IS_MOST}, {"!=", IS_OTHER}, {">", IS_MORE}, {"<", IS_LESS}, {"=", IS_EQUAL}};
    struct condition_node node = {.what = CONDITION_COMPARE};
    size_t sign = 0;
    int rc = take_metric(p, &node.metric);
    if (rc)
        return rc;
    while (sign < sizeof signs / sizeof *signs && !take_sign(p, signs[sign].sign))
        sign++;
    if (sign == sizeof signs / sizeof *signs)
        return fail(p, "a comparison is wanted: > >= < <= = !=");
    node.compare = signs[sign].compare;
    rc = take_number(p, &node.number);
    rc = rc ? rc : take_unit(p, node.metric, &node.number);
    if (rc)
        return rc;
    p->c->first = p->c->metrics ? p->c->first : node.metric;
    p->c->metrics |= key_metric_bit(node.metric);
    return add_node(p, &node, place);
}

/* ---- and, or, not ---- */

static int parse_one(struct parsing *p, uint8_t *place)
{
    struct condition_node node = {.what = CONDITION_NOT};
    int rc;
    if (++p->depth > CONDITION_DEPTH_MAX)
        return fail(p, "the condition is nested too deeply");
    if (take_word(p, "not")) {
        rc = parse_one(p, &node.left);
        rc = rc ? rc : add_node(p, &node, place);
    } else if (take_sign(p, "(")) {
        rc = parse_condition(p, place);
        if (!rc && !take_sign(p, ")"))
            rc = fail(p, "a ')' is wanted");
    } else {
        rc = parse_comparison(p, place);
    }
    p->depth--;
    return rc;
}

static int parse_all(struct parsing *p, uint8_t *place)
{
    int rc = parse_one(p, place);
    while (!rc && take_word(p, "and")) {
        struct condition_node node = {.what = CONDITION_AND, .left = *place};
        rc = parse_one(p, &node.right);
        rc = rc ? rc : add_node(p, &node, place);
    }
    return rc;
}

static int parse_condition(struct parsing *p, uint8_t *place)
{
    int rc = parse_all(p, place);
    while (!rc && take_word(p, "or")) {
        struct condition_node node = {.what = CONDITION_OR, .left = *place};
        rc = parse_all(p, &node.right);
        rc = rc ? rc : add_node(p, &node, place);
    }
    return rc;
}

int condition_parse(struct condition *c, const char *text, size_t len, struct error *e)
{
    struct parsing p = {.c = c, .e = e, .text = text, .at = text};
    *c = (struct condition){.first = KEY_CPU};
    if (len > CONDITION_BYTES_MAX || strlen(text) != len)
        return error_set(e, -EINVAL, len > CONDITION_BYTES_MAX ? "where: longer than %d bytes" : "where: it has a zero byte",
                         CONDITION_BYTES_MAX);
    int rc = parse_condition(&p, &c->root);
    skip_blanks(&p);
    return rc || !*p.at ? rc : fail(&p, "'and', 'or' or the end is wanted");
}

/* ---- evaluation ---- */

enum truth { NO, UNKNOWN, YES }; /* AND is the least of both, OR the largest */

static enum truth compare(const struct condition_node *n, const struct store_minute *m)
{
    double v;
    if (!store_minute_value(m, n->metric, &v))
        return UNKNOWN;
    bool is = n->compare == IS_MORE    ? v > n->number
              : n->compare == IS_LEAST ? v >= n->number
              : n->compare == IS_LESS  ? v < n->number
              : n->compare == IS_MOST  ? v <= n->number
              : n->compare == IS_EQUAL ? v == n->number
                                       : v != n->number;
    return is ? YES : NO;
}

static enum truth truth_of(const struct condition *c, uint8_t place, const struct store_minute *m)
{
    const struct condition_node *n = &c->nodes[place];
    if (n->what == CONDITION_COMPARE)
        return compare(n, m);
    enum truth left = truth_of(c, n->left, m);
    if (n->what == CONDITION_NOT)
        return YES - left;
    enum truth right = truth_of(c, n->right, m);
    return (n->what == CONDITION_AND) == (left < right) ? left : right;
}

bool condition_holds(const struct condition *c, const struct store_minute *m)
{
    return truth_of(c, c->root, m) == YES;
}
