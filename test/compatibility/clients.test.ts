/**
 * Clients generated from the description pass strict checks, and call every operation of a running service. Skips
 * without the generators.
 */
import { execFile } from 'node:child_process';
import { copyFile, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, expect, test } from '@jest/globals';
import { createOpenApi } from '../../gateway/http/openapi.ts';
import { routes } from '../../gateway/routes/index.ts';
import { installNpmPackages } from '../helpers/clients/npm-packages.ts';
import { installPythonPackages } from '../helpers/clients/python.ts';
import { exampleCatalogue, exampleSubmissions } from '../helpers/http/example-requests.ts';
import { importPeople } from '../helpers/officeholders/import-people.ts';
import { person, personId, role } from '../helpers/officeholders/people-checkout.ts';
import { useTestService } from '../helpers/service/service.ts';
import { useFolder } from '../helpers/use-folder.ts';

/** openapi-typescript writes code with this TypeScript; the repository's own checks it. */
const modules = await installNpmPackages(
  'openapi-typescript@7.13.0',
  'openapi-fetch@0.17.0',
  'typescript@5.9.3',
);
const python = await installPythonPackages();
const OPERATIONS = routes.map(({ operationId }) => operationId).sort();
const TSCONFIG = {
  compilerOptions: {
    strict: true,
    noEmit: true,
    noUncheckedIndexedAccess: true,
    exactOptionalPropertyTypes: true,
    erasableSyntaxOnly: true,
    verbatimModuleSyntax: true,
    allowImportingTsExtensions: true,
    target: 'es2024',
    lib: ['es2024', 'dom', 'dom.asynciterable'],
    module: 'nodenext',
    types: ['node'],
    typeRoots: [path.resolve('node_modules/@types')],
  },
  include: ['*.ts'],
};

const service = useTestService({ catalogue: exampleCatalogue(), gatewayConfig: { today: '2026-10-01' } });
let args: string[] = [];

const inFolder = useFolder();

beforeAll(async () => {
  await importPeople(service.databaseUrl, {
    'me/legislature/ann.yml': person(1, 'Ann', [role('lower', 'state:me', { district: 7 })]),
  });
  await service.submit(exampleSubmissions());
  const [event] = await service.eventsOnceThereAre(4);
  await service.allow([event.endorser.slug]);
  args = [service.url(''), service.key, event.endorser.slug, personId(1)];
  await writeFile(inFolder('openapi.json'), JSON.stringify(createOpenApi(routes)));
});

/** Runs a program in the folder of the clients. @returns its standard output */
async function run(program: string, ...given: string[]): Promise<string> {
  const options = { cwd: inFolder(), env: { ...process.env, NODE_OPTIONS: '', PYTHONPATH: inFolder() } };
  try {
    return (await promisify(execFile)(program, given, options)).stdout;
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string };
    throw new Error(`${path.basename(program)} ${given[0]}: ${stdout}${stderr}`, { cause: error });
  }
}

const source = (name: string) => path.resolve('test/compatibility/clients', name);

(modules === null ? test.skip : test)('types by openapi-typescript', async () => {
  const generator = path.join(modules ?? '', '.bin', 'openapi-typescript');
  await run(generator, 'openapi.json', '--output', 'schema.d.ts');
  await symlink(modules ?? '', inFolder('node_modules'));
  await writeFile(inFolder('package.json'), '{ "type": "module" }');
  await writeFile(inFolder('tsconfig.json'), JSON.stringify(TSCONFIG));
  await copyFile(source('every-operation.ts'), inFolder('every-operation.ts'));
  await run(path.resolve('node_modules/.bin/tsc'), '--project', inFolder());
  const called = await run(process.execPath, 'every-operation.ts', ...args);
  expect(JSON.parse(called).sort()).toEqual(OPERATIONS);
});

(python === null ? test.skip : test)('a client by openapi-python-client', async () => {
  const bin = python ?? '';
  const config = { project_name_override: 'generated', package_name_override: 'generated', post_hooks: [] };
  await writeFile(inFolder('config.json'), JSON.stringify(config));
  const told = await run(
    path.join(bin, 'openapi-python-client'),
    ...['generate', '--path', 'openapi.json', '--config', 'config.json', '--meta', 'none', '--output-path'],
    ...['generated'],
  );
  // The generator warns about each part that it leaves out.
  expect(told).not.toMatch(/warning|error/i);
  await copyFile(source('every_operation.py'), inFolder('every_operation.py'));
  await run(path.join(bin, 'mypy'), '--strict', 'generated', 'every_operation.py');
  const called = await run(path.join(bin, 'python'), 'every_operation.py', ...args);
  expect(JSON.parse(called)).toEqual(OPERATIONS);
});
