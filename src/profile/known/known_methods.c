#include "profile/known/known_methods.h"

#include "profile/known/cost_methods.h"
#include "profile/known/stack_mark.h"
#include "base/text/code_owner.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

static bool begins(const char *text, const char *with)
{
    return !strncmp(text, with, strlen(with));
}

static bool begins_any(const char *text, const char *const *list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (begins(text, list[i]))
            return true;
    return false;
}

#define IN(list, text) begins_any(text, list, sizeof(list) / sizeof *(list))

#define JUC    "java.util.concurrent."
#define RWLOCK JUC "locks.ReentrantReadWriteLock$"

struct known {
    const char *class_name, *method; /* NULL = any */
    enum stack_mark mark;
};

static const struct known known_methods[] = {
    {"java.lang.Throwable", "fillInStackTrace", STACK_FILLS_TRACE},
    {"libjvm", "java_lang_Throwable::fill_in_stack_trace", STACK_FILLS_TRACE},
    {"java.lang.Runtime", "gc", STACK_CALLS_GC},
    {JUC "ThreadPoolExecutor", "runWorker", STACK_WORKS},
    {JUC "ThreadPoolExecutor", "getTask", STACK_TAKES_TASK},
    {"org.apache.tomcat.util.threads.ThreadPoolExecutor", "runWorker", STACK_WORKS},
    {"org.apache.tomcat.util.threads.ThreadPoolExecutor", "getTask", STACK_TAKES_TASK},
    {"org.eclipse.jetty.util.thread.ReservedThreadExecutor$ReservedThread", "waitForTask", STACK_TAKES_TASK},
    {JUC "ForkJoinPool", "runWorker", STACK_WORKS},
    {JUC "ForkJoinPool", "runWorker", STACK_FORKS},
    {JUC "ForkJoinPool", "awaitWork", STACK_TAKES_TASK},
    {JUC "ForkJoinTask", "doExec", STACK_EXECUTES},
    {JUC "FutureTask", "run", STACK_RESULTS},
    {JUC "CompletableFuture$AsyncSupply", "run", STACK_RESULTS},
    {JUC "CompletableFuture$AsyncRun", "run", STACK_RESULTS},
    {JUC "CompletableFuture$AsyncSupply", "exec", STACK_RESULTS},
    {JUC "CompletableFuture$AsyncRun", "exec", STACK_RESULTS},
    {JUC "CompletableFuture$Completion", "run", STACK_RESULTS},
    {JUC "CompletableFuture$Completion", "exec", STACK_RESULTS},
    {JUC "ForkJoinTask", "doExec", STACK_RESULTS},
    {JUC "FutureTask", "awaitDone", STACK_AWAITS},
    {JUC "CompletableFuture", "waitingGet", STACK_AWAITS},
    {JUC "CompletableFuture", "timedGet", STACK_AWAITS},
    {JUC "ForkJoinTask", "awaitDone", STACK_AWAITS},
    {JUC "ForkJoinTask", "externalAwaitDone", STACK_AWAITS},
    {JUC "ForkJoinTask", "externalInterruptibleAwaitDone", STACK_AWAITS},
    {JUC "CountDownLatch", "await", STACK_LATCHES},
    {JUC "Semaphore", "acquire", STACK_ACQUIRES},
    {JUC "Semaphore", "acquireUninterruptibly", STACK_ACQUIRES},
    {JUC "Semaphore", "tryAcquire", STACK_ACQUIRES},
    {JUC "locks.AbstractQueuedSynchronizer$ConditionObject", NULL, STACK_CONDITION},
    {"JVM", "[GC]", STACK_COLLECTS},
    {"java.lang.Thread", "start", STACK_STARTS},
    {"java.lang.Thread", "<init>", STACK_STARTS},
    {"java.net.http.HttpClient", "newHttpClient", STACK_MAKES_CLIENT},
    {"jdk.internal.net.http.HttpClientBuilderImpl", "build", STACK_MAKES_CLIENT},
    {"jdk.internal.net.http.HttpClientImpl", "create", STACK_MAKES_CLIENT},
    {RWLOCK "WriteLock", NULL, STACK_LOCKS_WRITE},
    {RWLOCK "ReadLock", NULL, STACK_LOCKS_READ},
    {"sun.nio.ch.FileChannelImpl", "force", STACK_FORCES},
    {"java.io.FileDescriptor", "sync", STACK_SYNCS},
    {"io.netty.channel.nio.NioEventLoop", "run", STACK_LOOPS},
    {"io.netty.channel.epoll.EpollEventLoop", "run", STACK_LOOPS},
    {"io.netty.channel.SingleThreadIoEventLoop", "run", STACK_LOOPS},
    {"io.netty.channel.DefaultEventLoop", "run", STACK_LOOPS},
    {"org.xnio.nio.WorkerThread", "run", STACK_LOOPS},
    {"org.apache.tomcat.util.net.NioEndpoint$Poller", "run", STACK_LOOPS},
    {"reactor.core.scheduler.SchedulerTask", "call", STACK_REACTS},
    {"reactor.core.scheduler.WorkerTask", "call", STACK_REACTS},
    {"org.apache.http.impl.nio.reactor.AbstractIOReactor", "execute", STACK_LOOPS},
    {"java.net.SocketInputStream", "read", STACK_ASKS}, /* before JDK 13 */
    {"sun.nio.ch.NioSocketImpl", "implRead", STACK_ASKS},
    {"sun.nio.ch.SocketChannelImpl", "read", STACK_ASKS},
    {"sun.nio.ch.SocketChannelImpl", "blockingRead", STACK_ASKS},
    {"jdk.internal.net.http.HttpClientImpl", "send", STACK_ASKS},
    {"sun.nio.ch.SelectorImpl", NULL, STACK_SELECTS},
    {"sun.nio.ch.EPollSelectorImpl", NULL, STACK_SELECTS},
    {"io.netty.channel.epoll.Native", NULL, STACK_SELECTS},
    {"io.netty.channel.uring.Native", NULL, STACK_SELECTS},
    {"io.netty.util.concurrent.SingleThreadEventExecutor", "takeTask", STACK_SELECTS},
    {"com.zaxxer.hikari.util.ConcurrentBag", "borrow", STACK_BORROWS},
    {"com.zaxxer.hikari.pool.HikariPool", "getConnection", STACK_BORROWS},
    {"com.mchange.v2.resourcepool.BasicResourcePool", "awaitAvailable", STACK_BORROWS},
    {"com.alibaba.druid.pool.DruidDataSource", "getConnectionInternal", STACK_BORROWS},
    {"io.agroal.pool.ConnectionPool", "getConnection", STACK_BORROWS},
    {"org.apache.commons.pool.impl.GenericObjectPool", "borrowObject", STACK_BORROWS},
    {"org.apache.commons.pool2.impl.GenericObjectPool", "borrowObject", STACK_BORROWS},
    {"org.apache.commons.pool2.impl.GenericKeyedObjectPool", "borrowObject", STACK_BORROWS},
    {"org.apache.tomcat.dbcp.pool2.impl.GenericObjectPool", "borrowObject", STACK_BORROWS},
    {"org.apache.tomcat.jdbc.pool.ConnectionPool", "borrowConnection", STACK_BORROWS},
    {"org.apache.http.pool.AbstractConnPool", "getPoolEntryBlocking", STACK_BORROWS},
    {"org.apache.http.impl.conn.PoolingHttpClientConnectionManager", "leaseConnection", STACK_BORROWS},
    {"org.apache.hc.client5.http.impl.classic.InternalExecRuntime", "acquireEndpoint", STACK_BORROWS},
    {"oracle.ucp.common.UniversalConnectionPoolBase", "borrowConnection", STACK_BORROWS},
    {"redis.clients.jedis.util.Pool", "getResource", STACK_BORROWS},
};

