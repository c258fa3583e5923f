#include "server/fleet/figures.h"

#include "profile/figures/stats.h"
#include "server/request/question.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

enum { BY_BYTES_MAX = 4096, KEY_MAX = 64 };

/* ---- labels that make groups ---- */

static const char *next_of(const char *names)
{
    const char *end = strchr(names, STORE_BY_SEPARATOR);
    return end ? end + 1 : NULL;
}

static size_t len_of(const char *names)
{
    return strcspn(names, (char[]){STORE_BY_SEPARATOR, 0});
}

const char *figures_by_names(const struct figures_by *by)
{
    return by->names.len > 1 ? (const char *)by->names.data : NULL;
}

void figures_by_add(struct figures_by *by, const char *name, size_t len)
{
    for (const char *at = figures_by_names(by); at; at = next_of(at))
        if (len_of(at) == len && !memcmp(at, name, len))
            return;
    if (by->names.len)
        by->names.data[by->names.len - 1] = STORE_BY_SEPARATOR;
    buffer_put(&by->names, name, len);
    buffer_u8(&by->names, 0);
}

int figures_by_init(struct figures_by *by, struct http *h, const char *first)
{
    size_t given;
    const char *text = http_parameter(h, "by", &given);
    buffer_init(&by->names, BY_BYTES_MAX);
    for (size_t len; *first; first += len + (first[len] == ',')) {
        len = strcspn(first, ",");
        figures_by_add(by, first, len);
    }
    for (const char *at = text && *text ? text : NULL; at;) {
        size_t len = strcspn(at, ",");
        if (!labels_is_name(at, len) || strlen(text) != given) {
            http_error(h, HTTP_BAD_REQUEST, "by: '%.40s' is not a label; write one, or several with commas between them", at);
            return -EINVAL;
        }
        figures_by_add(by, at, len);
        at = at[len] ? at + len + 1 : NULL;
    }
    if (by->names.failed)
        http_error(h, HTTP_BAD_REQUEST, "by: too many labels");
    return by->names.failed ? -EINVAL : 0;
}

void figures_by_deinit(struct figures_by *by)
{
    buffer_deinit(&by->names);
}

void figures_put_by(struct jsonw *j, const struct figures_by *by)
{
    jsonw_key(j, "by");
    jsonw_array(j);
    for (const char *at = figures_by_names(by); at; at = next_of(at))
        jsonw_string(j, at, len_of(at));
    jsonw_array_end(j);
}

void figures_put_labels(struct jsonw *j, const struct figures_by *by, const char *values)
{
    jsonw_key(j, "labels");
    jsonw_object(j);
    for (const char *at = figures_by_names(by); at; at = next_of(at)) {
        char name[LABEL_NAME_MAX + 1];
        size_t len = len_of(values);
        snprintf(name, sizeof name, "%.*s", (int)len_of(at), at);
        jsonw_key(j, name);
        jsonw_string(j, values, len);
        values += len + (values[len] != 0);
    }
    jsonw_object_end(j);
}

/* ---- figures ---- */

void figures_add(struct figures_whole *to, const struct store_group *group)
{
    to->weight += group->all.weight;
    to->samples += group->all.samples;
    to->squares += group->squares;
}

void figures_add_row(struct store_function *to, const struct store_function *row)
{
    to->self.weight += row->self.weight;
    to->self.samples += row->self.samples;
    to->total.weight += row->total.weight;
    to->total.samples += row->total.samples;
}

double figures_effective(const struct figures_whole *whole)
{
    return stats_effective_size((double)whole->weight, whole->squares);
}

void figures_put_whole(struct jsonw *j, const struct figures_whole *whole)
{
    jsonw_member_uint(j, "sampled", whole->weight);
    jsonw_member_uint(j, "sample_count", whole->samples);
    jsonw_member_number(j, "effective_samples", figures_effective(whole));
}

static void put_part(struct jsonw *j, const char *name, const char *part, double value)
{
    char key[KEY_MAX];
    snprintf(key, sizeof key, "%s_%s", name, part);
    jsonw_member_number(j, key, value);
}

static double share_of(uint64_t weight, const struct figures_whole *whole)
{
    return whole->weight ? (double)weight / (double)whole->weight : 0;
}

static void put_share(struct jsonw *j, const char *name, uint64_t weight, double share, struct interval interval)
{
    jsonw_member_uint(j, name, weight);
    put_part(j, name, "share", share);
    put_part(j, name, "low", interval.low);
    put_part(j, name, "high", interval.high);
}

void figures_put(struct jsonw *j, const char *name, uint64_t weight, const struct figures_whole *whole)
{
    double share = share_of(weight, whole);
    put_share(j, name, weight, share, stats_wilson(share, figures_effective(whole)));
}

void figures_put_exact(struct jsonw *j, const char *name, uint64_t weight, const struct figures_whole *whole)
{
    double share = share_of(weight, whole);
    put_share(j, name, weight, share, (struct interval){share, share});
}

void figures_put_row(struct jsonw *j, const struct store_function *row, const struct figures_whole *whole)
{
    figures_put(j, "self", row->self.weight, whole);
    figures_put(j, "total", row->total.weight, whole);
    jsonw_member_uint(j, "samples", row->total.samples);
    jsonw_member_uint(j, "self_samples", row->self.samples);
}
