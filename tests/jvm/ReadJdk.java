import java.nio.file.Paths;
import java.util.Map;
import java.util.TreeMap;
import jdk.jfr.consumer.RecordedClass;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordedMethod;
import jdk.jfr.consumer.RecordedThread;
import jdk.jfr.consumer.RecordingFile;

/** What the JDK's parser finds in a recording, in the words of jfr_read_sample.c. */
public class ReadJdk {
    static final Map<String, Long> counts = new TreeMap<>();

    static void count(String line) {
        counts.merge(line, 1L, Long::sum);
    }

    static void noteSample(RecordedEvent event) {
        RecordedThread thread = event.getThread("sampledThread");
        if (thread != null)
            count("thread " + (thread.getJavaThreadId() > 0 ? thread.getJavaName() : thread.getOSName()));
        if (event.getStackTrace() != null && !event.getStackTrace().getFrames().isEmpty()) {
            RecordedMethod method = event.getStackTrace().getFrames().get(0).getMethod();
            RecordedClass type = method.getType();
            count("method " + type.getName() + "." + method.getName());
        }
    }

    public static void main(String[] args) throws Exception {
        try (RecordingFile file = new RecordingFile(Paths.get(args[0]))) {
            while (file.hasMoreEvents()) {
                RecordedEvent event = file.readEvent();
                count("count " + event.getEventType().getName());
                if (event.getEventType().getName().equals("jdk.ExecutionSample"))
                    noteSample(event);
            }
        }
        counts.forEach((line, n) -> System.out.println(line + " " + n));
    }
}
