#include "jfr/schema.h"

#include "jfr/schema_table.h"

#include <string.h>

const char *const jfr_frame_type_names[JFR_FRAME_TYPES] = {
    [JFR_FRAME_INTERPRETED] = "Interpreted", [JFR_FRAME_C1] = "C1 compiled", [JFR_FRAME_C2] = "JIT compiled",
    [JFR_FRAME_INLINED] = "Inlined",         [JFR_FRAME_NATIVE] = "Native",  [JFR_FRAME_STUB] = "Stub",
    [JFR_FRAME_KERNEL] = "Kernel",           [JFR_FRAME_FAILED] = "Failed",
    [JFR_FRAME_PSEUDO] = "Pseudo",
    [JFR_FRAME_C1_APPROXIMATE] = "C1 compiled (approximate)",
    [JFR_FRAME_C2_APPROXIMATE] = "JIT compiled (approximate)",
    [JFR_FRAME_INLINED_APPROXIMATE] = "Inlined (approximate)",
    [JFR_FRAME_JAVA] = "Java",
};

const char *const jfr_thread_state_names[JFR_STATES] = {
    [JFR_STATE_UNKNOWN] = "STATE_UNKNOWN", [JFR_STATE_JAVA] = "STATE_RUNNABLE",
    [JFR_STATE_NATIVE] = "STATE_IN_NATIVE", [JFR_STATE_VM] = "STATE_IN_VM",
    [JFR_STATE_BLOCKED] = "STATE_BLOCKED", [JFR_STATE_NOT_JAVA] = "STATE_NOT_JAVA",
    [JFR_STATE_MONITOR] = "STATE_BLOCKED_ON_MONITOR_ENTER", [JFR_STATE_WAITING] = "STATE_IN_OBJECT_WAIT",
    [JFR_STATE_PARKED] = "STATE_PARKED", [JFR_STATE_SLEEPING] = "STATE_SLEEPING",
};

#define TYPE(id) [(id) - SCHEMA_FIRST]
#define PRIMITIVE(id, text) TYPE(id) = {.name = text}
#define ANNOTATION_SUPER "java.lang.annotation.Annotation"
#define EVENT_SUPER "jdk.jfr.Event"

#define START_TIME {"startTime", T_LONG, S_TICKS, T_TIMESTAMP, "TICKS", "Start Time", NULL}
#define TEXT(field, text, about) {field, T_STRING, 0, 0, NULL, text, about}
#define EPOCH_MS(field, text) {field, T_LONG, 0, T_TIMESTAMP, "MILLISECONDS_SINCE_EPOCH", text, NULL}
#define SPAN_NS(field, text, about) {field, T_LONG, 0, T_TIMESPAN, "NANOSECONDS", text, about}
#define COUNT(field, text, about) {field, T_LONG, S_UNSIGNED, 0, NULL, text, about}
#define SMALL_COUNT(field, text) {field, T_INT, S_UNSIGNED, 0, NULL, text, NULL}
#define POOLED(field, id, text) {field, id, S_POOL, 0, NULL, text, NULL}

/* A line and the base it is counted from have the same fields. */
#define BOOK_LINE_FIELDS {START_TIME, TEXT("account", "Account", NULL), TEXT("reason", "Reason", NULL), \
                          SPAN_NS("time", "Time", NULL), COUNT("count", "Count", NULL)}
