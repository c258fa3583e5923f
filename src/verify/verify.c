#include "verify/verify.h"

#include "profile/load/load_jfr.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool shows_kernel(const struct profile *p)
{
    const char *kernel = profile_setting(p, "kernel");
    return kernel && !strcmp(kernel, "included");
}

/* Judges all rounds. The first one is the run's own judgement. */
static int pool_rounds(struct verify_run *run, const struct profile *p, const struct truth *truths, uint32_t rounds)
{
    struct judgement *j = malloc(sizeof *j);
    int rc = j ? 0 : -ENOMEM;
    judge_pool_add(&run->pool, run->judgement);
    for (uint32_t i = 1; i < rounds && !rc; i++) {
        rc = judge(j, &truths[i], p);
        if (!rc)
            judge_pool_add(&run->pool, j);
    }
    free(j);
    return rc;
}

static int judge_profile(struct verify_run *run, const struct profile *p, const struct truth *truths, uint32_t rounds, char *jvm,
                         size_t size)
{
    if (!*jvm && p->jvm_version)
        snprintf(jvm, size, "%s", profile_text(p, p->jvm_version));
    if (run->what->needs & VERIFY_KERNEL && tool_counts_cpu(run->tool) && !shows_kernel(p)) {
        run->verdict = VERIFY_SKIPPED;
        snprintf(run->why, sizeof run->why, "this user may not sample the kernel; 'candor doctor' shows the remedy");
        return 0;
    }
    int rc = judge(run->judgement, truths, p);
    if (!rc && !run->judgement->samples) {
        run->verdict = VERIFY_FAILED;
        snprintf(run->why, sizeof run->why, "no samples of the program's threads");
        return 0;
    }
    if (!rc)
        rc = pool_rounds(run, p, truths, rounds);
    bool is_right = !rc && judge_worst(run->judgement)->off <= JUDGE_TOLERANCE && verify_cpu_off(run) == 0;
    run->verdict = is_right ? VERIFY_TRUE : VERIFY_WRONG;
    return rc;
}

static int judge_recording(struct verify_run *run, const char *recording, const struct truth *truths, uint32_t rounds, char *jvm,
                           size_t size)
{
    struct profile p;
    struct error e;
    if (profile_init(&p))
        return -ENOMEM;
    int rc = profile_load_jfr(&p, recording, &e);
    if (rc) {
        run->verdict = VERIFY_FAILED;
        snprintf(run->why, sizeof run->why, "%s", e.text);
        rc = rc == -ENOMEM ? rc : 0;
    } else {
        rc = judge_profile(run, &p, truths, rounds, jvm, size);
    }
    profile_deinit(&p);
    return rc;
}

static int run_once(struct verify_run *run, const struct verify_plan *plan, char *jvm, size_t size)
{
    struct truth *truths = calloc(plan->setup.rounds, sizeof *truths);
    struct error e;
    char recording[PATH_MAX];
    int rc = truths ? trial_run(&plan->setup, run->what, run->tool, truths, recording, &e) : -ENOMEM;
    if (!rc) {
        rc = judge_recording(run, recording, truths, plan->setup.rounds, jvm, size);
        unlink(recording);
    } else if (rc != -EINTR && rc != -ENOMEM) {
        run->verdict = rc == 1 ? VERIFY_SKIPPED : VERIFY_FAILED;
        snprintf(run->why, sizeof run->why, "%s", e.text);
        rc = 0;
    }
    free(truths);
    return rc;
}

/* Whether two runs are wrong at the same place, which is unlikely by chance. The errors may have different signs, because a clock in
 * step with the work errs in both directions. */
static bool is_same_error(const struct verify_run *first, const struct verify_run *second)
{
    const struct judgement *a = first->judgement, *b = second->judgement;
    bool same = verify_cpu_off(first) > 0 && verify_cpu_off(second) > 0;
    for (uint32_t i = 0; i < a->truth.count && i < b->truth.count; i++)
        same |= a->parts[i].off > JUDGE_TOLERANCE && b->parts[i].off > JUDGE_TOLERANCE;
    return same;
}

