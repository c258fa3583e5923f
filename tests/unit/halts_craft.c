#include "halts_craft.h"

#include "base/time_units.h"
#include "jfr_craft.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum {
    LONG = 10,
    INT,
    STRING,
    BOOLEAN,
    SYMBOL,
    CLASS,
    METHOD,
    FRAME_TYPE,
    FRAME,
    TRACE,
    THREAD,
    STATE,
    OPERATION,
    PHASE = 100,
    COLLECTION,
    BEGIN,
    SYNC,
    END,
    EXECUTE,
    CALL,
    MONITOR,
    PARK,
    SOCKET,
    EXCEPTION,
    ERROR,
    SAMPLE,
    COUNTED,
    CPU,
    SETTING,
};

#define BEFORE ((uint64_t)-4) /* 4 ms before the chunk */

enum { MAIN = 1, WORKER, LATE, VM }; /* threads */
enum { PAY = 1, LOOP };              /* stacks */
enum { LOCK = 1, OOPS };             /* classes */
enum { RUNNABLE = 1, NATIVE };       /* states */

#define EVENT "jdk.jfr.Event"
#define TIMES                                                                                                                              \
    {"startTime", LONG},                                                                                                                   \
    {                                                                                                                                      \
        "duration", LONG                                                                                                                   \
    }
#define WHO                                                                                                                                \
    {"eventThread", THREAD, .pooled = true},                                                                                               \
    {                                                                                                                                      \
        "stackTrace", TRACE, .pooled = true                                                                                                \
    }
#define COLLECTION_FIELDS                                                                                                                  \
    TIMES, {"gcId", INT}, {"name", STRING}, {"cause", STRING},                                                                             \
    {                                                                                                                                      \
        "sumOfPauses", LONG                                                                                                                \
    }

#define MODEL                                                                                                                              \
    {LONG, "long"}, {INT, "int"}, {STRING, "java.lang.String"}, {BOOLEAN, "boolean"},                                                      \
        {SYMBOL, "jdk.types.Symbol", NULL, {{"string", STRING}}}, {CLASS, "java.lang.Class", NULL, {{"name", SYMBOL, true}}},              \
        {METHOD, "jdk.types.Method", NULL, {{"type", CLASS, true}, {"name", SYMBOL, true}, {"descriptor", SYMBOL, true}}},                 \
        {FRAME_TYPE, "jdk.types.FrameType", NULL, {{"description", STRING}}},                                                              \
        {FRAME,                                                                                                                            \
         "jdk.types.StackFrame",                                                                                                           \
         NULL,                                                                                                                             \
         {{"method", METHOD, true}, {"lineNumber", INT}, {"bytecodeIndex", INT}, {"type", FRAME_TYPE, true}}},                             \
        {TRACE, "jdk.types.StackTrace", NULL, {{"truncated", BOOLEAN}, {"frames", FRAME, false, true}}},                                   \
        {THREAD, "java.lang.Thread", NULL, {{"osName", STRING}, {"osThreadId", LONG}, {"javaName", STRING}, {"javaThreadId", LONG}}},      \
        {STATE, "jdk.types.ThreadState", NULL, {{"name", STRING}}},                                                                        \
    {                                                                                                                                      \
        OPERATION, "jdk.types.VMOperationType", NULL,                                                                                      \
        {                                                                                                                                  \
            {                                                                                                                              \
                "type", STRING                                                                                                             \
            }                                                                                                                              \
        }                                                                                                                                  \
    }

