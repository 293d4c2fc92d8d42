/** The console's questions about the positions of an account's endorsers, and about their uploads. */
import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import {
  countOwnContests,
  findOwnPosition,
  listOpenElections,
  listOwnContests,
  listOwnEndorsements,
  type OwnContestSearch,
} from '../../store/console/own-positions.ts';
import { findElectionName, searchBallots } from '../../store/console/search.ts';
import {
  beginPositions,
  findKnownUpload,
  keepPositions,
  readUploadedPositions,
} from '../../store/console/upload-positions.ts';
import { addBatch, markPublished } from '../../store/console/uploads.ts';
import { applySubmissions, SUBMISSIONS_TOPIC } from '../helpers/ballots/apply.ts';
import { CALIFORNIA, loadCatalogue, SMALL_BALLOT } from '../helpers/ballots/catalogue.ts';
import { contest, election } from '../helpers/ballots/catalogue-records.ts';
import { endorse, pick, position } from '../helpers/ballots/submissions.ts';
import { createAccount } from '../helpers/postgres/accounts.ts';
import { useTestDatabase } from '../helpers/postgres/database.ts';
import { saveTable } from '../helpers/postgres/uploads.ts';

const { client, url } = useTestDatabase();
const OREGON = 'or-2026-11-03-general';
const [BAKERS, GAZETTE] = ['bakers-local-1', 'coast-gazette'];
let accountId: number;

beforeAll(async () => {
  await loadCatalogue(url, [
    ...SMALL_BALLOT,
    [
      'elections',
      election({ slug: 'wa-2026-11-03-general', state: 'WA', name_es: 'Elección de Washington' }),
    ],
    ['elections', election({ slug: 'or-2026-05-19-primary', date: '2026-05-19', type: 'primary' })],
    [
      'contests',
      contest('clerk', {
        title_es: 'Secretaría de O’Brien',
        district: { ...DISTRICT, name: 'Rio 50%', level: 'county' },
      }),
    ],
  ]);
  await applySubmissions(
    client,
    position(BAKERS, 'sheriff', [
      pick('cyd', { rank: 2 }),
      pick('ann', { rank: 1, statement: 'Good.', details: '{"page":4}' }),
    ]),
    endorse(BAKERS, 'mayor', 'bob', { source_url: 'https://example.org/a', published_on: '2026-10-01' }),
    endorse(GAZETTE, 'mayor', 'ann', { details: '{"source":"Page 3"}' }),
    endorse(BAKERS, 'prop-1', 'yes'),
  );
});
const DISTRICT = { ocd_id: null, name: 'Fernville', level: 'city', type: 'place', state: 'OR' };
beforeEach(async () => {
  accountId = await createAccount(client);
});

async function idOf(key: string): Promise<number> {
  const { rows } = await client.query('SELECT id FROM contests WHERE key = $1', [key]);
  return rows[0].id;
}

describe('the elections in which positions can be taken', () => {
  const slugs = async (from: string, slug: string | null = null, limit = 10) =>
    (await listOpenElections(client, { from, slug, limit })).map((each) => each.slug);

  test('are those from a day on, and the one that is chosen, by day and state', async () => {
    const general = [CALIFORNIA, OREGON, 'wa-2026-11-03-general'];
    expect(await slugs('2026-11-03')).toEqual(general);
    expect(await slugs('2026-11-04')).toEqual([]);
    expect(await slugs('2026-11-04', 'or-2026-05-19-primary')).toEqual(['or-2026-05-19-primary']);
    expect(await slugs('2026-01-01', null, 2)).toEqual(['or-2026-05-19-primary', CALIFORNIA]);
    await client.query('UPDATE elections SET removed_at = now() WHERE slug = $1', [OREGON]);
    expect(await slugs('2026-11-03', OREGON)).toEqual([CALIFORNIA, 'wa-2026-11-03-general']);
    expect(await findElectionName(client, OREGON, 'en')).toBeNull();
    await client.query('UPDATE elections SET removed_at = NULL');
  });

  test('have a name in the language of the page, if there is one', async () => {
    expect(await findElectionName(client, 'wa-2026-11-03-general', 'es')).toBe('Elección de Washington');
    expect(await findElectionName(client, 'wa-2026-11-03-general', 'en')).toBe('Oregon general 2026');
    expect(await findElectionName(client, OREGON, 'es')).toBe('Oregon general 2026');
  });
});

