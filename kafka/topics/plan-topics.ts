import { withAdmin } from '../connection/admin.ts';
import { findExcess, findReplicationProblem } from './topic-settings.ts';
import { differences, explainAbsence, loadActualTopic, planFor, type TopicsOptions } from './topics.ts';

/** A change that `applyTopics` would make to a topic, or a difference that it cannot correct. */
export type TopicChange =
  | {
      kind: 'create';
      topic: string;
      partitions: number;
      replicationFactor: number;
      config: Record<string, string>;
    }
  | { kind: 'set'; topic: string; setting: string; from: string; to: string }
  | { kind: 'grow'; topic: string; from: number; to: number }
  | { kind: 'refused'; reason: string };

/**
 * Compares the topics with the plan, and changes nothing.
 *
 * @returns the changes that `applyTopics` would make, in its order; may be empty
 * @throws OperatorError if no broker answers, or Kafka refuses this process
 */
export async function planTopicChanges(options: TopicsOptions): Promise<TopicChange[]> {
  return withAdmin(options.brokers, async (admin) => {
    const changes: TopicChange[] = [];
    const plan = await planFor(admin, options);
    for (const wanted of Object.values(plan)) {
      const { name: topic, partitions, replicationFactor, config } = wanted;
      const actual = await loadActualTopic(admin, topic);
      if (actual === null) {
        // Throws if the topic exists, but this process may not see it.
        await explainAbsence(options.brokers, topic);
        changes.push({ kind: 'create', topic, partitions, replicationFactor, config });
        continue;
      }
      const obstacles = [
        wanted === plan.changes ? findExcess(actual) : null,
        findReplicationProblem(actual, wanted),
      ];
      for (const reason of obstacles) if (reason !== null) changes.push({ kind: 'refused', reason });
      for (const [setting, to] of differences(actual, wanted)) {
        changes.push({ kind: 'set', topic, setting, from: actual.config[setting] ?? 'unset', to });
      }
      if (actual.partitions < partitions) {
        changes.push({ kind: 'grow', topic, from: actual.partitions, to: partitions });
      }
    }
    return changes;
  });
}
