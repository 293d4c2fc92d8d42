import type { ClientBase } from 'pg';

/** The version of the catalogue. Every edit changes it. */
export async function loadCatalogueVersion(client: ClientBase): Promise<string> {
  const { rows } = await client.query<{ version: string }>({
    name: 'catalogue-version',
    text: `SELECT version FROM data_versions WHERE part = 'catalogue'`,
  });
  if (!rows[0]) throw new Error('The table data_versions has no row of the catalogue.');
  return rows[0].version;
}
