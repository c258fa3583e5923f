#include "analysis/evidence.h"

#define JDK "jcmd PID JFR.start settings=profile"

const struct source_info source_infos[SOURCES] = {
    [SOURCE_CPU] = {"samples of the CPU time", "candor record -e cpu"},
    [SOURCE_WALL] = {"samples by the wall clock", "candor record -e cpu,wall"},
    [SOURCE_LOCKS] = {"waits for locks", "candor record -e cpu,lock"},
    [SOURCE_OWNERS] = {"who had the locks, and what he did", "candor record -e cpu,lock"},
    [SOURCE_PAUSES] = {"pauses for garbage collection", "candor record -e cpu,halt"},
    [SOURCE_SAFEPOINTS] = {"how many safepoints there were", "candor record -e cpu,halt"},
    [SOURCE_ASKED] = {"when threads were asked to stop at safepoints",
                      "both candor record -e cpu and " JDK " jdk.SafepointStateSynchronization#enabled=true jdk.SafepointEnd#enabled=true "
                      "at the same time, and cat of the two files"},
    [SOURCE_SOCKETS] = {"reads of sockets", JDK},
    [SOURCE_FORCES] = {"files that are forced to disk", JDK},
    [SOURCE_PINNED] = {"virtual threads that keep their carriers, which JDK 21 and later tell of", JDK},
    [SOURCE_THROWS] = {"how many exceptions were thrown", JDK},
};
