import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { judgeLag } from '../../../administration/health/judge-lag.ts';
import { judgeKafkaAway, judgeProcesses } from '../../../administration/health/judge-processes.ts';
import { readVersion } from '../../../service/version.ts';
import type { ListedProcess } from '../../../store/processes/process-list.ts';

const at = (time: string): Date => new Date(`2026-11-03T${time}Z`);

function listed(process: Partial<Pick<ListedProcess, 'seenAt' | 'startedAt' | 'state' | 'version'>>) {
  return {
    ...{
      id: 'a',
      host: 'h',
      pid: 7,
      version: readVersion(),
      startedAt: at('08:00:00'),
      seenAt: at('10:00:00'),
    },
    ...{ state: 'ready' as const, obstacle: null, notReadySince: null },
    ...process,
  };
}

const gateway = (behindMs: number, process: Parameters<typeof listed>[0] = {}): ListedProcess => ({
  ...{ program: 'gateway', details: { port: 1, openStreams: 0, behindMs } },
  ...listed(process),
});

/** A gateway that tells whether accounts can have webhooks, as earlier versions do not. */
const offering = (hasWebhooks: boolean): ListedProcess => ({
  ...{ program: 'gateway', details: { port: 1, openStreams: 0, behindMs: 0, hasWebhooks } },
  ...listed({}),
});

const consumers = (leads: string[], process: Parameters<typeof listed>[0] = {}): ListedProcess => ({
  ...{ program: 'consumers', details: { roles: leads, leads } },
  ...listed(process),
});

const problemsOf = (...all: ListedProcess[]) =>
  judgeProcesses(all).map(({ text, since, alert }) => [text, since?.toISOString().slice(11, 19), alert]);

const WELL = [gateway(0), consumers(['apply', 'relay'])];

test('processes that are ready, lead and run one version are not a problem', () => {
  expect(judgeProcesses(WELL).map(({ status }) => status)).toEqual(['ok']);
});

test('a process that is not ready, behind or gone is a problem since it was seen to be so', () => {
  const tired = {
    ...gateway(0),
    state: 'not_ready',
    obstacle: 'tired',
    notReadySince: at('09:58:00'),
  } as const;
  expect(
    problemsOf(...WELL, tired, gateway(11_000), gateway(99_000, { state: 'gone', seenAt: at('09:59:00') })),
  ).toEqual([
    [expect.stringContaining('does not report any more'), '09:59:00', 'ProgramDown'],
    [expect.stringContaining('is not ready (tired)'), '09:58:00', 'ProgramNotReady'],
    [expect.stringContaining('is 11 s behind'), '09:59:49', 'GatewayBehind'],
  ]);
});

test('a process that is not ready, and Kafka that is away, fail the check; other problems are warnings', () => {
  const tired = { ...gateway(0), state: 'not_ready', obstacle: 'tired' } as const;
  const all = [...WELL, tired, gateway(11_000), gateway(0, { state: 'gone' })];
  expect(judgeProcesses(all).map(({ status }) => status)).toEqual(['warning', 'failed', 'warning']);
  expect(judgeProcesses([]).map(({ status }) => status)).toEqual(['warning', 'warning', 'warning']);
  expect(judgeKafkaAway([]).status).toBe('failed');
});

test('processes that are well are counted by their programs', () => {
  const [{ text } = { text: '' }] = judgeProcesses([...WELL, gateway(10_499)]);
  expect(text).toBe('2 gateways and 1 consumer are ready.');
});

test('a gateway that is not ready has that one problem, and leads count although their process is not ready', () => {
  const isTired = { state: 'not_ready', obstacle: 'tired' } as const;
  const all = [
    { ...gateway(99_000), ...isTired },
    { ...consumers(['apply', 'relay']), ...isTired },
  ];
  expect(problemsOf(...all).map(([text]) => text)).toEqual([
    expect.stringContaining('The gateway process 7 on h is not ready'),
    expect.stringContaining('The consumers process 7 on h is not ready'),
  ]);
});

