package candor.opentelemetry;

import io.opentelemetry.context.ContextStorage;
import io.opentelemetry.context.ContextStorageProvider;

/** Found by OpenTelemetry through ServiceLoader: from then on each context that is made current says so to Candor. */
public final class CandorContextStorageProvider implements ContextStorageProvider {
    @Override
    public ContextStorage get() {
        return new CandorContextStorage(ContextStorage.defaultStorage());
    }
}
