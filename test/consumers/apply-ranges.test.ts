import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { ClientBase, QueryConfig } from 'pg';
import { applyRanges, SubmissionGapError } from '../../consumers/apply/apply-ranges.ts';
import { refuseForError } from '../../consumers/apply/submission-fault.ts';
import type { SubmissionRange } from '../../consumers/apply/submission-record.ts';
import { writeInParts } from '../../consumers/apply/write-in-parts.ts';
import { MAX_HELD_BYTES, type Write, writeSubmissions } from '../../consumers/apply/write-submissions.ts';
import {
  type Rejection,
  rejectionCodec,
  type Submission,
  submissionCodec,
} from '../../schemas/submission.ts';
import { applySubmissions, createTestRange, SUBMISSIONS_TOPIC } from '../helpers/ballots/apply.ts';
import { loadCatalogue, SMALL_BALLOT } from '../helpers/ballots/catalogue.ts';
import { endorse, pick, position, withdraw } from '../helpers/ballots/submissions.ts';
import { usePool, useTestDatabase } from '../helpers/postgres/database.ts';
import { loadLoggedChanges } from '../helpers/postgres/logged-changes.ts';
import { whileRefusing } from '../helpers/postgres/refusing.ts';

const { url, client } = useTestDatabase({ pipeline: true });
const pool = usePool(url, { pipeline: true });

beforeAll(() => loadCatalogue(url, SMALL_BALLOT));
beforeEach(async () => {
  await pool.query('TRUNCATE endorsements, change_log, relay_batches, consumer_offsets, pending_rejections');
  await pool.query(`UPDATE stream_head SET last_sequence = 0, last_occurred_at = '-infinity'`);
});

const apply = (...submissions: (Submission | Buffer)[]) => applySubmissions(client, ...submissions);

/** Applies ranges on another connection, as another process would. */
async function applyElsewhere(...ranges: SubmissionRange[]) {
  const other = await pool.connect();
  try {
    return await applyRanges(other, SUBMISSIONS_TOPIC, ranges);
  } finally {
    other.release();
  }
}

/** The rejections that wait to be sent. */
async function rejections(): Promise<Rejection[]> {
  const { rows } = await pool.query<{ value: Buffer }>('SELECT value FROM pending_rejections ORDER BY id');
  return rows.map(({ value }) => rejectionCodec.decode(value));
}

async function changes() {
  const logged = await loadLoggedChanges(pool);
  return logged.map(({ sequence, type, endorser, body: { choice, endorsement } }) => [
    ...[sequence, type, endorser],
    ...[choice.label, endorsement.rank],
  ]);
}

/** The places of the submissions that made the changes: partition and offset. */
async function submissionsOfChanges(): Promise<[number, number][]> {
  const { rows } = await pool.query<{ place: [number, number] }>(
    `SELECT json_build_array(submission_partition, submission_offset) AS place FROM change_log ORDER BY sequence`,
  );
  return rows.map(({ place }) => place);
}

async function endorsements(): Promise<unknown[]> {
  const { rows } = await pool.query(
    `SELECT e.slug, h.key, n.rank FROM endorsements n JOIN endorsers e ON e.id = n.endorser_id
     JOIN choices h ON h.id = n.choice_id ORDER BY e.slug, n.rank, h.key`,
  );
  return rows.map(({ slug, key, rank }) => [slug, key, rank]);
}

