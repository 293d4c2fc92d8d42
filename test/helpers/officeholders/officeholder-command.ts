import { beforeEach } from '@jest/globals';
import { createIo, createRunner, runToExit } from '../commands/command-io.ts';
import { useTestDatabase } from '../postgres/database.ts';
import { createCheckout } from './people-checkout.ts';

export const run = createRunner('officeholders');

export const NOW = new Date('2026-11-03T12:00:00Z');

/** A database without officeholders before each test of the file, and `officeholders import` for it. */
export function useOfficeholderCommand() {
  const database = useTestDatabase();
  const { client } = database;
  beforeEach(() => client.query('TRUNCATE officeholders, officeholder_seats, officeholder_load'));

  /** Imports a checkout with these files, by their paths below `data/`. */
  async function importFiles(
    files: Record<string, string | Buffer>,
    { now = NOW, options = [] as string[], below = '' } = {},
  ): Promise<{ status: number; told: string[]; printed: string[] }> {
    const checkout = await createCheckout(files);
    const io = createIo({ DATABASE_URL: database.url }, { now });
    const status = await runToExit(run, ['import', checkout.dir + below, ...options], io);
    await checkout.remove();
    const told = io.told.map((line) => line.replaceAll(`${checkout.dir}/data/`, ''));
    return { status, told, printed: io.printed.map((line) => line.trim().replaceAll(/\s+/g, ' ')) };
  }

  /** Every stored seat, as "name: office district", with the last transaction that wrote its person. */
  async function stored(): Promise<{ seats: string[]; xmin: string[]; updated: Record<string, string> }> {
    const { rows } = await client.query(`
      SELECT name || ': ' || office || ' ' || district AS seat, h.xmin::text, name, h.updated_at
      FROM officeholders h JOIN officeholder_seats s USING (person_id) ORDER BY name, person_id, rank`);
    return {
      seats: rows.map(({ seat }) => seat),
      xmin: rows.map(({ xmin }) => xmin),
      updated: Object.fromEntries(rows.map(({ name, updated_at }) => [name, updated_at.toISOString()])),
    };
  }

  return { client, importFiles, stored };
}