static const struct craft_type of_jdk[] = {
    MODEL,
    {PHASE, "jdk.GCPhasePause", EVENT, {TIMES, {"gcId", INT}, {"name", STRING}}},
    {COLLECTION, "jdk.GarbageCollection", EVENT, {COLLECTION_FIELDS}},
    {BEGIN, "jdk.SafepointBegin", EVENT, {TIMES, {"safepointId", LONG}}},
    {SYNC, "jdk.SafepointStateSynchronization", EVENT, {TIMES, {"safepointId", LONG}}},
    {END, "jdk.SafepointEnd", EVENT, {TIMES, {"safepointId", LONG}}},
    {EXECUTE,
     "jdk.ExecuteVMOperation",
     EVENT,
     {TIMES, {"operation", OPERATION, true}, {"safepoint", BOOLEAN}, {"caller", THREAD, true}, {"safepointId", LONG}}},
    {CALL, "jdk.SystemGC", EVENT, {TIMES, WHO}},
    {MONITOR, "jdk.JavaMonitorEnter", EVENT, {TIMES, WHO, {"monitorClass", CLASS, true}, {"previousOwner", THREAD, true}}},
    {PARK, "jdk.ThreadPark", EVENT, {TIMES, WHO, {"parkedClass", CLASS, true}}},
    {SOCKET, "jdk.SocketRead", EVENT, {TIMES, WHO, {"host", STRING}, {"address", STRING}, {"port", INT}, {"bytesRead", LONG}}},
    {EXCEPTION, "jdk.JavaExceptionThrow", EVENT, {{"startTime", LONG}, WHO, {"thrownClass", CLASS, true}}},
    {ERROR, "jdk.JavaErrorThrow", EVENT, {{"startTime", LONG}, WHO, {"thrownClass", CLASS, true}}},
    {SAMPLE,
     "jdk.ExecutionSample",
     EVENT,
     {{"startTime", LONG}, {"sampledThread", THREAD, true}, {"stackTrace", TRACE, true}, {"state", STATE, true}}},
};

static const struct craft_type of_both[] = {
    MODEL,
    {BEGIN, "jdk.SafepointBegin", EVENT, {TIMES, {"safepointId", LONG}}},
    {SYNC, "jdk.SafepointStateSynchronization", EVENT, {TIMES, {"safepointId", LONG}}},
    {CPU, "candor.CpuSample", EVENT, {{"startTime", LONG}, WHO, {"state", STATE, true}, {"weight", LONG}}},
};

static const struct craft_type of_agent[] = {
    MODEL,
    {COLLECTION, "jdk.GarbageCollection", EVENT, {COLLECTION_FIELDS, {"toldBy", STRING}}},
    {COUNTED, "candor.SafepointCount", EVENT, {TIMES, {"count", LONG}, {"stopped", LONG}, {"synchronizing", LONG}}},
};

#define WEIGHED                                                                                                                            \
    {"weight", LONG},                                                                                                                      \
    {                                                                                                                                      \
        "finished", BOOLEAN                                                                                                                \
    }

static const struct craft_type of_candor[] = {
    MODEL,
    {SETTING, "candor.Setting", EVENT, {{"startTime", LONG}, {"name", STRING}, {"value", STRING}}},
    {MONITOR, "jdk.JavaMonitorEnter", EVENT, {TIMES, WHO, {"monitorClass", CLASS, true}, {"previousOwner", THREAD, true}, WEIGHED}},
    {PARK, "jdk.ThreadPark", EVENT, {TIMES, WHO, {"parkedClass", CLASS, true}, WEIGHED}},
};

/* ---- events; times are in ms from the start, a tick is a microsecond ---- */

static size_t begin(struct buffer *b, unsigned type, uint64_t at)
{
    size_t event = craft_event(b, type);
    buffer_varint(b, CRAFT_START_TICKS + at * 1000);
    return event;
}

static size_t begin_timed(struct buffer *b, unsigned type, uint64_t at, uint64_t ms)
{
    size_t event = begin(b, type, at);
    buffer_varint(b, ms * 1000);
    return event;
}

static void put_keys(struct buffer *b, unsigned thread, unsigned stack)
{
    buffer_varint(b, thread);
    buffer_varint(b, stack);
}

static void put_phase(struct buffer *b, uint64_t at, uint64_t ms, unsigned id, const char *name)
{
    size_t event = begin_timed(b, PHASE, at, ms);
    buffer_varint(b, id);
    craft_text(b, name);
    craft_event_end(b, event);
}

static void put_collection(struct buffer *b, uint64_t at, uint64_t ms, unsigned id, const char *name, const char *cause, uint64_t pauses,
                           const char *told_by)
{
    size_t event = begin_timed(b, COLLECTION, at, ms);
    buffer_varint(b, id);
    craft_text(b, name);
    craft_text(b, cause);
    buffer_varint(b, pauses * 1000);
    if (told_by)
        craft_text(b, told_by);
    craft_event_end(b, event);
}

static void put_edge(struct buffer *b, unsigned type, uint64_t at, uint64_t ms, unsigned id)
{
    size_t event = begin_timed(b, type, at, ms);
    buffer_varint(b, id);
    craft_event_end(b, event);
}

