import { expect, test } from '@jest/globals';
import { StatementNames } from '../../store/connection/statement-names.ts';

const runs = (names: StatementNames, text: string, times: number) =>
  Array.from({ length: times }, () => names.nameOf(text)).at(-1);

test('a repeated text gets a name and keeps it', () => {
  const names = new StatementNames();
  expect(runs(names, 'SELECT 1', 3)).toBeUndefined();
  const name = names.nameOf('SELECT 1');
  expect(name).toBeDefined();
  expect(names.nameOf('SELECT 1')).toBe(name);
});

test('no two texts share a name', () => {
  const names = new StatementNames();
  expect(runs(names, 'SELECT 1', 4)).not.toBe(runs(names, 'SELECT 2', 4));
});

test('the number of named texts is bounded, because a connection keeps each in memory', () => {
  const names = new StatementNames();
  const given = Array.from({ length: 100 }, (_, text) => runs(names, `SELECT ${text}`, 4));
  expect(given.filter((name) => name !== undefined)).toHaveLength(32);
  expect(names.nameOf('SELECT 0')).toBe(given[0]);
  expect(runs(names, 'SELECT 99', 10)).toBeUndefined();
});

test('runs of rare texts are forgotten', () => {
  const names = new StatementNames();
  runs(names, 'SELECT 1', 3);
  for (let text = 2; text <= 1000; text += 1) names.nameOf(`SELECT ${text}`);
  expect(names.nameOf('SELECT 1')).toBeUndefined();
});
