import { Counter, Gauge } from 'prom-client';

export const relayedChanges = new Counter({
  name: 'changes_relayed_total',
  help: 'Changes that Kafka has acknowledged, including repeats.',
});

export const relayedSequence = new Gauge({
  name: 'changes_relayed_sequence',
  help: 'The sequence of the last change that Kafka has acknowledged from this leader, 0 from others.',
});

export const topicSettingsProblems = new Gauge({
  name: 'topic_settings_problems',
  help: 'Wrong settings of the changes topic, which can make events vanish inside the window.',
});

export const relayLeader = new Gauge({
  name: 'relay_leader',
  help: '1 while this process relays changes, 0 while it stands by or has not begun.',
});

export const unrelayedChanges = new Gauge({
  name: 'changes_unrelayed',
  help: 'Changes of the change log that Kafka has not acknowledged.',
});

export const oldestUnrelayed = new Gauge({
  name: 'changes_oldest_unrelayed_seconds',
  help: "How long the oldest change that Kafka has not acknowledged has waited, by the database's clock.",
});

export const streamGeneration = new Gauge({
  name: 'stream_generation',
  help: 'The generation of the Kafka log that holds the stream. It rises when the changes topic is written again.',
});

export const rebuiltChanges = new Counter({
  name: 'changes_rebuilt_total',
  help: 'Changes that were written into the changes topic again, because it was emptied or made anew.',
});
