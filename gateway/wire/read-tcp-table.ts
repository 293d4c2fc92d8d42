import { createReadStream } from 'node:fs';
import { type ConnectionName, findWaiting, type WaitingBytes } from './tcp-table.ts';

const TABLES = ['/proc/net/tcp', '/proc/net/tcp6'];
/** The most of each table that is read: 100,000 connections. */
const MAX_BYTES = 16 * 1024 * 1024;

/**
 * The connections of this machine, or of this container, for which bytes wait. Empty elsewhere than on Linux. The tables
 * are read in pieces, so that other work continues.
 */
export async function readWaiting(
  tables: readonly string[] = TABLES,
): Promise<ReadonlyMap<ConnectionName, WaitingBytes>> {
  const found = new Map<ConnectionName, WaitingBytes>();
  for (const table of tables) await readTable(table, found).catch(() => {});
  return found;
}

async function readTable(path: string, found: Map<ConnectionName, WaitingBytes>): Promise<void> {
  let rest = '';
  for await (const piece of createReadStream(path, { encoding: 'latin1', end: MAX_BYTES - 1 })) {
    const rows = `${rest}${piece}`.split('\n');
    rest = rows.pop() ?? '';
    for (const row of rows) {
      const waiting = findWaiting(row);
      if (waiting) found.set(waiting.connection, waiting);
    }
  }
}
