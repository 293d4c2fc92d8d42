import getPort from 'get-port';

/**
 * Chooses a free port of 127.0.0.1, another one on each call. Another program can take it before its use, so a server
 * that fails to start is started again.
 */
export async function findFreePort(): Promise<number> {
  return getPort({ host: '127.0.0.1' });
}

/** Chooses this port if it is free on every address and was not chosen before, or else any other free port. */
export async function choosePort(wanted: number): Promise<number> {
  return getPort({ port: wanted });
}