static void forget(struct verify_run *run)
{
    free(run->judgement);
    run->judgement = NULL;
}

/* Repeats a run that looks wrong. */
static int run_again(struct verify_run *run, const struct verify_plan *plan, char *jvm, size_t size)
{
    struct verify_run first = *run;
    run->judgement = calloc(1, sizeof *run->judgement);
    run->pool = (struct judge_pool){0};
    int rc = run->judgement ? run_once(run, plan, jvm, size) : -ENOMEM;
    if (!rc && run->verdict == VERIFY_WRONG && !is_same_error(&first, run)) {
        run->verdict = VERIFY_TRUE;
        snprintf(run->why, sizeof run->why, "wrong twice, but for different values");
    }
    forget(&first);
    return rc;
}

static int run_case(struct verify_run *run, const struct verify_plan *plan, char *jvm, size_t size)
{
    run->judgement = calloc(1, sizeof *run->judgement);
    int rc = run->judgement ? run_once(run, plan, jvm, size) : -ENOMEM;
    if (!rc && run->verdict == VERIFY_WRONG)
        rc = run_again(run, plan, jvm, size);
    if (rc || run->verdict == VERIFY_FAILED || run->verdict == VERIFY_SKIPPED)
        forget(run);
    return rc;
}

int verify_all(struct verify_result *result, const struct verify_plan *plan, bool (*interrupted)(void))
{
    uint32_t all = plan->case_count * plan->tool_count;
    *result = (struct verify_result){.plan = plan, .runs = calloc(all + 1, sizeof *result->runs)};
    if (!result->runs)
        return -ENOMEM;
    for (uint32_t i = 0; i < all; i++) {
        struct verify_run *run = &result->runs[i];
        run->what = plan->cases[i / plan->tool_count];
        run->tool = &plan->tools[i % plan->tool_count];
        plan->begins(run, i + 1, all);
        int rc = interrupted() ? -EINTR : run_case(run, plan, result->jvm, sizeof result->jvm);
        if (rc)
            return rc;
        result->count++;
        plan->ended(run);
    }
    return 0;
}

void verify_free(struct verify_result *result)
{
    for (uint32_t i = 0; i < result->count; i++)
        free(result->runs[i].judgement);
    free(result->runs);
    *result = (struct verify_result){0};
}

uint32_t verify_count(const struct verify_result *result, const struct tool *tool, enum verify_verdict verdict)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < result->count; i++)
        count += (!tool || result->runs[i].tool == tool) && result->runs[i].verdict == verdict;
    return count;
}

bool verify_is_good(const struct verify_result *result)
{
    bool bad = false, shown = false;
    for (uint32_t i = 0; i < result->count; i++) {
        const struct verify_run *run = &result->runs[i];
        bool is_ours = run->tool->kind == TOOL_CANDOR;
        bad |= is_ours && (run->verdict == VERIFY_WRONG || run->verdict == VERIFY_FAILED);
        shown |= run->verdict == VERIFY_TRUE || (!is_ours && run->verdict == VERIFY_WRONG);
    }
    return shown && !bad;
}

double verify_cpu_off(const struct verify_run *run)
{
    return tool_counts_cpu(run->tool) ? judge_cpu_off(run->judgement) : 0;
}

const char *verify_verdict_name(enum verify_verdict verdict)
{
    static const char *const names[VERIFY_VERDICTS] = {"true", "wrong", "failed", "skipped"};
    return names[verdict];
}

char *verify_part_name(const struct truth_part *part, char *out, size_t size)
{
    static const char package[] = "verify.", all[] = "verify-";
    const char *method = part->method;
    if (!strncmp(method, package, strlen(package)))
        method += strlen(package);
    bool some = strcmp(part->threads, all) != 0;
    snprintf(out, size, "%s%s%s", some ? part->threads : "", some && *method ? "* " : some ? "*" : "", method);
    return out;
}
