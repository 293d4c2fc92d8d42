/** A change that was announced to clients. */
export interface AnnouncedChange {
  epoch: number;
  sequence: number;
  /** The event's id. */
  id: string;
}

/** The history that the store holds. */
export interface StoredHistory {
  epoch: number;
  /** The sequence of the newest change. */
  lastSequence: number;
  /** The id that the store has for the announced sequence; null if its change log no longer has that change. */
  announcedId: string | null;
}

const REMEDY =
  'Stop the consumers and gateways, and follow "A restored Postgres" in docs/operations/recovery.md, which ends with ' +
  '"npm run ops -- stream new-epoch".';

/**
 * Compares the store's history with the newest change that was announced. A store that was restored from a backup lacks
 * announced changes, or would number other changes alike: every copy would silently be wrong.
 *
 * @returns a sentence that says how they differ and what to do, or null if they agree
 */
export function findHistoryConflict(announced: AnnouncedChange | null, stored: StoredHistory): string | null {
  if (announced === null || announced.epoch < stored.epoch) return null;
  const { epoch, sequence, id } = announced;
  if (epoch > stored.epoch) {
    return `Kafka has announced changes of epoch ${epoch}, but the database is at epoch ${stored.epoch}: it is older. ${REMEDY}`;
  }
  if (sequence > stored.lastSequence) {
    return `Kafka has announced change ${sequence}, but the database ends at change ${stored.lastSequence}: it lacks changes. ${REMEDY}`;
  }
  if (stored.announcedId !== null && stored.announcedId !== id) {
    return `Change ${sequence} in the database is another one than Kafka has announced: the histories differ. ${REMEDY}`;
  }
  return null;
}
