import { afterEach, expect, jest, test } from '@jest/globals';
import { TopicReader } from '../../../kafka/reading/topic-reader.ts';
import { KafkaUnavailableError } from '../../../service/failure.ts';
import { endorse } from '../../helpers/ballots/submissions.ts';
import { captureLog } from '../../helpers/service/captured-log.ts';
import { useTestService } from '../../helpers/service/service.ts';
import { until } from '../../helpers/until.ts';

const { log, lines } = captureLog('warn');
const service = useTestService({ log, partitions: 2 });
afterEach(() => {
  jest.restoreAllMocks();
});

const behindMs = () => service.gateways[0]?.behindMs() ?? Number.NaN;

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
