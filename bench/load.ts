import { type Agent, get } from 'node:http';
import autocannon from 'autocannon';
import { cpuMsOf } from './stream/process-usage.ts';

export interface Target {
  url: string;
  headers?: Record<string, string>;
  /** Makes the path and headers of each request, instead of the address's own; `connection` counts from 0. */
  next?: (connection: number) => { path: string; headers: Record<string, string> };
  /** The statuses that answers may have; by default only 200. */
  statuses?: readonly number[];
}

export interface LoadOptions {
  connections: number;
  seconds: number;
}

/** The warm-up of a server before it is measured, in seconds, in which its code is compiled. */
export const WARM_UP_SECONDS = 20;

async function load(
  { url, headers = {}, next, statuses = [200] }: Target,
  options: Partial<autocannon.Options>,
) {
  let connections = 0;
  const setupClient = (client: autocannon.Client) => {
    const connection = connections;
    connections += 1;
    if (next) client.setRequests([{ setupRequest: (request) => ({ ...request, ...next(connection) }) }]);
  };
  const result = await autocannon({ url, headers, setupClient, ...options });
  const others = Object.keys(result.statusCodeStats ?? {}).filter((code) => !statuses.includes(Number(code)));
  if (others.length > 0 || result.errors > 0) {
    throw new Error(
      `${url} answered ${others.join(', ')} instead of ${statuses.join(', ')}, with ${result.errors} errors.`,
    );
  }
  return result;
}

/** The requests a second over so many connections. Each connection sends the next request after an answer. */
export async function measureRate(target: Target, { connections, seconds }: LoadOptions): Promise<number> {
  const { requests, duration } = await load(target, { connections, duration: seconds });
  return requests.total / duration;
}

/**
 * The requests a second, their latencies in milliseconds, and the processor time of an answer in the server with this
 * process id.
 */
export async function measureCost(
  pid: number,
  target: Target,
  { connections, seconds }: LoadOptions,
): Promise<{ rate: number; p50: number; p99: number; cpuMicroseconds: number }> {
  const before = cpuMsOf(pid);
  const { requests, duration, latency } = await load(target, { connections, duration: seconds });
  const cpuMicroseconds = ((cpuMsOf(pid) - before) * 1000) / requests.total;
  return { rate: requests.total / duration, p50: latency.p50, p99: latency.p99, cpuMicroseconds };
}

/**
 * The latencies at a steady rate, in milliseconds. A request that a slow one delayed counts from the time at which it
 * was due: at a given rate, autocannon corrects for coordinated omission.
 */
export async function measureLatency(
  target: Target,
  { connections, seconds, rate }: LoadOptions & { rate: number },
): Promise<{ p50: number; p99: number }> {
  const overallRate = Math.max(1, Math.round(rate));
  const { latency } = await load(target, {
    connections: Math.min(connections, overallRate),
    duration: seconds,
    overallRate,
  });
  return { p50: latency.p50, p99: latency.p99 };
}

/** Sends this number of requests over all connections of the agent at once. Every answer must be 200. */
export async function askTimes(
  count: number,
  { url, headers = {}, agent }: Target & { agent: Agent },
): Promise<void> {
  const askOnce = () =>
    new Promise<void>((resolve, reject) => {
      get(url, { headers, agent }, (response) => {
        if (response.statusCode !== 200) reject(new Error(`${url} answered ${response.statusCode}.`));
        response.resume().once('end', resolve).once('error', reject);
      }).once('error', reject);
    });
  let asked = 0;
  const askOn = async () => {
    while (asked < count) {
      asked += 1;
      await askOnce();
    }
  };
  await Promise.all(Array.from({ length: agent.maxSockets }, askOn));
}

/** The time of one answer, to its last byte, in milliseconds. */
export async function measureOne({ url, headers = {} }: Target): Promise<number> {
  const start = performance.now();
  const response = await fetch(url, { headers });
  for await (const _ of response.body ?? []);
  return performance.now() - start;
}
