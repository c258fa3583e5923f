/* Finds locks for which threads queue, by class. What the owner does meanwhile shows the problem with a lock: an owner that sleeps or
 * does I/O, readers that let no writer in, or else simply too much work under one lock.
 *
 * The measure is the mean number of threads that wait: the sum of their waiting times divided by the recording's time. A lock for which
 * one thread waits on average is in use nearly all the time. */
#include "analysis/rules.h"

#include "analysis/findings.h"
#include "analysis/stack.h"
#include "analysis/tally.h"
#include "base/array.h"
#include "base/text/units.h"
#include "profile/accounts.h"
#include "profile/figures/stats.h"
#include "profile/locks.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WAITERS_WARNING 1.0 /* mean number of threads that wait */
#define OWNER_SHARE     0.5 /* least share of the owners' sampled time in an activity that then counts as the reason */
#define OWN_USE         0.5 /* a share of the processors; if the program uses less, others are the reason why its threads have none */
#define READERS_SHARE   0.1 /* if writers starve, readers wait at most for this share of the writers' waiting time */

struct lock_use {
    uint32_t class_name; /* string id of the profile */
    uint8_t state;
    bool is_lock;     /* according to its class. Other classes may be locks, too: then the waits have an owner */
    bool is_of_tools; /* it belongs to the JDK's recorder, which --jfr on starts */
    uint32_t threads; /* that waited */
    uint64_t weight, samples;
    uint64_t writers_ns, readers_ns; /* writers: while no thread had exclusive access, so readers had the lock */
};

struct owners {
    double all_ns, squares;          /* squares: the sum of squares of the weights */
    double ns_of[STACK_WORKS_KINDS]; /* by enum stack_work */
};

struct uses {
    struct findings *f;
    const struct evidence *e;
    const struct profile *p;
    uint32_t class_key, owner_key; /* labels of a wait, as string ids; 0 = no wait has one */
    struct lock_use *list;
    uint32_t count, cap;
    struct tally threads, owners, sites; /* by the index of a use in the list */
    struct owners *looked_at;            /* by the class */
    uint32_t looked_at_count, looked_at_cap;
    struct map owner_places;                 /* by the class, as a string id of the findings */
    struct tally owner_sites, owner_threads; /* for owners that sleep or do I/O: owner_group */
    struct map places;
    bool *is_dead; /* by sample: whether it is a link of a deadlock, which has a finding of its own */
};

/* ---- which parks are for a lock ---- */

static bool is_lock(const char *class_name, uint8_t state)
{
    return state == JFR_STATE_MONITOR || strstr(class_name, "locks.ReentrantLock$") ||
           strstr(class_name, "locks.ReentrantReadWriteLock$") || strstr(class_name, "locks.StampedLock");
}

/* ---- adding up ---- */

static struct lock_use *use_of(struct uses *u, uint32_t class_name, uint8_t state)
{
    bool added;
    uint32_t *place = map_add(&u->places, (uint64_t)class_name << 8 | state, &added);
    if (!place || (added && ARRAY_GROW(u->list, u->cap, u->count))) {
        u->f->failed = true;
        return NULL;
    }
    if (added) {
        *place = u->count;
        const char *text = class_name ? profile_text(u->p, class_name) : "";
        u->list[u->count++] = (struct lock_use){.class_name = class_name,
                                                .state = state,
                                                .is_lock = is_lock(text, state),
                                                .is_of_tools = !strncmp(text, "jdk.jfr.internal.", 17)};
    }
    return &u->list[*place];
}

/* Whether a worker waits for the lock of its pool's queue on its way to its next task. The program loses no time then. If there are too
 * few processors, the owner of that lock usually waits for one. */
static bool comes_to_take(const struct stack_marks *marks, const struct profile_sample *s)
{
    return stack_is_idle(marks, s->stack) || stack_has(marks, s->stack, STACK_TAKES);
}

/* Virtual threads with similar names are one thread of the profile. */
static void add_thread(struct uses *u, struct lock_use *use, const struct profile_sample *s)
{
    uint32_t place = (uint32_t)(use - u->list), virtual_threads = u->p->threads[s->thread].virtual_threads;
    uint32_t before = tally_keys(&u->threads, place);
    tally_add(&u->threads, place, s->thread, s->weight);
    if (tally_keys(&u->threads, place) > before)
        use->threads += virtual_threads ? virtual_threads : 1;
}

