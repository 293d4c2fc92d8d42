import { afterEach, expect, jest, test } from '@jest/globals';
import { Tail } from '../../feed/tail.ts';
import { TopicReader } from '../../kafka/reading/topic-reader.ts';
import { parseCursor } from '../../schemas/cursor.ts';
import { KafkaUnavailableError } from '../../service/failure.ts';
import { endorse } from '../helpers/ballots/submissions.ts';
import { captureLog } from '../helpers/service/captured-log.ts';
import { useTestService } from '../helpers/service/service.ts';
import { until } from '../helpers/until.ts';

const { log, lines } = captureLog('warn');
const service = useTestService({ log, partitions: 2 });
afterEach(() => {
  jest.restoreAllMocks();
});

const behindMs = () => service.gateways[0]?.feed.behindMs ?? Number.NaN;

test.each<[string, Error, string]>([
  ['while Kafka is away', new KafkaUnavailableError('injected'), 'warn'],
  ['while a defect stops its reader', new TypeError('injected'), 'error'],
])(
  '%s a gateway reports how long it is behind, still answers reads, and continues afterwards',
  async (_, error, level) => {
    await until('it is at the end', () => behindMs() < 2000);
    lines.length = 0;
    jest.spyOn(TopicReader.prototype, 'fetch').mockRejectedValue(error);
    await until('it is behind', () => behindMs() > 3000);
    expect(lines.find(({ msg }) => msg.startsWith('the changes topic cannot be read'))?.level).toBe(level);
    expect(await service.gateways[0]?.isReady()).toBe(true);
    expect((await service.get('/v1/states')).status).toBe(200);

    jest.restoreAllMocks();
    await until('it is at the end', () => behindMs() < 2000);
    const before = await service.latestSequence();
    await service.submit([endorse('bakers-local-1', 'mayor', 'ann', { statement: level })]);
    await service.eventsOnceThereAre(before + 1);
  },
);

test('while a change waits for an earlier one, a gateway is behind since its last end, not since its start', async () => {
  await until('it is at the end', () => behindMs() < 2000);
  jest.spyOn(Tail.prototype, 'caughtUpAt', 'get').mockReturnValue(0);
  // The gateway has run for longer, because of the tests above.
  expect(behindMs()).toBeLessThan(3000);
});

test('INV-7: a change that comes while the stream moves to another log is delivered once', async () => {
  const { stop } = Tail.prototype;
  const before = await service.latestSequence();
  const change = async (number: number) => {
    await service.submit([endorse('bakers-local-1', 'mayor', 'ann', { statement: `Change ${number}.` })]);
    await service.eventsOnceThereAre(before + number);
  };
  jest.spyOn(Tail.prototype, 'stop').mockImplementationOnce(async function (this: Tail) {
    await change(1);
    await stop.call(this);
  });
  const stream = await service.stream();
  await stream.wait('ready', 1);
  await service.query('UPDATE stream_generation SET generation = generation + 1');
  await until('it has moved', () =>
    lines.some(({ msg }) => msg.startsWith('the stream continues in another')),
  );
  await change(2);
  await stream.wait('endorsement', 2);
  const sequences = stream.of('endorsement').map(({ id }) => parseCursor(id ?? '').sequence);
  expect(sequences).toEqual([before + 1, before + 2]);
  stream.close();
});
