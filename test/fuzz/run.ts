/*
 * `npm run test:fuzz [-- --examples N]`: schemathesis asks a running service whatever its own OpenAPI description lets
 * it think of, good and bad, and holds every answer to that description: no 5xx, no undocumented status, no body
 * outside of its schema. The stream and long polls, which wait, are left out.
 *
 * One of its checks is off: that whatever fits the schema is accepted. A cursor, or a slug in a saved filter, is refused
 * when nobody has it, and no schema can say so.
 */
import path from 'node:path';
import { parseArgs } from 'node:util';
import { run } from '../../ops/officeholders.ts';
import { installPythonPackage, runProgram } from '../helpers/python.ts';
import { startSystem } from '../helpers/system.ts';
import { createIo } from '../ops/catalog-helpers.ts';
import { createCheckout, person, role } from '../ops/officeholders-helpers.ts';

const VERSION = '4.32.5';
/** Without officeholders their endpoints would answer 503, as documented, and nothing else. */
async function loadOfficeholders(databaseUrl: string): Promise<void> {
  const { dir, remove } = await createCheckout({
    'or/legislature/ann.yml': person(1, 'Ann Álvarez', [role('lower', 'state:or', { district: 7 })]),
    'or/executive/bob.yml': person(2, 'Bob 100%', [role('governor', 'state:or')]),
  });
  await run(['import', dir], createIo({ DATABASE_URL: databaseUrl }));
  await remove();
}

const { values } = parseArgs({ options: { examples: { type: 'string', default: '300' } } });
const programs = await installPythonPackage('schemathesis', VERSION);
if (programs === null) process.exit(1);
const system = await startSystem();
try {
  await loadOfficeholders(system.databaseUrl);
  process.exitCode = await runProgram(path.join(programs, 'schemathesis'), [
    'run',
    `${system.base}/openapi.json`,
    `--header=Authorization: Bearer ${system.key}`,
    '--exclude-path=/v1/stream',
    '--exclude-path=/v1/events',
    '--exclude-checks=positive_data_acceptance',
    '--phases=examples,coverage,fuzzing',
    `--max-examples=${values.examples}`,
    '--workers=2',
    '--no-color',
  ]);
} finally {
  await system.stop();
}
