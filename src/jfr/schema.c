#include "jfr/schema.h"

#include "jfr/schema_table.h"

#include <string.h>

const char *const jfr_frame_type_names[JFR_FRAME_TYPES] = {
    [JFR_FRAME_INTERPRETED] = "Interpreted",
    [JFR_FRAME_C1] = "C1 compiled",
    [JFR_FRAME_C2] = "JIT compiled",
    [JFR_FRAME_INLINED] = "Inlined",
    [JFR_FRAME_NATIVE] = "Native",
    [JFR_FRAME_STUB] = "Stub",
    [JFR_FRAME_KERNEL] = "Kernel",
    [JFR_FRAME_FAILED] = "Failed",
    [JFR_FRAME_PSEUDO] = "Pseudo",
    [JFR_FRAME_C1_APPROXIMATE] = "C1 compiled (approximate)",
    [JFR_FRAME_C2_APPROXIMATE] = "JIT compiled (approximate)",
    [JFR_FRAME_INLINED_APPROXIMATE] = "Inlined (approximate)",
    [JFR_FRAME_JAVA] = "Java",
};

enum { NATIVE_KEY = 3, MARK_APPROXIMATE = 1, MARK_FAILED, MARK_PSEUDO };

const struct jfr_frame_form jfr_frame_forms[JFR_FRAME_TYPES] = {
    [JFR_FRAME_INTERPRETED] = {0, 0},
    [JFR_FRAME_C2] = {1, 0},
    [JFR_FRAME_INLINED] = {2, 0},
    [JFR_FRAME_NATIVE] = {NATIVE_KEY, 0},
    [JFR_FRAME_STUB] = {4, 0}, /* C++ */
    [JFR_FRAME_KERNEL] = {5, 0},
    [JFR_FRAME_C1] = {6, 0},
    [JFR_FRAME_JAVA] = {7, 0}, /* it does not occur in the stacks of samples that async-profiler's converter reads */
    [JFR_FRAME_C2_APPROXIMATE] = {1, MARK_APPROXIMATE},
    [JFR_FRAME_INLINED_APPROXIMATE] = {2, MARK_APPROXIMATE},
    [JFR_FRAME_C1_APPROXIMATE] = {6, MARK_APPROXIMATE},
    [JFR_FRAME_FAILED] = {NATIVE_KEY, MARK_FAILED},
    [JFR_FRAME_PSEUDO] = {NATIVE_KEY, MARK_PSEUDO},
};

enum jfr_frame_type jfr_frame_type_marked(enum jfr_frame_type type, int32_t bci)
{
    int mark = bci > 0 ? bci >> JFR_BCI_BITS : 0;
    for (unsigned i = 0; mark && i < JFR_FRAME_TYPES; i++)
        if (jfr_frame_forms[i].mark == mark && jfr_frame_forms[i].key == jfr_frame_forms[type].key)
            return (enum jfr_frame_type)i;
    return type;
}

const char *const jfr_thread_state_names[JFR_STATES] = {
    [JFR_STATE_UNKNOWN] = "STATE_UNKNOWN",
    [JFR_STATE_JAVA] = "STATE_RUNNABLE",
    [JFR_STATE_NATIVE] = "STATE_IN_NATIVE",
    [JFR_STATE_VM] = "STATE_IN_VM",
    [JFR_STATE_BLOCKED] = "STATE_BLOCKED",
    [JFR_STATE_NOT_JAVA] = "STATE_NOT_JAVA",
    [JFR_STATE_MONITOR] = "STATE_BLOCKED_ON_MONITOR_ENTER",
    [JFR_STATE_WAITING] = "STATE_IN_OBJECT_WAIT",
    [JFR_STATE_PARKED] = "STATE_PARKED",
    [JFR_STATE_SLEEPING] = "STATE_SLEEPING",
    [JFR_STATE_READY] = "STATE_WAITING_FOR_CPU",
    [JFR_STATE_IO] = "STATE_IN_NATIVE_IO",
};

#define TYPE(id)            [(id)-SCHEMA_FIRST]
#define PRIMITIVE(id, text) TYPE(id) = {.name = text}
#define ANNOTATION_SUPER    "java.lang.annotation.Annotation"
#define EVENT_SUPER         "jdk.jfr.Event"

#define START_TIME                                                                                                                         \
    {                                                                                                                                      \
        "startTime", T_LONG, S_TICKS, T_TIMESTAMP, "TICKS", "Start Time", NULL                                                             \
    }
#define TEXT(field, text, about)                                                                                                           \
    {                                                                                                                                      \
        field, T_STRING, 0, 0, NULL, text, about                                                                                           \
    }
#define EPOCH_MS(field, text)                                                                                                              \
    {                                                                                                                                      \
        field, T_LONG, 0, T_TIMESTAMP, "MILLISECONDS_SINCE_EPOCH", text, NULL                                                              \
    }
