#include "report/json/json_tree.h"

#include "profile/figures/calltree.h"
#include "profile/figures/reroot.h"

static void put_node(struct jsonw *j, const struct profile *p, const struct calltree *tree, uint32_t at, uint64_t least)
{
    const struct calltree_node *n = &tree->nodes[at];
    jsonw_object(j);
    jsonw_key(j, "name");
    jsonw_string(j, profile_text(p, n->label), strtab_len(&p->strings, n->label));
    jsonw_member_text(j, "type", profile_type_name(n->type));
    jsonw_member_uint(j, "total", n->total);
    jsonw_member_uint(j, "self", n->self);
    jsonw_member_uint(j, "samples", n->total_samples);
    jsonw_key(j, "children");
    jsonw_array(j);
    for (uint32_t i = 0; i < n->child_count && tree->nodes[n->first + i].total >= least; i++)
        put_node(j, p, tree, n->first + i, least);
    jsonw_array_end(j);
    jsonw_object_end(j);
}

static int put_tree(struct jsonw *j, const struct profile *p, const char *key, uint64_t least)
{
    struct calltree tree;
    int rc = calltree_build(&tree, p, false);
    jsonw_key(j, key);
    if (rc) {
        jsonw_null(j);
        return rc;
    }
    put_node(j, p, &tree, 0, least ? least : 1);
    calltree_deinit(&tree);
    return 0;
}

static int put_view(struct jsonw *j, const struct profile *p, enum reroot how, const struct regex *method, const char *key, uint64_t least)
{
    struct profile view;
    int rc = reroot_init(&view, p, how, method);
    rc = rc ? rc : put_tree(j, &view, key, least);
    reroot_deinit(&view);
    return rc;
}

int json_trees(struct jsonw *j, const struct profile *p, const struct report_options *o)
{
    uint64_t least = (uint64_t)(o->threshold * (double)p->weight);
    int rc = o->sections & REPORT_TREE ? put_tree(j, p, "tree", least) : 0;
    if (!rc && o->sections & REPORT_BOTTOM_UP)
        rc = put_view(j, p, REROOT_BOTTOM_UP, NULL, "bottom_up", least);
    if (!rc && o->callers)
        rc = put_view(j, p, REROOT_CALLERS, o->callers, "callers", least);
    if (!rc && o->callees)
        rc = put_view(j, p, REROOT_CALLEES, o->callees, "callees", least);
    return rc;
}
