#include "analysis/own_code.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

static const char *const jdk_packages[] = {"java.", "javax.", "jdk.", "sun.", "com.sun."};

/* The JDK's methods in which threads wait for each other, whoever calls them. */
static const char *const plumbing[] = {"jdk.internal.misc.Unsafe", "sun.misc.Unsafe", "java.util.concurrent.locks.", "java.lang.Object"};

/* Frameworks, servers, drivers and languages: their frames say how a program does something, seldom what it does. */
static const char *const libraries[] = {
    "akka.", "ch.qos.logback.", "clojure.", "com.alibaba.druid.", "com.fasterxml.jackson.", "com.google.common.", "com.google.protobuf.",
    "com.mchange.", "com.microsoft.sqlserver.", "com.mysql.", "com.zaxxer.hikari.", "groovy.", "io.agroal.", "io.grpc.", "io.lettuce.",
    "io.micrometer.", "io.netty.", "io.opentelemetry.", "io.quarkus.", "io.reactivex.", "io.undertow.", "io.vertx.", "jakarta.", "kotlin.",
    "kotlinx.", "net.bytebuddy.", "okhttp3.", "oracle.jdbc.", "oracle.ucp.", "org.apache.catalina.", "org.apache.commons.",
    "org.apache.coyote.", "org.apache.hc.", "org.apache.http.", "org.apache.jasper.", "org.apache.kafka.", "org.apache.logging.",
    "org.apache.tomcat.", "org.codehaus.groovy.", "org.eclipse.jetty.", "org.glassfish.", "org.h2.", "org.hibernate.", "org.jboss.",
    "org.mariadb.", "org.postgresql.", "org.slf4j.", "org.springframework.", "org.xnio.", "reactor.", "redis.clients.", "scala."};

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

enum code_owner own_code_owner(const char *class_name, const char *method)
{
    if (strstr(class_name, "$$Lambda"))
        return CODE_OF_JDK; /* it made that class */
    if (IN(jdk_packages, class_name))
        return IN(plumbing, class_name) && strcmp(method, "<init>") ? CODE_OF_PLUMBING : CODE_OF_JDK;
    return IN(libraries, class_name) ? CODE_OF_LIBRARY : CODE_OF_PROGRAM;
}

/* ---- marks ---- */

#define JUC "java.util.concurrent."
#define RWLOCK JUC "locks.ReentrantReadWriteLock$"

struct known {
    const char *class_name, *method; /* NULL = any */
    enum stack_mark mark;
};

static const struct known known_methods[] = {
    {"java.lang.Throwable", "fillInStackTrace", STACK_FILLS_TRACE},
    {"java.lang.Runtime", "gc", STACK_CALLS_GC},
    {JUC "ThreadPoolExecutor", "runWorker", STACK_WORKS},
    {JUC "ThreadPoolExecutor", "getTask", STACK_TAKES_TASK},
    {"org.apache.tomcat.util.threads.ThreadPoolExecutor", "runWorker", STACK_WORKS},
    {"org.apache.tomcat.util.threads.ThreadPoolExecutor", "getTask", STACK_TAKES_TASK},
    {JUC "ForkJoinPool", "runWorker", STACK_WORKS},
    {JUC "ForkJoinPool", "runWorker", STACK_FORKS},
    {JUC "ForkJoinPool", "awaitWork", STACK_TAKES_TASK},
    {JUC "ForkJoinTask", "doExec", STACK_EXECUTES},
    {JUC "FutureTask", "awaitDone", STACK_AWAITS},
    {JUC "CompletableFuture", "waitingGet", STACK_AWAITS},
    {JUC "CompletableFuture", "timedGet", STACK_AWAITS},
    {JUC "ForkJoinTask", "awaitDone", STACK_AWAITS},
    {JUC "ForkJoinTask", "externalAwaitDone", STACK_AWAITS},
    {JUC "ForkJoinTask", "externalInterruptibleAwaitDone", STACK_AWAITS},
    {JUC "Semaphore", "acquire", STACK_ACQUIRES},
    {JUC "Semaphore", "acquireUninterruptibly", STACK_ACQUIRES},
    {JUC "Semaphore", "tryAcquire", STACK_ACQUIRES},
    {"JVM", "[GC]", STACK_COLLECTS},
    {"java.lang.Thread", "start", STACK_STARTS},
    {RWLOCK "WriteLock", NULL, STACK_LOCKS_WRITE},
    {RWLOCK "ReadLock", NULL, STACK_LOCKS_READ},
    {"sun.nio.ch.FileChannelImpl", "force", STACK_FORCES},
    {"java.io.FileDescriptor", "sync", STACK_SYNCS},
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

/* By its name: a method that borrows, or one of a pool, but for what its threads run. */
static bool lends(const char *class_name, const char *method)
{
    static const char *const verbs[] = {"borrow", "acquire", "checkout", "checkOut", "lease", "getConnection", "getResource"};
    static const char *const runs[] = {"run", "call", "main", "lambda$"};
    const char *dot = strrchr(class_name, '.'), *name = dot ? dot + 1 : class_name;
    if (IN(jdk_packages, class_name) || strstr(name, "Thread") || strstr(name, "Worker") || strstr(name, "Executor"))
        return false;
    return IN(verbs, method) || (strstr(name, "Pool") && !IN(runs, method));
}

uint32_t own_code_marks(const char *class_name, const char *method)
{
    uint32_t marks = (takes(class_name, method) ? 1u << STACK_TAKES : 0) | (lends(class_name, method) ? 1u << STACK_LENDS : 0) |
                     (boxes(class_name, method) ? 1u << STACK_BOXES : 0);
    for (size_t i = 0; i < sizeof known_methods / sizeof *known_methods; i++)
        if (!strcmp(class_name, known_methods[i].class_name) && (!known_methods[i].method || !strcmp(method, known_methods[i].method)))
            marks |= 1u << known_methods[i].mark;
    return marks;
}
