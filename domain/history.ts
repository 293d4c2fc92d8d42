/** A published change. */
export interface PublishedChange {
  epoch: number;
  sequence: number;
  /** The event's id. */
  id: string;
}

/** The history in the store. */
export interface StoredHistory {
  epoch: number;
  /** The sequence of the newest change. */
  lastSequence: number;
  /** The id that the store has for the published sequence; null if its change log no longer has that change. */
  announcedId: string | null;
}

const REMEDY =
  'Stop the consumers and gateways, and follow "A restored Postgres" in docs/operations/recovery.md, which ends with ' +
  '"npm run ops -- stream new-epoch".';

/**
 * Compares the store's history with the newest published change. A store that was restored from a backup
 * lacks published changes, or would give their numbers to other changes: every copy would silently be wrong.
 *
 * @returns a sentence that names the difference and the remedy, or null if the histories agree
 */
export function findHistoryConflict(published: PublishedChange | null, stored: StoredHistory): string | null {
  if (published === null || published.epoch < stored.epoch) return null;
  const { epoch, sequence, id } = published;
  if (epoch > stored.epoch) {
    return `Kafka has published changes of epoch ${epoch}, but the database is at the older epoch ${stored.epoch}. ${REMEDY}`;
  }
  if (sequence > stored.lastSequence) {
    return `Kafka has published change ${sequence}, but the database ends at change ${stored.lastSequence}: it lacks changes. ${REMEDY}`;
  }
  if (stored.announcedId !== null && stored.announcedId !== id) {
    return `Change ${sequence} in the database differs from the one that Kafka has published: the histories differ. ${REMEDY}`;
  }
  return null;
}
