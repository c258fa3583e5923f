import java.io.File;
import java.util.Map;
import java.util.TreeMap;
import org.openjdk.jmc.common.IMCMethod;
import org.openjdk.jmc.common.IMCStackTrace;
import org.openjdk.jmc.common.IMCThread;
import org.openjdk.jmc.common.item.IItem;
import org.openjdk.jmc.common.item.IItemIterable;
import org.openjdk.jmc.common.item.IMemberAccessor;
import org.openjdk.jmc.common.item.IType;
import org.openjdk.jmc.flightrecorder.JfrAttributes;
import org.openjdk.jmc.flightrecorder.JfrLoaderToolkit;

/** What Mission Control's parser finds in a recording, in the words of jfr_read_sample.c. */
public class ReadJmc {
    static final Map<String, Long> counts = new TreeMap<>();

    static void count(String line) {
        counts.merge(line, 1L, Long::sum);
    }

    static void noteSample(IType<IItem> type, IItem item) {
        IMemberAccessor<IMCThread, IItem> thread = JfrAttributes.EVENT_THREAD.getAccessor(type);
        IMemberAccessor<IMCStackTrace, IItem> trace = JfrAttributes.EVENT_STACKTRACE.getAccessor(type);
        if (thread != null && thread.getMember(item) != null)
            count("thread " + thread.getMember(item).getThreadName());
        if (trace != null && trace.getMember(item) != null && !trace.getMember(item).getFrames().isEmpty()) {
            IMCMethod method = trace.getMember(item).getFrames().get(0).getMethod();
            count("method " + method.getType().getFullName() + "." + method.getMethodName());
        }
    }

    public static void main(String[] args) throws Exception {
        for (IItemIterable items : JfrLoaderToolkit.loadEvents(new File(args[0])))
            for (IItem item : items) {
                count("count " + items.getType().getIdentifier());
                if (items.getType().getIdentifier().equals("jdk.ExecutionSample"))
                    noteSample(items.getType(), item);
            }
        counts.forEach((line, n) -> System.out.println(line + " " + n));
    }
}
