/* The holders of live objects: their paths (load_holders.h), merged.
 *
 *   {0} -> holders_take ... -> holders_settle -> read -> holders_deinit
 *
 * A path that was followed neither to a static field nor to a root is a row without a holder, and its objects count as missing.
 * If one holder holds objects by several paths (an entry is the first in its bucket, or not), they are added up. */
#ifndef CANDOR_PROFILE_HOLDERS_H
#define CANDOR_PROFILE_HOLDERS_H

#include "base/map.h"
#include "profile/profile.h"

/* The labels' keys, the separator of the steps of a path, a recording's word for a complete path, and our word for one that was
 * not read (load_holders.h). */
#define HOLDERS_PATH    "path"
#define HOLDERS_HOLDER  "holder"
#define HOLDERS_NO_PATH "no_path"
#define HOLDERS_BETWEEN " <- "
#define HOLDERS_FOUND   "found"
#define HOLDERS_UNREAD  "unread"

struct holder {
    uint32_t class_name, path; /* string ids; of the objects, and what leads to them */
    uint32_t holder;           /* string id; 0 = the path has no end */
    uint32_t objects;          /* sampled ones */
    uint64_t bytes;            /* that these stand for */
};

struct holders_sum {
    uint32_t row;     /* of its paths the one that leads to most bytes */
    uint32_t paths;   /* their number; each that has no end counts by itself */
    uint32_t objects; /* at the ends of all of them */
    uint64_t bytes;
};

struct holders_missing {
    uint32_t reason; /* string id */
    uint32_t objects;
    uint64_t bytes;
};

struct holders {
    struct holder *rows; /* by bytes, most first */
    uint32_t count, cap;
    struct holders_sum *sums; /* by bytes, most first; once settled */
    uint32_t sum_count;
    struct holders_missing *missing; /* the same */
    uint32_t missing_count, missing_cap;
    uint32_t objects; /* of which anything is told */
    uint64_t bytes;
    struct map by_key;
};

/* Whether the recording has information on what holds the object. */
bool holders_are_told(const struct profile *p, const struct profile_object *o);
/* 0 or -ENOMEM; a sample without such labels changes nothing. */
int holders_take(struct holders *h, const struct profile *p, const struct profile_object *o);
int holders_settle(struct holders *h); /* 0 or -ENOMEM */
void holders_deinit(struct holders *h);

#endif
