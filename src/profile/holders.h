/* The holders of live objects. The paths from the samples' labels (load_holders.h) are grouped and added up.
 *
 *   {0} -> holders_take ... -> holders_settle -> read -> holders_deinit
 *
 * A path that reached neither a static field nor a root is a row without a holder, and its objects count as missing. If one holder holds
 * objects by several paths (an entry may be the first in its bucket, or not), the paths are added up. */
#ifndef CANDOR_PROFILE_HOLDERS_H
#define CANDOR_PROFILE_HOLDERS_H

#include "base/map.h"
#include "profile/profile.h"

/* The labels' keys; the separator between the steps of a path; the recording's word for a complete path; and Candor's word for a path
 * that was not read (load_holders.h). */
#define HOLDERS_PATH    "path"
#define HOLDERS_HOLDER  "holder"
#define HOLDERS_NO_PATH "no_path"
#define HOLDERS_BETWEEN " <- "
#define HOLDERS_FOUND   "found"
#define HOLDERS_UNREAD  "unread"

struct holder {
    uint32_t class_name, path; /* string ids: the class of the objects, and the path that leads to them */
    uint32_t holder;           /* string id; 0 = the path has no end */
    uint32_t objects;          /* number of sampled objects */
    uint64_t bytes;            /* live bytes that the sampled objects stand for */
};

struct holders_sum {
    uint32_t row;     /* the holder's path that leads to most bytes, as an index in rows */
    uint32_t paths;   /* number of the holder's paths; each path without an end has its own sum */
    uint32_t objects; /* sampled objects at the ends of all these paths */
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
    struct holders_sum *sums; /* by bytes, most first; filled by holders_settle */
    uint32_t sum_count;
    struct holders_missing *missing; /* the same, for objects without a path */
    uint32_t missing_count, missing_cap;
    uint32_t objects; /* sampled objects with a path, or with a reason why there is none */
    uint64_t bytes;
    struct map by_key;
};

/* Whether the recording has information on the object's holder. */
bool holders_are_told(const struct profile *p, const struct profile_object *o);
/* Adds an object. Returns 0 or -ENOMEM. An object without such labels changes nothing. */
int holders_take(struct holders *h, const struct profile *p, const struct profile_object *o);
int holders_settle(struct holders *h); /* sorts the rows and computes the sums; returns 0 or -ENOMEM */
void holders_deinit(struct holders *h);

#endif
