/** The topics of the service as code: creates and alters them, and reports differences from the plan. */

import { setTimeout as sleep } from 'node:timers/promises';
import type { Brokers } from '../../service/brokers.ts';
import { OperatorError } from '../../service/operator-error.ts';
import { waitFor } from '../../service/wait-for.ts';
import { type Admin, TOPIC_RESOURCE, topicExists, withAdmin } from '../connection/admin.ts';
import { isUnknownTopic, type Operation, type Right, withRight } from '../connection/rights.ts';
import {
  chooseReplicationFactor,
  findChangesProblems,
  findExcess,
  findQueueProblems,
  planTopics,
  settingsFor,
  type Topic,
} from './topic-settings.ts';

/** Kafka's number for "set on this topic", as opposed to a default. */
const SET_ON_TOPIC = 1;

const APPLY_TIMEOUT_MS = 30_000;
const ASK_AGAIN_MS = 50;

/** The cluster, and the settings for its topics. */
export interface TopicsOptions {
  brokers: Brokers;
  /** The beginning of every topic's name; empty in ordinary use. */
  topicPrefix: string;
  /** How long an event stays readable, in milliseconds. */
  retentionMs: number;
  changesPartitions: number;
}

/** A topic of the cluster. */
export interface ActualTopic extends Topic {
  /** Whether every partition has a leader. */
  led: boolean;
  /** The settings on the topic itself. */
  ownConfig: Record<string, string>;
}

/** The planned topics on this cluster. */
export async function planFor(admin: Admin, options: TopicsOptions): Promise<ReturnType<typeof planTopics>> {
  const cluster = await admin.describeCluster();
  return planTopics({
    topicPrefix: options.topicPrefix,
    retentionMs: options.retentionMs,
    partitions: options.changesPartitions,
    replicationFactor: chooseReplicationFactor(cluster.brokers.length),
  });
}

function rightTo(operation: Operation, name: string): Right {
  return { operation, resource: 'topic', name };
}

/**
 * The actual topic, or null if it does not exist. Brokers learn of a new topic at different times. So if one
 * broker lists a topic and another does not know it yet, this asks again for a while.
 */
export async function loadActualTopic(admin: Admin, name: string): Promise<ActualTopic | null> {
  const deadline = performance.now() + APPLY_TIMEOUT_MS;
  for (;;) {
    try {
      return await loadActualTopicOnce(admin, name);
    } catch (error) {
      if (!isUnknownTopic(error) || performance.now() > deadline) throw error;
      await sleep(ASK_AGAIN_MS);
    }
  }
}

async function loadActualTopicOnce(admin: Admin, name: string): Promise<ActualTopic | null> {
  if (!(await admin.listTopics()).includes(name)) return null;
  const { topics } = await admin.fetchTopicMetadata({ topics: [name] });
  const described = await withRight(rightTo('DescribeConfigs', name), () =>
    admin.describeConfigs({ includeSynonyms: false, resources: [{ type: TOPIC_RESOURCE, name }] }),
  );
  const partitions = topics[0]?.partitions ?? [];
  const entries = described.resources[0]?.configEntries ?? [];
  const asRecord = (list: typeof entries) =>
    Object.fromEntries(list.map(({ configName, configValue }) => [configName, configValue]));
  return {
    name,
    led: partitions.every(({ leader }) => leader >= 0),
    partitions: partitions.length,
    replicationFactor: Math.min(...partitions.map(({ replicas }) => replicas.length)),
    config: asRecord(entries),
    ownConfig: asRecord(entries.filter(({ configSource }) => configSource === SET_ON_TOPIC)),
  };
}

/** @returns whether the topic was created; false if it exists, although the previous broker did not list it */
async function createTopic(admin: Admin, topic: Topic): Promise<boolean> {
  return withRight(rightTo('Create', topic.name), () =>
    admin.createTopics({
      // kafkajs would stop waiting for a broker that does not know the topic yet.
      waitForLeaders: false,
      topics: [
        {
          topic: topic.name,
          numPartitions: topic.partitions,
          replicationFactor: topic.replicationFactor,
          configEntries: Object.entries(topic.config).map(([name, value]) => ({ name, value })),
        },
      ],
    }),
  );
}

/** The existing topic, or null if this created it. */
async function readOrCreate(admin: Admin, wanted: Topic, brokers: Brokers): Promise<ActualTopic | null> {
  const actual = await loadActualTopic(admin, wanted.name);
  if (actual !== null || (await createTopic(admin, wanted))) return actual;
  // The topic exists, but this process may not see it. Brokers report that only for a request by name.
  await topicExists(brokers, wanted.name);
  return waitFor(`Topic ${wanted.name}`, () => loadActualTopic(admin, wanted.name), {
    timeoutMs: APPLY_TIMEOUT_MS,
  });
}