test('a process that is gone has no version beside others', () => {
  const gone = consumers([], { state: 'gone', version: '0.0.8' });
  expect(problemsOf(...WELL, gone)).toEqual([
    [expect.stringContaining('does not report any more'), '10:00:00', 'ProgramDown'],
  ]);
});

test('a role without a leader is a problem since the last report of a vanished leader, if there was one', () => {
  const gone = (time: string) => consumers(['relay'], { state: 'gone', seenAt: at(time) });
  const problems = problemsOf(gateway(0), gone('09:40:00'), gone('09:50:00'));
  expect(problems.slice(2)).toEqual([
    [expect.stringContaining('No process leads apply'), undefined, 'NobodyApplies'],
    [expect.stringContaining('No process leads relay'), '09:50:00', 'NobodyRelays'],
  ]);
  expect(problemsOf(consumers(['apply', 'relay']))).toEqual([
    ['No gateway runs: start one.', undefined, 'NobodyServes'],
  ]);
});

test('a role that a stand-by took over from a vanished leader has no leader since the stand-by is not ready', () => {
  const gone = consumers(['apply', 'relay'], { state: 'gone', seenAt: at('09:20:00') });
  const after: ListedProcess = {
    ...consumers([], { state: 'not_ready' }),
    ...{ program: 'consumers', details: { roles: ['apply', 'relay'], leads: ['apply'] } },
    ...{ obstacle: 'Kafka is away', notReadySince: at('09:50:00') },
  };
  expect(problemsOf(gateway(0), gone, after).at(-1)).toEqual([
    expect.stringContaining('No process leads relay'),
    '09:50:00',
    'NobodyRelays',
  ]);
});

test('webhooks that the gateways offer need a process that delivers to them', () => {
  const [led, gone] = [
    consumers(['apply', 'relay']),
    consumers(['deliver'], { state: 'gone', seenAt: at('09:50:00') }),
  ];
  const needed = [
    'No process delivers to webhooks: start a consumer with the role deliver.',
    undefined,
    'NobodyDelivers',
  ];
  expect(problemsOf(offering(true), led)).toEqual([needed]);
  expect(problemsOf(offering(true), led, gone).at(-1)).toEqual(needed.with(1, '09:50:00'));
  for (const well of [[offering(true), led, consumers(['deliver'])], [offering(false), led], WELL])
    expect(judgeProcesses(well).map(({ status }) => status)).toEqual(['ok']);
});

test('two versions run beside each other since the newer group began', () => {
  const older = { version: '0.0.9', startedAt: at('06:00:00') };
  expect(problemsOf(...WELL, gateway(0, { startedAt: at('07:30:00') }), gateway(0, older))).toEqual([
    [expect.stringContaining('Processes of version 0.0.9'), '07:30:00', undefined],
  ]);
});

test('Kafka is away since a gateway last had all of it', () => {
  const gone = gateway(0, { state: 'gone', seenAt: at('10:00:30') });
  const { since } = judgeKafkaAway([gateway(60_000), gateway(20_000), gone, consumers([])]);
  expect(since).toEqual(at('09:59:40'));
  expect(judgeKafkaAway([]).since).toBeUndefined();
});

test('every alert that is named has its runbook', () => {
  const lag = {
    submissions: [
      { partition: 0, done: 0, stable_end: 20_000, end: 20_001, lag: 20_001, stable_lag: 20_000 },
    ],
    changes: { done: 0, end: 1, lag: 1, oldest_seconds: 99 },
    rejections: { lag: 1 },
  };
  const gone = consumers([], { state: 'gone' });
  const findings = [
    ...judgeLag(lag, { oldest: {}, now: 0 }),
    ...judgeProcesses([gone]),
    ...judgeProcesses([gateway(11_000), { ...gateway(0), state: 'not_ready' }]),
    ...judgeProcesses([offering(true)]),
    judgeKafkaAway([]),
  ];
  const named = new Set(findings.flatMap(({ alert }) => alert ?? []));
  expect(named.size).toBe(12);
  const guide = readFileSync('docs/operations/alerts.md', 'utf8');
  for (const alert of named) expect(guide).toContain(`\n## ${alert}\n`);
});
