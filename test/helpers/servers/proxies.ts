import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { findFreePort } from '../../../ops/local/servers/ports.ts';
import { createFolder } from '../folder.ts';
import { until } from '../until.ts';
import { findProgram } from './find-program.ts';

export type ProxyName = 'nginx' | 'haproxy';

export interface RunningProxy {
  address: string;
  stop(): Promise<void>;
}

interface ProxyPlan {
  port: number;
  gatewayPorts: number[];
  /** The proxy's timeout for a silent connection, in seconds. */
  timeoutSeconds: number;
}

/** @throws Error if the text has no match */
function replace(text: string, from: RegExp, to: string): string {
  if (!from.test(text)) throw new Error(`The configuration has nothing like ${from}.`);
  return text.replaceAll(from, to);
}

/** ops/compose/nginx.conf with other addresses and a shorter timeout. */
function renderNginx(text: string, { port, gatewayPorts, timeoutSeconds }: ProxyPlan): string {
  const [, options = ''] = /server gateway-1:8080(.*);/.exec(text) ?? [];
  const servers = gatewayPorts.map((gateway) => `server 127.0.0.1:${gateway}${options};`).join(' ');
  const moved = replace(text, /(\s*server gateway-\d:8080.*;)+/g, `\n        ${servers}`);
  const patient = replace(moved, /(proxy_(read|send)_timeout) 120s/g, `$1 ${timeoutSeconds}s`);
  return replace(patient, /listen 8080/g, `listen 127.0.0.1:${port}`);
}

/** ops/compose/haproxy.cfg with fixed addresses instead of DNS names, and a shorter timeout. */
function renderHaproxy(text: string, { port, gatewayPorts, timeoutSeconds }: ProxyPlan): string {
  const servers = gatewayPorts.map((gateway, index) => `    server gateway${index} 127.0.0.1:${gateway}`);
  const placed = replace(text, /^ *server-template gateway .*$/gm, servers.join('\n'));
  const known = replace(placed, / resolvers docker resolve-prefer ipv4 init-addr none/g, '');
  const patient = replace(known, /(timeout (server|client) +)120s/g, `$1${timeoutSeconds}s`);
  return replace(patient, /bind :8080/g, `bind 127.0.0.1:${port}`);
}

const PROXIES = {
  nginx: {
    file: 'ops/compose/nginx.conf',
    render: renderNginx,
    args: (file: string, dir: string) => [
      ...['-c', file, '-p', dir, '-e', 'stderr'],
      ...['-g', `daemon off; pid ${dir}/nginx.pid;`],
    ],
  },
  haproxy: {
    file: 'ops/compose/haproxy.cfg',
    render: renderHaproxy,
    args: (file: string) => ['-db', '-q', '-f', file],
  },
};

/** Starts a proxy in front of gateways, with the project's configuration. */
export async function startProxy(name: ProxyName, plan: Omit<ProxyPlan, 'port'>): Promise<RunningProxy> {
  const { file, render } = PROXIES[name];
  const text = await readFile(file, 'utf8');
  return start(name, (port) => render(text, { port, ...plan }));
}

/**
 * Starts nginx as a site with the configuration of docs/examples/nginx-site.conf: pages, and the stream beside them.
 *
 * @param site.pages the folder of the pages
 * @param site.service the address of the service
 */
export async function startSite(site: {
  pages: string;
  service: string;
  key: string;
}): Promise<RunningProxy> {
  const text = await readFile('docs/examples/nginx-site.conf', 'utf8');
  const withPages = replace(text, /\/srv\/site/g, site.pages);
  const withService = replace(withPages, /http:\/\/localhost:8080/g, site.service);
  const withKey = replace(withService, /bes_\.\.\./g, site.key);
  return start('nginx', (port) => `events {} http { server { listen 127.0.0.1:${port};\n${withKey} } }`);
}

/** Starts a proxy on a free port, with the configuration for that port. */
async function start(name: ProxyName, configure: (port: number) => string): Promise<RunningProxy> {
  const program = findProgram(name);
  if (program === null) throw new Error(`${name} is not installed.`);
  const port = await findFreePort();
  const { dir, file, remove } = await createFolder({ 'proxy.conf': configure(port) });
  const args = PROXIES[name].args(file('proxy.conf'), dir);
  const child = spawn(program, args, { stdio: ['ignore', 'ignore', 'pipe'] });
  let output = '';
  child.stderr?.on('data', (bytes: Buffer) => {
    output += bytes;
  });
  await until(`${name} to listen`, async () => {
    if (child.exitCode !== null) throw new Error(`${name} ended: ${output}`);
    return accepts(port);
  });
  return {
    address: `http://127.0.0.1:${port}`,
    async stop() {
      await end(child);
      await remove();
    },
  };
}

/** SIGTERM ends both proxies at once, with all their connections. */
async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return;
  child.kill('SIGTERM');
  await once(child, 'exit');
}

async function accepts(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
