/*
 * `npm run test:faults [-- --runs N --seed N --only NAME --load N]`: runs a whole service under load through
 * one fault after another, chosen by the seed. Each fault proves that it happened. Afterwards the
 * endorsements must equal a simple model's, the events must add up to those endorsements, and streams that
 * were open all the time must have every change once. So must a webhook, whose repeats are whole messages. Otherwise the exit status is 1.
 */
import { parseArgs } from 'node:util';
import { createRandom } from '../../../ops/demo/random.ts';
import { StreamReader } from '../../helpers/stream/stream-reader.ts';
import { FAULTS } from './faults.ts';
import { judge, settle } from './judge.ts';
import { EndorsementModel } from './model.ts';
import type { Fault } from './scene.ts';
import { World } from './world.ts';

/** The space of each server for everything but the load, in megabytes. */
const EMPTY_DISK_MB = 700;
/** The space that a fault needs per submission of a load, in megabytes: it sends several loads. */
const DISK_MB_FOR_LOAD = 0.008;

const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '200' },
    seed: { type: 'string', default: '1' },
    /** A part of the name of the faults to choose from; it may be repeated. */
    only: { type: 'string', multiple: true, default: [''] },
    /** The most submissions per load. */
    load: { type: 'string', default: '40' },
  },
});
const print = (line: string) => process.stdout.write(`${line}\n`);
const maxLoad = Number(values.load);
const random = createRandom(Number(values.seed));

interface Tally {
  runs: number;
  failed: number;
  /** The times from the end of a fault until everything was settled, in seconds. */
  settled: number[];
}
const tallies = new Map<string, Tally>();

function tallyOf({ name }: Fault): Tally {
  const tally = tallies.get(name) ?? { runs: 0, failed: 0, settled: [] };
  tallies.set(name, tally);
  return tally;
}

async function runFault(world: World, model: EndorsementModel, fault: Fault): Promise<string[]> {
  const load = () => world.submit(model.submissions(5 + random.below(maxLoad)));
  const insist = async () => {
    const submissions = model.submissions(5 + random.below(maxLoad));
    for (let failures = 0; ; failures += 1) {
      const isSent = await world.submit(submissions).then(
        () => true,
        () => false,
      );
      if (isSent) return failures;
    }
  };
  const begin = await settle(world);
  const readers = world.gateways.map(
    (part) =>
      new StreamReader({
        name: `the stream of ${part.name} from ${begin}`,
        address: () => world.address(part),
        key: world.key,
        patience: 0.2,
      }),
  );
  for (const reader of readers) reader.start();
  try {
    const proof = await fault.run({
      world,
      random: random.fork(`${fault.name} ${begin}`),
      load,
      insist,
      settle: async () => {
        await settle(world);
      },
    });
    const endedAt = performance.now();
    await world.heal();
    await load();
    const head = await settle(world);
    const seconds = (performance.now() - endedAt) / 1000;
    tallyOf(fault).settled.push(seconds);
    print(`   ${proof}; settled after ${seconds.toFixed(1)} s at change ${head}`);
    return await judge(world, { head, lines: model.lines, readers, cursor: random.below(head) });
  } finally {
    await Promise.all(readers.map((reader) => reader.stop()));
  }
}

const world = await World.start(EMPTY_DISK_MB + Math.ceil(Number(values.runs) * maxLoad * DISK_MB_FOR_LOAD));
let failures = 0;
try {
  const chosen = FAULTS.filter(({ name }) => values.only.some((part) => name.includes(part))).filter(
    ({ name, lacks }) => {
      const reason = lacks?.(world) ?? null;
      if (reason !== null) print(`Skipped: ${name}, because ${reason} here.`);
      return reason === null;
    },
  );
  const model = new EndorsementModel(random.fork('model'));
  await world.submit(model.submissions(maxLoad));
  for (let run = 1; run <= Number(values.runs); run += 1) {
    const fault = random.pickWeighted(chosen, ({ weight }) => weight);
    print(`${String(run).padStart(4)} ${fault.name}`);
    const faults = await runFault(world, model, fault).catch((error: Error) => [error.message]);
    const tally = tallyOf(fault);
    tally.runs += 1;
    if (faults.length > 0) tally.failed += 1;
    for (const text of faults) print(`   FAULT ${text}`);
    if (faults.length === 0) continue;
    failures += 1;
    for (const {
      name,
      process: { output },
    } of world.parts)
      print(`   ${name}: ${output().slice(-1500)}`);
    await world.heal();
  }
} finally {
  await world.stop();
}
print('\nfault                             runs  failed  settled after, s (median, longest)');
for (const [name, { runs, failed, settled }] of tallies) {
  const sorted = settled.toSorted((a, b) => a - b);
  const median = sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
  const longest = sorted.at(-1) ?? Number.NaN;
  print(
    `${name.padEnd(33)} ${String(runs).padStart(4)} ${String(failed).padStart(7)}  ${median.toFixed(1).padStart(6)} ${longest.toFixed(1).padStart(8)}`,
  );
}
print(failures === 0 ? 'The service lost nothing and made nothing up.' : `${failures} runs failed.`);
process.exit(failures === 0 ? 0 : 1);
