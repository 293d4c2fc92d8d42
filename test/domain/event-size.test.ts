import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { ALWAYS_SMALL_BYTES, bytesOfEvent, refuseLargeEvent } from '../../domain/event-size.ts';
import { MAX_KEY, MAX_TITLE } from '../../schemas/catalogue/fields.ts';
import { MAX_EVENT_BYTES } from '../../schemas/event.ts';
import { pick } from '../helpers/ballots/submissions.ts';
import { change } from '../helpers/properties/arbitraries.ts';
import { renderEvent } from '../helpers/stream/render-event.ts';

/** More than the service adds to the texts: it counts the longest id. */
const SLACK = 600;
/** A text of a length near the bound, of characters that take between one and six bytes of JSON. */
const statement = fc
  .tuple(fc.constantFrom('a', 'é', '–', '😀', '"', '\0', '\u2028'), fc.integer({ min: 4000, max: 50_000 }))
  .map(([character, length]) => character.repeat(length));

test('INV-15: an accepted event has at most 48 KiB as JSON, and a refused one would have more', () => {
  let [accepted, refused] = [0, 0];
  fc.assert(
    fc.property(change, statement, (made, text) => {
      const { endorser, contest, election, choice } = made;
      const values = { statement: text, source_url: made.endorsement.source_url };
      const event = { ...made, endorsement: { ...made.endorsement, ...values } };
      const bytes = Buffer.byteLength(renderEvent(event));
      const refusal = refuseLargeEvent(pick('ann', values), { endorser, contest, election, choice });
      if (refusal) expect(bytes).toBeGreaterThan(MAX_EVENT_BYTES - SLACK);
      else expect(bytes).toBeLessThanOrEqual(MAX_EVENT_BYTES);
      if (refusal) refused += 1;
      else accepted += 1;
    }),
  );
  expect(Math.min(accepted, refused)).toBeGreaterThan(5);
});

test('the refusal names the choice and the sizes', () => {
  const [made] = fc.sample(change, { numRuns: 1, seed: 1 });
  if (!made) throw new Error('There is no sample.');
  expect(refuseLargeEvent(pick('ann', { statement: 'x'.repeat(60_000) }), made)).toEqual({
    code: 'event_too_large',
    message: expect.stringMatching(
      /^The event about "ann" would have 6\d,\d{3} bytes as JSON, and may have 49,152: shorten its statement\.$/,
    ),
  });
});

test('INV-15: an event with short texts fits beside the longest names, and hardly longer texts may not', () => {
  const [made] = fc.sample(change, { numRuns: 1, seed: 1 });
  if (!made) throw new Error('There is no sample.');
  const { endorser, contest, election, choice } = made;
  const id = 2 ** 31 - 1;
  const name = '😀'.repeat(MAX_TITLE);
  const key = '😀'.repeat(MAX_KEY);
  const place = {
    endorser: { ...endorser, id, slug: key, name, category: { slug: key, name }, state: 'national' as const },
    contest: {
      ...{ ...contest, id, title: name, short_title: name, measure_code: name },
      ...{ votes_allowed: id, ranks_allowed: id },
      district: { ...contest.district, id, name, ocd_id: key },
    },
    election: { ...election, id, slug: key, name },
    choice: { ...choice, id, label: name, candidate: { id, full_name: name }, party: name },
  };
  const short = { statement: '"'.repeat(ALWAYS_SMALL_BYTES), source_url: null };
  expect(bytesOfEvent(short, place)).toBeLessThanOrEqual(MAX_EVENT_BYTES);
  expect(bytesOfEvent({ ...short, source_url: '"'.repeat(1000) }, place)).toBeGreaterThan(MAX_EVENT_BYTES);
  const inSource = { statement: null, source_url: short.statement };
  expect(refuseLargeEvent(pick('ann', inSource), place)).toBeUndefined();
  const longer = { ...inSource, source_url: `${inSource.source_url}${'"'.repeat(500)}` };
  expect(refuseLargeEvent(pick('ann', longer), place)).toMatchObject({ code: 'event_too_large' });
});
