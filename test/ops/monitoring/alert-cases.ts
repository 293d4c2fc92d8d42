/**
 * Series of metrics as Prometheus records them every 15 seconds, and the alerts that fire at their end. Each case only
 * states its differences from a healthy deployment of two gateways and two of each consumer. Objectives look at hours
 * and have their own cases in objective-cases.ts.
 */

/**
 * Values by series, in promtool's notation: `0x4` is five times 0, `0+2x4` rises by 2, `_` is a scrape without a value, and
 * `stale` ends a series, as Prometheus does when its program no longer answers.
 */
export type Series = Readonly<Record<string, string>>;

export interface AlertCase {
  name: string;
  series: Series;
  /** The exact names of the alerts that fire at the end. */
  firing: readonly string[];
}

/** 20 minutes of scrapes. */
export const SCRAPES = 80;

const GATEWAYS = ['gateway-1', 'gateway-2'];
const APPLIES = ['apply-1', 'apply-2'];
const RELAYS = ['relay-1', 'relay-2'];

/** The name of a series with its labels in alphabetical order, so that a case can refer to it. */
function series(metric: string, instance: string, labels: Readonly<Record<string, string>> = {}): string {
  const all = { instance, job: 'ballot-endorsements', role: instance.replace(/-\d+$/, ''), ...labels };
  const text = Object.entries(all)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]) => `${name}="${value}"`);
  return `${metric}{${text.join(',')}}`;
}

const constant = (value: number) => `${value}x${SCRAPES}`;
const rising = (step: number) => `0+${step}x${SCRAPES}`;
/** Values for the last scrapes, after others for all before them. */
const lately = (count: number, before: string, last: string) =>
  `${before}x${SCRAPES - count} ${last}x${count - 1}`;
const minutes = (count: number) => count * 4;
/** A series that has ended before the last scrapes. */
const gone = (count: number, before = `1x${SCRAPES - count}`) => `${before} stale _x${count - 1}`;

function healthy(): Series {
  const all: Record<string, string> = {};
  for (const instance of [...GATEWAYS, ...APPLIES, ...RELAYS]) {
    all[series('up', instance)] = constant(1);
    all[series('program_ready', instance)] = constant(1);
    all[series('nodejs_eventloop_lag_p99_seconds', instance)] = constant(0.02);
    all[series('process_open_fds', instance)] = constant(100);
    all[series('process_max_fds', instance)] = constant(1000);
    all[series('clock_skew_seconds', instance)] = constant(0.01);
    all[series('topic_settings_problems', instance)] = constant(0);
    all[series('defects_total', instance, { where: 'request' })] = constant(0);
  }
  for (const instance of GATEWAYS) {
    // Scrapes reach the programs at different moments, so a gateway may seem a change ahead or a moment behind.
    all[series('stream_history_conflict', instance)] = constant(0);
    all[series('feed_sequence', instance)] = rising(10);
    all[series('feed_behind_seconds', instance)] = constant(0.4);
    for (const name of ['undecodable_records', 'filled_changes', 'lost_changes']) {
      all[series(`feed_${name}_total`, instance)] = constant(0);
    }
    all[series('feed_unreadable_batches_total', instance)] = constant(0);
  }
  for (const [index, instance] of APPLIES.entries()) {
    all[series('apply_leader', instance)] = constant(index === 0 ? 1 : 0);
    all[series('stream_history_conflict', instance)] = constant(0);
    all[series('submissions_oldest_waiting_seconds', instance)] = constant(0);
    all[series('submissions_rejected_total', instance)] = constant(3);
    all[series('rejections_waiting', instance)] = constant(0);
    all[series('submissions_waiting', instance, { state: 'readable' })] = constant(index === 0 ? 20 : 0);
    all[series('submissions_held_back_seconds', instance)] = constant(0);
  }
  for (const [index, instance] of RELAYS.entries()) {
    all[series('relay_leader', instance)] = constant(index === 0 ? 1 : 0);
    all[series('stream_history_conflict', instance)] = constant(0);
    all[series('changes_relayed_sequence', instance)] = index === 0 ? rising(10) : constant(0);
    all[series('changes_unrelayed', instance)] = constant(1);
    if (index === 0) all[series('replica_in_use', instance, { replica: 'db-2:5432' })] = constant(1);
    all[series('changes_oldest_unrelayed_seconds', instance)] = constant(0.1);
  }
  return all;
}

