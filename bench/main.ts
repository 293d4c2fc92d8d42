import { stopRunning } from '../test/helpers/service/interrupted.ts';

/** `npm run bench -- NAME ...`: runs one of the programs beside this file. */
const BENCHMARKS = [
  'attacks',
  'broker-restarts',
  'changing',
  'crowd',
  'export',
  'profiles',
  'latency',
  'layers',
  'limits',
  'lost-kafka',
  'processes',
  'reads',
  'rename',
  'scale',
  'scale-check',
  'stream',
  'usage',
  'webhooks',
] as const;

const [name, ...args] = process.argv.slice(2);
if (!BENCHMARKS.some((known) => known === name)) {
  process.stderr.write(`Usage: npm run bench -- ${BENCHMARKS.join(' | ')}\n`);
  process.exit(1);
}
// The handler below would otherwise meet this failure of its own message again and again.
process.stderr.on('error', () => {});
// A failed benchmark leaves no servers behind.
process.on('uncaughtException', async (error) => {
  process.stderr.write(`${error.stack}\n`);
  await stopRunning();
  process.exit(1);
});
process.argv = [process.argv[0] ?? '', `bench/${name}.ts`, ...args];
await import(`./${name}.ts`);
