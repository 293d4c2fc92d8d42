import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import * as vocabulary from '../../schemas/vocabulary.ts';

test('the states are the 50, D.C. and the five territories, as in the database', () => {
  const schema = new URL('../../store/schema/03-states.sql', import.meta.url);
  const [, rows = ''] = /INSERT INTO states [^;]*?VALUES([^;]*);/.exec(readFileSync(schema, 'utf8')) ?? [];
  const codes = Array.from(rows.matchAll(/\('([A-Z]{2})', '[0-9]{2}', '[^']+'\)/g), ([, code]) => code);
  expect(codes).toHaveLength(56);
  expect([...vocabulary.STATE_CODES].sort()).toEqual(codes.sort());
  expect(vocabulary.STATE_CODES).toEqual(expect.arrayContaining(['DC', 'AS', 'GU', 'MP', 'PR', 'VI']));
});

test('the home of an endorser is a state or the nation', () => {
  expect(vocabulary.ENDORSER_STATES).toEqual([...vocabulary.STATE_CODES, 'national']);
});

test.each([
  [
    'ELECTION_TYPES',
    vocabulary.ELECTION_TYPES,
    ['general', 'primary', 'special', 'special_primary', 'runoff', 'consolidated'],
  ],
  [
    'PRIMARY_SYSTEMS',
    vocabulary.PRIMARY_SYSTEMS,
    ['none', 'closed', 'semi_closed', 'open', 'top_two', 'nonpartisan'],
  ],
  ['LEVELS', vocabulary.LEVELS, ['federal', 'state', 'county', 'city', 'school', 'special']],
  ['CONTEST_KINDS', vocabulary.CONTEST_KINDS, ['candidate', 'measure', 'retention']],
  [
    'VOTE_METHODS',
    vocabulary.VOTE_METHODS,
    ['plurality', 'multi_seat', 'ranked_choice', 'approval', 'yes_no'],
  ],
  ['CHANGE_TYPES', vocabulary.CHANGE_TYPES, ['created', 'updated', 'deleted']],
  ['LANGUAGES', vocabulary.LANGUAGES, ['en', 'es']],
  [
    'SCOPES',
    vocabulary.SCOPES,
    ['data:read', 'stream:read', 'subscriptions:write', 'endorsements:write', 'webhooks:write'],
  ],
])('%s has the values of the interface in order', (_, values, expected) => {
  expect(values).toEqual(expected);
});