describe('the contests of an election', () => {
  const ALL: OwnContestSearch = {
    ...{ endorser: BAKERS, election: OREGON, isTaken: null, level: '', kind: '', contains: '' },
    ...{ limit: 10, offset: 0 },
  };
  const titles = async (search: Partial<OwnContestSearch> = {}) =>
    (await listOwnContests(client, { ...ALL, ...search })).map(({ title }) => title.replace('Title of ', ''));

  test('are listed with the position of the endorser, by rank', async () => {
    const found = await listOwnContests(client, ALL);
    expect(
      found.map(({ title, picks }) => [title, picks.map(({ label, rank }) => `${rank} ${label}`)]).sort(),
    ).toEqual([
      ['Title of clerk', []],
      ['Title of council', []],
      ['Title of mayor', ['null bob']],
      ['Title of sheriff', ['1 ann', '2 cyd']],
    ]);
    expect(await countOwnContests(client, ALL)).toEqual({ all: 4, taken: 2 });
    expect(await countOwnContests(client, { ...ALL, endorser: GAZETTE })).toEqual({ all: 4, taken: 1 });
    expect(await countOwnContests(client, { ...ALL, election: CALIFORNIA })).toEqual({ all: 1, taken: 1 });
  });

  test('are chosen by whether there is a position, by level and kind, and by a part of a name', async () => {
    expect((await titles({ isTaken: true })).sort()).toEqual(['mayor', 'sheriff']);
    expect((await titles({ isTaken: false })).sort()).toEqual(['clerk', 'council']);
    expect(await titles({ level: 'county' })).toEqual(['clerk']);
    expect(await titles({ kind: 'measure' })).toEqual([]);
    expect(await titles({ election: CALIFORNIA, kind: 'measure' })).toEqual(['prop-1']);
    for (const contains of ['SECRETARÍA', 'secretaria', 'rio 5', '50%', "o'brien", 'O’Brien', 'OBrien'])
      expect(await titles({ contains })).toEqual(['clerk']);
    expect(await titles({ contains: '%' })).toEqual(['clerk']);
    expect(await titles({ contains: 'Fernville', isTaken: false })).toEqual(['council']);
    const all = await titles();
    expect([await titles({ limit: 2 }), await titles({ limit: 2, offset: 2 })]).toEqual([
      all.slice(0, 2),
      all.slice(2),
    ]);
    await client.query(`UPDATE contests SET removed_at = now() WHERE key LIKE '%/clerk'`);
    expect(await titles({ level: 'county' })).toEqual([]);
    expect((await countOwnContests(client, ALL)).all).toBe(3);
    await client.query('UPDATE contests SET removed_at = NULL');
  });
});

test('the endorsements of an account are those of its endorsers, in pages, by endorser and election', async () => {
  const list = async (search: object = {}) => {
    const all = { endorser: null, election: null, after: 0, limit: 10 };
    return listOwnEndorsements(client, accountId, { ...all, ...search });
  };
  expect(await list()).toEqual([]);
  await client.query(
    `INSERT INTO account_endorsers (account_id, endorser_id) SELECT $1, id FROM endorsers WHERE slug <> 'nation-herald'`,
    [accountId],
  );
  const found = await list();
  expect(
    found.map(
      ({ endorser, contest: of, choice, rank }) => `${endorser} ${of.split('/')[1]} ${choice} ${rank}`,
    ),
  ).toEqual(
    expect.arrayContaining([
      ...[`${BAKERS} sheriff ann 1`, `${BAKERS} sheriff cyd 2`, `${BAKERS} mayor bob null`],
      ...[`${GAZETTE} mayor ann null`, `${BAKERS} prop-1 yes null`],
    ]),
  );
  expect(found).toHaveLength(5);
  expect(found.find(({ choice }) => choice === 'bob')).toMatchObject({
    ...{ election: OREGON, source: 'https://example.org/a', published_on: '2026-10-01', statement: null },
  });
  const [gazette] = await list({ endorser: GAZETTE });
  expect(gazette).toMatchObject({ endorser: GAZETTE, source: 'Page 3' });
  expect((await list({ election: CALIFORNIA })).map(({ choice }) => choice)).toEqual(['yes']);
  const [first, second, ...rest] = found;
  expect(await list({ limit: 2 })).toEqual([first, second]);
  expect(await list({ after: second?.id })).toEqual(rest);
});