static void add_wait(struct uses *u, const struct stack_marks *marks, const struct profile_sample *s)
{
    if (comes_to_take(marks, s))
        return;
    uint32_t owner = locks_value(u->p, s, u->owner_key);
    struct lock_use *use = use_of(u, locks_value(u->p, s, u->class_key), s->state);
    if (!use || use->is_of_tools || (!use->is_lock && !owner))
        return;
    uint32_t place = (uint32_t)(use - u->list);
    use->weight += s->weight;
    use->samples += s->count;
    use->readers_ns += stack_has(marks, s->stack, STACK_LOCKS_READ) ? s->weight : 0;
    use->writers_ns += stack_has(marks, s->stack, STACK_LOCKS_WRITE) && !owner ? s->weight : 0;
    add_thread(u, use, s);
    tally_add(&u->sites, place, s->stack, s->weight);
    if (owner)
        tally_add(&u->owners, place, owner, s->weight);
}

static int mark_dead(struct uses *u)
{
    struct locks l;
    u->is_dead = calloc((size_t)u->p->sample_count + 1, sizeof *u->is_dead);
    if (!u->is_dead)
        return -ENOMEM;
    if (!locks_has_open(u->p))
        return 0;
    int rc = locks_compute(&l, u->e->lock);
    for (uint32_t i = 0; !rc && i < l.link_count; i++)
        u->is_dead[l.links[i].sample] = true;
    locks_deinit(&l);
    return rc;
}

static void add_waits(struct uses *u)
{
    struct stack_marks marks;
    int rc = stack_marks_of(&marks, u->f, u->p);
    rc = rc ? rc : mark_dead(u);
    u->f->failed = u->f->failed || rc;
    for (uint32_t i = 0; !rc && !u->f->failed && i < u->p->sample_count; i++)
        if (u->p->samples[i].weight && !u->is_dead[i])
            add_wait(u, &marks, &u->p->samples[i]);
}

/* ---- activities of owners ---- */

static uint32_t owner_group(uint32_t place, enum stack_work work)
{
    return STACK_WORKS_KINDS * place + (uint32_t)work;
}

static struct owners *owners_of(struct uses *u, const char *class_name)
{
    bool added;
    uint32_t *place = map_add(&u->owner_places, findings_string(u->f, class_name), &added);
    if (!place || (added && ARRAY_GROW(u->looked_at, u->looked_at_cap, u->looked_at_count))) {
        u->f->failed = true;
        return NULL;
    }
    if (added) {
        *place = u->looked_at_count;
        u->looked_at[u->looked_at_count++] = (struct owners){0};
    }
    return &u->looked_at[*place];
}

static void look_at(struct uses *u, const struct profile *p, const struct profile_sample *s)
{
    uint32_t class_name = locks_label(p, s, "class");
    struct owners *o = class_name ? owners_of(u, profile_text(p, class_name)) : NULL;
    enum stack_work work = stack_work(p, s->stack);
    double weight = (double)s->weight;
    if (!o)
        return;
    o->all_ns += weight;
    o->squares += weight * weight;
    if (work == STACK_IS_ELSE)
        return;
    o->ns_of[work] += weight;
    uint32_t group = owner_group((uint32_t)(o - u->looked_at), work);
    tally_add(&u->owner_sites, group, s->stack, s->weight);
    tally_add(&u->owner_threads, group, s->thread, s->weight);
}

static void look_at_owners(struct uses *u)
{
    const struct profile *p = u->e->holder;
    for (uint32_t i = 0; p && i < p->sample_count; i++)
        look_at(u, p, &p->samples[i]);
}

/* ---- findings ---- */

static double threshold_of(const struct profile *p, enum wait_group group)
{
    const struct profile_book *book = accounts_reason(p, ACCOUNT_LOCK_THRESHOLD, REASON_LIST_WAIT_GROUP, group);
    return book && book->ns > 0 ? (double)book->ns : 0;
}

/* Returns the threshold for a use. For parks there are two groups, and the class does not show which one applies. */
static double threshold_of_use(const struct profile *p, const struct lock_use *use)
{
    if (use->state == JFR_STATE_MONITOR)
        return threshold_of(p, WAIT_GROUP_MONITOR);
    return fmax(threshold_of(p, WAIT_GROUP_SYNCHRONIZER), threshold_of(p, WAIT_GROUP_OTHER));
}