describe('a submission', () => {
  test('makes the endorsement and its change, with the present catalogue', async () => {
    await apply(
      endorse('bakers-local-1', 'mayor', 'ann', { statement: 'Good.', published_on: '2026-10-01' }),
    );
    expect(await loadLoggedChanges(pool)).toEqual([
      {
        sequence: 1,
        occurredAt: expect.any(Date),
        type: 'created',
        endorser: 'bakers-local-1',
        endorsementId: expect.any(Number),
        fromCatalogue: false,
        body: {
          endorsement: {
            id: expect.any(Number),
            rank: null,
            statement: 'Good.',
            source_url: null,
            published_on: '2026-10-01',
          },
          endorser: expect.objectContaining({ slug: 'bakers-local-1', state: 'OR' }),
          contest: expect.objectContaining({ short_title: 'mayor', vote_method: 'plurality' }),
          election: expect.objectContaining({ slug: 'or-2026-11-03-general', date: '2026-11-03' }),
          choice: expect.objectContaining({ label: 'ann', withdrawn: false }),
        },
      },
    ]);
  });

  test("keeps an endorsement's id when it changes, and shows the old values when it is withdrawn", async () => {
    await apply(endorse('bakers-local-1', 'mayor', 'ann', { statement: 'First.' }));
    await apply(endorse('bakers-local-1', 'mayor', 'ann', { statement: 'Second.' }));
    await apply(withdraw('bakers-local-1', 'mayor', 'ann'));
    const logged = await loadLoggedChanges(pool);
    expect(logged.map(({ type, body }) => [type, body.endorsement.statement])).toEqual([
      ['created', 'First.'],
      ['updated', 'Second.'],
      ['deleted', 'Second.'],
    ]);
    expect(new Set(logged.map(({ endorsementId }) => endorsementId)).size).toBe(1);
    expect(await endorsements()).toEqual([]);
  });

  test('replaces a position: changes for withdrawn, changed and new picks, and none for unchanged ones', async () => {
    const ranked = (...keys: string[]) => keys.map((key, index) => pick(key, { rank: index + 1 }));
    await apply(position('nation-herald', 'sheriff', ranked('ann', 'bob', 'cyd')));
    await apply(position('nation-herald', 'sheriff', ranked('ann', 'cyd', 'dee')));
    expect((await changes()).slice(3)).toEqual([
      [4, 'deleted', 'nation-herald', 'bob', 2],
      [5, 'updated', 'nation-herald', 'cyd', 2],
      [6, 'created', 'nation-herald', 'dee', 3],
    ]);
    await apply(position('nation-herald', 'sheriff', []));
    expect(await endorsements()).toEqual([]);
  });

  test('that endorses again what was withdrawn just before makes another endorsement, and leaves the withdrawals of others', async () => {
    const both = ['bakers-local-1', 'coast-gazette'] as const;
    await apply(...both.map((slug) => endorse(slug, 'mayor', 'ann')));
    await apply(
      ...both.map((slug) => withdraw(slug, 'mayor', 'ann')),
      endorse('bakers-local-1', 'mayor', 'ann'),
    );
    const logged = (await loadLoggedChanges(pool)).map(({ type, endorsementId }) => ({
      type,
      id: endorsementId,
    }));
    expect(logged.map(({ type }) => type)).toEqual(['created', 'created', 'deleted', 'deleted', 'created']);
    const { rows } = await pool.query('SELECT id::int FROM endorsements');
    expect(rows).toEqual([{ id: logged[4]?.id }]);
    expect(logged.slice(0, 2).map(({ id }) => id)).not.toContain(logged[4]?.id);
  });

  test('can swap two ranks', async () => {
    await apply(position('nation-herald', 'sheriff', [pick('ann', { rank: 1 }), pick('bob', { rank: 2 })]));
    await apply(position('nation-herald', 'sheriff', [pick('ann', { rank: 2 }), pick('bob', { rank: 1 })]));
    expect(await endorsements()).toEqual([
      ['nation-herald', 'bob', 1],
      ['nation-herald', 'ann', 2],
    ]);
  });

  test('INV-9: makes no change if clients would see no difference', async () => {
    const submission = endorse('bakers-local-1', 'mayor', 'ann', { statement: 'Good.' });
    await apply(submission, submission);
    await apply(submission, withdraw('bakers-local-1', 'mayor', 'bob'));
    const [first] = submission.picks;
    await apply({ ...submission, picks: first ? [{ ...first, details: '{"source":"mail"}' }] : [] });
    expect(await changes()).toHaveLength(1);
    const { rows } = await pool.query('SELECT details FROM endorsements');
    expect(rows).toEqual([{ details: { source: 'mail' } }]);
  });

  test('leaves its place in each of its changes', async () => {
    const ann = endorse('bakers-local-1', 'mayor', 'ann');
    const both = position('coast-gazette', 'council', [pick('ann'), pick('bob')]);
    await applyRanges(client, SUBMISSIONS_TOPIC, [
      createTestRange(0, [ann, ann, withdraw('bakers-local-1', 'mayor', 'ann')], 3),
      createTestRange(0, [endorse('nobody', 'mayor', 'ann'), both], 7),
    ]);
    expect(await submissionsOfChanges()).toEqual([
      [3, 0],
      [3, 2],
      [7, 1],
      [7, 1],
    ]);
  });

  test('keeps texts in their one form', async () => {
    const statement = 'Quote " and \\,\nemoji 🗳️, accent é.';
    await apply(
      endorse('bakers-local-1', 'mayor', ' ann\u200b', {
        statement: ' Quote " and \\,\r\nemoji  🗳️,\u00a0accent e\u0301. ',
        statement_es: '¡Sí!\u2028',
      }),
    );
    const { rows } = await pool.query('SELECT statement, statement_es FROM endorsements');
    expect(rows).toEqual([{ statement, statement_es: '¡Sí!' }]);
    const [logged] = await loadLoggedChanges(pool);
    expect(logged?.body.endorsement.statement).toBe(statement);
  });

  test('published later than tomorrow, by the clock of the database, is rejected, and the others are applied', async () => {
    const { rows } = await pool.query<{ days: string[] }>(
      `SELECT ARRAY[(now() AT TIME ZONE 'UTC' + interval '1 day')::date::text,
        (now() AT TIME ZONE 'UTC' + interval '2 days')::date::text] AS days`,
    );
    const [tomorrow = '', later = ''] = rows[0]?.days ?? [];
    await apply(
      endorse('bakers-local-1', 'mayor', 'ann', { published_on: later }),
      endorse('bakers-local-1', 'mayor', 'bob', { published_on: tomorrow }),
    );
    expect((await rejections()).map(({ code, offset }) => [code, offset])).toEqual([
      ['not_yet_published', 0],
    ]);
    expect(await endorsements()).toEqual([['bakers-local-1', 'bob', null]]);
  });

  test('that differs from the held one only in the form of its text changes nothing', async () => {
    await apply(endorse('bakers-local-1', 'mayor', 'ann', { statement: 'Good é.' }));
    await apply(endorse('bakers-local-1', 'mayor', 'a\u200bnn', { statement: ' Good  e\u0301.\u200b' }));
    expect(await loadLoggedChanges(pool)).toHaveLength(1);
  });

  test('brings a text that was stored otherwise to its one form with one event', async () => {
    await apply(endorse('bakers-local-1', 'mayor', 'ann', { statement: 'Good.' }));
    const { rows: before } = await pool.query("UPDATE endorsements SET statement = 'Good. ' RETURNING id");
    for (let run = 0; run < 2; run += 1) {
      await apply(endorse('bakers-local-1', 'mayor', 'ann', { statement: 'Good. ' }));
    }
    const changes = await loadLoggedChanges(pool);
    expect(changes.map(({ type }) => type)).toEqual(['created', 'updated']);
    const { rows } = await pool.query('SELECT id, statement FROM endorsements');
    expect(rows).toEqual([{ ...before[0], statement: 'Good.' }]);
  });
});

