import { type ChangesTopicOptions, findChangesTopicProblems } from '../../kafka/topics/topics.ts';
import type { Clock } from '../../service/clock.ts';
import type { Stoppable } from '../../service/lifecycle.ts';
import type { Logger } from '../../service/log.ts';
import { repeat } from '../../service/repeat.ts';
import { reportFailure } from '../../service/report-failure.ts';
import { topicSettingsProblems } from './metrics.ts';

/** The interval between two checks of the settings, in milliseconds. */
const INTERVAL_MS = 20_000;

/**
 * Watches the settings of the changes topic. Anybody with a Kafka shell can alter them while the service
 * runs, and wrong ones let events vanish inside the window (INV-5, INV-6). New problems are logged, and a
 * metric counts them.
 */
export function watchTopicSettings(
  options: ChangesTopicOptions,
  { clock, log }: { clock: Clock; log: Logger },
): Stoppable {
  let known = '';
  let isStopped = false;
  const look = async () => {
    try {
      const problems = await findChangesTopicProblems(options);
      if (isStopped) return;
      topicSettingsProblems.set(problems.length);
      const found = problems.join('; ');
      if (found !== '' && found !== known) log.error(`${found}. Run "npm run ops -- topics apply"`);
      else if (found === '' && known !== '') log.info('the settings of the changes topic are right again');
      known = found;
    } catch (error) {
      // The relay reports an outage of Kafka.
      const message = 'the settings of the changes topic cannot be read';
      reportFailure(log, error, { where: 'relay', message, quiet: true });
    }
  };
  const looking = repeat(INTERVAL_MS, clock, look);
  return {
    async stop() {
      isStopped = true;
      // A look under way changes nothing, and silent brokers would hold up the end of the term for minutes.
      void looking.stop();
      // Another process leads now. Otherwise the last value would stay for ever.
      topicSettingsProblems.set(0);
    },
  };
}