static bool boxes(const char *class_name, const char *method)
{
    static const char *const wrappers[] = {"Byte", "Short", "Character", "Integer", "Long", "Float", "Double"};
    static const char package[] = "java.lang.";
    if (strcmp(method, "valueOf") || !begins(class_name, package))
        return false;
    for (size_t i = 0; i < sizeof wrappers / sizeof *wrappers; i++)
        if (!strcmp(class_name + sizeof package - 1, wrappers[i]))
            return true;
    return false;
}

static bool takes(const char *class_name, const char *method)
{
    static const char *const queues[] = {JUC "ArrayBlockingQueue",    JUC "LinkedBlockingQueue", JUC "LinkedBlockingDeque",
                                         JUC "PriorityBlockingQueue", JUC "SynchronousQueue",    JUC "LinkedTransferQueue"};
    static const char *const methods[] = {"take", "takeFirst", "takeLast", "poll", "pollFirst", "pollLast"};
    bool queue = false, method_takes = false;
    for (size_t i = 0; i < sizeof queues / sizeof *queues; i++)
        queue = queue || !strcmp(class_name, queues[i]);
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++)
        method_takes = method_takes || !strcmp(method, methods[i]);
    return queue && method_takes;
}

/* Returns the marks of a method that lends a resource, judged by its name: a method that borrows, or any method of a pool, except those
 * that its threads run. */
static uint64_t lends(const char *class_name, const char *method)
{
    static const char *const verbs[] = {"borrow", "acquire", "checkout", "checkOut", "lease", "getConnection", "getResource"};
    static const char *const runs[] = {"run", "call", "main", "lambda$"};
    const char *dot = strrchr(class_name, '.'), *name = dot ? dot + 1 : class_name;
    if (code_owner(class_name, method) >= CODE_OF_JDK || strstr(name, "Thread") || strstr(name, "Worker") || strstr(name, "Executor"))
        return 0;
    if (IN(verbs, method))
        return 1u << STACK_LENDS | 1u << STACK_BORROWS_BY_VERB;
    return strstr(name, "Pool") && !IN(runs, method) ? 1u << STACK_LENDS : 0;
}

uint64_t known_method_marks(const char *class_name, const char *method)
{
    uint64_t marks = cost_method_marks(class_name, method);
    marks |= (takes(class_name, method) ? 1u << STACK_TAKES : 0) | lends(class_name, method) |
             (boxes(class_name, method) ? 1u << STACK_BOXES : 0);
    for (size_t i = 0; i < sizeof known_methods / sizeof *known_methods; i++)
        if (!strcmp(class_name, known_methods[i].class_name) && (!known_methods[i].method || !strcmp(method, known_methods[i].method)))
            marks |= UINT64_C(1) << known_methods[i].mark;
    return marks;
}