#define DURATION                                                                                                                           \
    {                                                                                                                                      \
        "duration", T_LONG, 0, T_TIMESPAN, "TICKS", "Duration", NULL                                                                       \
    }
#define SPAN_NS(field, text, about)                                                                                                        \
    {                                                                                                                                      \
        field, T_LONG, 0, T_TIMESPAN, "NANOSECONDS", text, about                                                                           \
    }
#define BYTES(field, text, about)                                                                                                          \
    {                                                                                                                                      \
        field, T_LONG, 0, T_DATA_AMOUNT, "BYTES", text, about                                                                              \
    }
#define COUNT(field, text, about)                                                                                                          \
    {                                                                                                                                      \
        field, T_LONG, S_UNSIGNED, 0, NULL, text, about                                                                                    \
    }
#define SMALL_COUNT(field, text)                                                                                                           \
    {                                                                                                                                      \
        field, T_INT, S_UNSIGNED, 0, NULL, text, NULL                                                                                      \
    }
#define ADDRESS(field, text)                                                                                                               \
    {                                                                                                                                      \
        field, T_LONG, S_UNSIGNED | S_ADDRESS, 0, NULL, text, NULL                                                                         \
    }
#define FLAG(field, text, about)                                                                                                           \
    {                                                                                                                                      \
        field, T_BOOLEAN, 0, 0, NULL, text, about                                                                                          \
    }
#define MOMENT(field, text)                                                                                                                \
    {                                                                                                                                      \
        field, T_LONG, S_TICKS, T_TIMESTAMP, "TICKS", text, NULL                                                                           \
    }
#define POOLED(field, id, text)                                                                                                            \
    {                                                                                                                                      \
        field, id, S_POOL, 0, NULL, text, NULL                                                                                             \
    }

#define OUTCOME                                                                                                                            \
    {                                                                                                                                      \
        "outcome", T_STRING, S_STRING_REF, 0, NULL, "Outcome", "complete, truncated, or the reason why there is no stack"                  \
    }

/* The tail of an event. Some readers assume the JDK's fields for the JDK's events without reading the metadata, and read the bytes after
 * these fields as the next event. Therefore our additional fields look like such an event, which readers skip. */
#define TAIL                                                                                                                               \
    {"tailSize",                                                                                                                           \
     T_INT,                                                                                                                                \
     S_UNSIGNED | S_TAIL,                                                                                                                  \
     0,                                                                                                                                    \
     NULL,                                                                                                                                 \
     "Tail Size",                                                                                                                          \
     "Number of bytes from here on. They are fields that the JDK's event does not have"},                                                  \
    {                                                                                                                                      \
        "tailType", T_INT, S_UNSIGNED, 0, NULL, "Tail Type",                                                                               \
            "Not the id of an event type, so a reader that takes these bytes for an event skips them"                                      \
    }

#define CONTEXT POOLED("context", T_CONTEXT, "Context")

/* The first fields of samples. They are the same as those of jdk.ExecutionSample: a sample written after its own jdk.ExecutionSample
 * compresses better, because these fields repeat. Fields that have mostly the same value in each sample, such as the outcome, are at the
 * end for the same reason. */
#define SAMPLE                                                                                                                             \
    START_TIME, POOLED("eventThread", T_THREAD, "Thread"), POOLED("stackTrace", T_STACK_TRACE, "Stack Trace"),                             \
        POOLED("state", T_THREAD_STATE, "Thread State")
#define WEIGHED_SAMPLE(about) SAMPLE, SPAN_NS("weight", "Weight", about)

/* The first and the last fields of waits for locks. The fields in between are those of the JDK's event of that name. */
#define WAIT_BEGINS                                                                                                                        \
    START_TIME, {"duration", T_LONG, S_TICKS, T_TIMESPAN, "TICKS", "Duration", NULL}, POOLED("eventThread", T_THREAD, "Thread"),           \
        POOLED("stackTrace", T_STACK_TRACE, "Stack Trace")
#define WAIT_ENDS                                                                                                                          \
    SPAN_NS("weight", "Weight", "Waiting time that the event represents"),                                                                 \
        FLAG("finished", "Finished", "false: the thread still waited when the recording ended"), OUTCOME,                                  \
        POOLED("carrierThread", T_THREAD, "Carrier Thread"), CONTEXT, POOLED("ownerContext", T_CONTEXT, "Owner's Context")

/* A line of the books, and the base from which it counts, have the same fields. */
#define BOOK_LINE_FIELDS                                                                                                                   \
    {                                                                                                                                      \
        START_TIME, TEXT("account", "Account", NULL), TEXT("reason", "Reason", NULL), SPAN_NS("time", "Time", NULL),                       \
            COUNT("count", "Count", NULL)                                                                                                  \
    }
#define THREAD_CPU_FIELDS                                                                                                                  \
    {                                                                                                                                      \
        START_TIME, POOLED("eventThread", T_THREAD, "Thread"), SPAN_NS("cpu", "CPU Time", NULL), COUNT("samples", "Samples", NULL)         \
    }

