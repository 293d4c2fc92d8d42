/** Apicurio Registry itself, from its distribution in Maven Central, with its store in memory. */
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { startDaemon } from '../../ops/local/processes/daemon.ts';
import { findFreePort } from '../../ops/local/servers/ports.ts';
import { waitFor } from '../../service/wait-for.ts';
import { fetchDistribution } from '../helpers/servers/distribution.ts';

/** The newest version that runs on Java 17. */
const VERSION = '2.6.13.Final';
const START_TIMEOUT_MS = 120_000;
const STOP_GRACE_MS = 20_000;

/** Starts it in a folder, only for this machine. @returns its address for clients of Confluent's registry */
export async function startApicurio(dir: string): Promise<{ url: string; stop: () => Promise<void> }> {
  const artifact = `io.apicurio:apicurio-registry-app:${VERSION}:tar.gz:all`;
  const home = await fetchDistribution(`apicurio-registry-${VERSION}`, artifact);
  const port = await findFreePort();
  await mkdir(dir, { recursive: true });
  const logFile = path.join(dir, 'apicurio.log');
  const settings = [`-Dquarkus.http.port=${port}`, '-Dquarkus.http.host=127.0.0.1'];
  const server = await startDaemon({
    command: 'java',
    args: ['-Xmx512m', ...settings, '-jar', path.join(home, `apicurio-registry-app-${VERSION}-runner.jar`)],
    cwd: dir,
    logFile,
    stop: { marker: `-Dquarkus.http.port=${port}`, signal: 'SIGTERM', graceMs: STOP_GRACE_MS },
  });
  const url = `http://127.0.0.1:${port}/apis/ccompat/v7`;
  const probe = async () => ((await fetch(`${url}/subjects`)).ok ? true : null);
  await waitFor('Apicurio', probe, { timeoutMs: START_TIMEOUT_MS, everyMs: 300, until: server.exited }).catch(
    async (cause) => {
      await server.stop();
      throw new Error(`${(cause as Error).message}; see ${logFile}`, { cause });
    },
  );
  return { url, stop: () => server.stop() };
}
