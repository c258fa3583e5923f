/* A table of work of the JDK and of libraries that is expensive if a program requests it again and again. The marks of stacks, the
 * findings and the rule (rules/rule_costs.c) are made from it; cost_methods.c has the methods.
 *
 * COST(F, symbol, id, title, words, source, limit, when, remedy):
 *   F              the macro that makes a finding (rules.h)
 *   id, title      as in rules.h
 *   words          the activity that used the time
 *   source, limit  CPU: a share of the CPU time. WALL: the mean number of threads that wait there. From the limit on it is a warning
 *   when           EVER, or SETTLED: the JVM's first minute does not count, because every program does this at its start */
#ifndef CANDOR_PROFILE_KNOWN_COSTS_H
#define CANDOR_PROFILE_KNOWN_COSTS_H

#define COST_ROWS(COST, F)                                                                                                                 \
    COST(F, REGEX, "regex_compiled", "Regular expressions are compiled again and again", "compiling regular expressions", CPU, 0.2, EVER,  \
         "compile the Pattern once, and keep it in a static final field; String.split, replaceAll and matches compile a pattern at each "  \
         "call")                                                                                                                           \
    COST(F, BACKTRACKS, "regex_backtracks", "Regular expressions try a repeated group in many ways",                                       \
         "matching repeated groups of regular expressions", CPU, 0.6, EVER,                                                                \
         "avoid repetitions within repetitions, such as (a+)+ and (\\w+\\s?)*: a text that does not match is divided in every possible "   \
         "way. Use possessive quantifiers (a++), or limit the length of the text")                                                         \
    COST(F, FORMAT, "text_formatted", "Formatting text takes much of the CPU time", "formatting text", CPU, 0.3, EVER,                     \
         "use + or a StringBuilder in hot code; String.format parses its format string at each call")                                      \
    COST(F, DATES, "formats_made", "Formatters for dates and numbers are created again and again",                                         \
         "creating formatters for dates and numbers", CPU, 0.2, EVER,                                                                      \
         "create a DateTimeFormatter once and share it; keep a SimpleDateFormat or DecimalFormat for each thread")                         \
    COST(F, WALKS, "stacks_walked", "The program inspects its own stack again and again", "walking and describing stacks", CPU, 0.2, EVER, \
         "remove class and line from the pattern of the log; pass values to the callee instead of searching the stack; StackWalker reads " \
         "only the frames that are needed")                                                                                                \
    COST(F, HASHES, "hash_collisions", "Keys of a hash table collide", "searching trees of colliding keys in hash tables", CPU, 0.2, EVER, \
         "write a hashCode that differs for different keys; make keys Comparable; limit the number of keys that clients can choose")       \
    COST(F, SCANS, "list_scanned", "Lists are searched element by element", "searching lists, or moving their elements", CPU, 0.4, EVER,   \
         "use a HashSet or HashMap to look up elements, an ArrayDeque to remove elements at the head, an ArrayList to get elements by "    \
         "index")                                                                                                                          \
    COST(F, GROWTH, "collections_grow", "Collections and buffers grow step by step", "growing collections and buffers", CPU, 0.4, EVER,    \
         "pass the expected size to the constructor: new ArrayList<>(n), new StringBuilder(n); HashMap.newHashMap(n) in JDK 19 and later") \
    COST(F, COPIES, "copied_on_write", "A CopyOnWrite collection is modified again and again", "copying collections for each change", CPU, \
         0.2, EVER,                                                                                                                        \
         "use ConcurrentHashMap.newKeySet(), or a list with a lock: each change of a CopyOnWrite collection copies all its elements")      \
    COST(F, SERIAL, "java_serialization", "Java serialization takes much of the CPU time", "Java serialization", CPU, 0.6, EVER,           \
         "use another format (records as JSON, Protocol Buffers, Kryo), or make the classes that take most of the time Externalizable")    \
    COST(F, REFLECTION, "reflection_lookups", "Methods and fields are looked up by reflection again and again",                            \
         "looking up members by reflection", CPU, 0.4, SETTLED, "look up the Method, Field or MethodHandle once, and keep it")             \
    COST(F, LOOKUPS, "lookups_repeated", "Services, factories and resources are looked up again and again",                                \
         "looking up services, factories and resources", CPU, 0.2, SETTLED,                                                                \
         "look up the factory or the service once, and keep it; each look-up searches the whole class path")                               \
    COST(F, CLASSES, "class_loading", "Classes are loaded and generated all the time", "loading and generating classes", CPU, 0.2,         \
         SETTLED,                                                                                                                          \
         "keep script engines, proxies, templates and class loaders instead of creating them again; candor report --callers defineClass "  \
         "shows which code does")                                                                                                          \
    COST(F, LOGS, "logging", "Logging takes much of the CPU time", "logging", CPU, 0.6, EVER,                                              \
         "log less at the named place; use an asynchronous appender, and a pattern without class, method and line")                        \
    COST(F, CONSOLE, "console_output", "Output by PrintStream takes much of the CPU time", "printing with PrintStream", CPU, 0.4, EVER,    \
         "use a logger, or a BufferedWriter that is rarely flushed: System.out writes each line while holding one lock")                   \
    COST(F, BYTES, "bytes_one_by_one", "Files are read or written byte by byte", "system calls for single bytes of files", CPU, 0.2, EVER, \
         "wrap the stream in a BufferedInputStream or BufferedOutputStream")                                                               \
    COST(F, OPENS, "files_opened", "Files are opened or looked up again and again", "opening files and reading their attributes", CPU,     \
         0.4, SETTLED,                                                                                                                     \
         "read the file once, and again only when it has changed (WatchService, or its time once a second); keep a log file open")         \
    COST(F, PROPERTIES, "properties_loaded", "Properties are read and parsed again and again", "loading properties", CPU, 0.2, SETTLED,    \
         "load them once, and keep them; load them again when their file has changed")                                                     \
    COST(F, DIRECT, "direct_buffers", "Direct buffers are allocated again and again", "allocating direct buffers", CPU, 0.2, EVER,         \
         "reuse direct buffers, for example from a pool; use heap buffers for short-lived data")                                           \
    COST(F, YIELDS, "busy_waiting", "Threads wait by spinning", "yielding, and asking queues, futures and semaphores that do not wait",    \
         CPU, 0.6, EVER,                                                                                                                   \
         "wait with a lock, a queue or LockSupport.park; if latency demands spinning, use fewer spinning threads than processors")         \
    COST(F, RANDOM, "secure_random", "Secure random numbers take much of the CPU time", "secure random numbers", CPU, 0.4, EVER,           \
         "use ThreadLocalRandom where guessing the number does no harm; use one SecureRandom for each thread; call UUID.randomUUID less "  \
         "often")                                                                                                                          \
    COST(F, SHARED_RANDOM, "random_shared", "Random numbers take much of the CPU time", "java.util.Random", CPU, 0.6, EVER,                \
         "use ThreadLocalRandom.current() or SplittableRandom: a Random changes its seed atomically, and threads that share one hold "     \
         "each other up")                                                                                                                  \
    COST(F, KEYS, "keys_generated", "Keys are generated again and again", "generating keys, and keys from passwords", CPU, 0.2, EVER,      \
         "generate a pair of keys once, and keep it; check a password once for each session; elliptic-curve keys cost less than RSA")      \
    COST(F, TLS, "tls_handshakes", "TLS handshakes take much of the CPU time", "TLS handshakes", CPU, 0.4, EVER,                           \
         "keep connections open and reuse them; use session tickets, and elliptic-curve keys instead of RSA")                              \
    COST(F, THREAD_LOCALS, "thread_locals", "Looking up thread locals takes long", "searching and cleaning maps of thread locals", CPU,    \
         0.2, EVER, "use one static ThreadLocal instead of one for each object; call remove() for values that are no longer needed")       \
    COST(F, FINALIZERS, "finalizers", "Objects with finalizers are created again and again", "registering and running finalizers", CPU,    \
         0.2, EVER, "replace finalize() by close() in try-with-resources, and by a Cleaner as the last resort")                            \
    COST(F, INTERN, "strings_interned", "Strings are interned again and again", "String.intern", CPU, 0.2, EVER,                           \
         "keep the strings in a ConcurrentHashMap of the program, or use -XX:+UseStringDeduplication")                                     \
    COST(F, TABLE_SCANS, "tables_scanned", "A database inside the program reads whole tables", "scanning tables", CPU, 0.4, EVER,          \
         "create an index for the columns in the query's condition: EXPLAIN shows which tables it scans")                                  \
    COST(F, STATEMENTS, "statements_parsed", "SQL statements are parsed again and again", "parsing SQL", CPU, 0.2, EVER,                   \
         "use a PreparedStatement with parameters instead of values in the text, and keep it, or let the pool of connections cache it")    \
    COST(F, MAPPERS, "mappers_made", "Mappers for JSON or XML are created again and again", "preparing mappers for JSON or XML", CPU, 0.2, \
         EVER, "create the ObjectMapper, Gson or JAXBContext once, and share it: they are safe for threads, and know their classes then")  \
    COST(F, TEMPLATES, "templates_compiled", "Templates and scripts are compiled again and again", "compiling templates and scripts", CPU, \
         0.2, EVER, "compile the template or the script once, and keep it; pass values as variables, not in its text")                     \
    COST(F, CLIENTS, "clients_made", "Clients with pools of connections are created again and again",                                      \
         "creating clients, with their threads and connections", CPU, 0.2, SETTLED,                                                        \
         "create the client once, keep it in a static field or inject it, and share it: it is safe for threads, and each new one starts "  \
         "threads and opens connections that nobody uses again")                                                                           \
    COST(F, NAMES, "names_resolved", "Threads wait for the resolution of host names", "resolving host names", WALL, 1.0, EVER,             \
         "keep connections open; check the name server and networkaddress.cache.ttl; run a local cache (nscd, systemd-resolved)")          \
    COST(F, CONNECTS, "connections_opened", "Threads wait for connections to be opened", "opening connections", WALL, 1.0, EVER,           \
         "use a pool of connections that stay open (keep-alive); check that the peer keeps them open, too")                                \
    COST(F, FILE_LOCKS, "file_locks", "Threads wait for file locks", "FileChannel.lock", WALL, 1.0, EVER,                                  \
         "hold the lock for a shorter time; if no other process needs the file, use a lock inside the process")                            \
    COST(F, PROCESSES, "processes_started", "Threads wait while processes are started", "starting processes", WALL, 0.5, EVER,             \
         "use a library instead of the command, or keep one process and send it requests")

/* The marks of the rows, for enum stack_mark. */
#define COST_MARK(F, symbol, ...) STACK_COST_##symbol,

#endif
