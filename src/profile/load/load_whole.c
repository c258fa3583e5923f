#include "profile/load/load_whole.h"

#include "base/array.h"
#include "base/text/number.h"
#include "base/text/word_list.h"
#include "profile/accounts.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void load_whole_init(struct load_whole *w, struct profile *p)
{
    *w = (struct load_whole){.profile = p};
}

void load_whole_deinit(struct load_whole *w)
{
    map_deinit(&w->virtual_threads);
    map_deinit(&w->cpu_places);
    load_minutes_deinit(&w->minutes);
    free(w->cpus);
    free(w->bases);
    free(w->blocks);
}

/* ---- samples ---- */

/* The sample's stack is the profile's own already. */
static struct profile_sample grafted_sample(const struct profile_sample *sample, const struct graft *g)
{
    struct profile_sample s = *sample;
    if (g) {
        s.labels = g->labels[s.labels];
        s.thread = g->threads[s.thread];
        s.outcome = g->strings[s.outcome];
    }
    return s;
}

/* Whether the part is a chunk of the JDK's recorder after Candor's recording. */
static bool is_beside(const struct load_whole *w, const struct load_part *part)
{
    return w->joined && !part->by_candor;
}

/* Whether the part repeats samples of a kind that Candor's agent was asked to record. Such a part is left out, even if the agent has
 * recorded no such sample. */
static bool is_told_by_agent(const struct load_whole *w, const struct load_part *part)
{
    const char *events = profile_setting(w->profile, "event");
    if (part->by_candor || !events)
        return false;
    if (profile_kinds[w->profile->kind].basis != PROFILE_BY_CLOCK)
        return word_list_has(events, profile_kinds[w->profile->kind].event);
    return w->joined && w->profile->kind == PROFILE_RUNNING;
}

static void leave_out(struct load_whole *w, enum load_rank rank, uint64_t count)
{
    w->left_out += count;
    if (count)
        w->left_out_rank = rank;
}

static bool is_in_time(const struct profile *p, int64_t ns)
{
    return ns >= p->start_ns && (uint64_t)ns - (uint64_t)p->start_ns <= p->duration_ns;
}

/* Drops the samples so far, because the part has better ones, or the agent's after another recorder's. */
static int change_samples(struct load_whole *w, const struct load_part *part)
{
    struct profile *p = w->profile;
    if (part->rank == w->rank) {
        leave_out(w, w->rank, p->sample_count + p->object_count);
        p->object_count = 0;
    }
    w->rank = part->rank;
    w->by_candor = part->by_candor;
    profile_drop_samples(p);
    const char *type = profile_sources[w->rank].first;
    return profile_string(p, type, strlen(type), &p->source) ? -ENOMEM : 0;
}

/* Determines whether the part's samples count. If they are better than the samples so far, those are dropped. */
static int choose_samples(struct load_whole *w, const struct load_part *part, bool *chosen)
{
    *chosen = false;
    if (part->rank == LOAD_NOTHING)
        return 0;
    *chosen = part->rank > w->rank || (part->rank == w->rank && part->by_candor >= w->by_candor);
    if (is_told_by_agent(w, part) || (!*chosen && part->rank == w->rank)) {
        *chosen = false;
        leave_out(w, part->rank, part->sample_count + part->object_count);
    }
    if (!*chosen || (part->rank == w->rank && part->by_candor == w->by_candor))
        return 0;
    return change_samples(w, part);
}

static int take_samples(struct load_whole *w, const struct load_part *part, const struct graft *g)
{
    struct profile *p = w->profile;
    for (uint32_t i = 0; i < part->sample_count; i++) {
        if (is_beside(w, part) && !is_in_time(p, part->samples[i].time_ns))
            continue;
        struct profile_sample s = grafted_sample(&part->samples[i], g);
        int rc = profile_add_sample(p, &s);
        if (rc == -ENOMEM)
            return rc;
        w->refused += rc != 0;
    }
    return 0;
}

/* Adds a live set. A later set about the same collection replaces the earlier one, because it also counts objects that reached the
 * recorder only after the collection. */
