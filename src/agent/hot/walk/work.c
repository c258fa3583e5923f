#include "agent/hot/walk/work.h"

#include "agent/hot/java/method.h"
#include "agent/hot/load.h"
#include "agent/hot/record.h"
#include "agent/hot/thread/thread.h"
#include "agent/hot/walk/walk.h"

enum { LEVEL_MAX = 4 };

void *(*work_thread_env)(void);

/* Returns the thread's own JavaThread*, which JVMTI does not show for a compiler thread. The request may allocate, if it is the thread's
 * first request to the JVM. But a thread that is in the JVM's code is not in the allocator. */
static uintptr_t vm_thread(struct sampled_thread *t, uintptr_t pc)
{
    if (!t->handler.vm_thread && walk_is_in_libjvm(pc) && work_thread_env && vm_layout.env_offset) {
        uintptr_t env = (uintptr_t)work_thread_env();
        t->handler.vm_thread = env ? env - vm_layout.env_offset : 0;
    }
    return t->handler.vm_thread;
}

/* Returns a frame for the method that a compiler thread compiles. The thread has its task from before it calls the compiler until the code
 * is installed. The task keeps the method alive during that time. */
static bool compilation(struct sampled_thread *t, uintptr_t pc, uint64_t *frame)
{
    const struct vm_layout *l = &vm_layout;
    uintptr_t thread = vm_thread(t, pc);
    uint64_t env, task, method, level;
    uint32_t id;
    if (!thread || !load_field(thread, l->compiler_env, &env) || !env || !load_field(env, l->env_task, &task) || !task ||
        !load_field(task, l->task_method, &method) || !load_field(task, l->task_level, &level) || !level || level > LEVEL_MAX ||
        !method_intern(method, &id) || !id)
        return false;
    *frame = frame_java(FRAME_COMPILATION, id, (uint32_t)level);
    return true;
}

/* Each kind of operation is a separate class in the JVM, so its table of virtual functions identifies it. */
bool work_operation(uint64_t *table)
{
    uint64_t operation;
    return vm_layout.vm_operation && load_u64(vm_layout.vm_operation, &operation) && operation && load_u64(operation, table);
}

static bool operation(uint64_t *frame)
{
    uint64_t table;
    if (!work_operation(&table))
        return false;
    *frame = frame_native(FRAME_OPERATION, table);
    return true;
}

bool work_frame(struct sampled_thread *t, uintptr_t pc, uint64_t *frame)
{
    /* Relaxed, because the result is checked. */
    switch (atomic_load_explicit(&t->role, memory_order_relaxed)) {
    case ROLE_COMPILER:
        return compilation(t, pc, frame);
    case ROLE_VM:
    case ROLE_COLLECTOR:
        return operation(frame);
    default:
        return false;
    }
}
