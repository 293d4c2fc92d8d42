import { Counter, Gauge } from 'prom-client';

export const undecodableRecords = new Counter({
  name: 'feed_undecodable_records_total',
  help: 'Records of the changes topic that cannot be decoded.',
});

export const feedSequence = new Gauge({
  name: 'feed_sequence',
  help: 'The sequence of the newest change that this gateway can deliver.',
});

export const replays = new Counter({
  name: 'feed_replay_chunks_total',
  help: 'Chunks of older changes that were read from Kafka.',
});

export const filledChanges = new Counter({
  name: 'feed_filled_changes_total',
  help: 'Changes that were loaded from the change log because the changes topic lacks them.',
});

export const feedFilters = new Gauge({
  name: 'feed_filters',
  help: 'The number of different filters of open streams and waiting polls.',
});

export const lostChanges = new Counter({
  name: 'feed_lost_changes_total',
  help: 'Changes that neither the changes topic nor the change log has; readers before them get 410.',
});

export const unreadableBatches = new Counter({
  name: 'feed_unreadable_batches_total',
  help: 'Batches of the changes topic that cannot be read, so that their changes are loaded from the change log.',
});

/**
 * Exposes how far a gateway is behind. Measured when it is asked for, so that it also grows while the feed hangs.
 *
 * @param behindMs how long ago the feed last knew itself at the end of the topic, in milliseconds
 */
export function exposeFeedLag(behindMs: () => number): void {
  new Gauge({
    name: 'feed_behind_seconds',
    help: 'How long ago this gateway last had every change that Kafka had then.',
    collect() {
      this.set(behindMs() / 1000);
    },
  });
}
