"""A plot of medians and their spread: one line per group and series, on a logarithmic axis, as an SVG file."""
import math
import statistics
from xml.sax.saxutils import escape

WIDTH, LEFT, RIGHT, LINE, TOP = 760, 230, 30, 20, 50
COLORS = ("#2b6cb0", "#63a4e0", "#c05621", "#dd9e5c", "#975a16", "#4a5568", "#a0aec0")


def ticks(low, high):
    """1, 2 and 5 times the powers of ten between both."""
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    return [tick for power in powers for tick in (10 ** power, 2 * 10 ** power, 5 * 10 ** power) if low <= tick <= high]


def write_dots(path, title, groups):
    """groups: {group: {series: [value above 0, ...]}}. A dot is the median, a bar goes from the lowest to the highest value."""
    every = [value for group in groups.values() for values in group.values() for value in values]
    low, high = min(every) / 1.2, max(every) * 1.2
    names = list(dict.fromkeys(name for group in groups.values() for name in group))

    def x(value):
        return LEFT + (WIDTH - LEFT - RIGHT) * math.log(value / low) / math.log(high / low)

    height = TOP + LINE * sum(len(group) + 1 for group in groups.values()) + LINE
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" font-family="sans-serif" font-size="12">',
             f'<rect width="{WIDTH}" height="{height}" fill="#fff"/>',
             f'<text x="10" y="20" font-size="14" font-weight="bold">{escape(title)}</text>']
    for tick in ticks(low, high):
        parts.append(f'<line x1="{x(tick):.1f}" x2="{x(tick):.1f}" y1="{TOP - 10}" y2="{height - LINE}" stroke="#ddd"/>'
                     f'<text x="{x(tick):.1f}" y="{height - 5}" text-anchor="middle">{tick:g}</text>')
    y = TOP
    for group, series in groups.items():
        parts.append(f'<text x="10" y="{y + 4}" font-weight="bold">{escape(group)}</text>')
        for name, values in series.items():
            y += LINE
            color = COLORS[names.index(name) % len(COLORS)]
            parts.append(f'<text x="{LEFT - 10}" y="{y + 4}" text-anchor="end">{escape(name)}</text>'
                         f'<line x1="{x(min(values)):.1f}" x2="{x(max(values)):.1f}" y1="{y}" y2="{y}" stroke="{color}" stroke-width="3"/>'
                         f'<circle cx="{x(statistics.median(values)):.1f}" cy="{y}" r="5" fill="{color}"/>')
        y += LINE
    path.write_text("\n".join([*parts, "</svg>"]) + "\n")
