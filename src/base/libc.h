/* What the C libraries, glibc and musl, call by different names. */
#ifndef CANDOR_BASE_LIBC_H
#define CANDOR_BASE_LIBC_H

#include <pthread.h>
#include <signal.h>

#ifdef PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP
#define LIBC_ERRORCHECK_MUTEX PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP
#else
/* clang-format off */
#define LIBC_ERRORCHECK_MUTEX {{{PTHREAD_MUTEX_ERRORCHECK}}}
/* clang-format on */
#endif

/* Sets the thread that gets the signal of a timer with SIGEV_THREAD_ID. */
static inline void libc_notify_thread(struct sigevent *event, int tid)
{
#ifdef sigev_notify_thread_id
    event->sigev_notify_thread_id = tid;
#else
    event->_sigev_un._tid = tid;
#endif
}

#endif