static int take_live_set(struct profile *p, const struct profile_live_set *set)
{
    if (p->live_set_count && p->live_sets[p->live_set_count - 1].time_ns == set->time_ns)
        p->live_set_count--;
    if (ARRAY_GROW(p->live_sets, p->live_set_cap, p->live_set_count))
        return -ENOMEM;
    p->live_sets[p->live_set_count++] = *set;
    return 0;
}

/* Adds the part's objects and live sets. A part without living objects may have objects that died, and collections. */
static int take_objects(struct profile *p, const struct load_part *part, const struct graft *g, bool chosen)
{
    if (!chosen && part->rank != LOAD_NOTHING)
        return 0;
    for (uint32_t i = 0; i < part->object_count; i++) {
        if (ARRAY_GROW(p->objects, p->object_cap, p->object_count))
            return -ENOMEM;
        p->objects[p->object_count] = part->objects[i];
        p->objects[p->object_count++].sample = grafted_sample(&part->objects[i].sample, g);
    }
    for (uint32_t i = 0; i < part->live_set_count; i++)
        if (take_live_set(p, &part->live_sets[i]))
            return -ENOMEM;
    return 0;
}

static int take_blocks(struct load_whole *w, const struct load_part *part, const struct graft *g)
{
    for (uint32_t i = 0; i < part->block_count; i++) {
        struct load_block block = part->blocks[i];
        if (!block.is_free)
            block.sample = grafted_sample(&block.sample, g);
        if (ARRAY_GROW(w->blocks, w->block_cap, w->block_count))
            return -ENOMEM;
        w->blocks[w->block_count++] = block;
    }
    return 0;
}

/* ---- notes ---- */

static int note_virtual_thread(struct load_whole *w, uint32_t thread, uint64_t java_id)
{
    struct profile_thread *t = &w->profile->threads[thread];
    bool added = true;
    if (java_id && !map_add(&w->virtual_threads, hash_mix(java_id) ^ thread, &added))
        return -ENOMEM;
    t->virtual_threads += added || !t->virtual_threads;
    return 0;
}

/* Notes the CPU time of a thread. It is cumulative for each thread of the agent, whose number is the pool's key in all chunks. The
 * number is needed because the kernel may give the id and the name of an ended thread to a new one, and both have used CPU time. CPU
 * time before the beginning of the file does not count. */
static int note_cpu(struct load_whole *w, uint32_t thread, uint64_t number, uint64_t cpu, bool is_base)
{
    bool added;
    if (ARRAY_GROW(w->cpus, w->cpu_cap, w->cpu_count))
        return -ENOMEM;
    uint32_t *place = map_add(&w->cpu_places, hash_mix(number) ^ thread, &added);
    if (!place)
        return -ENOMEM;
    if (added) {
        w->cpus[w->cpu_count] = 0;
        *place = w->cpu_count++;
    }
    if (!is_base) {
        struct profile_thread *t = &w->profile->threads[thread];
        t->cpu_ns += cpu - w->cpus[*place];
        t->cpu_known = true;
    }
    w->cpus[*place] = cpu;
    return 0;
}

static int note_base(struct load_whole *w, const struct profile_book *base)
{
    if (ARRAY_GROW(w->bases, w->base_cap, w->base_count))
        return -ENOMEM;
    w->bases[w->base_count++] = *base;
    return 0;
}

static int note_book(struct load_whole *w, const struct profile_book *line, int64_t time_ns)
{
    struct profile *p = w->profile;
    bool cpu = !line->reason && accounts_is(p, line, ACCOUNT_CPU);
    const struct profile_book *before = cpu && w->cpu_book ? &p->books[w->cpu_book - 1] : NULL;
    if (before && line->ns < before->ns &&
        profile_add_problem(p, "warning", "the file contains several recordings: the books are those of the last one"))
        return -ENOMEM;
    if (profile_set_book(p, line) || (p->books_by_minute && load_minutes_note(&w->minutes, p, line, time_ns)))
        return -ENOMEM;
    if (cpu && !before)
        w->cpu_book = (uint32_t)(accounts_line(p, ACCOUNT_CPU) - p->books) + 1;
    return 0;
}

static int note_period(struct load_whole *w, enum load_rank rank, uint64_t ns)
{
    uint64_t before = w->periods[rank];
    w->periods[rank] = ns;
    if (rank == LOAD_CPU_TIME || !before || before == ns)
        return 0;
    return profile_add_problem(w->profile, "warning", "the sampling period changed while recording; the last one is used");
}

