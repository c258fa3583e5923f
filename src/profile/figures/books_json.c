#include "profile/figures/books_json.h"

#include <stdlib.h>
#include <string.h>

static int64_t book_ns(const struct profile *p, const char *account)
{
    const struct profile_book *line = profile_book(p, account, "");
    return line ? line->ns : 0;
}

static void put_ns(struct jsonw *j, const struct profile *p, const char *key, const char *account)
{
    jsonw_key(j, key);
    jsonw_int(j, book_ns(p, account));
}

static void put_count(struct jsonw *j, const struct profile *p, const char *account)
{
    const struct profile_book *line = profile_book(p, account, "");
    jsonw_key(j, account);
    jsonw_uint(j, line ? line->count : 0);
}

static bool is_line_of(const struct profile *p, const struct profile_book *line, const char *account)
{
    return !strcmp(profile_text(p, line->account), account) && line->reason;
}

static void put_reasons_ns(struct jsonw *j, const struct profile *p, const char *key, const char *account)
{
    jsonw_key(j, key);
    jsonw_object(j);
    for (uint32_t i = 0; i < p->book_count; i++)
        if (is_line_of(p, &p->books[i], account)) {
            jsonw_key(j, profile_text(p, p->books[i].reason));
            jsonw_int(j, p->books[i].ns);
        }
    jsonw_object_end(j);
}

static void put_reasons_count(struct jsonw *j, const struct profile *p, const char *account)
{
    jsonw_key(j, account);
    jsonw_object(j);
    for (uint32_t i = 0; i < p->book_count; i++)
        if (is_line_of(p, &p->books[i], account)) {
            jsonw_key(j, profile_text(p, p->books[i].reason));
            jsonw_uint(j, p->books[i].count);
        }
    jsonw_object_end(j);
}

void books_json(struct jsonw *j, const struct profile *p)
{
    bool are_others = (profile_book(p, "thread_time", "") || profile_book(p, "wall_time", "") || profile_book(p, "alloc_bytes", "") ||
                       profile_book(p, "lock_time", "monitor") || profile_book(p, "halt_gc", "") || profile_book(p, "events", "")) &&
                      !profile_book(p, "cpu", "");
    if (!p->book_count || are_others) {
        jsonw_null(j);
        return;
    }
    const char *clock = profile_setting(p, "clock"), *resolution = profile_setting(p, "clock_resolution_ns");
    jsonw_object(j);
    put_ns(j, p, "cpu_ns", "cpu");
    put_ns(j, p, "complete_ns", "complete");
    put_ns(j, p, "truncated_ns", "truncated");
    put_reasons_ns(j, p, "failed_ns", "failed");
    put_reasons_ns(j, p, "lost_ns", "lost");
    put_reasons_ns(j, p, "unseen_ns", "unseen");
    put_ns(j, p, "residual_ns", "residual");
    put_ns(j, p, "own_cost_ns", "own_cost");
    put_reasons_ns(j, p, "suppressed_ns", "suppressed");
    put_count(j, p, "complete");
    put_count(j, p, "truncated");
    put_reasons_count(j, p, "failed");
    put_reasons_count(j, p, "lost");
    put_reasons_count(j, p, "suppressed");
    put_reasons_count(j, p, "context_lost");
    put_count(j, p, "switches");
    jsonw_key(j, "clock");
    jsonw_text(j, clock ? clock : "");
    jsonw_member_uint(j, "clock_resolution_ns", resolution ? strtoull(resolution, NULL, 10) : 0);
    jsonw_object_end(j);
}