test('a position has every value of its picks, and tells whether it has changed since', async () => {
  const contestId = await idOf(`${OREGON}/sheriff`);
  const find = (since: number | null, endorser = BAKERS) =>
    findOwnPosition(client, { endorser, contestId, since });
  const found = await find(null);
  expect(found).toMatchObject({
    ...{
      key: `${OREGON}/sheriff`,
      election: OREGON,
      electionName: 'Oregon general 2026',
      date: '2026-11-03',
    },
    ...{ vote_method: 'ranked_choice', ranks_allowed: 3, isChanged: false },
    picks: [pick('ann', { rank: 1, statement: 'Good.', details: '{"page": 4}' }), pick('cyd', { rank: 2 })],
  });
  expect(found?.choices.map(({ key, candidate, withdrawn }) => [key, candidate, withdrawn])).toEqual(
    ['ann', 'bob', 'cyd', 'dee'].map((key) => [key, key, false]),
  );
  const sequence = found?.sequence ?? 0;
  expect([(await find(0))?.isChanged, (await find(sequence))?.isChanged]).toEqual([true, false]);
  // Neither another endorser nor another contest changes it.
  await applySubmissions(client, endorse(GAZETTE, 'sheriff', 'dee'), endorse(BAKERS, 'council', 'dee'));
  expect([(await find(sequence))?.isChanged, (await find(sequence, GAZETTE))?.isChanged]).toEqual([
    false,
    true,
  ]);
  await applySubmissions(client, endorse(BAKERS, 'sheriff', 'ann', { rank: 1, statement: 'Better.' }));
  expect(await find(sequence)).toMatchObject({ isChanged: true });
  const now = (await find(null))?.sequence ?? 0;
  expect(await find(now)).toMatchObject({ isChanged: false });
  await client.query(
    `UPDATE choices SET removed_at = CASE key WHEN 'dee' THEN now() END, ballot_order = -ballot_order
     WHERE contest_id = $1`,
    [contestId],
  );
  const turned = await find(null);
  expect(turned?.choices.map(({ key }) => key)).toEqual(['cyd', 'bob', 'ann']);
  expect(turned?.picks.map((each) => each.choice)).toEqual(['cyd', 'ann']);
  await client.query('UPDATE choices SET removed_at = NULL, ballot_order = abs(ballot_order)');
  await client.query('UPDATE contests SET removed_at = now() WHERE id = $1', [contestId]);
  expect(await find(null)).toBeNull();
  await client.query('UPDATE contests SET removed_at = NULL');
});

