#include "agent/record/names/names.h"

#include "agent/hot/record.h"
#include "agent/hot/signal/handler.h"
#include "agent/hot/walk/walk.h"
#include "agent/record/names/reason.h"
#include "agent/symbolize/kallsyms.h"
#include "agent/symbolize/modules.h"
#include "agent/symbolize/native.h"
#include "base/array.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int names_init(struct names *n)
{
    memset(n, 0, sizeof *n);
    map_init(&n->native_by_key);
    map_init(&n->native_by_pc);
    jmethods_init(&n->jmethods);
    thread_names_init(&n->threads);
    virtuals_init(&n->virtuals);
    contexts_init(&n->contexts, &n->strings);
    n->java = calloc(METHODS_MAX, sizeof *n->java);
    if (n->java && !strtab_init(&n->strings) && !stacks_init(&n->stacks))
        return 0;
    names_deinit(n);
    return -ENOMEM;
}

void names_deinit(struct names *n)
{
    strtab_deinit(&n->strings);
    stacks_deinit(&n->stacks);
    map_deinit(&n->native_by_key);
    map_deinit(&n->native_by_pc);
    jmethods_deinit(&n->jmethods);
    thread_names_deinit(&n->threads);
    virtuals_deinit(&n->virtuals);
    contexts_deinit(&n->contexts);
    held_deinit(&n->held);
    free(n->java);
    free(n->native);
    memset(n, 0, sizeof *n);
}

void names_thread(struct names *n, const struct sampled_thread *t)
{
    const struct thread_name facts = {
        .uid = t->uid, .has_java_name = t->java_name[0], .os_id = (uint64_t)t->tid, .java_id = (uint64_t)t->java_id};
    thread_names_put(&n->threads, &facts, t->java_name[0] ? t->java_name : t->os_name);
}

uint32_t names_java_thread(struct names *n, uint32_t uid, const char *name, int64_t java_id)
{
    const struct thread_name facts = {.uid = uid, .has_java_name = true, .java_id = (uint64_t)java_id};
    thread_names_put(&n->threads, &facts, name);
    return uid << 1;
}

bool names_knows_thread(const struct names *n, uint32_t id)
{
    return thread_names_find(&n->threads, id >> 1);
}

void names_hold_thread(struct names *n, uint32_t id)
{
    struct thread_name *t = thread_names_find(&n->threads, id >> 1);
    if (t)
        t->holds++;
}

void names_let_thread_go(struct names *n, uint32_t id)
{
    struct thread_name *t = thread_names_find(&n->threads, id >> 1);
    if (t && t->holds)
        t->holds--;
}

uint32_t names_virtual_thread(struct names *n, const uint64_t *words, size_t count)
{
    return virtuals_add(&n->virtuals, words, count) << 1 | 1;
}

uint32_t names_context(struct names *n, const uint64_t *words, size_t count)
{
    return contexts_add(&n->contexts, words, count);
}

void names_new_chunk(struct names *n)
{
    thread_names_new_chunk(&n->threads);
    virtuals_new_chunk(&n->virtuals);
    contexts_new_chunk(&n->contexts);
    if (n->stacks.count <= STACKS_NODES_MAX / 4)
        return;
    stacks_clear(&n->stacks);
    n->forgotten++;
}

uint32_t names_pseudo(struct names *n, const char *class_name, const char *name)
{
    struct jfr_method m = {.class_name = strtab_add_text(&n->strings, class_name), .name = strtab_add_text(&n->strings, name)};
    bool added;
    uint32_t *id = map_add(&n->native_by_key, (uint64_t)m.class_name << 32 | m.name, &added);
    if (!id)
        return NAMES_NATIVE_BASE;
    if (added) {
        if (ARRAY_GROW(n->native, n->native_cap, n->native_count))
            return NAMES_NATIVE_BASE;
        *id = n->native_count;
        n->native[n->native_count++] = m;
    }
    return NAMES_NATIVE_BASE + *id;
}

/* Returns the symbol of a class name. Class files use java/util/Map. Hidden classes have a + before their address, where Java shows a
 * slash. */
