import { beforeAll, describe, expect, test } from '@jest/globals';
import { STATE_CODES } from '../../../schemas/vocabulary.ts';
import { editCatalogue } from '../../../store/catalogue/edit.ts';
import { removeElection } from '../../../store/catalogue/removal.ts';
import { lines, loadCatalogue, SMALL_BALLOT } from '../../helpers/ballots/catalogue.ts';
import { contest, election } from '../../helpers/ballots/catalogue-records.ts';
import { endorse, withdraw } from '../../helpers/ballots/submissions.ts';
import { expectSchema } from '../../helpers/http/response-schema.ts';
import { withClient } from '../../helpers/postgres/with-client.ts';
import { useTestService } from '../../helpers/service/service.ts';

const PAST = 'or-2026-05-19-primary';
const COUNTS = [
  'election_count',
  'contest_count',
  'measure_count',
  'endorser_count',
  'endorsement_count',
  'endorsed_contest_count',
] as const;

const service = useTestService({
  catalogue: [
    ...SMALL_BALLOT,
    ['elections', election({ slug: PAST, date: '2026-05-19', type: 'primary' })],
    ['contests', contest('dean', { election: PAST, kind: 'measure' })],
    ...lines('elections', [
      election({ slug: 'tx-2026-11-02-special', date: '2026-11-02', state: 'TX', type: 'special' }),
      election({ slug: 'wy-2026-11-03-special', date: '2026-11-03', state: 'WY', type: 'special' }),
    ]),
  ],
  gatewayConfig: { today: '2026-11-04' },
});
beforeAll(async () => {
  await service.submit([
    endorse('bakers-local-1', 'mayor', 'ann'),
    endorse('bakers-local-1', 'council', 'ann'),
    endorse('bakers-local-1', 'council', 'bob'),
    endorse('nation-herald', 'council', 'bob'),
    endorse('coast-gazette', 'prop-1', 'no'),
    { ...endorse('coast-gazette', 'dean', 'ann'), contest: `${PAST}/dean` },
    // Endorses in two elections of Oregon.
    { ...endorse('bakers-local-1', 'dean', 'ann'), contest: `${PAST}/dean` },
  ]);
  await service.eventsOnceThereAre(7);
});

async function counts(query: string): Promise<Record<string, (number | string | null)[]>> {
  const { status, body } = await service.get(`/v1/coverage${query}`);
  expect(status).toBe(200);
  expectSchema('/v1/coverage', body);
  expect(body.data.map(({ state }: { state: string }) => state)).toEqual(STATE_CODES);
  return Object.fromEntries(
    body.data
      .map((row: Record<string, number | string | null>) => [
        row.state,
        [...COUNTS.map((name) => row[name]), row.first_election, row.last_election],
      ])
      .filter(([, [elections]]: [string, number[]]) => elections !== 0),
  );
}