void books_json_thread_time(struct jsonw *j, const struct profile *p)
{
    const struct profile_book *stopped = profile_book(p, "stopped", "");
    if (!profile_book(p, "thread_time", "")) {
        jsonw_null(j);
        return;
    }
    jsonw_object(j);
    put_ns(j, p, "thread_time_ns", "thread_time");
    put_reasons_ns(j, p, "running_ns", "running");
    put_reasons_ns(j, p, "waiting_ns", "waiting");
    put_reasons_ns(j, p, "failed_ns", "failed");
    put_reasons_ns(j, p, "lost_ns", "lost");
    put_ns(j, p, "stopped_ns", "stopped");
    put_ns(j, p, "own_cost_ns", "own_cost");
    jsonw_member_uint(j, "rounds", stopped ? stopped->count : 0);
    put_reasons_count(j, p, "running");
    put_reasons_count(j, p, "waiting");
    put_reasons_count(j, p, "failed");
    put_reasons_count(j, p, "lost");
    put_count(j, p, "not_chosen");
    jsonw_object_end(j);
}

void books_json_allocations(struct jsonw *j, const struct profile *p)
{
    const struct profile_book *taken = profile_book(p, "alloc_bytes", "");
    if (!taken) {
        jsonw_null(j);
        return;
    }
    jsonw_object(j);
    put_ns(j, p, "sampled_bytes", "alloc_bytes");
    put_reasons_ns(j, p, "lost_bytes", "alloc_lost_bytes");
    put_ns(j, p, "counted_bytes", "alloc_counted_bytes");
    put_ns(j, p, "weighed_bytes", "alloc_weighed_bytes");
    put_ns(j, p, "longest_interval_bytes", "alloc_longest_interval");
    jsonw_member_uint(j, "samples", taken->count);
    jsonw_key(j, "lost");
    jsonw_object(j);
    for (uint32_t i = 0; i < p->book_count; i++)
        if (is_line_of(p, &p->books[i], "alloc_lost_bytes"))
            jsonw_member_uint(j, profile_text(p, p->books[i].reason), p->books[i].count);
    jsonw_object_end(j);
    jsonw_object_end(j);
}

static void put_number_of(struct jsonw *j, const struct profile *p, const char *key, const char *account)
{
    const struct profile_book *book = profile_book(p, account, "");
    jsonw_key(j, key);
    if (book)
        jsonw_uint(j, book->count);
    else
        jsonw_null(j);
}

void books_json_halts(struct jsonw *j, const struct profile *p)
{
    if (!profile_book(p, "halt_gc", "")) {
        jsonw_null(j);
        return;
    }
    jsonw_object(j);
    put_ns(j, p, "gc_ns", "halt_gc");
    put_number_of(j, p, "gc", "halt_gc");
    put_reasons_ns(j, p, "lost_ns", "halt_lost");
    jsonw_key(j, "lost");
    jsonw_object(j);
    for (uint32_t i = 0; i < p->book_count; i++)
        if (is_line_of(p, &p->books[i], "halt_lost"))
            jsonw_member_uint(j, profile_text(p, p->books[i].reason), p->books[i].count);
    jsonw_object_end(j);
    put_number_of(j, p, "gc_counted", "halt_gc_counted");
    put_number_of(j, p, "safepoints", "halt_safepoints");
    put_ns(j, p, "safepoints_ns", "halt_safepoints");
    put_ns(j, p, "synchronizing_ns", "halt_synchronizing");
    jsonw_object_end(j);
}

void books_json_wall(struct jsonw *j, const struct profile *p)
{
    const struct profile_book *rounds = profile_book(p, "wall_rounds", ""), *guessed = profile_book(p, "wall_guessed", "");
    if (!profile_book(p, "wall_time", "")) {
        jsonw_null(j);
        return;
    }
    jsonw_object(j);
    put_ns(j, p, "wall_ns", "wall_time");
    put_reasons_ns(j, p, "running_ns", "wall_running");
    put_reasons_ns(j, p, "waiting_ns", "wall_waiting");
    put_reasons_ns(j, p, "failed_ns", "wall_failed");
    put_reasons_ns(j, p, "lost_ns", "wall_lost");
    put_ns(j, p, "pending_ns", "wall_pending");
    put_reasons_ns(j, p, "unseen_ns", "wall_unseen");
    put_ns(j, p, "residual_ns", "wall_residual");
    put_ns(j, p, "guessed_ns", "wall_guessed");
    put_ns(j, p, "own_cost_ns", "wall_own_cost");
    jsonw_member_uint(j, "rounds", rounds ? rounds->count : 0);
    jsonw_key(j, "longest_round_ns");
    jsonw_int(j, rounds ? rounds->ns : 0);
    jsonw_member_uint(j, "guessed", guessed ? guessed->count : 0);
    put_reasons_count(j, p, "wall_running");
    put_reasons_count(j, p, "wall_waiting");
    put_reasons_count(j, p, "wall_failed");
    put_reasons_count(j, p, "wall_lost");
    put_reasons_count(j, p, "wall_looks");
    put_count(j, p, "wall_not_chosen");
    jsonw_object_end(j);
}

