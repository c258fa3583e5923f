package candor.opentelemetry;

import io.opentelemetry.context.ContextStorage;
import io.opentelemetry.context.ContextStorageProvider;

/** OpenTelemetry finds this class through ServiceLoader. From then on Candor sees each context that becomes current. */
public final class CandorContextStorageProvider implements ContextStorageProvider {
    @Override
    public ContextStorage get() {
        return new CandorContextStorage(ContextStorage.defaultStorage());
    }
}
