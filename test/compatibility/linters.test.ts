/** Linters accept the OpenAPI description. Skips without them; `.ci/openapi-linters` installs them. */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from '@jest/globals';
import { createOpenApi } from '../../gateway/http/openapi.ts';
import { routes } from '../../gateway/routes/index.ts';
import { useFolder } from '../helpers/use-folder.ts';

const LINTERS = path.resolve('.cache/openapi-linters');
const lintTest = existsSync(path.join(LINTERS, 'stamp')) ? test : test.skip;
/** Neither linter uses the network. */
const OFFLINE = { REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true', NODE_OPTIONS: '' };

interface Findings {
  status: number;
  output: string;
}

const inFolder = useFolder();

/** Runs a linter on a description. */
async function lint(description: object, program: string, ...args: string[]): Promise<Findings> {
  const file = inFolder('openapi.json');
  await writeFile(file, JSON.stringify(description));
  const command = path.join(LINTERS, 'node_modules/.bin', program);
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      [command, 'lint', file, ...args],
      { env: { ...process.env, ...OFFLINE } },
      (error, stdout) => resolve({ status: error === null ? 0 : Number(error.code), output: stdout }),
    );
  });
}

const redocly = (description: object) =>
  lint(description, 'redocly', '--config', 'test/compatibility/redocly.yaml', '--format', 'json');
const spectral = (description: object) =>
  lint(
    description,
    'spectral',
    '--ruleset',
    'test/compatibility/spectral.yaml',
    '--format',
    'json',
    '--quiet',
  );

lintTest('Redocly finds nothing', async () => {
  const { output } = await redocly(createOpenApi(routes));
  expect(JSON.parse(output)).toMatchObject({ totals: { errors: 0, warnings: 0 }, problems: [] });
});

lintTest('Spectral finds nothing', async () => {
  expect(await spectral(createOpenApi(routes))).toMatchObject({
    status: 0,
    output: expect.stringMatching(/^\[\]/),
  });
});

lintTest('both find an operation without a name', async () => {
  const document = JSON.parse(JSON.stringify(createOpenApi(routes)));
  delete document.paths['/v1/states'].get.operationId;
  expect((await redocly(document)).output).toContain('operation-operationId');
  expect((await spectral(document)).output).toContain('operation-operationId');
});
