import { beforeAll, describe, expect, test } from '@jest/globals';
import { parseCursor } from '../../../schemas/cursor.ts';
import { ADVISORY_LOCKS } from '../../../store/connection/advisory-locks.ts';
import { endorse, withdraw } from '../../helpers/ballots/submissions.ts';
import { expectSchema } from '../../helpers/http/response-schema.ts';
import { useClient } from '../../helpers/postgres/database.ts';
import { useTestService } from '../../helpers/service/service.ts';
import { digestOf, readDigest } from '../../helpers/stream/copies.ts';
import { until } from '../../helpers/until.ts';

const service = useTestService();
const client = useClient(service.databaseUrl);
const writer = useClient(service.databaseUrl);
const ask = (path: string) => service.get(path);
beforeAll(async () => {
  await service.submit([
    endorse('bakers-local-1', 'mayor', 'ann', { statement: 'Sí.' }),
    endorse('bakers-local-1', 'council', 'bob'),
    endorse('coast-gazette', 'prop-1', 'yes'),
    endorse('nation-herald', 'prop-1', 'no'),
    withdraw('bakers-local-1', 'council', 'bob'),
  ]);
  await service.eventsOnceThereAre(5);
});

async function subscribe(name: string, filter: object): Promise<void> {
  const { status } = await service.send('POST', '/v1/subscriptions', { name, filter });
  expect(status).toBe(201);
}

async function refusal(query: string): Promise<unknown> {
  const { status, body } = await service.get(`/v1/digest?${query}`);
  return [status, body.error?.code, body.error?.message];
}

/** The content after all events, in the form for digests. */
async function copy(endorser?: string) {
  const { data } = await service.events('from=earliest');
  const held = new Map(data.map((event) => [event.endorsement.id, event]));
  for (const { type, endorsement } of data) if (type === 'endorsement.deleted') held.delete(endorsement.id);
  return [...held.values()]
    .filter((event) => endorser === undefined || event.endorser.slug === endorser)
    .map(({ endorsement, endorser, contest, election, choice }) => {
      const { vote_method: _m, votes_allowed: _v, ranks_allowed: _r, measure_code: _c, ...listed } = contest;
      const { withdrawn: _w, ...listedChoice } = choice;
      return { endorsement, endorser, contest: listed, election, choice: listedChoice };
    });
}

describe('GET /v1/digest', () => {
  test('shows the digest of the state after all events, with its position', async () => {
    const { status, body } = await service.get('/v1/digest');
    expect(status).toBe(200);
    expectSchema('/v1/digest', body);
    expect(body.data).toMatchObject(digestOf(await copy()));
    expect(body.data.count).toBe(3);
    expect(body.data.buckets).toEqual([
      { first_id: 0, last_id: body.data.bucket_size - 1, count: 3, digest: body.data.digest },
    ]);
    expect(parseCursor(body.data.stream_cursor).sequence).toBe(5);
  });

  test('covers the endorsements that the filter or the subscription chooses', async () => {
    const expected = digestOf(await copy('bakers-local-1'));
    expect(expected.count).toBe(1);
    await expect(readDigest(ask, 'endorsers=bakers-local-1')).resolves.toEqual(expected);
    await subscribe('bakers', { endorsers: ['bakers-local-1'] });
    await expect(readDigest(ask, 'subscription=bakers')).resolves.toEqual(expected);
    await expect(readDigest(ask, 'states=WY')).resolves.toEqual(digestOf([]));
    for (const kind of ['candidate', 'measure']) {
      const ofKind = (await copy()).filter(({ contest }) => contest.kind === kind);
      await expect(readDigest(ask, `contest_kinds=${kind}`)).resolves.toEqual(digestOf(ofKind));
    }
  });

  test('refuses filters that no copy can follow', async () => {
    await subscribe('fresh', { types: ['created'] });
    await expect(refusal('subscription=fresh')).resolves.toEqual([
      400,
      'invalid_parameter',
      expect.stringContaining('Name one without types'),
    ]);
    await expect(refusal('types=created')).resolves.toEqual([400, 'invalid_parameter', expect.any(String)]);
    await expect(refusal('endorsers=nobody')).resolves.toEqual([
      400,
      'invalid_parameter',
      expect.any(String),
    ]);
    await expect(refusal('subscription=none')).resolves.toEqual([
      404,
      'subscription_not_found',
      expect.any(String),
    ]);
  });

  test('waits for changes of the catalogue to be announced', async () => {
    // An import holds this lock while it announces, so that no other process announces meanwhile.
    await client.query('SELECT pg_advisory_lock($1)', [ADVISORY_LOCKS.catalogueImport]);
    await client.query('UPDATE endorsers SET name = name; UPDATE stream_head SET has_stale = true');
    try {
      // A copy that is loaded now has values that are not announced yet, with every filter and without one.
      for (const query of ['categories=newspaper', '']) {
        await expect(refusal(query)).resolves.toEqual([
          503,
          'server_busy',
          'Changes of the catalogue are being announced; try again.',
        ]);
      }
    } finally {
      await client.query('SELECT pg_advisory_unlock($1)', [ADVISORY_LOCKS.catalogueImport]);
    }
    await until(
      'the changes are announced',
      async () => (await ask('/v1/digest?levels=city')).status === 200,
    );
  });

  test('waits until the consumers have hashed the endorsements of an earlier version', async () => {
    const before = await readDigest(ask, 'states=OR,CA');
    // Hashing needs this lock.
    await writer.query('BEGIN');
    await writer.query('SELECT FROM stream_head FOR UPDATE');
    await client.query('UPDATE endorsements SET content_hash = NULL, without_hash = true');
    await expect(refusal('states=CA,OR')).resolves.toEqual([
      503,
      'server_busy',
      'Digests are being computed after an upgrade; try again.',
    ]);
    await writer.query('COMMIT');
    await until('they are computed', async () => (await ask('/v1/digest?states=CA,OR')).status === 200);
    await expect(readDigest(ask, 'states=CA,OR')).resolves.toEqual(before);
  });
});
