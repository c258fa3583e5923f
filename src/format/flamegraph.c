#include "format/flamegraph.h"

#include "base/json.h"
#include "profile/books_json.h"
#include "profile/calltree.h"
#include "profile/stats.h"
#include "web/web.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The viewer's strings are those that the tree uses, in order of first use. */
struct names {
    uint32_t *number; /* by string id, plus 1; 0 = not used */
    uint32_t *list;
    uint32_t count;
};

static int collect_names(struct names *n, const struct profile *p, const struct calltree *tree)
{
    n->number = calloc(p->strings.count, sizeof *n->number);
    n->list = calloc(tree->count, sizeof *n->list);
    if (!n->number || !n->list)
        return -ENOMEM;
    for (uint32_t i = 0; i < tree->count; i++) {
        uint32_t label = tree->nodes[i].label;
        if (n->number[label])
            continue;
        n->list[n->count++] = label;
        n->number[label] = n->count;
    }
    return 0;
}

static void put_strings(struct json *j, const struct profile *p, const struct names *n)
{
    json_key(j, "strings");
    json_array(j);
    json_text(j, "all"); /* the root's name, whose label is the empty string */
    for (uint32_t i = 1; i < n->count; i++)
        json_string(j, profile_text(p, n->list[i]), strtab_len(&p->strings, n->list[i]));
    json_array_end(j);
    json_key(j, "types");
    json_array(j);
    for (uint8_t i = 0; i < PROFILE_TYPES; i++)
        json_text(j, profile_type_name(i));
    json_array_end(j);
}

/* In thousandths, rounded up: an interval is rather too wide. */
static void put_effect(struct json *j, double effect)
{
    json_uint(j, (uint64_t)ceil(1000 * effect));
}

static void put_effects(struct json *j, const struct calltree *tree)
{
    json_key(j, "self_effect");
    json_array(j);
    for (uint32_t i = 0; i < tree->count; i++)
        put_effect(j, tree->nodes[i].self_effect);
    json_array_end(j);
    json_key(j, "total_effect");
    json_array(j);
    for (uint32_t i = 0; i < tree->count; i++)
        put_effect(j, tree->nodes[i].total_effect);
    json_array_end(j);
}

static void put_nodes(struct json *j, const struct calltree *tree, const struct names *n)
{
    json_key(j, "nodes");
    json_object(j);
    json_key(j, "parent");
    json_array(j);
    for (uint32_t i = 0; i < tree->count; i++)
        json_int(j, i ? (int64_t)tree->nodes[i].parent : -1);
    json_array_end(j);
    json_key(j, "name");
    json_array(j);
    for (uint32_t i = 0; i < tree->count; i++)
        json_uint(j, n->number[tree->nodes[i].label] - 1);
    json_array_end(j);
    json_key(j, "type");
    json_array(j);
    for (uint32_t i = 0; i < tree->count; i++)
        json_uint(j, tree->nodes[i].type);
    json_array_end(j);
    json_key(j, "self");
    json_array(j);
    for (uint32_t i = 0; i < tree->count; i++)
        json_uint(j, tree->nodes[i].self);
    json_array_end(j);
    json_key(j, "total");
    json_array(j);
    for (uint32_t i = 0; i < tree->count; i++)
        json_uint(j, tree->nodes[i].total);
    json_array_end(j);
    put_effects(j, tree);
    json_object_end(j);
}

/* What the page adds up itself, it cannot know the effects of. */
static void put_methods(struct json *j, const struct stats *s, const struct names *n)
{
    json_key(j, "methods");
    json_array(j);
    for (uint32_t i = 0; i < s->methods.count; i++) {
        const struct stats_row *r = &s->methods.rows[i];
        if (!n->number[r->label])
            continue;
        json_array(j);
        json_uint(j, n->number[r->label] - 1);
        put_effect(j, r->self.effect);
        put_effect(j, r->total.effect);
        json_array_end(j);
    }
    json_array_end(j);
}

static void put_data(FILE *out, const struct profile *p, const struct stats *s, const struct calltree *tree,
                     const struct names *n, const char *title)
{
    struct json j;
    json_init(&j, out);
    j.html = true;
    json_object(&j);
    json_key(&j, "title");
    json_text(&j, title);
    json_key(&j, "unit");
    json_text(&j, p->unit == PROFILE_UNIT_NS ? "ns" : "samples");
    json_key(&j, "total");
    json_uint(&j, tree->nodes[0].total);
    json_key(&j, "interval_ns");
    json_uint(&j, p->interval_ns);
    json_key(&j, "samples");
    json_uint(&j, p->sample_count);
    json_key(&j, "effective_samples");
    json_number(&j, s->effective);
    json_key(&j, "books");
    books_json(&j, p);
    put_strings(&j, p, n);
    put_nodes(&j, tree, n);
    put_methods(&j, s, n);
    json_object_end(&j);
}

int flamegraph_write(FILE *out, const struct profile *p, const char *title, bool threads)
{
    struct calltree tree;
    struct stats stats = {0};
    struct names names = {0};
    const char *mark = strstr(web_flame_html, WEB_DATA_MARK);
    const char *rest = mark + strlen(WEB_DATA_MARK);
    int rc = calltree_build(&tree, p, threads);
    if (rc)
        return rc;
    rc = collect_names(&names, p, &tree);
    rc = rc ? rc : calltree_add_effects(&tree, p);
    rc = rc ? rc : stats_compute(&stats, p);
    if (!rc) {
        fwrite(web_flame_html, 1, (size_t)(mark - web_flame_html), out);
        put_data(out, p, &stats, &tree, &names, title);
        fwrite(rest, 1, (size_t)(web_flame_html + web_flame_html_len - rest), out);
    }
    free(names.number);
    free(names.list);
    stats_deinit(&stats);
    calltree_deinit(&tree);
    return rc;
}
