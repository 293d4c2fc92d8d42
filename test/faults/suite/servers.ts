/** The disks, listeners and processes of the suite's Postgres and Kafka. */
import path from 'node:path';
import { SmallDisk } from '../../helpers/faults/small-disk.ts';
import type { TcpProxy } from '../../helpers/faults/tcp-proxy.ts';
import type { SecuredListener } from './secured-listener.ts';

export interface KafkaPorts {
  /** The port of the listener behind the proxy. */
  port: number;
  /** The port of the suite's own listener. */
  direct: number;
}

export interface Disks {
  kafka: SmallDisk;
  postgres: SmallDisk;
}

/** Mounts the disks; null if this machine does not allow it. @param sizeMb of each, in megabytes */
export function mountDisks(sizeMb: number): Disks | null {
  const kafka = SmallDisk.mount(sizeMb);
  if (kafka === null) return null;
  const postgres = SmallDisk.mount(sizeMb);
  if (postgres === null) kafka.unmount();
  return postgres && { kafka, postgres };
}

/** The folder of a server, on its own disk if any. */
export function folderOf(server: 'kafka' | 'postgres', dir: string, disks: Disks | null): string {
  return path.join(disks?.[server].folder ?? dir, server);
}

/** Kills a process with SIGKILL, unless it has ended. */
export function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/** Advertises the service's listeners as their proxies. The suite has its own listener. */
export function kafkaOptions(
  dir: string,
  { port, direct }: KafkaPorts,
  { kafkaProxy, secured }: { kafkaProxy: TcpProxy; secured: SecuredListener | null },
) {
  const advertised = [
    `PLAINTEXT://127.0.0.1:${kafkaProxy.port}`,
    `DIRECT://localhost:${direct}`,
    ...(secured ? [secured.advertised] : []),
  ];
  return {
    dir,
    port,
    listeners: [
      { name: 'DIRECT', protocol: 'PLAINTEXT' as const, port: direct },
      ...(secured ? [secured.listener] : []),
    ],
    overrides: { 'advertised.listeners': advertised.join(','), ...secured?.settings },
  };
}
