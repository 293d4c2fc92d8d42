/**
 * Measures the stream, each figure beside the machine's own limit in the same run: `npm run bench -- stream`, or some
 * of its parts by name. `--submissions N` is for `ingest`.
 */
import { parseArgs } from 'node:util';
import { print } from './command-line.ts';
import { benchFanOut } from './stream/fan-out.ts';
import { benchIngest } from './stream/ingest.ts';
import { benchMemory } from './stream/memory.ts';
import { benchPlaces } from './stream/places.ts';
import { benchReplay } from './stream/replay.ts';
import { benchSelective } from './stream/selective.ts';

const PARTS = {
  'fan-out': benchFanOut,
  selective: benchSelective,
  memory: benchMemory,
  replay: benchReplay,
  places: benchPlaces,
  ingest: benchIngest,
};

const { values, positionals } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    /** The number of submissions in a round. */
    submissions: { type: 'string', default: '50000' },
  },
  allowPositionals: true,
});
const unknown = positionals.find((name) => !Object.hasOwn(PARTS, name));
if (unknown !== undefined) {
  process.stderr.write(`There is no part "${unknown}"; there are: ${Object.keys(PARTS).join(', ')}.\n`);
  process.exit(1);
}
for (const [name, run] of Object.entries(PARTS)) {
  if (positionals.length > 0 && !positionals.includes(name)) continue;
  process.stdout.write(`${name}\n`);
  await run(Number(values.rounds), print, Number(values.submissions));
}
process.exit(0);