export const HEALTHY = healthy();

const READABLE = series('submissions_waiting', 'apply-1', { state: 'readable' });
/** The leader is gone and its stand-by took over 30 seconds later. */
const handover = (metric: string, from: string, to: string): Series => ({
  [series('up', from)]: lately(minutes(5), '1', '0'),
  [series(metric, from)]: gone(minutes(5)),
  [series(metric, to)]: lately(minutes(5) - 2, '0', '1'),
});

const given = (name: string, firing: readonly string[], series: Series): AlertCase => ({
  name,
  firing,
  series,
});

export const CASES: readonly AlertCase[] = [
  given('all is well', [], {}),

  given('a program has been down for two minutes', ['ProgramDown'], {
    [series('up', 'gateway-1')]: lately(minutes(2), '1', '0'),
  }),
  given('a program restarts within half a minute', [], {
    [series('up', 'gateway-1')]: `1x${SCRAPES - 3} 0 0 1`,
    [series('program_ready', 'gateway-1')]: `1x${SCRAPES - 3} stale _ 0`,
    [series('defects_total', 'gateway-1', { where: 'request' })]: `0x${SCRAPES - 3} stale _ 0`,
    [series('feed_behind_seconds', 'gateway-1')]: `0x${SCRAPES - 3} stale _ 3`,
    [series('feed_sequence', 'gateway-1')]: `0+10x${SCRAPES - 3} stale _ 700`,
  }),
  given(
    'a rolling deployment replaces every gateway, each new one catching up within a minute',
    [],
    Object.fromEntries(
      GATEWAYS.flatMap((old, index) => {
        const fresh = `gateway-${index + 3}`;
        const at = minutes(4 - 2 * index);
        return [
          [series('up', old), gone(at)],
          [series('program_ready', old), gone(at)],
          [series('feed_sequence', old), gone(at, `0+10x${SCRAPES - at}`)],
          [series('feed_behind_seconds', old), gone(at)],
          [series('up', fresh), `_x${SCRAPES - at} 1x${at}`],
          [series('program_ready', fresh), `_x${SCRAPES - at} 0 0 0 1x${at - 4}`],
          [series('feed_behind_seconds', fresh), `_x${SCRAPES - at} 15 30 45 0.4x${at - 4}`],
          [series('feed_sequence', fresh), `_x${SCRAPES - at} 0 0 0 ${10 * (SCRAPES - at + 4)}+10x${at - 4}`],
        ];
      }),
    ),
  ),
  given('Postgres has been away for ten minutes', ['NobodyApplies', 'NobodyRelays', 'ProgramNotReady'], {
    ...Object.fromEntries(
      [...GATEWAYS, ...APPLIES, ...RELAYS].map((instance) => [
        series('program_ready', instance),
        lately(minutes(10), '1', '0'),
      ]),
    ),
    [series('apply_leader', 'apply-1')]: lately(minutes(10), '1', '0'),
    [series('relay_leader', 'relay-1')]: lately(minutes(10), '1', '0'),
  }),
  given('a program was not ready for a minute', [], {
    [series('program_ready', 'gateway-1')]: `1x${SCRAPES - 4} 0x3`,
  }),

  given(
    'every gateway has ended, and discovery has dropped them',
    ['NobodyServes'],
    Object.fromEntries(
      GATEWAYS.flatMap((instance) =>
        ['up', 'program_ready', 'feed_sequence', 'feed_behind_seconds'].map((metric) => [
          series(metric, instance),
          gone(minutes(2)),
        ]),
      ),
    ),
  ),

  given('a request met a defect', ['Defects'], {
    [series('defects_total', 'gateway-1', { where: 'request' })]: lately(minutes(3), '0', '1'),
  }),
  given('a program met a defect before it was first scraped', ['Defects'], {
    [series('defects_total', 'gateway-3', { where: 'feed' })]: `_x${SCRAPES - minutes(3)} 2x${minutes(3)}`,
  }),
  given('a defect was met an hour ago', [], {
    [series('defects_total', 'gateway-1', { where: 'request' })]: constant(1),
  }),

  given('secrets of webhooks could not be read', ['WebhookSecretsUnreadable'], {
    [series('webhook_attempts_total', 'deliver-1', { kind: 'events', outcome: 'not_signed' })]: lately(
      minutes(3),
      '0',
      '1',
    ),
  }),
  given('receivers refused messages', [], {
    [series('webhook_attempts_total', 'deliver-1', { kind: 'events', outcome: 'refused' })]: rising(1),
  }),
  given('the last process that delivers to webhooks ended two minutes ago', ['NobodyDelivers'], {
    [series('webhooks_held', 'deliver-1')]: gone(minutes(2)),
  }),
  given('one of two processes that deliver to webhooks has ended', [], {
    [series('webhooks_held', 'deliver-1')]: gone(minutes(2)),
    [series('webhooks_held', 'deliver-2')]: constant(3),
  }),
  given('webhooks have waited for their turn for eleven minutes', ['WebhooksWait'], {
    [series('webhooks_waiting_for_turn', 'deliver-1')]: lately(minutes(11), '0', '3'),
  }),
  given('webhooks waited for their turn for a minute', [], {
    [series('webhooks_waiting_for_turn', 'deliver-1')]: lately(minutes(1), '0', '3'),
  }),

  given('a process has been late for six minutes', ['EventLoopLate'], {
    [series('nodejs_eventloop_lag_p99_seconds', 'gateway-1')]: lately(minutes(6), '0.02', '0.4'),
  }),
  given('a process was late for a minute', [], {
    [series('nodejs_eventloop_lag_p99_seconds', 'gateway-1')]: lately(minutes(1), '0.02', '0.4'),
  }),
  given('nearly all of the descriptors of a process have been open for two minutes', ['ConnectionsRunOut'], {
    [series('process_open_fds', 'gateway-1')]: lately(minutes(2), '100', '900'),
  }),
  given('a clock has gone back by five seconds', ['ClockSkewed'], {
    [series('clock_skew_seconds', 'gateway-1')]: lately(minutes(3), '0.01', '-5'),
  }),
  given('a clock differs by less than two seconds', [], {
    [series('clock_skew_seconds', 'gateway-1')]: lately(minutes(3), '0.01', '1.5'),
  }),

  given('nobody has applied for two minutes', ['NobodyApplies'], {
    [series('apply_leader', 'apply-1')]: lately(minutes(2), '1', '0'),
  }),
  given(
    'every process that applies has been gone for seven minutes',
    ['NobodyApplies', 'ProgramDown'],
    Object.fromEntries(
      APPLIES.flatMap((instance) => [
        [series('up', instance), lately(minutes(7), '1', '0')],
        [series('apply_leader', instance), gone(minutes(7))],
      ]),
    ),
  ),
  given(
    'the leader of apply was killed, and its stand-by took over',
    ['ProgramDown'],
    handover('apply_leader', 'apply-1', 'apply-2'),
  ),
  given('a submission has waited for seven minutes', ['SubmissionsWait'], {
    [series('submissions_oldest_waiting_seconds', 'apply-1')]:
      `0x${SCRAPES - minutes(7)} 0+15x${minutes(7) - 1}`,
  }),
  given('an import holds submissions up for four minutes', [], {
    [series('submissions_oldest_waiting_seconds', 'apply-1')]:
      `0x${SCRAPES - minutes(4)} 0+15x${minutes(4) - 1}`,
    [READABLE]: lately(minutes(4), '20', '3000'),
  }),
  given('more submissions arrive than are applied', ['SubmissionsPileUp'], { [READABLE]: constant(50_000) }),
  given('a large load of submissions takes ten minutes', [], {
    [READABLE]: lately(minutes(10), '20', '50000'),
  }),
  given(
    'a transaction has been open for four minutes',
    ['TransactionOpen'],
    Object.fromEntries(
      ['submissions_oldest_waiting_seconds', 'submissions_held_back_seconds'].map((name) => [
        series(name, 'apply-1'),
        `0x${SCRAPES - minutes(4)} 0+15x${minutes(4) - 1}`,
      ]),
    ),
  ),
  given('a producer has some short transaction open at every moment', [], {
    [series('submissions_waiting', 'apply-1', { state: 'held_back' })]: constant(200),
  }),
  given('a submission was rejected', ['SubmissionsRejected'], {
    [series('submissions_rejected_total', 'apply-1')]: lately(minutes(3), '3', '4'),
  }),
  given('an apply that starts rejects submissions before it is first scraped', ['SubmissionsRejected'], {
    [series('submissions_rejected_total', 'apply-3')]: `_x${SCRAPES - minutes(3)} 2x${minutes(3)}`,
  }),
  given('rejections have waited for eleven minutes', ['RejectionsWait'], {
    [series('rejections_waiting', 'apply-1')]: lately(minutes(11), '0', '5'),
  }),
  given('rejections waited for a minute', [], {
    [series('rejections_waiting', 'apply-1')]: lately(minutes(1), '0', '5'),
  }),

  given('a replica has been out of use for seven minutes', ['ReplicaOutOfUse'], {
    [series('replica_in_use', 'relay-1', { replica: 'db-2:5432' })]: lately(minutes(7), '1', '0'),
  }),
  given('a replica was out of use for two minutes', [], {
    [series('replica_in_use', 'relay-1', { replica: 'db-2:5432' })]: lately(minutes(2), '1', '0'),
  }),
  given('nobody has relayed for two minutes', ['NobodyRelays'], {
    [series('relay_leader', 'relay-1')]: lately(minutes(2), '1', '0'),
  }),
  given(
    'the relay was killed, and its stand-by took over',
    ['ProgramDown'],
    handover('relay_leader', 'relay-1', 'relay-2'),
  ),
  given(
    'Kafka has been away for five minutes',
    ['ChangesUnrelayed', 'GatewayNotFollowing', 'NobodyApplies', 'NobodyRelays', 'ProgramNotReady'],
    {
      ...Object.fromEntries(
        [...APPLIES, ...RELAYS].map((instance) => [
          series('program_ready', instance),
          lately(minutes(5), '1', '0'),
        ]),
      ),
      [series('apply_leader', 'apply-1')]: lately(minutes(5), '1', '0'),
      [series('relay_leader', 'relay-1')]: lately(minutes(5), '1', '0'),
      ...Object.fromEntries(
        GATEWAYS.map((instance) => [
          series('feed_behind_seconds', instance),
          `0x${SCRAPES - minutes(5)} 0+15x${minutes(5) - 1}`,
        ]),
      ),
      ...Object.fromEntries(
        RELAYS.map((instance) => [
          series('changes_oldest_unrelayed_seconds', instance),
          `0x${SCRAPES - minutes(5)} 0+15x${minutes(5) - 1}`,
        ]),
      ),
    },
  ),
  given('Kafka restarts within 45 seconds', [], {
    [series('feed_behind_seconds', 'gateway-1')]: `0x${SCRAPES - 4} 15 30 45 0.4`,
    [series('changes_oldest_unrelayed_seconds', 'relay-1')]: `0x${SCRAPES - 4} 15 30 45 0.1`,
  }),
  given('the database is older than Kafka', ['HistoryConflict', 'NobodyApplies', 'NobodyRelays'], {
    ...Object.fromEntries(
      ['apply-1', 'relay-1'].map((instance) => [
        series('stream_history_conflict', instance),
        lately(minutes(3), '0', '1'),
      ]),
    ),
    [series('apply_leader', 'apply-1')]: lately(minutes(3), '1', '0'),
    [series('relay_leader', 'relay-1')]: lately(minutes(3), '1', '0'),
  }),
  given('a stand-by remembers a conflict that is settled', [], {
    [series('stream_history_conflict', 'apply-2')]: constant(1),
  }),
  given('a gateway has seen more than a database that was exchanged beneath it', ['HistoryConflict'], {
    [series('stream_history_conflict', 'gateway-1')]: lately(minutes(2), '0', '1'),
  }),
  given('a gateway is stuck before a gap', ['GatewayBehind'], {
    [series('feed_sequence', 'gateway-1')]: `0+10x${SCRAPES - minutes(2)} 700x${minutes(2) - 1}`,
  }),
  given('a gateway is a scrape behind now and then', [], {
    [series('feed_sequence', 'gateway-1')]: Array.from({ length: SCRAPES + 1 }, (_, index) =>
      index % 3 === 0 ? 10 * (index - 1) : 10 * index,
    ).join(' '),
  }),
  given('the relay is always scraped some seconds after gateways, while changes continue', [], {
    [series('changes_relayed_sequence', 'relay-1')]: `9+10x${SCRAPES}`,
  }),
  given(
    'a restored backup begins a shorter history, and the relay is scraped some seconds after gateways',
    [],
    Object.fromEntries(
      [
        ...GATEWAYS.map((instance) => [series('feed_sequence', instance), 0] as const),
        [series('changes_relayed_sequence', 'relay-1'), 9] as const,
      ].map(([name, ahead]) => [
        name,
        `${ahead}+10x${SCRAPES - minutes(2)} ${300 + ahead}+10x${minutes(2) - 1}`,
      ]),
    ),
  ),
  given('a gateway has not reached the end of the topic for two minutes', ['GatewayNotFollowing'], {
    [series('feed_behind_seconds', 'gateway-1')]: `0x${SCRAPES - minutes(3)} 0+15x${minutes(3) - 1}`,
  }),
  given('the canary has heard nothing for nine minutes', ['CanaryFails'], {
    [series('canary_last_success_timestamp_seconds', 'canary-1')]:
      `0+15x${SCRAPES - minutes(9)} ${15 * (SCRAPES - minutes(9))}x${minutes(9) - 1}`,
  }),
  given('the canary hears of its changes once a minute', [], {
    [series('canary_last_success_timestamp_seconds', 'canary-1')]: Array.from(
      { length: SCRAPES + 1 },
      (_, index) => 60 * Math.floor(index / 4),
    ).join(' '),
  }),
  given('a record is in an unknown schema', ['ChangeUnreadable'], {
    [series('feed_undecodable_records_total', 'gateway-1')]: lately(minutes(3), '0', '1'),
  }),
  given(
    'a batch cannot be read, so that its changes are loaded elsewhere',
    ['BatchUnreadable', 'ChangesMissingInKafka'],
    {
      [series('feed_unreadable_batches_total', 'gateway-1')]: lately(minutes(3), '0', '1'),
      [series('feed_filled_changes_total', 'gateway-1')]: lately(minutes(3), '0', '12'),
    },
  ),
  given('a gateway that starts meets an unreadable batch at once', ['BatchUnreadable'], {
    [series('feed_unreadable_batches_total', 'gateway-3')]: `_x${SCRAPES - minutes(3)} 1x${minutes(3)}`,
  }),
  given('changes are lost', ['ChangesLost'], {
    [series('feed_lost_changes_total', 'gateway-1')]: lately(minutes(3), '0', '4'),
  }),
  given('a gateway that starts fills and misses changes at once', ['ChangesMissingInKafka', 'ChangesLost'], {
    [series('feed_filled_changes_total', 'gateway-3')]: `_x${SCRAPES - minutes(3)} 12x${minutes(3)}`,
    [series('feed_lost_changes_total', 'gateway-3')]: `_x${SCRAPES - minutes(3)} 4x${minutes(3)}`,
  }),
  given('a topic has had a wrong setting for six minutes', ['TopicSettingsBroken'], {
    [series('topic_settings_problems', 'relay-1')]: lately(minutes(6), '0', '1'),
  }),
  given('a wrong setting of a topic is corrected within a minute', [], {
    [series('topic_settings_problems', 'relay-1')]: `0x${SCRAPES - 6} 1 1 1 0 0 0`,
  }),
];
