/* Makes a recording from a script on standard input, for tests that need a recording with known contents.
 *
 *     make_recording OUT.jfr < script
 *
 * One command per line, with tabs between words:
 *
 *     setting NAME VALUE                log LEVEL MESSAGE            jvm VERSION ARGUMENTS PID
 *     book ACCOUNT REASON NS COUNT      (REASON may be empty)
 *     thread NAME OS_ID JAVA_ID         threads have the numbers 1, 2, ... in this order
 *     sample THREAD WEIGHT_NS OUTCOME STACK
 *     safepoint THREAD WEIGHT_NS OUTCOME STATE STACK       STATE: a word of jfr_thread_state_names
 *     wall THREAD WEIGHT_NS OUTCOME STATE EVIDENCE STACK
 *     monitor|park THREAD WEIGHT_NS CLASS ADDRESS OWNER GOES_ON STACK      OWNER: a thread's number, or 0; GOES_ON: 1 = not finished
 *     holder THREAD WEIGHT_NS CLASS STACK
 *     alloc THREAD BYTES CLASS STACK
 *     execution THREAD STACK
 *     pause NS NAME CAUSE               a GC pause, as the agent records it
 *     counted WHILE_NS COUNT STOPPED_NS SYNCHRONIZING_NS
 *     cpu THREAD NS SAMPLES
 *     context ENDPOINT TRACE SPAN ROOT [LABEL [LABEL]]     for the samples after this line; LABEL: KEY=VALUE; without words: no context
 *     flush | rotate
 *     at MS                             sets the time of the next command, from the beginning; each command then takes 1 ms
 *
 * STACK is "FRAME;FRAME;...", root first. FRAME is "[TYPE|]CLASS.METHOD[:LINE]"; TYPE is one of the words of jfr_frame_type_names
 * (default "JIT compiled"). A STACK that begins with "...;" is truncated; "-" means no stack. */
#include "base/strtab.h"
#include "base/time_units.h"
#include "jfr/write/writer.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SLOTS = 1 << 16, WORDS = 8, CONTEXTS = 1 << 12 };

static struct strtab symbols, stacks;
static struct jfr_method methods[SLOTS];
static struct jfr_thread threads[SLOTS];
static uint32_t method_count = 1, thread_count = 1;
static struct jfr_context contexts[CONTEXTS]; /* 0: none */
static uint32_t context_count = 1, context_now;

static void fail(const char *what, const char *text)
{
    fprintf(stderr, "make_recording: %s: %s\n", what, text);
    exit(2);
}

static uint32_t method_id(uint32_t class_name, uint32_t name)
{
    uint32_t id = 1;
    while (id < method_count && (methods[id].class_name != class_name || methods[id].name != name))
        id++;
    if (id == SLOTS)
        fail("too many methods", "");
    if (id == method_count)
        methods[method_count++] = (struct jfr_method){class_name, name, strtab_add_text(&symbols, "()V")};
    return id;
}

static struct jfr_frame parse_frame(char *text)
{
    struct jfr_frame f = {.type = JFR_FRAME_C2};
    char *bar = strchr(text, '|');
    if (bar) {
        *bar = 0;
        for (f.type = 0; f.type < JFR_FRAME_TYPES && strcmp(jfr_frame_type_names[f.type], text);)
            f.type++;
        text = bar + 1;
    }
    char *colon = strrchr(text, ':');
    if (colon && colon[1] >= '0' && colon[1] <= '9') {
        f.line = atoi(colon + 1);
        *colon = 0;
    }
    char *dot = f.type == JFR_FRAME_FAILED ? strchr(text, '.') : strrchr(text, '.');
    uint32_t class_name = dot ? strtab_add(&symbols, text, (size_t)(dot - text)) : 0;
    f.method = method_id(class_name, strtab_add_text(&symbols, dot ? dot + 1 : text));
    return f;
}

static size_t answer_stack(void *context, uint32_t id, struct jfr_frame *frames, size_t max, bool *truncated)
{
    char *text = strdup(strtab_text(&stacks, id)), *rest = text;
    size_t n = 0;
    *truncated = !strncmp(text, "...;", 4);
    if (*truncated)
        rest += 4;
    for (char *one; (one = strsep(&rest, ";")) && n < max; n++) {
        memmove(frames + 1, frames, n * sizeof *frames);
        frames[0] = parse_frame(one);
    }
    free(text);
    return n;
}

static void answer_method(void *context, uint32_t id, struct jfr_method *method)
{
    *method = methods[id];
}

static void answer_thread(void *context, uint32_t id, struct jfr_thread *thread)
{
    *thread = threads[id];
}

static const char *answer_symbol(void *context, uint32_t id, size_t *len)
{
    *len = strtab_len(&symbols, id);
    return strtab_text(&symbols, id);
}

