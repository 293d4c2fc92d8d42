/**
 * The settings of each new topic, and the rules that find wrong ones. Pure rules, no Kafka.
 *
 * INV-5, INV-6: the changes topic keeps every event for the window and a margin, and compaction leaves
 * younger events alone. Anybody with a Kafka shell can alter these settings, so the service also checks them.
 */
import { MAX_PARTITIONS } from '../../schemas/cursor.ts';
import { topicNames } from '../topic-names.ts';

const SECOND_MS = 1000;
const HOUR_MS = 3600 * SECOND_MS;
const DAY_MS = 24 * HOUR_MS;
const SUBMISSION_PARTITIONS = 12;
const REJECTED_PARTITIONS = 3;

/** Topic configuration as Kafka writes it. */
type TopicConfig = Record<string, string>;

export interface Topic {
  name: string;
  partitions: number;
  replicationFactor: number;
  config: TopicConfig;
}

export interface TopicsPlan {
  topicPrefix: string;
  /** The window: how long events must stay readable, in milliseconds. */
  retentionMs: number;
  /** The partitions of the changes topic. */
  partitions: number;
  replicationFactor: number;
}

/** The number of replicas of a topic, on a cluster with this many brokers. */
export function chooseReplicationFactor(brokers: number): number {
  return Math.min(3, brokers);
}

/** With three replicas, an acknowledged record is on two brokers, so it survives the loss of one. */
function minInsyncReplicas(replicationFactor: number): number {
  return replicationFactor >= 3 ? 2 : 1;
}

/**
 * The time after which a segment of the changes topic closes, in milliseconds: an hour, or a twenty-fourth of
 * a window shorter than a day, so that events also expire in a demonstration with a window of minutes.
 */
export function chooseSegmentMs(retentionMs: number): number {
  return Math.max(SECOND_MS, Math.min(HOUR_MS, Math.ceil(retentionMs / 24)));
}

/**
 * The extra time that the topic keeps its events after the window, in milliseconds.
 *
 * Kafka counts from a record's append time, which is never before the event's own time. The margin is the
 * larger of two: a tenth of the window for readers that were accepted just inside the window; and two
 * segments, because segments roll late, plus an hour for wrong clocks (less for a short window).
 */
export function chooseMarginMs(retentionMs: number): number {
  const clockErrorMs = Math.max(SECOND_MS, Math.min(HOUR_MS, Math.ceil(retentionMs / 24)));
  return Math.max(Math.ceil(retentionMs / 10), 2 * chooseSegmentMs(retentionMs) + clockErrorMs);
}

/** The settings of the changes topic for a window of `retentionMs`. */
export function changesTopicSettings(retentionMs: number, replicationFactor: number): TopicConfig {
  const keepMs = String(retentionMs + chooseMarginMs(retentionMs));
  return {
    'cleanup.policy': 'compact,delete',
    'retention.ms': keepMs,
    'retention.bytes': '-1',
    // INV-6: otherwise compaction would soon keep only the last change of each endorser.
    'min.compaction.lag.ms': keepMs,
    'segment.ms': String(chooseSegmentMs(retentionMs)),
    'message.timestamp.type': 'LogAppendTime',
    'min.insync.replicas': String(minInsyncReplicas(replicationFactor)),
    'unclean.leader.election.enable': 'false',
  };
}

function queueSettings(replicationFactor: number, keepDays: number): TopicConfig {
  return {
    'cleanup.policy': 'delete',
    'retention.ms': String(keepDays * DAY_MS),
    'min.insync.replicas': String(minInsyncReplicas(replicationFactor)),
  };
}

/** Every topic of the service, with its planned settings. */
export function planTopics(plan: TopicsPlan): { submissions: Topic; rejected: Topic; changes: Topic } {
  const names = topicNames(plan.topicPrefix);
  const { partitions, retentionMs, replicationFactor } = plan;
  return {
    submissions: {
      name: names.submissions,
      partitions: SUBMISSION_PARTITIONS,
      replicationFactor,
      // Uses the broker's clock. Producers' clocks can be wrong, which would falsify latencies and retention.
      config: { ...queueSettings(replicationFactor, 7), 'message.timestamp.type': 'LogAppendTime' },
    },
    rejected: {
      name: names.rejected,
      partitions: REJECTED_PARTITIONS,
      replicationFactor,
      // A rejection holds the whole rejected value, so its topic takes larger records than the submissions topic.
      config: { ...queueSettings(replicationFactor, 30), 'max.message.bytes': String(2 * 1024 * 1024) },
    },
    changes: {
      name: names.changes,
      partitions,
      replicationFactor,
      config: changesTopicSettings(retentionMs, replicationFactor),
    },
  };
}

