/* Finds the holders of objects by a search against the direction of references. The only tool is a walk of the whole heap. Such a walk
 * reports every reference once, in arbitrary order, and identifies only objects that have a tag.
 *
 *   path_search_new -> [ path_search_begin -> path_search_root, path_search_reference ... -> path_search_end ->
 *                        path_search_drop, path_search_anchor ... -> path_search_settle ]* -> read -> path_search_free
 *
 * Nodes are objects; node n has the tag n. First come the samples, the objects to find holders for, at level 0. A walk looks for references
 * to the nodes that no earlier walk has looked for: the referring object gets a tag, and is a node of the next level. So after k walks all
 * objects at a distance of k references from a sample are known, up to PATH_NODES_MAX and similar limits. An object is marked if some of
 * its referrers were left out. Between walks the caller can inspect objects. It reports which references hold nothing (such as weak ones),
 * and which objects need no holder (classes that are never unloaded, live threads). Nodes that lead only to samples with a complete path
 * are not followed any further.
 *
 * A path leads from a root to a sample. It is the shortest path, but short-lived roots count as further away. Everything that an
 * interrupted walk has seen is true. References that it has not seen are never assumed to be absent.
 *
 * The JVM calls the part from begin to end while all threads stand still: it allocates nothing, and calls nothing but the clock. */
#ifndef CANDOR_AGENT_PATHS_PATH_SEARCH_H
#define CANDOR_AGENT_PATHS_PATH_SEARCH_H

#include <stdbool.h>
#include <stdint.h>

enum {
    PATH_SAMPLES_MAX = 256,
    PATH_NODES_MAX = 4096,
    PATH_EDGES_MAX = 4 * PATH_NODES_MAX,
    PATH_REFERRERS_MAX = 16, /* most referrers of one object */
    PATH_WALKS_MAX = 64
};

enum path_kind {
    PATH_FIELD,
    PATH_STATIC_FIELD, /* of a class; the class is the holder */
    PATH_ELEMENT,      /* of an array */
    PATH_CLASS,        /* from an object to its class */
    PATH_CLASS_LOADER, /* this kind and the following ones: from a class */
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
    PATH_ROOT_CLASS, /* the object is a class that is never unloaded, according to path_search_anchor or to the JVM */
    PATH_ROOT_JNI_GLOBAL,
    PATH_ROOT_THREAD, /* the object is a live thread, according to path_search_anchor or to the JVM */
    PATH_ROOT_MONITOR,
    PATH_ROOT_OTHER,
    PATH_ROOT_STACK,
    PATH_ROOT_JNI_LOCAL,
    PATH_ROOTS
};

enum path_outcome {
    PATH_FOUND,
    PATH_BUDGET,    /* further walks would have taken too long */
    PATH_ABORTED,   /* a walk took too long, and was aborted */
    PATH_UNREACHED, /* all reported references to it were followed, and none leads from a root */
    PATH_BEYOND,    /* the limits above were reached */
    PATH_GONE,      /* it was dead before the first walk */
    PATH_FAILED,    /* the JVM refused */
    PATH_NOT_CHOSEN,
    PATH_OUTCOMES
};

extern const char *const path_outcome_names[PATH_OUTCOMES];

struct path_node {
    uint32_t level;
    uint32_t edges; /* a list of the edges to it; 0 = none */
    uint32_t edge_count;
    enum path_root root;
    int64_t thread; /* for a root on a thread's stack: the thread's Java id */
    int32_t length; /* of an array; -1 = the object is not an array, or the length is unknown */
    bool is_gone, is_beyond;
    bool is_wanted;                                     /* it may lead to a sample that has no path */
    bool is_asked;                                      /* the walk looks for references to it */
    bool has_answer;                                    /* a completed walk has looked for references to it */
    bool is_on_path;                                    /* this and `mark`, the symbols, and the same members of edges: for the caller */
    uint64_t signature;                                 /* for a class that may be unloaded: a hash of its name */
    uint32_t distance;                                  /* from a root; UINT32_MAX = no root is known */
    uint32_t way;                                       /* the edge on the way from the root; 0 = a root refers to it directly */
    uint32_t class_name, description, root_description; /* symbols */
    uint32_t mark;
};

struct path_edge {
    uint32_t holder, held; /* nodes */
    uint32_t next;         /* the next edge to the same `held`; 0 = none */
    int32_t index;         /* of the field, as JVMTI counts fields, or of the element */
    enum path_kind kind;
    bool is_dropped;
    bool is_on_path, is_static;
    uint32_t field_name; /* symbol */
};

struct path_search {
    struct path_node *nodes;                  /* from index 1 */
    struct path_edge *edges;                  /* from index 1 */
    uint32_t samples, node_count, edge_count; /* samples: the number of samples; the others: the last index in use */
    uint32_t walks;                           /* number of completed walks */
    uint32_t first_new;                       /* the first node of the last walk, and then its first edge */
    uint32_t first_new_edge;
    uint32_t mark;
    uint64_t references, deadline_ns; /* of the present walk */
    bool is_broken_off;               /* the walk reached its deadline */
    enum path_outcome stop;           /* why there is no further walk, although one would be needed */
};

/* Makes a search for at most PATH_SAMPLES_MAX samples. Returns NULL if there is no memory. */
struct path_search *path_search_new(uint32_t samples);
void path_search_free(struct path_search *s);

/* Returns the number of nodes that the next walk must look for; 0 = nothing is left to be found. */
uint32_t path_search_wanted(const struct path_search *s);

/* Begins a walk. deadline_ns: when to abort it, by CLOCK_MONOTONIC. */
void path_search_begin(struct path_search *s, uint64_t deadline_ns);
/* Notes a reference from a root. This function and the next return false if the walk must be aborted. held: the tag of the referenced
 * object; 0 = none. */
bool path_search_root(struct path_search *s, enum path_root root, int64_t thread, int64_t held, int32_t length);
/* Notes a reference from an object. *holder: the tag of the referring object, which is set if it has none and needs one. */
bool path_search_reference(struct path_search *s, enum path_kind kind, int32_t index, int64_t *holder, int64_t held, int32_t length);
/* Ends a walk. has_failed: the JVM refused the walk. If it is set, or if the walk was aborted, the search is over. */
void path_search_end(struct path_search *s, bool has_failed);

void path_search_drop(struct path_search *s, uint32_t edge);
/* Notes that the node is a root, so that no walk has to find this out. */
void path_search_anchor(struct path_search *s, uint32_t node, enum path_root root);
/* Finds the paths. */
void path_search_settle(struct path_search *s);

enum path_outcome path_search_outcome(struct path_search *s, uint32_t sample);
/* Returns the edge from the node's holder to the node, on the node's path; 0 = the path ends here. If the walks ended before a path was
 * found (see outcome), it is an edge from a known holder. */
uint32_t path_search_way(const struct path_search *s, uint32_t node, enum path_outcome outcome);

#endif