/* Returns the id in the file's profile for the note's `a`. */
static uint32_t grafted(const struct load_note *note, const struct graft *g)
{
    if (!g || note->kind == LOAD_PERIOD)
        return note->a;
    return note->kind <= LOAD_THREAD_CPU ? g->threads[note->a] : g->strings[note->a];
}

static int take_note(struct load_whole *w, const struct load_note *note, const struct graft *g)
{
    struct profile *p = w->profile;
    uint32_t a = grafted(note, g), b = g ? g->strings[note->b] : note->b;
    switch (note->kind) {
    case LOAD_THREAD_NAME:
        p->threads[a].name = b;
        return 0;
    case LOAD_VIRTUAL_THREAD:
        return note_virtual_thread(w, a, note->x);
    case LOAD_THREAD_CPU:
        return note_cpu(w, a, note->x, note->y, false);
    case LOAD_THREAD_BASE:
        return w->is_first ? note_cpu(w, a, note->x, note->y, true) : 0;
    case LOAD_BOOK:
        return note_book(w, &(struct profile_book){a, b, (int64_t)note->x, note->y}, note->time_ns);
    case LOAD_BOOK_BASE:
        return w->is_first ? note_base(w, &(struct profile_book){a, b, (int64_t)note->x, note->y}) : 0;
    case LOAD_SETTING:
        w->joined |= !strcmp(profile_text(p, a), "jfr");
        return profile_set_setting(p, a, b);
    case LOAD_LOG:
        return profile_add_problem(p, profile_text(p, a), "%s", profile_text(p, b));
    case LOAD_JVM:
        p->jvm_version = a;
        p->command = b;
        p->pid = note->x;
        return 0;
    case LOAD_PERIOD:
        return note_period(w, (enum load_rank)a, note->x);
    case LOAD_EVENT_TYPE:
        return profile_add_event_type(p, &(struct profile_event_type){.name = a, .kinds = (unsigned)note->y, .count = note->x});
    case LOAD_CPU_TIME_WEIGHT:
        if (!w->periods[LOAD_CPU_TIME] || note->x < w->periods[LOAD_CPU_TIME])
            w->periods[LOAD_CPU_TIME] = note->x;
        return 0;
    }
    return 0;
}

/* ---- parts ---- */

static void note_span(struct profile *p, const struct jfr_chunk_info *info)
{
    int64_t end = p->start_ns + (int64_t)p->duration_ns;
    int64_t chunk_end;
    if (info->duration_ns < 0 || __builtin_add_overflow(info->start_ns, info->duration_ns, &chunk_end))
        return;
    bool first = !p->start_ns && !p->duration_ns;
    int64_t start = first || info->start_ns < p->start_ns ? info->start_ns : p->start_ns;
    if (!first && end > chunk_end)
        chunk_end = end;
    if (start < 0 || chunk_end < start)
        return;
    p->start_ns = start;
    p->duration_ns = (uint64_t)(chunk_end - start);
}

/* Whether a note from the JDK's chunk counts beside Candor's recording. Names of threads and types of samples count. The recorder's
 * notes on itself and on the JVM do not belong to Candor's recording. */
static bool counts_beside(const struct load_note *note)
{
    return note->kind == LOAD_THREAD_NAME || note->kind == LOAD_VIRTUAL_THREAD || (note->kind == LOAD_EVENT_TYPE && note->y);
}

static int take_beside(struct load_whole *w, const struct load_part *part, const struct graft *graft)
{
    bool chosen;
    int rc = choose_samples(w, part, &chosen);
    if (!rc && chosen)
        rc = take_samples(w, part, graft);
    rc = rc ? rc : take_objects(w->profile, part, graft, chosen);
    for (uint32_t i = 0; !rc && i < part->note_count; i++)
        rc = counts_beside(&part->notes[i]) ? take_note(w, &part->notes[i], graft) : 0;
    return rc;
}

