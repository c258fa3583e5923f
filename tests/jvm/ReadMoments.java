import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;

/** Reads every recording of a directory: "NAME SAMPLES STACKS", how many candor.CpuSample and how many of those with a stack. */
public class ReadMoments {
    public static void main(String[] args) throws Exception {
        List<Path> files;
        try (Stream<Path> all = Files.list(Paths.get(args[0]))) {
            files = all.filter(path -> path.toString().endsWith(".jfr")).sorted().collect(Collectors.toList());
        }
        for (Path file : files) {
            try {
                List<RecordedEvent> events = RecordingFile.readAllEvents(file);
                List<RecordedEvent> samples = events.stream()
                    .filter(event -> event.getEventType().getName().equals("candor.CpuSample")).collect(Collectors.toList());
                long stacks = samples.stream().filter(event -> event.getStackTrace() != null).count();
                System.out.println(file.getFileName() + " " + samples.size() + " " + stacks);
            } catch (Exception problem) {
                System.out.println(file.getFileName() + " " + problem);
            }
        }
    }
}