/** The settings that differ from the plan: names and planned values. */
export function differences(actual: Topic, wanted: Topic): Array<[string, string]> {
  return Object.entries(settingsFor(actual, wanted)).filter(([name, value]) => actual.config[name] !== value);
}

/** Waits until the brokers report the planned topic, which they learn from the controller with a delay. */
async function untilApplied(admin: Admin, wanted: Topic): Promise<void> {
  const probe = async () => {
    const actual = await loadActualTopic(admin, wanted.name);
    const applied =
      actual?.led && actual.partitions >= wanted.partitions && differences(actual, wanted).length === 0;
    return applied ? true : null;
  };
  await waitFor(`Topic ${wanted.name}`, probe, { timeoutMs: APPLY_TIMEOUT_MS });
}

/** Alters an existing topic to match the plan. */
async function alterTopic(admin: Admin, actual: ActualTopic, wanted: Topic): Promise<string[]> {
  const done: string[] = [];
  const changed = differences(actual, wanted);
  if (changed.length > 0) {
    // The request replaces all settings of the topic, so it repeats those set by others.
    const config = { ...actual.ownConfig, ...settingsFor(actual, wanted) };
    const configEntries = Object.entries(config).map(([name, value]) => ({ name, value }));
    await withRight(rightTo('AlterConfigs', wanted.name), () =>
      admin.alterConfigs({
        validateOnly: false,
        resources: [{ type: TOPIC_RESOURCE, name: wanted.name, configEntries }],
      }),
    );
    for (const [name, value] of changed) {
      done.push(`set ${name}=${value} on ${wanted.name} (it was ${actual.config[name]})`);
    }
  }
  if (actual.partitions < wanted.partitions) {
    const topicPartitions = [{ topic: wanted.name, count: wanted.partitions }];
    await withRight(rightTo('Alter', wanted.name), () => admin.createPartitions({ topicPartitions }));
    done.push(`grew ${wanted.name} from ${actual.partitions} to ${wanted.partitions} partitions`);
  }
  return done;
}

/**
 * Creates missing topics, corrects settings and adds partitions. Never removes anything.
 *
 * @returns a line for each change
 * @throws OperatorError if no broker answers, or if the changes topic has more partitions than a cursor can
 * hold
 */
export async function applyTopics(options: TopicsOptions): Promise<string[]> {
  return withAdmin(options.brokers, (admin) => applyWith(admin, options));
}

/** `applyTopics` with a connected client. */
export async function applyWith(admin: Admin, options: TopicsOptions): Promise<string[]> {
  const done: string[] = [];
  const plan = await planFor(admin, options);
  for (const wanted of Object.values(plan)) {
    const actual = await readOrCreate(admin, wanted, options.brokers);
    const excess = wanted === plan.changes && actual !== null ? findExcess(actual) : null;
    if (excess !== null) throw new OperatorError(`${excess}.`);
    const lines =
      actual === null
        ? [`created ${wanted.name} with ${wanted.partitions} partitions`]
        : await alterTopic(admin, actual, wanted);
    if (lines.length > 0) await untilApplied(admin, wanted);
    done.push(...lines);
  }
  return done;
}

/**
 * Compares the topics with the plan.
 *
 * @returns a sentence for each problem
 * @throws OperatorError if no broker answers
 */
export async function checkTopics(options: TopicsOptions): Promise<string[]> {
  return withAdmin(options.brokers, async (admin) => {
    const problems: string[] = [];
    const plan = await planFor(admin, options);
    for (const wanted of Object.values(plan)) {
      const actual = await loadActualTopic(admin, wanted.name);
      const find = wanted === plan.changes ? findChangesProblems : findQueueProblems;
      const found =
        actual === null ? await explainAbsence(options.brokers, wanted.name) : find(actual, wanted);
      problems.push(...found);
    }
    return problems;
  });
}

/** The problem of an unlisted topic. @throws OperatorError if it exists, but this process may not see it */
export async function explainAbsence(brokers: Brokers, name: string): Promise<string[]> {
  return (await topicExists(brokers, name)) ? [] : [`${name} is missing`];
}

/** The changes topic of a running service. */
export type ChangesTopicOptions = Pick<TopicsOptions, 'brokers' | 'topicPrefix' | 'retentionMs'>;

/**
 * Finds settings of the changes topic that let events vanish inside the window.
 *
 * @returns a sentence for each problem
 * @throws OperatorError if no broker answers
 */
export async function findChangesTopicProblems(options: ChangesTopicOptions): Promise<string[]> {
  return withAdmin(options.brokers, async (admin) => {
    const { changes } = await planFor(admin, { ...options, changesPartitions: 1 });
    const actual = await loadActualTopic(admin, changes.name);
    return actual === null
      ? explainAbsence(options.brokers, changes.name)
      : findChangesProblems(actual, changes);
  });
}