#define THREAD_CPU_FIELDS {START_TIME, POOLED("eventThread", T_THREAD, "Thread"), SPAN_NS("cpu", "CPU Time", NULL), \
                           COUNT("samples", "Samples", NULL)}

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
    TYPE(
        T_CATEGORY) = {.name = "jdk.jfr.Category", .super = ANNOTATION_SUPER, .fields = {{"value", T_STRING, S_ARRAY}}},
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
    TYPE(T_SYMBOL) = {.name = "jdk.types.Symbol",
                      .label = "Symbol",
                      .flags = S_SIMPLE,
                      .fields = {TEXT("string", "String", NULL)}},
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
                                           {"id", T_LONG, 0, 0, NULL, "Id"},
                                           TEXT("name", "Name", NULL),
                                           TEXT("destination", "Destination", NULL),
                                           EPOCH_MS("recordingStart", "Start Time"),
                                           {"recordingDuration", T_LONG, 0, T_TIMESPAN, "MILLISECONDS",
                                            "Recording Duration"}}},
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
                               .description =
                                   "Characteristics and descriptions of the processor(s) the JVM is running on",
                               .category = "Operating System/Processor",
                               .fields = {START_TIME, TEXT("cpu", "Type", NULL),
                                          TEXT("description", "Description", NULL), SMALL_COUNT("sockets", "Sockets"),
                                          SMALL_COUNT("cores", "Cores"), SMALL_COUNT("hwThreads", "Hardware Threads")}},
    TYPE(T_SYSTEM_PROPERTY) = {.name = "jdk.InitialSystemProperty",
                               .super = EVENT_SUPER,
                               .label = "Initial System Property",
                               .description = "System Property at JVM start",
                               .category = "Java Virtual Machine",
                               .fields = {START_TIME, TEXT("key", "Key", NULL), TEXT("value", "Value", NULL)}},

    TYPE(T_CPU_SAMPLE) = {.name = "candor.CpuSample",
                          .super = EVENT_SUPER,
                          .label = "CPU Sample",
                          .description = "One sample with its exact weight",
                          .category = "Candor",
                          .fields = {START_TIME,
                                     POOLED("eventThread", T_THREAD, "Thread"),
                                     POOLED("stackTrace", T_STACK_TRACE, "Stack Trace"),
                                     SPAN_NS("weight", "Weight", "CPU time the sample stands for"),
                                     {"outcome", T_STRING, S_STRING_REF, 0, NULL, "Outcome",
                                      "complete, truncated, or the reason why there is no stack"},
                                     POOLED("state", T_THREAD_STATE, "Thread State"),
                                     {"pc", T_LONG, S_UNSIGNED | S_ADDRESS, 0, NULL, "Program Counter"},
                                     POOLED("carrierThread", T_THREAD, "Carrier Thread")}},
    TYPE(T_SAFEPOINT_SAMPLE) = {.name = "candor.SafepointSample",
                                .super = EVENT_SUPER,
                                .label = "Safepoint Sample",
                                .description = "The stack a thread showed at a safepoint, and the wall-clock time it stands for",
                                .category = "Candor",
                                .fields = {START_TIME,
                                           POOLED("eventThread", T_THREAD, "Thread"),
                                           POOLED("stackTrace", T_STACK_TRACE, "Stack Trace"),
                                           SPAN_NS("weight", "Weight", "Wall-clock time of threads the sample stands for"),
                                           {"outcome", T_STRING, S_STRING_REF, 0, NULL, "Outcome",
                                            "complete, truncated, or the reason why there is no stack"},
                                           POOLED("state", T_THREAD_STATE, "Thread State")}},
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
    TYPE(T_BOOK_BASE) = {.name = "candor.BookBase",
                         .super = EVENT_SUPER,
                         .label = "Book Base",
                         .description = "A book line as of where this chunk begins: the first chunk's are what the books are counted from",
                         .category = "Candor",
                         .fields = BOOK_LINE_FIELDS},
    TYPE(T_THREAD_BASE) = {.name = "candor.ThreadBase",
                           .super = EVENT_SUPER,
                           .label = "Thread Base",
                           .description = "The CPU time of one thread as of where this chunk begins",
                           .category = "Candor",
                           .fields = THREAD_CPU_FIELDS},
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
                   .fields = {START_TIME, TEXT("level", "Level", "info, warning or error"),
                              TEXT("message", "Message", NULL)}},
};

/* The 70 bytes of a chunk's header that is taken for an event: size, type, a time of one byte, and 67 in fields of fixed sizes,
 * since up to JDK 11 readers look for the next event where the fields end, not where the size says. Without annotations: the
 * metadata of an empty chunk declares it, and nothing else but its fields' types. */
const struct schema_type schema_padding = {
    .name = "candor.Padding",
    .super = EVENT_SUPER,
    .fields = {{"startTime", T_LONG}, {"a", T_DOUBLE}, {"b", T_DOUBLE}, {"c", T_DOUBLE}, {"d", T_DOUBLE}, {"e", T_DOUBLE},
               {"f", T_DOUBLE}, {"g", T_DOUBLE}, {"h", T_DOUBLE}, {"i", T_BYTE}, {"j", T_BYTE}, {"k", T_BYTE}}};

uint32_t schema_id(const char *name)
{
    for (uint32_t id = SCHEMA_FIRST; id < SCHEMA_END; id++)
        if (!strcmp(schema_types[id - SCHEMA_FIRST].name, name))
            return id;
    return 0;
}
