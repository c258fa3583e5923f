#include "format/page/page.h"

#include "format/page/coarse.h"
#include "format/page/column.h"
#include "base/text/code_owner.h"
#include "profile/accounts.h"
#include "profile/allocated.h"
#include "profile/figures/books_json.h"
#include "profile/kinds.h"
#include "profile/names.h"

#include <errno.h>
#include <math.h>
#include <string.h>

/* Returns the name of a frame type. If stacks end in the class of an object or lock, only that class is a pseudo frame (allocated.h). In
 * a profile of lock holders, the pseudo frame says what the thread did. */
static const char *type_name(const struct profile *p, uint8_t type)
{
    if (type == JFR_FRAME_PSEUDO && p->kind == PROFILE_HOLDER)
        return "State";
    return type == JFR_FRAME_PSEUDO && allocated_has_classes(p) ? "Class" : profile_type_name(type);
}

static void put_names(struct jsonw *j, const struct strtab *names, const struct profile *p)
{
    jsonw_key(j, "strings");
    jsonw_array(j);
    jsonw_text(j, "all"); /* the name of the root */
    for (uint32_t i = 1; i < names->count; i++)
        jsonw_string(j, strtab_text(names, i), strtab_len(names, i));
    jsonw_array_end(j);
    jsonw_key(j, "types");
    jsonw_array(j);
    for (uint8_t i = 0; i < PROFILE_TYPES; i++)
        jsonw_text(j, type_name(p, i));
    jsonw_array_end(j);
}

/* Writes the meaning of each pseudo frame that stands in for a stack. */
static void put_reasons(struct jsonw *j, const struct strtab *names)
{
    jsonw_key(j, "reasons");
    jsonw_array(j);
    for (uint32_t i = 1; i < names->count; i++) {
        const char *meaning = names_reason(strtab_text(names, i));
        if (!meaning)
            continue;
        jsonw_array(j);
        jsonw_uint(j, i);
        jsonw_text(j, meaning);
        jsonw_array_end(j);
    }
    jsonw_array_end(j);
}

/* ---- owners ---- */

enum { LONGEST_CLASS = 1000 };

/* Splits a name that may be Java's, "a.b.Class.method" or "a.b.Class.method(int)", into class and method. Returns false if it has no
 * class. */
static bool split_name(const char *name, char class_name[LONGEST_CLASS], const char **method)
{
    size_t end = strcspn(name, "(");
    while (end && name[end - 1] != '.')
        end--;
    if (!end || end > LONGEST_CLASS)
        return false;
    memcpy(class_name, name, end - 1);
    class_name[end - 1] = '\0';
    *method = name + end;
    return true;
}

/* The owners in row i of `strings`: 0 = unknown, OWNER_PROGRAM, OWNER_JDK, or OWNER_LIBRARIES plus the index of the library. */
enum { OWNER_PROGRAM = 1, OWNER_JDK, OWNER_LIBRARIES };

static uint64_t string_owner(const void *page, uint32_t i)
{
    char class_name[LONGEST_CLASS];
    const char *method;
    if (!i || !split_name(strtab_text(&((const struct page *)page)->tree.names, i), class_name, &method))
        return 0;
    switch (code_owner(class_name, method)) {
    case CODE_OF_PROGRAM:
        return OWNER_PROGRAM;
    case CODE_OF_LIBRARY:
        return OWNER_LIBRARIES + code_owner_library(class_name);
    default:
        return OWNER_JDK;
    }
}

static int put_owners(struct jsonw *j, const struct page *page)
{
    jsonw_key(j, "owners");
    jsonw_object(j);
    jsonw_key(j, "libraries");
    jsonw_array(j);
    for (uint32_t i = 0; i < CODE_OWNER_LIBRARIES; i++)
        jsonw_string(j, code_owner_library_package(i), strlen(code_owner_library_package(i)) - 1);
    jsonw_array_end(j);
    int rc = column_write(j, "of", string_owner, page, page->tree.names.count, COLUMN_PLAIN);
    jsonw_object_end(j);
    return rc;
}

/* ---- nodes and slices ---- */

/* The page has 16 bits for an effect. Effects above 1 are those of samples in clusters: clocks by lot. */
#define MOST_EFFECT 65535

/* Converts to thousandths, rounded up, so that an interval is rather too wide than too narrow. The page refuses 0. */
static uint64_t thousandths(double effect)
{
    return (uint64_t)fmin(fmax(ceil(1000 * effect), 1), MOST_EFFECT);
}

