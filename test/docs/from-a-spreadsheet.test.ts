/** The commands of docs/from-a-spreadsheet.md do what the guide says. */
import { copyFile, readFile, writeFile } from 'node:fs/promises';
import { expect, test } from '@jest/globals';
import { createIo, createRunner } from '../helpers/commands/command-io.ts';
import { createFolder } from '../helpers/folder.ts';
import { useTestService } from '../helpers/service/service.ts';
import { EventStreamClient } from '../helpers/stream/event-stream.ts';

const service = useTestService({ catalogue: [] });

const EXAMPLE = 'docs/examples/spreadsheet/list.csv';

/** The arguments of a command as a shell reads them. */
const readArguments = (line: string): string[] =>
  [...line.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '');

test('the guide sends the example, and its decisions are remembered', async () => {
  const guide = await readFile('docs/from-a-spreadsheet.md', 'utf8');
  const commands = [...guide.matchAll(/^npm run ops -- (.*)$/gm)].map(([, line = '']) => readArguments(line));
  const folder = await createFolder({});
  await copyFile(EXAMPLE, folder.file('list.csv'));
  const told: string[][] = [];
  for (const [name = '', ...args] of commands) {
    const io = createIo(service.env('ops'));
    const own = args.map((arg) => (/^list.*\.csv$/.test(arg) ? folder.file(arg) : arg));
    if (own.at(-1)?.endsWith('list-review.csv')) await decide(folder.file('list-review.csv'));
    expect([name, ...args, await createRunner(name)(own, io)]).toEqual([name, ...args, 0]);
    told.push(io.printed);
  }
  const [, dry = [], first = [], second = [], aliases = []] = told;
  for (const grade of ['exact', 'close', 'ambiguous', 'not representable']) {
    expect(dry).toContainEqual(expect.stringMatching(new RegExp(`^  ${grade} +1$`)));
  }
  expect(first.at(-1)).toBe('1 applied: 1 made changes, 0 changed nothing, 0 rejected');
  expect(second.at(-1)).toBe('2 applied: 2 made changes, 0 changed nothing, 0 rejected');
  expect(aliases).toHaveLength(3);
  // An answer of /v1/events ends before these events if there are many others before them, such as those of the demo.
  const path = /^curl -N .*"http:\/\/localhost:8080(.*)"$/m.exec(guide)?.[1];
  expect(path).toMatch(/^\/v1\/stream\?/);
  const stream = await EventStreamClient.open(service.url(path ?? ''), {
    Authorization: `Bearer ${service.key}`,
  });
  const events = await stream.wait('endorsement', 3);
  stream.close();
  expect(events.map(({ data }) => data.choice.label).sort()).toEqual([
    'John Reed Jr.',
    'Lucía M. Vega',
    'Yes',
  ]);
  await folder.remove();
});

test('the guide shows the example file', async () => {
  const guide = await readFile('docs/from-a-spreadsheet.md', 'utf8');
  const lines = (await readFile(EXAMPLE, 'utf8')).trim().split('\r\n');
  const cells = lines.map((line) =>
    [...line.matchAll(/(?:^|,)(?:"([^"]*)"|([^",]*))/g)].map(([, a, b]) => a ?? b),
  );
  const shown = [...guide.matchAll(/^\| (.*) \|$/gm)].map(([, row = '']) =>
    row.split('|').map((cell) => cell.trim().replaceAll('`', '')),
  );
  expect(shown.filter(([first = '']) => !first.startsWith('--'))).toEqual(cells);
});

/** Fills the column of decisions as the guide says. */
async function decide(file: string): Promise<void> {
  const [head, ...rows] = (await readFile(file, 'utf8')).trim().split('\r\n');
  const decided = rows.map((row) => `${row}${row.includes('John Reed') ? 'reed-jr' : 'yes'}`);
  await writeFile(file, `${[head, ...decided].join('\r\n')}\r\n`);
}
