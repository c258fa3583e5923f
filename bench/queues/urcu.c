/* Userspace RCU's wait-free concurrent queue, its inlined form, with preallocated nodes that are reused as in our queues. */
#define _LGPL_SOURCE
#include "contender.h"

#include <urcu/wfcqueue.h>

struct item {
    struct cds_wfcq_node node;
    void *element;
};

static struct item items[SLOTS] __attribute__((aligned(128)));
static struct __cds_wfcq_head head __attribute__((aligned(128)));
static struct cds_wfcq_tail tail __attribute__((aligned(128)));

static void init(void)
{
    __cds_wfcq_init(&head, &tail);
}

static bool push(const struct race *race, uint64_t n, void *element)
{
    struct item *item = &items[n % SLOTS];

    if (n + 2 >= SLOTS + __atomic_load_n(&race->consumed, __ATOMIC_ACQUIRE))
        return false;
    cds_wfcq_node_init(&item->node);
    item->element = element;
    cds_wfcq_enqueue(&head, &tail, &item->node);
    return true;
}

static void *pop(void)
{
    struct cds_wfcq_node *node = __cds_wfcq_dequeue_nonblocking(&head, &tail);

    return node && node != CDS_WFCQ_WOULDBLOCK ? caa_container_of(node, struct item, node)->element : NULL;
}

CONTENDER(wfcqueue, push(race, n, element), element = pop())

const struct contender urcu[] = {{"liburcu wfcqueue", "mpsc", false, init, NULL, wfcqueue_produce, wfcqueue_consume}};
const size_t urcu_count = 1;
