/** The command that runs a test file: `npm run test:unit`, `npm test` (these too), or `npm run test:system`. */
import { existsSync, globSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** Files that start browsers, proxies, further servers or whole services, or that follow runbooks. */
const SYSTEM = [
  'test/{acceptance,compatibility,deploy,faults,hostile}/**',
  'test/docs/{mirror,other-languages}.test.ts',
  'test/clients/typescript/{browser,package}.test.ts',
  'test/gateway/console/{accessibility,isolation,live-browser,markup}.test.ts',
];

/** A file that imports one of these, directly or through helpers, needs servers or other programs. */
const OUTSIDE = [
  'test/helpers/servers/servers.ts',
  'test/helpers/deploy/promtool.ts',
  'test/helpers/clients/client-types.ts',
  'ops/local/servers/runner.ts',
  'ops/local/servers/postgres/server.ts',
  'ops/local/servers/kafka/broker.ts',
].map((name) => path.resolve(name));

const needing = new Map(OUTSIDE.map((file) => [file, true]));

/** Whether a test file or a helper needs something outside of its process. */
function needsServers(file) {
  const known = needing.get(file);
  if (known !== undefined) return known;
  needing.set(file, false);
  if (!file.startsWith(path.resolve('test')) || !existsSync(file)) return false;
  const imports = readFileSync(file, 'utf8').matchAll(/^(?:import|\}).* from '([^']+)';$/gm);
  const needs = [...imports].some(
    ([, name]) =>
      name === 'node:child_process' ||
      (name.startsWith('.') && needsServers(path.resolve(path.dirname(file), name))),
  );
  needing.set(file, needs);
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
