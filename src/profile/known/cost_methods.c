#include "profile/known/cost_methods.h"

#include "profile/known/stack_mark.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* methods: names separated by blanks; NULL = any. If the class ends with '*', all classes with that beginning are meant. */
struct cost {
    const char *class_name, *methods;
    enum stack_mark mark;
};

#define XERCES "com.sun.org.apache.xerces.internal.jaxp."
#define LOG4J  "org.apache.logging.log4j.core."

static const struct cost costs[] = {
    {"java.util.regex.Pattern", "compile", STACK_COST_REGEX},
    {"java.util.regex.Pattern$Loop", NULL, STACK_COST_BACKTRACKS},
    {"java.util.regex.Pattern$LazyLoop", NULL, STACK_COST_BACKTRACKS},
    {"java.util.regex.Pattern$GroupCurly", NULL, STACK_COST_BACKTRACKS},
    {"java.lang.String", "format formatted", STACK_COST_FORMAT},
    {"java.util.Formatter", "format", STACK_COST_FORMAT},
    {"java.text.MessageFormat", "format applyPattern", STACK_COST_FORMAT},
    {"java.text.SimpleDateFormat", "<init> initialize", STACK_COST_DATES},
    {"java.text.DecimalFormat", "<init>", STACK_COST_DATES},
    {"java.text.NumberFormat", "getInstance", STACK_COST_DATES},
    {"java.time.format.DateTimeFormatter", "ofPattern", STACK_COST_DATES},
    {"java.lang.Thread", "getStackTrace getAllStackTraces", STACK_COST_WALKS},
    {"java.lang.Throwable", "getStackTrace getOurStackTrace getStackTraceElement", STACK_COST_WALKS},
    {"java.lang.StackTraceElement", "of", STACK_COST_WALKS},
    {"java.lang.StackStreamFactory$AbstractStackWalker", "walk beginStackWalk callStackWalk", STACK_COST_WALKS},
    {"java.util.HashMap$TreeNode", NULL, STACK_COST_HASHES},
    {"java.util.concurrent.ConcurrentHashMap$TreeBin", NULL, STACK_COST_HASHES},
    {"java.util.concurrent.ConcurrentHashMap$TreeNode", NULL, STACK_COST_HASHES},
    {"java.util.ArrayList", "indexOf indexOfRange lastIndexOf contains fastRemove", STACK_COST_SCANS},
    {"java.util.LinkedList", "node indexOf lastIndexOf contains", STACK_COST_SCANS},
    {"java.util.Vector", "indexOf lastIndexOf contains", STACK_COST_SCANS},
    {"java.util.Arrays$ArrayList", "indexOf contains", STACK_COST_SCANS},
    {"java.util.AbstractCollection", "contains", STACK_COST_SCANS},
    {"java.util.ImmutableCollections$ListN", "indexOf contains", STACK_COST_SCANS},
    {"java.util.concurrent.CopyOnWriteArrayList", "indexOf indexOfRange contains", STACK_COST_SCANS},
    {"java.util.ArrayList", "grow", STACK_COST_GROWTH},
    {"java.util.Vector", "grow", STACK_COST_GROWTH},
    {"java.util.ArrayDeque", "grow doubleCapacity", STACK_COST_GROWTH},
    {"java.util.PriorityQueue", "grow", STACK_COST_GROWTH},
    {"java.util.HashMap", "resize", STACK_COST_GROWTH},
    {"java.util.IdentityHashMap", "resize", STACK_COST_GROWTH},
    {"java.util.concurrent.ConcurrentHashMap", "transfer", STACK_COST_GROWTH},
    {"java.lang.AbstractStringBuilder", "ensureCapacityInternal ensureCapacityNewCoder expandCapacity", STACK_COST_GROWTH},
    {"java.io.ByteArrayOutputStream", "ensureCapacity grow", STACK_COST_GROWTH},
    {"java.util.concurrent.CopyOnWriteArrayList", "add addAll addIfAbsent remove removeIf set", STACK_COST_COPIES},
    {"java.io.ObjectOutputStream", "writeObject", STACK_COST_SERIAL},
    {"java.io.ObjectInputStream", "readObject", STACK_COST_SERIAL},
    {"java.lang.Class",
     "getMethod getMethods getDeclaredMethod getDeclaredMethods getField getFields getDeclaredField getDeclaredFields getConstructor "
     "getConstructors getDeclaredConstructor getDeclaredConstructors",
     STACK_COST_REFLECTION},
    {"java.util.ServiceLoader*", "load hasNext next nextProviderClass iterator", STACK_COST_LOOKUPS},
    {"java.lang.ClassLoader", "getResource getResources getResourceAsStream", STACK_COST_LOOKUPS},
    {"javax.xml.parsers.DocumentBuilderFactory", "newInstance newDefaultInstance newDocumentBuilder", STACK_COST_LOOKUPS},
    {"javax.xml.parsers.SAXParserFactory", "newInstance newDefaultInstance newSAXParser", STACK_COST_LOOKUPS},
    {XERCES "DocumentBuilderFactoryImpl", "newDocumentBuilder", STACK_COST_LOOKUPS},
    {XERCES "SAXParserFactoryImpl", "newSAXParser newSAXParserImpl", STACK_COST_LOOKUPS},
    {"org.apache.xerces.jaxp.DocumentBuilderFactoryImpl", "newDocumentBuilder", STACK_COST_LOOKUPS},
    {"org.apache.xerces.jaxp.SAXParserFactoryImpl", "newSAXParser newSAXParserImpl", STACK_COST_LOOKUPS},
    {"javax.xml.transform.TransformerFactory", "newInstance newDefaultInstance", STACK_COST_LOOKUPS},
    {"javax.xml.stream.XMLInputFactory", "newInstance newFactory", STACK_COST_LOOKUPS},
    {"java.lang.ClassLoader", "loadClass defineClass defineClass1", STACK_COST_CLASSES},
    {"java.lang.invoke.MethodHandles$Lookup", "defineClass defineHiddenClass", STACK_COST_CLASSES},
    {"java.lang.invoke.InnerClassLambdaMetafactory", NULL, STACK_COST_CLASSES},
    {"java.lang.reflect.Proxy", "newProxyInstance getProxyConstructor", STACK_COST_CLASSES},
    {"ch.qos.logback.classic.Logger", "buildLoggingEventAndAppend callAppenders", STACK_COST_LOGS},
    {LOG4J "Logger", "logMessage log", STACK_COST_LOGS},
    {LOG4J "config.LoggerConfig", "log callAppenders", STACK_COST_LOGS},
    {LOG4J "async.AsyncLoggerConfigDisruptor*", "onEvent", STACK_COST_LOGS},
    {"org.apache.log4j.Category", "forcedLog callAppenders", STACK_COST_LOGS},
    {"java.util.logging.Logger", "doLog log", STACK_COST_LOGS},
    {"java.io.PrintStream", "println print printf write writeln", STACK_COST_CONSOLE},
    {"java.io.FileInputStream", "read0", STACK_COST_BYTES},
    {"java.io.RandomAccessFile",
     "read0 write0 readInt readLong readShort readUnsignedShort readChar readFloat readDouble writeInt writeLong writeShort writeChar",
     STACK_COST_BYTES},
    {"java.io.FileInputStream", "open0", STACK_COST_OPENS},
    {"java.io.FileOutputStream", "open0", STACK_COST_OPENS},
    {"java.io.RandomAccessFile", "open0", STACK_COST_OPENS},
    {"java.io.FileDescriptor", "close0", STACK_COST_OPENS},
    {"java.io.FileCleanable", "cleanupClose0", STACK_COST_OPENS},
    {"java.io.UnixFileSystem", NULL, STACK_COST_OPENS},
    {"sun.nio.fs.UnixNativeDispatcher", NULL, STACK_COST_OPENS},
    {"java.util.Properties", "load loadFromXML", STACK_COST_PROPERTIES},
    {"java.nio.ByteBuffer", "allocateDirect", STACK_COST_DIRECT},
    {"java.lang.Thread", "yield yield0 onSpinWait", STACK_COST_YIELDS},
    {"java.util.concurrent.ConcurrentLinkedQueue", "poll peek isEmpty", STACK_COST_YIELDS},
    {"java.util.concurrent.ConcurrentLinkedDeque", "poll pollFirst pollLast peek isEmpty", STACK_COST_YIELDS},
    {"java.util.concurrent.FutureTask", "isDone", STACK_COST_YIELDS},
    {"java.util.concurrent.CompletableFuture", "isDone getNow", STACK_COST_YIELDS},
    {"java.util.concurrent.Semaphore", "tryAcquire", STACK_COST_YIELDS},
    {"java.util.Random", "next", STACK_COST_SHARED_RANDOM},
    {"java.security.KeyPairGenerator*", "generateKeyPair genKeyPair", STACK_COST_KEYS},
    {"javax.crypto.SecretKeyFactory", "generateSecret", STACK_COST_KEYS},
    {"java.security.SecureRandom", "nextBytes", STACK_COST_RANDOM},
    {"sun.security.ssl.HandshakeContext*", NULL, STACK_COST_TLS},
    {"sun.security.ssl.SSLHandshake", NULL, STACK_COST_TLS},
    {"sun.security.ssl.SSLEngineImpl$DelegatedTask", "run", STACK_COST_TLS},
    {"java.lang.ThreadLocal$ThreadLocalMap", "getEntryAfterMiss expungeStaleEntry expungeStaleEntries cleanSomeSlots replaceStaleEntry",
     STACK_COST_THREAD_LOCALS},
    {"java.lang.ref.Finalizer", NULL, STACK_COST_FINALIZERS},
    {"java.lang.String", "intern", STACK_COST_INTERN},
    {"org.h2.mvstore.db.MVPrimaryIndex$MVStoreCursor", "next", STACK_COST_TABLE_SCANS},
    {"org.hsqldb.RangeVariable$RangeIteratorMain", "findNext", STACK_COST_TABLE_SCANS},
    {"org.apache.derby.impl.sql.execute.TableScanResultSet", "getNextRowCore", STACK_COST_TABLE_SCANS},
    {"org.apache.derby.impl.sql.execute.BulkTableScanResultSet", "getNextRowCore", STACK_COST_TABLE_SCANS},
    {"org.h2.command.Parser", "prepareCommand prepare parse", STACK_COST_STATEMENTS},
    {"org.hsqldb.ParserCommand", "compileStatement compileStatements", STACK_COST_STATEMENTS},
    {"org.apache.derby.impl.sql.GenericStatement", "prepare prepMinion", STACK_COST_STATEMENTS},
    {"com.fasterxml.jackson.databind.ObjectMapper", "<init>", STACK_COST_MAPPERS},
    {"com.fasterxml.jackson.databind.SerializerProvider",
     "_createAndCacheUntypedSerializer handlePrimaryContextualization handleSecondaryContextualization", STACK_COST_MAPPERS},
    {"com.fasterxml.jackson.databind.deser.DeserializerCache", "_createAndCacheValueDeserializer", STACK_COST_MAPPERS},
    {"com.fasterxml.jackson.databind.DeserializationContext", "findRootValueDeserializer", STACK_COST_MAPPERS},
    {"tools.jackson.databind.ObjectMapper", "<init>", STACK_COST_MAPPERS},
    {"com.google.gson.Gson", "<init>", STACK_COST_MAPPERS},
    {"com.google.gson.internal.bind.ReflectiveTypeAdapterFactory", "create", STACK_COST_MAPPERS},
    {"javax.xml.bind.JAXBContext", "newInstance", STACK_COST_MAPPERS},
    {"jakarta.xml.bind.JAXBContext", "newInstance", STACK_COST_MAPPERS},
    {"freemarker.template.Template", "<init>", STACK_COST_TEMPLATES},
    {"org.apache.velocity.runtime.RuntimeInstance", "parse", STACK_COST_TEMPLATES},
    {"com.github.mustachejava.DefaultMustacheFactory", "compile", STACK_COST_TEMPLATES},
    {"org.mozilla.javascript.Context", "compileString compileReader compileImpl compileFunction", STACK_COST_TEMPLATES},
    {"org.codehaus.groovy.control.CompilationUnit", "compile", STACK_COST_TEMPLATES},
    {"org.openjdk.nashorn.api.scripting.NashornScriptEngine", "compile compileImpl", STACK_COST_TEMPLATES},
    {"jdk.nashorn.api.scripting.NashornScriptEngine", "compile compileImpl", STACK_COST_TEMPLATES},
    {"okhttp3.OkHttpClient", "<init>", STACK_COST_CLIENTS},
    {"okhttp3.OkHttpClient$Builder", "<init> build", STACK_COST_CLIENTS},
    {"org.apache.http.impl.client.HttpClients", "createDefault createSystem createMinimal", STACK_COST_CLIENTS},
    {"org.apache.http.impl.client.HttpClientBuilder", "build", STACK_COST_CLIENTS},
    {"org.apache.http.impl.nio.client.HttpAsyncClientBuilder", "build", STACK_COST_CLIENTS},
    {"org.apache.hc.client5.http.impl.classic.HttpClients", "createDefault createSystem createMinimal", STACK_COST_CLIENTS},
    {"org.apache.hc.client5.http.impl.classic.HttpClientBuilder", "build", STACK_COST_CLIENTS},
    {"org.apache.hc.client5.http.impl.async.HttpAsyncClientBuilder", "build", STACK_COST_CLIENTS},
    {"org.springframework.web.client.RestTemplate", "<init>", STACK_COST_CLIENTS},
    {"com.zaxxer.hikari.pool.HikariPool", "<init>", STACK_COST_CLIENTS},
    {"redis.clients.jedis.JedisPool", "<init>", STACK_COST_CLIENTS},
    {"org.apache.kafka.clients.producer.KafkaProducer", "<init>", STACK_COST_CLIENTS},
    {"java.net.InetAddress", "getAllByName getAllByName0 getByName getAddressesFromNameService getCanonicalHostName getHostFromNameService",
     STACK_COST_NAMES},
    {"java.net.Inet6AddressImpl", "lookupAllHostAddr getHostByAddr", STACK_COST_NAMES},
    {"sun.nio.ch.NioSocketImpl", "connect", STACK_COST_CONNECTS},
    {"java.net.AbstractPlainSocketImpl", "connect doConnect", STACK_COST_CONNECTS},
    {"sun.nio.ch.SocketChannelImpl", "connect finishConnect blockingConnect", STACK_COST_CONNECTS},
    {"sun.nio.ch.FileChannelImpl", "lock", STACK_COST_FILE_LOCKS},
    {"java.lang.ProcessBuilder", "start", STACK_COST_PROCESSES},
};

static bool is_class(const char *class_name, const char *wanted)
{
    size_t n = strlen(wanted);
    return wanted[n - 1] == '*' ? !strncmp(class_name, wanted, n - 1) : !strcmp(class_name, wanted);
}

static bool is_one_of(const char *word, const char *list)
{
    size_t n = strlen(word);
    for (const char *at = list; at && n; at = strchr(at, ' ')) {
        at += *at == ' ';
        if (!strncmp(at, word, n) && (!at[n] || at[n] == ' '))
            return true;
    }
    return false;
}

uint64_t cost_method_marks(const char *class_name, const char *method)
{
    uint64_t marks = 0;
    for (size_t i = 0; i < sizeof costs / sizeof *costs; i++)
        if (is_class(class_name, costs[i].class_name) && (!costs[i].methods || is_one_of(method, costs[i].methods)))
            marks |= UINT64_C(1) << costs[i].mark;
    return marks;
}
