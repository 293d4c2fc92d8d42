import { createWriteStream } from 'node:fs';
import path from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { parseArgs } from 'node:util';
import { isCalendarDate } from '../../schemas/catalogue/formats.ts';
import { OperatorError } from '../../service/operator-error.ts';
import { count } from '../catalog/refusal-list.ts';
import type { CommandIo } from '../command.ts';
import { createDemo, DEMO_DEFAULT_SIZE, type Demo, type DemoOptions } from '../demo/generate.ts';
import { DEMO_SEED } from '../demo/load.ts';
import { makeFolder, nameFolder } from '../make-folder.ts';

const USAGE =
  'Usage: npm run ops -- demo generate DIR [--contests N] [--endorsers N] [--endorsements N] [--seed N] [--today DATE]';
const NUMBERS = ['contests', 'endorsers', 'endorsements', 'seed'] as const;
const MAX_NUMBER = 10_000_000;

/**
 * `demo generate DIR`: writes an invented national catalogue and its endorsements as NDJSON files into the folder, for
 * `catalog import DIR` and `submit DIR/endorsements.ndjson`.
 *
 * @throws OperatorError for arguments that are not right, and a folder that cannot be written.
 */
export async function run(args: string[], io: CommandIo): Promise<number> {
  const { folder, options } = readArguments(args);
  const demo = createDemo(options);
  try {
    await makeFolder(folder);
    for (const [name, records] of filesOf(demo)) {
      const written = await writeNdjson(path.join(folder, name), records);
      io.out(`${name.padEnd(28)}${count(written).padStart(11)}`);
    }
  } catch (error) {
    throw nameFolder(error, `The folder ${folder}`);
  }
  return 0;
}

function filesOf(demo: Demo): [string, Iterable<unknown>][] {
  return [
    ['endorser-categories.ndjson', demo.categories()],
    ['endorsers.ndjson', demo.endorsers()],
    ['elections.ndjson', demo.elections()],
    ['contests.ndjson', demo.contests()],
    ['endorsements.ndjson', demo.submissions()],
  ];
}

async function writeNdjson(file: string, records: Iterable<unknown>): Promise<number> {
  let written = 0;
  function* lines(): Generator<string> {
    for (const record of records) {
      written += 1;
      yield `${JSON.stringify(record)}\n`;
    }
  }
  await pipeline(Readable.from(lines()), createWriteStream(file));
  return written;
}

function readArguments(args: string[]): { folder: string; options: DemoOptions } {
  const text = { type: 'string' } as const;
  let parsed: ReturnType<typeof parse>;
  const parse = () =>
    parseArgs({
      args,
      allowPositionals: true,
      options: { contests: text, endorsers: text, endorsements: text, seed: text, today: text },
    });
  try {
    parsed = parse();
  } catch (error) {
    throw new OperatorError(`${(error as Error).message}\n${USAGE}`);
  }
  const { positionals, values } = parsed;
  const [action, folder] = positionals;
  if (action !== 'generate' || folder === undefined || positionals.length > 2) throw new OperatorError(USAGE);
  const { today = new Date().toISOString().slice(0, 10) } = values;
  if (!isCalendarDate(today))
    throw new OperatorError(`--today must be a real date as YYYY-MM-DD, is "${today}".`);
  const options: DemoOptions = { ...DEMO_DEFAULT_SIZE, seed: DEMO_SEED, today };
  for (const name of NUMBERS) {
    const value = values[name];
    if (value !== undefined) options[name] = readNumber(name, value);
  }
  return { folder, options };
}

function readNumber(name: string, value: string): number {
  if (/^[0-9]{1,8}$/.test(value) && Number(value) <= MAX_NUMBER) return Number(value);
  throw new OperatorError(`--${name} must be a whole number from 0 to ${count(MAX_NUMBER)}, is "${value}".`);
}
