import { describe, expect, test } from '@jest/globals';
import {
  changesTopicSettings,
  chooseMarginMs,
  chooseReplicationFactor,
  chooseSegmentMs,
  findChangesProblems,
  findQueueProblems,
  planTopics,
  settingsFor,
  type Topic,
} from '../../../kafka/topics/topic-settings.ts';

const SECOND_MS = 1000;
const HOUR_MS = 3600 * SECOND_MS;
const WEEK_MS = 7 * 24 * HOUR_MS;
const plan = { topicPrefix: '', retentionMs: WEEK_MS, partitions: 12, replicationFactor: 3 };

describe('the change topic', () => {
  test.each([
    ['a week', WEEK_MS, HOUR_MS, WEEK_MS / 10],
    ['a day', 24 * HOUR_MS, HOUR_MS, 3 * HOUR_MS],
    ['an hour', HOUR_MS, 150 * SECOND_MS, 450 * SECOND_MS],
    ['a minute', 60 * SECOND_MS, 2500, 7500],
    ['ten seconds', 10 * SECOND_MS, SECOND_MS, 3 * SECOND_MS],
  ])('for a window of %s', (_, retentionMs, segmentMs, marginMs) => {
    expect(chooseSegmentMs(retentionMs)).toBe(segmentMs);
    expect(chooseMarginMs(retentionMs)).toBe(marginMs);
    expect(changesTopicSettings(retentionMs, 3)).toMatchObject({
      'segment.ms': String(segmentMs),
      'retention.ms': String(retentionMs + marginMs),
      'min.compaction.lag.ms': String(retentionMs + marginMs),
    });
  });

  test.each([
    [1, 1, '1'],
    [2, 2, '1'],
    [3, 3, '2'],
    [5, 3, '2'],
  ])('on %i brokers has %i replicas, of which %s must have a record', (brokers, replicas, insync) => {
    const replicationFactor = chooseReplicationFactor(brokers);
    expect(replicationFactor).toBe(replicas);
    expect(changesTopicSettings(WEEK_MS, replicationFactor)['min.insync.replicas']).toBe(insync);
  });
});

describe('topics check', () => {
  const wanted = planTopics(plan);
  const keepMs = wanted.changes.config['retention.ms'];
  const altered = (topic: Topic, config: Record<string, string>): Topic => ({
    ...topic,
    config: { ...topic.config, ...config },
  });

  test('accepts topics as planned, with longer retention, or without a limit', () => {
    const endless = { 'retention.ms': '-1', 'min.compaction.lag.ms': String(2 * WEEK_MS) };
    const longer = { 'retention.ms': String(3 * WEEK_MS), 'min.compaction.lag.ms': String(3 * WEEK_MS) };
    for (const config of [{}, endless, longer, { 'cleanup.policy': 'delete,compact' }]) {
      expect(findChangesProblems(altered(wanted.changes, config), wanted.changes)).toEqual([]);
    }
    expect(findChangesProblems({ ...wanted.changes, partitions: 24 }, wanted.changes)).toEqual([]);
    expect(findQueueProblems(altered(wanted.rejected, { 'retention.ms': '-1' }), wanted.rejected)).toEqual(
      [],
    );
  });

  test.each([
    ['min.compaction.lag.ms', '0', /min\.compaction\.lag\.ms=0.*INV-6.*needs 665280000 or more/],
    ['min.compaction.lag.ms', String(WEEK_MS), /less than its retention\.ms=665280000.*INV-6/],
    [
      'retention.ms',
      String(3 * WEEK_MS),
      /less than its retention\.ms=1814400000.*it needs 1814400000 or more/,
    ],
    ['retention.ms', String(WEEK_MS), /retention\.ms=604800000; it needs 665280000 or more/],
    ['retention.bytes', '1000000', /retention\.bytes=1000000; it needs -1/],
    ['cleanup.policy', 'compact', /cleanup\.policy=compact; it needs compact,delete/],
    ['message.timestamp.type', 'CreateTime', /CreateTime; it needs LogAppendTime/],
    ['min.insync.replicas', '1', /min\.insync\.replicas=1 with 3 replicas; it needs 2/],
    ['min.insync.replicas', '4', /min\.insync\.replicas=4 with 3 replicas; it needs 2/],
    ['unclean.leader.election.enable', 'true', /unclean\.leader\.election\.enable=true; it needs false/],
  ])('refuses a change topic with %s=%s', (name, value, message) => {
    const problems = findChangesProblems(altered(wanted.changes, { [name]: value }), wanted.changes);
    expect(problems).toEqual([expect.stringMatching(message)]);
  });

  test('refuses endless retention if compaction starts inside the window', () => {
    const actual = altered(wanted.changes, { 'retention.ms': '-1', 'min.compaction.lag.ms': '1000' });
    expect(findChangesProblems(actual, wanted.changes)).toEqual([
      expect.stringContaining(`it needs ${keepMs} or more`),
    ]);
  });

  test('refuses too few partitions or replicas', () => {
    const actual = {
      ...altered(wanted.changes, { 'min.insync.replicas': '1' }),
      partitions: 6,
      replicationFactor: 1,
    };
    expect(findChangesProblems(actual, wanted.changes)).toEqual([
      'endorsement-changes has 6 partitions; it needs 12',
      expect.stringContaining('has a replication factor of 1'),
    ]);
  });

  test('requires of a topic with fewer replicas only the in-sync replicas that fit', () => {
    const actual = { ...wanted.changes, replicationFactor: 1 };
    expect(settingsFor(wanted.changes, wanted.changes)).toEqual(wanted.changes.config);
    const config = settingsFor(actual, wanted.changes);
    expect(config['min.insync.replicas']).toBe('1');
    expect(findChangesProblems({ ...actual, config }, wanted.changes)).toHaveLength(1);
  });

  test('refuses more partitions than a cursor can hold', () => {
    expect(findChangesProblems({ ...wanted.changes, partitions: 100 }, wanted.changes)).toEqual([]);
    expect(findChangesProblems({ ...wanted.changes, partitions: 101 }, wanted.changes)).toEqual([
      expect.stringMatching(/^endorsement-changes has 101 partitions; a cursor holds at most 100/),
    ]);
  });

  test('refuses a compacted topic of submissions', () => {
    const actual = altered(wanted.submissions, { 'cleanup.policy': 'compact' });
    expect(findQueueProblems(actual, wanted.submissions)).toEqual([
      'endorsement-submissions has cleanup.policy=compact; it needs delete',
    ]);
  });

  test('refuses the times of producers, whose old ones would let submissions expire at once', () => {
    const actual = altered(wanted.submissions, { 'message.timestamp.type': 'CreateTime' });
    expect(findQueueProblems(actual, wanted.submissions)).toEqual([
      'endorsement-submissions has message.timestamp.type=CreateTime; it needs LogAppendTime',
    ]);
  });
});
