/** Which command runs a test file: `npm run test:unit`, `npm test` (these too), or `npm run test:system`. */
import { existsSync, globSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** Files that start browsers, proxies, further servers or whole services, or that follow runbooks. */
const SYSTEM = [
  'test/{acceptance,compatibility,deploy,docs,faults,hostile}/**',
  'test/clients/typescript/{browser,package}.test.ts',
  'test/gateway/console/{accessibility,isolation,live-browser,markup}.test.ts',
];

/** The module through which a test reaches the Postgres and the Kafka of its run. */
const SERVERS = path.resolve('test/helpers/servers/servers.ts');

const reachesServers = new Map([[SERVERS, true]]);

/** Whether a file of the tests imports the servers, directly or through others. */
function needsServers(file) {
  const known = reachesServers.get(file);
  if (known !== undefined) return known;
  reachesServers.set(file, false);
  const imported = [...readFileSync(file, 'utf8').matchAll(/^(?:import|\}).* from '(\.[^']+\.ts)';$/gm)]
    .map(([, name]) => path.resolve(path.dirname(file), name))
    // Texts of programs in a test look like imports as well.
    .filter((name) => name.startsWith(path.resolve('test')) && existsSync(name));
  const needs = imported.some(needsServers);
  reachesServers.set(file, needs);
  return needs;
}

const files = globSync('test/**/*.test.ts').map((name) => path.resolve(name));
const system = new Set(globSync(SYSTEM).map((name) => path.resolve(name)));
const rest = files.filter((file) => !system.has(file));

/** The paths of the test files, by group. */
export const groups = {
  unit: rest.filter((file) => !needsServers(file)),
  servers: rest.filter(needsServers),
  system: files.filter((file) => system.has(file)),
};
