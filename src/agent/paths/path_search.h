/* Finds the holders of objects: a search against the direction of references, with nothing but walks of the whole heap, which
 * report every reference once, in arbitrary order, and identify only objects that have a tag.
 *
 *   path_search_new -> [ path_search_begin -> path_search_root, path_search_reference ... -> path_search_end ->
 *                        path_search_drop, path_search_anchor ... -> path_search_settle ]* -> read -> path_search_free
 *
 * Nodes are objects; node n has the tag n. First come the samples, the objects to find holders for, at level 0. A walk looks
 * for references to the nodes that no earlier walk has looked for: the referring object gets a tag, and is a node of the next
 * level. So after k walks everything that is k references away from a sample is known, up to PATH_NODES_MAX and similar limits;
 * an object whose referrers were passed over is marked. Between walks the caller, who can inspect objects then, says which
 * references hold nothing (such as weak ones), and which objects need no holder (classes that are never unloaded, live
 * threads). Nodes that lead only to samples with a complete path are not followed any further.
 *
 * A path leads from a root to a sample: it is the shortest, where short-lived roots count as further away. Everything that an
 * interrupted walk has seen is true; what it has not seen is never taken to be absent.
 *
 * The JVM calls the part from begin to end while all threads stand still: it allocates nothing, and calls nothing but the
 * clock. */
#ifndef CANDOR_AGENT_PATHS_PATH_SEARCH_H
#define CANDOR_AGENT_PATHS_PATH_SEARCH_H

#include <stdbool.h>
#include <stdint.h>

enum {
    PATH_SAMPLES_MAX = 256,
    PATH_NODES_MAX = 4096,
    PATH_EDGES_MAX = 4 * PATH_NODES_MAX,
    PATH_REFERRERS_MAX = 16, /* of one object */
    PATH_WALKS_MAX = 64
};

enum path_kind {
    PATH_FIELD,
    PATH_STATIC_FIELD, /* of a class, which is the holder */
    PATH_ELEMENT,      /* of an array */
    PATH_CLASS,        /* of an object */
    PATH_CLASS_LOADER, /* this and the rest: of a class */
    PATH_SIGNERS,
    PATH_PROTECTION_DOMAIN,
    PATH_INTERFACE,
    PATH_SUPERCLASS,
    PATH_CONSTANT,
    PATH_OTHER,
    PATH_KINDS
};

enum path_root {
    PATH_NO_ROOT,
    PATH_ROOT_CLASS, /* the object is a class that stays; path_search_anchor, or the JVM's own word */
    PATH_ROOT_JNI_GLOBAL,
    PATH_ROOT_THREAD, /* the object is a live thread; the same */
    PATH_ROOT_MONITOR,
    PATH_ROOT_OTHER,
    PATH_ROOT_STACK,
    PATH_ROOT_JNI_LOCAL,
    PATH_ROOTS
};

enum path_outcome {
    PATH_FOUND,
    PATH_BUDGET,    /* further walks would have taken too long */
    PATH_ABORTED,   /* one did, and was broken off */
    PATH_UNREACHED, /* everything that refers to it was examined, as far as it was reported, and no root does */
    PATH_BEYOND,    /* as far as the bounds above go */
    PATH_GONE,      /* it was dead before the first */
    PATH_FAILED,    /* the JVM refused */
    PATH_NOT_CHOSEN,
    PATH_OUTCOMES
};

extern const char *const path_outcome_names[PATH_OUTCOMES];

struct path_node {
    uint32_t level;
    uint32_t edges; /* to it, a list; 0 = none */
    uint32_t edge_count;
    enum path_root root;
    int64_t thread; /* of a root on a thread's stack: its Java id */
    int32_t length; /* of an array; -1 = it is none, or not known */
    bool is_gone, is_beyond;
    bool is_wanted;                                     /* it may lead to a sample that has no path */
    bool is_asked;                                      /* the walk looks for what refers to it */
    bool has_answer;                                    /* one has, to its end */
    bool is_on_path;                                    /* this, the symbols, the next, and the like of edges: the caller's */
    uint64_t signature;                                 /* for a class that may be unloaded: a hash of its name */
    uint32_t distance;                                  /* from a root; UINT32_MAX = none is known */
    uint32_t way;                                       /* the edge that comes from there; 0 = it is a root's itself */
    uint32_t class_name, description, root_description; /* symbols */
    uint32_t mark;
};

struct path_edge {
    uint32_t holder, held; /* nodes */
    uint32_t next;         /* of the same held one; 0 = none */
    int32_t index;         /* of the field, as JVMTI counts them, or element */
    enum path_kind kind;
    bool is_dropped;
    bool is_on_path, is_static;
    uint32_t field_name; /* symbol */
};

struct path_search {
    struct path_node *nodes;                  /* from 1 */
    struct path_edge *edges;                  /* from 1 */
    uint32_t samples, node_count, edge_count; /* the last one in use */
    uint32_t walks;                           /* that went to their ends */
    uint32_t first_new;                       /* the first node, and the first edge, of the last walk */
    uint32_t first_new_edge;
    uint32_t mark;
    uint64_t references, deadline_ns; /* of the walk */
    bool is_broken_off;               /* it came to its deadline */
    enum path_outcome stop;           /* why there is no further walk, where one would be wanted */
};

/* NULL: no memory. At most PATH_SAMPLES_MAX samples. */
struct path_search *path_search_new(uint32_t samples);
void path_search_free(struct path_search *s);

/* How many nodes the next walk is to look for; 0 = there is nothing left to be found. */
uint32_t path_search_wanted(const struct path_search *s);

/* deadline: when to abort the walk, by CLOCK_MONOTONIC. */
void path_search_begin(struct path_search *s, uint64_t deadline_ns);
/* Each of the two returns false if the walk must be broken off. held: the tag of the referenced object; 0 = none. */
bool path_search_root(struct path_search *s, enum path_root root, int64_t thread, int64_t held, int32_t length);
/* holder: the tag of the referring object, which is set if it has none and needs one. */
bool path_search_reference(struct path_search *s, enum path_kind kind, int32_t index, int64_t *holder, int64_t held, int32_t length);
/* has_failed: the JVM would not walk. After that, and when the walk was broken off, the search is over. */
void path_search_end(struct path_search *s, bool has_failed);

void path_search_drop(struct path_search *s, uint32_t edge);
/* Notes that the node is a root, so that no walk has to find this out. */
void path_search_anchor(struct path_search *s, uint32_t node, enum path_root root);
/* Finds the paths. */
void path_search_settle(struct path_search *s);

enum path_outcome path_search_outcome(struct path_search *s, uint32_t sample);
/* The edge from the node's holder to the node, on the node's path. If the walks ended before a path was found (see outcome), an edge
 * from a known holder. 0 = the path ends here. */
uint32_t path_search_way(const struct path_search *s, uint32_t node, enum path_outcome outcome);

#endif
