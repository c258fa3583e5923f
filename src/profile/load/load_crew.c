#include "profile/load/load_crew.h"

#include "profile/load/load_events.h"
#include "profile/load/load_shared.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>

enum { THREADS_MAX = 64 };

static _Thread_local bool is_alone;

struct crew {
    const struct jfr_file *file;
    struct load_whole *wholes; /* used only by the thread whose turn it is, as are problems and rc */
    uint32_t whole_count;
    struct jfr_problems *problems;
    int rc;
    uint32_t count;
    uint32_t begun; /* number of chunks that threads have taken */
    uint32_t turn;  /* the chunk whose part enters next */
    bool alone;
    struct load_kept *kept;                   /* NULL, or the samples refer to these stacks */
    const struct pass_readers *beside;        /* NULL, or others that look at each chunk */
    struct profile *names;                    /* the stacks of all kinds; NULL if there is only one */
    struct load_shared shared[PROFILE_KINDS]; /* without `kept`, stacks are copied into the profile of each kind */
    _Atomic uint64_t holders_read;
    pthread_mutex_t lock; /* protects begun and turn */
    pthread_cond_t turned;
};

/* A worker's state for one of the profiles. */
struct share {
    struct load_whole *whole;
    struct profile own, *profile; /* profile: own, or the file's if there is a single thread */
    struct graft graft;
    struct load *load;
    struct load_part part;
};

struct worker {
    struct crew *crew;
    pthread_t thread;
    struct share shares[PROFILE_KINDS]; /* one for each whole */
    struct profile names;               /* the stacks of its chunks, if there are several kinds and several workers */
    struct graft names_graft;
    struct load_stacks own, *stacks; /* stacks: own, or those that are kept */
    struct jfr_declared declared;
    struct jfr_problems problems;
};

static int begin_chunk(struct worker *w, struct jfr_chunk *chunk)
{
    int rc = 0;
    load_stacks_new_chunk(w->stacks);
    for (uint32_t i = 0; !rc && i < w->crew->whole_count; i++) {
        struct share *s = &w->shares[i];
        s->part.info = *jfr_chunk_get_info(chunk);
        rc = load_begin_chunk(s->load, chunk, &s->part);
    }
    return rc;
}

static int read_events(struct worker *w, struct jfr_chunk *chunk)
{
    struct jfr_event event;
    int rc = begin_chunk(w, chunk);
    for (struct jfr_cursor cursor = jfr_cursor_init(chunk); !rc && jfr_cursor_next(&cursor, &event);)
        for (uint32_t i = 0; !rc && i < w->crew->whole_count; i++)
            rc = load_event(w->shares[i].load, &event);
    for (uint32_t i = 0; !rc && i < w->crew->whole_count; i++)
        rc = load_end_part(w->shares[i].load, chunk);
    const struct pass_readers *beside = w->crew->beside;
    for (uint32_t i = 0; !rc && beside && i < beside->count; i++)
        rc = beside->list[i].take(beside->list[i].context, chunk);
    return rc;
}

/* Reads one chunk into the worker's parts. *readable says whether there is a part. */
static int read_chunk(struct worker *w, uint32_t index, bool *readable)
{
    struct jfr_chunk *chunk;
    w->problems.listed = 0;
    w->problems.count = 0;
    for (uint32_t i = 0; i < w->crew->whole_count; i++)
        load_part_reset(&w->shares[i].part);
    int rc = jfr_chunk_open_next(&chunk, w->crew->file, index, &w->declared, &w->problems, NULL);
    *readable = !rc && chunk;
    if (*readable)
        rc = read_events(w, chunk);
    jfr_chunk_close(chunk);
    return rc;
}

static void take_problems(struct jfr_problems *to, const struct jfr_problems *from)
{
    for (uint32_t i = 0; i < from->listed && to->listed < JFR_PROBLEMS_MAX; i++)
        to->list[to->listed++] = from->list[i];
    to->count += from->count;
}

