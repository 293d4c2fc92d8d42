import { Counter, Gauge } from 'prom-client';

export const undecodableRecords = new Counter({
  name: 'feed_undecodable_records_total',
  help: 'Records of the changes topic that cannot be decoded.',
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
  help: 'Changes that are neither in the changes topic nor in the change log; readers before them get 410.',
});

export const unreadableBatches = new Counter({
  name: 'feed_unreadable_batches_total',
  help: 'Batches of the changes topic that cannot be read, so that their changes are loaded from the change log.',
});

/**
 * Exposes the newest change of a gateway, and how far it is behind. They are read on request, so that the lag also grows
 * while the feed hangs. Other programs have neither metric: alerts know gateways by them.
 */
export function exposeFeed(feed: { readonly latest: { sequence: number }; readonly behindMs: number }): void {
  new Gauge({
    name: 'feed_sequence',
    help: 'The sequence of the newest change that this gateway can deliver.',
    collect() {
      this.set(feed.latest.sequence);
    },
  });
  new Gauge({
    name: 'feed_behind_seconds',
    help: 'The time since this gateway last had every change in Kafka.',
    collect() {
      this.set(feed.behindMs / 1000);
    },
  });
}
