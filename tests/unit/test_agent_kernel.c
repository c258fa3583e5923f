/* The kernel's part of a stack: rings as the kernel writes them, wrapped, full and damaged; the kernel's symbols; and the names by which
 * the JVM's own threads are recognized.
 * tier: quick
 * timeout: 60
 * aarch64: yes */
#include "../tap.h"

#include "agent/hot/kernel.h"
#include "agent/symbolize/kallsyms.h"
#include "agent/trigger/tasks/tasks.h"

#include <inttypes.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

enum { PAGE = 4096, FIRST = 0x1000 };
static const uint64_t kernel_base = 0xffffffff81000000u;

static struct {
    _Alignas(PAGE) char first[PAGE];
    char data[PAGE];
} ring;
static struct perf_event_mmap_page *const page = (struct perf_event_mmap_page *)ring.first;

static void put(uint64_t word)
{
    memcpy(ring.data + page->data_head % PAGE, &word, sizeof word);
    page->data_head += sizeof word;
}

static void put_header(uint32_t type, uint16_t size)
{
    struct perf_event_header header = {.type = type, .size = size};
    uint64_t word;
    memcpy(&word, &header, sizeof word);
    put(word);
}

/* The kernel writes a mark before the addresses; `first` and the addresses after it. */
static void put_sample(uint32_t frames, uint64_t first)
{
    uint64_t count = frames ? frames + 1 : 0;
    put_header(PERF_RECORD_SAMPLE, (uint16_t)(16 + 8 * count));
    put(count);
    if (frames)
        put((uint64_t)PERF_CONTEXT_KERNEL);
    for (uint32_t i = 0; i < frames; i++)
        put(kernel_base + first + i);
}

static void start_at(uint64_t offset)
{
    memset(&ring, 0xee, sizeof ring);
    memset(page, 0, sizeof *page);
    page->data_offset = PAGE;
    page->data_size = PAGE;
    page->data_head = page->data_tail = offset;
}

/* Whether exactly these frames are read, and nothing is left. */
static bool gives(uint32_t frames, uint64_t first)
{
    uint64_t got[KERNEL_FRAMES_MAX];
    uint32_t count = kernel_frames((uintptr_t)page, got);
    bool same = count == frames && page->data_tail == page->data_head;
    for (uint32_t i = 0; same && i < count; i++)
        same = got[i] == kernel_base + first + i;
    return same;
}

static void test_rings(void)
{
    uint64_t none[KERNEL_FRAMES_MAX];
    tap_ok(!kernel_frames(0, none), "no ring");
    start_at(0);
    tap_ok(gives(0, 0), "an empty one");
    put_sample(0, 0);
    tap_ok(gives(0, 0), "a sample in user mode");
    put_sample(5, FIRST);
    tap_ok(gives(5, FIRST) && gives(0, 0), "five frames, once");
    put_sample(3, FIRST);
    put_header(PERF_RECORD_LOST, 24);
    put(1);
    put(1);
    put_sample(2, FIRST + 7);
    tap_ok(gives(2, FIRST + 7), "the last of several records");
    put_sample(4, FIRST);
    put_sample(0, 0);
    tap_ok(gives(0, 0), "which may be one in user mode");
    bool wrapped = true;
    for (uint64_t offset = PAGE - 80; offset <= 3 * PAGE; offset += 8) {
        start_at(offset);
        put_sample(8, FIRST);
        wrapped = wrapped && gives(8, FIRST);
    }
    tap_ok(wrapped, "a record that continues at the ring's beginning, wherever it is cut");
    start_at(0);
    put_sample(KERNEL_FRAMES_MAX + 9, FIRST);
    tap_ok(gives(KERNEL_FRAMES_MAX, FIRST), "no more than there is room for");
}

/* The kernel writes none of these; but a program could, because the ring is in its memory. */
static void test_damage(void)
{
    start_at(0);
    put_header(PERF_RECORD_SAMPLE, 0);
    put(UINT64_MAX);
    tap_ok(gives(0, 0), "a record of no size");
    put_header(PERF_RECORD_SAMPLE, 4000);
    put(3);
    tap_ok(gives(0, 0), "one longer than what was written");
    put_header(PERF_RECORD_SAMPLE, 24);
    put(UINT64_MAX);
    put(kernel_base + FIRST);
    tap_ok(gives(1, FIRST), "a count beyond the record");
    page->data_head += 100 * PAGE;
    tap_ok(gives(0, 0), "a head far beyond the ring");
    bool bounded = true;
    uint64_t random = 88172645463325252u, got[KERNEL_FRAMES_MAX];
    for (int turn = 0; turn < 2000; turn++) {
        start_at(0);
        for (size_t i = 0; i < PAGE; i++) {
            random ^= random << 13, random ^= random >> 7, random ^= random << 17;
            ring.data[i] = (char)random;
        }
        page->data_head = random % (2 * PAGE);
        bounded = bounded && kernel_frames((uintptr_t)page, got) <= KERNEL_FRAMES_MAX && page->data_tail == page->data_head;
    }
    tap_ok(bounded, "anything at all");
}

static void test_symbols(void)
{
    char line[1024], type, name[512];
    uint64_t value, before = 0;
    uint32_t asked = 0, right = 0, padding = 0;
    bool is_known = false; /* one of the names at the last value was found */
    FILE *f = fopen("/proc/kallsyms", "re");
    if (!kallsyms_readable()) {
        tap_ok(!kallsyms_find(kernel_base), "hidden symbols have no names");
        if (f)
            fclose(f);
        return;
    }
    while (fgets(line, sizeof line, f) && !strchr(line, '[')) { /* without modules, which may be in any order */
        if (sscanf(line, "%" SCNx64 " %c %511s", &value, &type, name) != 3 || !strchr("tTwW", type) || !value)
            continue;
        const char *found = kallsyms_find(value);
        padding += found && !strncmp(found, "__pfx_", 6);
        if (!strncmp(name, "__pfx_", 6))
            continue;
        bool is_new = value != before, is_name = found && !strcmp(found, name);
        asked += is_new;
        right += is_name && (is_new || !is_known);
        is_known = is_name || (is_known && !is_new);
        before = value;
    }
    fclose(f);
    tap_ok(asked > 1000 && right == asked, "%u of %u functions of the kernel have their names", right, asked);
    tap_ok(!padding, "%u stand for the padding in front of one", padding);
    tap_ok(!kallsyms_find(0x1000), "an address of ours has none");
    kallsyms_close();
    tap_ok(kallsyms_find(before) != NULL, "read again when asked again");
    kallsyms_close();
    kallsyms_close();
}

static void test_roles(void)
{
    static const struct {
        const char *name;
        enum thread_role role;
    } cases[] = {{"C2 CompilerThre", ROLE_COMPILER},
                 {"C1 Comp..hread0", ROLE_COMPILER},
                 {"VM Thread", ROLE_VM},
                 {"GC Thread#1", ROLE_COLLECTOR},
                 {"Gang worker#0 (", ROLE_COLLECTOR},
                 {"GC task thread#", ROLE_COLLECTOR},
                 {"G1 Refi..kers#0", ROLE_CONCURRENT},
                 {"ZDriverMinor", ROLE_CONCURRENT},
                 {"Shenandoah GC T", ROLE_CONCURRENT},
                 {"VM Periodic Tas", ROLE_OTHER},
                 {"java", ROLE_OTHER},
                 {"", ROLE_OTHER}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        tap_ok(tasks_role(cases[i].name) == cases[i].role, "'%s'", cases[i].name);
}

int main(void)
{
    test_rings();
    test_damage();
    test_symbols();
    test_roles();
    return tap_done();
}
