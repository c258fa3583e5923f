/* Compares a service before and after a change, over many hosts, and finds which methods and lines became dearer or cheaper, which are new
 * or gone, and which only moved. The variance comes from the differences between hosts; with few hosts, also from those between blocks of
 * time. Derivation: docs/internals/sampling-math.md.
 *
 *   changes_init -> changes_unit, changes_figure, changes_edge, and weights for them -> changes_compute -> read -> changes_deinit
 *
 * A unit is what one host had on one side in one block of time. A figure is a method, with self and total, or a line. A host that is a unit
 * on both sides is compared with itself. */
#ifndef CANDOR_PROFILE_FIGURES_CHANGES_H
#define CANDOR_PROFILE_FIGURES_CHANGES_H

#include "profile/figures/compare.h"

#include "base/map.h"
#include "base/strtab.h"

enum changes_side { CHANGES_BEFORE, CHANGES_AFTER };
enum changes_which { CHANGES_SELF, CHANGES_TOTAL };
enum changes_verdict { CHANGES_UNSURE, CHANGES_NEW, CHANGES_GONE, CHANGES_DEARER, CHANGES_CHEAPER, CHANGES_MOVED };
/* PAIRED: each host is compared with itself. APART: the hosts of one side are compared with those of the other. ALONE: one host is compared
 * with itself, by blocks of time. NONE: nothing can be compared; `reason` says why. */
enum changes_design { CHANGES_NONE, CHANGES_PAIRED, CHANGES_APART, CHANGES_ALONE };

/* With fewer hosts than this on a side, blocks of time count, too. */
enum { CHANGES_FEW_HOSTS = 5, CHANGES_BLOCKS = 16, CHANGES_NO_FIGURE = UINT32_MAX };

struct changes_value {
    double weight[2]; /* by enum changes_side */
    double share[2];  /* of the side's weight */
    /* All following values are shares of the weight after the change. Weight that was set aside is not part of the scale. The value
     * before is what it would be after the change if the method's cost had stayed as it was. Both are NAN for CHANGES_NONE. */
    double expected, change;
    double p, q;       /* q: the smallest rate of false discoveries at which this is a discovery */
    double deviations; /* the change in standard deviations */
    bool tested;
    bool innermost; /* neither the own time nor a callee explains the change of a total: it is the place to look at */
    enum changes_verdict verdict;
    uint32_t partner; /* for CHANGES_MOVED: the figure to, or from, which it moved */
};

/* Values that are computed only for figures that are shown. */
struct changes_bounds {
    struct interval interval; /* the 95 % interval of `change` */
    double detectable;        /* the least growth that four of five such comparisons would find */
};

struct changes_figure {
    uint32_t name;   /* string id in `names` */
    int32_t line;    /* 0 = the whole method; a line has only `self`: samples whose innermost frame of the program is there */
    uint32_t method; /* the figure of the line's method; CHANGES_NO_FIGURE = not known */
    double samples[2];
    struct changes_value value[2]; /* by enum changes_which */
    double *cells;                 /* by unit: self, total */
    uint32_t cells_cap;
    bool aside; /* its self weight was set aside */
};

struct changes_unit {
    uint32_t host, side, block, group; /* host: place in `hosts`; group: string id in `names` */
    double weight, squares, rest;
};

struct changes_host {
    uint32_t name;
    bool compared;
    double weight[2], squares[2];
    double factor[2];   /* what its weight counts for in the estimates; 1 unless hosts are paired */
    double rest[2];     /* so weighed */
    uint32_t blocks[2]; /* bits: the blocks with samples */
};

/* Calls from one method to another, on each side. */
struct changes_edge {
    uint32_t callee, caller; /* figures; caller: CHANGES_NO_FIGURE = none, the thread's first method */
    double weight[2];
};