int load_whole_take(struct load_whole *w, const struct load_part *part, const struct graft *graft)
{
    struct profile *p = w->profile;
    bool chosen;
    if (is_beside(w, part))
        return take_beside(w, part, graft);
    note_span(p, &part->info);
    p->cpu_samples += part->cpu_samples;
    p->kinds |= part->kinds;
    p->execution_samples += part->execution_samples;
    p->safepoint_samples += part->safepoint_samples;
    p->allocation_samples += part->allocation_samples;
    w->native_samples += part->native_samples;
    w->lost_samples += part->lost_samples;
    w->is_first = !w->has_content;
    w->has_content |= part->sample_count || part->note_count;
    int rc = choose_samples(w, part, &chosen);
    if (!rc && chosen)
        rc = take_samples(w, part, graft);
    rc = rc ? rc : take_objects(p, part, graft, chosen);
    rc = rc ? rc : take_blocks(w, part, graft);
    for (uint32_t i = 0; !rc && i < part->note_count; i++)
        rc = take_note(w, &part->notes[i], graft);
    return rc;
}

/* ---- the end ---- */

static bool stands_for_periods(enum load_rank rank)
{
    return rank == LOAD_EXECUTION || rank == LOAD_DATADOG || rank == LOAD_WALL_CLOCK;
}

/* Returns the period of the samples. If async-profiler records only one of CPU time and wall-clock time, it has one setting for both. */
static uint64_t period_of(const struct load_whole *w)
{
    if (w->profile->kind != PROFILE_WALL)
        return w->periods[w->rank];
    return w->periods[LOAD_WALL_CLOCK] ? w->periods[LOAD_WALL_CLOCK] : w->periods[LOAD_EXECUTION];
}

/* Sets the weights of samples that represent periods. A jdk.ExecutionSample represents one period of a thread in Java, and a Datadog
 * sample as many periods as it says. */
static void weigh_periods(struct load_whole *w)
{
    struct profile *p = w->profile;
    uint64_t period = period_of(w);
    if (!period || period > (1ull << 62) / (p->weight + 1)) {
        p->unit = PROFILE_UNIT_SAMPLES;
        return;
    }
    for (uint32_t i = 0; i < p->sample_count; i++)
        p->samples[i].weight *= period;
    p->weight *= period;
}

static uint64_t nominal_interval(const struct load_whole *w)
{
    if (profile_is_of_locks(w->profile))
        return 0;
    if (w->rank == LOAD_CPU_TIME || stands_for_periods(w->rank))
        return period_of(w);
    return number_or_zero(profile_setting(w->profile, w->rank == LOAD_WALL ? "wall_interval_ns" : "interval_ns"));
}

/* Subtracts the books' base, if the file has lost its beginning. Differences of balanced books balance, too. The final count of a line
 * may be below its base, if the base was an estimate. */
static int subtract_bases(struct load_whole *w)
{
    struct profile *p = w->profile;
    struct map places;
    int rc = 0;
    map_init(&places);
    p->discarded = w->base_count > 0 && profile_setting(p, "began_ns"); /* otherwise other recordings ran when this one began */
    for (uint32_t k = 0; !rc && w->base_count && k < p->book_count; k++) {
        bool added;
        uint32_t *place = map_add(&places, (uint64_t)p->books[k].account << 32 | p->books[k].reason, &added);
        rc = place ? 0 : -ENOMEM;
        if (place)
            *place = k;
    }
    for (uint32_t i = 0; !rc && i < w->base_count; i++) {
        const uint32_t *place = map_find(&places, (uint64_t)w->bases[i].account << 32 | w->bases[i].reason);
        struct profile_book *book = place ? &p->books[*place] : NULL;
        if (!book)
            continue;
        if (!accounts_is_level(p, book))
            book->ns = (int64_t)((uint64_t)book->ns - (uint64_t)w->bases[i].ns);
        book->count -= w->bases[i].count < book->count ? w->bases[i].count : book->count;
    }
    map_deinit(&places);
    return rc;
}

/* Sets the unit of the weights to bytes. The interval of a clock in the same recording does not apply to objects. */
static int weigh_bytes(struct profile *p)
{
    const char *value = profile_kinds[p->kind].value;
    p->unit = profile_kinds[p->kind].unit;
    p->interval_ns = 0;
    return profile_string(p, value, strlen(value), &p->value);
}

