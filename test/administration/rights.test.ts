import { beforeAll, beforeEach, expect, test } from '@jest/globals';
import { changeRights } from '../../administration/publishing/rights.ts';
import { listAllowedEndorsers } from '../../store/accounts/endorsers.ts';
import { loadCatalogue, SMALL_BALLOT } from '../helpers/ballots/catalogue.ts';
import { createAccount } from '../helpers/postgres/accounts.ts';
import { useTestDatabase } from '../helpers/postgres/database.ts';

const { client, url } = useTestDatabase();
const ACTOR = { osUser: 'ada', person: null };
let account: { id: number; name: string };

beforeAll(() => loadCatalogue(url, SMALL_BALLOT));
beforeEach(async () => {
  account = { id: await createAccount(client), name: 'acme' };
});

const change = (given: readonly string[], isAllowed = true) =>
  changeRights(client, account, { given, isAllowed }, ACTOR);
const allowed = async () => (await listAllowedEndorsers(client, account.id)).map(({ slug }) => slug);

test('slugs count once, as people write them, and only those for which something changes are returned', async () => {
  expect(await change([' coast-gazette ', 'coast-gazette', '', '\u200b'])).toEqual(['coast-gazette']);
  expect(await change(['nation-herald', 'coast-gazette'])).toEqual(['nation-herald']);
  expect(await change(['bakers-local-1', 'coast-gazette'], false)).toEqual(['coast-gazette']);
  expect(await allowed()).toEqual(['nation-herald']);
});

test.each([[[]], [[' ', '']]])('a change of no endorser is refused: %j', async (given) => {
  await expect(change(given)).rejects.toThrow('Name at least one endorser, by its slug.');
});

const unknown = (count: number) => Array.from({ length: count }, (_, at) => `nobody-at-all-${at}`);

test('500 endorsers are looked up at a time, and 501 are refused', async () => {
  await expect(change([...unknown(500), 'nobody-at-all-0'])).rejects.toThrow(
    'There is no endorser "nobody-at-all-0".',
  );
  await expect(change(unknown(501))).rejects.toThrow('Name at most 500 endorsers at a time; there are 501.');
});

test.each([
  [5, ''],
  [6, ' 1 more are unknown.'],
  [11, ' 6 more are unknown.'],
])(
  'of %i unknown endorsers five are told, the others counted, and those that exist are not changed',
  async (count, rest) => {
    const told = unknown(5).map((slug) => `There is no endorser "${slug}".`);
    await expect(change(['coast-gazette', ...unknown(count)])).rejects.toThrow(
      `${told.join(' ')}${rest} Nothing was changed.`,
    );
    expect(await allowed()).toEqual([]);
  },
);
