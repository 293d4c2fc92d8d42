/**
 * Eight hours of a service's metrics, recorded every minute, and the objectives at risk at their end. Each case only
 * states its differences from a service that meets all of them.
 */
import type { Series } from './alert-cases.ts';

export interface ObjectiveCase {
  objective: 'requests_succeed' | 'requests_fast' | 'changes_delivered' | 'stream_fresh';
  name: string;
  series: Series;
  /** The severities of the alerts that fire. */
  atRisk: readonly ('page' | 'ticket')[];
}

export const STEP_SECONDS = 60;
export const HOURS = 8;
const TOTAL = HOURS * 60;
const stepsOf = (minutes: number) => (minutes * 60) / STEP_SECONDS;

/** A part of the time, in minutes, with a counter's rise or a gauge's value in it. */
type Part = readonly [minutes: number, value: number];

/** Parts up to the end, after one of `before` that fills the rest. */
const ending = (before: number, ...parts: Part[]): Part[] => {
  const rest = TOTAL - parts.reduce((sum, [minutes]) => sum + minutes, 0);
  return [[rest, before], ...parts];
};

/** A counter that rises by this number at every step. */
function counter(parts: readonly Part[]): string {
  let value = 0;
  return parts
    .map(([minutes, step]) => {
      const text = `${value}+${step}x${stepsOf(minutes) - 1}`;
      value += step * stepsOf(minutes);
      return text;
    })
    .join(' ');
}

const gauge = (parts: readonly Part[]): string =>
  parts.map(([minutes, value]) => `${value}x${stepsOf(minutes) - 1}`).join(' ');

const requests = (status: string, route = '/v1/states') =>
  `http_request_duration_seconds_count{instance="gateway-1",route="${route}",status="${status}"}`;
const QUICK =
  'http_request_duration_seconds_bucket{instance="gateway-1",le="0.5",route="/v1/states",status="200"}';
const ON_TIME = 'stream_delivery_seconds_bucket{instance="gateway-1",le="5"}';
const BEHIND = 'feed_behind_seconds{instance="gateway-1"}';
const UNRELAYED = 'changes_oldest_unrelayed_seconds{instance="relay-1"}';

export const WELL: Series = {
  [requests('200')]: counter(ending(1000)),
  [requests('503', 'none')]: counter(ending(0)),
  [QUICK]: counter(ending(1000)),
  [ON_TIME]: counter(ending(100)),
  'stream_delivery_seconds_count{instance="gateway-1"}': counter(ending(100)),
  [BEHIND]: gauge(ending(0.4)),
  'program_ready{instance="gateway-1"}': gauge(ending(1)),
  [UNRELAYED]: gauge(ending(0.1)),
};

const given = (
  objective: ObjectiveCase['objective'],
  name: string,
  atRisk: ObjectiveCase['atRisk'],
  series: Series,
): ObjectiveCase => ({ objective, name, atRisk, series });

export const OBJECTIVE_CASES: readonly ObjectiveCase[] = [
  given('requests_succeed', 'half of the requests have failed for five minutes', ['page', 'ticket'], {
    [requests('503')]: counter(ending(0, [5, 1000])),
  }),
  given('requests_succeed', 'a tenth of the requests fails for two minutes', [], {
    [requests('503')]: counter(ending(0, [2, 111])),
  }),
  given(
    'requests_succeed',
    'half of the requests failed for ten minutes, which ended half an hour ago',
    ['ticket'],
    { [requests('503')]: counter(ending(0, [10, 1000], [35, 0])) },
  ),
  given('requests_succeed', 'one request in 500 fails, all day', ['ticket'], {
    [requests('500')]: counter(ending(2)),
  }),
  given('requests_succeed', 'one request in 2,000 fails, all day', [], {
    [requests('500')]: counter(ending(0.5)),
  }),
  given('requests_succeed', 'few requests come, and three in a row fail', ['ticket'], {
    [requests('200')]: counter(ending(1)),
    [requests('503')]: counter(ending(0, [3, 0.5])),
  }),
  given(
    'requests_succeed',
    'probes of a gateway that drains get 503, and so does a path that does not exist',
    [],
    { [requests('503', 'none')]: counter(ending(0, [60, 1000])) },
  ),

  given('requests_fast', 'a third of the requests has been slow for an hour', ['page', 'ticket'], {
    [QUICK]: counter(ending(1000, [60, 667])),
  }),
  given('requests_fast', 'one request in twenty is slow for an hour', [], {
    [QUICK]: counter(ending(1000, [60, 950])),
  }),
  given('requests_fast', 'long polls and tests of webhooks take their time', [], {
    [requests('200', '/v1/events')]: counter(ending(1000)),
    [requests('200', '/v1/submissions/{id}')]: counter(ending(1000)),
    [requests('200', '/v1/webhooks/{id}/test')]: counter(ending(1000)),
  }),

  given('changes_delivered', 'changes have been late for ten minutes', ['page', 'ticket'], {
    [ON_TIME]: counter(ending(100, [10, 0])),
  }),
  given('changes_delivered', 'a load of submissions makes changes late for a minute', [], {
    [ON_TIME]: counter(ending(100, [1, 0])),
  }),
  given('changes_delivered', 'one change in 500 is late', [], { [ON_TIME]: counter(ending(99.8)) }),
  given('changes_delivered', 'no stream waits, and no change comes', [], {
    [ON_TIME]: counter(ending(0)),
    'stream_delivery_seconds_count{instance="gateway-1"}': counter(ending(0)),
  }),

  given('stream_fresh', 'a gateway has been behind for ten minutes', ['page', 'ticket'], {
    [BEHIND]: gauge(ending(0.4, [10, 20])),
  }),
  given('stream_fresh', 'changes have waited for the relay for ten minutes', ['page', 'ticket'], {
    [UNRELAYED]: gauge(ending(0.1, [10, 20])),
  }),
  given('stream_fresh', 'a broker restarts, and a gateway is behind for a minute', [], {
    [BEHIND]: gauge(ending(0.4, [1, 30])),
  }),
  given('stream_fresh', 'a gateway that is not ready is behind', [], {
    'feed_behind_seconds{instance="gateway-2"}': gauge(ending(0.4, [10, 300])),
    'program_ready{instance="gateway-2"}': gauge(ending(1, [10, 0])),
  }),
];
