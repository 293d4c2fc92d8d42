import { createReadStream } from 'node:fs';
import { type ConnectionName, findUnacknowledged } from './tcp-table.ts';

const TABLES = ['/proc/net/tcp', '/proc/net/tcp6'];
/** The most of each table that is read: 100,000 connections. */
const MAX_BYTES = 16 * 1024 * 1024;

/**
 * The connections of this machine, or of this container, whose other end does not acknowledge. Empty elsewhere than on
 * Linux. The tables are read in pieces, so that other work continues.
 */
export async function readUnacknowledged(
  tables: readonly string[] = TABLES,
): Promise<ReadonlySet<ConnectionName>> {
  const found = new Set<ConnectionName>();
  for (const table of tables) await readTable(table, found).catch(() => {});
  return found;
}

async function readTable(path: string, found: Set<ConnectionName>): Promise<void> {
  let rest = '';
  for await (const piece of createReadStream(path, { encoding: 'latin1', end: MAX_BYTES - 1 })) {
    const rows = `${rest}${piece}`.split('\n');
    rest = rows.pop() ?? '';
    for (const row of rows) {
      const name = findUnacknowledged(row);
      if (name) found.add(name);
    }
  }
}
