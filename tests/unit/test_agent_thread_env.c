/* In a thread that may be in the allocator, a handler must not ask the JVM anything for which the JVM may allocate.
 * tier: quick
 * timeout: 30
 * aarch64: yes */
#include "../tap.h"
#include "fake_jvm.h"

#include "agent/hot/java/method.h"
#include "agent/hot/thread/thread.h"
#include "agent/hot/walk/agct.h"
#include "agent/hot/walk/walk.h"
#include "agent/hot/walk/work.h"

enum { ENV_OFFSET = 64, THREAD_BYTES = 512, LEVEL = 3 };

static const uintptr_t libjvm = 0x10000, elsewhere = 0x30000;
static struct sampled_thread thread;
static uintptr_t java_thread;
static int asked;
static struct agct_trace traced;

static void *thread_env(void)
{
    asked++;
    return (void *)(java_thread + ENV_OFFSET);
}

/* A compiler thread while it compiles. */
static void build(void)
{
    fake_open(VM_NMETHOD_ADDRESSES, false);
    method_table_deinit();
    method_table_init(8 << 20);
    vm_layout.env_offset = ENV_OFFSET;
    walk_libjvm_low = libjvm;
    walk_libjvm_high = elsewhere;
    work_thread_env = thread_env;
    java_thread = fake_alloc(THREAD_BYTES);
    uintptr_t env = fake_alloc(THREAD_BYTES), task = fake_alloc(THREAD_BYTES);
    vm_layout.compiler_env = (struct vm_field){.offset = 8, .width = 8};
    vm_layout.env_task = (struct vm_field){.offset = 16, .width = 8};
    vm_layout.task_method = (struct vm_field){.offset = 24, .width = 8};
    vm_layout.task_level = (struct vm_field){.offset = 32, .width = 4};
    fake_set(java_thread, vm_layout.compiler_env, env);
    fake_set(env, vm_layout.env_task, task);
    fake_set(task, vm_layout.task_method, fake_method(fake_class("Compiled"), "slowly", "()V", NULL, 0));
    fake_set(task, vm_layout.task_level, LEVEL);
    atomic_store(&thread.role, ROLE_COMPILER);
}

static void test_compiler_thread(void)
{
    uint64_t frame;
    build();
    tap_ok(!work_frame(&thread, elsewhere, &frame) && !work_frame(&thread, libjvm - 1, &frame) && !asked,
           "a thread outside of the JVM's code is not asked for its structure");
    tap_ok(work_frame(&thread, libjvm, &frame) && asked == 1, "who is there is, and what is compiled is found");
    tap_ok(work_frame(&thread, elsewhere, &frame) && asked == 1, "from then on it is known wherever the thread is");
}

static void walk_theirs(struct agct_trace *trace, int32_t depth, void *ucontext)
{
    traced = *trace;
    trace->count = 0;
}

static void test_agct(void)
{
    build();
    asked = 0;
    agct.function = walk_theirs;
    tap_ok(!agct_init(), "there is room for traces");
    tap_ok(agct_record(&thread, NULL) == OUTCOME_AGCT_UNKNOWN_NATIVE && !traced.env,
           "AsyncGetCallTrace is not called in a thread that Java does not know");
    atomic_store(&thread.java_thread, java_thread);
    tap_ok(agct_record(&thread, NULL) == OUTCOME_AGCT_NO_JAVA && traced.env == (void *)(java_thread + ENV_OFFSET) && !asked,
           "in one of Java's it is, with the JNIEnv that lies in the thread's structure");
    agct_deinit();
}

int main(void)
{
    test_compiler_thread();
    test_agct();
    return tap_done();
}
