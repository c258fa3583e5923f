#include "server/fleet/judge.h"

#include "analysis/analyze.h"
#include "analysis/show/findings_print.h"
#include "analysis/recording_evidence.h"
#include "base/text/units.h"
#include "base/time_units.h"
#include "compress/intake.h"
#include "format/read/formats.h"
#include "profile/load/load_crew.h"
#include "server/fleet/place.h"
#include "store/catalogue/catalogue_findings.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

enum { LATE_S = 10, NICE = 10, FOUND_MAX = 100 };

#define LOOK_NS ((uint64_t)NS_PER_S / 4) /* how often to look for recordings */

struct judge {
    struct server *server;
    pthread_t thread;
    bool running;
    pthread_mutex_t lock; /* for `ending` */
    pthread_cond_t end;
    bool ending;
    struct jfr_problems problems;
};

uint64_t judge_rest_ns(uint64_t spent_ns, uint64_t passed_ns, double share)
{
    double whole_ns = (double)spent_ns / share;
    return whole_ns > (double)passed_ns ? (uint64_t)(whole_ns - (double)passed_ns) : 0;
}

/* ---- one recording ---- */

/* The findings of one recording, as the catalog takes them. It owns their places and their JSON. */
struct entered {
    struct catalogue_found list[FOUND_MAX];
    uint32_t count;
};

static char *json_of(const struct findings *f, const struct finding *one)
{
    char *text = NULL;
    size_t size;
    struct jsonw j;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return NULL;
    jsonw_init(&j, out);
    finding_print_json(&j, f, one);
    if (fclose(out)) {
        free(text);
        return NULL;
    }
    return text;
}

static bool is_entered(const struct entered *all, const char *rule, const char *place)
{
    for (uint32_t i = 0; i < all->count; i++)
        if (!strcmp(all->list[i].rule, rule) && !strcmp(all->list[i].place, place))
            return true;
    return false;
}

/* Adds a finding. Of several with the same rule and place the first one counts, which is the worst. */
static int enter(struct entered *all, const struct findings *f, const struct finding *one)
{
    char place[PLACE_MAX];
    place_of(f, one, place);
    if (all->count == FOUND_MAX || is_entered(all, finding_infos[one->kind].id, place))
        return 0;
    struct catalogue_found found = {.rule = finding_infos[one->kind].id,
                                    .place = strdup(place),
                                    .json = json_of(f, one),
                                    .score = one->score,
                                    .lost_ns = amount_whole(one->lost_ns.value)};
    all->list[all->count++] = found;
    return found.place && found.json ? 0 : -ENOMEM;
}

static void entered_deinit(struct entered *all)
{
    for (uint32_t i = 0; i < all->count; i++) {
        free((char *)all->list[i].place);
        free((char *)all->list[i].json);
    }
}

static bool could_judge(void *context, const char *rule)
{
    enum finding_kind kind = finding_named(rule, strlen(rule));
    return kind != FINDING_KINDS && findings_judged(context, kind);
}

static int write_down(struct judge *j, uint64_t recording, struct findings *f, uint64_t duration_ns, struct error *e)
{
    struct entered all = {.count = 0};
    int rc = 0;
    for (uint32_t i = 0; !rc && i < f->count; i++)
        rc = enter(&all, f, &f->list[i]);
    if (rc) {
        error_set(e, rc, "out of memory");
    } else {
        struct catalogue_judgement judgement = {.recording = recording,
                                                .duration_ns = duration_ns,
                                                .found = all.list,
                                                .found_count = all.count,
                                                .could_judge = could_judge,
                                                .context = f,
                                                .resolve_s = (int64_t)j->server->limits.resolve_s};
        rc = catalogue_judged(store_catalogue(j->server->store), &judgement, e);
    }
    entered_deinit(&all);
    return rc;
}

static int judge_evidence(struct judge *j, uint64_t recording, const struct evidence *evidence, struct error *e)
{
    struct findings f;
    int rc = findings_init(&f);
    rc = rc ? rc : analyze(&f, evidence);
    rc = rc         ? error_set(e, rc, "out of memory")
         : f.failed ? error_set(e, -ENOMEM, "out of memory")
                    : write_down(j, recording, &f, evidence->duration_ns, e);
    findings_deinit(&f);
    return rc;
}

/* Judges the recording's content. *skip: why it was not judged; SKIPS = it was. */
static int judge_content(struct judge *j, uint64_t recording, const struct envelope *v, enum catalogue_skip *skip, struct error *e)
{
    struct intake in;
    struct recording_evidence *evidence = NULL;
    *skip = SKIP_DAMAGED;
    int rc = intake_open_memory(&in, v->body, v->size, "the recording", e);
    if (rc)
        return rc == -ENOMEM ? rc : 0;
    const char *format = *v->note.format ? v->note.format : formats_recognise(in.bytes, in.size);
    if (!format || strcmp(format, "jfr")) {
        *skip = SKIP_FORMAT;
    } else {
        memset(&j->problems, 0, sizeof j->problems);
        rc = recording_evidence_load_from(&evidence, &in, "the recording", &j->problems, e);
        if (!rc) {
            *skip = SKIPS;
            rc = judge_evidence(j, recording, recording_evidence_get(evidence), e);
        } else if (rc != -ENOMEM) {
            rc = 0;
        }
    }
    recording_evidence_free(evidence);
    intake_close(&in);
    return rc;
}