static void answer_context(void *context, uint32_t id, struct jfr_context *out)
{
    *out = contexts[id];
}

static void set_context(char **w)
{
    context_now = 0;
    if (!w[1][0] && !w[2][0])
        return;
    if (context_count == CONTEXTS)
        fail("too many contexts", "");
    struct jfr_context *c = &contexts[context_count];
    c->endpoint = strtab_add_text(&symbols, w[1]);
    snprintf(c->trace_id, sizeof c->trace_id, "%s", w[2]);
    snprintf(c->span_id, sizeof c->span_id, "%s", w[3]);
    snprintf(c->root_span_id, sizeof c->root_span_id, "%s", w[4]);
    for (int i = 5; i < WORDS && w[i][0]; i++)
        c->labels[c->label_count++] = strtab_add_text(&symbols, w[i]);
    context_now = context_count++;
}

static uint32_t stack_id(const char *text)
{
    return strcmp(text, "-") ? strtab_add_text(&stacks, text) : 0;
}

static uint64_t number(const char *text)
{
    return strtoull(text, NULL, 10);
}

static enum jfr_thread_state state_of(const char *word)
{
    int state = 0;
    while (state < JFR_STATES && strcmp(jfr_thread_state_names[state], word))
        state++;
    return (enum jfr_thread_state)state;
}

static void add_thread(char **w)
{
    struct jfr_name name = {strdup(w[1]), strlen(w[1])}; /* until the program ends */
    uint64_t java_id = number(w[3]);
    threads[thread_count++ % SLOTS] =
        (struct jfr_thread){.java_name = java_id ? name : (struct jfr_name){0}, .os_name = name, .os_id = number(w[2]), .java_id = java_id};
}

static struct jfr_lock_wait lock_wait(char **words, uint64_t ticks)
{
    return (struct jfr_lock_wait){.ticks = ticks,
                                  .duration_ticks = number(words[2]),
                                  .thread = (uint32_t)number(words[1]),
                                  .weight_ns = number(words[2]),
                                  .class_name = strtab_add_text(&symbols, words[3]),
                                  .has_class = true,
                                  .address = number(words[4]),
                                  .owner = (uint32_t)number(words[5]),
                                  .finished = !number(words[6]),
                                  .timeout_ns = INT64_MIN,
                                  .until_epoch_ms = INT64_MIN,
                                  .outcome = strtab_add_text(&symbols, "complete"),
                                  .context = context_now,
                                  .stack = stack_id(words[7])};
}

