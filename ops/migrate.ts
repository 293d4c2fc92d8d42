/** `migrate`: brings the database to the newest schema. */
import { migrate } from '../store/migrate.ts';
import type { CommandIo } from './command.ts';
import { createDatabaseConfig, readEnv } from './config.ts';
import { requireDatabase } from './database.ts';
import { OpsError } from './ops-error.ts';

/** The command: see ops/command.ts. */
export async function run(args: string[], io: CommandIo): Promise<number> {
  if (args.length > 0) throw new OpsError('usage: npm run ops -- migrate');
  const { databaseUrl } = createDatabaseConfig(readEnv(io.env));
  await requireDatabase(databaseUrl);
  const applied = await migrate(databaseUrl);
  for (const name of applied) io.out(`applied ${name}`);
  if (applied.length === 0) io.out('The schema is as it should be.');
  return 0;
}