/* Returns the time lost at a lock. Shorter waits are sampled, so each thread's sum has a standard error of half a threshold. */
static struct amount lost_by(const struct uses *u, const struct lock_use *use, uint32_t threads)
{
    return amount_normal((double)use->weight, threshold_of_use(u->p, use) / 2 * sqrt(threads));
}

/* Whether readers starve writers. Without owners, a writer that waits for another writer cannot be distinguished. */
static bool starves_writers(const struct uses *u, const struct lock_use *use)
{
    return evidence_has(u->e, SOURCE_OWNERS) && use->writers_ns > use->weight / 2 &&
           (double)use->readers_ns <= READERS_SHARE * (double)use->writers_ns;
}

struct told {
    const struct uses *u;
    const struct lock_use *use;
    const char *class_name;
    char how_long[32];
    double waiters;
};

static const char *lock_word(const struct told *t)
{
    return t->use->state == JFR_STATE_MONITOR ? "the monitor of " : "";
}

static const char *plural(uint64_t n)
{
    return n == 1 ? "" : "s";
}

/* The words for what an owner did, and the finding that says so. */
static const struct {
    enum finding_kind kind;
    const char *words;
} works[STACK_WORKS_KINDS] = {[STACK_SLEEPS] = {FINDING_LOCK_HELD_ASLEEP, "slept"},
                              [STACK_IS_IN_IO] = {FINDING_LOCK_HELD_IN_IO, "was in input or output"},
                              [STACK_WAITS] = {FINDING_LOCK_HELD_WAITING, "waited for another thread"}};

static void tell_owner(struct told *t, struct finding *one, enum stack_work work, const struct owners *o)
{
    const struct profile *p = t->u->e->holder;
    uint32_t group = owner_group((uint32_t)(o - t->u->looked_at), work);
    const struct tally_row *site = tally_largest(&t->u->owner_sites, group), *thread = tally_largest(&t->u->owner_threads, group);
    struct amount share = amount_share(o->ns_of[work], o->all_ns, stats_effective_size(o->all_ns, o->squares));
    one->kind = works[work].kind;
    one->site = site ? stack_site(t->u->f, p, site->key) : 0;
    one->owner = thread ? findings_string(t->u->f, profile_text(p, p->threads[thread->key].name)) : 0;
    one->text = findings_say(t->u->f,
                             "%u thread%s waited %s for %s%.200s, on average %.2f at a time; in %.0f to %.0f %% of that time its "
                             "owner %s, at %.300s",
                             one->threads, plural(one->threads), t->how_long, lock_word(t), t->class_name, t->waiters, 100 * share.low,
                             100 * share.high, works[work].words, findings_text(t->u->f, one->site));
}

/* Names the thread that most often held the lock when others began to wait. */
static const char *tell_holder(const struct told *t, const struct finding *one, char *text, size_t size)
{
    *text = 0;
    if (one->owner)
        snprintf(text, size, "; its most frequent owner is the thread \"%.100s\"", findings_text(t->u->f, one->owner));
    return text;
}

static void tell_plainly(struct told *t, struct finding *one)
{
    const struct uses *u = t->u;
    uint32_t place = (uint32_t)(t->use - u->list);
    const struct tally_row *site = tally_largest(&u->sites, place), *owner = tally_largest(&u->owners, place);
    bool starve = starves_writers(u, t->use);
    char writers[32], holder[200];
    one->kind = starve ? FINDING_WRITERS_STARVE : FINDING_LOCK_CONTENDED;
    one->site = site ? stack_site(u->f, u->p, site->key) : 0;
    one->owner = owner ? findings_string(u->f, profile_text(u->p, owner->key)) : 0;
    if (starve)
        one->text = findings_say(u->f,
                                 "writers waited %s for %.200s while readers held it, on average %.2f at a time; readers waited %.1f %% of "
                                 "that time; the writers wait at %.300s",
                                 units_format_duration(writers, sizeof writers, t->use->writers_ns), t->class_name,
                                 (double)t->use->writers_ns / (double)u->e->duration_ns,
                                 100 * (double)t->use->readers_ns / (double)t->use->writers_ns, findings_text(u->f, one->site));
    else
        one->text = findings_say(u->f, "%u thread%s waited %s for %s%.200s, on average %.2f at a time; most of that time at %.300s%s",
                                 one->threads, plural(one->threads), t->how_long, lock_word(t), t->class_name, t->waiters,
                                 findings_text(u->f, one->site), tell_holder(t, one, holder, sizeof holder));
}

