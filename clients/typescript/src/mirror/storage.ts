import { StorageError } from '../errors.ts';
import { ENDORSEMENT_FILTER_FIELDS } from '../filter-fields.ts';
import type { EndorsementFilter } from '../types.ts';
import type { MirrorChange, MirroredEndorsement } from './record.ts';

/** A copy's position in the stream, and its filter. */
export interface MirrorPosition {
  cursor: string;
  /** The filter as text; equivalent filters have the same text. */
  filter: string;
}

/** A part of a copy, by the ids of endorsements. */
export interface IdRange {
  first_id: number;
  last_id: number;
}

/** Keeps a copy and its position. It always writes them together, so that they match after a crash at any moment. */
export interface MirrorStorage {
  /** The position of the copy; null if there is no copy yet. @throws StorageError if it holds something else */
  load(): Promise<MirrorPosition | null>;
  /** Applies changes, in order, and sets the position, in one commit. */
  commit(changes: readonly MirrorChange[], position: MirrorPosition): Promise<void>;
  /**
   * Replaces the whole copy in one commit. Until then, readers see the old one, which stays if the batches fail.
   *
   * @param finish returns the position, once all batches are read
   */
  replace(
    batches: AsyncIterable<readonly MirroredEndorsement[]>,
    finish: () => MirrorPosition,
  ): Promise<void>;
  /** An endorsement by its id; null if the copy does not have it. */
  get(id: number): Promise<MirroredEndorsement | null>;
  /** The copy or a part of it as of the first step, by id, in batches. */
  read(range?: IdRange): AsyncIterable<readonly MirroredEndorsement[]>;
  /** Resolves when all commits would survive a crash. */
  flush(): Promise<void>;
}

/** A filter whose fields and values are sorted, and its text. */
export interface NormalFilter {
  values: Readonly<Record<string, readonly string[]>>;
  text: string;
}

/** @throws TypeError for fields that a mirror cannot use, because only events or only lists have them */
export function normalizeFilter(filter: EndorsementFilter): NormalFilter {
  const unknown = Object.keys(filter).find(
    (name) => !(ENDORSEMENT_FILTER_FIELDS as readonly string[]).includes(name),
  );
  if (unknown !== undefined) {
    throw new TypeError(
      `A mirror has no filter field "${unknown}"; it has ${ENDORSEMENT_FILTER_FIELDS.join(', ')}.`,
    );
  }
  const given = ENDORSEMENT_FILTER_FIELDS.flatMap((field) => {
    const list = filter[field];
    return list === undefined ? [] : [[field, [...new Set<string>(list)].sort()] as const];
  });
  const values = Object.fromEntries(given);
  return { values, text: JSON.stringify(values) };
}

/** @throws StorageError if the copy has another filter */
export function requireFilter(position: MirrorPosition, { text }: NormalFilter): void {
  if (position.filter === text) return;
  throw new StorageError(
    `The storage holds a copy with the filter ${position.filter}, and this mirror has ${text}. ` +
      'Give each filter a storage of its own, or empty this one.',
  );
}
