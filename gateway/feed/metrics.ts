import { Counter, Gauge } from 'prom-client';

export const undecodableRecords = new Counter({
  name: 'feed_undecodable_records_total',
  help: 'Records of the changes topic that no known schema explains.',
});

export const feedSequence = new Gauge({
  name: 'feed_sequence',
  help: 'The sequence of the newest change that this gateway can deliver.',
});

export const replays = new Counter({
  name: 'feed_replay_chunks_total',
  help: 'Chunks that readers behind memory were given out of Kafka.',
});

export const filledChanges = new Counter({
  name: 'feed_filled_changes_total',
  help: 'Changes that were loaded from the change log because the changes topic lacks them.',
});

export const feedFilters = new Gauge({
  name: 'feed_filters',
  help: 'How many different filters the open streams and waiting polls have.',
});

export const lostChanges = new Counter({
  name: 'feed_lost_changes_total',
  help: 'Changes that neither the changes topic nor the change log has; readers who stand before them are answered 410.',
});
