#include "base/text/code_owner.h"

#include <stdbool.h>
#include <string.h>

static const char *const jdk_packages[] = {"java.", "javax.", "jdk.", "sun.", "com.sun."};

/* The JDK's methods in which threads wait for each other, whatever code calls them. */
static const char *const plumbing[] = {"jdk.internal.misc.Unsafe", "sun.misc.Unsafe", "java.util.concurrent.locks.", "java.lang.Object"};

/* Frameworks, servers, drivers and languages. Their frames show how a program does something, but rarely what it does. */
static const char *const libraries[] = {"akka.",
                                        "ch.qos.logback.",
                                        "clojure.",
                                        "com.alibaba.druid.",
                                        "com.datadoghq.",
                                        "com.fasterxml.jackson.",
                                        "com.github.benmanes.caffeine.",
                                        "com.google.common.",
                                        "com.google.gson.",
                                        "com.google.protobuf.",
                                        "com.lmax.disruptor.",
                                        "com.mchange.",
                                        "com.microsoft.sqlserver.",
                                        "com.mysql.",
                                        "com.zaxxer.hikari.",
                                        "datadog.",
                                        "freemarker.",
                                        "groovy.",
                                        "io.agroal.",
                                        "io.grpc.",
                                        "io.lettuce.",
                                        "io.micrometer.",
                                        "io.netty.",
                                        "io.opentelemetry.",
                                        "io.pyroscope.",
                                        "io.quarkus.",
                                        "io.reactivex.",
                                        "io.undertow.",
                                        "io.vertx.",
                                        "jakarta.",
                                        "kotlin.",
                                        "kotlinx.",
                                        "net.bytebuddy.",
                                        "okhttp3.",
                                        "oracle.jdbc.",
                                        "oracle.ucp.",
                                        "org.apache.catalina.",
                                        "org.apache.commons.",
                                        "org.apache.coyote.",
                                        "org.apache.derby.",
                                        "org.apache.hc.",
                                        "org.apache.http.",
                                        "org.apache.jasper.",
                                        "org.apache.kafka.",
                                        "org.apache.logging.",
                                        "org.apache.lucene.",
                                        "org.apache.tomcat.",
                                        "org.apache.velocity.",
                                        "org.apache.zookeeper.",
                                        "org.codehaus.groovy.",
                                        "org.eclipse.jetty.",
                                        "org.ehcache.",
                                        "org.glassfish.",
                                        "org.h2.",
                                        "org.hibernate.",
                                        "org.hsqldb.",
                                        "org.jboss.",
                                        "org.mariadb.",
                                        "org.mozilla.javascript.",
                                        "org.postgresql.",
                                        "org.quartz.",
                                        "org.slf4j.",
                                        "org.springframework.",
                                        "org.sqlite.",
                                        "org.xnio.",
                                        "reactor.",
                                        "redis.clients.",
                                        "rx.",
                                        "scala."};

enum { JDK_PACKAGES = sizeof jdk_packages / sizeof *jdk_packages, PLUMBING = sizeof plumbing / sizeof *plumbing };

_Static_assert(sizeof libraries / sizeof *libraries == CODE_OWNER_LIBRARIES, "as in the header");

/* Returns the index of the first package that the class is in, or count if it is in none. */
static size_t first_of(const char *const *packages, size_t count, const char *class_name)
{
    size_t i = 0;
    while (i < count && strncmp(class_name, packages[i], strlen(packages[i])))
        i++;
    return i;
}

enum code_owner code_owner(const char *class_name, const char *method)
{
    if (strstr(class_name, "$$Lambda"))
        return CODE_OF_JDK; /* the JDK generated that class */
    if (first_of(jdk_packages, JDK_PACKAGES, class_name) < JDK_PACKAGES)
        return first_of(plumbing, PLUMBING, class_name) < PLUMBING && strcmp(method, "<init>") ? CODE_OF_PLUMBING : CODE_OF_JDK;
    return code_owner_library(class_name) < CODE_OWNER_LIBRARIES ? CODE_OF_LIBRARY : CODE_OF_PROGRAM;
}

uint32_t code_owner_library(const char *class_name)
{
    return (uint32_t)first_of(libraries, CODE_OWNER_LIBRARIES, class_name);
}

const char *code_owner_library_package(uint32_t library)
{
    return libraries[library];
}