/** Reads one of Kafka's retentions or limits; -1 means "no limit". */
function asLimit(text: string | undefined): number {
  const value = Number(text);
  return value === -1 ? Number.POSITIVE_INFINITY : value;
}

/**
 * The planned settings of an existing topic. The required in-sync replicas depend on the topic's actual
 * replicas, which no setting changes. Submissions and rejections may be kept for longer: only the retention of
 * changes follows a setting of the service.
 */
export function settingsFor(actual: Topic, wanted: Topic): Record<string, string> {
  const replicas = Math.min(actual.replicationFactor, wanted.replicationFactor);
  const settings = { ...wanted.config, 'min.insync.replicas': String(minInsyncReplicas(replicas)) };
  const { 'retention.ms': kept } = actual.config;
  const isQueue = wanted.config['cleanup.policy'] === 'delete';
  const isLonger = asLimit(kept) > Number(wanted.config['retention.ms']);
  return kept !== undefined && isQueue && isLonger ? { ...settings, 'retention.ms': kept } : settings;
}

/** A sentence if a topic has fewer replicas than the cluster allows; null otherwise. */
export function findReplicationProblem(actual: Topic, wanted: Topic): string | null {
  if (actual.replicationFactor >= wanted.replicationFactor) return null;
  return (
    `${actual.name} has a replication factor of ${actual.replicationFactor}, and the cluster has room for ` +
    `${wanted.replicationFactor}; reassign its partitions, which topics apply does not do`
  );
}

/** The problems that any topic can have, which are all of a queue's, a sentence each; empty if there are none. */
export function findQueueProblems(actual: Topic, wanted: Topic): string[] {
  const problems: string[] = [];
  const { name } = actual;
  if (actual.partitions < wanted.partitions) {
    problems.push(`${name} has ${actual.partitions} partitions; it needs ${wanted.partitions}`);
  }
  const replication = findReplicationProblem(actual, wanted);
  if (replication !== null) problems.push(replication);
  const insync = Number(actual.config['min.insync.replicas']);
  const insyncWanted = minInsyncReplicas(actual.replicationFactor);
  if (!(insync >= insyncWanted && insync <= actual.replicationFactor)) {
    problems.push(
      `${name} has min.insync.replicas=${insync} with ${actual.replicationFactor} replicas; it needs ${insyncWanted}`,
    );
  }
  const retention = asLimit(actual.config['retention.ms']);
  const retentionWanted = Number(wanted.config['retention.ms']);
  if (!(retention >= retentionWanted)) {
    problems.push(
      `${name} has retention.ms=${actual.config['retention.ms']}; it needs ${retentionWanted} or more`,
    );
  }
  const policies = (text = '') =>
    text
      .split(',')
      .map((item) => item.trim())
      .sort()
      .join(',');
  if (policies(actual.config['cleanup.policy']) !== policies(wanted.config['cleanup.policy'])) {
    problems.push(
      `${name} has cleanup.policy=${actual.config['cleanup.policy']}; it needs ${wanted.config['cleanup.policy']}`,
    );
  }
  for (const setting of ['retention.bytes', 'message.timestamp.type', 'unclean.leader.election.enable']) {
    const value = wanted.config[setting];
    if (value !== undefined && actual.config[setting] !== value) {
      problems.push(`${name} has ${setting}=${actual.config[setting]}; it needs ${value}`);
    }
  }
  return problems;
}

/** The reason why a changes topic can never be used, or null. Kafka cannot remove partitions. */
export function findExcess({ name, partitions }: Topic): string | null {
  if (partitions <= MAX_PARTITIONS) return null;
  return (
    `${name} has ${partitions} partitions; a cursor holds at most ${MAX_PARTITIONS}, so the topic must be created anew ` +
    '("An emptied Kafka" in docs/operations/recovery.md)'
  );
}

/**
 * The problems of a changes topic, a sentence each; empty if it keeps every event inside the window.
 *
 * @param actual the topic with its whole effective configuration
 * @param wanted the topic of planTopics
 */
export function findChangesProblems(actual: Topic, wanted: Topic): string[] {
  const problems = findQueueProblems(actual, wanted);
  const excess = findExcess(actual);
  if (excess !== null) problems.push(excess);
  const { name, config } = actual;
  const lag = asLimit(config['min.compaction.lag.ms']);
  const retention = asLimit(config['retention.ms']);
  const lagWanted = Number.isFinite(retention) ? retention : Number(wanted.config['retention.ms']);
  if (!(lag >= lagWanted)) {
    problems.push(
      `${name} has min.compaction.lag.ms=${config['min.compaction.lag.ms']}, less than its retention.ms=` +
        `${config['retention.ms']}: compaction deletes events inside the window (INV-6); it needs ${lagWanted} or more`,
    );
  }
  return problems;
}
