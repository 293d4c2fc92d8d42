import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { createOpenApi } from '../../../gateway/http/openapi.ts';
import { routes } from '../../../gateway/routes/index.ts';
import { installNpmPackages } from './npm-packages.ts';

const run = promisify(execFile);

/** The generated types of the TypeScript client. */
export const CLIENT_TYPES = 'clients/typescript/src/generated/openapi.ts';

/** The generator needs a TypeScript with a programming interface, which newer versions lack. */
const GENERATOR = ['openapi-typescript@7.13.0', 'typescript@5.9.3'];

/** The types of the service's parameters and answers; null if the generator is not available. */
export async function generateClientTypes(): Promise<string | null> {
  const modules = await installNpmPackages(...GENERATOR);
  if (modules === null) return null;
  const folder = await mkdtemp(path.join(os.tmpdir(), 'ballot-types-'));
  try {
    const [description, types] = ['openapi.json', 'openapi.ts'].map((name) => path.join(folder, name));
    if (description === undefined || types === undefined) return null;
    await writeFile(description, JSON.stringify(createOpenApi(routes)));
    const program = path.join(modules, 'openapi-typescript', 'bin', 'cli.js');
    await run(process.execPath, [program, description, '--output', types, '--alphabetize']);
    return await readFile(types, 'utf8');
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
