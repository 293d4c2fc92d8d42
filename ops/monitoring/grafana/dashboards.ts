/** The dashboards of the service. `npm run dashboards` writes their files. */
import type { DashboardContent } from './panels.ts';

const INTERVAL = '$__rate_interval';

/** A quantile of a histogram, by some of its labels. */
const quantile = (share: number, histogram: string, by = '') =>
  `histogram_quantile(${share}, sum by (le${by && `, ${by}`}) (rate(${histogram}_bucket[${INTERVAL}])))`;

const p50and99 = (histogram: string) => ({
  'half within': quantile(0.5, histogram),
  '99 % within': quantile(0.99, histogram),
});

const OVERVIEW: DashboardContent = {
  name: 'overview',
  title: 'Ballot endorsements: overview',
  description: 'Whether the service does its work, and how much of its objectives it has used up.',
  rows: [
    {
      title: 'Now',
      panels: [
        {
          title: 'Programs that are ready',
          unit: 'short',
          isStat: true,
          queries: { '{{role}}': 'sum by (role) (program_ready)' },
        },
        {
          title: 'Alerts',
          unit: 'short',
          isStat: true,
          queries: {
            page: 'count(ALERTS{alertstate="firing",severity="page"}) or vector(0)',
            ticket: 'count(ALERTS{alertstate="firing",severity="ticket"}) or vector(0)',
          },
        },
        { title: 'Open streams', unit: 'short', isStat: true, queries: { streams: 'sum(streams_open)' } },
        {
          title: 'Leaders',
          description: 'One process applies and one relays; the others stand by.',
          unit: 'short',
          isStat: true,
          queries: { apply: 'sum(apply_leader)', relay: 'sum(relay_leader)' },
        },
      ],
    },
    {
      title: 'Objectives',
      panels: [
        {
          title: 'Budget that three days have used',
          description: 'At 100 %, the failures of these days were as many as the objective allows.',
          unit: 'percentunit',
          queries: {
            '{{objective}}': 'objective:missed:ratio3d / on (objective) objective:budget:ratio',
          },
        },
        {
          title: 'How fast budgets burn',
          description: 'At 1, a budget lasts exactly 30 days. At 14.4, a page follows within the hour.',
          unit: 'short',
          queries: {
            '{{objective}}': 'objective:missed:ratio1h / on (objective) objective:budget:ratio',
          },
        },
      ],
    },
    {
      title: 'Work',
      panels: [
        {
          title: 'Requests',
          unit: 'reqps',
          queries: {
            succeeded: `sum(rate(http_request_duration_seconds_count{status=~"2..|3.."}[${INTERVAL}]))`,
            refused: `sum(rate(http_request_duration_seconds_count{status=~"4.."}[${INTERVAL}]))`,
            failed: `sum(rate(http_request_duration_seconds_count{status=~"5..",route!="none"}[${INTERVAL}]))`,
          },
        },
        {
          title: 'Submission to socket',
          unit: 's',
          queries: p50and99('stream_delivery_seconds'),
        },
        {
          title: 'Canary',
          description: 'Made-up changes that travel the whole way, if a canary runs.',
          unit: 's',
          queries: {
            ...p50and99('canary_latency_seconds'),
            'since the last success': 'time() - max(canary_last_success_timestamp_seconds > 0)',
          },
        },
        {
          title: 'Defects',
          unit: 'short',
          queries: {
            '{{role}}, {{where}}': `sum by (role, where) (increase(defects_total[${INTERVAL}])) > 0`,
          },
        },
      ],
    },
  ],
};

