import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { findFreePort } from '../../ops/local/servers/ports.ts';
import { waitFor } from '../../service/wait-for.ts';
import { findProgram } from '../../test/helpers/servers/find-program.ts';
import type { Peer } from './peer.ts';

const CHANNEL = 'bench';

const configure = (port: number) => ({
  http_server: { address: '127.0.0.1', port: String(port) },
  // Readers need no token.
  client: { insecure: true },
  http_api: { insecure: true },
  uni_sse: { enabled: true },
  log: { level: 'error' },
});

/** Starts Centrifugo 6 as a server of streams; null if it is not installed (`go install` of its module). */
export async function startCentrifugo(): Promise<Peer | null> {
  const program = findProgram('centrifugo');
  if (program === null) return null;
  const dir = await mkdtemp(path.join(os.tmpdir(), 'bench-centrifugo-'));
  const port = await findFreePort();
  const file = path.join(dir, 'config.json');
  await writeFile(file, JSON.stringify(configure(port)));
  // One processor, as the gateway and nchan have.
  const env = { ...process.env, GOMAXPROCS: '1' };
  const server: ChildProcess = spawn(program, ['-c', file], { env, stdio: ['ignore', 'inherit', 'inherit'] });
  const publish = async (messages: readonly string[]) => {
    const commands = messages.map((data) => `{"publish":{"channel":"${CHANNEL}","data":${data}}}`);
    const body = `{"commands":[${commands.join()}]}`;
    const response = await fetch(`http://127.0.0.1:${port}/api/batch`, { method: 'POST', body });
    if (!response.ok) throw new Error(`Centrifugo refused a message: ${await response.text()}`);
    await response.arrayBuffer();
  };
  const isReady = () =>
    publish(['{}']).then(
      () => true as const,
      () => null,
    );
  await waitFor('Centrifugo', isReady, { timeoutMs: 10_000, everyMs: 50 });
  const connect = encodeURIComponent(JSON.stringify({ subs: { [CHANNEL]: {} } }));
  return {
    name: 'Centrifugo',
    port,
    pid: server.pid ?? 0,
    path: `/connection/uni_sse?cf_connect=${connect}`,
    publish,
    async stop() {
      server.kill('SIGTERM');
      await once(server, 'exit');
      await rm(dir, { recursive: true, force: true });
    },
  };
}
