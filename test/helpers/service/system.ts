import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Role } from '../../../consumers/config.ts';
import { applyTopics } from '../../../kafka/topics/topics.ts';
import { createKey } from '../../../ops/commands/keys.ts';
import { migrateDatabase } from '../../../ops/commands/migrate.ts';
import { loadDemo } from '../../../ops/demo/load.ts';
import { findFreePort } from '../../../ops/local/servers/ports.ts';
import { findRunner } from '../../../ops/local/servers/runner.ts';
import type { KafkaServer } from '../../../ops/local/servers/server.ts';
import type { Brokers } from '../../../service/brokers.ts';
import { Primary } from '../postgres/replica.ts';
import { SecuredCluster } from '../servers/secured-cluster.ts';
import { INHERITED_ENV } from './inherited-env.ts';
import { stopWhenInterrupted } from './interrupted.ts';

const WEEK_MS = 7 * 24 * 60 * 60 * 1000;
const TODAY = '2026-10-01';

/** The whole service on its own servers, with each part in its own process, as in production. */
export interface System {
  databaseUrl: string;
  brokers: Brokers;
  /** The gateway's address. */
  base: string;
  key: string;
  /** The gateway's process id. */
  gatewayPid: number;
  /** The process ids of all programs and servers, by name. */
  pids: Record<string, number>;
  stop(): Promise<void>;
}

function startProgram(entry: string, env: Record<string, string>): ChildProcess {
  return spawn(process.execPath, ['--disable-warning=TimeoutNegativeWarning', entry], {
    env: { ...INHERITED_ENV, LOG_LEVEL: 'warn', ...env },
    stdio: ['ignore', 'inherit', 'inherit'],
  });
}

/** The processes on this machine. */
function namePids(processes: Record<string, { pid?: number | null | undefined }>): Record<string, number> {
  const pids = Object.entries(processes).map(([name, { pid }]) => [name, pid] as const);
  return Object.fromEntries(pids.filter((each): each is [string, number] => typeof each[1] === 'number'));
}

/** Waits until a gateway reports that it is ready. */
export async function untilReady(base: string): Promise<void> {
  const isReady = async () => (await fetch(`${base}/readyz`)).ok;
  while (!(await isReady().catch(() => false))) await sleep(100);
}

/** No server requires a login here. */
async function startKafka(
  dir: string,
  cluster: boolean,
): Promise<Pick<KafkaServer, 'brokers' | 'stop'> & Partial<Pick<KafkaServer, 'pid'>>> {
  if (!cluster) return (await findRunner()).startKafka({ dir });
  const brokers = await SecuredCluster.start({ dir });
  return { brokers: brokers.everything, stop: () => brokers.stop() };
}

/**
 * Starts the service with the small demo catalogue and without traffic.
 *
 * @param gatewayEnv settings of the gateway, besides its addresses
 * @param options.replicas the number of replicas that the gateway reads from
 * @param options.cluster whether Kafka has three brokers, each with a copy of every partition
 * @param options.consumerEnv further settings of the consumers, by role
 */
export async function startSystem(
  gatewayEnv: Record<string, string> = {},
  {
    replicas = 0,
    cluster = false,
    consumerEnv = {},
  }: {
    replicas?: number;
    cluster?: boolean;
    consumerEnv?: Partial<Record<Role, Record<string, string>>>;
  } = {},
): Promise<System> {
  const dir = await mkdtemp(path.join(os.tmpdir(), 'ballot-system-'));
  const [primary, kafka] = await Promise.all([
    Primary.start({ fsync: 'on' }),
    startKafka(path.join(dir, 'kafka'), cluster),
  ]);
  const postgres = primary.server;
  const programs: ReturnType<typeof startProgram>[] = [];
  const stop = async () => {
    forget();
    for (const program of programs) program.kill('SIGTERM');
    await Promise.all(
      programs.map((program) => program.exitCode ?? program.signalCode ?? once(program, 'exit')),
    );
    await Promise.all([primary.stop(), kafka.stop()]);
    await rm(dir, { recursive: true, force: true });
  };
  const forget = stopWhenInterrupted(stop);
  try {
    const replicaUrls: string[] = [];
    for (let made = 0; made < replicas; made += 1) {
      replicaUrls.push((await primary.addReplica()).urlOf(postgres.url));
    }
    const { url: databaseUrl } = postgres;
    const { brokers } = kafka;
    await migrateDatabase(databaseUrl);
    await applyTopics({ brokers, topicPrefix: '', retentionMs: WEEK_MS, changesPartitions: 12 });
    const port = await findFreePort();
    const env = {
      DATABASE_URL: databaseUrl,
      KAFKA_BROKERS: brokers.addresses.join(','),
      READ_DATABASE_URLS: replicaUrls.join(','),
    };
    const gateway = startProgram('gateway/main.ts', {
      ...env,
      PORT: String(port),
      METRICS_PORT: '0',
      ...gatewayEnv,
    });
    const startRole = (role: Role) =>
      startProgram('consumers/main.ts', { ...env, METRICS_PORT: '0', ROLES: role, ...consumerEnv[role] });
    const apply = startRole('apply');
    const relay = startRole('relay');
    programs.push(apply, relay, gateway);
    const base = `http://127.0.0.1:${port}`;
    await untilReady(base);
    await loadDemo({ databaseUrl, brokers, today: TODAY, report: () => {} });
    const key = await createKey({ databaseUrl, account: 'system', plan: 'internal' });
    return {
      databaseUrl,
      brokers,
      base,
      key,
      gatewayPid: gateway.pid ?? 0,
      pids: namePids({ apply, relay, gateway, postgres, kafka }),
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}
