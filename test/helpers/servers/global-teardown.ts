/** jest's globalTeardown. */
export { stopTestServers as default } from './test-servers.ts';