describe('INV-9: a bad submission', () => {
  const nul = endorse('bakers-local-1', 'mayor', 'ann', { statement: 'a\0b' });
  test.each([
    ['bytes that are not a submission', Buffer.from('hello'), 'undecodable'],
    ['an empty message', Buffer.alloc(0), 'undecodable'],
    ['an unknown endorser', endorse('nobody', 'mayor', 'ann'), 'unknown_endorser'],
    ['an unknown contest', endorse('bakers-local-1', 'governor', 'ann'), 'unknown_contest'],
    ['an unknown choice', endorse('bakers-local-1', 'mayor', 'zoe'), 'unknown_choice'],
    ['a NUL in a text', nul, 'invalid_submission'],
    ['a NUL in a slug', endorse('bak\0ers', 'mayor', 'ann'), 'invalid_submission'],
    [
      'an impossible day',
      endorse('bakers-local-1', 'mayor', 'ann', { published_on: '2026-02-30' }),
      'invalid_submission',
    ],
    [
      'a rank in a contest without ranks',
      endorse('bakers-local-1', 'mayor', 'ann', { rank: 1 }),
      'rank_not_allowed',
    ],
    ['a rank of 0', endorse('bakers-local-1', 'sheriff', 'ann', { rank: 0 }), 'invalid_submission'],
    [
      'one choice twice',
      position('bakers-local-1', 'council', [pick('ann'), pick('ann')]),
      'invalid_submission',
    ],
  ])('%s goes to the rejected topic with its origin, and stops no other', async (_, bad, code) => {
    const good = [
      endorse('bakers-local-1', 'mayor', 'bob'),
      endorse('bakers-local-1', 'mayor', 'cyd'),
    ] as const;
    await expect(apply(good[0], bad, good[1])).resolves.toEqual({ submissions: 3, changes: 2, rejected: 1 });
    const rejected = await rejections();
    expect(rejected).toEqual([
      expect.objectContaining({ code, topic: 'submissions', partition: 0, offset: 1 }),
    ]);
    expect(rejected[0]?.value).toEqual(Buffer.isBuffer(bad) ? bad : submissionCodec.encode(bad));
    expect((await changes()).map(([, , , choice]) => choice)).toEqual(['bob', 'cyd']);
  });

  test('a rank of another pick is refused, and the position stays', async () => {
    await apply(endorse('bakers-local-1', 'sheriff', 'ann', { rank: 1 }));
    await apply(endorse('bakers-local-1', 'sheriff', 'bob', { rank: 1 }));
    expect((await rejections()).map(({ code }) => code)).toEqual(['rank_taken']);
    expect(await endorsements()).toEqual([['bakers-local-1', 'ann', 1]]);
  });

  test('INV-14: submissions that only the database refuses are rejected, and the others of their batch are applied', async () => {
    await whileRefusing(pool, async () => {
      const bad = endorse('coast-gazette', 'mayor', 'ann', { statement: 'unstorable' });
      const good = ['ann', 'bob', 'cyd'].map((choice) => endorse('bakers-local-1', 'mayor', choice));
      const range = createTestRange(0, [bad, ...good.slice(0, 2), bad, bad, ...good.slice(2)]);
      await expect(applyRanges(client, SUBMISSIONS_TOPIC, [range])).rejects.toMatchObject({ code: '23514' });
      expect(await changes()).toEqual([]);
      await expect(
        applyRanges(client, SUBMISSIONS_TOPIC, [range], { write: writeInParts(refuseForError) }),
      ).resolves.toEqual({
        submissions: 6,
        changes: 3,
        rejected: 3,
      });
    });
    expect((await rejections()).map(({ code, offset }) => [code, offset])).toEqual([
      ['unstorable', 0],
      ['unstorable', 3],
      ['unstorable', 4],
    ]);
    expect((await changes()).map(([sequence, , , choice]) => [sequence, choice])).toEqual([
      [1, 'ann'],
      [2, 'bob'],
      [3, 'cyd'],
    ]);
    expect(await submissionsOfChanges()).toEqual([
      [0, 1],
      [0, 2],
      [0, 5],
    ]);
  });

  test('INV-14: an error without a faulty submission rolls the whole batch back', async () => {
    await whileRefusing(pool, async () => {
      const good = endorse('bakers-local-1', 'mayor', 'ann');
      const bad = endorse('coast-gazette', 'mayor', 'ann', { statement: 'unstorable' });
      const write = writeInParts(() => undefined);
      const applying = applyRanges(client, SUBMISSIONS_TOPIC, [createTestRange(0, [good, bad])], { write });
      await expect(applying).rejects.toMatchObject({ code: '23514' });
    });
    expect([await changes(), await rejections()]).toEqual([[], []]);
    await expect(apply(endorse('bakers-local-1', 'mayor', 'bob'))).resolves.toMatchObject({ submissions: 1 });
  });

  test('INV-14: one refused submission is found among a thousand in some thirty attempts', async () => {
    const unknown = endorse('nobody', 'mayor', 'ann');
    const batch = Array.from({ length: 1000 }, () => unknown);
    batch[700] = endorse('coast-gazette', 'mayor', 'ann', { statement: 'unstorable' });
    const statements: string[] = [];
    const counting = new Proxy(client, {
      get(target, name) {
        const value = Reflect.get(target, name);
        if (name !== 'query') return typeof value === 'function' ? value.bind(target) : value;
        return (text: string, ...rest: unknown[]) => {
          statements.push(text);
          return value.call(target, text, ...rest);
        };
      },
    });
    await whileRefusing(pool, async () => {
      await expect(
        applyRanges(counting, SUBMISSIONS_TOPIC, [createTestRange(0, batch)], {
          write: writeInParts(refuseForError),
        }),
      ).resolves.toEqual({ submissions: 1000, changes: 0, rejected: 1000 });
    });
    const attempts = statements.filter((text) => /^(RELEASE|ROLLBACK TO) SAVEPOINT/.test(text));
    expect(attempts.length).toBeGreaterThan(10);
    expect(attempts.length).toBeLessThan(40);
    const codes = new Map((await rejections()).map(({ code, offset }) => [offset, code]));
    expect([codes.size, codes.get(699), codes.get(700), codes.get(701)]).toEqual([
      1000,
      'unknown_endorser',
      'unstorable',
      'unknown_endorser',
    ]);
  });

  test('INV-14: an unreadable batch is rejected with all its offsets', async () => {
    const range = createTestRange(0, [endorse('bakers-local-1', 'mayor', 'ann')]);
    const unreadable = {
      ...{ offset: 1, lastOffset: 7, key: null, value: Buffer.from('damaged'), truncated: null },
      ...{ submittedAt: null, traceparent: null, sender: null },
      submission: { code: 'unreadable' as const, message: 'Its checksum is wrong.' },
    };
    await applyRanges(client, SUBMISSIONS_TOPIC, [
      { ...range, to: 8, records: [...range.records, unreadable] },
    ]);
    expect(await rejections()).toEqual([
      expect.objectContaining({ code: 'unreadable', offset: 1, last_offset: 7, value: unreadable.value }),
    ]);
    await expect(apply(endorse('bakers-local-1', 'mayor', 'bob'))).resolves.toMatchObject({ submissions: 1 });
  });

  test('INV-14: a value too large for a topic is kept in part, with the size and digest of the whole', async () => {
    await apply(Buffer.alloc(3_000_000));
    const [rejection] = await rejections();
    expect(rejection?.value?.length).toBeLessThan(1_200_000);
    expect(rejection?.truncated).toEqual({ size: 3_000_000, sha256: expect.any(Buffer) });
  });
});

