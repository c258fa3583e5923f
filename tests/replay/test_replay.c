/* Stacks of threads in real JVMs: each image of the corpus (image.h) is walked again, without a JVM, and must give the frames and the
 * outcome that were found in the JVM. tests/replay/README.md says how to make the corpus again.
 * tier: quick
 * timeout: 120
 * aarch64: yes
 * sanitize: yes */
#include "../tap.h"
#include "image.h"

#include "agent/hot/fault/fault.h"
#include "agent/hot/inject.h"
#include "agent/hot/java/method.h"
#include "agent/hot/unwind/module.h"

#include <glob.h>
#include <stdlib.h>
#include <string.h>

enum { FRAMES_KEPT = 256, ARENA_BYTES = 64 << 20 };

static struct memory memory;

static char frames[FRAMES_KEPT][IMAGE_LINE_BYTES]; /* as they were found in the JVM */
static size_t frame_count;
static struct registers registers;
static uintptr_t java_thread;

/* ---- the memory of that JVM ---- */

/* Words that were not read then cannot be read now. */
uintptr_t inject_address(uintptr_t at)
{
    static uint64_t copy[2];
    const struct word *first = memory_place(&memory, at & ~(uintptr_t)7), *second = memory_place(&memory, (at & ~(uintptr_t)7) + 8);
    if (!first->at)
        return 0x10;
    copy[0] = first->value;
    copy[1] = second->value;
    return (uintptr_t)copy + (at & 7);
}

bool inject_forgets(enum inject_memory kind)
{
    return true;
}

/* ---- reading ---- */

static uint64_t number(char **at)
{
    return strtoull(*at, at, 16);
}

static bool drop_module(const struct module *m, void *context)
{
    return false;
}

static void read_layout(char *name)
{
    uint64_t v[2];
    char *end = strchr(name, ' ');
    if (!end)
        return;
    *end = 0;
    image_read_numbers(end + 1, v, 2);
#define F(field)                                                                                                                           \
    if (!strcmp(name, #field))                                                                                                             \
        vm_layout.field = (struct vm_field){(uint16_t)v[0], (uint8_t)v[1]};
#define N(field)                                                                                                                           \
    if (!strcmp(name, #field))                                                                                                             \
        vm_layout.field = (__typeof__(vm_layout.field))v[0];
    LAYOUT_FIELDS(F, N)
#undef F
#undef N
}

static void read_heap(char *at)
{
    uint64_t v[5];
    image_read_numbers(at, v, 5);
    if (vm_layout.heap_count < VM_HEAPS_MAX)
        vm_layout.heaps[vm_layout.heap_count++] = (struct vm_heap){v[0], v[1], v[2], v[3], (uint8_t)v[4]};
}

static void read_libjvm(char *at)
{
    uint64_t v[2];
    image_read_numbers(at, v, 2);
    walk_libjvm_low = v[0];
    walk_libjvm_high = v[1];
}

static void drop_modules(char *nothing)
{
    module_retain(drop_module, NULL);
}

static void read_image(char *at)
{
    uint64_t v[9];
    image_read_numbers(at, v, 9);
    java_thread = v[0];
    registers = (struct registers){v[1], v[2], v[3], v[4], v[5], v[6], v[7], v[8]};
    frame_count = 0;
}

static void read_words(char *at)
{
    uintptr_t address = number(&at);
    for (; *at == ' '; address += 8)
        memory_set(&memory, address, number(&at));
}

static void read_frame(char *text)
{
    if (frame_count < FRAMES_KEPT)
        snprintf(frames[frame_count++], IMAGE_LINE_BYTES, "%s", text);
}

/* ---- walking ---- */

static bool walk_again(const char *expected_end)
{
    static char found[IMAGE_LINE_BYTES];
    struct walk w;
    uint64_t frame;
    size_t n = 0;
    bool same = true;
    for (walk_begin(&w, &registers, java_thread); walk_next(&w, &frame); n++) {
        image_frame(found, frame);
        if (n < frame_count && !strcmp(found, frames[n]))
            continue;
        tap_note("frame %zu is %s, was %s", n, found, n < frame_count ? frames[n] : "none");
        same = false;
    }
    image_end(found, &w);
    if (n == frame_count && !strcmp(found, expected_end))
        return same;
    tap_note("%zu frames, %s; were %zu, %s", n, found, frame_count, expected_end);
    return false;
}

static const struct {
    const char *word;
    void (*read)(char *rest);
} items[] = {{"layout ", read_layout},       {"heap ", read_heap},   {"libjvm ", read_libjvm}, {"modules", drop_modules},
             {"module ", image_read_module}, {"image ", read_image}, {"word ", read_words},    {"frame ", read_frame}};

static void read_item(char *line)
{
    for (size_t i = 0; i < sizeof items / sizeof *items; i++)
        if (!strncmp(line, items[i].word, strlen(items[i].word)))
            items[i].read(line + strlen(items[i].word));
}

static void replay(const char *path)
{
    char command[4096], *line = NULL;
    size_t size = 0;
    unsigned images = 0, bad = 0;
    snprintf(command, sizeof command, "gzip -dc '%s'", path);
    FILE *file = popen(command, "r");
    vm_layout = (struct vm_layout){.usable = true};
    memset(&memory, 0, sizeof memory);
    method_table_init(ARENA_BYTES);
    while (file && getline(&line, &size, file) > 0) {
        line[strcspn(line, "\n")] = 0;
        read_item(line);
        if (strncmp(line, "end ", 4))
            continue;
        images++;
        if (!walk_again(line + 4)) {
            tap_note("^ image %u, pc %lx", images, registers.pc);
            bad++;
        }
    }
    int status = file ? pclose(file) : -1;
    tap_ok(!status && images && !bad, "%s: %u of %u stacks are as they were", path, images - bad, images);
    method_table_deinit();
    free(line);
}

int main(void)
{
    glob_t found;
    fault_install();
    if (!tap_ok(!glob("tests/replay/" PROCESSOR "-*.gz", 0, NULL, &found), "the corpus is there"))
        return tap_done();
    for (size_t i = 0; i < found.gl_pathc; i++)
        replay(found.gl_pathv[i]);
    globfree(&found);
    return tap_done();
}
