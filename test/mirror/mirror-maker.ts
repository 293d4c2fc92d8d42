/** MirrorMaker 2 itself, from Maven Central, as one process. */
import { existsSync } from 'node:fs';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { startDaemon } from '../../ops/local/processes/daemon.ts';
import { log4jProperties } from '../../ops/local/servers/kafka/settings.ts';
import type { LocalServer } from '../../ops/local/servers/server.ts';
import { runProgram } from '../helpers/clients/python.ts';

const POM = path.join(import.meta.dirname, 'pom.xml');
const STOP_GRACE_MS = 20_000;

/** Fetches the jars, once. @returns their folder */
async function findJars(): Promise<string> {
  const target = path.resolve('.cache', 'mirror-maker-4.3.0');
  if (existsSync(target)) return target;
  process.stdout.write('Fetching MirrorMaker 4.3.0 with Maven (about 60 MB, once) ...\n');
  const unfinished = `${target}.${process.pid}`;
  const args = ['dependency:copy-dependencies', '-DincludeScope=runtime', `-DoutputDirectory=${unfinished}`];
  try {
    if ((await runProgram('mvn', ['-B', '-q', '-f', POM, ...args])) !== 0)
      throw new Error('Maven could not fetch MirrorMaker.');
    await rename(unfinished, target);
  } finally {
    await rm(unfinished, { recursive: true, force: true });
  }
  return target;
}

/** The settings from docs/operations/recovery.md, and short intervals. */
function describeMirror(home: string, away: string, group: string): Record<string, string> {
  return {
    clusters: 'home, away',
    'home.bootstrap.servers': home,
    'away.bootstrap.servers': away,
    'home->away.enabled': 'true',
    'away->home.enabled': 'false',
    'home->away.topics': 'endorsement-.*',
    'home->away.groups': group,
    'replication.policy.class': 'org.apache.kafka.connect.mirror.IdentityReplicationPolicy',
    'sync.group.offsets.enabled': 'true',
    'sync.group.offsets.interval.seconds': '1',
    'emit.checkpoints.interval.seconds': '1',
    'refresh.topics.interval.seconds': '2',
    'refresh.groups.interval.seconds': '2',
    'offset.lag.max': '0',
    'emit.heartbeats.enabled': 'false',
    'sync.topic.acls.enabled': 'false',
    'replication.factor': '1',
    'checkpoints.topic.replication.factor': '1',
    'heartbeats.topic.replication.factor': '1',
    'offset-syncs.topic.replication.factor': '1',
    'offset.storage.replication.factor': '1',
    'status.storage.replication.factor': '1',
    'config.storage.replication.factor': '1',
  };
}

/** Mirrors the topics of the service from one cluster to another, with the offsets of a group. */
export async function startMirror(
  dir: string,
  { home, away, group }: { home: string; away: string; group: string },
): Promise<LocalServer> {
  const jars = await findJars();
  await mkdir(dir, { recursive: true });
  const settings = path.join(dir, 'mirror.properties');
  const lines = Object.entries(describeMirror(home, away, group)).map(
    ([name, value]) => `${name}=${value}\n`,
  );
  await writeFile(settings, lines.join(''));
  await writeFile(path.join(dir, 'log4j2.properties'), log4jProperties);
  const options = `-Dlog4j2.configurationFile=${path.join(dir, 'log4j2.properties')}`;
  const main = 'org.apache.kafka.connect.mirror.MirrorMaker';
  return startDaemon({
    command: 'java',
    args: ['-Xmx512m', options, '-cp', path.join(jars, '*'), main, settings],
    cwd: dir,
    logFile: path.join(dir, 'mirror.log'),
    stop: { marker: settings, signal: 'SIGTERM', graceMs: STOP_GRACE_MS },
  });
}