struct changes {
    double level; /* set by the caller: 0.01 = of the changes that are named, one in a hundred may be none */
    /* As above: NULL, or a function that is called regularly during changes_compute. If it returns a code, the computation ends. */
    int (*is_over)(void *context);
    void *context;
    bool any_pair;       /* as above: there are no edges, so cost may move between any two methods, also unrelated ones */
    uint64_t cells_most; /* as above: the largest number of cells; each cell is the self and total of a figure in a unit */
    struct strtab names;
    struct changes_figure *figures;
    struct changes_unit *units;
    struct changes_host *hosts;
    struct changes_edge *edges;
    uint32_t figure_count, figure_cap, unit_count, unit_cap, host_count, host_cap, edge_count, edge_cap;
    struct map figure_of, unit_of, host_of, edge_of;

    enum changes_design design;
    const char *reason;                                   /* NULL, or why nothing can be said for sure */
    uint32_t compared[2];                                 /* number of hosts that are compared, by side */
    double weight[2];                                     /* of these hosts */
    double rest[2];                                       /* what is not set aside of it */
    double even_weight[2], even_squares[2], even_rest[2]; /* the same with each host's factor */
    double even_hosts[2];                                 /* the number of equally large hosts whose variance would be known as well */
    /* The squares of the hosts' deviations add up to less than the variance, because hosts are a part of the mean from which they deviate,
     * a large host most of all: the part of the variance by effects of hosts, and that by draws. Of equal hosts both are 1 - 1/H. */
    double of_effects[2], of_draws[2];
    double part_squares[2]; /* the sum of the squares of the hosts' parts of the weight */
    double median;          /* the median dispersion of all figures */
    uint32_t tests, sure, asides;
    double *of_hosts;      /* scratch: by host and side */
    uint64_t cell_count;   /* the sum of cells_cap */
    uint32_t *order;       /* the units, by host, then by side */
    uint32_t *order_begin; /* by 2 * host + side: the place in `order` of the first one; one more at the end */
};

int changes_init(struct changes *c); /* returns 0 or -ENOMEM; so do all others */
void changes_deinit(struct changes *c);
/* Finds or adds a unit. group: a label's value for the host, for the causes; "" = none. */
int changes_unit(struct changes *c, enum changes_side side, const char *host, const char *group, uint32_t block, uint32_t *unit);
/* Adds samples of the unit. squares: the sum of the squares of the single weights. */
void changes_weigh(struct changes *c, uint32_t unit, double weight, double squares);
/* Finds or adds a method (line 0) or a line of a method. */
int changes_figure(struct changes *c, const char *name, size_t len, int32_t line, uint32_t *figure);
/* Adds weight to a figure. Returns -E2BIG if it takes too many cells. */
int changes_add(struct changes *c, uint32_t figure, uint32_t unit, double self, double total, double samples);
/* Finds or adds an edge; the caller adds to its weights. */
int changes_edge(struct changes *c, uint32_t callee, uint32_t caller, uint32_t *edge);
/* Whether so few hosts will be compared that blocks of time should count, and units lack them: if hosts are compared with themselves, those
 * of a side; otherwise all. Hosts that are on one side only may make either side seem large. */
bool changes_wants_blocks(const struct changes *c);
/* Returns 0, -ENOMEM, or the code of is_over. */
int changes_compute(struct changes *c);

void changes_bounds(const struct changes *c, uint32_t figure, enum changes_which which, struct changes_bounds *out);

const char *changes_name(const struct changes *c, uint32_t figure);
const char *changes_verdict_name(enum changes_verdict v); /* "new", "gone", "dearer", "cheaper", "moved", "not sure" */
const char *changes_design_name(enum changes_design d);   /* "none", "paired", "apart", "alone" */

/* ---- for changes_shift.c ---- */

/* Estimates and tests a figure, or the sum of two (other: CHANGES_NO_FIGURE = one), without the interval. */
void changes_test(const struct changes *c, uint32_t figure, uint32_t other, enum changes_which which, struct changes_value *v);
/* Asks is_over at every 64th place. Returns 0 or its code. */
int changes_is_over(const struct changes *c, uint32_t place);
/* Labels what only moved, and finds the innermost changes. */
int changes_shift(struct changes *c);

#endif
