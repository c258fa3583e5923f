// The views of the page, in the order of the bar. A new view is a file and a row here.
import { Compare } from "./compare";
import { Findings } from "./findings";
import { Functions } from "./functions";
import { View } from "./page";
import { ServiceView } from "./service";
import { Services } from "./services";

export function makeViews(): View[] {
    return [new Services(), new ServiceView(), new Compare(), new Functions(), new Findings()];
}
