import { describe, expect, test } from '@jest/globals';
import { runProgram } from '../../ops/program.ts';
import { createIo } from '../helpers/command-io.ts';

async function run(line: string) {
  const io = createIo({});
  const status = await runProgram(line.split(' '), io);
  return { status, printed: io.printed.join('\n'), told: io.told.join('\n') };
}

describe('help that is asked for goes to standard output, with exit status 0', () => {
  test.each([
    ['--help', 'submit         send endorsements'],
    ['keys --help', 'revoke <id>'],
    ['keys create --help', '--account <name>'],
    ['submit --help', 'npm run ops -- submit data/endorsements.ndjson'],
    ['lag -h', '--json'],
  ])('"%s"', async (line, words) => {
    expect(await run(line)).toEqual({ status: 0, printed: expect.stringContaining(words), told: '' });
  });
});

test.each(['keys', 'stream'])('"%s" alone shows its help on standard error', async (line) => {
  expect(await run(line)).toEqual({ status: 1, printed: '', told: expect.stringMatching(/^Usage: .*/) });
});

describe('a mistake is one sentence with the likeliest intention, or the place to look', () => {
  test.each([
    ['key list', "Unknown command 'key': did you mean keys?"],
    ['keys creat', "Unknown command 'creat': did you mean create?"],
    ['keys create --plna free', "Unknown option '--plna': did you mean --plan?"],
    ['constructor', 'Unknown command \'constructor\': see "npm run ops -- --help".'],
    ['keys revoke', 'Missing required argument \'id\': see "npm run ops -- keys revoke --help".'],
  ])('"%s"', async (line, message) => {
    await expect(run(line)).rejects.toThrow(message);
  });
});
