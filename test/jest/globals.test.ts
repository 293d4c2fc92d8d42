import { expect, jest, test } from '@jest/globals';
import { test as delegated, jest as jestOfHelpers, useGlobals } from './globals.mjs';

test('a helper restores what a test file has replaced', () => {
  const { now } = Date;
  jest.spyOn(Date, 'now').mockReturnValue(0);
  jestOfHelpers.restoreAllMocks();
  expect(Date.now).toBe(now);
});

test('a helper that keeps a property such as test.skip calls that of the present test file', () => {
  const present = Reflect.get(globalThis, Symbol.for('ballot.jest-globals'));
  const called: string[] = [];
  const globalsOf = (file: string) => {
    const note = (kind: string) => (name: string) => called.push(`${file}: ${kind} ${name}`);
    return {
      test: Object.assign(note('test'), { skip: Object.assign(note('skip'), { each: note('each') }) }),
    };
  };
  try {
    useGlobals(globalsOf('first'));
    const { skip } = delegated;
    const { each } = skip;
    useGlobals(globalsOf('second'));
    delegated('a', () => {});
    skip('b', () => {});
    each(['c']);
  } finally {
    useGlobals(present);
  }
  expect(called).toEqual(['second: test a', 'second: skip b', 'second: each c']);
});
