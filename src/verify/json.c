/* The result as JSON (docs/formats/verify-json.md). */
#include "verify/verify.h"

#include "base/json.h"

#include <math.h>

static void put_text(struct json *j, const char *key, const char *text)
{
    json_key(j, key);
    json_text_or_null(j, text);
}

static void put_number(struct json *j, const char *key, double number)
{
    json_key(j, key);
    json_number(j, number);
}

static void put_uint(struct json *j, const char *key, uint64_t number)
{
    json_key(j, key);
    json_uint(j, number);
}

static void put_part(struct json *j, const struct judgement_part *part, const struct judge_pool *pool, uint32_t i)
{
    json_object(j);
    put_text(j, "name", part->part->name);
    put_text(j, "threads", part->part->threads);
    put_text(j, "method", part->part->method);
    put_uint(j, "true_ns", part->part->ns);
    put_number(j, "true_share", part->truth);
    put_number(j, "share", part->share);
    put_number(j, "low", part->interval.low);
    put_number(j, "high", part->interval.high);
    if (pool->rounds > 1) {
        put_number(j, "mean_error", pool->errors[i] / pool->rounds);
        put_number(j, "root_mean_square_error", sqrt(pool->squares[i] / pool->rounds));
        put_number(j, "mean_width", pool->widths[i] / pool->rounds);
    }
    json_object_end(j);
}

static void put_judgement(struct json *j, const struct judgement *judgement, const struct judge_pool *pool)
{
    put_uint(j, "samples", judgement->samples);
    put_number(j, "effective_samples", judgement->effective);
    put_uint(j, "true_cpu_ns", judgement->truth.cpu_ns);
    put_uint(j, "cpu_ns", judgement->cpu_ns);
    json_key(j, "parts");
    json_array(j);
    for (uint32_t i = 0; i < judgement->truth.count; i++)
        put_part(j, &judgement->parts[i], pool, i);
    json_array_end(j);
}

static void put_run(struct json *j, const struct verify_run *run)
{
    json_object(j);
    put_text(j, "case", run->what->name);
    put_text(j, "tool", run->tool->name);
    put_text(j, "verdict", verify_verdict_name(run->verdict));
    put_text(j, "why", run->why);
    if (run->judgement) {
        put_judgement(j, run->judgement, &run->pool);
        put_uint(j, "rounds", run->pool.rounds);
        put_uint(j, "intervals", run->pool.intervals);
        put_uint(j, "intervals_held", run->pool.held);
        put_number(j, "interval_width", judge_pool_width(&run->pool));
    }
    json_object_end(j);
}

void verify_json(FILE *out, const struct verify_result *result)
{
    struct json j;
    json_init(&j, out);
    j.line_depth = 2;
    json_object(&j);
    put_text(&j, "candor", CANDOR_VERSION);
    put_text(&j, "jvm", result->jvm);
    put_uint(&j, "interval_ns", result->plan->setup.interval_ns);
    put_number(&j, "seconds", result->plan->setup.seconds);
    json_key(&j, "good");
    json_bool(&j, verify_is_good(result));
    json_key(&j, "runs");
    json_array(&j);
    for (uint32_t i = 0; i < result->count; i++)
        put_run(&j, &result->runs[i]);
    json_array_end(&j);
    json_object_end(&j);
    json_finish(&j);
}
