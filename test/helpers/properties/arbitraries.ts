/** Values in the service's own forms, for property tests. */
import fc from 'fast-check';
import type { Change } from '../../../schemas/change.ts';
import type { Cursor } from '../../../schemas/cursor.ts';
import {
  type Rejection,
  SUBMISSION_ACTIONS,
  type Submission,
  type SubmittedPick,
} from '../../../schemas/submission.ts';
import {
  CHANGE_TYPES,
  CONTEST_KINDS,
  ELECTION_TYPES,
  ENDORSER_STATES,
  LEVELS,
  STATE_CODES,
  VOTE_METHODS,
} from '../../../schemas/vocabulary.ts';

const AWKWARD = ['\r', '\n', '\r\n', '\u0085', '\u2028', '\u2029', '\0', '"', '\\', 'é', '\ufeff', '😀'];

const SURROGATES = { first: 0xd800, count: 0x800 };
/**
 * Any character of UTF-8. fast-check's own unit `binary`, which its `webUrl` also uses, takes a second to set up.
 */
export const character: fc.Arbitrary<string> = fc
  .nat(0x10ffff - SURROGATES.count)
  .map((point) => String.fromCodePoint(point < SURROGATES.first ? point : point + SURROGATES.count));

/** Any text of UTF-8, rich in line breaks and characters that JSON must escape. */
export const text: fc.Arbitrary<string> = fc.string({
  unit: fc.oneof(fc.constantFrom(...AWKWARD), character),
  maxLength: 20,
});

export const webUrl: fc.Arbitrary<string> = fc
  .tuple(fc.domain(), fc.array(text, { maxLength: 3 }))
  .map(([host, path]) => `https://${[host, ...path.map(encodeURIComponent)].join('/')}`);

export const nullable = <T>(values: fc.Arbitrary<T>): fc.Arbitrary<T | null> =>
  fc.option(values, { nil: null });

/** Whole numbers of every size that a double holds exactly, with the edges of varints. */
const wholeNumber: fc.Arbitrary<number> = fc.oneof(
  fc.nat(300),
  fc.nat(),
  fc.maxSafeNat(),
  fc.constantFrom(0, 127, 128, 16_383, 16_384, 2 ** 31, 2 ** 32, 2 ** 49, Number.MAX_SAFE_INTEGER),
);

export const cursor: fc.Arbitrary<Cursor> = fc.record({
  epoch: wholeNumber,
  sequence: wholeNumber,
  time: wholeNumber,
  offsets: fc.array(wholeNumber, { maxLength: 100, size: 'max' }),
});

const id = fc.integer({ min: 1, max: 2 ** 52 });
const date = fc
  .date({ min: new Date('2000-01-01'), max: new Date('2099-12-31'), noInvalidDate: true })
  .map((day) => day.toISOString().slice(0, 10));
const rank = nullable(fc.integer({ min: 1, max: 1000 }));

/** A pick of one of the choices, with or without its nullable fields. */
export const pickOf = (choice: fc.Arbitrary<string>): fc.Arbitrary<SubmittedPick> =>
  fc.record({
    choice,
    rank,
    statement: nullable(text),
    statement_es: nullable(text),
    source_url: nullable(webUrl),
    published_on: nullable(date),
    details: nullable(fc.constantFrom('{}', '{"a":1}')),
  });

export const submission: fc.Arbitrary<Submission> = fc.record({
  action: fc.constantFrom(...SUBMISSION_ACTIONS),
  endorser: text,
  contest: text,
  picks: fc.array(pickOf(text), { maxLength: 5 }),
});

export const rejection: fc.Arbitrary<Rejection> = fc.record({
  code: text,
  message: text,
  topic: text,
  partition: fc.nat(),
  offset: id,
  rejected_at: id,
  value: nullable(fc.uint8Array().map((bytes) => Buffer.from(bytes))),
  last_offset: nullable(id),
  truncated: nullable(fc.record({ size: id, sha256: fc.uint8Array().map((bytes) => Buffer.from(bytes)) })),
});

const time = fc.integer({ min: 0, max: Date.UTC(2100, 0) });
const named = { id, slug: text, name: text };

/** A text of characters that ids of events can have. */
const eventId = fc.string({ unit: fc.constantFrom(...'0189avAZ-_.'), minLength: 1, maxLength: 60 });

export const change: fc.Arbitrary<Change> = fc.record({
  epoch: id,
  sequence: id,
  id: eventId,
  type: fc.constantFrom(...CHANGE_TYPES),
  occurred_at: time,
  endorsement: fc.record({
    id,
    rank,
    statement: nullable(text),
    source_url: nullable(text),
    published_on: nullable(date),
  }),
  endorser: fc.record({
    ...named,
    category: fc.record({ slug: text, name: text }),
    state: fc.constantFrom(...ENDORSER_STATES),
  }),
  contest: fc.record({
    id,
    title: text,
    short_title: text,
    kind: fc.constantFrom(...CONTEST_KINDS),
    vote_method: fc.constantFrom(...VOTE_METHODS),
    votes_allowed: nullable(fc.nat()),
    ranks_allowed: nullable(fc.nat()),
    measure_code: nullable(text),
    district: fc.record({
      id,
      name: text,
      level: fc.constantFrom(...LEVELS),
      ocd_id: nullable(text),
      state: nullable(fc.constantFrom(...STATE_CODES)),
    }),
  }),
  election: fc.record({
    ...named,
    date,
    state: fc.constantFrom(...STATE_CODES),
    type: fc.constantFrom(...ELECTION_TYPES),
  }),
  choice: fc.record({
    id,
    label: text,
    measure_answer: nullable(fc.constantFrom('yes', 'no')),
    candidate: nullable(fc.record({ id, full_name: text })),
    party: nullable(text),
    withdrawn: fc.boolean(),
  }),
});
