package candor.opentracing;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import jdk.jfr.Label;
import jdk.jfr.MetadataDefinition;
import jdk.jfr.Name;
import jdk.jfr.Relational;

/** Fields with this annotation relate events of one trace to each other, so that Mission Control offers to select them together. */
@MetadataDefinition
@Relational
@Name("candor.opentracing.TraceId")
@Label("Trace Id")
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.FIELD)
@interface TraceId {
}