describe('INV-8: exactly once', () => {
  const ann = endorse('bakers-local-1', 'mayor', 'ann');
  const without = withdraw('bakers-local-1', 'mayor', 'ann');

  test('a repeated range is skipped', async () => {
    const range = createTestRange(0, [ann, without]);
    await applyRanges(client, SUBMISSIONS_TOPIC, [range]);
    await expect(applyRanges(client, SUBMISSIONS_TOPIC, [range])).resolves.toEqual({
      submissions: 0,
      changes: 0,
      rejected: 0,
    });
    expect(await changes()).toHaveLength(2);
  });

  test('an overlapping range is applied after the applied part', async () => {
    await applyRanges(client, SUBMISSIONS_TOPIC, [createTestRange(0, [ann, without])]);
    await expect(
      applyRanges(client, SUBMISSIONS_TOPIC, [createTestRange(1, [without, ann])]),
    ).resolves.toMatchObject({ submissions: 1, changes: 1 });
  });

  test('one of two concurrent processes applies a range', async () => {
    const range = createTestRange(
      0,
      ['ann', 'bob', 'cyd'].map((key) => endorse('bakers-local-1', 'council', key)),
    );
    const results = await Promise.all(Array.from({ length: 4 }, () => applyElsewhere(range)));
    expect(results.map(({ submissions }) => submissions).sort()).toEqual([0, 0, 0, 3]);
    expect(await changes()).toHaveLength(3);
  });

  test('ranges of several partitions are applied together or not at all', async () => {
    const ranges = [createTestRange(0, [ann], 0), createTestRange(1, [without], 1)];
    await expect(applyRanges(client, SUBMISSIONS_TOPIC, ranges)).rejects.toThrow(SubmissionGapError);
    expect(await changes()).toEqual([]);
    const both = [createTestRange(0, [ann], 0), createTestRange(0, [without], 1)];
    await expect(applyRanges(client, SUBMISSIONS_TOPIC, both)).resolves.toMatchObject({ submissions: 2 });
  });

  test('nothing is committed if an offset moves after it was read', async () => {
    const write: Write = async (scene, located) => {
      await client.query('UPDATE consumer_offsets SET next_offset = next_offset + 3');
      return writeSubmissions(scene, located);
    };
    const applying = applyRanges(client, SUBMISSIONS_TOPIC, [createTestRange(0, [ann])], { write });
    await expect(applying).rejects.toHaveProperty('name', 'SupersededError');
    expect(await changes()).toEqual([]);
    await expect(apply(ann)).resolves.toMatchObject({ submissions: 1, changes: 1 });
  });

  test('nothing is committed if a statement cannot be sent', async () => {
    const write: Write = async (scene, located) => {
      const written = await writeSubmissions(scene, located);
      const unsent = scene.client.query('SELECT $1::text', [{ toPostgres: () => fail() }]);
      return { ...written, executed: Promise.all([written.executed, unsent]) };
    };
    const fail = () => {
      throw new Error('no text');
    };
    const applying = applyRanges(client, SUBMISSIONS_TOPIC, [createTestRange(0, [ann])], { write });
    await expect(applying).rejects.toThrow('no text');
    expect(await changes()).toEqual([]);
  });

  test('the error of the first failed statement is reported', async () => {
    for (const table of [
      'endorsements',
      'change_log',
      'stream_head',
      'pending_rejections',
      'consumer_offsets',
    ]) {
      const range = createTestRange(0, [ann, endorse('nobody', 'mayor', 'ann')]);
      const work = () =>
        expect(applyRanges(client, SUBMISSIONS_TOPIC, [range])).rejects.toMatchObject({
          code: '23514',
          table: expect.stringContaining(table),
        });
      await whileRefusing(pool, work, { table, check: 'false' });
    }
  });
});

