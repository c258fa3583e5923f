#include "analysis/evidence.h"

#define JDK "candor record -e cpu --jfr on"

const struct source_info source_infos[SOURCES] = {
    [SOURCE_CPU] = {"samples of the CPU time", "candor record -e cpu"},
    [SOURCE_WALL] = {"samples by the wall clock", "candor record -e cpu,wall"},
    [SOURCE_LOCKS] = {"waits for locks", "candor record -e cpu,lock"},
    [SOURCE_OWNERS] = {"who held the locks, and what the holders did", "candor record -e cpu,lock"},
    [SOURCE_PARKS] = {"waits in parks, which not every JVM lets be followed", "candor record -e cpu,lock"},
    [SOURCE_PAUSES] = {"pauses for garbage collection", "candor record -e cpu,halt"},
    [SOURCE_SAFEPOINTS] = {"how many safepoints there were", "candor record -e cpu,halt"},
    [SOURCE_ASKED] = {"when threads were asked to stop at safepoints", JDK},
    [SOURCE_SOCKETS] = {"reads of sockets", JDK},
    [SOURCE_FORCES] = {"files that are forced to disk", JDK},
    [SOURCE_PINNED] = {"virtual threads that keep their carriers, which JDK 21 and later report", JDK},
    [SOURCE_ALLOC] = {"samples of allocations", "candor record -e cpu,alloc"},
    [SOURCE_LIVE] = {"which objects are alive", "candor record -e cpu,live"},
    [SOURCE_THROWS] = {"how many exceptions were thrown", JDK},
    [SOURCE_WRITES] = {"writes to sockets", JDK},
    [SOURCE_FILES] = {"reads and writes of files", JDK},
    [SOURCE_STALLS] = {"allocations that wait for the collector, as ZGC's do", JDK},
    [SOURCE_DEOPTS] = {"code that is thrown away, which JDK 14 and later tell of", JDK},
    [SOURCE_ERRORS] = {"which errors were thrown", JDK},
    [SOURCE_OPERATIONS] = {"operations of the JVM that stop all threads", JDK},
    [SOURCE_FLAGS] = {"the JVM's command line", "candor record -e cpu"},
    [SOURCE_THROWN] = {"which exceptions were thrown", JDK},
};