static uint32_t class_symbol(struct names *n, const struct method_info *m)
{
    char name[METHOD_CLASS_MAX];
    for (uint16_t i = 0; i < m->class_len; i++) {
        char c = m->class_name[i];
        name[i] = c == '/' ? '.' : c == '+' ? '/' : c;
    }
    return strtab_add(&n->strings, name, m->class_len);
}

/* Names the kernel's frames. If the kernel's symbols are unknown, one frame stands for all of them. */
static size_t name_kernel(struct names *n, uint64_t *frames, size_t count)
{
    size_t from = 0, to = 0;
    for (; from < count && frames[from] >> 60 == JFR_FRAME_KERNEL; from++) {
        const char *name = kallsyms_find(frame_pc(frames[from]));
        uint64_t frame = frame_java(JFR_FRAME_KERNEL, names_pseudo(n, "kernel", name ? name : "[kernel]"), 0);
        if (!to || frames[to - 1] != frame)
            frames[to++] = frame;
    }
    memmove(frames + to, frames + from, (count - from) * sizeof *frames);
    return count - (from - to);
}

static uint64_t pseudo_frame(struct names *n, const char *name)
{
    return frame_java(JFR_FRAME_PSEUDO, names_pseudo(n, "JVM", name), 0);
}

/* Returns a frame for a compilation. C1 compiles for the levels 1 to 3, whose code counts different things; C2 compiles for level 4. */
static uint64_t compilation(struct names *n, uint64_t frame)
{
    char name[METHOD_CLASS_MAX + METHOD_NAME_MAX + 64], tier[16] = "";
    uint32_t level = frame_bci(frame);
    struct method_info m = method_get(frame_method(frame));
    if (level < 4)
        snprintf(tier, sizeof tier, " (tier %u)", level);
    snprintf(name, sizeof name, "C%d compiling %s.%.*s%s", level < 4 ? 1 : 2, strtab_text(&n->strings, class_symbol(n, &m)),
             (int)m.name_len, m.name, tier);
    return pseudo_frame(n, name);
}

/* Whether the operation is a garbage collection. The names of operations begin with the name of their collector. */
static bool collects(const char *operation)
{
    static const char *const begins[] = {"G1", "GenCollect", "Parallel", "Serial", "Collect", "CMS_", "Shenandoah", "X", "Z"};
    for (size_t i = 0; i < sizeof begins / sizeof *begins; i++)
        if (!strncmp(operation, begins[i], strlen(begins[i])))
            return true;
    return false;
}

bool names_operation(uint64_t table, char *out, size_t size)
{
    static const char prefix[] = "VM_";
    if (!native_class(walk_libjvm_low, table, out, size) || strncmp(out, prefix, sizeof prefix - 1))
        return false;
    memmove(out, out + sizeof prefix - 1, strlen(out) - (sizeof prefix - 1) + 1);
    return true;
}

/* Names the operation in the frame, and returns its kind. Returns NULL if the frame's address is not that of an operation, because the
 * handler may have read an operation that had just ended. */
static const char *operation(struct names *n, uint64_t *frame)
{
    char name[128];
    if (!names_operation(frame_pc(*frame), name, sizeof name))
        return NULL;
    *frame = pseudo_frame(n, name);
    return collects(name) ? "[GC]" : "[VM operation]";
}

/* Adds two frames for the work of a JVM thread: at the root the kind of work, above it the particular work. */
static size_t name_work(struct names *n, uint64_t *frames, size_t count, enum thread_role role)
{
    static const char *const kinds[THREAD_ROLES] = {[ROLE_COMPILER] = "[JIT]", [ROLE_COLLECTOR] = "[GC]", [ROLE_CONCURRENT] = "[GC]"};
    const char *kind = kinds[role];
    unsigned type = count ? frames[count - 1] >> 60 : 0;
    if (type == FRAME_COMPILATION)
        frames[count - 1] = compilation(n, frames[count - 1]);
    else if (type == FRAME_OPERATION) {
        const char *known = operation(n, &frames[count - 1]);
        if (known)
            kind = known;
        count -= !known;
    }
    if (kind)
        frames[count++] = pseudo_frame(n, kind);
    return count;
}