/* ---- owners without a processor ---- */

static bool owns(const struct map *owners, const struct uses *u, const struct profile_sample *s)
{
    const struct profile *p = u->e->wall;
    return map_find(owners, findings_string(u->f, profile_text(p, p->threads[s->thread].name)));
}

/* Returns the share in which the lock's owners had no processor, of the time in which they could run, according to the wall clock. */
static struct amount unready_share(const struct uses *u, uint32_t place)
{
    struct map owners; /* names, as string ids of the findings */
    double ready = 0, all = 0, squares = 0;
    map_init(&owners);
    for (uint32_t i = 0; i < u->owners.count; i++) {
        bool added;
        if (u->owners.rows[i].group == place && !map_add(&owners, findings_string(u->f, profile_text(u->p, u->owners.rows[i].key)), &added))
            u->f->failed = true;
    }
    for (uint32_t i = 0; u->e->wall && i < u->e->wall->sample_count; i++) {
        const struct profile_sample *s = &u->e->wall->samples[i];
        double weight = (double)s->weight;
        bool is_ready = s->state == JFR_STATE_READY, runs = !jfr_state_waits((enum jfr_thread_state)s->state);
        if ((!is_ready && !runs) || !owns(&owners, u, s))
            continue;
        ready += is_ready ? weight : 0;
        all += weight;
        squares += weight * weight;
    }
    map_deinit(&owners);
    return amount_share(ready, all, stats_effective_size(all, squares));
}

/* Returns the share of input and output in the time in which threads ran, or could run, in the method that most waits for the lock come
 * from. The looks at owners show no stack of one that can run. On a busy machine such an owner may be in a system call for most of the
 * time, because it lacks a processor there. */
static struct amount busy_io_share(const struct uses *u, uint32_t place)
{
    const struct profile *p = u->e->wall;
    const struct tally_row *site = tally_largest(&u->sites, place);
    double io = 0, all = 0, squares = 0;
    struct stack_marks marks;
    int rc = stack_marks_of(&marks, u->f, u->p);
    uint32_t label = rc || !site ? 0 : stack_own(&marks, site->key);
    u->f->failed = u->f->failed || rc;
    for (uint32_t i = 0; label && p && i < p->sample_count; i++) {
        const struct profile_sample *s = &p->samples[i];
        double weight = (double)s->weight;
        bool runs = s->state == JFR_STATE_READY || !jfr_state_waits((enum jfr_thread_state)s->state);
        if (!runs || !stack_calls(p, s->stack, profile_text(u->p, label)))
            continue;
        io += stack_java_work(p, s->stack) == STACK_IS_IN_IO ? weight : 0;
        all += weight;
        squares += weight * weight;
    }
    return amount_share(io, all, stats_effective_size(all, squares));
}

static bool tell_of_busy_io(const struct told *t, struct finding *one)
{
    const struct uses *u = t->u;
    struct amount share = busy_io_share(u, (uint32_t)(t->use - u->list));
    if (share.low < OWNER_SHARE)
        return false;
    one->kind = FINDING_LOCK_HELD_IN_IO;
    one->text = findings_say(u->f, "%s; in %.0f to %.0f %% of the time in which a thread could run there, it was in input or output",
                             findings_text(u->f, one->text), 100 * share.low, 100 * share.high);
    return true;
}

/* ---- owners without a carrier ---- */

/* Returns what the virtual thread waits for, if that is not the lock itself. */
static enum stack_work unmounted_work(const struct lock_use *use, const struct profile *p, const struct profile_sample *s)
{
    if (!p->threads[s->thread].virtual_threads || s->state == JFR_STATE_MONITOR || !jfr_state_waits((enum jfr_thread_state)s->state))
        return STACK_IS_ELSE;
    enum stack_work work = stack_unmounted_work(p, s->stack);
    return work == STACK_WAITS && use->state != JFR_STATE_MONITOR ? STACK_IS_ELSE : work;
}

/* What virtual threads without a carrier did in one method, by its line and by enum stack_work: key_of_unmounted. */
struct unmounted {
    struct tally ns, squares; /* group 0; squares: of weights in us */
    struct tally stacks;      /* the key is the group */
};

static uint32_t key_of_unmounted(int32_t line, enum stack_work work)
{
    return STACK_WORKS_KINDS * (uint32_t)line + (uint32_t)work;
}

