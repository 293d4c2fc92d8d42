import { expect, test } from '@jest/globals';
import { judgeProcesses } from '../../../administration/health/judge-processes.ts';
import { readVersion } from '../../../service/version.ts';
import type { ListedProcess, ProgramState } from '../../../store/processes/process-list.ts';

const running = (state: ProgramState): ListedProcess => ({
  ...{ id: 'id', host: 'here', pid: 7, version: readVersion(), startedAt: new Date(), seenAt: new Date() },
  ...{ state: 'ready', obstacle: null, ...state },
});
const gatewayWith = (hasWebhooks?: boolean) =>
  running({
    program: 'gateway',
    details: {
      ...{ port: 8080, openStreams: 0, behindMs: 0 },
      ...(hasWebhooks !== undefined && { hasWebhooks }),
    },
  });
const consumersWith = (...roles: string[]) =>
  running({ program: 'consumers', details: { roles, leads: roles.filter((role) => role !== 'deliver') } });

const judge = (...all: ListedProcess[]) =>
  judgeProcesses(all).map(({ status, text }) => `${status}: ${text}`);

test('webhooks that the gateways offer need a process that delivers to them', () => {
  const needed = ['warning: No process delivers to webhooks: start a consumer with the role deliver.'];
  const well = ['ok: 1 gateway and 1 consumer are ready.'];
  expect(judge(gatewayWith(true), consumersWith('apply', 'relay'))).toEqual(needed);
  expect(judge(gatewayWith(true), consumersWith('apply', 'relay', 'deliver'))).toEqual(well);
  const gone: ListedProcess = { ...consumersWith('deliver'), state: 'gone' };
  expect(judge(gatewayWith(true), consumersWith('apply', 'relay'), gone)).toEqual(
    expect.arrayContaining(needed),
  );
});

test.each([false, undefined])('gateways that offer none need none (%s)', (hasWebhooks) => {
  expect(judge(gatewayWith(hasWebhooks), consumersWith('apply', 'relay'))).toEqual([
    'ok: 1 gateway and 1 consumer are ready.',
  ]);
});
