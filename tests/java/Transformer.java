import java.lang.instrument.ClassFileTransformer;
import java.lang.instrument.Instrumentation;
import java.security.ProtectionDomain;

/** A Java agent whose transformer changes nothing, and prints a line on standard output when it sees a class that is already loaded. */
public final class Transformer implements ClassFileTransformer {
    public static void premain(String arguments, Instrumentation instrumentation) {
        instrumentation.addTransformer(new Transformer(), true);
    }

    @Override
    public byte[] transform(ClassLoader loader, String name, Class<?> redefined, ProtectionDomain domain, byte[] code) {
        if (redefined != null) {
            System.out.println("transform " + name);
        }
        return null;
    }
}