const STREAM: DashboardContent = {
  name: 'stream',
  title: 'Ballot endorsements: stream',
  description: 'From a submission to the sockets of clients.',
  rows: [
    {
      title: 'Latency',
      panels: [
        { title: 'Submission to socket', unit: 's', queries: p50and99('stream_delivery_seconds') },
        {
          title: 'Hops, 99 % within',
          description:
            'Where the time goes: until the commit, until Kafka has it, until a gateway has it, until it is written.',
          unit: 's',
          queries: { '{{hop}}': quantile(0.99, 'stream_hop_seconds', 'hop') },
        },
        {
          title: 'Changes',
          unit: 'ops',
          queries: {
            'made by submissions': `sum(rate(endorsement_changes_total[${INTERVAL}]))`,
            relayed: `sum(rate(changes_relayed_total[${INTERVAL}]))`,
          },
        },
      ],
    },
    {
      title: 'Gateways',
      panels: [
        {
          title: 'Behind the end of the topic',
          unit: 's',
          queries: { '{{instance}}': 'feed_behind_seconds' },
        },
        { title: 'Open streams', unit: 'short', queries: { '{{instance}}': 'streams_open' } },
        {
          title: 'Filters of open streams',
          description: 'A change costs a gateway time for every different filter, not for every stream.',
          unit: 'short',
          queries: { '{{instance}}': 'feed_filters' },
        },
        {
          title: 'Streams that ended',
          unit: 'ops',
          queries: { '{{reason}}': `sum by (reason) (rate(streams_ended_total[${INTERVAL}]))` },
        },
      ],
    },
    {
      title: 'Older changes and repairs',
      panels: [
        {
          title: 'Chunks read for streams that are behind',
          unit: 'ops',
          queries: { '{{instance}}': `rate(feed_replay_chunks_total[${INTERVAL}])` },
        },
        {
          title: 'Changes that Kafka lacks',
          description:
            'Filled ones came from the change log. Lost ones are nowhere, and readers before them get 410.',
          unit: 'short',
          queries: {
            filled: `sum(increase(feed_filled_changes_total[${INTERVAL}]))`,
            lost: `sum(increase(feed_lost_changes_total[${INTERVAL}]))`,
            'written again': `sum(increase(changes_rebuilt_total[${INTERVAL}]))`,
            'unreadable batches': `sum(increase(feed_unreadable_batches_total[${INTERVAL}]))`,
            'undecodable records': `sum(increase(feed_undecodable_records_total[${INTERVAL}]))`,
          },
        },
        {
          title: 'Histories that differ',
          unit: 'short',
          queries: { '{{role}} {{instance}}': 'stream_history_conflict' },
        },
      ],
    },
  ],
};

const CONSUMERS: DashboardContent = {
  name: 'consumers',
  title: 'Ballot endorsements: consumers',
  description: 'Submissions on their way into Postgres, and changes on their way to Kafka.',
  rows: [
    {
      title: 'Submissions',
      panels: [
        {
          title: 'Submissions',
          unit: 'ops',
          queries: {
            decided: `sum(rate(submissions_applied_total[${INTERVAL}]))`,
            'rejected, of these': `sum(rate(submissions_rejected_total[${INTERVAL}]))`,
          },
        },
        {
          title: 'Waiting',
          description: 'Submissions are held back while a producer has not ended its transaction.',
          unit: 'short',
          queries: { '{{state}}': 'max by (state) (submissions_waiting)' },
        },
        {
          title: 'Without progress',
          unit: 's',
          queries: {
            'a partition': 'max(submissions_oldest_waiting_seconds)',
            'held back by a transaction': 'max(submissions_held_back_seconds)',
          },
        },
        {
          title: 'Rejections on their way to Kafka',
          unit: 'short',
          queries: { rejections: 'max(rejections_waiting)' },
        },
      ],
    },
    {
      title: 'Relay',
      panels: [
        { title: 'Changes that wait', unit: 'short', queries: { changes: 'max(changes_unrelayed)' } },
        {
          title: 'The oldest has waited',
          unit: 's',
          queries: { change: 'max(changes_oldest_unrelayed_seconds)' },
        },
        {
          title: 'Gateways behind the relay',
          description: 'In changes, as seen by scrapes that are some seconds apart.',
          unit: 'short',
          queries: { '{{instance}}': 'scalar(max(changes_relayed_sequence)) - feed_sequence' },
        },
        {
          title: 'Wrong settings of topics',
          unit: 'short',
          queries: { problems: 'max(topic_settings_problems)' },
        },
      ],
    },
    {
      title: 'Webhooks',
      panels: [
        {
          title: 'Attempts, by outcome',
          unit: 'short',
          queries: { '{{outcome}}': `sum by (outcome) (rate(webhook_attempts_total[${INTERVAL}]))` },
        },
        {
          title: 'An attempt takes',
          unit: 's',
          queries: p50and99('webhook_attempt_seconds'),
        },
        {
          title: 'The furthest behind, by the age of the webhook',
          description: 'Failing receivers count.',
          unit: 's',
          queries: { '{{age}}': 'max by (age) (webhook_lag_seconds)' },
        },
        {
          title: 'Webhooks and attempts',
          unit: 'short',
          queries: {
            webhooks: 'sum(webhooks_held)',
            'under way': 'sum(webhook_attempts_under_way)',
            'waiting for a turn': 'sum(webhooks_waiting_for_turn)',
          },
        },
        {
          title: 'Delivered events',
          unit: 'short',
          queries: { events: `sum(rate(webhook_events_total[${INTERVAL}]))` },
        },
      ],
    },
    {
      title: 'Who leads',
      panels: [
        { title: 'Apply', unit: 'short', queries: { '{{instance}}': 'apply_leader' } },
        { title: 'Relay', unit: 'short', queries: { '{{instance}}': 'relay_leader' } },
      ],
    },
  ],
};

