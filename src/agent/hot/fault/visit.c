#include "agent/hot/fault/visit.h"

#include "agent/hot/load.h"
#include "agent/hot/unwind/frame.h"
#include "agent/hot/walk/walk.h"

#include <stdatomic.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { STACK_WORDS_SEARCHED = 512 };

static struct {
    _Atomic long tid; /* 0 = free */
    struct turn turn;
} visits[VISITS_MAX];

void (*visit_frees)(void);

static int find(long tid)
{
    /* Relaxed, because a thread always sees what it has written itself. */
    for (int i = 0; i < VISITS_MAX; i++)
        if (atomic_load_explicit(&visits[i].tid, memory_order_relaxed) == tid)
            return i;
    return -1;
}

static int claim(long tid)
{
    for (int i = 0; i < VISITS_MAX; i++) {
        long nobody = 0;
        if (atomic_compare_exchange_strong(&visits[i].tid, &nobody, tid))
            return i;
    }
    return -1;
}

bool visit(void (*work)(void *), void *argument)
{
    long tid = syscall(SYS_gettid);
    int i = turn_if_own_thread() || find(tid) >= 0 ? -1 : claim(tid);
    if (i < 0) {
        work(argument);
        return true;
    }
    bool whole = turn_take(&visits[i].turn, work, argument);
    atomic_store(&visits[i].tid, 0);
    if (!whole && visit_frees)
        visit_frees();
    return whole;
}

/* Whether the agent called the code that faulted. The nearest return address on the stack that is in the agent or in the JVM decides
 * this. */
static bool is_called_by_agent(uintptr_t sp)
{
    uint64_t word;
    for (int i = 0; i < STACK_WORDS_SEARCHED && load_u64(sp + 8 * (uintptr_t)i, &word); i++) {
        uintptr_t address = frame_code_address(word);
        if (turn_is_own(address) || walk_is_in_libjvm(address))
            return !walk_is_in_libjvm(address);
    }
    return false;
}

struct turn *visit_that_faulted(uintptr_t pc, uintptr_t sp)
{
    int i = find(syscall(SYS_gettid));
    bool ours = i >= 0 && visits[i].turn.sp && (turn_is_own(pc) || is_called_by_agent(sp));
    return ours ? &visits[i].turn : NULL;
}
