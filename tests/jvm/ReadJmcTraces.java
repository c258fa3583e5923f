import java.io.File;
import java.util.Map;
import java.util.TreeMap;
import org.openjdk.jmc.common.item.Attribute;
import org.openjdk.jmc.common.item.IAttribute;
import org.openjdk.jmc.common.item.IItem;
import org.openjdk.jmc.common.item.IItemCollection;
import org.openjdk.jmc.common.item.IItemIterable;
import org.openjdk.jmc.common.item.IMemberAccessor;
import org.openjdk.jmc.common.item.ItemFilters;
import org.openjdk.jmc.common.unit.UnitLookup;
import org.openjdk.jmc.flightrecorder.JfrLoaderToolkit;

/** Mission Control's parser groups a recording's spans and scopes by the id of their trace: type, trace, number of events. */
public class ReadJmcTraces {
    public static void main(String[] args) throws Exception {
        IItemCollection traced = JfrLoaderToolkit.loadEvents(new File(args[0]))
            .apply(ItemFilters.type("candor.opentracing.Span", "candor.opentracing.Scope"));
        IAttribute<String> trace = Attribute.attr("traceId", "Trace Id", UnitLookup.PLAIN_TEXT);
        Map<String, Integer> groups = new TreeMap<>();
        for (IItemIterable items : traced) {
            IMemberAccessor<String, IItem> of = trace.getAccessor(items.getType());
            for (IItem item : items) {
                groups.merge(items.getType().getIdentifier() + " " + of.getMember(item), 1, Integer::sum);
            }
        }
        groups.forEach((group, n) -> System.out.println("group " + group + " " + n));
    }
}
