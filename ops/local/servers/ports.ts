import { randomInt } from 'node:crypto';
import getPort from 'get-port';

/** Below the ports that systems give to outgoing connections, which begin at 32,768 on Linux. */
const LISTENING_PORTS = { from: 10_000, below: 32_768 };
/** How many ports are tried before any other. */
const TRIES = 20;

/**
 * Chooses a free port of 127.0.0.1, another one on each call. Another program can take it before its use, so a server
 * that fails to start is started again. Programs that choose at the same time rarely choose the same port.
 */
export async function findFreePort(): Promise<number> {
  const { from, below } = LISTENING_PORTS;
  return getPort({ host: '127.0.0.1', port: Array.from({ length: TRIES }, () => randomInt(from, below)) });
}

/** Chooses this port if it is free on every address and was not chosen before, or else any other free port. */
export async function choosePort(wanted: number): Promise<number> {
  return getPort({ port: wanted });
}