static const struct page_node *node_at(const void *page, uint32_t i)
{
    return &((const struct page *)page)->tree.nodes[i];
}

static uint64_t node_parent(const void *page, uint32_t i)
{
    return node_at(page, i)->parent;
}

static uint64_t node_name(const void *page, uint32_t i)
{
    return node_at(page, i)->name;
}

static uint64_t node_type(const void *page, uint32_t i)
{
    return node_at(page, i)->type;
}

static uint64_t node_self(const void *page, uint32_t i)
{
    return node_at(page, i)->self[PAGE_AFTER];
}

static uint64_t node_before(const void *page, uint32_t i)
{
    return node_at(page, i)->self[PAGE_BEFORE];
}

static uint64_t node_self_effect(const void *page, uint32_t i)
{
    return thousandths(node_at(page, i)->self_effect);
}

static uint64_t node_total_effect(const void *page, uint32_t i)
{
    return thousandths(node_at(page, i)->total_effect);
}

static const struct slice *slice_at(const void *page, uint32_t i)
{
    return &((const struct page *)page)->slices.list[i];
}

static uint64_t slice_time(const void *page, uint32_t i)
{
    return slice_at(page, i)->bucket;
}

static uint64_t slice_thread(const void *page, uint32_t i)
{
    return slice_at(page, i)->thread;
}

static uint64_t slice_node(const void *page, uint32_t i)
{
    return slice_at(page, i)->node;
}

static uint64_t slice_weight(const void *page, uint32_t i)
{
    return slice_at(page, i)->weight;
}

static uint64_t slice_state(const void *page, uint32_t i)
{
    return slice_at(page, i)->state;
}

struct column {
    const char *key;
    column_value *value;
    enum column_order order;
};

/* The last columns are only used in a comparison, and for samples of waiting threads. */
static const struct column node_columns[] = {
    {"parent", node_parent, COLUMN_ASCENDING},
    {"name", node_name},
    {"type", node_type},
    {"self", node_self},
    {"self_effect", node_self_effect},
    {"total_effect", node_total_effect},
    {"before", node_before},
};

static const struct column slice_columns[] = {
    {"time", slice_time, COLUMN_ASCENDING},
    {"thread", slice_thread},
    {"node", slice_node},
    {"weight", slice_weight},
    {"state", slice_state},
};

enum {
    NODE_COLUMNS = sizeof node_columns / sizeof *node_columns,
    SLICE_COLUMNS = sizeof slice_columns / sizeof *slice_columns,
};

static int put_columns(struct jsonw *j, const struct page *page, const struct column *columns, size_t n, uint32_t count)
{
    int rc = 0;
    jsonw_member_uint(j, "count", count);
    for (size_t i = 0; !rc && i < n; i++)
        rc = column_write(j, columns[i].key, columns[i].value, page, count, columns[i].order);
    return rc;
}

static int put_nodes(struct jsonw *j, const struct page *page)
{
    jsonw_key(j, "nodes");
    jsonw_object(j);
    int rc = put_columns(j, page, node_columns, page->before ? NODE_COLUMNS : NODE_COLUMNS - 1, page->tree.count);
    jsonw_object_end(j);
    return rc;
}

static void put_threads(struct jsonw *j, const struct page *page)
{
    const struct slices *s = &page->slices;
    jsonw_key(j, "threads");
    jsonw_array(j);
    for (uint32_t i = 0; i < s->thread_count; i++)
        jsonw_string(j, profile_text(page->profile, s->threads[i]), strtab_len(&page->profile->strings, s->threads[i]));
    jsonw_array_end(j);
}

static int put_slices(struct jsonw *j, const struct page *page)
{
    const struct slices *s = &page->slices;
    jsonw_key(j, "slices");
    if (!s->count) {
        jsonw_null(j);
        return 0;
    }
    jsonw_object(j);
    jsonw_key(j, "start_ns");
    jsonw_int(j, s->start_ns);
    jsonw_member_uint(j, "bucket_ns", s->bucket_ns);
    jsonw_member_uint(j, "buckets", s->buckets);
    int rc = put_columns(j, page, slice_columns, s->has_states ? SLICE_COLUMNS : SLICE_COLUMNS - 1, s->count);
    jsonw_object_end(j);
    return rc;
}

