import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** Imports of values, at the beginning of a line, and imports while the program runs. */
const IMPORT = /^(?:import(?! type )|export(?! type )|\}).* from '([^']+)';$|\bimport\('([^']+)'\)/gm;

/**
 * The modules that a file imports: paths of files that exist, and names of packages. It also finds imports within the
 * texts of programs.
 */
export function readImports(file) {
  const names = [...readFileSync(file, 'utf8').matchAll(IMPORT)].map(([, name, later]) => name ?? later);
  return names
    .map((name) => (name.startsWith('.') ? path.resolve(path.dirname(file), name) : name))
    .filter((name) => !path.isAbsolute(name) || existsSync(name));
}
