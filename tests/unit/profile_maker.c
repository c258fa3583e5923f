#include "profile_maker.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void must(int rc)
{
    if (rc) {
        printf("Bail out! out of memory\n");
        exit(1);
    }
}

uint32_t maker_string(struct profile *p, const char *text)
{
    uint32_t id;
    must(profile_string(p, text, strlen(text), &id));
    return id;
}

void maker_init(struct profile *p)
{
    uint32_t thread;
    must(profile_init(p));
    must(profile_thread(p, maker_string(p, "main"), 4711, 1, &thread));
}

static uint32_t make_frame(struct profile *p, char *text)
{
    uint8_t type = JFR_FRAME_C2;
    int line = 0;
    uint32_t method, frame;
    char *bar = strchr(text, '|');
    if (bar) {
        *bar = 0;
        for (type = 0; type < PROFILE_TYPES && strcmp(profile_type_name(type), text);)
            type++;
        text = bar + 1;
    }
    char *colon = strrchr(text, ':');
    if (colon) {
        *colon = 0;
        line = atoi(colon + 1);
    }
    char *dot = strrchr(text, '.');
    if (dot)
        *dot = 0;
    must(profile_method(p, maker_string(p, dot ? text : ""), maker_string(p, dot ? dot + 1 : text), 0, &method));
    must(profile_frame(p, method, line, 0, type, &frame));
    return frame;
}

uint32_t maker_stack(struct profile *p, const char *frames)
{
    char *copy = strdup(frames), *rest = copy;
    uint32_t stack = 0;
    for (char *one; (one = strsep(&rest, ";"));)
        must(profile_stack(p, stack, make_frame(p, one), &stack));
    free(copy);
    return stack;
}

static void add_sample(struct profile *p, uint32_t thread, const char *frames, uint64_t weight)
{
    struct profile_sample s = {.weight = weight, .thread = thread, .stack = maker_stack(p, frames), .outcome = maker_string(p, "complete")};
    must(profile_add_sample(p, &s));
    p->cpu_samples++;
}

void maker_sample(struct profile *p, const char *frames, uint64_t weight)
{
    add_sample(p, 0, frames, weight);
}

void maker_sample_of(struct profile *p, const char *thread, const char *frames, uint64_t weight)
{
    uint32_t id;
    must(profile_thread(p, maker_string(p, thread), 0, 0, &id));
    add_sample(p, id, frames, weight);
}

void maker_book(struct profile *p, const char *account, const char *reason, int64_t ns, uint64_t count)
{
    struct profile_book line = {maker_string(p, account), maker_string(p, reason), ns, count};
    must(profile_set_book(p, &line));
}

void maker_setting(struct profile *p, const char *name, const char *value)
{
    must(profile_set_setting(p, maker_string(p, name), maker_string(p, value)));
}
