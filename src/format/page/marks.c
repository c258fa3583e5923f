#include "format/page/marks.h"

#include "base/array.h"
#include "base/map.h"
#include "base/time_units.h"
#include "format/page/column.h"

#include <stdlib.h>
#include <string.h>

struct marks {
    const struct halt_view *v;
    uint32_t *rows; /* indices in v->h->list, which is ordered by time */
    uint32_t count;
    uint32_t *texts; /* string ids of the halts: the names that the rows use */
    uint32_t text_count, text_cap;
    struct map text_of; /* string id -> index in `texts` */
};

static int by_place(const void *left, const void *right)
{
    const uint32_t *a = left, *b = right;
    return (*a > *b) - (*a < *b);
}

static int select_rows(struct marks *m)
{
    uint32_t *waits = NULL, *moments = NULL;
    int64_t n = halt_view_longest(m->v, HALT_OF_THREAD, PAGE_MARKS, &waits);
    int64_t more = n < 0 ? n : halt_view_longest(m->v, HALT_OF_MOMENT, PAGE_MARKS, &moments);
    int rc = more < 0 ? (int)more : 0;
    m->rows = rc ? NULL : malloc((size_t)(n + more + 1) * sizeof *m->rows);
    if (m->rows) {
        memcpy(m->rows, waits, (size_t)n * sizeof *waits);
        memcpy(m->rows + n, moments, (size_t)more * sizeof *moments);
        m->count = (uint32_t)(n + more);
        qsort(m->rows, m->count, sizeof *m->rows, by_place);
    } else {
        rc = -ENOMEM;
    }
    free(waits);
    free(moments);
    return rc;
}

static int number(struct marks *m, uint32_t string)
{
    bool added;
    uint32_t *place = map_add(&m->text_of, string, &added);
    if (!place || ARRAY_GROW(m->texts, m->text_cap, m->text_count))
        return -ENOMEM;
    if (added) {
        *place = m->text_count;
        m->texts[m->text_count++] = string;
    }
    return 0;
}

static int number_texts(struct marks *m)
{
    int rc = 0;
    for (uint32_t i = 0; !rc && i < m->count; i++) {
        const struct halt *one = &m->v->h->list[m->rows[i]];
        rc = number(m, one->thread);
        rc = rc ? rc : number(m, one->what);
    }
    return rc;
}

static const struct halt *mark_at(const void *marks, uint32_t i)
{
    const struct marks *m = marks;
    return &m->v->h->list[m->rows[i]];
}

static uint64_t since_start(const struct marks *m, int64_t ns)
{
    return ns > m->v->from_ns ? (uint64_t)(ns - m->v->from_ns) / NS_PER_US : 0;
}

static uint64_t mark_start(const void *marks, uint32_t i)
{
    return since_start(marks, mark_at(marks, i)->start_ns);
}

static uint64_t mark_length(const void *marks, uint32_t i)
{
    return since_start(marks, halt_end(mark_at(marks, i))) - mark_start(marks, i);
}

static uint64_t mark_kind(const void *marks, uint32_t i)
{
    return mark_at(marks, i)->kind;
}

static uint64_t mark_thread(const void *marks, uint32_t i)
{
    return *map_find(&((const struct marks *)marks)->text_of, mark_at(marks, i)->thread);
}

static uint64_t mark_what(const void *marks, uint32_t i)
{
    return *map_find(&((const struct marks *)marks)->text_of, mark_at(marks, i)->what);
}

static void put_texts(struct jsonw *j, const struct marks *m)
{
    jsonw_key(j, "kinds");
    jsonw_array(j);
    for (int kind = 0; kind < HALT_KINDS; kind++)
        jsonw_text(j, halt_kinds[kind].name);
    jsonw_array_end(j);
    jsonw_key(j, "texts");
    jsonw_array(j);
    for (uint32_t i = 0; i < m->text_count; i++)
        jsonw_string(j, halts_text(m->v->h, m->texts[i]), strtab_len(&m->v->h->strings, m->texts[i]));
    jsonw_array_end(j);
}

/* Returns how many events of single threads the recording has. */
static uint64_t all_of(const struct halt_view *v)
{
    uint64_t all = 0;
    for (int kind = 0; kind < HALT_KINDS; kind++)
        if (halt_kinds[kind].scope == HALT_OF_THREAD || halt_kinds[kind].scope == HALT_OF_MOMENT)
            all += v->kinds[kind].count;
    return all;
}

static int put_marks(FILE *out, const struct marks *m)
{
    struct jsonw j;
    jsonw_init(&j, out);
    jsonw_object(&j);
    jsonw_key(&j, "start_ns");
    jsonw_int(&j, m->v->from_ns);
    jsonw_member_uint(&j, "all", all_of(m->v));
    jsonw_member_uint(&j, "count", m->count);
    put_texts(&j, m);
    int rc = column_write(&j, "start_us", mark_start, m, m->count, COLUMN_ASCENDING);
    rc = rc ? rc : column_write(&j, "length_us", mark_length, m, m->count, COLUMN_PLAIN);
    rc = rc ? rc : column_write(&j, "kind", mark_kind, m, m->count, COLUMN_PLAIN);
    rc = rc ? rc : column_write(&j, "thread", mark_thread, m, m->count, COLUMN_PLAIN);
    rc = rc ? rc : column_write(&j, "what", mark_what, m, m->count, COLUMN_PLAIN);
    jsonw_object_end(&j);
    jsonw_finish(&j);
    return rc;
}

int marks_write(FILE *out, const struct halt_view *v)
{
    struct marks m = {.v = v};
    int rc = select_rows(&m);
    rc = rc ? rc : number_texts(&m);
    rc = rc ? rc : put_marks(out, &m);
    map_deinit(&m.text_of);
    free(m.texts);
    free(m.rows);
    return rc;
}