/* Chooses the objects. Each set of live objects was written at one moment. The last set counts, and becomes the samples. Objects that
 * were found dead after the last set still belong to it. */
static int settle_objects(struct load_whole *w)
{
    struct profile *p = w->profile;
    uint32_t kept = 0;
    int64_t last = INT64_MIN;
    bool has_set = false;
    for (uint32_t i = 0; i < p->object_count; i++)
        if (p->objects[i].is_alive && p->objects[i].told_ns > last) {
            last = p->objects[i].told_ns;
            has_set = true;
        }
    for (uint32_t i = 0; i < p->object_count; i++) {
        const struct profile_object *o = &p->objects[i];
        if (o->is_alive ? o->told_ns == last : !has_set || o->told_ns <= last)
            p->objects[kept++] = *o;
    }
    p->object_count = kept;
    for (uint32_t i = 0; i < kept; i++) {
        int rc = p->objects[i].is_alive ? profile_add_sample(p, &p->objects[i].sample) : 0;
        if (rc == -ENOMEM)
            return rc;
        w->refused += rc != 0;
    }
    return weigh_bytes(p);
}

/* Sets the unit of samples that represent events. A setting names these events. */
static int settle_events(struct profile *p)
{
    static const char unit[] = "events";
    const char *event = profile_setting(p, "event");
    char value[128];
    snprintf(value, sizeof value, "%s", event && *event ? event : unit);
    p->unit = PROFILE_UNIT_OTHER;
    p->interval_ns = 0;
    return profile_string(p, unit, sizeof unit - 1, &p->unit_name) ? -ENOMEM : profile_string(p, value, strlen(value), &p->value);
}

/* Marks the samples that were read as wall-clock samples: none is a sample of a running thread. */
static void are_of_wall(struct profile *p, uint32_t source)
{
    for (uint32_t i = 0; i < p->event_type_count; i++)
        if (p->event_types[i].name == source)
            p->event_types[i].kinds = PROFILE_KIND_BIT(WALL);
}

/* Separates wall-clock samples from CPU samples. A sample of async-profiler's wall clock has a state: the thread sleeps, or it runs.
 * Since version 3 samples of its CPU clock have a state of their own, and one file may have samples of both clocks. The JDK's samples
 * are all of running threads. */
static int settle_states(struct load_whole *w)
{
    struct profile *p = w->profile;
    uint32_t count = p->sample_count, of_state[JFR_STATES] = {0};
    for (uint32_t i = 0; i < count; i++)
        of_state[p->samples[i].state]++;
    uint32_t slept = of_state[JFR_STATE_SLEEPING];
    bool has_own = of_state[JFR_STATE_UNKNOWN] && slept, is_wall = p->kind == PROFILE_WALL;
    if (!slept && !is_wall)
        return 0;
    uint32_t source = p->source;
    p->kinds |= slept ? PROFILE_KIND_BIT(WALL) : 0;
    profile_drop_samples(p);
    for (uint32_t i = 0; i < count; i++) {
        struct profile_sample s = p->samples[i];
        bool is_cpu = s.state != JFR_STATE_SLEEPING && (!has_own || s.state == JFR_STATE_UNKNOWN);
        if (is_wall ? slept && !(has_own && is_cpu) : is_cpu)
            profile_add_sample(p, &s);
    }
    p->source = p->sample_count ? source : 0;
    if (is_wall)
        return 0;
    if (!p->sample_count)
        are_of_wall(p, source);
    return profile_add_problem(
        p, "info",
        "%lu jdk.ExecutionSample events are wall-clock samples (%lu of sleeping threads), not CPU samples; --kind wall shows them",
        (unsigned long)(count - p->sample_count), (unsigned long)slept);
}

static int compare_blocks(const void *a, const void *b)
{
    const struct load_block *x = a, *y = b;
    if (x->sample.time_ns != y->sample.time_ns)
        return x->sample.time_ns < y->sample.time_ns ? -1 : 1;
    return (int)x->is_free - (int)y->is_free;
}

