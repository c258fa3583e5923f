#include "format/import.h"

#include "base/array.h"
#include "base/time_units.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

int import_bad(const struct import *in, const char *format, ...)
{
    char text[400];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return error_set(in->error, -EINVAL, "%s: %s", in->name, text);
}

/* ---- names ---- */

/* Whether the character may be in a Java name, or is one of `signs`. */
static bool is_word(unsigned char c, const char *signs)
{
    return isalnum(c) || c == '_' || c == '$' || c >= 0x80 || (c && strchr(signs, c));
}

/* Whether the suffix after a dot is one that compilers add to the name of a part, or a copy, of a function. */
static bool is_clone(const char *suffix, size_t len)
{
    static const char *const words[] = {"cold", "part", "isra", "constprop", "lto_priv", "localalias", "so"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strlen(words[i]) == len && !memcmp(words[i], suffix, len))
            return true;
    return len && isdigit((unsigned char)*suffix);
}

/* Returns where the method's name begins in a name that looks like Java's, else 0. A class has dots or slashes between its parts. A
 * hidden class has a number after '/', '+' or '.', or the * of its stable name. A method may be <init> or <clinit>, and Kotlin's methods
 * may contain a '-'. */
static size_t method_at(const char *name, size_t len)
{
    size_t dot = len;
    while (dot && name[dot - 1] != '.')
        dot--;
    if (dot < 2 || dot == len || !is_word((unsigned char)name[0], ""))
        return 0;
    for (size_t i = 0; i < dot - 1; i++)
        if (!is_word((unsigned char)name[i], "./+-*"))
            return 0;
    for (size_t i = dot; i < len; i++)
        if (!is_word((unsigned char)name[i], "<>-"))
            return 0;
    return is_clone(name + dot, len - dot) ? 0 : dot;
}

/* Converts slashes to dots, except a slash before a number: "a/b/C$$Lambda/0x1f" becomes "a.b.C$$Lambda/0x1f". */
static int class_string(struct profile *p, const char *name, size_t len, uint32_t *id)
{
    char *copy = strndup(name, len);
    if (!copy)
        return -ENOMEM;
    for (size_t i = 0; i + 1 < len; i++)
        if (copy[i] == '/' && !isdigit((unsigned char)copy[i + 1]))
            copy[i] = '.';
    int rc = profile_string(p, copy, len, id);
    free(copy);
    return rc;
}

int import_frame(struct profile *p, const char *name, size_t len, int32_t line, uint8_t type, uint32_t *frame)
{
    static const char truncated[] = "[truncated]";
    uint32_t class_name = 0, method_name, method;
    if (len == sizeof truncated - 1 && !memcmp(name, truncated, len))
        return profile_truncation_frame(p, frame);
    size_t at = method_at(name, len);
    if (at && type == PROFILE_TYPE_OTHER)
        type = JFR_FRAME_JAVA;
    if ((at && class_string(p, name, at - 1, &class_name)) || profile_string(p, name + at, len - at, &method_name) ||
        profile_method(p, class_name, method_name, 0, &method))
        return -ENOMEM;
    return profile_frame(p, method, line > 0 ? line : 0, 0, type, frame);
}

/* ---- stacks ---- */

int import_stack_add(struct import_stack *s, uint32_t frame)
{
    if (ARRAY_GROW(s->frames, s->cap, s->count))
        return -ENOMEM;
    s->frames[s->count++] = frame;
    return 0;
}

uint32_t import_stack_most(const struct import_stack *s)
{
    return s->most && s->most < PROFILE_DEPTH_MAX ? s->most : PROFILE_DEPTH_MAX;
}

int import_stack_take(struct import_stack *s, struct profile *p, bool leaf_first, uint32_t *stack, bool *truncated)
{
    uint32_t left = s->count, most = import_stack_most(s), mark;
    *stack = 0;
    *truncated = false;
    if (left > most) {
        left = most - 1;
        if (profile_truncation_frame(p, &mark) || profile_stack(p, 0, mark, stack))
            return -ENOMEM;
    }
    while (left) {
        left--;
        if (profile_stack(p, *stack, s->frames[leaf_first ? left : s->count - 1 - left], stack))
            return -ENOMEM;
    }
    uint32_t root = *stack;
    while (root && p->nodes[root].parent)
        root = p->nodes[root].parent;
    *truncated = root && p->frames[p->nodes[root].frame].type == PROFILE_TYPE_MARK;
    s->count = 0;
    return 0;
}

