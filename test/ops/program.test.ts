import { describe, expect, test } from '@jest/globals';
import { runProgram } from '../../ops/program.ts';
import { createIo } from '../helpers/commands/command-io.ts';

async function run(line: string) {
  const io = createIo({});
  const status = await runProgram(line.split(' '), io);
  return { status, printed: io.printed.join('\n'), told: io.told.join('\n') };
}

describe('requested help goes to standard output, with exit status 0', () => {
  test.each([
    ['--help', 'submit         send endorsements'],
    ['keys --help', 'revoke <id>'],
    ['keys create --help', '--account <name>'],
    ['submit --help', 'npm run ops -- submit data/endorsements.ndjson'],
    ['lag -h', '--json'],
    ['topics apply --help', 'RETENTION_MS '],
  ])('"%s"', async (line, words) => {
    expect(await run(line)).toEqual({ status: 0, printed: expect.stringContaining(words), told: '' });
  });
});

/** The names under "Commands" in a help. */
function commandsIn(help: string): string[] {
  const [, list = ''] = /^Commands:\n((?: {2}.*\n?)*)/m.exec(help) ?? [];
  return [...list.matchAll(/^ {2}([a-z][a-z-]*)/gm)].map(([, name = '']) => name);
}

test('the help of every command has a summary, arguments, options, an example, settings and the exit status', async () => {
  const names = commandsIn((await run('--help')).printed);
  expect(names).toEqual(expect.arrayContaining(['migrate', 'keys', 'submit']));
  const lines: string[] = [];
  for (const name of names) {
    const subcommands = commandsIn((await run(`${name} --help`)).printed);
    lines.push(...(subcommands.length > 0 ? subcommands.map((each) => `${name} ${each}`) : [name]));
  }
  expect(lines.length).toBeGreaterThan(20);
  for (const line of lines) {
    const { printed } = await run(`${line} --help`);
    expect(printed).toMatch(new RegExp(`^Usage: npm run ops -- ${line} .*\\n\\n\\w`));
    expect(printed).toMatch(new RegExp(`\\n(Example|Examples):\\n(.*\\n)*.*npm run .*ops -- ${line}`));
    expect(printed).toMatch(/\nExit status:\n {2}0 {2}/);
    if (line !== 'demo generate')
      expect(printed).toMatch(/\nEnvironment:\n {2}(DATABASE_URL|KAFKA_BROKERS|SCHEMA_REGISTRY_URL) /);
    // Each line of "Arguments" and "Options" has a name and then a description.
    for (const [, list = ''] of printed.matchAll(/^(?:Arguments|Options):\n((?: {2}.*\n?)*)/gm)) {
      for (const row of list.trimEnd().split('\n')) expect(row).toMatch(/^ {2,}\S.*\S {2,}\S|^ {10,}\S/);
    }
  }
});

test('"help COMMAND" shows the help of that command', async () => {
  expect(await run('help keys create')).toEqual(await run('keys create --help'));
  expect(await run('help')).toEqual(await run('--help'));
});

test.each(['keys', 'stream'])('"%s" alone shows its help on standard error', async (line) => {
  expect(await run(line)).toEqual({ status: 1, printed: '', told: expect.stringMatching(/^Usage: .*/) });
});

describe('a mistake gives one sentence with the likeliest intention, or the place to look', () => {
  test.each([
    ['key list', "Unknown command 'key': did you mean keys?"],
    ['help key', "Unknown command 'key': did you mean keys?"],
    ['rejected lst', "Unknown command 'lst': did you mean list?"],
    ['keys creat', "Unknown command 'creat': did you mean create?"],
    ['keys create --plna free', "Unknown option '--plna': did you mean --plan?"],
    ['constructor', 'Unknown command \'constructor\': see "npm run ops -- --help".'],
    ['keys revoke', 'Missing required argument \'id\': see "npm run ops -- keys revoke --help".'],
  ])('"%s"', async (line, message) => {
    await expect(run(line)).rejects.toThrow(message);
  });
});