test('INV-15: small withdrawals of large positions are written in parts, in their order', async () => {
  const endorsers = ['bakers-local-1', 'coast-gazette', 'nation-herald'] as const;
  await apply(...['mayor', 'council'].flatMap((of) => endorsers.map((by) => endorse(by, of, 'ann'))));
  await pool.query(`UPDATE endorsements SET statement = repeat('x', $1)`, [6 * 1024 * 1024]);
  const loaded: number[] = [];
  const watched = async (config: { name?: string }, values?: unknown[]) => {
    const answer = await client.query(config as QueryConfig, values);
    if (config.name !== 'load-picks') return answer;
    loaded.push(answer.rows.reduce((sum, { pick: { statement } }) => sum + (statement?.length ?? 0), 0));
    return answer;
  };
  const write: Write = (context, located) =>
    writeSubmissions({ ...context, client: { query: watched } as unknown as ClientBase }, located);
  const [bakers, coast, nation] = endorsers;
  const range = createTestRange(6, [
    ...[position(bakers, 'mayor', []), endorse('nobody', 'mayor', 'ann'), position(coast, 'mayor', [])],
    ...[withdraw(nation, 'mayor', 'ann'), position(bakers, 'council', []), endorse(bakers, 'mayor', 'bob')],
    ...[endorse(coast, 'council', 'bob'), position(nation, 'council', [pick('cyd')])],
  ]);
  const applied = await applyRanges(client, SUBMISSIONS_TOPIC, [range], { write });
  expect(applied).toEqual({ submissions: 8, changes: 8, rejected: 1 });
  const { rows } = await pool.query(
    `SELECT type, endorser, submission_offset::int AS offset FROM change_log WHERE sequence > 6 ORDER BY sequence`,
  );
  expect(rows.map(({ type, endorser, offset }) => [type, endorser, offset])).toEqual([
    ['deleted', bakers, 6],
    ['deleted', coast, 8],
    ['deleted', nation, 9],
    ['deleted', bakers, 10],
    ['created', bakers, 11],
    ['created', coast, 12],
    ['deleted', nation, 13],
    ['created', nation, 13],
  ]);
  expect((await endorsements()).map((each) => (each as unknown[]).slice(0, 2))).toEqual([
    [bakers, 'bob'],
    [coast, 'ann'],
    [coast, 'bob'],
    [nation, 'cyd'],
  ]);
  expect(Math.max(...loaded)).toBeLessThanOrEqual(1.4 * MAX_HELD_BYTES);
});

