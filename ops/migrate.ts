/** `migrate`: brings the database to the newest schema. */
import { migrate, SchemaMismatchError } from '../store/migrate.ts';
import type { CommandIo } from './command.ts';
import { createDatabaseConfig, readEnv } from './config.ts';
import { withDatabase } from './database.ts';
import { OpsError } from './ops-error.ts';

/**
 * Brings the database to the newest schema.
 *
 * @returns the names of the migrations that were applied now
 * @throws SettingError, OpsError as withDatabase does, and OpsError where the database does not belong to this program
 */
export async function migrateDatabase(databaseUrl: string): Promise<string[]> {
  return withDatabase(databaseUrl, 'ops', async (client) => {
    try {
      return await migrate(client);
    } catch (error) {
      if (error instanceof SchemaMismatchError) throw new OpsError(error.message, { cause: error });
      throw error;
    }
  });
}

/** The command: see ops/command.ts. */
export async function run(args: string[], io: CommandIo): Promise<number> {
  if (args.length > 0) throw new OpsError('usage: npm run ops -- migrate');
  const { databaseUrl } = createDatabaseConfig(readEnv(io.env));
  const applied = await migrateDatabase(databaseUrl);
  for (const name of applied) io.out(`applied ${name}`);
  if (applied.length === 0) io.out('The schema is as it should be.');
  return 0;
}
