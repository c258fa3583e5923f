/* What a thread waits for, by its frames and by the JVM's own information.
 * tier: quick
 * timeout: 30 */
#include "../tap.h"

#include "agent/collect/wall/wait_state.h"
#include "agent/hot/java/method.h"
#include "agent/hot/record.h"

static uint64_t frame_of(const char *class_name, const char *name, unsigned type)
{
    static uintptr_t next = 0x1234567800;
    uint32_t id = method_intern_id(next += 8);
    method_name(id, class_name, name, "()V");
    return frame_java(type, id, 0);
}

static bool is(struct waiting w, enum jfr_thread_state state, enum evidence evidence)
{
    if (w.state != state || w.evidence != evidence)
        tap_note("%s by %s", jfr_thread_state_names[w.state], evidence_names[w.evidence]);
    return w.state == state && w.evidence == evidence;
}

static const struct {
    const char *class_name, *name;
    enum jfr_thread_state jvm, state;
} known[] = {
    {"java/lang/Thread", "sleep", JFR_STATE_BLOCKED, JFR_STATE_SLEEPING},
    {"java/lang/Thread", "sleepNanos0", JFR_STATE_BLOCKED, JFR_STATE_SLEEPING},
    {"java/lang/Object", "wait0", JFR_STATE_BLOCKED, JFR_STATE_WAITING},
    {"sun/misc/Unsafe", "park", JFR_STATE_BLOCKED, JFR_STATE_PARKED},
    {"jdk/internal/misc/Unsafe", "park", JFR_STATE_NATIVE, JFR_STATE_PARKED},
    {"java/net/PlainSocketImpl", "socketAccept", JFR_STATE_NATIVE, JFR_STATE_IO},
    {"sun/nio/ch/EPoll", "wait", JFR_STATE_NATIVE, JFR_STATE_IO},
    {"java/lang/ref/Reference", "waitForReferencePendingList", JFR_STATE_BLOCKED, JFR_STATE_BLOCKED},
};

int main(void)
{
    tap_ok(!method_table_init(1 << 20) && !wait_state_init(), "tables");
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        for (int interpreted = 0; interpreted < 2; interpreted++) {
            unsigned type = interpreted ? JFR_FRAME_INTERPRETED : FRAME_NATIVE_METHOD;
            uint64_t leaf = frame_of(known[i].class_name, known[i].name, type);
            tap_ok(is(wait_state(known[i].jvm, true, false, leaf), known[i].state, EVIDENCE_METHOD) &&
                       is(wait_state(known[i].jvm, true, false, leaf), known[i].state, EVIDENCE_METHOD),
                   "%s.%s: %s", known[i].class_name, known[i].name, jfr_thread_state_names[known[i].state]);
        }
    uint64_t own = frame_of("com/acme/Till", "count", JFR_FRAME_C2), stream = frame_of("java/io/PrintStream", "write", JFR_FRAME_C2);
    uint64_t native = frame_of("com/acme/Driver", "poll0", FRAME_NATIVE_METHOD);
    tap_ok(is(wait_state(JFR_STATE_BLOCKED, true, true, own), JFR_STATE_MONITOR, EVIDENCE_MONITOR), "a monitor that the JVM names");
    tap_ok(is(wait_state(JFR_STATE_BLOCKED, false, false, own), JFR_STATE_MONITOR, EVIDENCE_GUESS),
           "one that it would not name is a guess");
    tap_ok(is(wait_state(JFR_STATE_BLOCKED, true, false, own), JFR_STATE_BLOCKED, EVIDENCE_KERNEL), "where it would, it is something else");
    tap_ok(is(wait_state(JFR_STATE_BLOCKED, true, false, stream), JFR_STATE_BLOCKED, EVIDENCE_KERNEL),
           "Java code of a package of input and output waits for a collection as any other");
    tap_ok(is(wait_state(JFR_STATE_NATIVE, true, false, native), JFR_STATE_UNKNOWN, EVIDENCE_KERNEL), "somebody's native code: unknown");
    tap_ok(is(wait_state(JFR_STATE_NATIVE, true, false, 0), JFR_STATE_UNKNOWN, EVIDENCE_KERNEL) &&
               is(wait_state(JFR_STATE_BLOCKED, false, false, 0), JFR_STATE_BLOCKED, EVIDENCE_KERNEL),
           "no frame: unknown, or inside the JVM, and no guess");
    tap_ok(is(wait_state(JFR_STATE_BLOCKED, true, true, 0), JFR_STATE_MONITOR, EVIDENCE_MONITOR), "but for a monitor");
    wait_state_deinit();
    method_table_deinit();
    return tap_done();
}
