// Shows what was recorded, from which program, and when.
import { clockOf, dateOf } from "../model/clock";
import { formatValue } from "../model/figures";
import { visibleName } from "../model/names";
import { Profile } from "../model/profile";
import { byId, element } from "./dom";
import { remember } from "./remember";

const LONGEST = 200;
// Times before this are from a clock that began when the machine was started.
const FIRST_DATE_NS = 1e9 * 86_400 * 365;

export const showHead = remember((profile: Profile): void => {
    const { kindTitle, total, unit, title, pid, host, jvm, agent } = profile;
    const items = (profile.before ? [sideOf("before", profile.before), sideOf("after", profile)] : [
        kindTitle && kindTitle + " " + formatValue(total, unit),
        whenOf(profile),
        pid > 0 && !title.includes("pid " + pid) ? "pid " + pid : "",
        host && "host " + host,
        javaOf(jvm),
        agent && "recorded by Candor " + agent,
    ]).filter((text) => text !== "");
    byId("head").hidden = items.length === 0;
    byId("head").replaceChildren(...items.map((text) => element("span", {}, visibleName(text).slice(0, LONGEST))));
    byId("head").title = jvm === "" ? "" : visibleName(jvm).slice(0, LONGEST);
});

type When = Pick<Profile, "startNs" | "durationNs" | "host" | "jvm">;

// Says when a side of a comparison was recorded, and with which JVM.
function sideOf(word: string, side: When): string {
    const about = [whenOf(side), side.host && "host " + side.host, side.jvm && javaOf(side.jvm)].filter((text) => text !== "").join(", ");
    return about && word + ": " + about;
}

// Formats the time, for example "2026-11-25 12:02:40–12:03:00 UTC, 20.1 s".
function whenOf({ startNs, durationNs }: When): string {
    const length = durationNs > 0 ? formatValue(durationNs, "ns") : "";
    const day = startNs >= FIRST_DATE_NS ? dateOf(startNs) : "";
    if (day === "") {
        return length;
    }
    const end = startNs + durationNs;
    const endDay = dateOf(end) === day ? "" : dateOf(end) + " ";
    return day + " " + clockOf(startNs, 1e9) + (length ? "–" + endDay + clockOf(end, 1e9) : "") + " UTC" + (length ? ", " + length : "");
}

// Shortens, for example, "OpenJDK 64-Bit Server VM (25.0.3+9-LTS) for linux-amd64 JRE (...)" to "JDK 25.0.3+9-LTS".
function javaOf(jvm: string): string {
    const version = /\d+(?:\.\d+)+[\w.+-]*|\d+\+[\w.+-]+/.exec(jvm);
    return version ? "JDK " + version[0] : jvm.split(" for ")[0];
}