uint32_t names_native(struct names *n, uintptr_t pc)
{
    char name[512], library[64];
    bool added;
    if (n->changes != modules_changes()) {
        map_clear(&n->native_by_pc);
        n->changes = modules_changes();
    }
    uint32_t *id = map_add(&n->native_by_pc, pc, &added);
    if (id && !added)
        return *id;
    native_name(pc, name, sizeof name);
    native_library(pc, library, sizeof library);
    uint32_t method = names_pseudo(n, library, name);
    if (id)
        *id = method;
    return method;
}

static uint32_t names_truncation(struct names *n, uint64_t frame)
{
    return names_pseudo(n, reason_truncation[frame_pc(frame) % TRUNCATION_COUNT], "virtual thread");
}

/* The methods are notifyJvmtiMount and notifyJvmtiUnmount, and from JDK 26 on startTransition and endTransition. */
size_t names_of_report(const uint64_t *frames, size_t count)
{
    static const char class_name[] = "java/lang/VirtualThread";
    static const char *const names[] = {"notifyJvmtiMount", "notifyJvmtiUnmount", "startTransition", "endTransition"};
    if (!count || !frame_is_java(frames[0]))
        return 0;
    struct method_info m = method_get(frame_method(frames[0]));
    if (m.class_len != sizeof class_name - 1 || memcmp(m.class_name, class_name, m.class_len) != 0)
        return 0;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (m.name_len == strlen(names[i]) && !memcmp(m.name, names[i], m.name_len))
            return 1;
    return 0;
}

uint32_t names_stack(struct names *n, uint64_t *frames, size_t count, enum thread_role role, bool truncated)
{
    count = name_kernel(n, frames, count);
    count = name_work(n, frames, count, role);
    for (size_t i = 0; i < count; i++)
        if (frame_is_address(frames[i]))
            frames[i] = frame_java(frame_type(frames[i]), names_native(n, frame_pc(frames[i])), 0);
        else if (frame_type(frames[i]) == JFR_FRAME_FAILED)
            frames[i] = frame_java(JFR_FRAME_FAILED, names_truncation(n, frames[i]), 0);
    return stacks_add(&n->stacks, frames, count) << 1 | truncated;
}

uint32_t names_failed_stack(struct names *n, enum outcome outcome, uint64_t pc)
{
    char symbol[512] = "";
    if (pc)
        native_name(pc, symbol, sizeof symbol);
    uint64_t frame = frame_java(JFR_FRAME_FAILED, names_pseudo(n, reason_outcome[outcome], symbol), 0);
    return stacks_add(&n->stacks, &frame, 1) << 1;
}

/* Receives the JVM's description of a method for names_told_frame. */
struct naming {
    struct names *names;
    uintptr_t method;
    uint32_t id;
};

static void take_jmethod(void *context, const struct java_method *facts)
{
    struct naming *naming = context;
    naming->id = jmethods_add(&naming->names->jmethods, naming->method, facts, &naming->names->strings);
}

static uint64_t unnamed_frame(struct names *n, enum unnamed reason)
{
    return frame_java(JFR_FRAME_FAILED, names_pseudo(n, reason_unnamed[reason], ""), 0);
}

uint64_t names_told_frame(struct names *n, struct java_frame frame)
{
    struct naming naming = {n, frame.method, jmethods_find(&n->jmethods, frame.method)};
    if (!naming.id && !java_stacks.describe(frame.method, take_jmethod, &naming))
        return unnamed_frame(n, UNNAMED_UNLOADED);
    if (!naming.id)
        return unnamed_frame(n, UNNAMED_TOO_MANY);
    bool native = frame.bci == JAVA_BCI_NATIVE;
    return frame_java(native ? FRAME_NATIVE_METHOD : JFR_FRAME_JAVA, naming.id, native ? 0 : (uint32_t)frame.bci);
}