typedef int place_stack(struct worker *w, uint32_t i, uint32_t *stack);

static int for_stacks(struct worker *w, uint32_t i, place_stack *place)
{
    struct load_part *part = &w->shares[i].part;
    int rc = 0;
    for (uint32_t k = 0; !rc && k < part->sample_count; k++)
        rc = place(w, i, &part->samples[k].stack);
    for (uint32_t k = 0; !rc && k < part->object_count; k++)
        rc = place(w, i, &part->objects[k].sample.stack);
    for (uint32_t k = 0; !rc && k < part->block_count; k++)
        rc = place(w, i, &part->blocks[k].sample.stack);
    return rc;
}

/* Replaces the worker's id of a stack by that of the crew. */
static int to_crew(struct worker *w, uint32_t i, uint32_t *stack)
{
    const struct graft *graft = w->crew->names ? &w->names_graft : &w->shares[i].graft;
    *stack = graft->nodes[*stack];
    return 0;
}

static int note_stack(struct worker *w, uint32_t i, uint32_t *stack)
{
    return load_shared_note(&w->crew->shared[i], *stack);
}

static int to_own(struct worker *w, uint32_t i, uint32_t *stack)
{
    *stack = load_shared_id(&w->crew->shared[i], *stack);
    return 0;
}

/* Replaces the worker's ids of a part's stacks by those to which the samples of the file's profile refer. */
static int place_stacks(struct worker *w, uint32_t i)
{
    struct crew *c = w->crew;
    int rc = c->alone ? 0 : for_stacks(w, i, to_crew);
    if (rc || !c->names || c->kept)
        return rc;
    rc = for_stacks(w, i, note_stack);
    rc = rc ? rc : load_shared_copy(&c->shared[i]);
    return rc ? rc : for_stacks(w, i, to_own);
}

/* Adds the worker's parts to the file's profiles. The worker waits for its turn first. */
static int bring(struct worker *w, bool readable)
{
    struct crew *c = w->crew;
    take_problems(c->problems, &w->problems);
    int rc = readable && c->names && !c->alone ? graft_take(&w->names_graft, c->names, &w->names) : 0;
    for (uint32_t i = 0; readable && !rc && i < c->whole_count; i++) {
        struct share *s = &w->shares[i];
        rc = c->alone ? 0 : graft_take(&s->graft, s->whole->profile, s->profile);
        rc = rc ? rc : place_stacks(w, i);
        rc = rc ? rc : load_whole_take(s->whole, &s->part, c->alone ? NULL : &s->graft);
    }
    return rc;
}

static bool next_chunk(struct crew *c, uint32_t *index)
{
    pthread_mutex_lock(&c->lock);
    bool more = c->begun < c->count && !c->rc;
    *index = c->begun;
    c->begun += more;
    pthread_mutex_unlock(&c->lock);
    return more;
}

static void wait_for_turn(struct crew *c, uint32_t index)
{
    pthread_mutex_lock(&c->lock);
    while (c->turn != index)
        pthread_cond_wait(&c->turned, &c->lock);
    pthread_mutex_unlock(&c->lock);
}

static void end_turn(struct crew *c, int rc)
{
    pthread_mutex_lock(&c->lock);
    c->rc = c->rc ? c->rc : rc;
    c->turn++;
    pthread_cond_broadcast(&c->turned);
    pthread_mutex_unlock(&c->lock);
}

static void *work(void *context)
{
    struct worker *w = context;
    struct crew *c = w->crew;
    bool readable;
    for (uint32_t index; next_chunk(c, &index);) {
        int rc = read_chunk(w, index, &readable);
        wait_for_turn(c, index);
        if (!rc && !c->rc)
            rc = bring(w, readable);
        end_turn(c, rc);
    }
    return NULL;
}

