import type { TopicChange } from '../../kafka/topics/plan-topics.ts';
import { showControls } from '../../schemas/show-controls.ts';

/** A change of a plan in lines for people: one line, or several for a new topic. */
export function formatTopicChange(change: TopicChange): string[] {
  return describe(change).map(showControls);
}

function describe(change: TopicChange): string[] {
  if (change.kind === 'refused') return [`refused: ${change.reason}`];
  const { kind, topic } = change;
  if (kind === 'set') return [`set ${change.setting} on ${topic}: ${change.from} -> ${change.to}`];
  if (kind === 'grow') return [`grow ${topic}: ${change.from} -> ${change.to} partitions`];
  const settings = Object.entries(change.config).map(([name, value]) => `  ${name}=${value}`);
  const size = `${change.partitions} partitions, replication factor ${change.replicationFactor}`;
  return [`create ${topic}: ${size}`, ...settings];
}
