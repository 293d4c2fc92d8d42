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

interface Body {
  content?: Record<string, { example?: unknown; examples?: unknown }>;
}

interface Operation {
  requestBody?: Body;
  responses: Record<string, Body & { headers?: unknown }>;
}

/** The description without the parts of which the client takes no type: errors, headers, and examples of bodies. */
function describeForTypes() {
  const description = JSON.parse(JSON.stringify(createOpenApi(routes)));
  const operations: Operation[] = Object.values({ ...description.paths, ...description.webhooks }).flatMap(
    (path) => Object.values(path as Record<string, Operation>),
  );
  for (const { requestBody = {}, responses } of operations) {
    for (const [status, response] of Object.entries(responses)) {
      if (Number(status) >= 400) delete responses[status];
      delete response.headers;
    }
    for (const { content = {} } of [requestBody, ...Object.values(responses)]) {
      for (const body of Object.values(content)) {
        delete body.example;
        delete body.examples;
      }
    }
  }
  const { schemas } = description.components;
  return { ...description, components: { schemas } };
}

/** The types of the service's parameters and answers; null if the generator is not available. */
export async function generateClientTypes(): Promise<string | null> {
  const modules = await installNpmPackages(...GENERATOR);
  if (modules === null) return null;
  const folder = await mkdtemp(path.join(os.tmpdir(), 'ballot-types-'));
  try {
    const [description, types] = ['openapi.json', 'openapi.ts'].map((name) => path.join(folder, name));
    if (description === undefined || types === undefined) return null;
    await writeFile(description, JSON.stringify(describeForTypes()));
    const program = path.join(modules, 'openapi-typescript', 'bin', 'cli.js');
    await run(process.execPath, [program, description, '--output', types, '--alphabetize']);
    return await readFile(types, 'utf8');
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