/* Writes the copy of the nodes and slices that the page reads first. */
static int put_coarse(struct jsonw *j, const struct page *page)
{
    struct coarse coarse;
    int rc = coarse_init(&coarse, &page->tree, &page->slices);
    if (rc)
        return rc;
    struct page copy = *page;
    copy.tree.nodes = coarse.nodes;
    copy.tree.count = coarse.count;
    copy.slices.list = coarse.slices;
    copy.slices.count = coarse.slice_count;
    jsonw_key(j, "coarse");
    jsonw_object(j);
    rc = put_nodes(j, &copy);
    rc = rc ? rc : put_slices(j, &copy);
    jsonw_object_end(j);
    coarse_deinit(&coarse);
    return rc;
}

/* Writes the effects of the methods, because the page cannot compute them from its own sums. */
static int put_methods(struct jsonw *j, struct page *page)
{
    struct strtab *names = &page->tree.names;
    const struct profile *p = page->profile;
    int rc = 0;
    jsonw_key(j, "methods");
    jsonw_array(j);
    for (uint32_t i = 0; !rc && i < page->stats.methods.count; i++) {
        const struct stats_row *r = &page->stats.methods.rows[i];
        uint32_t name = strtab_add(names, profile_text(p, r->label), strtab_len(&p->strings, r->label));
        rc = name || !r->label ? 0 : -ENOMEM;
        jsonw_array(j);
        jsonw_uint(j, name);
        jsonw_uint(j, thousandths(r->self.effect));
        jsonw_uint(j, thousandths(r->total.effect));
        jsonw_array_end(j);
    }
    jsonw_array_end(j);
    return rc;
}

/* Writes the sums of the methods, because the stacks are pruned, and sums that the page computes would be too small. */
static int put_sums(struct jsonw *j, struct page *page)
{
    const struct profile *p = page->profile;
    int rc = 0;
    jsonw_key(j, "sums");
    jsonw_array(j);
    for (size_t i = 0; !rc && i < page->sum_count; i++) {
        const struct method_sum *m = &page->sums[i];
        uint32_t name = strtab_add(&page->tree.names, profile_text(p, m->label), strtab_len(&p->strings, m->label));
        rc = name || !m->label ? 0 : -ENOMEM;
        jsonw_array(j);
        jsonw_uint(j, name);
        jsonw_uint(j, m->self);
        jsonw_uint(j, m->total);
        jsonw_array_end(j);
    }
    jsonw_array_end(j);
    return rc;
}

static void put_notes(struct jsonw *j, const struct profile *p)
{
    jsonw_key(j, "notes");
    jsonw_array(j);
    for (uint32_t i = 0; i < p->problem_count; i++)
        jsonw_string(j, profile_text(p, p->problems[i].text), strtab_len(&p->strings, p->problems[i].text));
    jsonw_array_end(j);
}

static void put_change(struct jsonw *j, const struct interval *interval, bool sure)
{
    jsonw_number(j, interval->low);
    jsonw_number(j, interval->high);
    jsonw_uint(j, sure);
}

static int put_changes(struct jsonw *j, struct page *page)
{
    int rc = 0;
    jsonw_key(j, "changes");
    jsonw_array(j);
    for (size_t i = 0; !rc && i < page->change_count; i++) {
        const struct page_change *c = &page->changes[i];
        uint32_t name = strtab_add_text(&page->tree.names, c->name);
        rc = name || !*c->name ? 0 : -ENOMEM;
        jsonw_array(j);
        jsonw_uint(j, name);
        put_change(j, &c->self, c->self_sure);
        put_change(j, &c->total, c->total_sure);
        jsonw_number(j, c->self_detectable);
        jsonw_number(j, c->total_detectable);
        jsonw_array_end(j);
    }
    jsonw_array_end(j);
    return rc;
}

static int put_code(struct jsonw *j, struct page *page)
{
    int rc = 0;
    jsonw_key(j, "code");
    jsonw_array(j);
    for (size_t i = 0; !rc && i < page->extras.code_count; i++) {
        const struct page_code *c = &page->extras.code[i];
        uint32_t name = strtab_add_text(&page->tree.names, c->name);
        rc = name || !*c->name ? 0 : -ENOMEM;
        jsonw_array(j);
        jsonw_uint(j, name);
        jsonw_text(j, c->text);
        jsonw_array_end(j);
    }
    jsonw_array_end(j);
    return rc;
}

static void put_source_lines(struct jsonw *j, const struct source_method *m)
{
    jsonw_array(j);
    for (uint32_t i = 0; i < m->count; i++) {
        const struct source_line *l = &m->lines[i];
        jsonw_array(j);
        jsonw_uint(j, l->number);
        jsonw_uint(j, l->self);
        jsonw_uint(j, l->total);
        jsonw_text(j, l->text);
        jsonw_array_end(j);
    }
    jsonw_array_end(j);
}