const struct schema_type schema_types[SCHEMA_END - SCHEMA_FIRST] = {
    PRIMITIVE(T_BOOLEAN, "boolean"),
    PRIMITIVE(T_BYTE, "byte"),
    PRIMITIVE(T_CHAR, "char"),
    PRIMITIVE(T_SHORT, "short"),
    PRIMITIVE(T_INT, "int"),
    PRIMITIVE(T_LONG, "long"),
    PRIMITIVE(T_FLOAT, "float"),
    PRIMITIVE(T_DOUBLE, "double"),
    PRIMITIVE(T_STRING, "java.lang.String"),

    TYPE(T_LABEL) = {.name = "jdk.jfr.Label", .super = ANNOTATION_SUPER, .fields = {{"value", T_STRING}}},
    TYPE(T_DESCRIPTION) = {.name = "jdk.jfr.Description", .super = ANNOTATION_SUPER, .fields = {{"value", T_STRING}}},
    TYPE(T_CATEGORY) = {.name = "jdk.jfr.Category", .super = ANNOTATION_SUPER, .fields = {{"value", T_STRING, S_ARRAY}}},
    TYPE(T_CONTENT_TYPE) = {.name = "jdk.jfr.ContentType", .super = ANNOTATION_SUPER},
    TYPE(T_TIMESTAMP) = {.name = "jdk.jfr.Timestamp", .super = ANNOTATION_SUPER, .fields = {{"value", T_STRING}}},
    TYPE(T_TIMESPAN) = {.name = "jdk.jfr.Timespan", .super = ANNOTATION_SUPER, .fields = {{"value", T_STRING}}},
    TYPE(T_UNSIGNED) = {.name = "jdk.jfr.Unsigned", .super = ANNOTATION_SUPER},
    TYPE(T_MEMORY_ADDRESS) = {.name = "jdk.jfr.MemoryAddress", .super = ANNOTATION_SUPER},

    TYPE(T_THREAD) = {.name = "java.lang.Thread",
                      .label = "Thread",
                      .fields = {TEXT("osName", "OS Thread Name", NULL),
                                 {"osThreadId", T_LONG, 0, 0, NULL, "OS Thread Id"},
                                 TEXT("javaName", "Java Thread Name", NULL),
                                 {"javaThreadId", T_LONG, 0, 0, NULL, "Java Thread Id"},
                                 POOLED("group", T_THREAD_GROUP, "Java Thread Group"),
                                 {"virtual", T_BOOLEAN, 0, 0, NULL, "Virtual Thread"}}},
    TYPE(T_THREAD_GROUP) = {.name = "jdk.types.ThreadGroup",
                            .label = "Thread Group",
                            .fields = {POOLED("parent", T_THREAD_GROUP, "Parent"), TEXT("name", "Name", NULL)}},
    TYPE(T_CLASS) = {.name = "java.lang.Class",
                     .label = "Java Class",
                     .fields = {POOLED("classLoader", T_CLASS_LOADER, "Class Loader"), POOLED("name", T_SYMBOL, "Name"),
                                POOLED("package", T_PACKAGE, "Package"), SMALL_COUNT("modifiers", "Access Modifiers")}},
    TYPE(T_CLASS_LOADER) = {.name = "jdk.types.ClassLoader",
                            .label = "Java Class Loader",
                            .fields = {POOLED("type", T_CLASS, "Type"), POOLED("name", T_SYMBOL, "Name")}},
    TYPE(T_PACKAGE) = {.name = "jdk.types.Package", .label = "Package", .fields = {POOLED("name", T_SYMBOL, "Name")}},
    TYPE(T_SYMBOL) = {.name = "jdk.types.Symbol", .label = "Symbol", .flags = S_SIMPLE, .fields = {TEXT("string", "String", NULL)}},
    TYPE(T_METHOD) = {.name = "jdk.types.Method",
                      .label = "Java Method",
                      .fields = {POOLED("type", T_CLASS, "Type"),
                                 POOLED("name", T_SYMBOL, "Name"),
                                 POOLED("descriptor", T_SYMBOL, "Descriptor"),
                                 SMALL_COUNT("modifiers", "Access Modifiers"),
                                 {"hidden", T_BOOLEAN, 0, 0, NULL, "Hidden"}}},
    TYPE(T_STACK_TRACE) = {.name = "jdk.types.StackTrace",
                           .label = "Stack Trace",
                           .fields = {{"truncated", T_BOOLEAN, 0, 0, NULL, "Truncated"},
                                      {"frames", T_STACK_FRAME, S_ARRAY, 0, NULL, "Stack Frames"}}},
    TYPE(T_STACK_FRAME) = {.name = "jdk.types.StackFrame",
                           .label = "Stack Frame",
                           .fields = {POOLED("method", T_METHOD, "Java Method"),
                                      {"lineNumber", T_INT, 0, 0, NULL, "Line Number"},
                                      {"bytecodeIndex", T_INT, 0, 0, NULL, "Bytecode Index"},
                                      POOLED("type", T_FRAME_TYPE, "Frame Type")}},
    TYPE(T_FRAME_TYPE) = {.name = "jdk.types.FrameType",
                          .label = "Frame type",
                          .flags = S_SIMPLE,
                          .fields = {TEXT("description", "Description", NULL)}},
    TYPE(T_THREAD_STATE) = {.name = "jdk.types.ThreadState",
                            .label = "Java Thread State",
                            .flags = S_SIMPLE,
                            .fields = {TEXT("name", "Name", NULL)}},

    TYPE(T_EXECUTION_SAMPLE) = {.name = "jdk.ExecutionSample",
                                .super = EVENT_SUPER,
                                .label = "Method Profiling Sample",
                                .description = "Snapshot of a thread's state, one per nominal interval of CPU time",
                                .category = "Java Virtual Machine/Profiling",
                                .fields = {START_TIME, POOLED("sampledThread", T_THREAD, "Thread"),
                                           POOLED("stackTrace", T_STACK_TRACE, "Stack Trace"),
                                           POOLED("state", T_THREAD_STATE, "Thread State")}},
    TYPE(T_ACTIVE_RECORDING) = {.name = "jdk.ActiveRecording",
                                .super = EVENT_SUPER,
                                .label = "Flight Recording",
                                .category = "Flight Recorder",
                                .fields = {START_TIME,
                                           DURATION, /* 0. VisualVM refuses a recording in which no event has this field */
                                           {"id", T_LONG, 0, 0, NULL, "Id"},
                                           TEXT("name", "Name", NULL),
                                           TEXT("destination", "Destination", NULL),
                                           EPOCH_MS("recordingStart", "Start Time"),
                                           {"recordingDuration", T_LONG, 0, T_TIMESPAN, "MILLISECONDS", "Recording Duration"}}},
    TYPE(T_ACTIVE_SETTING) = {.name = "jdk.ActiveSetting",
                              .super = EVENT_SUPER,
                              .label = "Recording Setting",
                              .category = "Flight Recorder",
                              .fields = {START_TIME,
                                         {"id", T_LONG, 0, 0, NULL, "Event Id"},
                                         TEXT("name", "Setting Name", NULL),
                                         TEXT("value", "Setting Value", NULL)}},
    TYPE(T_JVM_INFORMATION) = {.name = "jdk.JVMInformation",
                               .super = EVENT_SUPER,
                               .label = "JVM Information",
                               .description = "Description of the JVM and the Java application",
                               .category = "Java Virtual Machine",
                               .fields = {START_TIME,
                                          TEXT("jvmName", "JVM Name", NULL),
                                          TEXT("jvmVersion", "JVM Version", NULL),
                                          TEXT("jvmArguments", "JVM Command Line Arguments", NULL),
                                          TEXT("jvmFlags", "JVM Settings File Arguments", NULL),
                                          TEXT("javaArguments", "Java Application Arguments", NULL),
                                          EPOCH_MS("jvmStartTime", "JVM Start Time"),
                                          {"pid", T_LONG, 0, 0, NULL, "Process Identifier"}}},
    TYPE(T_OS_INFORMATION) = {.name = "jdk.OSInformation",
                              .super = EVENT_SUPER,
                              .label = "OS Information",
                              .category = "Operating System",
                              .fields = {START_TIME, TEXT("osVersion", "OS Version", NULL)}},
    TYPE(T_CPU_INFORMATION) = {.name = "jdk.CPUInformation",
                               .super = EVENT_SUPER,
                               .label = "CPU Information",
                               .description = "Characteristics and descriptions of the processor(s) the JVM is running on",
                               .category = "Operating System/Processor",
                               .fields = {START_TIME, TEXT("cpu", "Type", NULL), TEXT("description", "Description", NULL),
                                          SMALL_COUNT("sockets", "Sockets"), SMALL_COUNT("cores", "Cores"),
                                          SMALL_COUNT("hwThreads", "Hardware Threads")}},
    TYPE(T_SYSTEM_PROPERTY) = {.name = "jdk.InitialSystemProperty",
                               .super = EVENT_SUPER,
                               .label = "Initial System Property",
                               .description = "System Property at JVM start",
                               .category = "Java Virtual Machine",
                               .fields = {START_TIME, TEXT("key", "Key", NULL), TEXT("value", "Value", NULL)}},

    TYPE(T_CPU_SAMPLE) = {.name = "candor.CpuSample",
                          .without = JFR_WITHOUT_CPU,
                          .super = EVENT_SUPER,
                          .label = "CPU Sample",
                          .description = "One sample with its exact weight",
                          .category = "Candor",
                          .fields = {WEIGHED_SAMPLE("CPU time that the sample represents"),
                                     {"pc", T_LONG, S_UNSIGNED | S_ADDRESS, 0, NULL, "Program Counter"},
                                     OUTCOME,
                                     POOLED("carrierThread", T_THREAD, "Carrier Thread"),
                                     CONTEXT,
                                     SMALL_COUNT("window", "Window of a Clock by Lot"),
                                     SMALL_COUNT("chance", "Chance of the Window in Percent")}},
    TYPE(T_SAFEPOINT_SAMPLE) = {.name = "candor.SafepointSample",
                                .without = JFR_WITHOUT_SAFEPOINT,
                                .super = EVENT_SUPER,
                                .label = "Safepoint Sample",
                                .description = "The stack of a thread at a safepoint, and the wall-clock time that it represents",
                                .category = "Candor",
                                .fields = {WEIGHED_SAMPLE("Wall-clock time of threads that the sample represents"), OUTCOME, CONTEXT}},
    TYPE(T_WALL_SAMPLE) = {.name = "candor.WallSample",
                           .without = JFR_WITHOUT_WALL,
                           .super = EVENT_SUPER,
                           .label = "Wall-Clock Sample",
                           .description = "What a thread did, running or not, and the wall-clock time that the sample represents",
                           .category = "Candor",
                           .fields = {WEIGHED_SAMPLE("Wall-clock time of threads that the sample represents"),
                                      OUTCOME,
                                      {"evidence", T_STRING, S_STRING_REF, 0, NULL, "Evidence", "how the state was determined"},
                                      POOLED("carrierThread", T_THREAD, "Carrier Thread"),
                                      CONTEXT,
                                      FLAG("sameWait", "Same Wait", "true: the thread has not run since the look before")}},
    TYPE(T_BOOK_LINE) = {.name = "candor.BookLine",
                         .super = EVENT_SUPER,
                         .label = "Book Line",
                         .description = "One line of the books, cumulative since the recording began",
                         .category = "Candor",
                         .fields = BOOK_LINE_FIELDS},
    TYPE(T_THREAD_CPU) = {.name = "candor.ThreadCpu",
                          .super = EVENT_SUPER,
                          .label = "Thread CPU",
                          .description = "CPU time of one thread since the recording began, by its own clock",
                          .category = "Candor",
                          .fields = THREAD_CPU_FIELDS},
    TYPE(T_BOOK_BASE) =
        {.name = "candor.BookBase",
         .without = JFR_WITHOUT_BASES,
         .super = EVENT_SUPER,
         .label = "Book Base",
         .description =
             "A line of the books at the beginning of this chunk. The books of the recording start from those of its first chunk",
         .category = "Candor",
         .fields = BOOK_LINE_FIELDS},
    TYPE(T_THREAD_BASE) = {.name = "candor.ThreadBase",
                           .without = JFR_WITHOUT_BASES,
                           .super = EVENT_SUPER,
                           .label = "Thread Base",
                           .description = "The CPU time of one thread at the beginning of this chunk",
                           .category = "Candor",
                           .fields = THREAD_CPU_FIELDS},
    TYPE(T_CODE_SAMPLE) = {.name = "candor.CodeSample",
                           .without = JFR_WITHOUT_CODE,
                           .super = EVENT_SUPER,
                           .label = "Code Sample",
                           .description = "The machine code in which a sample was taken; one for each candor.CpuSample",
                           .category = "Candor",
                           .fields = {START_TIME,
                                      POOLED("stackTrace", T_STACK_TRACE, "Stack Trace"),
                                      SPAN_NS("weight", "Weight", "CPU time that the sample represents"),
                                      ADDRESS("pc", "Program Counter"),
                                      SMALL_COUNT("compilation", "Compilation"),
                                      ADDRESS("code", "Snapshot"),
                                      {"capture", T_STRING, S_STRING_REF, 0, NULL, "Capture",
                                       "captured, native, or the reason why there is no snapshot"}}},
    TYPE(T_CODE_SNAPSHOT) = {.name = "candor.CodeSnapshot",
                             .without = JFR_WITHOUT_CODE,
                             .super = EVENT_SUPER,
                             .label = "Code Snapshot",
                             .description = "Machine code in which samples were taken",
                             .category = "Candor",
                             .fields = {START_TIME,
                                        POOLED("stackTrace", T_STACK_TRACE, "Method"),
                                        TEXT("kind", "Kind", "C1, C2, native wrapper, stub or interpreter"),
                                        TEXT("name", "Name", "Name of code that is not a Java method"),
                                        SMALL_COUNT("compilation", "Compilation"),
                                        SMALL_COUNT("level", "Level"),
                                        {"entryBci", T_INT, 0, 0, NULL, "Entry Bytecode Index", "-1: the beginning of the method"},
                                        ADDRESS("address", "Address"),
                                        ADDRESS("entry", "Entry"),
                                        TEXT("code", "Code", "Hexadecimal")}},
    TYPE(T_CODE_PLACE) = {.name = "candor.CodePlace",
                          .without = JFR_WITHOUT_CODE,
                          .super = EVENT_SUPER,
                          .label = "Code Place",
                          .description = "The source of the code in a snapshot, from the previous place to this one",
                          .category = "Candor",
                          .fields = {START_TIME, POOLED("stackTrace", T_STACK_TRACE, "Stack Trace"),
                                     SMALL_COUNT("compilation", "Compilation"), ADDRESS("address", "Address"), SMALL_COUNT("end", "End")}},
    TYPE(T_CODE_NAME) = {.name = "candor.CodeName",
                         .without = JFR_WITHOUT_CODE,
                         .super = EVENT_SUPER,
                         .label = "Code Name",
                         .description = "A stub that the JVM has generated",
                         .category = "Candor",
                         .fields = {START_TIME, TEXT("name", "Name", NULL), ADDRESS("address", "Address"), SMALL_COUNT("size", "Size")}},
    TYPE(T_SETTING) = {.name = "candor.Setting",
                       .super = EVENT_SUPER,
                       .label = "Setting",
                       .description = "How the recording was made",
                       .category = "Candor",
                       .fields = {START_TIME, TEXT("name", "Name", NULL), TEXT("value", "Value", NULL)}},
    TYPE(T_LOG) = {.name = "candor.Log",
                   .super = EVENT_SUPER,
                   .label = "Log",
                   .description = "Something the user should know",
                   .category = "Candor",
                   .fields = {START_TIME, TEXT("level", "Level", "info, warning or error"), TEXT("message", "Message", NULL)}},
    TYPE(T_EVENT_SAMPLE) =
        {.name = "candor.EventSample",
         .without = JFR_WITHOUT_COUNTS,
         .super = EVENT_SUPER,
         .label = "Event Sample",
         .description =
             "The place of a thread when a number of events had been counted, and the number of events that the sample represents",
         .category = "Candor",
         .fields = {SAMPLE, COUNT("weight", "Weight", "Events that the sample represents"), ADDRESS("pc", "Program Counter"), OUTCOME,
                    POOLED("carrierThread", T_THREAD, "Carrier Thread"), CONTEXT}},
    TYPE(T_DATA_AMOUNT) = {.name = "jdk.jfr.DataAmount", .super = ANNOTATION_SUPER, .fields = {{"value", T_STRING}}},
    TYPE(T_ALLOCATION_SAMPLE) =
        {.name = "jdk.ObjectAllocationSample",
         .without = JFR_WITHOUT_ALLOC,
         .super = EVENT_SUPER,
         .label = "Object Allocation Sample",
         .description = "An allocated object, sampled in proportion to its size, and the bytes that it represents",
         .category = "Java Virtual Machine/Memory",
         .fields = {START_TIME, POOLED("eventThread", T_THREAD, "Thread"), POOLED("stackTrace", T_STACK_TRACE, "Stack Trace"),
                    POOLED("objectClass", T_CLASS, "Object Class"),
                    BYTES("weight", "Sample Weight", "Allocated bytes that the sample represents"), TAIL,
                    BYTES("size", "Object Size", NULL),
                    BYTES("interval", "Sampling Interval", "Mean number of bytes between two samples when this one was taken"),
                    BYTES("counted", "Counted",
                          "Bytes that the thread has allocated since its previous sample, by the JVM's count; 0: unknown"),
                    OUTCOME, POOLED("carrierThread", T_THREAD, "Carrier Thread"), CONTEXT}},
    TYPE(T_GARBAGE_COLLECTION) = {.name = "jdk.GarbageCollection",
                                  .without = JFR_WITHOUT_HALT,
                                  .super = EVENT_SUPER,
                                  .label = "Garbage Collection",
                                  .description = "A pause of all threads for garbage collection, as JVMTI reports it",
                                  .category = "Java Virtual Machine/GC/Collector",
                                  .fields = {START_TIME,
                                             DURATION,
                                             SMALL_COUNT("gcId", "GC Identifier"),
                                             {"name", T_STRING, S_STRING_REF, 0, NULL, "Name", "by the JVM's counters"},
                                             {"cause", T_STRING, S_STRING_REF, 0, NULL, "Cause", "by the JVM's counters"},
                                             SPAN_NS("sumOfPauses", "Sum of Pauses", NULL),
                                             SPAN_NS("longestPause", "Longest Pause", NULL),
                                             TEXT("toldBy", "Told By", NULL)}},
    TYPE(T_SAFEPOINT_COUNT) = {.name = "candor.SafepointCount",
                               .without = JFR_WITHOUT_HALT,
                               .super = EVENT_SUPER,
                               .label = "Safepoint Count",
                               .description = "Number and duration of the safepoints in an interval, by the JVM's counters",
                               .category = "Candor",
                               .fields = {START_TIME, DURATION, COUNT("count", "Count", NULL),
                                          SPAN_NS("stopped", "Stopped", "sun.rt.safepointTime"),
                                          SPAN_NS("synchronizing", "Synchronizing",
                                                  "sun.rt.safepointSyncTime: the time until all threads had stopped")}},
    TYPE(T_CLASS_STATISTICS) = {.name = "jdk.ClassLoadingStatistics",
                                .without = JFR_WITHOUT_HALT,
                                .super = EVENT_SUPER,
                                .label = "Class Loading Statistics",
                                .description = "Number of classes since the JVM's start, by the JVM's counters",
                                .category = "Java Application/Statistics",
                                .fields = {START_TIME, COUNT("loadedClassCount", "Loaded Class Count", NULL),
                                           COUNT("unloadedClassCount", "Unloaded Class Count", NULL)}},
    TYPE(T_THREAD_STATISTICS) = {.name = "jdk.JavaThreadStatistics",
                                 .without = JFR_WITHOUT_HALT,
                                 .super = EVENT_SUPER,
                                 .label = "Java Thread Statistics",
                                 .description = "Number of threads, by the JVM's counters",
                                 .category = "Java Application/Statistics",
                                 .fields = {START_TIME, COUNT("activeCount", "Active Threads", NULL),
                                            COUNT("daemonCount", "Daemon Threads", NULL),
                                            COUNT("accumulatedCount", "Accumulated Threads", "since the JVM's start"),
                                            COUNT("peakCount", "Peak Threads", NULL)}},
    TYPE(T_MONITOR_ENTER) = {.name = "jdk.JavaMonitorEnter",
                             .without = JFR_WITHOUT_LOCK,
                             .super = EVENT_SUPER,
                             .label = "Java Monitor Blocked",
                             .description = "A thread waited for a monitor that another thread held",
                             .category = "Java Application",
                             .fields = {WAIT_BEGINS, POOLED("monitorClass", T_CLASS, "Monitor Class"),
                                        POOLED("previousOwner", T_THREAD, "Previous Monitor Owner"), ADDRESS("address", "Monitor Address"),
                                        TAIL, WAIT_ENDS}},
    TYPE(T_LOCK_HOLDER) = {.name = "candor.LockHolder",
                           .without = JFR_WITHOUT_LOCK,
                           .super = EVENT_SUPER,
                           .label = "Lock Holder",
                           .description = "The place of a thread that held a lock for which other threads waited",
                           .category = "Candor",
                           .fields = {WEIGHED_SAMPLE("Waiting time of other threads that the sample represents"), OUTCOME,
                                      POOLED("lockClass", T_CLASS, "Lock Class"), CONTEXT}},
    TYPE(T_THREAD_PARK) = {.name = "jdk.ThreadPark",
                           .without = JFR_WITHOUT_LOCK,
                           .super = EVENT_SUPER,
                           .label = "Java Thread Park",
                           .description = "A thread was parked",
                           .category = "Java Application",
                           .fields = {WAIT_BEGINS, POOLED("parkedClass", T_CLASS, "Class Parked On"),
                                      SPAN_NS("timeout", "Park Timeout", NULL), EPOCH_MS("until", "Park Until"),
                                      ADDRESS("address", "Address of Object Parked"), TAIL, POOLED("owner", T_THREAD, "Owner"), WAIT_ENDS}},
    TYPE(T_OLD_OBJECT_SAMPLE) =
        {.name = "jdk.OldObjectSample",
         .without = JFR_WITHOUT_LIVE,
         .super = EVENT_SUPER,
         .label = "Old Object Sample",
         .description = "A sampled object that is alive, and the bytes that it represents",
         .category = "Java Virtual Machine/Profiling",
         .fields = {START_TIME,
                    POOLED("eventThread", T_THREAD, "Thread"),
                    POOLED("stackTrace", T_STACK_TRACE, "Stack Trace"),
                    MOMENT("allocationTime", "Allocation Time"),
                    BYTES("objectSize", "Object Size", NULL),
                    SPAN_NS("objectAge", "Object Age", NULL),
                    BYTES("lastKnownHeapUsage", "Last Known Heap Usage", "After the last collection; 0: unknown"),
                    {"object", T_OLD_OBJECT, 0, 0, NULL, "Object", NULL},
                    {"arrayElements", T_INT, 0, 0, NULL, "Array Elements", "The smallest integer value: unknown, or none"},
                    POOLED("root", T_OLD_OBJECT_ROOT, "GC Root"),
                    BYTES("weight", "Weight", "Live bytes that the object represents"),
                    COUNT("collections", "Collections", "Collections that have begun since the object was allocated"),
                    OUTCOME,
                    {"path", T_STRING, S_STRING_REF, 0, NULL,
                     "Path", "found, or the reason why no path to a root was found; empty: not searched"},
                    CONTEXT}},
    TYPE(T_OLD_OBJECT) = {.name = "jdk.types.OldObject",
                          .without = JFR_WITHOUT_LIVE,
                          .label = "Old Object",
                          .fields = {ADDRESS("address", "Memory Address"), POOLED("type", T_CLASS, "Java Class"),
                                     TEXT("description", "Object Description", NULL), POOLED("referrer", T_REFERENCE, "Referrer Object")}},
    TYPE(T_REFERENCE) = {.name = "jdk.types.Reference",
                         .without = JFR_WITHOUT_LIVE,
                         .label = "Reference",
                         .fields = {POOLED("array", T_OLD_OBJECT_ARRAY, "Array Information"),
                                    POOLED("field", T_OLD_OBJECT_FIELD, "Field Information"),
                                    POOLED("object", T_OLD_OBJECT, "Object"),
                                    {"skip", T_INT, 0, 0, NULL, "Skip Value", NULL}}},
    TYPE(T_OLD_OBJECT_ARRAY) = {.name = "jdk.types.OldObjectArray",
                                .without = JFR_WITHOUT_LIVE,
                                .label = "Old Object Array",
                                .fields = {{"size", T_INT, 0, 0, NULL, "Array Size", NULL}, {"index", T_INT, 0, 0, NULL, "Index", NULL}}},
    TYPE(T_OLD_OBJECT_FIELD) = {.name = "jdk.types.OldObjectField",
                                .without = JFR_WITHOUT_LIVE,
                                .label = "Old Object Field",
                                .fields = {TEXT("name", "Field", NULL),
                                           {"modifiers", T_SHORT, S_UNSIGNED, 0, NULL, "Field Modifiers", NULL}}},
    TYPE(T_OLD_OBJECT_ROOT) = {.name = "jdk.types.OldObjectGcRoot",
                               .without = JFR_WITHOUT_LIVE,
                               .label = "GC Root",
                               .fields = {TEXT("description", "Root Description", NULL), TEXT("system", "System", NULL),
                                          TEXT("type", "Type", NULL)}},
    TYPE(T_OBJECT_END) = {.name = "candor.ObjectEnd",
                          .without = JFR_WITHOUT_LIVE,
                          .super = EVENT_SUPER,
                          .label = "End of a Sampled Object",
                          .description = "A sampled object that survived at least one collection, and that the last collection freed",
                          .category = "Candor",
                          .fields = {START_TIME, POOLED("eventThread", T_THREAD, "Thread"),
                                     POOLED("stackTrace", T_STACK_TRACE, "Stack Trace"), POOLED("objectClass", T_CLASS, "Object Class"),
                                     MOMENT("allocationTime", "Allocation Time"), BYTES("objectSize", "Object Size", NULL),
                                     BYTES("weight", "Weight", "Bytes that the object represented"), OUTCOME, CONTEXT}},
    TYPE(T_LIVE_SET) = {.name = "candor.LiveSet",
                        .without = JFR_WITHOUT_LIVE,
                        .super = EVENT_SUPER,
                        .label = "Live Set",
                        .description = "Live objects after a collection",
                        .category = "Candor",
                        .fields = {START_TIME, COUNT("collections", "Collections", "Collections that the JVM has begun"),
                                   COUNT("oldCollections", "Collections of Old Objects", "0: unknown, or none yet"),
                                   COUNT("oldBefore", "Those Before", "At the previous set, or at the beginning"),
                                   BYTES("heapUsed", "Heap Used", "At the end of the collection; 0: unknown"),
                                   COUNT("objects", "Objects", "Sampled objects that are alive"),
                                   BYTES("bytes", "Live Bytes",
                                         "Bytes that these objects represent: allocated during the recording, and alive"),
                                   BYTES("error", "Standard Error", "Of that")}},
    TYPE(T_CONTEXT) = {.name = "candor.types.Context",
                       .label = "Context",
                       .flags = S_SIMPLE,
                       .fields = {TEXT("labels", "Labels", "KEY=VALUE; KEY=VALUE; ..., with a backslash before ; and \\ in them")}},
};

/* The 70 bytes of a chunk's header when it is read as an event: size, type, a time of one byte, and 67 bytes in fields of fixed sizes. Up
 * to JDK 11, readers look for the next event where the fields end, not where the size says. The type has no annotations, because the
 * metadata of an empty chunk declares only this type and the types of its fields. */
const struct schema_type schema_padding = {.name = "candor.Padding",
                                           .super = EVENT_SUPER,
                                           .fields = {{"startTime", T_LONG},
                                                      {"a", T_DOUBLE},
                                                      {"b", T_DOUBLE},
                                                      {"c", T_DOUBLE},
                                                      {"d", T_DOUBLE},
                                                      {"e", T_DOUBLE},
                                                      {"f", T_DOUBLE},
                                                      {"g", T_DOUBLE},
                                                      {"h", T_DOUBLE},
                                                      {"i", T_BYTE},
                                                      {"j", T_BYTE},
                                                      {"k", T_BYTE}}};

uint32_t schema_id(const char *name)
{
    for (uint32_t id = SCHEMA_FIRST; id < SCHEMA_END; id++)
        if (!strcmp(schema_types[id - SCHEMA_FIRST].name, name))
            return id;
    return 0;
}
