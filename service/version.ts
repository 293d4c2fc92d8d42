import { readFileSync } from 'node:fs';

function readPackage(): { version: string; engines: { node: string } } {
  return JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
}

/** The version of the service, from package.json. */
export function readVersion(): string {
  return readPackage().version;
}

/** The oldest supported major version of Node, from package.json. */
export function readOldestNode(): number {
  return Number(/[0-9]+/.exec(readPackage().engines.node)?.[0]);
}
