#include "server/remote/scraped.h"

#include "base/array.h"
#include "base/buffer.h"
#include "base/text/number.h"

#include <errno.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

int scraped_init(struct scraped *s)
{
    *s = (struct scraped){0};
    return strtab_init(&s->texts);
}

void scraped_deinit(struct scraped *s)
{
    strtab_deinit(&s->texts);
    free(s->labels);
    free(s->families);
    free(s->series);
    *s = (struct scraped){0};
}

static int add_label(struct scraped *s, const char *name, size_t name_len, const char *value, size_t value_len)
{
    struct scraped_label l = {strtab_add(&s->texts, name, name_len), strtab_add(&s->texts, value, value_len)};
    if (!l.name || (value_len && !l.value) || ARRAY_GROW(s->labels, s->label_cap, s->label_count))
        return -ENOMEM;
    s->labels[s->label_count++] = l;
    return 0;
}

/* ---- a line ---- */

/* Reads a quoted value, in which \\, \" and \n are escaped. *at moves past it. */
static int read_value(const char **at, struct buffer *value)
{
    const char *c = *at;
    buffer_reset(value);
    if (*c++ != '"')
        return -EINVAL;
    for (; *c && *c != '"' && *c != '\n'; c++) {
        bool escaped = *c == '\\' && c[1];
        c += escaped;
        buffer_u8(value, (uint8_t)(escaped && *c == 'n' ? '\n' : *c));
    }
    if (*c != '"')
        return -EINVAL;
    *at = c + 1;
    return value->failed ? -ENOMEM : 0;
}

/* Reads {name="value",...}. *at stands at the brace, and moves past the other one. */
static int read_labels(struct scraped *s, const char **at)
{
    struct buffer value;
    const char *c = *at + 1;
    int rc = 0;
    buffer_init(&value, 1 << 16);
    while (!rc && *c != '}') {
        size_t n = strcspn(c, "=}\n");
        const char *name = c;
        if (!n || c[n] != '=') {
            rc = -EINVAL;
            break;
        }
        c += n + 1;
        rc = read_value(&c, &value);
        rc = rc ? rc : add_label(s, name, n, value.len ? (const char *)value.data : "", value.len);
        c += *c == ',';
    }
    buffer_deinit(&value);
    *at = c + !rc;
    return rc;
}

static int read_number(const char **at, double *v)
{
    char text[64];
    while (**at == ' ')
        ++*at;
    size_t n = strcspn(*at, " \n");
    if (!n || n >= sizeof text)
        return -EINVAL;
    memcpy(text, *at, n);
    text[n] = 0;
    *at += n;
    if (!strcmp(text, "+Inf") || !strcmp(text, "-Inf") || !strcmp(text, "NaN")) {
        *v = *text == '+' ? INFINITY : *text == '-' ? -INFINITY : NAN;
        return 0;
    }
    return number_parse_real(text, -DBL_MAX, DBL_MAX, v) ? -EINVAL : 0;
}

/* Reads ` # {label="value"} value seconds`, if it is there. */
static int read_exemplar(struct scraped *s, const char **at, struct scraped_series *one)
{
    static const char mark[] = " # {";
    if (strncmp(*at, mark, sizeof mark - 1))
        return 0;
    *at += sizeof mark - 2;
    one->has_exemplar = true;
    one->exemplar.first = s->label_count;
    int rc = read_labels(s, at);
    one->exemplar.count = s->label_count - one->exemplar.first;
    rc = rc ? rc : read_number(at, &one->exemplar_value);
    return !rc && **at == ' ' ? read_number(at, &one->exemplar_s) : rc;
}

static void sort_labels(struct scraped *s, const struct scraped_labels *l)
{
    struct scraped_label *list = s->labels + l->first;
    for (uint32_t i = 1; i < l->count; i++)
        for (uint32_t k = i; k && strcmp(strtab_text(&s->texts, list[k - 1].name), strtab_text(&s->texts, list[k].name)) > 0; k--) {
            struct scraped_label other = list[k];
            list[k] = list[k - 1];
            list[k - 1] = other;
        }
}

static int read_series(struct scraped *s, const char *line, const char *job, const char *instance)
{
    size_t n = strcspn(line, "{ \n");
    const char *at = line + n;
    struct scraped_series one = {.labels = {.first = s->label_count}, .family = s->family_count - 1};
    if (!n || !s->family_count)
        return -EINVAL;
    int rc = add_label(s, "__name__", strlen("__name__"), line, n);
    rc = rc || *at != '{' ? rc : read_labels(s, &at);
    rc = rc ? rc : add_label(s, "job", strlen("job"), job, strlen(job));
    rc = rc ? rc : add_label(s, "instance", strlen("instance"), instance, strlen(instance));
    one.labels.count = s->label_count - one.labels.first;
    rc = rc ? rc : read_number(&at, &one.value);
    rc = rc ? rc : read_exemplar(s, &at, &one);
    if (rc || *at != '\n')
        return rc ? rc : -EINVAL;
    sort_labels(s, &one.labels);
    if (ARRAY_GROW(s->series, s->series_cap, s->series_count))
        return -ENOMEM;
    s->series[s->series_count++] = one;
    return 0;
}

/* ---- families ---- */

static int add_family(struct scraped *s, const char *text)
{
    size_t n = strcspn(text, " \n"), help = strcspn(text + n, "\n");
    if (ARRAY_GROW(s->families, s->family_cap, s->family_count))
        return -ENOMEM;
    struct scraped_family *f = &s->families[s->family_count++];
    *f = (struct scraped_family){.name = strtab_add(&s->texts, text, n)};
    f->help = help > 1 ? strtab_add(&s->texts, text + n + 1, help - 1) : 0;
    return f->name ? 0 : -ENOMEM;
}

static void set_type(struct scraped *s, const char *text)
{
    static const char *const words[] = {[SCRAPED_COUNTER] = "counter", [SCRAPED_GAUGE] = "gauge", [SCRAPED_HISTOGRAM] = "histogram"};
    const char *word = text + strcspn(text, " \n");
    word += *word == ' ';
    for (int i = SCRAPED_COUNTER; s->family_count && i <= SCRAPED_HISTOGRAM; i++)
        if (strlen(words[i]) == strcspn(word, "\n") && !strncmp(word, words[i], strlen(words[i])))
            s->families[s->family_count - 1].type = (enum scraped_type)i;
}

int scraped_read(struct scraped *s, const char *text, const char *job, const char *instance)
{
    static const char help[] = "# HELP ", type[] = "# TYPE ";
    int rc = 0;
    for (const char *line = text; !rc && *line; line += strcspn(line, "\n"), line += *line == '\n') {
        if (!strncmp(line, help, sizeof help - 1))
            rc = add_family(s, line + sizeof help - 1);
        else if (!strncmp(line, type, sizeof type - 1))
            set_type(s, line + sizeof type - 1);
        else if (*line != '#' && *line != '\n')
            rc = read_series(s, line, job, instance);
    }
    return rc;
}
