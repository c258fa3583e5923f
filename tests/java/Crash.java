import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.reflect.Field;

/**
 * Uses CPU time in three threads. At a byte of input another thread crashes the JVM by a write to address 0, from the interpreter or
 * from compiled code; or it uses CPU time, too, and all wait for a signal from outside.
 *
 * Crash (interpreted | compiled | signal)
 */
public final class Crash {
    static volatile double sink;

    private static final Object UNSAFE;
    private static final MethodHandle PUT;

    static {
        try {
            Class<?> unsafe = Class.forName("sun.misc.Unsafe");
            Field field = unsafe.getDeclaredField("theUnsafe");
            field.setAccessible(true);
            UNSAFE = field.get(null);
            PUT = MethodHandles.lookup().unreflect(unsafe.getMethod("putAddress", long.class, long.class)).bindTo(UNSAFE);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private static void write(long address) throws Throwable {
        PUT.invokeExact(address, 0L);
    }

    private static void burn(long end) {
        double x = 1;
        while (System.nanoTime() < end) {
            for (int i = 0; i < 1000; i++) {
                x = Math.sqrt(x + i);
            }
        }
        sink = x;
    }

    public static void main(String[] args) throws Throwable {
        for (int i = 0; i < 3; i++) {
            Thread thread = new Thread(() -> burn(Long.MAX_VALUE));
            thread.setDaemon(true);
            thread.start();
        }
        if (args[0].equals("compiled")) {
            Object unsafe = UNSAFE;
            long memory = (long) unsafe.getClass().getMethod("allocateMemory", long.class).invoke(unsafe, 8L);
            for (int i = 0; i < 200_000; i++) {
                write(memory);
            }
        }
        System.out.println("ready");
        if (!args[0].equals("signal")) {
            System.in.read();
            write(0);
        }
        burn(Long.MAX_VALUE);
    }
}