/* Returns the line of the method with this label; 0 = the line is unknown, or the method is not on the stack. */
static int32_t line_in(const struct profile *p, uint32_t stack, const char *label)
{
    while (stack && strcmp(profile_text(p, p->frames[p->nodes[stack].frame].label), label))
        stack = p->nodes[stack].parent;
    int32_t line = stack ? p->frames[p->nodes[stack].frame].line : 0;
    return line > 0 ? line : 0;
}

static void look_at_unmounted(const struct told *t, struct unmounted *o)
{
    const struct uses *u = t->u;
    const struct profile *p = u->e->wall;
    const struct tally_row *site = tally_largest(&u->sites, (uint32_t)(t->use - u->list));
    struct stack_marks marks;
    int rc = stack_marks_of(&marks, u->f, u->p);
    uint32_t label = rc || !site ? 0 : stack_own(&marks, site->key);
    for (uint32_t i = 0; label && p && i < p->sample_count; i++) {
        const struct profile_sample *s = &p->samples[i];
        enum stack_work work = unmounted_work(t->use, p, s);
        int32_t line = work == STACK_IS_ELSE ? 0 : line_in(p, s->stack, profile_text(u->p, label));
        uint64_t us = s->weight / 1000;
        if (!line)
            continue;
        tally_add(&o->ns, 0, key_of_unmounted(line, work), s->weight);
        tally_add(&o->squares, key_of_unmounted(line, work), 0, us * us);
        tally_add(&o->stacks, key_of_unmounted(line, work), s->stack, s->weight);
    }
    u->f->failed = u->f->failed || rc || o->ns.failed || o->squares.failed || o->stacks.failed;
}

/* Returns the mean number of threads that did this. */
static struct amount mean_of_unmounted(const struct told *t, const struct unmounted *o, const struct tally_row *row)
{
    double error = 1000 * sqrt((double)tally_weight(&o->squares, row->key));
    return amount_scaled(amount_normal((double)row->weight, error), 1 / (double)t->u->e->duration_ns);
}

static void say_of_unmounted(const struct told *t, struct finding *one, const struct unmounted *o, const struct tally_row *row)
{
    struct amount mean = mean_of_unmounted(t, o, row);
    enum stack_work work = (enum stack_work)(row->key % STACK_WORKS_KINDS);
    one->kind = works[work].kind;
    one->site = stack_site(t->u->f, t->u->e->wall, tally_largest(&o->stacks, row->key)->key);
    one->report = "--kind wall"; /* nobody has looked at such an owner */
    one->table = "Methods";
    one->text = findings_say(t->u->f,
                             "%u thread%s waited %s for %s%.200s, on average %.2f at a time; meanwhile %.2f of them on average (%.2f to "
                             "%.2f) %s at %.300s, probably while holding it",
                             one->threads, plural(one->threads), t->how_long, lock_word(t), t->class_name, t->waiters, mean.value, mean.low,
                             mean.high, works[work].words, findings_text(t->u->f, one->site));
}

/* From JDK 24 on, and with locks of java.util.concurrent, a virtual thread that waits while it holds a lock has no carrier, and looks at
 * owners do not see it. The wall clock does: as a thread that waits for something else, in the method that most waits for the lock come
 * from. If it holds the lock, there is never more than one such thread; several of them at one line wait without the lock. */
static bool tell_of_unmounted(const struct told *t, struct finding *one)
{
    struct unmounted o;
    const struct tally_row *found = NULL;
    tally_init(&o.ns);
    tally_init(&o.squares);
    tally_init(&o.stacks);
    look_at_unmounted(t, &o);
    for (uint32_t i = 0; i < o.ns.count && !t->u->f->failed; i++) {
        const struct tally_row *row = &o.ns.rows[i];
        double low = mean_of_unmounted(t, &o, row).low;
        if (low >= OWNER_SHARE * fmin(1, t->waiters) && low <= 1 && (!found || row->weight > found->weight))
            found = row;
    }
    if (found)
        say_of_unmounted(t, one, &o, found);
    tally_deinit(&o.ns);
    tally_deinit(&o.squares);
    tally_deinit(&o.stacks);
    return found;
}

/* Whether other programs keep the processors busy. */
static bool others_compute(const struct evidence *e)
{
    return e->cpu && e->cpu->unit == PROFILE_UNIT_NS && e->processors &&
           (double)e->cpu->weight < OWN_USE * e->processors * (double)e->duration_ns;
}