static int line_of(const struct names *n, uint32_t method, uint32_t bci)
{
    if (n->jmethods.count)
        return jmethods_line(&n->jmethods, method, bci);
    struct method_info m = method_get(method);
    return method_line(&m, bci);
}

static size_t stack_of(void *context, uint32_t id, struct jfr_frame *frames, size_t max, bool *truncated)
{
    struct names *n = context;
    size_t count = 0;
    *truncated = id & 1;
    for (uint32_t node = id >> 1; node && count < max; node = n->stacks.nodes[node].parent) {
        uint64_t frame = n->stacks.nodes[node].frame;
        uint32_t method = frame_method(frame), bci = frame_bci(frame);
        int line = method < NAMES_NATIVE_BASE ? line_of(n, method, bci) : 0;
        frames[count++] = (struct jfr_frame){.method = method, .line = line, .bci = bci, .type = (uint8_t)frame_type(frame)};
    }
    return count;
}

struct jfr_method names_method(struct names *n, uint32_t id)
{
    const struct jfr_method none = {0};
    if (id >= NAMES_NATIVE_BASE)
        return id - NAMES_NATIVE_BASE < n->native_count ? n->native[id - NAMES_NATIVE_BASE] : none;
    if (n->jmethods.count) {
        const struct jfr_method *told = jmethods_names(&n->jmethods, id);
        return told ? *told : none;
    }
    struct jfr_method *known = &n->java[id];
    if (!known->name) {
        if (!method_has_names(id) && handler_config.walker == WALKER_AGCT)
            agct.name_method(id);
        struct method_info m = method_get(id);
        *known = (struct jfr_method){.class_name = class_symbol(n, &m),
                                     .name = strtab_add(&n->strings, m.name, m.name_len),
                                     .descriptor = strtab_add(&n->strings, m.descriptor, m.descriptor_len)};
    }
    return *known;
}

static void method_of(void *context, uint32_t id, struct jfr_method *method)
{
    *method = names_method(context, id);
}

static void thread_of(void *context, uint32_t id, struct jfr_thread *thread)
{
    struct names *n = context;
    if (id & 1) {
        const char *name;
        struct virtual_thread t = virtuals_get(&n->virtuals, id >> 1, &name);
        *thread = (struct jfr_thread){.java_id = t.java_id, .java_name = {name, t.name_len}, .is_virtual = true};
        return;
    }
    const struct thread_name *t = thread_names_find(&n->threads, id >> 1);
    if (!t)
        return;
    *thread = (struct jfr_thread){.os_id = t->os_id, .java_id = t->java_id, .os_name = {t->text, t->text ? strlen(t->text) : 0}};
    if (t->has_java_name)
        thread->java_name = thread->os_name;
    else if (t->java_id)
        thread->java_name.text = "";
}

static const char *symbol_of(void *context, uint32_t id, size_t *len)
{
    struct names *n = context;
    *len = strtab_len(&n->strings, id);
    return strtab_text(&n->strings, id);
}

static void context_of(void *context, uint32_t id, struct jfr_context *out)
{
    const struct names *n = context;
    contexts_get(&n->contexts, id, out);
}

static void held_by(void *context, uint32_t id, struct jfr_held_object *out)
{
    const struct names *n = context;
    held_get(&n->held, id, out);
}

static const struct stacks *sorted; /* qsort passes no argument to its function */

static int by_callers(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    int order = stacks_compare(sorted, x >> 1, y >> 1);
    return order ? order : (int)(x & 1) - (int)(y & 1);
}

/* Sorts stacks, because a file compresses better if similar stacks are adjacent. */
static void sort_stacks(void *context, uint32_t *ids, size_t count)
{
    const struct names *n = context;
    sorted = &n->stacks;
    if (count > 1)
        qsort(ids, count, sizeof *ids, by_callers);
}

struct jfr_pools names_pools(struct names *n)
{
    return (struct jfr_pools){n, stack_of, method_of, thread_of, symbol_of, context_of, held_by, sort_stacks};
}
