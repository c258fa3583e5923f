/* Runs the agent's walker on stacks that perf has recorded, without their program. Its memory is the copy of the stack in the sample,
 * and the files that were mapped.
 *
 * usage: recorded_walk RECORDING HISTORY; the history describes one process, a line for each item, with hexadecimal numbers:
 *
 *     segment ADDRESS OFFSET LENGTH PATH      bytes of a file are in memory
 *     module LOW HIGH HEADER TABLE COUNT      as in hot/unwind/module.h
 *     sample ADDRESS OFFSET LENGTH R8...RIP   bytes of the recording are the stack; the registers in the order of a ucontext
 *
 * For each sample it prints a line ENDED LEAF PC...; the pc of a caller is the last byte of its call. ENDED: "end" if the walk reached
 * the thread's first function, "copy" if it needed memory beyond the copied part of the stack, otherwise "lost". LEAF: "popped" if the
 * walk took the leaf's saved frame pointer from below the stack pointer, "undescribed" if no call frame information describes the leaf,
 * otherwise "plain". */
#include "../replay/image.h"

#include "agent/hot/fault/fault.h"
#include "agent/hot/inject.h"
#include "agent/hot/record.h"
#include "agent/hot/unwind/cfi.h"
#include "agent/hot/unwind/module.h"
#include "agent/hot/walk/walk.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <ucontext.h>
#include <unistd.h>

enum { SEGMENTS_MAX = 4096, STACK_BYTES_MAX = 8 << 20, REGISTERS = REG_RIP + 1, NOWHERE = 0x10, RED_ZONE_BYTES = 128 };

struct segment {
    uintptr_t low, high;
    const char *bytes;
};

static struct segment segments[SEGMENTS_MAX], stack;
static size_t segment_count;
static const char *recording;
static ucontext_t context;
static bool needs_more;   /* more than the copied part of the stack */
static bool takes_popped; /* below the stack pointer, from where nothing was copied */

/* ---- the memory of the recorded process ---- */

/* Below the stack pointer a walk reads only a frame pointer that an epilogue has popped; the register contains it again. */
static bool was_popped(uintptr_t at)
{
    return at < stack.low && stack.low - at <= RED_ZONE_BYTES;
}

static bool holds(const struct segment *s, uintptr_t at)
{
    return at >= s->low && at < s->high;
}

uintptr_t inject_address(uintptr_t at)
{
    uintptr_t own = (uintptr_t)&context;
    if (at >= own && at < own + sizeof context)
        return at;
    if (was_popped(at)) {
        takes_popped = true;
        return (uintptr_t)&context.uc_mcontext.gregs[REG_RBP];
    }
    if (holds(&stack, at))
        return (uintptr_t)stack.bytes + (at - stack.low);
    for (size_t i = segment_count; i-- > 0;)
        if (holds(&segments[i], at))
            return (uintptr_t)segments[i].bytes + (at - segments[i].low);
    needs_more |= at >= stack.high && at - stack.high < STACK_BYTES_MAX;
    return NOWHERE;
}

bool inject_forgets(enum inject_memory kind)
{
    return false;
}

/* ---- reading ---- */

/* Returns NULL if it cannot be read. It stays mapped. */
static const char *map_file(const char *path)
{
    struct stat status;
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0 || fstat(file, &status))
        return NULL;
    void *bytes = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, file, 0);
    close(file);
    return bytes == MAP_FAILED ? NULL : bytes;
}

static void read_segment(char *at)
{
    uint64_t v[3];
    const char *path = image_read_numbers(at, v, 3) + 1, *bytes = map_file(path);
    if (bytes && segment_count < SEGMENTS_MAX)
        segments[segment_count++] = (struct segment){v[0], v[0] + v[2], bytes + v[1]};
}

/* ---- walking ---- */

static bool is_described(uintptr_t pc)
{
    struct module m;
    return module_find(pc, &m) && cfi_rule_at(&m, pc).base != CFI_UNKNOWN;
}

static void walk_sample(char *at)
{
    uint64_t v[3], values[REGISTERS], frame;
    struct registers registers;
    struct walk w;
    static uintptr_t pcs[FRAMES_MAX];
    int depth = 0;
    image_read_numbers(image_read_numbers(at, v, 3), values, REGISTERS);
    stack = (struct segment){v[0], v[0] + v[2], recording + v[1]};
    for (int i = 0; i < REGISTERS; i++)
        context.uc_mcontext.gregs[i] = (greg_t)values[i];
    needs_more = takes_popped = false;
    frame_registers(&registers, (uintptr_t)&context);
    for (walk_begin(&w, &registers, 0); !needs_more && depth < FRAMES_MAX && walk_next(&w, &frame);)
        pcs[depth++] = frame_pc(frame);
    printf("%s %s",
           needs_more                      ? "copy"
           : w.outcome == OUTCOME_COMPLETE ? "end"
                                           : "lost",
           takes_popped                 ? "popped"
           : is_described(registers.pc) ? "plain"
                                        : "undescribed");
    for (int i = 0; i < depth; i++)
        printf(" %lx", pcs[i]);
    putchar('\n');
}

static const struct {
    const char *word;
    void (*read)(char *rest);
} items[] = {{"segment ", read_segment}, {"module ", image_read_module}, {"sample ", walk_sample}};

int main(int argc, char **argv)
{
    char *line = NULL;
    size_t size = 0;
    recording = argc == 3 ? map_file(argv[1]) : NULL;
    FILE *history = argc == 3 ? fopen(argv[2], "re") : NULL;
    if (!recording || !history)
        return 1;
    fault_install();
    vm_layout.usable = true; /* a JVM without code: addresses outside of the modules belong to nothing */
    while (getline(&line, &size, history) > 0) {
        line[strcspn(line, "\n")] = 0;
        for (size_t i = 0; i < sizeof items / sizeof *items; i++)
            if (!strncmp(line, items[i].word, strlen(items[i].word)))
                items[i].read(line + strlen(items[i].word));
    }
    free(line);
    fclose(history);
    return 0;
}