static int share_init(struct share *s, struct load_whole *whole, struct worker *w)
{
    struct crew *c = w->crew;
    s->whole = whole;
    s->profile = c->alone ? whole->profile : &s->own;
    if (!c->alone && profile_init(&s->own))
        return -ENOMEM;
    s->own.kind = whole->profile->kind;
    s->own.full_names = whole->profile->full_names;
    s->own.or_others = whole->profile->or_others;
    return load_new(&s->load, s->profile, w->stacks, &c->holders_read);
}

static int worker_init(struct worker *w, struct crew *c)
{
    int rc = profile_init(&w->names);
    w->names.full_names = c->wholes[0].profile->full_names;
    w->crew = c;
    w->stacks = c->kept ? &c->kept->stacks : &w->own;
    for (uint32_t i = 0; !rc && i < c->whole_count; i++)
        rc = share_init(&w->shares[i], &c->wholes[i], w);
    struct profile *names = c->alone ? c->names : &w->names;
    return rc || c->kept ? rc : load_stacks_init(&w->own, c->names ? names : w->shares[0].profile);
}

static void worker_deinit(struct worker *w)
{
    for (size_t i = 0; i < PROFILE_KINDS; i++) {
        load_free(w->shares[i].load);
        load_part_deinit(&w->shares[i].part);
        graft_deinit(&w->shares[i].graft);
        profile_deinit(&w->shares[i].own);
    }
    load_stacks_deinit(&w->own);
    graft_deinit(&w->names_graft);
    profile_deinit(&w->names);
    jfr_declared_deinit(&w->declared);
}

static uint32_t threads_wanted(const struct crew *c)
{
    cpu_set_t set;
    uint32_t processors = is_alone || c->kept || sched_getaffinity(0, sizeof set, &set) ? 1 : (uint32_t)CPU_COUNT(&set);
    uint32_t wanted = processors < c->count ? processors : c->count;
    return wanted < THREADS_MAX ? wanted : THREADS_MAX;
}

/* Runs the workers. The caller is the first worker. If a thread cannot be created, the others do its work. */
static void run(struct worker *workers, uint32_t count)
{
    uint32_t started = 1;
    while (started < count && !pthread_create(&workers[started].thread, NULL, work, &workers[started]))
        started++;
    work(&workers[0]);
    for (uint32_t i = 1; i < started; i++)
        pthread_join(workers[i].thread, NULL);
}

void load_crew_alone(void)
{
    is_alone = true;
}

static int run_crew(struct crew *c)
{
    uint32_t wanted = threads_wanted(c);
    struct worker *workers = calloc((size_t)wanted + 1, sizeof *workers);
    c->alone = wanted <= 1;
    pthread_mutex_init(&c->lock, NULL);
    pthread_cond_init(&c->turned, NULL);
    c->rc = workers ? 0 : -ENOMEM;
    for (uint32_t i = 0; !c->rc && i < wanted; i++)
        c->rc = worker_init(&workers[i], c);
    if (!c->rc)
        run(workers, wanted);
    for (uint32_t i = 0; workers && i < wanted; i++)
        worker_deinit(&workers[i]);
    free(workers);
    pthread_cond_destroy(&c->turned);
    pthread_mutex_destroy(&c->lock);
    return c->rc;
}

int load_crew_run(struct load_whole *wholes, uint32_t n, struct load_kept *kept, const struct pass_readers *beside,
                  const struct jfr_file *file, struct jfr_problems *problems)
{
    struct profile own;
    struct crew c = {.file = file,
                     .wholes = wholes,
                     .whole_count = n,
                     .kept = kept,
                     .beside = beside,
                     .problems = problems,
                     .count = jfr_file_chunks(file)};
    if (profile_init(&own))
        return -ENOMEM;
    own.full_names = wholes[0].profile->full_names;
    c.names = kept ? &kept->names : n > 1 ? &own : NULL;
    for (uint32_t i = 0; i < n; i++)
        c.shared[i] = (struct load_shared){.to = wholes[i].profile, .from = c.names};
    int rc = run_crew(&c);
    for (uint32_t i = 0; i < n; i++)
        load_shared_deinit(&c.shared[i]);
    profile_deinit(&own);
    return rc;
}
