import { OperatorError } from '../../service/operator-error.ts';
import { readEnv } from '../../service/running-service.ts';
import { migrate, SchemaMismatchError } from '../../store/migrations/migrate.ts';
import type { DefineCommand } from '../command.ts';
import { createDatabaseConfig } from '../config.ts';
import { withDatabase } from '../database.ts';

const EXAMPLE = `
Example:
  npm run ops -- migrate`;

/** `migrate`. */
export const define: DefineCommand = (command, io) => {
  command.addHelpText('after', EXAMPLE);
  command.action(async () => {
    const { databaseUrl } = createDatabaseConfig(readEnv(io.env));
    const applied = await migrateDatabase(databaseUrl);
    for (const name of applied) io.out(`applied ${name}`);
    if (applied.length === 0) io.out('The schema is up to date.');
  });
};

/**
 * Brings the database to the newest schema.
 *
 * @returns the names of the newly applied migrations
 * @throws SettingError, OperatorError as withDatabase does
 * @throws OperatorError if a newer version, or one before 1.0.0, made the schema, or if Postgres is too old
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
