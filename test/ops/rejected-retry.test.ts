import { expect, test } from '@jest/globals';
import { withAdmin } from '../../kafka/connection/admin.ts';
import { topicNames } from '../../kafka/topic-names.ts';
import { openProducer } from '../../kafka/writing/submissions-producer.ts';
import { rejectionCodec } from '../../schemas/submission.ts';
import { waitFor } from '../../service/wait-for.ts';
import { loadCatalogue, SMALL_BALLOT } from '../helpers/ballots/catalogue.ts';
import { category, endorser } from '../helpers/ballots/catalogue-records.ts';
import { EARLIER, LATER, rejectAtSameOrigin } from '../helpers/ballots/same-origin.ts';
import { endorse } from '../helpers/ballots/submissions.ts';
import { createIo, createRunner } from '../helpers/commands/command-io.ts';
import { useTestService } from '../helpers/service/service.ts';
import { until } from '../helpers/until.ts';

const run = createRunner('rejected');

const service = useTestService({ catalogue: SMALL_BALLOT, partitions: 2 });

async function rejected(...args: string[]): Promise<{ printed: string[]; told: string[] }> {
  const io = createIo(service.env());
  expect(await run(args, io)).toBe(0);
  return { printed: io.printed, told: io.told };
}

/** Kafka drops the offsets of a group without members after a week. */
async function forgetIdleGroups(): Promise<void> {
  await withAdmin(service.brokers, async (admin) => {
    // A broker that has just begun to keep groups first loads them.
    const { groups } = await waitFor('the list of groups', () => admin.listGroups(), { timeoutMs: 10_000 });
    const idle = groups
      .map(({ groupId }) => groupId)
      .filter((id) => id.startsWith(service.topicPrefix) && !id.endsWith('-apply'));
    if (idle.length > 0) await admin.deleteGroups(idle);
  });
}

/** Has a submission of an unknown endorser rejected, and then adds the endorser. */
async function rejectOnce(slug: string, choice: string, kept: number): Promise<void> {
  await service.submit([endorse(slug, 'mayor', choice)]);
  await until('the rejection', async () => (await rejected('list', '--all')).printed.length === kept);
  await loadCatalogue(service.databaseUrl, [
    ['endorser-categories', category()],
    ['endorsers', endorser({ slug, name: slug })],
  ]);
}

/** The picks of each rejected submission of an endorser in `rejected list`. */
async function listed(slug: string): Promise<string[][]> {
  const lines = (await rejected('list')).printed.map((line) => JSON.parse(line));
  return lines.filter(({ endorser: by }) => by === slug).map(({ picks }) => picks);
}

async function picksOf(slug: string): Promise<string[]> {
  const { body } = await service.get(`/v1/endorsements?endorsers=${slug}`);
  return body.data.map(({ choice }: { choice: { label: string } }) => choice.label).sort();
}

test('INV-9: a rejected submission is sent again once, even long after the last retry', async () => {
  await rejectOnce('newcomer', 'ann', 1);
  expect(await rejected('retry')).toEqual({
    printed: [],
    told: ['1 rejected submissions were sent again.'],
  });
  await service.eventsOnceThereAre(1);
  expect(await picksOf('newcomer')).toEqual(['ann']);

  await forgetIdleGroups();
  expect((await rejected('retry')).told).toEqual(['0 rejected submissions were sent again.']);
  expect((await rejected('list', '--all')).printed).toHaveLength(1);
  expect(await rejected('list')).toEqual({
    printed: [],
    told: [expect.stringMatching(/^0 rejected submissions are kept, and 1 more .* --all shows them too\.$/)],
  });
});

test("a submission older than the endorser's position is named, and sent only on request", async () => {
  await rejectOnce('latecomer', 'ann', 2);
  await service.submit([endorse('latecomer', 'mayor', 'bob')]);
  await service.eventsOnceThereAre(2);

  const { printed, told } = await rejected('retry');
  expect(told).toEqual([
    '0 rejected submissions were sent again.',
    expect.stringMatching(
      /^1 were not, since their endorsers have changed their positions at the same time or later\./,
    ),
  ]);
  const [left] = printed.map((line) => JSON.parse(line));
  expect(left).toMatchObject({ code: 'unknown_endorser', endorser: 'latecomer', picks: ['ann'] });
  expect((await rejected('retry')).printed).toEqual([]);

  const { partition, offset } = left.origin;
  // A name that is given twice counts once.
  const name = `${partition}/${offset}`;
  expect((await rejected('retry', name, name)).told).toEqual(['1 rejected submissions were sent again.']);
  await service.eventsOnceThereAre(3);
  expect(await picksOf('latecomer')).toContain('ann');
});

test('a later withdrawal is newer too', async () => {
  await rejectOnce('leaver', 'ann', 3);
  const bob = endorse('leaver', 'mayor', 'bob');
  await service.submit([bob, { ...bob, action: 'withdraw' }]);
  await until('the withdrawal', async () => {
    const { data } = await service.events();
    return data.at(-1)?.type === 'endorsement.deleted';
  });
  expect(await listed('leaver')).toEqual([]);
  expect((await rejected('retry')).printed).toHaveLength(1);
  expect(await picksOf('leaver')).toEqual([]);
});

