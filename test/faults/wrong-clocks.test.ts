/*
 * Processes with clocks ten minutes fast or slow: clients see no difference, and the operator gets a report.
 * Needs Debian's `faketime`.
 */
import { afterEach, describe, expect, test } from '@jest/globals';
import { findFreePort } from '../../ops/local/servers/ports.ts';
import { parseCursor } from '../../schemas/cursor.ts';
import { endorse, withdraw } from '../helpers/ballots/submissions.ts';
import { clockOff, FAKETIME_LIBRARY } from '../helpers/faults/faketime.ts';
import { type ServiceProcess, startProcess } from '../helpers/service/process.ts';
import { useTestService } from '../helpers/service/service.ts';
import { untilReady } from '../helpers/service/system.ts';
import { until } from '../helpers/until.ts';

const TEN_MINUTES_MS = 600_000;
const TOLERANCE_MS = 60_000;

const service = useTestService();
let started: ServiceProcess | undefined;
afterEach(async () => {
  await started?.kill();
  started = undefined;
});

/** Starts a program of the service with a wrong clock, and proves that it is wrong. */
async function startWithClock(program: string, offset: string, env: Record<string, string>) {
  const metricsPort = String(await findFreePort());
  started = startProcess(program, {
    ...service.env(),
    METRICS_PORT: metricsPort,
    ...clockOff(offset),
    ...env,
  });
  const skewSeconds = async () => {
    const text = await fetch(`http://127.0.0.1:${metricsPort}/metrics`).then(
      (response) => response.text(),
      () => '',
    );
    return Number(/^clock_skew_seconds (\S+)$/m.exec(text)?.[1] ?? 0);
  };
  const expected = offset === '+10m' ? 600 : -600;
  await until('its clock is found to be off', async () => Math.abs((await skewSeconds()) - expected) < 5);
  const warning = `s ${offset === '+10m' ? 'ahead of' : 'behind'} the database's`;
  await until('it warns of its clock', async () => started?.output().includes(warning) ?? false);
}

let made = 0;
/** Makes a change. @returns its event */
async function makeChange() {
  const submit = made % 2 === 0 ? endorse : withdraw;
  made += 1;
  await service.submit([submit('bakers-local-1', 'mayor', 'ann')]);
  return (await service.eventsOnceThereAre(made)).at(-1);
}

/** Expects that an event has the present time, and that its id is a valid cursor everywhere. */
async function expectRight(event: { id: string; occurred_at: string }, bases: string[]): Promise<void> {
  expect(Math.abs(Date.parse(event.occurred_at) - Date.now())).toBeLessThan(TOLERANCE_MS);
  for (const base of bases) {
    const headers = { authorization: `Bearer ${service.key}`, 'last-event-id': event.id };
    const response = await fetch(`${base}/v1/events`, { headers });
    expect(response.status).toBe(200);
    const { next_cursor } = (await response.json()) as { next_cursor: string };
    expect(Math.abs(parseCursor(next_cursor).time - Date.now())).toBeLessThan(TOLERANCE_MS);
  }
}

const own = () => `http://127.0.0.1:${service.gateways[0]?.port}`;

(FAKETIME_LIBRARY ? describe : describe.skip).each(['+10m', '-10m'])(
  'a clock with an error of %s',
  (offset) => {
    test.each(['apply', 'relay'] as const)('of %s changes nothing', async (role) => {
      await service.stopConsumers();
      await service.startConsumers([role === 'apply' ? 'relay' : 'apply']);
      await startWithClock('consumers/main.ts', offset, { ROLES: role });
      await expectRight(await makeChange(), [own()]);
      await started?.kill();
      await service.stopConsumers();
      await service.startConsumers();
      // The others continue from the rows and cursors of that process.
      await expectRight(await makeChange(), [own()]);
    });

    test('of a gateway changes nothing: its cursors work at other gateways, and theirs work there', async () => {
      const port = String(await findFreePort());
      await startWithClock('gateway/main.ts', offset, { PORT: port });
      const other = `http://127.0.0.1:${port}`;
      await untilReady(other);
      const event = await makeChange();
      await expectRight(event, [own(), other]);
      const headers = { authorization: `Bearer ${service.key}` };
      const latest = await fetch(`${other}/v1/events`, { headers });
      const { next_cursor } = (await latest.json()) as { next_cursor: string };
      expect(Math.abs(parseCursor(next_cursor).time - Date.now())).toBeLessThan(TOLERANCE_MS);
      const { status } = await service.get(`/v1/events?cursor=${next_cursor}`);
      expect(status).toBe(200);
      const since = new Date(Date.now() - TEN_MINUTES_MS / 2).toISOString();
      expect((await fetch(`${other}/v1/events?since=${since}`, { headers })).status).toBe(200);
    });
  },
);
