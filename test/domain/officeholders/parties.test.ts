import { expect, test } from '@jest/globals';
import { currentParty } from '../../../domain/officeholders/parties.ts';

test('a membership that ends today has ended', () => {
  const parties = [{ name: 'Green', end: '2026-11-03' }];
  expect(currentParty(parties, '2026-11-02').party).toBe('Green');
  expect(currentParty(parties, '2026-11-03').party).toBeNull();
});

test('the party is the last membership that has not ended, with its abbreviation if known', () => {
  const parties = [
    { name: 'Republican', end: '2020-01-01' },
    { name: 'Democratic', end: null },
  ];
  expect(currentParty(parties, '2026-11-03')).toEqual({ party: 'Democratic', party_abbreviation: 'D' });
  const both = [{ name: 'Green', end: null }, ...parties];
  expect(currentParty(both, '2026-11-03')).toEqual({ party: 'Democratic', party_abbreviation: 'D' });
  expect(currentParty(both.slice(0, 2), '2019-11-03').party).toBe('Republican');
  expect(currentParty(parties.slice(0, 1), '2026-11-03')).toEqual({ party: null, party_abbreviation: null });
  expect(currentParty([{ name: 'constructor', end: null }], '2026-11-03')).toEqual({
    party: 'constructor',
    party_abbreviation: null,
  });
});

test.each([
  ['Republican', 'R'],
  ['Forward', 'FWD'],
  // The own party of a legislator with several comes first.
  ['Democratic/Working Families', 'D'],
  ['Republican/Conservative/Independence/Libertarian', 'R'],
  ['Progressive/Democratic', 'P'],
  ['Progressive / Democratic', 'P'],
  // Puerto Rico, in both languages, with a combining accent too.
  ['Partido Nuevo Progresista', 'PNP'],
  ['New Progressive', 'PNP'],
  ['Partido Popular Democrático', 'PPD'],
  ['Partido Popular Democrático'.normalize('NFD'), 'PPD'],
  ['Partido Independentista Puertorriqueño', 'PIP'],
  ['Proyecto Dignidad', 'PD'],
  ['Movimiento Victoria Ciudadana', 'MVC'],
  // The first party alone decides.
  ['Pirate/Democratic', null],
  ['/Democratic', null],
  ['Federalist', null],
])('the abbreviation of the party %j is %j', (name, expected) => {
  const memberships = [{ name, end: null }];
  expect(currentParty(memberships, '2026-11-03')).toEqual({ party: name, party_abbreviation: expected });
});
