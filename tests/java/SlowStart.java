/** The class loader for a JVM that starts slowly: -Djava.system.class.loader=SlowStart -Dslow.ms=1000. */
public class SlowStart extends ClassLoader {
    public SlowStart(ClassLoader parent) throws InterruptedException {
        super(parent);
        System.out.println("starting");
        Thread.sleep(Long.getLong("slow.ms"));
    }
}