static void tell_of_processor(const struct told *t, struct finding *one)
{
    const struct uses *u = t->u;
    struct amount share = unready_share(u, (uint32_t)(t->use - u->list));
    if (share.low < OWNER_SHARE)
        return;
    one->kind = FINDING_LOCK_OWNER_PREEMPTED;
    if (others_compute(u->e))
        one->remedy =
            "check which other programs run on this machine, and the CPU quota of the container: this program uses less than half "
            "of the processors; and do less while holding the lock";
    one->text = findings_say(u->f, "%s; in %.0f to %.0f %% of the time in which its owners could run, they had no processor",
                             findings_text(u->f, one->text), 100 * share.low, 100 * share.high);
}

/* Whether the owners were seen to sleep, to wait or to do input or output for half of the time, although that may be chance. Such an owner
 * needs no processor most of the time. */
static bool may_wait(const struct owners *o)
{
    double known = 0;
    for (int work = STACK_IS_ELSE + 1; o && work < STACK_WORKS_KINDS; work++)
        known += o->ns_of[work];
    return o && known > 0 && known >= OWNER_SHARE * o->all_ns;
}

/* Returns the work in which the owners spent at least half of the time; STACK_IS_ELSE if there is none. */
static enum stack_work work_of(const struct owners *o)
{
    double n = o ? stats_effective_size(o->all_ns, o->squares) : 0;
    for (int work = STACK_IS_ELSE + 1; o && work < STACK_WORKS_KINDS; work++)
        if (amount_share(o->ns_of[work], o->all_ns, n).low >= OWNER_SHARE)
            return (enum stack_work)work;
    return STACK_IS_ELSE;
}

static void choose(struct told *t, struct finding *one)
{
    const uint32_t *place = map_find(&t->u->owner_places, one->subject);
    const struct owners *o = place ? &t->u->looked_at[*place] : NULL;
    enum stack_work work = work_of(o);
    if (starves_writers(t->u, t->use))
        tell_plainly(t, one);
    else if (work != STACK_IS_ELSE)
        tell_owner(t, one, work, o);
    else {
        tell_plainly(t, one);
        if (!may_wait(o) && !tell_of_unmounted(t, one) && !tell_of_busy_io(t, one))
            tell_of_processor(t, one);
    }
}

static void judge(const struct uses *u, const struct lock_use *use)
{
    struct told t = {.u = u, .use = use, .class_name = use->class_name ? profile_text(u->p, use->class_name) : "[unknown]"};
    struct finding one = {.count = use->samples, .threads = use->threads};
    one.lost_ns = lost_by(u, use, one.threads);
    one.score = score_saturate(one.lost_ns.low / (double)u->e->duration_ns, WAITERS_WARNING);
    if (one.score < SCORE_INFO)
        return;
    one.subject = findings_string(u->f, t.class_name);
    t.waiters = (double)use->weight / (double)u->e->duration_ns;
    units_format_duration(t.how_long, sizeof t.how_long, use->weight);
    choose(&t, &one);
    findings_add(u->f, &one);
}

void rule_locks(struct findings *f, const struct evidence *e)
{
    struct uses u = {.f = f, .e = e, .p = e->lock};
    if (!e->lock || !e->duration_ns)
        return;
    u.class_key = strtab_find(&e->lock->strings, "class", strlen("class"));
    u.owner_key = strtab_find(&e->lock->strings, "owner", strlen("owner"));
    map_init(&u.places);
    tally_init(&u.threads);
    tally_init(&u.owners);
    tally_init(&u.sites);
    map_init(&u.owner_places);
    tally_init(&u.owner_sites);
    tally_init(&u.owner_threads);
    add_waits(&u);
    look_at_owners(&u);
    f->failed = f->failed || u.threads.failed || u.owners.failed || u.sites.failed || u.owner_sites.failed || u.owner_threads.failed;
    for (uint32_t i = 0; i < u.count; i++)
        judge(&u, &u.list[i]);
    free(u.list);
    free(u.is_dead);
    free(u.looked_at);
    map_deinit(&u.owner_places);
    tally_deinit(&u.owner_sites);
    tally_deinit(&u.owner_threads);
    map_deinit(&u.places);
    tally_deinit(&u.threads);
    tally_deinit(&u.owners);
    tally_deinit(&u.sites);
}