const GATEWAYS: DashboardContent = {
  name: 'gateways',
  title: 'Ballot endorsements: requests and processes',
  description: 'Requests by route, limits, and what the processes use.',
  rows: [
    {
      title: 'Requests',
      panels: [
        {
          title: 'By route',
          unit: 'reqps',
          queries: { '{{route}}': `sum by (route) (rate(http_request_duration_seconds_count[${INTERVAL}]))` },
        },
        {
          title: '99 % within, by route',
          description:
            'Streams count until their answer begins. Long polls last as long as their client asks for.',
          unit: 's',
          queries: { '{{route}}': quantile(0.99, 'http_request_duration_seconds', 'route') },
        },
        {
          title: 'Failed, by route and status',
          unit: 'reqps',
          queries: {
            '{{route}} {{status}}': `sum by (route, status) (rate(http_request_duration_seconds_count{status=~"5.."}[${INTERVAL}]))`,
          },
        },
      ],
    },
    {
      title: 'Answers and limits',
      panels: [
        {
          title: 'Answers from memory',
          description: 'The others are made by Postgres.',
          unit: 'percentunit',
          queries: {
            share: `sum(rate(answers_total{origin="kept"}[${INTERVAL}])) / sum(rate(answers_total[${INTERVAL}]))`,
          },
        },
        {
          title: 'Refused: over a limit',
          unit: 'reqps',
          queries: {
            '{{route}}': `sum by (route) (rate(http_request_duration_seconds_count{status="429"}[${INTERVAL}]))`,
          },
        },
        {
          title: 'Refused: key or right',
          unit: 'reqps',
          queries: {
            '{{status}}': `sum by (status) (rate(http_request_duration_seconds_count{status=~"401|403"}[${INTERVAL}]))`,
          },
        },
        {
          title: 'Requests missing from the usage of accounts',
          unit: 'short',
          queries: { requests: `sum(increase(usage_requests_uncounted_total[${INTERVAL}]))` },
        },
      ],
    },
    {
      title: 'Processes',
      panels: [
        {
          title: 'Processor time',
          description: 'At 1, the one thread of a process is busy all the time.',
          unit: 'short',
          queries: { '{{role}} {{instance}}': `rate(process_cpu_seconds_total[${INTERVAL}])` },
        },
        {
          title: 'Memory',
          unit: 'bytes',
          queries: { '{{role}} {{instance}}': 'process_resident_memory_bytes' },
        },
        {
          title: 'Event loop late, 99 % within',
          unit: 's',
          queries: { '{{role}} {{instance}}': 'nodejs_eventloop_lag_p99_seconds' },
        },
        {
          title: "Clock against the database's",
          unit: 's',
          queries: { '{{role}} {{instance}}': 'abs(clock_skew_seconds)' },
        },
      ],
    },
  ],
};

export const DASHBOARDS: readonly DashboardContent[] = [OVERVIEW, STREAM, CONSUMERS, GATEWAYS];
