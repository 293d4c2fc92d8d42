import { stopTestServers } from './test-servers.ts';

/** jest's globalTeardown. */
export default async function globalTeardown(): Promise<void> {
  await stopTestServers();
}
