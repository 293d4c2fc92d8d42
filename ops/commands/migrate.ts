/** `migrate`: brings the database to the newest schema. */

import { OperatorError } from '../../service/operator-error.ts';
import { migrate, SchemaMismatchError } from '../../store/migrations/migrate.ts';
import type { CommandIo } from '../command.ts';
import { createDatabaseConfig, readEnv } from '../config.ts';
import { withDatabase } from '../database.ts';

/**
 * Brings the database to the newest schema.
 *
 * @returns the names of the migrations that were applied now
 * @throws SettingError, OperatorError as withDatabase does, and OperatorError where the database does not belong to this program
 */
export async function migrateDatabase(databaseUrl: string): Promise<string[]> {
  return withDatabase(databaseUrl, 'ops', async (client) => {
    try {
      return await migrate(client);
    } catch (error) {
      if (error instanceof SchemaMismatchError) throw new OperatorError(error.message, { cause: error });
      throw error;
    }
  });
}

/** The command: see ops/command.ts. */
export async function run(args: string[], io: CommandIo): Promise<number> {
  if (args.length > 0) throw new OperatorError('usage: npm run ops -- migrate');
  const { databaseUrl } = createDatabaseConfig(readEnv(io.env));
  const applied = await migrateDatabase(databaseUrl);
  for (const name of applied) io.out(`applied ${name}`);
  if (applied.length === 0) io.out('The schema is as it should be.');
  return 0;
}
