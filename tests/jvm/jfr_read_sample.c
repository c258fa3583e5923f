/* Prints what our reader finds in a recording, for comparison with other readers: jfr_read_sample FILE prints `count TYPE N`, `method
 * CLASS.NAME N` (leaf of the jdk.ExecutionSample), `thread NAME N` and `problem TEXT`. */
#include "base/map.h"
#include "base/strtab.h"
#include "jfr/read/reader.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct strtab lines;
static uint64_t *counts;
static uint32_t counts_cap;

static void count(const char *kind, const char *text, size_t len, uint64_t n)
{
    char line[1024];
    snprintf(line, sizeof line, "%s %.*s", kind, (int)len, text);
    uint32_t id = strtab_add_text(&lines, line);
    if (id >= counts_cap) {
        counts = realloc(counts, (size_t)(id + 1024) * sizeof *counts);
        memset(counts + counts_cap, 0, (id + 1024 - counts_cap) * sizeof *counts);
        counts_cap = id + 1024;
    }
    counts[id] += n;
}

static void note_sample(struct jfr_event *event)
{
    struct jfr_value trace = jfr_event_value(event, jfr_type_field(event->type, "stackTrace"));
    struct jfr_thread_info thread;
    struct jfr_method_info method;
    struct jfr_frame_info frame;
    struct jfr_stack stack;
    if (jfr_thread_of(jfr_event_value(event, jfr_type_field(event->type, "sampledThread")), &thread)) {
        struct jfr_text name = thread.java_id ? thread.java_name : thread.os_name;
        count("thread", name.bytes, name.len, 1);
    }
    if (!jfr_stack_of(trace, &stack) || !jfr_stack_next(&stack, &frame) || !jfr_method_of(frame.method, &method))
        return;
    char name[900];
    int n = snprintf(name, sizeof name, "%.*s.%.*s", (int)method.class_name.len, method.class_name.bytes, (int)method.name.len,
                     method.name.bytes);
    count("method", name, (size_t)n, 1);
}

static void read_chunk(struct jfr_chunk *chunk)
{
    uint32_t n;
    const struct jfr_type *types = jfr_chunk_types(chunk, &n);
    for (uint32_t i = 0; i < n; i++)
        if (types[i].events)
            count("count", types[i].name, strlen(types[i].name), types[i].events);
    const struct jfr_type *sample = jfr_chunk_type(chunk, "jdk.ExecutionSample");
    struct jfr_event event;
    for (struct jfr_cursor cursor = jfr_cursor_init(chunk); jfr_cursor_next(&cursor, &event);)
        if (event.type == sample)
            note_sample(&event);
}

int main(int argc, char **argv)
{
    static struct jfr_problems problems;
    struct jfr_file *file;
    struct error e;
    if (argc != 2 || strtab_init(&lines) || jfr_file_open(&file, argv[1], &problems, &e)) {
        fprintf(stderr, "%s\n", argc != 2 ? "usage: jfr_read_sample FILE" : e.text);
        return 1;
    }
    for (uint32_t i = 0; i < jfr_file_chunks(file); i++) {
        struct jfr_chunk *chunk;
        if (!jfr_chunk_open(&chunk, file, i, &problems, &e) && chunk)
            read_chunk(chunk);
        jfr_chunk_close(chunk);
    }
    jfr_file_close(file);
    for (uint32_t id = 1; id < lines.count; id++)
        printf("%s %" PRIu64 "\n", strtab_text(&lines, id), counts[id]);
    for (uint32_t i = 0; i < problems.listed; i++)
        printf("problem %s\n", problems.list[i].text);
    free(counts);
    strtab_deinit(&lines);
    return 0;
}
