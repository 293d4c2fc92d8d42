import { expect, test } from '@jest/globals';
import { watchTopicSettings } from '../../consumers/relay/topic-watch.ts';
import { withAdmin } from '../../kafka/connection/admin.ts';
import { topicNames } from '../../kafka/topic-names.ts';
import { applyTopics } from '../../kafka/topics/topics.ts';
import { type Clock, systemClock } from '../../service/clock.ts';
import { createLog } from '../../service/log.ts';
import { alterTopic, createTestTopics } from '../helpers/kafka/topics.ts';
import { metricValue } from '../helpers/service/metrics.ts';
import { until } from '../helpers/until.ts';

const WEEK_MS = 7 * 24 * 60 * 60 * 1000;
/** A clock that shortens every wait to a moment. */
const hurried: Clock = {
  ...systemClock,
  wait: () => new Promise((resolve) => setTimeout(resolve, 50)),
};

test('INV-6: broken settings are reported once while the service runs, and so is their repair', async () => {
  const { brokers, prefix: topicPrefix } = await createTestTopics({ partitions: 1 });
  const options = { brokers, topicPrefix, retentionMs: WEEK_MS };
  const lines: string[] = [];
  const log = createLog('consumers', 'info', { write: (line) => lines.push(line) });
  const watch = watchTopicSettings(options, { clock: hurried, log });

  const breakSettings = () =>
    withAdmin(brokers, (admin) =>
      alterTopic(admin, topicNames(topicPrefix).changes, { 'cleanup.policy': 'compact' }),
    );
  await breakSettings();
  await until('it is reported', () => lines.some((line) => line.includes('min.compaction.lag.ms')));
  await applyTopics({ ...options, changesPartitions: 1 });
  await until('its repair is reported', () => lines.some((line) => line.includes('are right again')));
  expect(lines).toHaveLength(2);
  expect(lines[0]).toContain('topics apply');

  // A process that no longer leads reports nothing, also if the settings are right again later.
  await breakSettings();
  await until('it is counted', async () => (await metricValue('topic_settings_problems')) > 0);
  await watch.stop();
  expect(await metricValue('topic_settings_problems')).toBe(0);
});
