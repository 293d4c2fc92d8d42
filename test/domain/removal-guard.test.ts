import { expect, test } from '@jest/globals';
import { countRemovals, needsConsent, type Removal } from '../../domain/removal-guard.ts';

interface Removed {
  contests?: number;
  choices?: number;
  endorsements?: number;
  ofContests?: number;
  ofEndorsements?: number;
}

const removal = ({
  contests = 0,
  choices = 0,
  endorsements = 0,
  ofContests = 1000,
  ofEndorsements = 10_000,
}: Removed): Removal => ({
  from: 'or',
  records: [
    { kind: 'contests', removed: contests, of: ofContests },
    { kind: 'choices', removed: choices, of: null },
    { kind: 'endorsements', removed: endorsements, of: ofEndorsements },
  ],
});

test.each<[string, Removed[], boolean]>([
  ['nothing', [], false],
  ['a hundred of all kinds', [{ contests: 20, choices: 40, endorsements: 40 }], false],
  ['one more', [{ contests: 20, choices: 40, endorsements: 41 }], true],
  ['more than a hundred in several elections', [{ choices: 60 }, { choices: 41 }], true],
  ['a tenth of the contests', [{ contests: 5, ofContests: 50 }], false],
  ['more than a tenth of the contests', [{ contests: 5, ofContests: 49 }], true],
  ['all of four contests', [{ contests: 4, ofContests: 4 }], false],
  ['a tenth of the endorsements', [{ endorsements: 10, ofEndorsements: 100 }], false],
  ['more than a tenth of the endorsements', [{ endorsements: 10, ofEndorsements: 99 }], true],
  ['all of four endorsements', [{ endorsements: 4, ofEndorsements: 4 }], false],
  ['a large part of a second election', [{ contests: 1 }, { contests: 9, ofContests: 9 }], true],
])('%s needs consent: %#', (_, removals, expected) => {
  expect(needsConsent(removals.map(removal), null)).toBe(expected);
});

test('consent for a number covers that many, whatever their part, and no more', () => {
  const all = [removal({ contests: 9, choices: 18, endorsements: 300, ofContests: 9, ofEndorsements: 300 })];
  expect(countRemovals(all)).toBe(327);
  expect(needsConsent(all, 327)).toBe(false);
  expect(needsConsent(all, 326)).toBe(true);
  expect(needsConsent([removal({ choices: 1 })], 0)).toBe(true);
  expect(needsConsent([], 0)).toBe(false);
});
