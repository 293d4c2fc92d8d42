import type { Logger } from '../service/log.ts';
import { undecodableRecords } from './metrics.ts';
import type { EventAt, RenderedEvent } from './rendered-event.ts';
import { type DecodeFailure, packChanges, unpackChanges } from './transferable-changes.ts';
import type { ChangeRecord } from './transferable-records.ts';

/** Counts and logs records that could not be decoded. */
export function reportFailures(failures: readonly DecodeFailure[], log: Logger): void {
  for (const { offset, reason } of failures) {
    undecodableRecords.inc();
    log.error({ reason, offset }, 'a record of the changes topic cannot be decoded; it is skipped');
  }
}

/**
 * Decodes records of the changes topic into events. Records that cannot be decoded are counted, logged and
 * left out. Changes of another epoch are left out.
 *
 * @returns the events, and the highest epoch that was left out; null if none is higher than `epoch`
 */
export function readEvents(
  records: readonly ChangeRecord[],
  epoch: number,
  log: Logger,
): { entriesAt: EventAt[]; laterEpoch: number | null } {
  const changes = packChanges(records, epoch);
  reportFailures(changes.failures, log);
  return { entriesAt: unpackChanges(changes), laterEpoch: changes.laterEpoch };
}

/**
 * Creates the events of changes that do not come from a partition.
 *
 * @param values changes of one epoch, as `changeCodec` writes them
 */
export function createEvents(values: readonly Buffer[], epoch: number): RenderedEvent[] {
  const records = values.map((value, offset) => ({ offset, value }));
  return unpackChanges(packChanges(records, epoch)).map(({ event }) => event);
}
