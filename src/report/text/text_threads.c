/* Prints the table of threads. Threads whose names differ only in the number at the end, as those of a pool do, share a row if they are
 * GROUP_LEAST or more, so that a pool of hundreds does not hide the other threads. Separate from the other tables because its rows are
 * not frames. */
#include "report/text/text.h"

#include "base/text/utf8.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS_TOP = 10, GROUP_LEAST = 3, STEM_BYTES = 512 };

/* A row: one thread, or those whose names begin alike. */
struct crew {
    uint32_t first; /* the thread with most of the weight */
    struct stats_figure self;
    struct stats_run run; /* of all of them */
    uint64_t cpu_ns;
    uint32_t threads, virtual_threads;
    bool cpu_known;
};

static const char *name_of(const struct text *t, uint32_t thread)
{
    return profile_text(t->p, t->p->threads[thread].name);
}

static size_t stem_of(const char *name)
{
    size_t n = strlen(name);
    while (n && isdigit((unsigned char)name[n - 1]))
        n--;
    return n;
}

/* Compares names without the numbers at their ends; virtual threads come after the others. */
static int compare_stems(const struct text *t, uint32_t a, uint32_t b)
{
    const char *left = name_of(t, a), *right = name_of(t, b);
    size_t n = stem_of(left), m = stem_of(right);
    int order = !t->p->threads[b].virtual_threads - !t->p->threads[a].virtual_threads;
    order = order ? order : memcmp(left, right, n < m ? n : m);
    return order ? order : (n > m) - (n < m);
}

static int compare_rows(const void *left, const void *right, void *context)
{
    const struct stats_row *a = *(struct stats_row *const *)left, *b = *(struct stats_row *const *)right;
    int order = compare_stems(context, a->label, b->label);
    return order ? order : (a > b) - (a < b); /* the table's own order: largest first */
}

static int compare_crews(const void *left, const void *right)
{
    const struct crew *a = left, *b = right;
    if (a->self.weight != b->self.weight)
        return a->self.weight < b->self.weight ? 1 : -1;
    return (a->first > b->first) - (a->first < b->first);
}

static void crew_add(struct crew *c, const struct text *t, const struct stats_row *r)
{
    const struct profile_thread *thread = &t->p->threads[r->label];
    stats_add_thread(t->s, r, &c->run, &c->self);
    c->cpu_ns += thread->cpu_known ? thread->cpu_ns : 0;
    c->cpu_known |= thread->cpu_known;
    c->virtual_threads += thread->virtual_threads;
    c->threads++;
}

/* Makes one row of the `n` threads, or a row of each if they are few. Returns how many rows. */
static uint32_t make_crews(struct crew *crews, const struct text *t, struct stats_row *const *rows, uint32_t n)
{
    bool together = n >= GROUP_LEAST && !t->o->each_thread && stem_of(name_of(t, rows[0]->label));
    uint32_t count = 0;
    for (uint32_t i = 0; i < n; i++) {
        if (!i || !together)
            crews[count++] = (struct crew){.first = rows[i]->label, .run.is_known = true};
        crew_add(&crews[count - 1], t, rows[i]);
    }
    return count;
}

/* Returns the rows, sorted, and their number; NULL if out of memory. */
static struct crew *crews_of(const struct text *t, uint32_t *count)
{
    const struct stats_table *table = &t->s->threads;
    struct crew *crews = calloc((size_t)table->count + 1, sizeof *crews);
    struct stats_row **rows = calloc((size_t)table->count + 1, sizeof *rows);
    *count = 0;
    for (uint32_t i = 0; rows && i < table->count; i++)
        rows[i] = &table->rows[i];
    if (rows)
        qsort_r(rows, table->count, sizeof *rows, compare_rows, (void *)t);
    for (uint32_t i = 0, n; crews && rows && i < table->count; i += n) {
        for (n = 1; i + n < table->count && !compare_stems(t, rows[i]->label, rows[i + n]->label);)
            n++;
        *count += make_crews(&crews[*count], t, &rows[i], n);
    }
    if (crews)
        qsort(crews, *count, sizeof *crews, compare_crews);
    free(rows);
    return crews;
}

static void put_name(const struct text *t, const struct crew *c)
{
    const struct profile_thread *thread = &t->p->threads[c->first];
    const char *name = name_of(t, c->first);
    char count[32], stem[STEM_BYTES];
    snprintf(stem, sizeof stem, "%.*s*", (int)stem_of(name), name);
    utf8_print(t->out, c->threads > 1 ? stem : name);
    if (c->threads > 1)
        fprintf(t->out, " (%s threads)", text_count(count, sizeof count, c->threads));
    else if (thread->os_id)
        fprintf(t->out, " (tid %" PRIu64 ")", thread->os_id);
    if (c->virtual_threads)
        fprintf(t->out, " (%s virtual)", text_count(count, sizeof count, c->virtual_threads));
    fputc('\n', t->out);
}

static void put_crew(const struct text *t, const struct crew *c, bool wide, bool wide_interval)
{
    char cpu[32] = "-";
    if (c->cpu_known)
        text_time(cpu, sizeof cpu, (int64_t)c->cpu_ns);
    fprintf(t->out, "(s %*.1f) ", wide ? 5 : 4, c->self.share * 100);
    text_interval(t, c->self.interval, wide_interval);
    fprintf(t->out, "%8s  ", cpu);
    put_name(t, c);
}

static void put_rows(const struct text *t, const struct crew *crews, uint32_t rows, uint32_t count)
{
    bool wide = false, wide_interval = false;
    uint64_t weight = 0;
    uint32_t threads = 0;
    for (uint32_t i = 0; i < rows; i++) {
        wide |= text_is_full(crews[i].self.share);
        wide_interval |= text_is_full(crews[i].self.interval.high);
    }
    for (uint32_t i = 0; i < rows; i++)
        put_crew(t, &crews[i], wide, wide_interval);
    for (uint32_t i = rows; i < count; i++) {
        weight += crews[i].self.weight;
        threads += crews[i].threads;
    }
    text_rest(t, threads, weight, "threads");
}

void text_threads(const struct text *t)
{
    uint32_t count, rows = 0, top = t->o->top_set ? t->o->top : THREADS_TOP;
    struct crew *crews = crews_of(t, &count);
    char about[96];
    for (uint32_t i = 0; crews && i < count; i++)
        stats_finish_figure(&crews[i].self, t->s);
    while (crews && rows < count && (rows < top || !top) && text_is_shown(t, &crews[rows].self))
        rows++;
    if (crews && count) {
        snprintf(about, sizeof about, "  %% of %s, [95 %% interval]%s", text_whole(t),
                 profile_is_safepoint(t->p) || t->p->kind == PROFILE_WALL ? "" : ", CPU by the thread's own clock");
        text_heading(t, "Threads", about);
        put_rows(t, crews, rows, count);
    }
    free(crews);
}
