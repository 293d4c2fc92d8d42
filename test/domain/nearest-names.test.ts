import { expect, test } from '@jest/globals';
import { findNearest } from '../../domain/nearest-names.ts';

const SLUGS = ['sierra-club', 'sierra-club-oregon', 'coast-gazette', 'nra'];

test.each([
  ['Siera-Club', ['sierra-club']],
  ['sierra', ['sierra-club', 'sierra-club-oregon']],
  ['sierra-club-orgon', ['sierra-club-oregon']],
  ['nrax', ['nra']],
  ['nrabc', ['nra']],
  ['nrabcd', []],
  ['', []],
])('the names nearest to "%s" are %j', (name, nearest) => {
  expect(findNearest(name, SLUGS, 2)).toEqual(nearest);
});

test.each(['last_event_id', 'lasteventid', 'LASTEVENTID', 'Last-Event-ID', 'last'])(
  'the case of the known name does not count either: %s is lastEventId',
  (name) => {
    expect(findNearest(name, ['cursor', 'lastEventId', 'levels'], 1)).toEqual(['lastEventId']);
  },
);

test('the nearest come first, and no more than asked for', () => {
  expect(findNearest('sierra-club-', SLUGS, 1)).toEqual(['sierra-club']);
  expect(findNearest('nrb', ['nrab', 'xnrb', 'nrb2', 'nra', 'nrb'], 2)).toEqual(['nrb', 'nrab']);
});

test('INV-15: a name of a megabyte is near to nothing, and is not compared letter by letter', () => {
  const many = Array.from({ length: 3_000 }, (_, n) => `some-endorser-of-number-${n}`);
  const measure = (name: string, nearest: readonly string[]) => {
    const before = performance.now();
    expect(findNearest(name, many, 1)).toEqual(nearest);
    return performance.now() - before;
  };
  const short = measure('some-endorser-of-numbre-7', ['some-endorser-of-number-7']);
  expect(measure('a'.repeat(1_000_000), [])).toBeLessThan(1_000 * short);
});
