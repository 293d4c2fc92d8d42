import { expect, test } from '@jest/globals';
import { createRepeatFilter, renderLogLine } from '../../../ops/local/log-view.ts';

test.each([
  ['{"level":30,"msg":"listening"}', null],
  ['{"level":"info","msg":"listening"}', null],
  ['{"level":"warn","msg":"slow"}', 'gateway warning: slow'],
  ['{"level":"fatal","msg":"gone"}', 'gateway error: gone'],
  ['{"level":40,"msg":"slow"}', 'gateway warning: slow'],
  ['{"level":50,"msg":"failed","err":{"message":"no route"}}', 'gateway error: failed (no route)'],
  ['{"level":60,"err":{"message":"no route"}}', 'gateway error: no route'],
  ['{"level":50,"msg":"no route","err":{"message":"no route"}}', 'gateway error: no route'],
  ['TypeError: x is not a function', 'gateway: TypeError: x is not a function'],
  ['    at file.ts:1:1', null],
  ['Node.js v24.0.0', null],
  ['', null],
  ['{"no":"level"}', 'gateway: {"no":"level"}'],
])('%s is shown as %s', (text, shown) => {
  expect(renderLogLine('gateway', text)).toBe(shown);
});

test('a line that repeats is shown once in ten seconds', () => {
  let time = 0;
  const isNew = createRepeatFilter(() => time);
  expect([isNew('a'), isNew('b'), isNew('a')]).toEqual([true, true, false]);
  time = 9999;
  expect(isNew('a')).toBe(false);
  time = 10_000;
  expect(isNew('a')).toBe(true);
});