static int put_sources(struct jsonw *j, struct page *page)
{
    const struct sources *s = page->extras.sources;
    const struct profile *p = page->profile;
    int rc = 0;
    jsonw_key(j, "source");
    jsonw_array(j);
    for (uint32_t i = 0; s && !rc && i < s->count; i++) {
        const struct source_method *m = &s->list[i];
        uint32_t name = strtab_add(&page->tree.names, profile_text(p, m->label), strtab_len(&p->strings, m->label));
        rc = name ? 0 : -ENOMEM;
        jsonw_array(j);
        jsonw_uint(j, name);
        jsonw_text(j, m->file);
        jsonw_uint(j, m->beyond);
        put_source_lines(j, m);
        jsonw_array_end(j);
    }
    jsonw_array_end(j);
    return rc;
}

/* Returns the book of the profile. For halts it is that of CPU time, because halts have no samples. */
static enum book book_of(const struct profile *p)
{
    enum book book = accounts_book_of(p);
    return book == BOOK_HALT ? BOOK_CPU : book;
}

/* Writes figures about the profile as a whole. */
static void put_figures(struct jsonw *j, const struct profile *p)
{
    jsonw_member_uint(j, "samples", p->sampled);
    jsonw_member_number(j, "effective_samples", stats_effective_samples(p));
    jsonw_member_number(j, "approximate_share", p->book_count ? stats_approximate_share(p) : NAN); /* only Candor records it */
    jsonw_key(j, "books");
    books_json(j, p, book_of(p));
    if (p->books_elsewhere) {
        jsonw_key(j, "books_elsewhere");
        jsonw_bool(j, true);
    }
}

/* Writes what was recorded, of which program, and when. */
static void put_head(struct jsonw *j, const struct profile *p)
{
    jsonw_member_text(j, "kind", profile_kind_word(p));
    jsonw_member_text(j, "kind_title", profile_kind_title(p));
    jsonw_member_uint(j, "pid", p->pid);
    jsonw_member_text(j, "host", profile_host(p));
    jsonw_member_text(j, "jvm", profile_text(p, p->jvm_version));
    const char *agent = profile_setting(p, "version");
    jsonw_member_text(j, "agent", agent ? agent : "");
    jsonw_key(j, "start_ns");
    jsonw_int(j, p->start_ns);
    jsonw_member_uint(j, "duration_ns", p->duration_ns);
}

static void put_before(struct jsonw *j, const struct page *page)
{
    jsonw_key(j, "before");
    jsonw_object(j);
    jsonw_member_text(j, "title", page->before->title);
    put_head(j, page->before->profile);
    put_figures(j, page->before->profile);
    jsonw_object_end(j);
}

int page_write(struct page *page, FILE *out)
{
    const struct profile *p = page->profile;
    struct jsonw j;
    jsonw_init(&j, out);
    j.html = true;
    jsonw_object(&j);
    jsonw_member_text(&j, "title", page->title);
    jsonw_member_text(&j, "command", profile_text(p, p->command));
    put_head(&j, p);
    jsonw_member_text(&j, "unit", profile_unit_word(p));
    jsonw_member_text(&j, "whole", profile_whole(p));
    jsonw_key(&j, "by_thread");
    jsonw_bool(&j, page->threads);
    jsonw_member_uint(&j, "total", page->tree.total[PAGE_AFTER]);
    put_figures(&j, p);
    jsonw_key(&j, "accounts");
    books_json_accounts(&j, book_of(p));
    jsonw_member_text(&j, "books_about", book_rows[book_of(p)].about);
    put_notes(&j, p);
    if (page->before)
        put_before(&j, page);
    int rc = put_methods(&j, page);
    if (!rc && page->sums)
        rc = put_sums(&j, page);
    rc = rc ? rc : put_changes(&j, page);
    rc = rc ? rc : put_code(&j, page);
    rc = rc ? rc : put_sources(&j, page);
    put_names(&j, &page->tree.names, p);
    put_reasons(&j, &page->tree.names);
    rc = rc ? rc : put_owners(&j, page);
    put_threads(&j, page);
    if (!rc && coarse_is_needed(&page->tree, &page->slices))
        rc = put_coarse(&j, page);
    rc = rc ? rc : put_nodes(&j, page);
    rc = rc ? rc : put_slices(&j, page);
    jsonw_object_end(&j);
    return rc;
}
