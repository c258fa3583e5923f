#include "agent/trigger/signals/ask.h"

#include "agent/hot/signal/handler.h"
#include "agent/trigger/signals/signals.h"

#include <sys/syscall.h>
#include <unistd.h>

static int request_signal;

int ask_open(struct error *e)
{
    request_signal = signals_for_requests();
    return signals_set(request_signal, handler_on_request, e);
}

void ask(struct sampled_thread *t, uint64_t running_ns, uint64_t ready_ns)
{
    /* Relaxed, both, because no other memory depends on them. The signal comes after them on every path to the handler. */
    atomic_fetch_add_explicit(&t->collector.asked_running_ns, running_ns, memory_order_relaxed);
    atomic_fetch_add_explicit(&t->collector.asked_ready_ns, ready_ns, memory_order_relaxed);
    /* The value identifies our request, because the program may send the signal, too. */
    siginfo_t info = {.si_code = SI_QUEUE};
    info.si_pid = getpid();
    info.si_uid = getuid();
    info.si_value.sival_ptr = &handler_config;
    syscall(SYS_rt_tgsigqueueinfo, info.si_pid, t->tid, request_signal, &info);
}

bool ask_is_taken(void)
{
    return request_signal && signals_taker(request_signal);
}

void ask_forget(void)
{
    for (uint32_t i = 0, limit = atomic_load(&sampled_threads_used); i < limit; i++) {
        atomic_store_explicit(&sampled_threads[i].collector.asked_running_ns, 0, memory_order_relaxed);
        atomic_store_explicit(&sampled_threads[i].collector.asked_ready_ns, 0, memory_order_relaxed);
    }
}

uint64_t ask_pending(const struct sampled_thread *t)
{
    return atomic_load_explicit(&t->collector.asked_running_ns, memory_order_relaxed) +
           atomic_load_explicit(&t->collector.asked_ready_ns, memory_order_relaxed);
}
