/** Runs one Postgres and one Kafka for a whole test run, in a folder that is removed with them. */

import path from 'node:path';
import { findRunner } from '../../../ops/local/servers/runner.ts';
import type { ServerOptions, ServerRunner } from '../../../ops/local/servers/server.ts';
import type { Brokers } from '../../../service/brokers.ts';
import { createTemplate } from '../postgres/template.ts';
import { ServerFolder } from './server-folder.ts';

/**
 * No data outlives the run, so it does not need to survive a power cut. Autovacuum visits every database once a minute:
 * with one for each test file, that took a seventh of the processors' time.
 */
const POSTGRES_FOR_TESTS = {
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  autovacuum: 'off',
};

/** Old segments are checked often, so that tests of retention and compaction wait only for moments. */
const KAFKA_FOR_TESTS = {
  'log.cleaner.backoff.ms': '200',
  'log.initial.task.delay.ms': '100',
  'log.retention.check.interval.ms': '500',
};

let folder: ServerFolder | null = null;
let running: { stop(): Promise<void> }[] = [];

/** Starts Postgres with its template, and a Kafka of a kind beside it. */
export async function startServers<Kafka extends { stop(): Promise<void> }>(
  startKafka: (options: ServerOptions, runner: ServerRunner) => Promise<Kafka>,
): Promise<{ databaseUrl: string; kafka: Kafka }> {
  const runner = await findRunner();
  folder = await ServerFolder.make('ballot-test-');
  const { dir, onSpawn } = folder;
  const [postgres, kafka] = await Promise.all([
    runner.startPostgres({ dir: path.join(dir, 'postgres'), onSpawn, overrides: POSTGRES_FOR_TESTS }),
    startKafka({ dir: path.join(dir, 'kafka'), onSpawn, overrides: KAFKA_FOR_TESTS }, runner),
  ]);
  running = [postgres, kafka];
  await createTemplate(postgres.url);
  return { databaseUrl: postgres.url, kafka };
}

/** Starts both, and returns their addresses. */
export async function startTestServers(): Promise<{ databaseUrl: string; brokers: Brokers }> {
  const { databaseUrl, kafka } = await startServers((options, runner) => runner.startKafka(options));
  return { databaseUrl, brokers: kafka.brokers };
}

/** Stops both and removes their folder. */
export async function stopTestServers(): Promise<void> {
  await Promise.all(running.map((server) => server.stop()));
  running = [];
  await folder?.remove();
  folder = null;
}