static void put_operation(struct buffer *b, uint64_t at, uint64_t ms, unsigned operation, bool safepoint, unsigned id)
{
    size_t event = begin_timed(b, EXECUTE, at, ms);
    buffer_varint(b, operation);
    buffer_u8(b, safepoint);
    buffer_varint(b, MAIN);
    buffer_varint(b, id);
    craft_event_end(b, event);
}

static void put_throw(struct buffer *b, unsigned type, uint64_t at)
{
    size_t event = begin(b, type, at);
    put_keys(b, MAIN, PAY);
    buffer_varint(b, OOPS);
    craft_event_end(b, event);
}

static void put_sample(struct buffer *b, uint64_t at, unsigned thread, unsigned state)
{
    size_t event = begin(b, SAMPLE, at);
    put_keys(b, thread, LOOP);
    buffer_varint(b, state);
    craft_event_end(b, event);
}

static void put_waits(struct buffer *b)
{
    size_t event = begin_timed(b, PARK, 305, 10); /* within the wait for the monitor: the thread counts once */
    put_keys(b, WORKER, LOOP);
    buffer_varint(b, 0);
    craft_event_end(b, event);
    event = begin_timed(b, MONITOR, 300, 40);
    put_keys(b, WORKER, PAY);
    buffer_varint(b, LOCK);
    buffer_varint(b, MAIN);
    craft_event_end(b, event);
    event = begin_timed(b, PARK, 330, 30);
    put_keys(b, LATE, LOOP);
    buffer_varint(b, 0);
    craft_event_end(b, event);
    event = begin_timed(b, SOCKET, 335, 1);
    put_keys(b, MAIN, PAY);
    craft_text(b, "till");
    craft_text(b, "10.0.0.1");
    buffer_varint(b, 80);
    buffer_varint(b, 5);
    craft_event_end(b, event);
}

/* ---- the entries to which they refer ---- */

static void put_texts(struct buffer *b, unsigned type, const char *const *texts, unsigned count)
{
    size_t pool = craft_pool(b, type, count);
    for (unsigned i = 0; i < count; i++) {
        buffer_varint(b, i + 1);
        craft_text(b, texts[i]);
    }
    craft_event_end(b, pool);
}

static void put_bytes(struct buffer *b, unsigned type, uint64_t count, const char *bytes, size_t size)
{
    size_t pool = craft_pool(b, type, count);
    buffer_put(b, bytes, size);
    craft_event_end(b, pool);
}

static void put_threads(struct buffer *b)
{
    static const char *const names[] = {"main", "worker", "late", "VM Thread"};
    size_t pool = craft_pool(b, THREAD, 4);
    for (unsigned i = 0; i < 4; i++) {
        buffer_varint(b, i + 1);
        craft_text(b, "os");
        buffer_varint(b, 100 + i);
        craft_text(b, names[i]);
        buffer_varint(b, i + 1);
    }
    craft_event_end(b, pool);
}

#define BYTES(type, count, bytes) put_bytes(b, type, count, bytes, sizeof bytes - 1)

static void put_pools(struct buffer *b)
{
    static const char *const symbols[] = {"shop/Lock", "shop/Oops", "java/lang/System", "gc", "shop/Cart", "pay", "shop/Sum",
                                          "loop",      "()V"};
    static const char *const states[] = {"STATE_RUNNABLE", "STATE_IN_NATIVE"};
    static const char *const operations[] = {"G1CollectFull", "HandshakeAllThreads"};
    put_texts(b, SYMBOL, symbols, 9);
    put_texts(b, STATE, states, 2);
    put_texts(b, OPERATION, operations, 2);
    put_threads(b);
    BYTES(CLASS, 5, "\1\1\2\2\3\3\4\5\5\7");
    BYTES(METHOD, 3, "\1\3\4\11\2\4\6\11\3\5\10\11"); /* gc, pay, loop */
    BYTES(FRAME_TYPE, 3, "\1\3\1J\2\3\6Kernel\3\3\6Native");
    BYTES(TRACE, 2,
          "\1\0\2\1\1\0\1\2\21\0\1"
          "\2\0\3\2\1\0\2\3\11\0\1\2\1\0\3"); /* gc:1 < pay:17; kernel < loop:9 < native */
}