test('a position of the same batch, with the same time, is newer too', async () => {
  await service.stopConsumers();
  const bad = endorse('coast-gazette', 'mayor', 'zed');
  await service.submit([bad, endorse('coast-gazette', 'mayor', 'bob')]);
  await service.startConsumers();
  await until('the position', async () => (await picksOf('coast-gazette')).length === 1);

  const { printed } = await rejected('retry');
  expect(printed.map((line) => JSON.parse(line))).toMatchObject([
    { code: 'unknown_choice', endorser: 'coast-gazette', picks: ['zed'] },
  ]);
  expect(await picksOf('coast-gazette')).toEqual(['bob']);
  expect(await listed('coast-gazette')).toEqual([]);
});

test('an earlier position of the same batch does not replace the rejected submission', async () => {
  await service.stopConsumers();
  await service.submit([endorse('nation-herald', 'mayor', 'bob'), endorse('nation-herald', 'mayor', 'zed')]);
  await service.startConsumers();
  await until('the rejection', async () => (await rejected('list', '--all')).printed.length === 5);
  expect(await picksOf('nation-herald')).toEqual(['bob']);
  expect(await listed('nation-herald')).toEqual([['zed']]);

  await service.submit([endorse('nation-herald', 'mayor', 'cyd')]);
  await until('the new position', async () => (await listed('nation-herald')).length === 0);
  expect((await rejected('retry')).printed).toHaveLength(1);
});

test('two retries at the same time send each rejection once', async () => {
  await rejectOnce('twin', 'cyd', 6);
  const both = await Promise.all([rejected('retry'), rejected('retry')]);
  expect(both.flatMap(({ told }) => told).sort()).toEqual([
    '0 rejected submissions were sent again.',
    '1 rejected submissions were sent again.',
  ]);
  expect((await rejected('retry')).told).toEqual(['0 rejected submissions were sent again.']);
});

test('an origin without a kept rejection is reported, and nothing is sent', async () => {
  await expect(rejected('retry', '0/4711')).rejects.toThrow(
    'No rejected submission of origin 0/4711 is kept',
  );
  await expect(rejected('retry', 'all')).rejects.toThrow('"all" is not an origin');
});

test('records of the topic that are not rejections are counted, and truncated values cannot be sent again', async () => {
  const { rejected: topic } = topicNames(service.topicPrefix);
  const kept = (await rejected('list', '--all')).printed.length;
  const encode = (rejected_at: number) =>
    rejectionCodec.encode({
      ...{ code: 'undecodable', message: 'No.', topic: 'any', partition: 1, offset: 4712, last_offset: null },
      ...{ rejected_at, value: Buffer.from('begin') },
      truncated: { size: 9_000_000, sha256: Buffer.alloc(32) },
    });
  const records = [Buffer.from('noise'), encode(0), encode(8.64e15 + 1)];
  const producer = await openProducer(service.brokers, topic);
  await producer.send(records.map((value) => ({ key: 'any', value })));
  await producer.close();
  const { printed, told } = await rejected('list', '--all');
  expect(printed).toHaveLength(kept + 1);
  expect(told).toContain('2 records or batches of the rejected topic are not rejections.');
  expect((await rejected('show', '1/4712')).printed.join('\n')).toMatch(
    /9000000 bytes.*62 65 67 69 6e +begin/s,
  );
  await expect(rejected('retry', '1/4712')).rejects.toThrow('Only the beginning of 1/4712 is kept');
});

test('INV-9: two submissions with the same offset, before and after their topic was created again, are both kept', async () => {
  await rejected('retry');
  const kept = (await rejected('list', '--all')).printed.length;
  await rejectAtSameOrigin(service, [1, 4713], ['bakers', 'teachers']);
  const { printed } = await rejected('list', '--all');
  expect(printed).toHaveLength(kept + 2);
  const same = printed.map((line) => JSON.parse(line)).filter(({ origin }) => origin.offset === 4713);
  expect(same).toMatchObject([
    { endorser: 'bakers', rejected_at: EARLIER },
    { endorser: 'teachers', rejected_at: LATER },
  ]);
  expect((await rejected('retry')).told).toEqual(['2 rejected submissions were sent again.']);
});

test('an origin of two rejections shows both, and its retry needs a time to choose one', async () => {
  await rejectAtSameOrigin(service, [1, 4714], ['bakers', 'teachers']);
  const both = await rejected('show', '1/4714');
  expect(both.told).toContain('2 different rejected submissions have the origin 1/4714.');
  expect(both.printed.filter((line) => /^(rejected: |$)/.test(line))).toEqual([
    `rejected:  ${EARLIER}`,
    '',
    `rejected:  ${LATER}`,
  ]);
  await expect(rejected('retry', '1/4714')).rejects.toThrow(
    new RegExp(
      `^2 different .* Nothing was sent\\. .*: 1/4714@${EARLIER} \\(bakers, .*\\), 1/4714@${LATER} \\(teachers, .*\\)\\.$`,
    ),
  );

  const one = `1/4714@${EARLIER}`;
  const shown = (await rejected('show', one)).printed.join('\n');
  expect(shown).toContain('bakers');
  expect(shown).not.toContain('teachers');
  expect((await rejected('retry', one)).told).toEqual(['1 rejected submissions were sent again.']);
  await until('it is rejected again', async () => {
    const { printed } = await rejected('list', '--all');
    const ofNow = printed.map((line) => JSON.parse(line)).filter(({ rejected_at: at }) => at > LATER);
    return ofNow.filter(({ endorser: by }) => by === 'bakers').length === 2;
  });
  await expect(rejected('retry', '1/4714@2026-05-04T10:00:00.000Z')).rejects.toThrow('is kept');
  await expect(rejected('show', '1/4714@today')).rejects.toThrow(
    '"1/4714@today" is not the name of a rejection',
  );
});