describe('INV-2: one order', () => {
  test('sequences are dense and times never go back, even with many writers and a clock that goes back', async () => {
    const ahead = Date.now() + 600_000;
    await pool.query('UPDATE stream_head SET last_occurred_at = $1', [new Date(ahead)]);
    await Promise.all(
      ['bakers-local-1', 'coast-gazette', 'nation-herald'].map(async (slug, partition) => {
        for (let offset = 0; offset < 20; offset += 1) {
          const submission =
            offset % 2 === 0 ? endorse(slug, 'mayor', 'ann') : withdraw(slug, 'mayor', 'ann');
          await applyElsewhere(createTestRange(offset, [submission], partition));
        }
      }),
    );
    const { rows } = await pool.query<{ sequence: number; occurred_at: Date }>(
      'SELECT sequence::int, occurred_at FROM change_log ORDER BY sequence',
    );
    expect(rows.map((row) => row.sequence)).toEqual(Array.from({ length: 60 }, (_, index) => index + 1));
    expect(rows.map((row) => row.occurred_at.getTime())).toEqual(Array(60).fill(ahead));
    // Endorsements have the times of their changes. A rejection is not before a change, so that a retry treats it as newer.
    const more = ['nobody', 'nation-herald'].map((slug) => endorse(slug, 'mayor', 'ann'));
    await applyElsewhere(createTestRange(20, more));
    expect((await rejections()).map(({ rejected_at }) => rejected_at)).toEqual([ahead]);
    const { rows: stored } = await pool.query<{ updated_at: Date }>('SELECT updated_at FROM endorsements');
    expect(stored.map(({ updated_at }) => updated_at.getTime())).toEqual([ahead]);
  });
});