void craft_halts_jdk(struct buffer *b)
{
    size_t chunk = craft_begin(b, of_jdk, sizeof of_jdk / sizeof *of_jdk);
    put_edge(b, END, 124, 1, 7); /* in the order in which they end, or in no order */
    put_edge(b, SYNC, 101, 2, 7);
    put_edge(b, BEGIN, 100, 4, 7);
    put_operation(b, 104, 20, 1, true, 7);
    put_operation(b, 700, 50, 2, false, 0);
    put_phase(b, 105, 18, 3, "GC Pause");
    put_collection(b, 105, 18, 3, "G1Full", "System.gc()", 18, NULL);
    put_collection(b, 200, 100, 4, "G1Old", "G1 Humongous Allocation", 5, NULL);
    put_collection(b, 400, 10, 5, "SerialOld", "Allocation Failure", 10, NULL);
    size_t call = begin_timed(b, CALL, 95, 35);
    put_keys(b, MAIN, PAY);
    craft_event_end(b, call);
    put_waits(b);
    for (int i = 0; i < 3; i++)
        put_throw(b, EXCEPTION, i ? 600 : BEFORE);
    put_throw(b, ERROR, 600);
    put_sample(b, 100, WORKER, RUNNABLE); /* nobody has asked the thread to stop yet */
    put_sample(b, 101, LATE, RUNNABLE);
    put_sample(b, 102, LATE, RUNNABLE);
    put_sample(b, 101, WORKER, NATIVE);
    put_sample(b, 103, WORKER, RUNNABLE);
    put_pools(b);
    craft_end(b, chunk);
}

static void put_weighed_at(struct buffer *b, uint64_t at, unsigned thread, unsigned stack, uint64_t us)
{
    size_t event = begin(b, CPU, at);
    put_keys(b, thread, stack);
    buffer_varint(b, RUNNABLE);
    buffer_varint(b, us * 1000);
    craft_event_end(b, event);
}

static void put_weighed(struct buffer *b, uint64_t at, unsigned thread, uint64_t us)
{
    put_weighed_at(b, at, thread, LOOP, us);
}

void craft_halts_deep(struct buffer *b, unsigned frames, unsigned samples)
{
    enum { DEEP = LOOP + 1 };
    size_t chunk = craft_begin(b, of_both, sizeof of_both / sizeof *of_both);
    put_edge(b, BEGIN, 100, 4, 7);
    put_edge(b, SYNC, 101, 3, 7);
    for (unsigned i = 0; i < samples; i++)
        put_weighed_at(b, 102, LATE, DEEP, 1);
    put_pools(b);
    size_t pool = craft_pool(b, TRACE, 1);
    buffer_varint(b, DEEP);
    buffer_u8(b, 0);
    buffer_varint(b, frames);
    for (unsigned i = 0; i < frames; i++)
        buffer_put(b, "\1\1\0\1", 4);
    craft_event_end(b, pool);
    craft_end(b, chunk);
}

enum { FIRST = VM + 1 };

static void put_crowd(struct buffer *b, unsigned threads)
{
    char name[32];
    size_t pool = craft_pool(b, THREAD, threads);
    for (unsigned i = 0; i < threads; i++) {
        snprintf(name, sizeof name, "t%u", i);
        buffer_varint(b, FIRST + i);
        craft_text(b, "os");
        buffer_varint(b, 1000 + i);
        craft_text(b, name);
        buffer_varint(b, 1000 + i);
    }
    craft_event_end(b, pool);
}

void craft_halts_late(struct buffer *b)
{
    enum { OTHERS = 7 };
    size_t chunk = craft_begin(b, of_both, sizeof of_both / sizeof *of_both);
    put_edge(b, BEGIN, 100, 50, 7);
    put_edge(b, SYNC, 101, 49, 7);
    for (unsigned i = 0; i < OTHERS; i++)
        put_weighed(b, 103 + i, FIRST + i, 1000);
    for (unsigned i = 0; i < 10; i++)
        put_weighed(b, 120 + i, FIRST + OTHERS, 2000);
    put_pools(b);
    put_crowd(b, OTHERS + 1);
    craft_end(b, chunk);
}

