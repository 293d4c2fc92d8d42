import { Writable } from 'node:stream';
import { expect, test } from '@jest/globals';
import { createRepeatFilter, renderLogLine } from '../../../../ops/local/processes/log-view.ts';
import { createLog, type Logger } from '../../../../service/log.ts';

/** The log's line for an action. */
function logged(write: (log: Logger) => void): string {
  const lines: string[] = [];
  const sink = new Writable({
    write(chunk, _, done) {
      lines.push(String(chunk));
      done();
    },
  });
  write(createLog('gateway', 'debug', sink));
  return lines.join('').trimEnd();
}

test.each<[string, (log: Logger) => void, string | null]>([
  ['an information', (log) => log.info('listening'), null],
  ['a warning', (log) => log.warn('slow'), 'gateway warning: slow'],
  [
    'a failure',
    (log) => log.error({ error: new Error('no route') }, 'failed'),
    'gateway error: failed (no route)',
  ],
  [
    'a warning with its cause',
    (log) => log.warn({ error: new Error('no route'), partition: 3 }, 'trying again'),
    'gateway warning: trying again (no route)',
  ],
  [
    'a warning that tells its cause',
    (log) => {
      const message = 'The topic is another one. Check it.';
      log.warn(
        { error: new Error(message, { cause: new Error(message) }) },
        `trying again (${message.slice(0, -1)})`,
      );
    },
    'gateway warning: trying again (The topic is another one. Check it)',
  ],
  ['an error alone', (log) => log.error(new Error('no route')), 'gateway error: no route'],
  ['an end', (log) => log.fatal('gone'), 'gateway error: gone'],
])('%s, as our log writes it, is shown with its reason', (_, write, shown) => {
  expect(renderLogLine('gateway', logged(write))).toBe(shown);
});

test.each([
  ['TypeError: x is not a function', 'gateway: TypeError: x is not a function'],
  ['    at file.ts:1:1', null],
  ['Node.js v24.0.0', null],
  ['', null],
  ['{"no":"level"}', 'gateway: {"no":"level"}'],
])('a line from elsewhere, %s, is shown as %s', (text, shown) => {
  expect(renderLogLine('gateway', text)).toBe(shown);
});

test('a repeated line is shown once in ten seconds', () => {
  let time = 0;
  const isNew = createRepeatFilter(() => time);
  expect([isNew('a'), isNew('b'), isNew('a')]).toEqual([true, true, false]);
  time = 9999;
  expect(isNew('a')).toBe(false);
  time = 10_000;
  expect(isNew('a')).toBe(true);
});
