import { afterEach, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { topicNames } from '../../../kafka/topic-names.ts';
import { TopicWriter } from '../../../kafka/writing/topic-writer.ts';
import { type Answer, useTestService } from '../../helpers/service/service.ts';
import { until } from '../../helpers/until.ts';

const service = useTestService({ gateways: 2 });
const MAYOR = 'or-2026-11-03-general/mayor';
const COUNCIL = 'or-2026-11-03-general/council';

async function disallow(account: string, slug: string): Promise<void> {
  await service.query(
    `DELETE FROM account_endorsers WHERE account_id = (SELECT id FROM accounts WHERE name = $1)
       AND endorser_id = (SELECT id FROM endorsers WHERE slug = $2)`,
    [account, slug],
  );
}

beforeAll(() => service.allow(['coast-gazette', 'nation-herald']));
afterEach(() => {
  jest.restoreAllMocks();
});

const endorse = (endorser: string, contest: string, choice: string, more: object = {}) => ({
  ...{ endorser, contest, choice },
  ...more,
});
const publish = (submissions: unknown, headers: Record<string, string> = {}, gateway = 0): Promise<Answer> =>
  service.send('POST', '/v1/submissions', { submissions }, { headers, gateway });
const outcomes = ({ body }: Answer) => body.data.submissions.map(({ status }: { status: string }) => status);

/** The outcomes of accepted submissions, as another gateway says. */
async function settled({ headers }: Answer): Promise<Answer> {
  return service.get(`${headers.get('location')}?wait=25`, { gateway: 1 });
}

/** The number of submissions in Kafka, which apply has all taken. */
async function countSent(): Promise<number> {
  const topic = topicNames(service.topicPrefix).submissions;
  const [row] = await service.query(
    'SELECT COALESCE(sum(next_offset), 0)::int AS sent FROM consumer_offsets WHERE topic = $1',
    [topic],
  );
  return Number(row?.sent);
}

/** Publishes something harmless and waits for it, so that everything sent before is applied. */
async function flush(): Promise<number> {
  await settled(await publish([{ action: 'withdraw', ...endorse('nation-herald', MAYOR, 'dee') }]));
  await settled(await publish([{ action: 'withdraw', ...endorse('coast-gazette', MAYOR, 'dee') }]));
  return countSent();
}

describe('published submissions', () => {
  test('are accepted, applied, and found on the stream by the ids of their events', async () => {
    const accepted = await publish([
      endorse('coast-gazette', MAYOR, 'ann', { statement: 'Experienced.' }),
      {
        action: 'position',
        endorser: 'nation-herald',
        contest: COUNCIL,
        picks: [{ choice: 'ann' }, { choice: 'bob' }],
      },
      { action: 'withdraw', ...endorse('nation-herald', MAYOR, 'cyd') },
      endorse('coast-gazette', MAYOR, 'nobody'),
    ]);
    expect(accepted.status).toBe(202);
    const { id } = accepted.body.data;
    expect(accepted.headers.get('location')).toBe(`/v1/submissions/${id}`);
    expect(outcomes(accepted)).toEqual(Array(4).fill('submitted'));

    const { body } = await settled(accepted);
    expect(body.data).toEqual({
      id,
      submissions: [
        { endorser: 'coast-gazette', contest: MAYOR, status: 'applied', events: [expect.any(String)] },
        {
          ...{ endorser: 'nation-herald', contest: COUNCIL, status: 'applied' },
          events: [expect.any(String), expect.any(String)],
        },
        { endorser: 'nation-herald', contest: MAYOR, status: 'unchanged' },
        {
          ...{ endorser: 'coast-gazette', contest: MAYOR, status: 'rejected' },
          reason: { code: 'unknown_choice', message: expect.stringContaining('nobody') },
        },
      ],
    });
    const named = body.data.submissions.flatMap(({ events = [] }: { events?: string[] }) => events);
    await until('the gateway to have the events', async () => (await service.events()).data.length >= 3);
    const { data: events } = await service.events();
    expect(events.map(({ id: eventId }) => eventId)).toEqual(expect.arrayContaining(named));
    const [first] = events.filter(({ id: eventId }) => eventId === named[0]);
    expect(first).toMatchObject({
      ...{ type: 'endorsement.created', endorser: { slug: 'coast-gazette' } },
      endorsement: { statement: 'Experienced.' },
    });
  });

  test('are checked like the lines of files, and one problem stops all', async () => {
    const before = await flush();
    const refused = await publish([
      endorse('coast-gazette', MAYOR, 'ann'),
      endorse('Coast-Gazette', 'mayor', ''),
      7,
      {
        action: 'position',
        endorser: 'coast-gazette',
        contest: MAYOR,
        picks: [{ choice: 'ann' }, { choice: 'ann' }],
      },
      endorse('coast-gazette', MAYOR, 'bob', {
        source_url: 'our paper',
        published_on: '2099-01-01',
        colour: 'red',
      }),
    ]);
    expect([refused.status, refused.body.error.code]).toEqual([400, 'invalid_submission']);
    const { message } = refused.body.error;
    for (const problem of [
      'submissions[1].endorser must be a slug (a to z',
      'submissions[1].contest must be an election slug, a slash and a contest slug, is "mayor"',
      'submissions[1].choice must be text of 1 to 200 characters',
      'submissions[2] must be an object, is 7',
      'submissions[3].picks[1].choice must be unique in the position',
      'submissions[4].source_url must be an http or https address',
      'submissions[4].colour is not a known field',
      'Nothing was sent.',
    ]) {
      expect(message).toContain(problem);
    }
    const early = await publish([endorse('coast-gazette', MAYOR, 'bob', { published_on: '2099-01-01' })]);
    expect(early.body.error.message).toContain('submissions[0].published_on must not be later than tomorrow');
    expect(await flush()).toBe(before + 2);
  });

  test('are refused with a number in details that would change, as lines of files are', async () => {
    const before = await flush();
    for (const number of ['12345678901234567890', '1e400']) {
      const details = { post: JSON.rawJSON(number) };
      const { status, body } = await publish([endorse('coast-gazette', MAYOR, 'ann', { details })]);
      expect([status, body.error.code]).toEqual([400, 'invalid_json']);
      expect(body.error.message).toBe(
        `The body has a number that cannot be kept exactly, ${number}; to keep it, write it as text.`,
      );
    }
    expect(await flush()).toBe(before + 2);
  });

  test('can name contests and choices by the ids of the read API', async () => {
    const { data } = (await service.get('/v1/contests?elections=or-2026-11-03-general')).body;
    const of = (title: string) => data.find((each: { short_title: string }) => each.short_title === title);
    const [mayor, council] = [of('mayor'), of('council')];
    const idOf = (contest: { choices: { id: number; label: string }[] }, label: string) =>
      contest.choices.find((each) => each.label === label)?.id;
    const [cyd, dee] = [idOf(mayor, 'cyd'), idOf(council, 'dee')];
    const accepted = await publish([
      { endorser: 'coast-gazette', contest: mayor.id, choice: cyd },
      {
        action: 'position',
        endorser: 'coast-gazette',
        contest: ` ${COUNCIL}`,
        picks: [{ choice: dee }, { choice: 'cyd' }],
      },
      { action: 'withdraw', endorser: 'coast-gazette', contest: MAYOR, choice: cyd },
    ]);
    expect(outcomes(await settled(accepted))).toEqual(['applied', 'applied', 'applied']);
    expect(accepted.body.data.submissions.map(({ contest }: { contest: string }) => contest)).toEqual([
      ...[MAYOR, COUNCIL, MAYOR],
    ]);
    const before = await flush();
    const { status, body } = await publish([
      { endorser: 'coast-gazette', contest: mayor.id, choice: cyd },
      { endorser: 'coast-gazette', contest: 999_999, choice: 'ann' },
      { endorser: 'coast-gazette', contest: 2 ** 31, choice: 'ann' },
      { endorser: 'coast-gazette', contest: mayor.id, choice: dee },
      {
        action: 'position',
        endorser: 'coast-gazette',
        contest: COUNCIL,
        picks: [{ choice: 'ann' }, { choice: cyd }, 7],
      },
      { endorser: 'coast-gazette', contest: 1.5, choice: -1 },
      { endorser: 'coast-gazette', choice: cyd },
    ]);
    expect([status, body.error.code]).toEqual([400, 'invalid_submission']);
    for (const problem of [
      'submissions[1].contest is 999999, which is the id of no contest',
      'submissions[2].contest is 2147483648, which is the id of no contest',
      `submissions[3].choice is ${dee}, which is the id of no choice of the contest "${MAYOR}"`,
      `submissions[4].picks[1].choice is ${cyd}, which is the id of no choice of the contest "${COUNCIL}"`,
      'submissions[5].contest is 1.5, which is the id of no contest',
      `submissions[6].choice is ${cyd}, which is the id of no choice, because the contest is missing`,
    ]) {
      expect(body.error.message).toContain(problem);
    }
    expect(body.error.message).not.toContain('submissions[0]');
    expect(await flush()).toBe(before + 2);
  });

  test.each([
    ['none', []],
    ['more than 500', Array(501).fill(endorse('coast-gazette', MAYOR, 'ann'))],
    ['no list', { 0: endorse('coast-gazette', MAYOR, 'ann') }],
  ])('are refused if there are %s', async (_, given) => {
    const { status, body } = await publish(given);
    expect([status, body.error.code]).toEqual([400, 'invalid_submission']);
    expect(body.error.message).toMatch(/^submissions must be a list of 1 to 500 submissions/);
  });

  test('of a hundred problems, the message names the first fifty and counts the others', async () => {
    const { body } = await publish(Array(100).fill(endorse('coast-gazette', 'mayor', 'ann')));
    expect(body.error.message.match(/submissions\[\d+\]/g)).toHaveLength(50);
    expect(body.error.message).toContain('and 50 more problems');
  });

  test('of more than 384 KB are refused', async () => {
    const { status, body } = await publish([
      endorse('coast-gazette', MAYOR, 'ann', { details: { text: 'x'.repeat(400 * 1024) } }),
    ]);
    expect([status, body.error.code, body.error.message]).toEqual([
      ...[413, 'body_too_large', 'The body must be at most 384 KB.'],
    ]);
  });

  test('made only changes and rejections after their sending: an earlier topic had the same offsets', async () => {
    const accepted = await publish([
      endorse('coast-gazette', MAYOR, 'ann', { statement: 'Once more.' }),
      endorse('coast-gazette', MAYOR, 'nobody'),
    ]);
    expect(outcomes(await settled(accepted))).toEqual(['applied', 'rejected']);
    await service.query(
      `UPDATE publications SET after_sequence = (SELECT last_sequence FROM stream_head),
         after_rejection = (SELECT max(id) FROM rejected_submissions) WHERE id = $1`,
      [accepted.body.data.id],
    );
    expect(outcomes(await settled(accepted))).toEqual(['unchanged', 'unchanged']);
  });

  test('of an endorser and a contest are applied in their order, the last wins', async () => {
    const choices = ['bob', 'cyd', 'ann', 'cyd'];
    const accepted = await publish(
      choices.map((choice) => ({
        ...{ action: 'position', endorser: 'nation-herald', contest: MAYOR, picks: [{ choice }] },
      })),
    );
    await settled(accepted);
    const held = await service.query(
      `SELECT c.key FROM endorsements e JOIN choices c ON c.id = e.choice_id JOIN contests o ON o.id = e.contest_id
       JOIN endorsers n ON n.id = e.endorser_id WHERE n.slug = 'nation-herald' AND o.key = $1`,
      [MAYOR],
    );
    expect(held).toEqual([{ key: 'cyd' }]);
  });
});

describe('Idempotency-Key', () => {
  test('sends the same request once, and again only as another', async () => {
    const headers = { 'Idempotency-Key': 'edition-1' };
    const submissions = [endorse('coast-gazette', COUNCIL, 'dee')];
    const first = await publish(submissions, headers);
    const before = await flush();
    const again = await publish(submissions, headers, 1);
    expect([again.status, again.body, again.headers.get('location')]).toEqual([
      ...[202, first.body, first.headers.get('location')],
    ]);
    expect(await flush()).toBe(before + 2);
    const other = await publish([endorse('coast-gazette', COUNCIL, 'cyd')], headers);
    expect([other.status, other.body.error.code]).toEqual([409, 'conflict']);
    expect((await publish(submissions)).body.data.id).not.toBe(first.body.data.id);
  });

  test('sends once even if both gateways get the request at the same time', async () => {
    const before = await flush();
    const headers = { 'Idempotency-Key': 'edition-2' };
    const answers = await Promise.all(
      Array.from({ length: 6 }, (_, index) =>
        publish([endorse('coast-gazette', COUNCIL, 'ann')], headers, index % 2),
      ),
    );
    expect(new Set(answers.map(({ body }) => body.data.id)).size).toBe(1);
    expect(await flush()).toBe(before + 1 + 2);
  });

  test('after Kafka took only a part, sends all again, and then no more', async () => {
    const before = await flush();
    const { send } = TopicWriter.prototype;
    const fails = jest.spyOn(TopicWriter.prototype, 'send').mockImplementationOnce(async function (
      this: TopicWriter,
      records,
    ) {
      await send.call(this, records.slice(0, 1));
      throw Object.assign(new Error('injected'), { name: 'KafkaUnavailableError' });
    });
    const headers = { 'Idempotency-Key': 'edition-3' };
    const submissions = [endorse('coast-gazette', MAYOR, 'bob'), endorse('nation-herald', MAYOR, 'bob')];
    const failed = await publish(submissions, headers);
    expect([failed.status, failed.body.error.code]).toEqual([503, 'server_busy']);
    expect(failed.body.error.message).toContain(
      'some or all of them may be applied. Send the same request again',
    );
    expect(Number(failed.headers.get('retry-after'))).toBeGreaterThan(0);
    fails.mockRestore();

    const repeated = await publish(submissions, headers, 1);
    expect(outcomes(await settled(repeated))).toEqual(['unchanged', 'applied']);
    expect((await publish(submissions, headers)).body).toEqual(repeated.body);
    expect(await flush()).toBe(before + 1 + 2 + 2);
  });
});

describe('the endorsers of an account', () => {
  let accounts = 0;
  /** A new account with a key, and the header of that key. */
  async function createAccount(...slugs: string[]) {
    accounts += 1;
    const account = `publisher ${accounts}`;
    const key = await service.createKey(account, 'internal');
    await service.allow(slugs, account);
    return { account, headers: { Authorization: `Bearer ${key}` } };
  }
  /** Expects that nothing is sent. */
  async function expectRefusal(answer: () => Promise<Answer>, status: number, code: string): Promise<string> {
    const before = await flush();
    const refused = await answer();
    expect([refused.status, refused.body.error.code]).toEqual([status, code]);
    expect(await flush()).toBe(before + 2);
    return refused.body.error.message;
  }

  test('are those that an operator allowed: one foreign submission of 500 stops all', async () => {
    const { headers } = await createAccount('coast-gazette');
    const submissions = Array(500).fill(endorse('coast-gazette', MAYOR, 'ann'));
    submissions[321] = endorse('nation-herald', MAYOR, 'ann');
    const message = await expectRefusal(() => publish(submissions, headers), 403, 'endorser_not_allowed');
    expect(message).toMatch(/^The account may not publish for "nation-herald"\. Nothing was sent\./);
  });

  test('are none at first, and an unknown endorser is like a foreign one', async () => {
    const { headers } = await createAccount();
    for (const endorser of ['coast-gazette', 'nobody']) {
      await expectRefusal(
        () => publish([endorse(endorser, MAYOR, 'ann')], headers),
        403,
        'endorser_not_allowed',
      );
    }
  });

  test.each([
    'Coast-Gazette',
    'coast‐gazette',
    'ｃoast-gazette',
    'coast-gazette\u0000',
    'сoast-gazette',
    '%',
  ])('have no other spelling, such as %j', async (slug) => {
    await expectRefusal(() => publish([endorse(slug, MAYOR, 'ann')]), 400, 'invalid_submission');
  });

  test('have the spelling of files: white space around a slug does not count, and the same slug is checked and sent', async () => {
    const { headers } = await createAccount('coast-gazette');
    const accepted = await publish([endorse(' nation-herald\u200b', MAYOR, 'ann')], headers);
    expect(accepted.status).toBe(403);
    const own = await publish([endorse(' coast-gazette\u200b', MAYOR, 'ann')], headers);
    expect(own.body.data.submissions).toMatchObject([{ endorser: 'coast-gazette' }]);
  });

  test('end with a right that is taken back, also between the check and the sending', async () => {
    const { account, headers } = await createAccount('coast-gazette');
    const { send } = TopicWriter.prototype;
    let taken: Promise<void> | undefined;
    let isTaken = false;
    jest.spyOn(TopicWriter.prototype, 'send').mockImplementationOnce(async function (
      this: TopicWriter,
      records,
    ) {
      taken = disallow(account, 'coast-gazette').then(() => {
        isTaken = true;
      });
      await until('the operator to wait', async () => {
        const waiting = await service.query(
          "SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'",
        );
        return waiting.length > 0;
      });
      expect(isTaken).toBe(false);
      return send.call(this, records);
    });
    const accepted = await publish([endorse('coast-gazette', MAYOR, 'cyd')], headers);
    expect(accepted.status).toBe(202);
    await taken;
    await expectRefusal(
      () => publish([endorse('coast-gazette', MAYOR, 'dee')], headers),
      403,
      'endorser_not_allowed',
    );
  });

  /** Makes an endorser, as a copy of another one. */
  const copyEndorser = (slug: string) =>
    service.query(
      `INSERT INTO endorsers (slug, name, category, state)
       SELECT $1, $1, category, state FROM endorsers WHERE slug = 'nation-herald'`,
      [slug],
    );

  test('stay the same endorsers if a slug changes hands', async () => {
    await copyEndorser('guild');
    const { headers } = await createAccount('guild');
    await service.query("UPDATE endorsers SET slug = 'old-guild' WHERE slug = 'guild'");
    await copyEndorser('guild');
    await expectRefusal(
      () => publish([endorse('guild', MAYOR, 'ann')], headers),
      403,
      'endorser_not_allowed',
    );
    expect((await publish([endorse('old-guild', MAYOR, 'ann')], headers)).status).toBe(202);
  });

  test('end with the endorser', async () => {
    await copyEndorser('short-lived');
    const { headers } = await createAccount('short-lived');
    await service.query("DELETE FROM endorsers WHERE slug = 'short-lived'");
    await copyEndorser('short-lived');
    await expectRefusal(
      () => publish([endorse('short-lived', MAYOR, 'ann')], headers),
      403,
      'endorser_not_allowed',
    );
  });

  test('are of no use to a suspended account or a revoked key, at once', async () => {
    const suspended = await createAccount('coast-gazette');
    const revoked = await createAccount('coast-gazette');
    const send = (headers: Record<string, string>) =>
      publish([endorse('coast-gazette', MAYOR, 'ann')], headers);
    // The gateway knows both keys now.
    expect([(await send(suspended.headers)).status, (await send(revoked.headers)).status]).toEqual([
      202, 202,
    ]);
    await service.query('UPDATE accounts SET suspended_at = now() WHERE name = $1', [suspended.account]);
    await service.query(
      'UPDATE api_keys SET revoked_at = now() WHERE account_id = (SELECT id FROM accounts WHERE name = $1)',
      [revoked.account],
    );
    await expectRefusal(() => send(suspended.headers), 403, 'account_suspended');
    await expectRefusal(() => send(revoked.headers), 401, 'revoked_api_key');
  });

  test('and publications are hidden from other accounts', async () => {
    const { headers } = await createAccount('coast-gazette');
    const own = await publish([endorse('coast-gazette', MAYOR, 'ann')]);
    const path = own.headers.get('location') ?? '';
    const foreign = await service.get(path, { headers });
    expect([foreign.status, foreign.body.error.code]).toEqual([404, 'not_found']);
    expect((await service.get(path)).status).toBe(200);
    // The same Idempotency-Key of another account means another request.
    const key = { 'Idempotency-Key': 'shared' };
    const first = await publish([endorse('coast-gazette', MAYOR, 'ann')], key);
    const second = await publish([endorse('coast-gazette', MAYOR, 'ann')], { ...headers, ...key });
    expect(second.status).toBe(202);
    expect(second.body.data.id).not.toBe(first.body.data.id);
  });
});