static void obey(struct jfr_writer *w, char **words, uint64_t ticks)
{
    struct error e;
    const char *verb = words[0];
    if (!strcmp(verb, "setting"))
        jfr_write_setting(w, ticks, words[1], words[2]);
    else if (!strcmp(verb, "log"))
        jfr_write_log(w, ticks, words[1], words[2]);
    else if (!strcmp(verb, "book"))
        jfr_write_book_line(w, ticks, words[1], words[2], strtoll(words[3], NULL, 10), number(words[4]));
    else if (!strcmp(verb, "thread"))
        add_thread(words);
    else if (!strcmp(verb, "context"))
        set_context(words);
    else if (!strcmp(verb, "sample"))
        jfr_write_cpu_sample(w, &(struct jfr_cpu_sample){.ticks = ticks,
                                                         .thread = (uint32_t)number(words[1]),
                                                         .weight_ns = number(words[2]),
                                                         .state = JFR_STATE_JAVA,
                                                         .outcome = strtab_add_text(&symbols, words[3]),
                                                         .context = context_now,
                                                         .stack = stack_id(words[4])});
    else if (!strcmp(verb, "safepoint"))
        jfr_write_safepoint_sample(w, &(struct jfr_safepoint_sample){.ticks = ticks,
                                                                     .thread = (uint32_t)number(words[1]),
                                                                     .weight_ns = number(words[2]),
                                                                     .outcome = strtab_add_text(&symbols, words[3]),
                                                                     .state = state_of(words[4]),
                                                                     .stack = stack_id(words[5])});
    else if (!strcmp(verb, "wall"))
        jfr_write_wall_sample(w, &(struct jfr_wall_sample){.ticks = ticks,
                                                           .thread = (uint32_t)number(words[1]),
                                                           .weight_ns = number(words[2]),
                                                           .outcome = strtab_add_text(&symbols, words[3]),
                                                           .state = state_of(words[4]),
                                                           .evidence = strtab_add_text(&symbols, words[5]),
                                                           .context = context_now,
                                                           .stack = stack_id(words[6])});
    else if (!strcmp(verb, "monitor"))
        jfr_write_monitor_enter(w, &(struct jfr_lock_wait[]){lock_wait(words, ticks)}[0]);
    else if (!strcmp(verb, "park"))
        jfr_write_thread_park(w, &(struct jfr_lock_wait[]){lock_wait(words, ticks)}[0]);
    else if (!strcmp(verb, "holder"))
        jfr_write_lock_holder(w, &(struct jfr_lock_holder){.ticks = ticks,
                                                           .thread = (uint32_t)number(words[1]),
                                                           .weight_ns = number(words[2]),
                                                           .class_name = strtab_add_text(&symbols, words[3]),
                                                           .has_class = true,
                                                           .outcome = strtab_add_text(&symbols, "complete"),
                                                           .state = JFR_STATE_SLEEPING,
                                                           .context = context_now,
                                                           .stack = stack_id(words[4])});
    else if (!strcmp(verb, "alloc"))
        jfr_write_allocation_sample(w, &(struct jfr_allocation_sample){.ticks = ticks,
                                                                       .thread = (uint32_t)number(words[1]),
                                                                       .weight = number(words[2]),
                                                                       .size = 64,
                                                                       .class_name = strtab_add_text(&symbols, words[3]),
                                                                       .outcome = strtab_add_text(&symbols, "complete"),
                                                                       .context = context_now,
                                                                       .stack = stack_id(words[4])});
    else if (!strcmp(verb, "execution"))
        jfr_write_execution_sample(w, ticks, (uint32_t)number(words[1]), stack_id(words[2]), JFR_STATE_JAVA);
    else if (!strcmp(verb, "pause"))
        jfr_write_garbage_collection(w, &(struct jfr_garbage_collection){.start_ticks = ticks,
                                                                         .end_ticks = ticks + number(words[1]),
                                                                         .pause_ns = number(words[1]),
                                                                         .id = (uint32_t)(ticks / 1000000),
                                                                         .name = strtab_add_text(&symbols, words[2]),
                                                                         .cause = strtab_add_text(&symbols, words[3])});
    else if (!strcmp(verb, "counted"))
        jfr_write_safepoint_count(w, &(struct jfr_safepoint_count){.start_ticks = ticks,
                                                                   .end_ticks = ticks + number(words[1]),
                                                                   .count = number(words[2]),
                                                                   .stopped_ns = number(words[3]),
                                                                   .synchronizing_ns = number(words[4])});
    else if (!strcmp(verb, "cpu"))
        jfr_write_thread_cpu(w, ticks, (uint32_t)number(words[1]), number(words[2]), number(words[3]));
    else if (!strcmp(verb, "jvm"))
        jfr_write_jvm_information(w, ticks,
                                  &(struct jfr_jvm_information){.jvm_name = "HotSpot",
                                                                .jvm_version = words[1],
                                                                .java_arguments = words[2],
                                                                .jvm_arguments = "",
                                                                .jvm_flags = "",
                                                                .pid = atoi(words[3])});
    else if (!strcmp(verb, "flush")    ? jfr_writer_flush(w, ticks, &e)
             : !strcmp(verb, "rotate") ? jfr_writer_rotate(w, ticks, 1700000000000000000u + ticks, &e)
                                       : error_set(&e, -1, "%s: no such command", verb))
        fail("error", e.text);
}

int main(int argc, char **argv)
{
    struct jfr_pools pools = {NULL, answer_stack, answer_method, answer_thread, answer_symbol, answer_context};
    struct jfr_writer_options options = {.ticks_per_second = NS_PER_S, .start_epoch_ns = 1700000000000000000u};
    struct jfr_writer *w;
    struct error e;
    int fd = argc == 2 ? open(argv[1], O_CREAT | O_TRUNC | O_RDWR | O_CLOEXEC, 0644) : -1;
    if (fd < 0 || strtab_init(&symbols) || strtab_init(&stacks))
        fail("usage: make_recording OUT.jfr < script", "");
    if (jfr_writer_new(&w, fd, &options, &pools, &e))
        fail("open", e.text);
    char *line = NULL;
    size_t room = 0;
    uint64_t ticks = 0;
    for (ssize_t n; (n = getline(&line, &room, stdin)) > 0;) {
        char *words[WORDS], *rest = line;
        line[strcspn(line, "\n")] = 0;
        for (int i = 0; i < WORDS; i++) {
            char *word = strsep(&rest, "\t");
            words[i] = word ? word : "";
        }
        if (!strcmp(words[0], "at")) {
            ticks = number(words[1]) * NS_PER_MS;
        } else {
            obey(w, words, ticks);
            ticks += NS_PER_MS;
        }
    }
    free(line);
    if (jfr_writer_close(w, ticks, &e))
        fail("close", e.text);
    strtab_deinit(&symbols);
    strtab_deinit(&stacks);
    return 0;
}