describe('a search of ballots', () => {
  const search = async (text: string, more: object = {}) => {
    const found = await searchBallots(client, {
      ...{ text, lang: 'en', from: '2026-06-01', limit: 10 },
      ...more,
    });
    return {
      elections: found.elections.map(({ slug }) => slug),
      contests: found.contests.map(({ title }) => title),
      choices: found.choices.map(({ label, title }) => `${label}, ${title}`),
    };
  };

  test('finds every word in any order, in both languages, and shows the language of the page', async () => {
    expect((await search('CLERK of title')).contests).toEqual(['Title of clerk']);
    expect((await search('secretaria')).contests).toEqual(['Title of clerk']);
    expect((await search('secretaria', { lang: 'es' })).contests).toEqual(['Secretaría de O’Brien']);
    expect((await search('clerk mayor')).contests).toEqual([]);
    expect((await search('sí')).choices).toEqual(['Yes, Title of prop-1']);
    expect((await search('sí', { lang: 'es' })).choices).toEqual(['Sí, Título de prop-1']);
    expect(await search('50%')).toMatchObject({ contests: ['Title of clerk'] });
    expect(await search('%')).toMatchObject({ elections: expect.any(Array) });
  });

  test('has upcoming elections first, and past ones after them', async () => {
    expect((await search('oregon')).elections).toEqual([
      ...[OREGON, 'wa-2026-11-03-general', 'or-2026-05-19-primary'],
    ]);
    expect((await search('oregon', { from: '2026-01-01' })).elections[0]).toBe('or-2026-05-19-primary');
    expect((await search('oregon', { limit: 1 })).elections).toEqual([OREGON]);
    expect((await search('2026-05-19')).elections).toEqual(['or-2026-05-19-primary']);
  });
});

