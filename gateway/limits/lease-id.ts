import { randomBytes } from 'node:crypto';

/**
 * Creates the id of a lease: a UUID of version 7, so that leases sort by age in the database, also after they were
 * restored.
 *
 * @param now milliseconds since 1970
 */
export function createLeaseId(now: number): string {
  const bytes = randomBytes(16);
  bytes.writeUIntBE(Math.floor(now), 0, 6);
  bytes[6] = 0x70 | ((bytes[6] ?? 0) & 0x0f);
  bytes[8] = 0x80 | ((bytes[8] ?? 0) & 0x3f);
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}