void import_stack_deinit(struct import_stack *s)
{
    free(s->frames);
    *s = (struct import_stack){0};
}

/* ---- weights ---- */

int import_unit(struct profile *p, const char *value, const char *unit, uint64_t *scale)
{
    static const struct {
        const char *word;
        enum profile_unit unit;
        uint64_t scale;
    } units[] = {
        {"nanoseconds", PROFILE_UNIT_NS, 1},
        {"ns", PROFILE_UNIT_NS, 1},
        {"microseconds", PROFILE_UNIT_NS, NS_PER_US},
        {"us", PROFILE_UNIT_NS, NS_PER_US},
        {"milliseconds", PROFILE_UNIT_NS, NS_PER_MS},
        {"ms", PROFILE_UNIT_NS, NS_PER_MS},
        {"seconds", PROFILE_UNIT_NS, NS_PER_S},
        {"s", PROFILE_UNIT_NS, NS_PER_S},
        {"bytes", PROFILE_UNIT_BYTES, 1},
        {"kilobytes", PROFILE_UNIT_BYTES, 1 << 10},
        {"megabytes", PROFILE_UNIT_BYTES, 1 << 20},
        {"samples", PROFILE_UNIT_SAMPLES, 1},
    };
    *scale = 1;
    p->unit = PROFILE_UNIT_OTHER;
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (!strcmp(unit, units[i].word)) {
            p->unit = units[i].unit;
            *scale = units[i].scale;
        }
    if (!strcmp(value, "samples") && (!strcmp(unit, "count") || !*unit))
        p->unit = PROFILE_UNIT_SAMPLES;
    const char *word = *unit ? unit : "units";
    if (profile_string(p, value, strlen(value), &p->value) || profile_string(p, word, strlen(word), &p->unit_name))
        return -ENOMEM;
    return 0;
}

uint64_t import_weight(int64_t number, uint64_t scale)
{
    uint64_t weight;
    return number < 0 || __builtin_mul_overflow((uint64_t)number, scale, &weight) ? UINT64_MAX : weight;
}

int import_sample(struct profile *p, struct profile_sample *s, bool truncated, uint64_t *refused)
{
    const char *outcome = truncated ? "truncated" : "complete";
    if (!s->weight)
        return 0;
    if (!s->outcome && profile_string(p, outcome, strlen(outcome), &s->outcome))
        return -ENOMEM;
    int rc = profile_add_sample(p, s);
    *refused += rc == -ERANGE;
    return rc == -ERANGE ? 0 : rc;
}

int import_refused(struct profile *p, uint64_t refused)
{
    if (!refused)
        return 0;
    return profile_add_problem(p, "warning", "%llu samples left out: their weights are impossible", (unsigned long long)refused);
}

/* ---- placeholders ---- */

int import_no_thread(struct profile *p, uint32_t *thread)
{
    static const char unknown[] = "[unknown]";
    uint32_t name;
    return profile_string(p, unknown, sizeof unknown - 1, &name) || profile_thread(p, name, 0, 0, thread) ? -ENOMEM : 0;
}

int import_no_stack(struct profile *p, uint32_t *stack)
{
    static const char reason[] = "no stack";
    uint32_t class_name, method, frame;
    if (profile_string(p, reason, sizeof reason - 1, &class_name) || profile_method(p, class_name, 0, 0, &method) ||
        profile_frame(p, method, 0, 0, JFR_FRAME_FAILED, &frame))
        return -ENOMEM;
    return profile_stack(p, 0, frame, stack);
}

uint8_t import_state(const char *word, size_t len)
{
    for (uint8_t i = 0; i < JFR_STATES; i++)
        if (strlen(jfr_thread_state_names[i]) == len && !memcmp(jfr_thread_state_names[i], word, len))
            return i;
    return JFR_STATE_UNKNOWN;
}
