// Draws weights over time as lines, with a brush to select a range.

export interface Series {
  value: string;
  points: [number, number][]; // seconds since the epoch, weight
}

export interface Span {
  from: number;
  to: number;
}

const SVG = "http://www.w3.org/2000/svg";
const WIDTH = 1000;
const HEIGHT = 140;
const COLOURS = ["#0b7fd3", "#d5602a", "#2a8f6d", "#a350c4", "#aa8800", "#d9607a", "#5566cc", "#6b7280"];

function line(series: Series, span: Span, step: number, most: number): string {
  const at = new Map(series.points);
  let path = "";
  for (let t = span.from; t < span.to; t += step) {
    const x = (t + step / 2 - span.from) / (span.to - span.from) * WIDTH;
    const y = HEIGHT - 4 - (at.get(t) ?? 0) / most * (HEIGHT - 12);
    path += (path ? "L" : "M") + x.toFixed(1) + " " + y.toFixed(1);
  }
  return path;
}

export class Chart {
  private span: Span = { from: 0, to: 1 };
  private step = 1;
  private begun: number | null = null;

  constructor(private svg: SVGSVGElement, private onBrush: (span: Span | null) => void) {
    svg.setAttribute("viewBox", `0 0 ${WIDTH} ${HEIGHT}`);
    svg.setAttribute("preserveAspectRatio", "none");
    svg.addEventListener("pointerdown", (e) => {
      svg.setPointerCapture(e.pointerId);
      this.begun = this.time(e);
    });
    svg.addEventListener("pointermove", (e) => {
      if (this.begun !== null)
        this.showBrush(this.brushed(this.time(e)));
    });
    svg.addEventListener("pointerup", (e) => this.end(this.time(e)));
    svg.addEventListener("keydown", (e) => {
      if (e.key === "Escape")
        this.onBrush(null);
    });
  }

  draw(series: Series[], span: Span, step: number, brush: Span | null): number {
    this.span = span;
    this.step = step;
    const most = Math.max(1, ...series.flatMap((s) => s.points.map((p) => p[1])));
    this.svg.replaceChildren();
    series.forEach((one, i) => {
      const path = document.createElementNS(SVG, "path");
      path.setAttribute("d", line(one, span, step, most));
      path.setAttribute("stroke", COLOURS[i % COLOURS.length] as string);
      path.setAttribute("vector-effect", "non-scaling-stroke");
      const title = document.createElementNS(SVG, "title");
      title.textContent = one.value;
      path.append(title);
      this.svg.append(path);
    });
    this.showBrush(brush);
    return most;
  }

  private time(e: PointerEvent): number {
    const box = this.svg.getBoundingClientRect();
    const share = Math.min(1, Math.max(0, (e.clientX - box.left) / box.width));
    return this.span.from + share * (this.span.to - this.span.from);
  }

  // Rounds the brushed range to whole steps, so that the query covers exactly what the chart shows.
  private brushed(now: number): Span {
    const begun = this.begun ?? now;
    const down = (t: number) => this.span.from + Math.floor((t - this.span.from) / this.step) * this.step;
    return { from: down(Math.min(begun, now)), to: Math.min(this.span.to, down(Math.max(begun, now)) + this.step) };
  }

  private end(now: number): void {
    if (this.begun === null)
      return;
    const moved = Math.abs(now - this.begun) > (this.span.to - this.span.from) / 200;
    const span = this.brushed(now);
    this.begun = null;
    this.onBrush(moved ? span : null);
  }

  private showBrush(span: Span | null): void {
    this.svg.querySelector(".brush")?.remove();
    if (!span)
      return;
    const rect = document.createElementNS(SVG, "rect");
    const x = (t: number) => (t - this.span.from) / (this.span.to - this.span.from) * WIDTH;
    rect.setAttribute("class", "brush");
    rect.setAttribute("x", x(span.from).toFixed(1));
    rect.setAttribute("width", Math.max(1, x(span.to) - x(span.from)).toFixed(1));
    rect.setAttribute("y", "0");
    rect.setAttribute("height", String(HEIGHT));
    this.svg.append(rect);
  }
}
