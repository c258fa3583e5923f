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

/* A recording has a set of events (recorded_events.h), a bit each; safepoint only by itself, live never without alloc. What each event
 * does, and in which order, is in sampling/parts.c. */
#define COLLECT_EVENT_BIT(symbol, name) COLLECT_##symbol = 1 << RECORDING_EVENT_##symbol,
enum collect_event { RECORDING_EVENT_ROWS(COLLECT_EVENT_BIT) };
enum { COLLECT_EVENTS = RECORDING_EVENT_COUNT, COLLECT_EVENTS_BYTES = 64 };
/* Events with a clock, or with looks at threads; the JVM reports the others. */
enum { COLLECT_BY_INTERVAL = COLLECT_CPU | COLLECT_WALL | COLLECT_SAFEPOINT };
extern const char *const collect_event_names[COLLECT_EVENTS]; /* of the event 1 << i */
/* "cpu,wall". Returns out. */
char *collect_events_text(char out[COLLECT_EVENTS_BYTES], unsigned events);

enum { COLLECT_AT_ONCE = 4 }; /* recordings; safepoint only alone */
_Static_assert((int)COLLECT_AT_ONCE <= (int)JFR_TEE_MAX, "one writer writes to all of them");
enum { COLLECT_SAFEPOINT_INTERVAL_MIN_NS = NS_PER_MS };
enum { COLLECT_PERIOD_MS = 50 }; /* for the event cpu: how often it needs a turn */

enum { COLLECT_NAME_MAX = 64 };

struct collect_options {
    char name[COLLECT_NAME_MAX]; /* of who makes it, such as "daemon"; empty = nobody says */
    pid_t client;                /* the process that asked for it, as its kernel tells; 0 = none did, or it is in another name space */
    uint32_t recording;          /* of a request about one that runs: its id; 0 = the request does not say */
    char file[RECORDING_PATH_MAX];
    bool passed;     /* a client opened the file; */
    int descriptor;  /* then this is it, and stays his */
    unsigned events; /* of enum collect_event */
    struct alloc_options alloc;
    struct live_options live;
    struct lock_options lock;
    struct event_counter counter; /* for the event cpu: what its clock counts; without a name: CPU time */
    uint64_t event_interval;      /* for that: events between two samples; 0 = the event's default */
    enum clock_kind clock;        /* for the event cpu, like the next four */
    enum lots_mode clocks;        /* which threads have one */
    enum walker walker;
    bool carrier_frames;         /* of virtual threads */
    bool code;                   /* with snapshots of the machine code that samples fall in */
    bool recompile;              /* the former name of heal=now */
    enum heal_mode heal;         /* code that was compiled before the agent was loaded */
    struct budget_limits limits; /* of the event cpu */
    struct wall_options wall;
    uint64_t interval_ns;
    uint64_t duration_ns; /* 0 = until stopped */
    struct keep keep;
    struct dumps_options dumps;
    const char *jfr; /* struct recording */
};

/* Which kinds of event the recording will not have (bits of enum jfr_without). */
uint32_t collect_without(const struct collect_options *options);

enum { COLLECT_WARNING_MAX = 256 };

struct collect_status {
    uint32_t id;
    pid_t client;
    char name[COLLECT_NAME_MAX];
    char file[RECORDING_PATH_MAX];
    char warning[COLLECT_WARNING_MAX];   /* the latest of the recording's warnings; empty = none */
    char fault[INTERNAL_FAULT_TEXT_MAX]; /* a fault in the agent, which ended all sampling; empty = none */
    char error[512];                     /* why nothing is written any more; empty = it is */
    unsigned events;
    struct clock clock;        /* for the event cpu, like its resolution, and cpu_ns */
    uint64_t pace_ns;          /* for the event cpu: the present interval */
    const char *clocks;        /* the same: which threads have clocks at present, "all" or "lot" */
    uint64_t paths_ns;         /* the stopped time that the end may take for the search for paths; 0 = none */
    uint64_t wall_interval_ns; /* of the event wall */
    uint64_t interval_ns, resolution_ns, elapsed_ns, samples, lost, bytes;
    int64_t cpu_ns;
    uint32_t threads;
    struct keep keep;
    uint64_t kept_ns; /* how far the file goes back */
    const struct dumps *dumps;
    const char *jfr; /* of the options */
};

#endif
