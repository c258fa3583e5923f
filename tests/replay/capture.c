/* libcandor-capture.so, an agent that keeps images of the stacks that it walks. The environment says where:
 *
 *   CANDOR_CAPTURE=FILE      text is appended (image.h); the first stack of each shape is kept, up to IMAGES_MAX of them
 *
 * After a sample, in the handler, the stack is walked once more, and each word that the walk loads is noted with its value. */
#include "image.h"

#include "agent/hot/inject.h"
#include "agent/hot/record.h"
#include "agent/hot/signal/handler.h"
#include "agent/hot/unwind/module.h"
#include "agent/hot/walk/walk.h"

#include <fcntl.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/uio.h>
#include <unistd.h>

enum { IMAGES_MAX = 20, WORDS_MAX = 4096, DEPTH_MAX = 64, SHAPE_FRAMES = 12, TEXT_BYTES = 1 << 18 };

static int file = -1;
static atomic_flag busy = ATOMIC_FLAG_INIT;
static _Thread_local bool capturing;

static struct memory written;        /* to the file */
static struct word words[WORDS_MAX]; /* words of this walk that were not known yet, in the order of the loads */
static uint32_t word_count;

static uint64_t shapes[IMAGES_MAX];
static uint32_t image_count;

static char text[TEXT_BYTES];
static size_t text_len;

__attribute__((constructor)) static void open_file(void)
{
    const char *path = getenv("CANDOR_CAPTURE");
    file = path ? open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644) : -1;
}

/* ---- the words that a walk reads ---- */

static void note_word(uintptr_t at)
{
    uint64_t value;
    struct iovec here = {&value, sizeof value}, there = {(void *)at, sizeof value};
    if (word_count == WORDS_MAX || process_vm_readv(getpid(), &here, 1, &there, 1, 0) != sizeof value)
        return;
    const struct word *known = memory_place(&written, at);
    if (!known->at || known->value != value)
        words[word_count++] = (struct word){at, value};
}

uintptr_t inject_address(uintptr_t at)
{
    if (capturing) {
        note_word(at & ~(uintptr_t)7);
        if (at & 7)
            note_word((at & ~(uintptr_t)7) + 8);
    }
    return at;
}

bool inject_forgets(enum inject_memory memory)
{
    return capturing;
}

/* ---- writing ---- */

__attribute__((format(printf, 1, 2))) static void put(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int n = vsnprintf(text + text_len, sizeof text - text_len, format, args);
    va_end(args);
    text_len += n > 0 && text_len + (size_t)n < sizeof text ? (size_t)n : 0;
}

static bool put_module(const struct module *m, void *context)
{
    put("module %lx %lx %lx %lx %x\n", m->low, m->high, m->frame_header, m->frame_table, m->frame_count);
    return true;
}

static void put_layout(void)
{
#define F(name) put("layout " #name " %x %x\n", vm_layout.name.offset, vm_layout.name.width);
#define N(name) put("layout " #name " %lx\n", (uint64_t)vm_layout.name);
    LAYOUT_FIELDS(F, N)
#undef F
#undef N
    for (int i = 0; i < vm_layout.heap_count; i++) {
        const struct vm_heap *h = &vm_layout.heaps[i];
        put("heap %lx %lx %lx %lx %x\n", h->object, h->low, h->reserved_high, h->segmap, h->log2_segment);
    }
    put("libjvm %lx %lx\n", walk_libjvm_low, walk_libjvm_high);
}

/* Libraries are loaded between two images. */
static void put_modules(void)
{
    static uint32_t epoch;
    if (epoch == module_epoch())
        return;
    epoch = module_epoch();
    put("modules\n");
    module_retain(put_module, NULL);
}

static void sort_words(void)
{
    for (uint32_t gap = word_count / 2; gap; gap /= 2)
        for (uint32_t i = gap; i < word_count; i++)
            for (uint32_t k = i; k >= gap && words[k - gap].at > words[k].at; k -= gap) {
                struct word swapped = words[k];
                words[k] = words[k - gap];
                words[k - gap] = swapped;
            }
}

static void put_words(void)
{
    uintptr_t next = 0;
    sort_words();
    for (uint32_t i = 0; i < word_count; i++) {
        if (i && words[i].at == words[i - 1].at)
            continue;
        if (words[i].at != next)
            put("%sword %lx", next ? "\n" : "", words[i].at);
        put(" %lx", words[i].value);
        next = words[i].at + 8;
        memory_set(&written, words[i].at, words[i].value);
    }
    put("\n");
}

/* ---- images ---- */

/* Two stacks have the same shape if they were interrupted in the same kind of place and go through the same kinds of frames. */
static uint64_t shape_of(const struct walk *w, uintptr_t pc, const uint64_t *frames, uint32_t count)
{
    struct code leaf = code_find(pc);
    bool early = code_is_compiled(&leaf) && pc - leaf.begin <= (uint32_t)leaf.frame_complete;
    uint64_t shape = leaf.kind | early << 4 | w->outcome << 5 | w->state << 10, last = 0;
    if (leaf.kind == CODE_STUB)
        shape ^= leaf.blob << 16;
    for (uint32_t i = 0, kept = 0; i < count && kept < SHAPE_FRAMES; i++)
        if (i == 0 || frames[i] >> 60 != last) {
            last = frames[i] >> 60;
            shape = (shape ^ (last + 1)) * 0x9e3779b97f4a7c15ULL;
            kept++;
        }
    return shape;
}

static bool is_new(uint64_t shape)
{
    for (uint32_t i = 0; i < image_count; i++)
        if (shapes[i] == shape)
            return false;
    shapes[image_count] = shape;
    return true;
}

static void capture(const struct registers *at, uintptr_t java_thread)
{
    static uint64_t frames[DEPTH_MAX];
    struct walk w;
    uint32_t count = 0;
    word_count = 0;
    capturing = true;
    walk_begin(&w, at, java_thread);
    while (count < DEPTH_MAX && walk_next(&w, &frames[count]))
        count++;
    bool whole = count < DEPTH_MAX && word_count < WORDS_MAX;
    uint64_t shape = shape_of(&w, at->pc, frames, count);
    capturing = false;
    if (!whole || !is_new(shape))
        return;
    text_len = 0;
    if (!image_count++)
        put_layout();
    put_modules();
    put("image %lx %lx %lx %lx %lx %lx %lx %lx %lx\n", java_thread, at->pc, at->sp, at->fp, at->ucontext, at->link, at->bcp, at->method,
        at->sender_sp);
    put_words();
    static char line[IMAGE_LINE_BYTES];
    for (uint32_t i = 0; i < count; i++) {
        image_frame(line, frames[i]);
        put("frame %s\n", line);
    }
    image_end(line, &w);
    put("end %s\n", line);
    (void)!write(file, text, text_len);
}

void inject_walks(struct sampled_thread *t, const struct registers *at)
{
    bool calibrates = t->index == THREADS_MAX - 1; /* it is the agent's own */
    if (file < 0 || !vm_layout.usable || calibrates || atomic_flag_test_and_set(&busy))
        return;
    if (image_count < IMAGES_MAX)
        capture(at, atomic_load_explicit(&t->java_thread, memory_order_relaxed));
    atomic_flag_clear(&busy);
}
