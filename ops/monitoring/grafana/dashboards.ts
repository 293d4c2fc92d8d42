/** The dashboards of the service. `npm run dashboards` writes their files. */
import { type DashboardContent, panel, stat } from './panels.ts';

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
  rows: {
    Now: [
      stat('Programs that are ready', 'short', { '{{role}}': 'sum by (role) (program_ready)' }),
      stat('Alerts', 'short', {
        page: 'count(ALERTS{alertstate="firing",severity="page"}) or vector(0)',
        ticket: 'count(ALERTS{alertstate="firing",severity="ticket"}) or vector(0)',
      }),
      stat('Open streams', 'short', { streams: 'sum(streams_open)' }),
      stat(
        'Leaders',
        'short',
        { apply: 'sum(apply_leader)', relay: 'sum(relay_leader)' },
        'One process applies and one relays; the others stand by.',
      ),
    ],
    Objectives: [
      panel(
        'Budget that three days have used',
        'percentunit',
        {
          '{{objective}}': 'objective:missed:ratio3d / on (objective) objective:budget:ratio',
        },
        'At 100 %, the failures of these days were as many as the objective allows.',
      ),
      panel(
        'How fast budgets burn',
        'short',
        {
          '{{objective}}': 'objective:missed:ratio1h / on (objective) objective:budget:ratio',
        },
        'At 1, a budget lasts exactly 30 days. At 14.4, a page follows within the hour.',
      ),
    ],
    Work: [
      panel('Requests', 'reqps', {
        succeeded: `sum(rate(http_request_duration_seconds_count{status=~"2..|3.."}[${INTERVAL}]))`,
        refused: `sum(rate(http_request_duration_seconds_count{status=~"4.."}[${INTERVAL}]))`,
        failed: `sum(rate(http_request_duration_seconds_count{status=~"5..",route!="none"}[${INTERVAL}]))`,
      }),
      panel('Submission to socket', 's', p50and99('stream_delivery_seconds')),
      panel(
        'Canary',
        's',
        {
          ...p50and99('canary_latency_seconds'),
          'since the last success': 'time() - max(canary_last_success_timestamp_seconds > 0)',
        },
        'Made-up changes that travel the whole way, if a canary runs.',
      ),
      panel('Defects', 'short', {
        '{{role}}, {{where}}': `sum by (role, where) (increase(defects_total[${INTERVAL}])) > 0`,
      }),
    ],
  },
};

const STREAM: DashboardContent = {
  name: 'stream',
  title: 'Ballot endorsements: stream',
  description: 'From a submission to the sockets of clients.',
  rows: {
    Latency: [
      panel('Submission to socket', 's', p50and99('stream_delivery_seconds')),
      panel(
        'Hops, 99 % within',
        's',
        { '{{hop}}': quantile(0.99, 'stream_hop_seconds', 'hop') },
        'Where the time goes: until the commit, until Kafka has it, until a gateway has it, until it is written.',
      ),
      panel('Changes', 'ops', {
        'made by submissions': `sum(rate(endorsement_changes_total[${INTERVAL}]))`,
        relayed: `sum(rate(changes_relayed_total[${INTERVAL}]))`,
      }),
    ],
    Gateways: [
      panel('Behind the end of the topic', 's', { '{{instance}}': 'feed_behind_seconds' }),
      panel('Open streams', 'short', { '{{instance}}': 'streams_open' }),
      panel(
        'Filters of open streams',
        'short',
        { '{{instance}}': 'feed_filters' },
        'A change costs a gateway time for every different filter, not for every stream.',
      ),
      panel('Streams that ended', 'ops', {
        '{{reason}}': `sum by (reason) (rate(streams_ended_total[${INTERVAL}]))`,
      }),
    ],
    'Older changes and repairs': [
      panel('Chunks read for streams that are behind', 'ops', {
        '{{instance}}': `rate(feed_replay_chunks_total[${INTERVAL}])`,
      }),
      panel(
        'Changes that Kafka lacks',
        'short',
        {
          filled: `sum(increase(feed_filled_changes_total[${INTERVAL}]))`,
          lost: `sum(increase(feed_lost_changes_total[${INTERVAL}]))`,
          'written again': `sum(increase(changes_rebuilt_total[${INTERVAL}]))`,
          'unreadable batches': `sum(increase(feed_unreadable_batches_total[${INTERVAL}]))`,
          'undecodable records': `sum(increase(feed_undecodable_records_total[${INTERVAL}]))`,
        },
        'Filled ones came from the change log. Lost ones are nowhere, and readers before them get 410.',
      ),
      panel('Histories that differ', 'short', { '{{role}} {{instance}}': 'stream_history_conflict' }),
    ],
  },
};

