import one.profiler.AsyncProfiler;
import one.profiler.Span;

/** Runs async-profiler with its own API, and has it record spans: SpansProfiled FILE. */
public final class SpansProfiled {
    public static void main(String[] args) throws Exception {
        AsyncProfiler profiler = AsyncProfiler.getInstance();
        profiler.execute("start,jfr,event=cpu,interval=1ms,file=" + args[0]);
        Thread other = new Thread(() -> sleep("POST /pay", 40), "payer");
        other.start();
        for (int ms = 5; ms < 30; ms += 5) {
            sleep("GET /cart", ms);
        }
        sleep(null, 3);
        other.join();
        profiler.execute("stop");
    }

    private static void sleep(String tag, int ms) {
        long began = Span.start();
        try {
            Thread.sleep(ms);
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
        Span.end(began, tag);
    }
}
