import { LRUCache } from 'lru-cache';
import type { BallotContest } from '../../domain/decide-batch.ts';
import type { Position } from '../../domain/position.ts';
import type { ChangeBody } from '../../schemas/change.ts';
import type { StreamHead } from '../../store/stream/change-log.ts';

/** An endorser's picks in a contest, and the ids of their endorsements by choice key. */
export interface CachedPosition {
  picks: Position;
  ids: ReadonlyMap<string, number>;
}

const MAX_ENDORSERS = 10_000;
const MAX_CONTESTS = 10_000;
const MAX_POSITIONS = 100_000;
/** The most characters of positions, about. */
const MAX_POSITION_SIZE = 32 * 1024 * 1024;
/** The size of a pick beside its texts, about, in characters. */
const PICK_OVERHEAD = 200;

function sizeOf({ picks }: CachedPosition): number {
  let size = PICK_OVERHEAD;
  for (const { statement, statement_es, details } of picks.values()) {
    size += PICK_OVERHEAD + (statement?.length ?? 0) + (statement_es?.length ?? 0) + (details?.length ?? 0);
  }
  return size;
}

/**
 * A leader keeps parts of the store here from one transaction to the next. Only it applies submissions, so positions
 * stay as it left them until somebody else moves the head of the stream, and the catalogue stays until its version changes.
 * Both are read under the lock on the head.
 */
export class BallotCache {
  /** By slug. */
  readonly endorsers = new LRUCache<string, ChangeBody['endorser']>({ max: MAX_ENDORSERS });
  /** By key. */
  readonly contests = new LRUCache<string, BallotContest>({ max: MAX_CONTESTS });
  /** By `positionKey`. */
  readonly positions = new LRUCache<string, CachedPosition>({
    max: MAX_POSITIONS,
    maxSize: MAX_POSITION_SIZE,
    sizeCalculation: sizeOf,
  });
  #catalogueVersion = '';
  #head = '';

  /** Drops everything that may be different now. To be called at the beginning of a transaction, with the head locked. */
  invalidate(head: StreamHead, catalogueVersion: string): void {
    const isSameCatalogue = catalogueVersion === this.#catalogueVersion;
    if (!isSameCatalogue) {
      this.endorsers.clear();
      this.contests.clear();
    }
    if (!isSameCatalogue || head.hasStale || headKey(head) !== this.#head) this.positions.clear();
    this.#catalogueVersion = catalogueVersion;
  }

  /** Notes the head after a transaction that was committed. */
  noteCommitted(head: Pick<StreamHead, 'epoch' | 'lastSequence'>): void {
    this.#head = headKey(head);
  }

  /** Drops everything: after a rollback or an unknown commit outcome. */
  clear(): void {
    this.#head = '';
    this.#catalogueVersion = '';
    this.positions.clear();
    this.endorsers.clear();
    this.contests.clear();
  }
}

function headKey({ epoch, lastSequence }: Pick<StreamHead, 'epoch' | 'lastSequence'>): string {
  return `${epoch} ${lastSequence}`;
}
