import { readFileSync } from 'node:fs';

function readPackage(): { version: string; engines: { node: string } } {
  return JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
}

/** The version of the service, as package.json says. */
export function readVersion(): string {
  return readPackage().version;
}

/** The oldest major version of Node on which the programs run, as package.json says. */
export function readOldestNode(): number {
  return Number(/[0-9]+/.exec(readPackage().engines.node)?.[0]);
}
