import { createWriteStream } from 'node:fs';
import path from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { isCalendarDate } from '../../schemas/catalogue/formats.ts';
import { parseInteger } from '../../service/environment.ts';
import { OperatorError } from '../../service/operator-error.ts';
import type { CommandIo, DefineCommand } from '../command.ts';
import { createDemo, DEMO_DEFAULT_SIZE, type Demo, type DemoOptions } from '../demo/generate.ts';
import { DEMO_SEED } from '../demo/load.ts';
import { makeFolder, nameFolder } from '../make-folder.ts';
import { count } from '../table.ts';

const MAX_NUMBER = 10_000_000;

const EXAMPLES = `
Example:
  npm run ops -- demo generate data/demo --contests 500
  npm run ops -- catalog import data/demo
  npm run ops -- submit data/demo/endorsements.ndjson`;

/** `demo generate DIR [--contests N] [--endorsers N] [--endorsements N] [--seed N] [--today DATE]`. */
export const define: DefineCommand = (demo, io) => {
  const { contests, endorsers, endorsements } = DEMO_DEFAULT_SIZE;
  demo
    .command('generate')
    .description('write a catalogue and endorsements as files for "catalog import" and "submit"')
    .argument('<dir>', 'the folder to write to; it is made if it does not exist')
    .option('--contests <n>', 'the number of contests', parseNumber('contests'), contests)
    .option('--endorsers <n>', 'the number of endorsers', parseNumber('endorsers'), endorsers)
    .option('--endorsements <n>', 'the number of endorsements', parseNumber('endorsements'), endorsements)
    .option('--seed <n>', 'another seed gives other records', parseNumber('seed'), DEMO_SEED)
    .option('--today <date>', 'the day, YYYY-MM-DD, that elections lie around; today by default', parseDay)
    .addHelpText('after', EXAMPLES)
    .action((dir: string, options: GenerateOptions) => generate(io, dir, options));
};

type GenerateOptions = Omit<DemoOptions, 'today'> & { today?: string };

const parseNumber = (option: string) => (text: string) =>
  parseInteger(`--${option}`, text, { min: 0, max: MAX_NUMBER });

function parseDay(text: string): string {
  if (isCalendarDate(text)) return text;
  throw new OperatorError(`--today must be a real date as YYYY-MM-DD, is "${text}".`);
}

/** @throws OperatorError if the folder cannot be written */
async function generate(io: CommandIo, folder: string, options: GenerateOptions): Promise<void> {
  const today = io.now().toISOString().slice(0, 10);
  const demo = createDemo({ today, ...options });
  try {
    await makeFolder(folder);
    for (const [name, records] of filesOf(demo)) {
      const written = await writeNdjson(path.join(folder, name), records);
      io.out(`${name.padEnd(28)}${count(written).padStart(11)}`);
    }
  } catch (error) {
    throw nameFolder(error, `The folder ${folder}`);
  }
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
