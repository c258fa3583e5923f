// The views of the page, in the order of the bar. A new view is a file and a row here.
import { Alerts } from "./alerts";
import { Changes } from "./changes";
import { Compare } from "./compare";
import { Findings } from "./findings";
import { Functions } from "./functions";
import { Health } from "./health";
import { Locks } from "./locks";
import { Memory } from "./memory";
import { View } from "./page";
import { Recordings } from "./recordings";
import { Requests } from "./requests";
import { ServiceView } from "./service";
import { Services } from "./services";
import { Timeline } from "./timeline";

export function makeViews(): View[] {
    return [new Services(), new ServiceView(), new Timeline(), new Requests(), new Locks(), new Memory(), new Compare(),
        new Changes(), new Functions(), new Findings(), new Alerts(), new Recordings(), new Health()];
}