void books_json_locks(struct jsonw *j, const struct profile *p)
{
    const struct profile_book *open = profile_book(p, "lock_open", "");
    if (!profile_book(p, "lock_time", "monitor")) {
        jsonw_null(j);
        return;
    }
    jsonw_object(j);
    put_reasons_ns(j, p, "waited_ns", "lock_time");
    put_ns(j, p, "whole_ns", "lock_whole");
    put_ns(j, p, "drawn_ns", "lock_drawn");
    put_reasons_ns(j, p, "lost_ns", "lock_lost");
    put_ns(j, p, "residual_ns", "lock_residual");
    put_ns(j, p, "open_ns", "lock_open");
    put_reasons_ns(j, p, "thresholds_ns", "lock_threshold");
    put_ns(j, p, "holders_ns", "lock_holders");
    put_reasons_count(j, p, "lock_time");
    put_count(j, p, "lock_holders");
    put_count(j, p, "lock_whole");
    put_count(j, p, "lock_drawn");
    put_reasons_count(j, p, "lock_lost");
    jsonw_member_uint(j, "lock_open", open ? open->count : 0);
    jsonw_object_end(j);
}

void books_json_events(struct jsonw *j, const struct profile *p)
{
    const struct profile_book *complete = profile_book(p, "events_complete", ""), *truncated = profile_book(p, "events_truncated", "");
    const char *event = profile_setting(p, "event"), *interval = profile_setting(p, "event_interval");
    if (!profile_book(p, "events", "")) {
        jsonw_null(j);
        return;
    }
    jsonw_object(j);
    jsonw_member_text(j, "event", event ? event : "");
    jsonw_member_uint(j, "interval", interval ? strtoull(interval, NULL, 10) : 0);
    put_ns(j, p, "counted_events", "events");
    put_ns(j, p, "complete_events", "events_complete");
    put_ns(j, p, "truncated_events", "events_truncated");
    put_reasons_ns(j, p, "failed_events", "events_failed");
    put_reasons_ns(j, p, "lost_events", "events_lost");
    put_ns(j, p, "residual_events", "events_residual");
    put_ns(j, p, "unscaled_events", "events_unscaled");
    put_ns(j, p, "enabled_ns", "events_enabled_time");
    put_ns(j, p, "running_ns", "events_running_time");
    put_ns(j, p, "own_cost_ns", "own_cost");
    jsonw_member_uint(j, "complete", complete ? complete->count : 0);
    jsonw_member_uint(j, "truncated", truncated ? truncated->count : 0);
    put_reasons_count(j, p, "events_failed");
    put_reasons_count(j, p, "events_lost");
    jsonw_object_end(j);
}

void books_json_healing(struct jsonw *j, const struct profile *p)
{
    const struct profile_book *pauses = profile_book(p, "heal_pauses", "");
    if (!pauses) {
        jsonw_null(j);
        return;
    }
    jsonw_object(j);
    put_number_of(j, p, "methods", "heal_methods");
    put_number_of(j, p, "steps", "heal_pauses");
    put_ns(j, p, "paused_ns", "heal_pauses");
    put_ns(j, p, "compilers_ns", "heal_cpu");
    put_reasons_ns(j, p, "kept_ns", "heal_kept");
    put_reasons_count(j, p, "heal_kept");
    put_ns(j, p, "left_ns", "heal_left");
    put_ns(j, p, "left_of_ns", "heal_left_of");
    jsonw_object_end(j);
}
