import { once } from 'node:events';
import type { Server } from 'node:net';
import { SettingError } from './environment.ts';

/**
 * Waits until a server listens.
 *
 * @param setting the setting with the port
 * @throws SettingError if the port is taken or cannot be used
 */
export async function untilListening(server: Server, setting: string, port: number): Promise<void> {
  try {
    await once(server, 'listening');
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const isHost = code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND';
    const remedy = code === 'EADDRINUSE' ? `; set ${setting} to a free port` : isHost ? '; correct HOST' : '';
    throw new SettingError(`${setting} ${port} cannot be listened on: ${message}${remedy}.`);
  }
}
