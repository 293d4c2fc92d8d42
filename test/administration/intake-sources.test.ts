import { expect, test } from '@jest/globals';
import { loadSources } from '../../administration/intake/sources.ts';
import { saveAliases } from '../../store/intake/aliases.ts';
import { loadCatalogue, SMALL_BALLOT } from '../helpers/ballots/catalogue.ts';
import { createAccount } from '../helpers/postgres/accounts.ts';
import { useTestDatabase } from '../helpers/postgres/database.ts';

const { url, client } = useTestDatabase();

test('what an account has decided about a name counts before what is decided for all, and for this account alone', async () => {
  const [own, other] = [await createAccount(client), await createAccount(client)];
  const decide = (accountId: number | null, text: string, key: string) =>
    saveAliases(client, accountId, [{ kind: 'endorser', scope: '', text, key }]);
  await decide(null, 'gazette', 'nation-gazette');
  await decide(null, 'herald', 'nation-herald');
  await decide(own, 'gazette', 'coast-gazette');
  const meaningsFor = async (accountId: number | null) => {
    const { findAlias } = await loadSources(client, { accountId });
    return ['gazette', 'herald'].map((text) => findAlias('endorser', '', text));
  };
  expect(await meaningsFor(own)).toEqual(['coast-gazette', 'nation-herald']);
  for (const each of [other, null]) {
    expect(await meaningsFor(each)).toEqual(['nation-gazette', 'nation-herald']);
  }
});

test('of several decisions about one name the last one counts, also of those that are remembered together', async () => {
  const accountId = await createAccount(client);
  const decide = (...keys: string[]) =>
    saveAliases(
      client,
      accountId,
      keys.map((key) => ({ kind: 'endorser', scope: '', text: 'gazette', key })),
    );
  const meaning = async () => (await loadSources(client, { accountId })).findAlias('endorser', '', 'gazette');
  expect([await decide('a-gazette', 'b-gazette'), await meaning()]).toEqual([1, 'b-gazette']);
  expect([await decide('c-gazette', 'a-gazette'), await meaning()]).toEqual([1, 'a-gazette']);
});

test('elections are told apart by their states and days, also after one has been matched', async () => {
  await loadCatalogue(url, SMALL_BALLOT);
  const { matchElection } = await loadSources(client, { accountId: null });
  const slugOf = (state: string) => matchElection({ election: '11/3/2026', date: null, state }).value?.slug;
  expect(['OR', 'CA', 'OR'].map(slugOf)).toEqual([
    ...['or-2026-11-03-general', 'ca-2026-11-03-general', 'or-2026-11-03-general'],
  ]);
  const gradeOf = (date: string) => matchElection({ election: null, date, state: 'OR' }).grade;
  expect(['11/3/2026', '11/4/2026'].map(gradeOf)).toEqual(['exact', 'none']);
});

test('no row means an election, a contest or a choice that was removed', async () => {
  await loadCatalogue(url, SMALL_BALLOT);
  await client.query(`
    UPDATE elections SET removed_at = now() WHERE state = 'CA';
    UPDATE contests SET removed_at = now() WHERE key LIKE '%/council';
    UPDATE choices SET removed_at = now() WHERE key = 'ann'`);
  const { findContest } = await loadSources(client, { accountId: null });
  const [oregon, california] = ['or-2026-11-03-general', 'ca-2026-11-03-general'];
  expect(await findContest(`${california}/prop-1`)).toBeNull();
  expect(await findContest(`${oregon}/council`)).toBeNull();
  const mayor = await findContest(`${oregon}/mayor`);
  expect(mayor?.choices.map(({ key }) => key)).toEqual(['bob', 'cyd', 'dee']);
});
