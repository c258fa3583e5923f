// TAP for tests that run in node.
declare const process: { exitCode: number };

let points = 0;

export function ok(good: boolean, what: string, seen?: unknown): void {
    points++;
    console.log((good ? "ok " : "not ok ") + points + " - " + what);
    if (!good) {
        process.exitCode = 1;
        console.log("# " + JSON.stringify(seen)?.slice(0, 2000));
    }
}

export function same(seen: unknown, expected: unknown, what: string): void {
    ok(JSON.stringify(seen) === JSON.stringify(expected), what, { seen, expected });
}

export function done(): void {
    console.log("1.." + points);
}
