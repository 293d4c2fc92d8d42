import { LRUCache } from 'lru-cache';
import type { BallotContest } from '../../domain/decide-batch.ts';
import type { Position } from '../../domain/position.ts';
import type { ChangeBody } from '../../schemas/change.ts';
import { createLruCache } from '../../service/lru-cache.ts';
import type { StreamHead } from '../../store/stream/change-log.ts';

/** An endorser's picks in a contest, and the ids of their endorsements by choice key. */
export interface CachedPosition {
  picks: Position;
  ids: ReadonlyMap<string, number>;
}

const MAX_ENDORSERS = 10_000;
/** The approximate limit of the contests' size, in characters of their JSON. */
const MAX_CONTEST_SIZE = 64 * 1024 * 1024;
/** The approximate limit of the positions' size, in characters. */
const MAX_POSITION_SIZE = 32 * 1024 * 1024;
/** The approximate size of a pick without its texts, in characters. */
const PICK_OVERHEAD = 200;

/** The approximate size of a position, in characters. */
export function sizeOfPosition({ picks }: CachedPosition): number {
  let size = PICK_OVERHEAD;
  for (const { statement, statement_es, source_url, details } of picks.values()) {
    const texts = [statement, statement_es, source_url, details];
    size += texts.reduce((sum, text) => sum + (text?.length ?? 0), PICK_OVERHEAD);
  }
  return size;
}

const sizeOfContest = ({ choices, ...rest }: BallotContest): number =>
  JSON.stringify([rest, ...choices.values()]).length;

/**
 * Keeps a leader's view of the store between transactions. Only the leader applies submissions, so positions
 * stay current until another writer moves the head of the stream, and the catalogue until its version
 * changes. Both are read under the lock on the head.
 */
export class BallotCache {
  /** By slug. */
  readonly endorsers = createLruCache<string, ChangeBody['endorser']>(MAX_ENDORSERS);
  /** By key. */
  readonly contests = new LRUCache<string, BallotContest>({
    maxSize: MAX_CONTEST_SIZE,
    sizeCalculation: sizeOfContest,
  });
  /** By `positionKey`. */
  readonly positions = new LRUCache<string, CachedPosition>({
    maxSize: MAX_POSITION_SIZE,
    sizeCalculation: sizeOfPosition,
  });
  #catalogueVersion = '';
  #head = '';

  /** Drops everything that may have changed. Call it at the beginning of a transaction, with the head locked. */
  invalidate(head: StreamHead, catalogueVersion: string): void {
    const isSameCatalogue = catalogueVersion === this.#catalogueVersion;
    if (!isSameCatalogue) {
      this.endorsers.clear();
      this.contests.clear();
    }
    if (!isSameCatalogue || head.hasStale || headKey(head) !== this.#head) this.positions.clear();
    this.#catalogueVersion = catalogueVersion;
  }

  /** Stores the head after a committed transaction. */
  noteCommitted(head: Pick<StreamHead, 'epoch' | 'lastSequence'>): void {
    this.#head = headKey(head);
  }

  /** Drops what a transaction writes, after a rollback or an unknown commit outcome. */
  clear(): void {
    this.positions.clear();
  }
}

function headKey({ epoch, lastSequence }: Pick<StreamHead, 'epoch' | 'lastSequence'>): string {
  return `${epoch} ${lastSequence}`;
}