describe('GET /v1/coverage', () => {
  const UPCOMING = {
    CA: [1, 1, 1, 1, 1, 1, '2026-11-03', '2026-11-03'],
    OR: [1, 3, 0, 2, 4, 2, '2026-11-03', '2026-11-03'],
    WY: [1, 0, 0, 0, 0, 0, '2026-11-03', '2026-11-03'],
  };

  test.each([
    ['', UPCOMING],
    ['?upcoming=true', UPCOMING],
    [
      '?upcoming=false',
      {
        ...UPCOMING,
        OR: [2, 4, 1, 3, 6, 3, '2026-05-19', '2026-11-03'],
        TX: [1, 0, 0, 0, 0, 0, '2026-11-02', '2026-11-02'],
      },
    ],
  ])('counts the data of every state%s', async (query, expected) => {
    expect(await counts(query)).toEqual(expected);
  });

  test('a state without data has a row of zeros', async () => {
    const { body } = await service.get('/v1/coverage');
    expect(body.data[0]).toEqual({
      state: 'AK',
      name: 'Alaska',
      ...Object.fromEntries(COUNTS.map((name) => [name, 0])),
      first_election: null,
      last_election: null,
      updated_at: null,
    });
  });

  test('shows when endorsements last changed, withdrawals included', async () => {
    const updatedAt = async () => {
      const { body } = await service.get('/v1/coverage');
      return body.data.find(({ state }: { state: string }) => state === 'CA').updated_at;
    };
    const { body } = await service.get('/v1/endorsements?states=CA');
    expect(await updatedAt()).toBe(body.data[0].updated_at);
    const events = await service.events();
    await service.submit([withdraw('coast-gazette', 'prop-1', 'no')]);
    const [withdrawal] = (await service.eventsOnceThereAre(events.data.length + 1)).slice(-1);
    expect(withdrawal.type).toBe('endorsement.deleted');
    expect(await updatedAt()).toBe(withdrawal.occurred_at);
    expect((await counts('')).CA).toEqual([1, 1, 1, 0, 0, 0, '2026-11-03', '2026-11-03']);
  });

  test('does not count a removed contest, and shows when it was removed', async () => {
    const rowOf = async () => {
      const { body } = await service.get('/v1/coverage?upcoming=false');
      return body.data.find(({ state }: { state: string }) => state === 'OR');
    };
    const before = await rowOf();
    const dean = contest('dean', { election: PAST });
    const provost = contest('provost', { election: PAST });
    await loadCatalogue(
      service.databaseUrl,
      [dean, provost].map((record) => ['contests', record]),
    );
    const more = await rowOf();
    await loadCatalogue(service.databaseUrl, [['contests', dean]]);
    const after = await rowOf();
    expect([before, more, after].map((row) => row.contest_count)).toEqual([4, 5, 4]);
    expect(before.updated_at < more.updated_at && more.updated_at < after.updated_at).toBe(true);
  });

  test('shows when an election was removed: the time never goes back', async () => {
    const rowOf = async () => {
      const { body } = await service.get('/v1/coverage');
      return body.data.find(({ state }: { state: string }) => state === 'NV');
    };
    const slug = 'nv-2026-12-08-special';
    await loadCatalogue(service.databaseUrl, [
      ['elections', election({ slug, state: 'NV', date: '2026-12-08' })],
    ]);
    const more = await rowOf();
    await withClient(service.databaseUrl, (client) =>
      editCatalogue(client, async () => ({ result: await removeElection(client, slug), keep: true }), {
        dryRun: false,
      }),
    );
    const after = await rowOf();
    expect([more, after].map((row) => row.election_count)).toEqual([1, 0]);
    expect(after.updated_at > more.updated_at).toBe(true);
  });

  test('shows when an election stopped being upcoming, instead of going back', async () => {
    const updatedAt = async (state: string, query = '') => {
      const { body } = await service.get(`/v1/coverage${query}`);
      return body.data.find((row: { state: string }) => row.state === state).updated_at;
    };
    await service.query(
      `INSERT INTO elections (slug, name, date, state, type, updated_at)
       VALUES ('nm', 'Over', '2026-11-01', 'NM', 'special', '2026-10-01T12:00:00Z')`,
    );
    expect(await updatedAt('NM')).toBe('2026-11-03T00:00:00.000Z');
    expect(await updatedAt('NM', '?upcoming=false')).toBe('2026-10-01T12:00:00.000Z');
    await service.query(`UPDATE elections SET updated_at = '2026-11-03T12:00:00Z' WHERE slug = 'nm'`);
    expect(await updatedAt('NM')).toBe('2026-11-03T00:00:00.000Z');
  });

  describe('an import that moves an election', () => {
    const updatedAt = async (state: string, query = '') => {
      const { body } = await service.get(`/v1/coverage${query}`);
      return body.data.find((row: { state: string }) => row.state === state).updated_at;
    };
    const load = (slug: string, state: string, date: string) =>
      loadCatalogue(service.databaseUrl, [['elections', election({ slug, state, date })]]);

    test.each(['', '?upcoming=false'])('to another state changes both states%s', async (query) => {
      const slug = `moved${query.length}`;
      await load(slug, 'IA', '2026-12-08');
      const before = await updatedAt('IA', query);
      await load(slug, 'ID', '2026-12-08');
      const after = await updatedAt('IA', query);
      expect(after > before).toBe(true);
      expect((await updatedAt('ID', query)) > before).toBe(true);
      await load(slug, 'ID', '2026-12-08');
      expect(await updatedAt('IA', query)).toBe(after);
    });

    test('into the past changes the upcoming elections of its state', async () => {
      await load('too-late', 'KS', '2026-12-08');
      const before = await updatedAt('KS');
      await load('too-late', 'KS', '2026-06-08');
      expect((await updatedAt('KS')) > before).toBe(true);
    });

    test('to another state after it was over does not move its time back', async () => {
      await load('over', 'KY', '2025-06-03');
      expect(await updatedAt('KY')).toBe('2025-06-05T00:00:00.000Z');
      await load('over', 'LA', '2025-06-03');
      expect(await updatedAt('KY')).toBe('2025-06-05T00:00:00.000Z');
    });
  });

  test.each([
    ['upcoming=yes', 'upcoming must be true or false, is "yes".'],
    ['states=CA', 'There is no parameter "states" here. Accepted are: upcoming.'],
  ])('refuses %s', async (query, message) => {
    const { status, body } = await service.get(`/v1/coverage?${query}`);
    expect([status, body.error.code]).toEqual([400, 'invalid_parameter']);
    expect(body.error.message).toContain(message);
  });
});
