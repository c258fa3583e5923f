// Decodes an answer of /pyroscope/render or render-diff with Grafana's own package @pyroscope/models.
// usage: node decode_flamebearer.js FOLDER < ANSWER
// FOLDER holds node_modules. Prints, for each side, the total of the root and the self values by name.
const [folder] = process.argv.slice(2);
const { FlamebearerProfileSchema, decodeFlamebearer } = require(`${folder}/node_modules/@pyroscope/models`);

const answer = FlamebearerProfileSchema.parse(JSON.parse(require("fs").readFileSync(0, "utf8")));
const { flamebearer, metadata } = decodeFlamebearer(answer);
const width = metadata.format === "double" ? 7 : 4;
const sides = metadata.format === "double" ? [0, 3] : [0];

const decoded = sides.map((side) => {
    const selfs = {};
    let parents = [[0, Infinity]];
    for (const level of flamebearer.levels) {
        const nodes = [];
        for (let i = 0; i < level.length; i += width) {
            const [x, total, self] = level.slice(i + side, i + side + 3);
            if (!parents.some(([from, to]) => x >= from && x + total <= to)) {
                throw new Error(`a node at ${x} lies outside all nodes above it`);
            }
            const name = flamebearer.names[level[i + width - 1]];
            selfs[name] = (selfs[name] || 0) + self;
            nodes.push([x, x + total]);
        }
        parents = nodes;
    }
    return { total: flamebearer.levels[0][side + 1], selfs };
});
console.log(JSON.stringify({ decoded, numTicks: flamebearer.numTicks, units: metadata.units }));
