// Spans: they are added up to traces as each row says, and lead to the tracing system only by harmless addresses.
import { readSpans, spansOf, traceAddress, tracesOf } from "../../../web/model/spans";
import { ok, same } from "./tap";

const PART = {
    start_ns: 1000, traces: 9, all: 20, count: 4, without: 7, link: "https://x/{trace}",
    texts: ["", "t1", "t2", "s1", "s2", "GET /", "w-1", "w-2"],
    start_us: [0, 1, 3, 9], length_us: [10, 2, 0, 4], exact: [1, 0, 0, 0], trace: [1, 1, 2, 1], span: [3, 3, 4, 4], endpoint: [0, 5, 5, 0],
    thread: [6, 7, 6, 6], cpu_ns: [1, 2, 4, 8], wall_ns: [0, 0, 0, 1], alloc_bytes: [5, 0, 0, 0], lock_ns: [0, 0, 0, 0],
    samples: [1, 1, 1, 2],
};

export async function spans(): Promise<void> {
    const read = await readSpans(PART);
    const rows = read?.rows ?? [];
    same([read?.traces, read?.all, read?.without, read?.link], [9, 20, 7, "https://x/{trace}"], "a page says how many spans there are");
    const [first, second, ...more] = tracesOf(rows);
    same([first.trace, first.endpoint, first.from, first.to, first.cpu, first.alloc, first.samples, first.spans, first.threads],
        ["t1", "GET /", 1000, 14000, 11, 5, 4, 2, ["w-1", "w-2"]], "the rows of a trace are added up");
    const exactness = async (exact: number[]) => tracesOf((await readSpans({ ...PART, exact }))?.rows ?? []).map(({ isExact }) => isExact);
    same([await exactness([1, 0, 0, 0]), await exactness([1, 0, 0, 1]), await exactness([0, 1, 1, 1])],
        [[false, false], [true, false], [false, true]], "a time is exact if events tell its beginning and its end");
    same([second.trace, second.threads, more.length], ["t2", ["w-1"], 0], "the longest comes first");
    same(spansOf(rows).map(({ trace, span, cpu }) => [trace, span, cpu]), [["t1", "s1", 3], ["t1", "s2", 8], ["t2", "s2", 4]],
        "and those of a span");
    same(await readSpans(null), null, "a page without spans");
    const rooted = await readSpans({ ...PART, roots: [2] });
    same(rooted?.rows.map(({ isRoot }) => isRoot), [false, false, true, false], "ids of root spans are marked");
    const damaged = await readSpans({ ...PART, trace: [1, 1, 2, 99] }).then(() => "read", () => "refused");
    same(damaged, "refused", "a number that no text has is refused");
    same(traceAddress("https://x/{trace}/{trace64}/{trace10}?s={span}", "00000000000000010000000000000010", "ab"),
        "https://x/00000000000000010000000000000010/0000000000000010/16?s=ab", "an address has the id in each form");
    ok(["javascript:{trace}", "//x/{trace}", ""].every((template) => traceAddress(template, "1", "") === ""), "only http and https");
    ok(["\"><script>", "", "x"].every((id) => traceAddress("https://x/{trace}", id, "") === ""), "only hexadecimal ids");
}