void craft_halts_crowd(struct buffer *b, unsigned threads)
{
    size_t chunk = craft_begin(b, of_both, sizeof of_both / sizeof *of_both);
    put_edge(b, BEGIN, 100, 4, 7);
    for (unsigned i = 0; i + 1 < threads; i++)
        put_weighed(b, 500, FIRST + i, 1000);
    put_weighed(b, 900, FIRST + threads - 1, 50000);
    put_pools(b);
    put_crowd(b, threads);
    craft_end(b, chunk);
}

void craft_halts_busy(struct buffer *b)
{
    size_t chunk = craft_begin(b, of_both, sizeof of_both / sizeof *of_both);
    put_edge(b, BEGIN, 100, 4, 7);
    put_edge(b, SYNC, 101, 3, 7);
    put_weighed(b, 100, MAIN, 900);  /* nobody has asked the thread to stop yet */
    put_weighed(b, 102, LATE, 5000); /* one millisecond of this lies after the safepoint */
    put_weighed(b, 103, LATE, 700);
    put_weighed(b, 103, WORKER, 250);
    put_pools(b);
    craft_end(b, chunk);
}

void craft_halts_agent(struct buffer *b)
{
    size_t chunk = craft_begin(b, of_agent, sizeof of_agent / sizeof *of_agent);
    put_collection(b, 106, 17, 1, "G1 stop-the-world full collections", "System.gc()", 17, "JVMTI");
    put_collection(b, 500, 8, 2, "G1 young collection pauses", "G1 Evacuation Pause", 8, "JVMTI");
    size_t event = begin_timed(b, COUNTED, 800, 50);
    buffer_varint(b, 6);
    buffer_varint(b, 9000);
    buffer_varint(b, 2000);
    craft_event_end(b, event);
    craft_end(b, chunk);
}

static void put_chunk_setting(struct buffer *b, const char *name, const char *value)
{
    size_t event = begin(b, SETTING, 0);
    craft_text(b, name);
    craft_text(b, value);
    craft_event_end(b, event);
}

static size_t begin_locks(struct buffer *b, const char *events, bool parks)
{
    size_t chunk = craft_begin(b, of_candor, sizeof of_candor / sizeof *of_candor);
    put_chunk_setting(b, "event", events);
    put_chunk_setting(b, "lock_parks", parks ? "seen" : "unseen");
    return chunk;
}

static void put_wait(struct buffer *b, unsigned type, uint64_t at, uint64_t ms, unsigned thread, bool finished)
{
    size_t event = begin_timed(b, type, at, ms);
    put_keys(b, thread, PAY);
    buffer_varint(b, LOCK);
    if (type == MONITOR)
        buffer_varint(b, MAIN);
    buffer_varint(b, ms * NS_PER_MS);
    buffer_u8(b, finished);
    craft_event_end(b, event);
}

void craft_halts_waits(struct buffer *b)
{
    size_t chunk = begin_locks(b, "cpu,lock", true);
    put_wait(b, MONITOR, 301, 38, WORKER, true);
    put_wait(b, MONITOR, 620, 5, WORKER, true);
    put_wait(b, PARK, 340, 10, LATE, true);
    put_wait(b, PARK, 700, 3, MAIN, true);
    put_pools(b);
    craft_end(b, chunk);
}

void craft_halts_open(struct buffer *b)
{
    static const uint8_t as_long[8] = {0, 0, 0, 0, 0x13, 0x12, 0xd0, 0}; /* 320 ms */
    size_t chunk = begin_locks(b, "cpu,lock", true);
    put_wait(b, MONITOR, 301, 19, WORKER, false);
    put_wait(b, MONITOR, 310, 10, LATE, false);
    put_pools(b);
    craft_end(b, chunk);
    if (!b->failed)
        memcpy(b->data + chunk + 40, as_long, sizeof as_long);
}

void craft_halts_joined(struct buffer *b, const char *events, bool parks)
{
    static const uint8_t five_seconds[8] = {0, 0, 0, 1, 0x2a, 5, 0xf2, 0};
    size_t chunk = begin_locks(b, events, parks);
    put_chunk_setting(b, "jfr", "on");
    if (strstr(events, "lock"))
        put_wait(b, MONITOR, 300, 40, WORKER, true);
    put_pools(b);
    craft_end(b, chunk);
    chunk = b->len;
    craft_halts_jdk(b);
    if (!b->failed)
        memcpy(b->data + chunk + 40, five_seconds, sizeof five_seconds);
}
