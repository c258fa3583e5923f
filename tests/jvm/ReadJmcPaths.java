import java.io.File;
import java.util.Map;
import java.util.TreeMap;
import org.openjdk.jmc.common.IMCOldObject;
import org.openjdk.jmc.common.IMCOldObjectGcRoot;
import org.openjdk.jmc.common.item.IItem;
import org.openjdk.jmc.common.item.IItemIterable;
import org.openjdk.jmc.common.item.IMemberAccessor;
import org.openjdk.jmc.flightrecorder.JfrLoaderToolkit;
import org.openjdk.jmc.flightrecorder.jdk.JdkAttributes;

/** The paths to old objects as Mission Control's parser has them: fields and elements, the last object's description, the root. */
public class ReadJmcPaths {
    static String path(IMCOldObject object, IMCOldObjectGcRoot root) {
        StringBuilder text = new StringBuilder();
        for (; object != null && object.getReferrer() != null; object = object.getReferrer())
            text.append(object.getReferrerArray() != null ? "[]" : object.getReferrerField().getName()).append(" <- ");
        if (object != null && object.getDescription() != null)
            text.append(object.getDescription());
        return text.append(" | ").append(root == null ? "" : root.getSystem()).toString();
    }

    public static void main(String[] args) throws Exception {
        Map<String, Long> counts = new TreeMap<>();
        for (IItemIterable items : JfrLoaderToolkit.loadEvents(new File(args[0]))) {
            if (!items.getType().getIdentifier().equals("jdk.OldObjectSample"))
                continue;
            IMemberAccessor<IMCOldObject, IItem> object = JdkAttributes.OBJECT.getAccessor(items.getType());
            IMemberAccessor<IMCOldObjectGcRoot, IItem> root = JdkAttributes.GC_ROOT.getAccessor(items.getType());
            for (IItem item : items)
                counts.merge(path(object.getMember(item), root.getMember(item)), 1L, Long::sum);
        }
        counts.forEach((path, n) -> System.out.println(n + " " + path));
    }
}
