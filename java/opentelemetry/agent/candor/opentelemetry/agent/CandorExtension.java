package candor.opentelemetry.agent;

import candor.opentelemetry.CandorContextStorage;
import io.opentelemetry.context.ContextStorage;
import io.opentelemetry.sdk.autoconfigure.spi.AutoConfigurationCustomizer;
import io.opentelemetry.sdk.autoconfigure.spi.AutoConfigurationCustomizerProvider;

/**
 * OpenTelemetry's Java agent finds this class through ServiceLoader, and calls it before the first context exists. The Java agent has an
 * API and contexts of its own, to which it also leads the program's. It makes the classes of an extension refer to that API when it loads
 * them. So this jar contains everything that it needs, and the classes of the other jars stay as they are.
 */
public final class CandorExtension implements AutoConfigurationCustomizerProvider {
    @Override
    public void customize(AutoConfigurationCustomizer configuration) {
        ContextStorage.addWrapper(CandorContextStorage::new);
    }
}
