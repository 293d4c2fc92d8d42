import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { Agent, request } from 'node:http';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { findFreePort } from '../../ops/local/servers/ports.ts';
import type { Peer } from './peer.ts';
import { childrenOf } from './process-usage.ts';

const NGINX = '/usr/sbin/nginx';
const MODULE = '/usr/lib/nginx/modules/ngx_nchan_module.so';

const render = (dir: string, port: number) => `
load_module ${MODULE};
daemon off;
worker_processes 1;
worker_rlimit_nofile 16384;
pid ${dir}/nginx.pid;
error_log ${dir}/error.log;
events { worker_connections 8192; }
http {
  access_log off;
  client_body_temp_path ${dir}/body;
  client_body_buffer_size 64k;
  server {
    listen 127.0.0.1:${port};
    location = /publish { nchan_publisher; nchan_channel_id bench; nchan_message_buffer_length 1000; }
    location = /stream { nchan_subscriber eventsource; nchan_channel_id bench; nchan_subscriber_first_message newest; }
  }
}
`;

/** Starts nginx with nchan (Debian's libnginx-mod-nchan) as a server of streams; null if it is not installed. */
export async function startNchan(): Promise<Peer | null> {
  if (!existsSync(NGINX) || !existsSync(MODULE)) return null;
  const dir = await mkdtemp(path.join(os.tmpdir(), 'bench-nchan-'));
  const port = await findFreePort();
  const file = path.join(dir, 'nginx.conf');
  await writeFile(file, render(dir, port));
  const master = spawn(NGINX, ['-c', file, '-p', dir], { stdio: ['ignore', 'inherit', 'inherit'] });
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const publishOne = (message: string) =>
    new Promise<void>((resolve, reject) => {
      const sent = request({ port, path: '/publish', method: 'POST', agent }, (response) => {
        response.resume().on('end', resolve);
      });
      sent.on('error', reject).end(message);
    });
  const isReady = () => publishOne('ready').then(() => true);
  while (!(await isReady().catch(() => false))) await sleep(50);
  return {
    name: 'nchan',
    port,
    pid: childrenOf(Number(master.pid))[0] as number,
    path: '/stream',
    async publish(messages) {
      for (const message of messages) await publishOne(message);
    },
    async stop() {
      agent.destroy();
      master.kill('SIGTERM');
      await new Promise((resolve) => master.once('exit', resolve));
      await rm(dir, { recursive: true, force: true });
    },
  };
}
