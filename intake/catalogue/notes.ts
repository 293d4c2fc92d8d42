import { shorten } from '../../schemas/problems.ts';

/** Notes for people on an import: defaults that were taken, parts that were left out, and decisions. */
export const NOTE_KINDS = ['assumed', 'left out', 'to check'] as const;
export type NoteKind = (typeof NOTE_KINDS)[number];

/** A kind of note, counted, with the first records that it is about. */
export interface Note {
  kind: NoteKind;
  /** A sentence without its full stop, such as `the level is taken from the type of the district`. */
  message: string;
  count: number;
  examples: string[];
}

/** The most messages that are counted separately. */
const MAX_NOTES = 500;
/** The most examples of each message. A person looks at every record that is to be checked. */
const MAX_EXAMPLES: Record<NoteKind, number> = { assumed: 5, 'left out': 5, 'to check': 200 };
const MAX_EXAMPLE = 120;

/** Collects notes in bounded memory. */
export class Notes {
  readonly #notes = new Map<string, Note>();

  /** @param example the record that the note is about, in words */
  add(kind: NoteKind, message: string, example?: string, count = 1): void {
    const name = `${kind} ${message}`;
    let note = this.#notes.get(name);
    if (!note) {
      if (this.#notes.size >= MAX_NOTES) return;
      note = { kind, message, count: 0, examples: [] };
      this.#notes.set(name, note);
    }
    note.count += count;
    if (example === undefined || note.examples.length >= MAX_EXAMPLES[kind]) return;
    const shown = shorten(example, MAX_EXAMPLE);
    if (!note.examples.includes(shown)) note.examples.push(shown);
  }

  /** All notes by kind, the most frequent first. */
  get all(): Note[] {
    return [...this.#notes.values()].sort(
      (a, b) =>
        NOTE_KINDS.indexOf(a.kind) - NOTE_KINDS.indexOf(b.kind) ||
        b.count - a.count ||
        (a.message < b.message ? -1 : 1),
    );
  }
}
