/** Decides which command runs a test file: `npm run test:unit`, `npm test` (these too), or `npm run test:system`. */
import { globSync } from 'node:fs';
import path from 'node:path';
import { readImports } from './imports.mjs';

/** Rooms whose tests are about whole services or their clients. */
const SYSTEM_ROOMS = 'test/{acceptance,compatibility,deploy,faults,hostile}/**';
/** Helpers that start browsers, proxies, processes of the service, or servers beside those of the run. */
const SYSTEM_HELPERS = [
  'browser/chromium.ts',
  'clients/npm-packages.ts',
  'clients/python.ts',
  'commands/start-terminal.ts',
  'deploy/promtool.ts',
  'faults/chaos-proxy.ts',
  'faults/tcp-proxy.ts',
  'kafka/secure-kafka.ts',
  'kafka/two-brokers.ts',
  'postgres/pgbouncer.ts',
  'postgres/replica.ts',
  'postgres/secure-postgres.ts',
  'servers/proxies.ts',
  'service/process.ts',
].map((name) => path.resolve('test/helpers', name));
/** Modules that start servers, find those of the run, or start programs. */
const SERVERS = [
  'test/helpers/servers/servers.ts',
  'ops/local/servers/runner.ts',
  'ops/local/servers/postgres/server.ts',
  'ops/local/servers/kafka/broker.ts',
].map((name) => path.resolve(name));
const PROGRAMS = ['node:child_process', 'node:worker_threads'];

const isInTests = (file) => file.startsWith(path.resolve('test'));

/** Creates a function that says whether a test file imports one of some modules, directly or through helpers. */
function createReach(targets) {
  const reaching = new Map(targets.map((target) => [target, true]));
  return function reaches(file) {
    const known = reaching.get(file);
    if (known !== undefined) return known;
    reaching.set(file, false);
    const isReaching = isInTests(file) && readImports(file).some(reaches);
    reaching.set(file, isReaching);
    return isReaching;
  };
}

const ofRooms = new Set(globSync(SYSTEM_ROOMS).map((name) => path.resolve(name)));
const reachesSystem = createReach(SYSTEM_HELPERS);
const reachesServers = createReach([...SERVERS, ...PROGRAMS]);

function groupOf(file) {
  if (ofRooms.has(file) || reachesSystem(file)) return 'system';
  return reachesServers(file) ? 'servers' : 'unit';
}

const files = globSync('test/**/*.test.ts').map((name) => path.resolve(name));

/** The paths of the test files, by group. */
export const groups = { unit: [], servers: [], system: [], ...Object.groupBy(files, groupOf) };
