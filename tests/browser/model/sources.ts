// Links to sources: from the user's template and a frame's name, and never anything that runs in the page.
import { sourceOf } from "../../../web/model/source";
import { same } from "./tap";

const TEMPLATE = "https://git.example/{path}?c={class}#{method}";

export function sources(): void {
    same(sourceOf(TEMPLATE, "com.acme.Shop.price"), "https://git.example/com/acme/Shop.java?c=com.acme.Shop#price", "a method's source");
    same(sourceOf(TEMPLATE, "com.acme.Shop$Till$1.lambda$pay$0"),
        "https://git.example/com/acme/Shop.java?c=com.acme.Shop#lambda%24pay%240", "an inner class is in its outer class's file");
    same(sourceOf(TEMPLATE, "Shop.price(int, java.lang.String)"), "https://git.example/Shop.java?c=Shop#price", "no package, parameters");
    same(["libc.so.6`malloc", "finish_task_switch.isra.0", "", "GC", "a.b.\"><script>.x", "java.lang.Object[]"].map((name) =>
        sourceOf(TEMPLATE, name)), ["", "", "", "", "", ""], "what is no method of a class has no source");
    same(sourceOf(TEMPLATE, "a.B.c\ud800"), "https://git.example/a/B.java?c=a.B#c%EF%BF%BD", "half a character does not break the page");
    const refused = ["javascript:alert('{class}')", "data:text/html,{class}", " javascript://x/{path}", "", "{path}", "file:///src/{path}"];
    same(refused.map((template) => sourceOf(template, "com.acme.Shop.price")), refused.map(() => ""),
        "only addresses of the web and of editors are links");
    same(sourceOf("idea://open?file=/src/{path}", "a.B.c"), "idea://open?file=/src/a/B.java", "an editor's address");
}
