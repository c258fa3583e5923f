/* The options and the state of a recording, shared by the collector and its callers. */
#ifndef CANDOR_AGENT_COLLECT_SESSION_SESSION_H
#define CANDOR_AGENT_COLLECT_SESSION_SESSION_H

#include "agent/collect/alloc/allocations.h"
#include "agent/collect/clock/budget.h"
#include "agent/collect/clock/lots.h"
#include "agent/collect/heal/heal.h"
#include "agent/collect/live/live.h"
#include "agent/collect/lock/locks.h"
#include "agent/collect/session/dumps.h"
#include "agent/collect/session/internal_fault.h"
#include "agent/collect/wall/wall.h"
#include "agent/hot/walk/agct.h"
#include "agent/record/keep.h"
#include "agent/record/recording.h"
#include "agent/trigger/clocks/clock.h"
#include "base/agreed/recorded_events.h"
#include "base/time_units.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* A recording has a set of events (recorded_events.h), one bit each. The event safepoint cannot be combined with others, and live needs
 * alloc. The table in sampling/parts.c says what each event does, and in which order. */
#define COLLECT_EVENT_BIT(symbol, name) COLLECT_##symbol = 1 << RECORDING_EVENT_##symbol,
enum collect_event { RECORDING_EVENT_ROWS(COLLECT_EVENT_BIT) };
enum { COLLECT_EVENTS = RECORDING_EVENT_COUNT, COLLECT_EVENTS_BYTES = 64 };
/* Events whose samples are taken in intervals, by a clock or by looks at threads. The JVM reports the other events. */
enum { COLLECT_BY_INTERVAL = COLLECT_CPU | COLLECT_WALL | COLLECT_SAFEPOINT };
extern const char *const collect_event_names[COLLECT_EVENTS]; /* the name of the event 1 << i */
/* Writes for instance "cpu,wall" into out. Returns out. */
char *collect_events_text(char out[COLLECT_EVENTS_BYTES], unsigned events);

enum { COLLECT_AT_ONCE = 4 }; /* how many recordings run at once; one with safepoint runs alone */
_Static_assert((int)COLLECT_AT_ONCE <= (int)JFR_TEE_MAX, "one writer writes to all of them");
enum { COLLECT_SAFEPOINT_INTERVAL_MIN_NS = NS_PER_MS };
enum { COLLECT_PERIOD_MS = 50 }; /* how often the event cpu needs a turn */

enum { COLLECT_NAME_MAX = 64 };

struct collect_options {
    char name[COLLECT_NAME_MAX]; /* the client's name, such as "daemon"; empty = unknown */
    pid_t client;                /* the process that requested it, as the kernel reports it; 0 = there is none, or it is in another name
                                  * space */
    uint32_t recording;          /* for a request about a running recording: the recording's id; 0 = not given */
    char file[RECORDING_PATH_MAX];
    bool passed;     /* a client opened the file */
    int descriptor;  /* the descriptor of that file, which remains the client's */
    unsigned events; /* bits of enum collect_event */
    struct alloc_options alloc;
    struct live_options live;
    struct lock_options lock;
    struct event_counter counter; /* for the event cpu: the event that its clock counts; without a name: CPU time */
    uint64_t event_interval;      /* events between two samples of `counter`; 0 = the event's default */
    enum clock_kind clock;        /* for the event cpu, like the next five fields */
    enum lots_mode clocks;        /* which threads have clocks */
    bool has_clocks;              /* the request says which; otherwise they are as they are in a recording that runs already, or auto */
    enum walker walker;
    bool carrier_frames;         /* stacks of virtual threads include the carriers' frames */
    bool code;                   /* record snapshots of the machine code in which samples fall */
    bool recompile;              /* an older name for heal=now */
    enum heal_mode heal;         /* what to do with code that was compiled before the agent was loaded */
    struct budget_limits limits; /* limits of the event cpu */
    struct wall_options wall;
    uint64_t interval_ns;
    uint64_t duration_ns; /* 0 = until stopped */
    struct keep keep;
    struct dumps_options dumps;
    const char *jfr; /* as in struct recording */
};

/* Returns which kinds of event the recording will not have (bits of enum jfr_without). */
uint32_t collect_without(const struct collect_options *options);

enum { COLLECT_WARNING_MAX = 256 };

struct collect_status {
    uint32_t id;
    pid_t client;
    char name[COLLECT_NAME_MAX];
    char file[RECORDING_PATH_MAX];
    char warning[COLLECT_WARNING_MAX];   /* the recording's latest warning; empty = none */
    char fault[INTERNAL_FAULT_TEXT_MAX]; /* a fault in the agent, which ended all sampling; empty = none */
    char error[512];                     /* why nothing can be written any more; empty = there is no error */
    unsigned events;
    struct clock clock;        /* for the event cpu, like resolution_ns and cpu_ns */
    uint64_t pace_ns;          /* for the event cpu: the present interval */
    const char *clocks;        /* for the event cpu: which threads have clocks at present, "all" or "lot" */
    uint64_t paths_ns;         /* how long threads may be stopped at the end for the search for paths; 0 = no search */
    uint64_t wall_interval_ns; /* interval of the event wall */
    uint64_t interval_ns, resolution_ns, elapsed_ns, samples, lost, bytes;
    int64_t cpu_ns;
    uint32_t threads;
    struct keep keep;
    uint64_t kept_ns; /* the length of time that the file contains */
    const struct dumps *dumps;
    const char *jfr; /* as in the options */
};

#endif