static int judge_recording(struct judge *j, uint64_t recording, struct error *e)
{
    struct envelope v;
    struct store *store = j->server->store;
    enum catalogue_skip skip;
    int rc = store_recording(store, recording, &v, e);
    if (rc == -ENOENT || rc == -EHOSTUNREACH || rc == -EBADMSG) /* an object that cannot be fetched must not delay the others */
        return catalogue_skip(store_catalogue(store), recording, rc == -EBADMSG ? SKIP_DAMAGED : SKIP_MISSING, e);
    if (rc)
        return rc;
    rc = judge_content(j, recording, &v, &skip, e);
    envelope_close(&v);
    return rc || skip == SKIPS ? rc : catalogue_skip(store_catalogue(store), recording, skip, e);
}

/* ---- the thread ---- */

static uint64_t cpu_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (uint64_t)t.tv_sec * NS_PER_S + (uint64_t)t.tv_nsec;
}

/* Waits, and returns false if the thread is to end. */
static bool rest(struct judge *j, uint64_t ns)
{
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    ns += (uint64_t)until.tv_nsec;
    until.tv_sec += (time_t)(ns / NS_PER_S);
    until.tv_nsec = (long)(ns % NS_PER_S);
    pthread_mutex_lock(&j->lock);
    while (!j->ending && pthread_cond_clockwait(&j->end, &j->lock, CLOCK_MONOTONIC, &until) != ETIMEDOUT)
        ;
    bool go_on = !j->ending;
    pthread_mutex_unlock(&j->lock);
    return go_on;
}

/* Judges one recording, if one waits. One that cannot be judged, for whatever reason, is skipped, so that the others get their turn. *idle:
 * none waits. */
static int look(struct judge *j, bool *idle, struct error *e)
{
    uint64_t recording;
    int rc = catalogue_next_waiting(store_catalogue(j->server->store), &recording, e);
    *idle = rc || !recording;
    if (*idle)
        return rc;
    rc = judge_recording(j, recording, e);
    return rc ? catalogue_skip(store_catalogue(j->server->store), recording, SKIP_DAMAGED, e) : 0;
}

static int skip_late(struct judge *j, uint64_t now_ns, uint64_t *looked_ns, struct error *e)
{
    uint64_t n;
    if (*looked_ns && now_ns - *looked_ns < (uint64_t)LATE_S * NS_PER_S)
        return 0;
    *looked_ns = now_ns;
    int64_t before_ns = (int64_t)clock_realtime_ns() - (int64_t)JUDGE_PATIENCE_S * NS_PER_S;
    return catalogue_skip_late(store_catalogue(j->server->store), before_ns, &n, e);
}

static void *run(void *context)
{
    struct judge *j = context;
    uint64_t late_ns = 0, pause_ns = 0, worked_ns = 0, work_ns = 0; /* when the last look began, and the CPU time since then */
    bool failed = false;
    setpriority(PRIO_PROCESS, (id_t)gettid(), NICE);
    load_crew_alone();
    do {
        struct error e;
        bool idle = false;
        double share = (double)j->server->limits.analyze_ppm / 1e6;
        uint64_t begun_ns = clock_monotonic_ns(), cpu = cpu_ns();
        bool rested = share > 0 && !judge_rest_ns(work_ns, begun_ns - worked_ns, share);
        int rc = skip_late(j, begun_ns, &late_ns, &e);
        if (!rc && rested)
            rc = look(j, &idle, &e);
        if (rc && !failed)
            j->server->stop.tell(e.text);
        failed = rc != 0;
        uint64_t spent_ns = cpu_ns() - cpu;
        counters_analyzed(&j->server->counters, spent_ns);
        worked_ns = rested ? begun_ns : worked_ns;
        work_ns = rested ? spent_ns : work_ns + spent_ns;
        pause_ns = share > 0 ? judge_rest_ns(work_ns, clock_monotonic_ns() - worked_ns, share) : LOOK_NS;
        if (rc || idle || pause_ns > LOOK_NS) /* the share may change meanwhile, and recordings may become late */
            pause_ns = LOOK_NS;
    } while (rest(j, pause_ns));
    return NULL;
}

int judge_start(struct judge **out, struct server *s, struct error *e)
{
    struct judge *j = *out = calloc(1, sizeof *j);
    if (!j)
        return error_set(e, -ENOMEM, "out of memory");
    j->server = s;
    pthread_mutex_init(&j->lock, NULL);
    pthread_cond_init(&j->end, NULL);
    int rc = pthread_create(&j->thread, NULL, run, j);
    j->running = !rc;
    return rc ? error_set(e, -rc, "cannot start a thread: %s", strerror(rc)) : 0;
}

void judge_stop(struct judge *j)
{
    if (!j)
        return;
    pthread_mutex_lock(&j->lock);
    j->ending = true;
    pthread_cond_signal(&j->end);
    pthread_mutex_unlock(&j->lock);
    if (j->running)
        pthread_join(j->thread, NULL);
    pthread_cond_destroy(&j->end);
    pthread_mutex_destroy(&j->lock);
    free(j);
}