const CONSUMERS: DashboardContent = {
  name: 'consumers',
  title: 'Ballot endorsements: consumers',
  description: 'Submissions on their way into Postgres, and changes on their way to Kafka.',
  rows: {
    Submissions: [
      panel('Submissions', 'ops', {
        decided: `sum(rate(submissions_applied_total[${INTERVAL}]))`,
        'rejected, of these': `sum(rate(submissions_rejected_total[${INTERVAL}]))`,
      }),
      panel(
        'Waiting',
        'short',
        { '{{state}}': 'max by (state) (submissions_waiting)' },
        'Submissions are held back while a producer has not ended its transaction.',
      ),
      panel('Without progress', 's', {
        'a partition': 'max(submissions_oldest_waiting_seconds)',
        'held back by a transaction': 'max(submissions_held_back_seconds)',
      }),
      panel('Rejections on their way to Kafka', 'short', { rejections: 'max(rejections_waiting)' }),
    ],
    Relay: [
      panel('Changes that wait', 'short', { changes: 'max(changes_unrelayed)' }),
      panel('The oldest has waited', 's', { change: 'max(changes_oldest_unrelayed_seconds)' }),
      panel(
        'Gateways behind the relay',
        'short',
        { '{{instance}}': 'scalar(max(changes_relayed_sequence)) - feed_sequence' },
        'In changes, as seen by scrapes that are some seconds apart.',
      ),
      panel('Wrong settings of topics', 'short', { problems: 'max(topic_settings_problems)' }),
    ],
    Webhooks: [
      panel('Attempts, by outcome', 'short', {
        '{{outcome}}': `sum by (outcome) (rate(webhook_attempts_total[${INTERVAL}]))`,
      }),
      panel('An attempt takes', 's', p50and99('webhook_attempt_seconds')),
      panel(
        'The furthest behind, by the age of the webhook',
        's',
        { '{{age}}': 'max by (age) (webhook_lag_seconds)' },
        'Failing receivers count.',
      ),
      panel('Webhooks and attempts', 'short', {
        webhooks: 'sum(webhooks_held)',
        'under way': 'sum(webhook_attempts_under_way)',
        'waiting for a turn': 'sum(webhooks_waiting_for_turn)',
      }),
      panel('Delivered events', 'short', { events: `sum(rate(webhook_events_total[${INTERVAL}]))` }),
    ],
    'Who leads': [
      panel('Apply', 'short', { '{{instance}}': 'apply_leader' }),
      panel('Relay', 'short', { '{{instance}}': 'relay_leader' }),
    ],
  },
};

const GATEWAYS: DashboardContent = {
  name: 'gateways',
  title: 'Ballot endorsements: requests and processes',
  description: 'Requests by route, limits, and what the processes use.',
  rows: {
    Requests: [
      panel('By route', 'reqps', {
        '{{route}}': `sum by (route) (rate(http_request_duration_seconds_count[${INTERVAL}]))`,
      }),
      panel(
        '99 % within, by route',
        's',
        { '{{route}}': quantile(0.99, 'http_request_duration_seconds', 'route') },
        'Streams count until their answer begins. Long polls last as long as their client asks for.',
      ),
      panel('Failed, by route and status', 'reqps', {
        '{{route}} {{status}}': `sum by (route, status) (rate(http_request_duration_seconds_count{status=~"5.."}[${INTERVAL}]))`,
      }),
    ],
    'Answers and limits': [
      panel(
        'Answers from memory',
        'percentunit',
        {
          share: `sum(rate(answers_total{origin="kept"}[${INTERVAL}])) / sum(rate(answers_total[${INTERVAL}]))`,
        },
        'The others are made by Postgres.',
      ),
      panel('Refused: over a limit', 'reqps', {
        '{{route}}': `sum by (route) (rate(http_request_duration_seconds_count{status="429"}[${INTERVAL}]))`,
      }),
      panel('Refused: key or right', 'reqps', {
        '{{status}}': `sum by (status) (rate(http_request_duration_seconds_count{status=~"401|403"}[${INTERVAL}]))`,
      }),
      panel('Requests missing from the usage of accounts', 'short', {
        requests: `sum(increase(usage_requests_uncounted_total[${INTERVAL}]))`,
      }),
    ],
    Processes: [
      panel(
        'Processor time',
        'short',
        { '{{role}} {{instance}}': `rate(process_cpu_seconds_total[${INTERVAL}])` },
        'At 1, the one thread of a process is busy all the time.',
      ),
      panel('Memory', 'bytes', { '{{role}} {{instance}}': 'process_resident_memory_bytes' }),
      panel('Event loop late, 99 % within', 's', {
        '{{role}} {{instance}}': 'nodejs_eventloop_lag_p99_seconds',
      }),
      panel("Clock against the database's", 's', { '{{role}} {{instance}}': 'abs(clock_skew_seconds)' }),
    ],
  },
};

export const DASHBOARDS: readonly DashboardContent[] = [OVERVIEW, STREAM, CONSUMERS, GATEWAYS];
