/* A table of work of the JDK and of libraries that is expensive if a program requests it again and again. The marks of stacks, the
 * findings and the rule (rules/rule_costs.c) are made from it; cost_methods.c has the methods.
 *
 * COST(F, symbol, id, title, words, source, limit, when, remedy):
 *   F              the macro that makes a finding (rules.h)
 *   id, title      as in rules.h
 *   words          the activity that used the time
 *   source, limit  CPU: a share of the CPU time. WALL: the mean number of threads that wait there. From the limit on it is a warning
 *   when           EVER, or SETTLED: the JVM's first minute does not count, because every program does this at its start */
#ifndef CANDOR_ANALYSIS_KNOWN_COSTS_H
#define CANDOR_ANALYSIS_KNOWN_COSTS_H

#define COST_ROWS(COST, F)                                                                                                                 \
    COST(F, REGEX, "regex_compiled", "Regular expressions are compiled again and again", "compiling regular expressions", CPU, 0.2, EVER,  \
         "compile the Pattern once, into a static final field; String.split, replaceAll and matches compile theirs at each call")          \
    COST(F, FORMAT, "text_formatted", "Formatting text takes much of the CPU time", "formatting text", CPU, 0.3, EVER,                     \
         "concatenate with + or a StringBuilder where it is hot; String.format reads its format anew at each call")                        \
    COST(F, DATES, "formats_made", "Formats of dates and numbers are made again and again", "making formats of dates and numbers", CPU,    \
         0.2, EVER, "make a DateTimeFormatter once and share it; keep a SimpleDateFormat or DecimalFormat for each thread")                \
    COST(F, WALKS, "stacks_walked", "The program looks at its own stack again and again", "walking and describing stacks", CPU, 0.2, EVER, \
         "leave class and line out of the log's pattern; pass on what the callee needs; StackWalker looks at the frames it is asked for")  \
    COST(F, HASHES, "hash_collisions", "Keys of a hash table collide", "trees of keys that collide in hash tables", CPU, 0.2, EVER,        \
         "a hashCode that differs where equals does; have keys implement Comparable; limit keys that clients choose")                      \
    COST(F, SCANS, "list_scanned", "Lists are searched element by element", "searching lists, or moving their elements", CPU, 0.4, EVER,   \
         "a HashSet or HashMap to look things up, an ArrayDeque to remove at the head, an ArrayList to get by index")                      \
    COST(F, GROWTH, "collections_grow", "Collections and buffers grow step by step", "growing collections and buffers", CPU, 0.4, EVER,    \
         "give the size that is expected to the constructor: new ArrayList<>(n), new StringBuilder(n); HashMap.newHashMap(n) in "          \
         "JDK 19 and later")                                                                                                               \
    COST(F, COPIES, "copied_on_write", "A CopyOnWrite collection is written again and again", "copying collections at each write", CPU,    \
         0.2, EVER, "ConcurrentHashMap.newKeySet(), or a list under a lock: each write of a CopyOnWrite collection copies all of it")      \
    COST(F, SERIAL, "java_serialization", "Java serialization takes much of the CPU time", "Java serialization", CPU, 0.6, EVER,           \
         "another format (records as JSON, Protocol Buffers, Kryo), or Externalizable for the classes that are most of it")                \
    COST(F, REFLECTION, "reflection_lookups", "Methods and fields are looked up by reflection again and again",                            \
         "looking up members by reflection", CPU, 0.4, SETTLED, "keep the Method, Field or MethodHandle that was found")                   \
    COST(F, LOOKUPS, "lookups_repeated", "Services, factories and resources are looked up again and again",                                \
         "looking up services and resources", CPU, 0.2, SETTLED,                                                                           \
         "keep the factory or the service that was found; each look-up goes through the whole class path")                                 \
    COST(F, CLASSES, "class_loading", "Classes are loaded and generated all the time", "loading and generating classes", CPU, 0.2,         \
         SETTLED, "keep what makes them: script engines, proxies, templates, class loaders; candor report --callers defineClass")          \
    COST(F, LOGS, "logging", "Logging takes much of the CPU time", "logging", CPU, 0.6, EVER,                                              \
         "log less at the place that is named; an asynchronous appender; a pattern without class, method and line")                        \
    COST(F, CONSOLE, "console_output", "Output by PrintStream takes much of the CPU time", "printing with PrintStream", CPU, 0.4, EVER,    \
         "a logger, or a BufferedWriter that is flushed seldom: System.out writes each line under one lock")                               \
    COST(F, BYTES, "bytes_one_by_one", "Files are read or written byte by byte", "system calls for single bytes of files", CPU, 0.2, EVER, \
         "a BufferedInputStream or BufferedOutputStream around the stream")                                                                \
    COST(F, DIRECT, "direct_buffers", "Direct buffers are allocated again and again", "allocating direct buffers", CPU, 0.2, EVER,         \
         "keep direct buffers and use them again, or a pool of them; heap buffers for what lives shortly")                                 \
    COST(F, YIELDS, "busy_waiting", "Threads wait by spinning", "spinning in yield and onSpinWait", CPU, 0.6, EVER,                        \
         "wait with a lock, a queue or LockSupport.park; fewer spinning threads than processors where latency needs them")                 \
    COST(F, RANDOM, "secure_random", "Secure random numbers take much of the CPU time", "secure random numbers", CPU, 0.4, EVER,           \
         "ThreadLocalRandom where nobody may gain by guessing; a SecureRandom for each thread; fewer UUID.randomUUID")                     \
    COST(F, TLS, "tls_handshakes", "TLS handshakes take much of the CPU time", "TLS handshakes", CPU, 0.4, EVER,                           \
         "keep connections open and use them again; session tickets; keys of elliptic curves rather than RSA")                             \
    COST(F, THREAD_LOCALS, "thread_locals", "Thread locals are searched for long", "probing and cleaning maps of thread locals", CPU, 0.2, \
         EVER, "one static ThreadLocal in place of one for each object; remove() what is over")                                            \
    COST(F, FINALIZERS, "finalizers", "Objects with finalizers are made again and again", "registering and running finalizers", CPU, 0.2,  \
         EVER, "close() in try-with-resources, and a Cleaner as the last resort, in place of finalize()")                                  \
    COST(F, INTERN, "strings_interned", "Strings are interned again and again", "String.intern", CPU, 0.2, EVER,                           \
         "a ConcurrentHashMap of the program's own, or -XX:+UseStringDeduplication")                                                       \
    COST(F, NAMES, "names_resolved", "Threads wait for names of hosts", "resolving names of hosts", WALL, 1.0, EVER,                       \
         "keep connections; look at the name server and at networkaddress.cache.ttl; a local cache (nscd, systemd-resolved)")              \
    COST(F, CONNECTS, "connections_opened", "Threads wait for connections to be opened", "opening connections", WALL, 1.0, EVER,           \
         "a pool of connections that stay open (keep-alive); look at whether the peer accepts them")                                       \
    COST(F, FILE_LOCKS, "file_locks", "Threads wait for locks of files", "FileChannel.lock", WALL, 1.0, EVER,                              \
         "hold it for less; a lock of the process, where no other process needs the file")                                                 \
    COST(F, PROCESSES, "processes_started", "Threads wait while processes are started", "starting processes", WALL, 0.5, EVER,             \
         "a library in place of the command, or one process that is kept and asked")

/* The marks of the rows, for enum stack_mark. */
#define COST_MARK(F, symbol, ...) STACK_COST_##symbol,

#endif