/* Marks the allocations whose address was freed later. */
static int find_freed(struct load_whole *w, uint64_t *frees)
{
    struct map places; /* address -> the index of the block at that address, plus 1 */
    int rc = 0;
    bool added;
    map_init(&places);
    for (uint32_t i = 0; !rc && i < w->block_count; i++) {
        uint32_t *place = map_add(&places, hash_mix(w->blocks[i].address), &added);
        rc = place ? 0 : -ENOMEM;
        *frees += w->blocks[i].is_free;
        if (!rc && w->blocks[i].is_free && !added && *place)
            w->blocks[*place - 1].is_free = true;
        if (!rc)
            *place = w->blocks[i].is_free ? 0 : i + 1;
    }
    map_deinit(&places);
    return rc;
}

/* Makes samples of the allocations that were not freed. */
static int settle_blocks(struct load_whole *w)
{
    uint64_t frees = 0;
    if (w->block_count)
        qsort(w->blocks, w->block_count, sizeof *w->blocks, compare_blocks);
    int rc = find_freed(w, &frees);
    for (uint32_t i = 0; !rc && i < w->block_count; i++) {
        int refused = w->blocks[i].is_free ? 0 : profile_add_sample(w->profile, &w->blocks[i].sample);
        rc = refused == -ENOMEM ? refused : 0;
        w->refused += refused && !rc;
    }
    if (!rc && w->block_count && !frees)
        rc = profile_add_problem(w->profile, "warning",
                                 "the recording has no profiler.Free events, which show what was freed: all allocated memory is shown");
    return rc ? rc : weigh_bytes(w->profile);
}

/* Whether events of this type have a stack but are not samples of any kind. The JDK has many such types, which `candor print` shows;
 * they are not reported. */
static bool is_unused(const struct profile *p, const struct profile_event_type *type)
{
    const char *name = profile_text(p, type->name);
    bool by_jdk = !strncmp(name, "jdk.", 4) || !strncmp(name, "com.oracle.jdk.", 15);
    return !type->kinds && strncmp(name, "candor.", 7) && (!by_jdk || !strcmp(name, "jdk.MethodTrace"));
}

static int name_unused(struct profile *p)
{
    int rc = 0;
    for (uint32_t i = 0; !rc && i < p->event_type_count; i++)
        if (!strcmp(profile_text(p, p->event_types[i].name), "profiler.Span"))
            rc = profile_add_problem(p, "info", "%llu spans (profiler.Span) are on the page of the recording (report -o page.html)",
                                     (unsigned long long)p->event_types[i].count);
        else if (is_unused(p, &p->event_types[i]))
            rc = profile_add_problem(p, "info", "%llu %s events are not used: candor does not know this kind of sample",
                                     (unsigned long long)p->event_types[i].count, profile_text(p, p->event_types[i].name));
    return rc;
}

int load_whole_settle(struct load_whole *w)
{
    struct profile *p = w->profile;
    if (w->rank == LOAD_EXECUTION && settle_states(w))
        return -ENOMEM;
    if (stands_for_periods(w->rank))
        weigh_periods(w);
    p->interval_ns = nominal_interval(w);
    int rc = subtract_bases(w);
    if (rc)
        return rc;
    load_minutes_settle(&w->minutes, p);
    if (p->kind == PROFILE_LIVE)
        rc = settle_objects(w);
    else if (p->kind == PROFILE_NATIVELEAK)
        rc = settle_blocks(w);
    else if (profile_kinds[p->kind].unit == PROFILE_UNIT_BYTES)
        rc = weigh_bytes(p);
    else if (w->rank == LOAD_EVENT)
        rc = settle_events(p);
    rc = rc ? rc : name_unused(p);
    if (!rc && w->native_samples)
        rc = profile_add_problem(p, "info", "%llu jdk.NativeMethodSample events are not counted: their threads may have been waiting",
                                 (unsigned long long)w->native_samples);
    if (!rc && w->left_out)
        rc = profile_add_problem(p, "info", "%llu %s events of the JDK's recorder are left out: the agent's own samples are used",
                                 (unsigned long long)w->left_out, profile_sources[w->left_out_rank].first);
    if (!rc && w->lost_samples)
        rc = profile_add_problem(p, "warning", "the JVM's sampler lost %llu samples", (unsigned long long)w->lost_samples);
    if (!rc && w->refused)
        rc = profile_add_problem(p, "warning", "%llu samples left out: their weights are impossible", (unsigned long long)w->refused);
    return rc;
}
