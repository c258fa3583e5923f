/* Writes the result as JSON (docs/formats/verify-json.md). */
#include "verify/verify.h"

#include "base/text/jsonw.h"

#include <math.h>

static void put_part(struct jsonw *j, const struct judgement_part *part, const struct judge_pool *pool, uint32_t i)
{
    jsonw_object(j);
    jsonw_member_text_or_null(j, "name", part->part->name);
    jsonw_member_text_or_null(j, "threads", part->part->threads);
    jsonw_member_text_or_null(j, "method", part->part->method);
    jsonw_member_uint(j, "true_ns", part->part->ns);
    jsonw_member_number(j, "true_share", part->truth);
    jsonw_member_number(j, "share", part->share);
    jsonw_member_number(j, "low", part->interval.low);
    jsonw_member_number(j, "high", part->interval.high);
    if (pool->rounds > 1) {
        jsonw_member_number(j, "mean_error", pool->errors[i] / pool->rounds);
        jsonw_member_number(j, "root_mean_square_error", sqrt(pool->squares[i] / pool->rounds));
        jsonw_member_number(j, "mean_width", pool->widths[i] / pool->rounds);
    }
    jsonw_object_end(j);
}

static void put_judgement(struct jsonw *j, const struct judgement *judgement, const struct judge_pool *pool)
{
    jsonw_member_uint(j, "samples", judgement->samples);
    jsonw_member_number(j, "effective_samples", judgement->effective);
    jsonw_member_uint(j, "true_cpu_ns", judgement->truth.cpu_ns);
    jsonw_member_uint(j, "cpu_ns", judgement->cpu_ns);
    jsonw_member_uint(j, "hidden_ns", judgement->hidden_ns);
    jsonw_key(j, "parts");
    jsonw_array(j);
    for (uint32_t i = 0; i < judgement->truth.count; i++)
        put_part(j, &judgement->parts[i], pool, i);
    jsonw_array_end(j);
}

static void put_run(struct jsonw *j, const struct verify_run *run)
{
    jsonw_object(j);
    jsonw_member_text_or_null(j, "case", run->what->name);
    jsonw_member_text_or_null(j, "tool", run->tool->name);
    jsonw_member_text_or_null(j, "verdict", verify_verdict_name(run->verdict));
    jsonw_member_text_or_null(j, "why", run->why);
    if (run->judgement) {
        put_judgement(j, run->judgement, &run->pool);
        jsonw_member_uint(j, "rounds", run->pool.rounds);
        jsonw_member_uint(j, "intervals", run->pool.intervals);
        jsonw_member_uint(j, "intervals_held", run->pool.held);
        jsonw_member_number(j, "interval_width", judge_pool_width(&run->pool));
    }
    jsonw_object_end(j);
}

void verify_json(FILE *out, const struct verify_result *result)
{
    struct jsonw j;
    jsonw_init(&j, out);
    j.line_depth = 2;
    jsonw_object(&j);
    jsonw_member_text_or_null(&j, "candor", CANDOR_VERSION);
    jsonw_member_text_or_null(&j, "jvm", result->jvm);
    jsonw_member_uint(&j, "interval_ns", result->plan->setup.interval_ns);
    jsonw_member_number(&j, "seconds", result->plan->setup.seconds);
    jsonw_key(&j, "good");
    jsonw_bool(&j, verify_is_good(result));
    jsonw_key(&j, "runs");
    jsonw_array(&j);
    for (uint32_t i = 0; i < result->count; i++)
        put_run(&j, &result->runs[i]);
    jsonw_array_end(&j);
    jsonw_object_end(&j);
    jsonw_finish(&j);
}