describe('the positions of an upload', () => {
  /** An upload whose positions are noted, and one submission that is published at an offset. */
  async function upload(
    before: { contest: string; picks: ReturnType<typeof pick>[] }[],
    offset = 0,
  ): Promise<number> {
    await client.query('BEGIN');
    const id = await saveTable(client, accountId);
    await beginPositions(client, id);
    const { rows } = await client.query('SELECT id FROM endorsers WHERE slug = $1', [BAKERS]);
    const positions = [];
    for (const each of before)
      positions.push({ endorserId: rows[0].id, contestId: await idOf(each.contest), before: each.picks });
    await keepPositions(client, id, positions);
    await addBatch(client, id, { ordinal: 1, submissions: '[]', count: 1 });
    await client.query('COMMIT');
    await publish(id, offset);
    return id;
  }
  async function publish(id: number, offset: number, topic = 'topic-1'): Promise<number> {
    const { rows } = await client.query(
      `INSERT INTO publications (account_id, topic_id, endorsers, contests, partitions, offsets, after_sequence,
         after_rejection) VALUES ($1, $2, '{a}', '{b}', '{0}', $3, 0, 0) RETURNING id::int`,
      [accountId, topic, [offset]],
    );
    await markPublished(client, id, { ordinal: 1, count: 1, publicationId: rows[0].id });
    return rows[0].id;
  }
  async function read(id: number, account = accountId) {
    const found = [];
    await client.query('BEGIN');
    for await (const each of readUploadedPositions(client, { accountId: account, uploadId: id }))
      found.push(each);
    await client.query('COMMIT');
    return found;
  }
  beforeEach(async () => {
    await client.query('DELETE FROM consumed_topics');
    await client.query(
      `INSERT INTO consumed_topics (topic, topic_id, cluster_id) VALUES ($1, 'topic-1', 'c')`,
      [SUBMISSIONS_TOPIC],
    );
  });

  test('are known once its submissions are applied, while the changes since and the topic are', async () => {
    const next = Number(
      (await client.query('SELECT next_offset FROM consumer_offsets WHERE topic = $1', [SUBMISSIONS_TOPIC]))
        .rows[0].next_offset,
    );
    const id = await upload([], next);
    const known = () => findKnownUpload(client, id);
    expect(await known()).toEqual({ isKept: true, isKnown: true, isOnItsWay: true });
    await applySubmissions(client, endorse(BAKERS, 'council', 'ann', { statement: `At ${next}.` }));
    expect(await known()).toEqual({ isKept: true, isKnown: true, isOnItsWay: false });
    const { rows } = await client.query('SELECT since_sequence::float8 AS at FROM uploads WHERE id = $1', [
      id,
    ]);
    const since = rows[0].at;
    await client.query('UPDATE uploads SET since_sequence = -5 WHERE id = $1', [id]);
    expect(await known()).toMatchObject({ isKept: true, isKnown: false });
    await client.query('UPDATE uploads SET since_sequence = NULL WHERE id = $1', [id]);
    expect(await known()).toMatchObject({ isKept: false });
    await client.query('UPDATE uploads SET since_sequence = $2 WHERE id = $1', [id, since]);
    await client.query(`UPDATE consumed_topics SET topic_id = 'anew'`);
    expect(await known()).toMatchObject({ isKnown: false });
    expect(await findKnownUpload(client, 999_999)).toEqual({
      isKept: false,
      isKnown: false,
      isOnItsWay: false,
    });
  });

  test('are those before it and now, and tell its own changes from those of others', async () => {
    await client.query(
      'INSERT INTO account_endorsers (account_id, endorser_id) SELECT $1, id FROM endorsers WHERE slug = $2',
      [accountId, BAKERS],
    );
    await applySubmissions(client, position(BAKERS, 'council', []), position(BAKERS, 'mayor', [pick('bob')]));
    const id = await upload([
      { contest: `${OREGON}/council`, picks: [] },
      { contest: `${OREGON}/mayor`, picks: [pick('bob'), pick('zed')] },
    ]);
    await applySubmissions(client, endorse(BAKERS, 'council', 'bob'));
    const shown = async () =>
      (await read(id)).map(({ contest: of, before, present, isMade, isChanged, isAllowed, choices }) => ({
        ...{
          of: of.slice(`${OREGON}/`.length),
          before: before.length,
          present: present.map(({ choice }) => choice),
        },
        ...{ isMade, isChanged, isAllowed, choices: choices.map(({ key }) => key).sort() },
      }));
    const council = { of: 'council', before: 0, present: ['bob'], isAllowed: true, choices: ['bob'] };
    const mayor = { of: 'mayor', before: 2, present: ['bob'], isAllowed: true, choices: ['bob'] };
    const stays = { isMade: false, isChanged: false };
    const sorted = async () => (await shown()).sort((a, b) => (a.of < b.of ? -1 : 1));
    expect(await sorted()).toEqual([
      { ...council, isMade: false, isChanged: true },
      { ...mayor, ...stays },
    ]);
    // It is its own change if its record names the publication, at the place of one of its submissions.
    const { rows } = await client.query(
      'SELECT submission_offset AS at FROM change_log ORDER BY sequence DESC LIMIT 1',
    );
    const publication = await publish(id, Number(rows[0].at));
    await client.query(
      'UPDATE change_log SET submitted_by = $1 WHERE sequence = (SELECT max(sequence) FROM change_log)',
      [`publication ${publication + 1}`],
    );
    expect((await sorted())[0]).toMatchObject({ isMade: false, isChanged: true });
    await client.query(
      'UPDATE change_log SET submitted_by = $1 WHERE sequence = (SELECT max(sequence) FROM change_log)',
      [`publication ${publication}`],
    );
    expect((await sorted())[0]).toEqual({ ...council, isMade: true, isChanged: false });
    await applySubmissions(client, endorse(BAKERS, 'council', 'bob', { statement: 'Theirs.' }));
    expect((await sorted())[0]).toMatchObject({ isMade: true, isChanged: true });
    expect((await read(id, await createAccount(client))).map(({ isAllowed }) => isAllowed)).toEqual([
      false,
      false,
    ]);
  });

  test('are read in pages, each once', async () => {
    const id = await upload([]);
    await client.query(
      `INSERT INTO endorsers (slug, name, category) SELECT 'many-' || n, 'Many', 'labor' FROM generate_series(1, 150) n`,
    );
    await client.query(
      `INSERT INTO upload_positions (upload_id, endorser_id, contest_id, before)
       SELECT $1, e.id, c.id, '[]' FROM endorsers e, contests c WHERE e.slug LIKE 'many-%' AND c.key ~ '/(mayor|council)$'`,
      [id],
    );
    const found = await read(id);
    expect(found).toHaveLength(300);
    expect(new Set(found.map(({ endorserId, contestId }) => `${endorserId} ${contestId}`)).size).toBe(300);
  });
});
