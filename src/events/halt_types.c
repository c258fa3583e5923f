#include "events/halt_types.h"

const struct halt_kind_info halt_kinds[HALT_KINDS] = {
    [HALT_SAFEPOINT] = {"safepoint", "safepoint", HALT_OF_ALL},
    [HALT_VM_OPERATION] = {"vm_operation", "VM operation", HALT_OF_ALL},
    [HALT_GC] = {"gc_pause", "GC pause", HALT_OF_ALL},
    [HALT_GC_PHASE] = {"gc_phase", "GC phase", HALT_OF_PART},
    [HALT_VM_OPERATION_BESIDE] = {"vm_operation_beside", "VM operation beside", HALT_OF_PART},
    [HALT_SAFEPOINTS_COUNTED] = {"safepoints_counted", "safepoints, counted", HALT_OF_PART},
    [HALT_MONITOR] = {"monitor", "monitor", HALT_OF_THREAD},
    [HALT_WAIT] = {"wait", "Object.wait", HALT_OF_THREAD},
    [HALT_PARK] = {"park", "park", HALT_OF_THREAD},
    [HALT_SLEEP] = {"sleep", "sleep", HALT_OF_THREAD},
    [HALT_PINNED] = {"pinned", "pinned carrier", HALT_OF_THREAD},
    [HALT_ALLOCATION] = {"allocation_stall", "allocation stall", HALT_OF_THREAD},
    [HALT_SOCKET_READ] = {"socket_read", "socket read", HALT_OF_THREAD},
    [HALT_SOCKET_WRITE] = {"socket_write", "socket write", HALT_OF_THREAD},
    [HALT_FILE_READ] = {"file_read", "file read", HALT_OF_THREAD},
    [HALT_FILE_WRITE] = {"file_write", "file write", HALT_OF_THREAD},
    [HALT_FILE_FORCE] = {"file_force", "file force", HALT_OF_THREAD},
    [HALT_CLASS_LOAD] = {"class_load", "class load", HALT_OF_THREAD},
    [HALT_DEOPTIMIZATION] = {"deoptimization", "deoptimisation", HALT_OF_MOMENT},
    [HALT_EXCEPTION] = {"exception", "exception", HALT_OF_MOMENT},
};

const struct halt_type halt_types[] = {
    {"jdk.GCPhasePause", HALT_GC, {"name"}},
    {"jdk.GCPhasePauseLevel1", HALT_GC_PHASE, {"name"}},
    {"jdk.ExecuteVMOperation", HALT_VM_OPERATION, {"operation"}, .by = "caller"},
    {"jdk.JavaMonitorEnter", HALT_MONITOR, {"monitorClass"}, .by = "previousOwner"},
    {"jdk.JavaMonitorWait", HALT_WAIT, {"monitorClass"}, .by = "notifier"},
    {"jdk.ThreadPark", HALT_PARK, {"parkedClass"}, .by = "owner"},
    {"jdk.ThreadSleep", HALT_SLEEP},
    {"jdk.VirtualThreadPinned", HALT_PINNED, {"blockingOperation", "pinnedReason"}},
    {"jdk.ZAllocationStall", HALT_ALLOCATION, {"type"}, .bytes = "size"},
    {"jdk.SocketRead", HALT_SOCKET_READ, {"host", "address", "port"}, .bytes = "bytesRead"},
    {"jdk.SocketWrite", HALT_SOCKET_WRITE, {"host", "address", "port"}, .bytes = "bytesWritten"},
    {"jdk.FileRead", HALT_FILE_READ, {"path"}, .bytes = "bytesRead"},
    {"jdk.FileWrite", HALT_FILE_WRITE, {"path"}, .bytes = "bytesWritten"},
    {"jdk.FileForce", HALT_FILE_FORCE, {"path"}},
    {"jdk.ClassLoad", HALT_CLASS_LOAD, {"loadedClass"}},
    {"jdk.Deoptimization", HALT_DEOPTIMIZATION, {"reason", "action"}},
    {"jdk.JavaExceptionThrow", HALT_EXCEPTION, {"thrownClass"}},
    {"jdk.JavaErrorThrow", HALT_EXCEPTION, {"thrownClass"}},
};

const size_t halt_type_count = sizeof halt_types / sizeof *halt_types;
