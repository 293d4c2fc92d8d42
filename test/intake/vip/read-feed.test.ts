import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { FeedError } from '../../../intake/vip/feed-error.ts';
import { readFeed } from '../../../intake/vip/read-feed.ts';
import { mapText, pieces } from '../../helpers/feeds/map-text.ts';
import { BALLOT, ELECTION, object, texts, writeFeed } from '../../helpers/feeds/vip-feed.ts';

const FEED = writeFeed(BALLOT);
const failure = async (file: string | Uint8Array) =>
  readFeed(pieces(file)).then(
    () => null,
    (error: unknown) => error as Error,
  );

test('a feed is read alike in pieces of any length', async () => {
  const whole = await readFeed(pieces(FEED, FEED.length));
  expect(whole.counts.get('CandidateContest')).toBe(3);
  expect(whole.objects.has('PollingLocation')).toBe(false);
  for (const length of [1, 7, 4_096]) expect(await readFeed(pieces(FEED, length))).toEqual(whole);
});

test('references that are repeated, as in version 5.0, are a list', async () => {
  const repeated = FEED.replaceAll(
    /<(BallotSelection|Candidate)Ids>([^<]*)<\/\1Ids>/g,
    (_, name: string, ids: string) =>
      ids
        .split(' ')
        .map((id) => `<${name}Id>${id}</${name}Id>`)
        .join(''),
  );
  expect(repeated).not.toBe(FEED);
  expect((await mapText(repeated)).records).toEqual((await mapText(FEED)).records);
});

test.each([
  ['booleans', /(?<=>)true(?=<)/g, 'True'],
  ['booleans', /(?<=>)true(?=<)/g, '1'],
  ['statuses', /(?<=>)withdrawn(?=<)/g, 'Withdrawn'],
  ['methods of votes', /(?<=>)n-of-m(?=<)/g, 'N-of-M'],
])('%s are read in other words too: %s as %s', async (_name, given, capital) => {
  const written = FEED.replaceAll(given, capital);
  expect(written).not.toBe(FEED);
  expect((await mapText(written)).records).toEqual((await mapText(FEED)).records);
});

describe('the encoding of a feed is recognised:', () => {
  const named = (encoding: string) => FEED.replace('version="1.0"', `version="1.0" encoding="${encoding}"`);
  test.each([
    ['UTF-8 with a byte-order mark', Buffer.from(`\ufeff${FEED}`)],
    ['UTF-8 by its mark, whatever the declaration says', Buffer.from(`\ufeff${named('ISO-8859-1')}`)],
    // A program that writes its text to UTF-8 can declare the encoding of the text in its memory.
    ['UTF-8 that calls itself UTF-16 in letters of one byte', Buffer.from(named('utf-16'))],
    ['UTF-16 with a byte-order mark', Buffer.from(`\ufeff${named('UTF-16')}`, 'utf16le')],
    ['UTF-16 without one', Buffer.from(named('UTF-16'), 'utf16le')],
    ['big-endian UTF-16 with a byte-order mark', Buffer.from(`\ufeff${named('UTF-16')}`, 'utf16le').swap16()],
    ['big-endian UTF-16 without one', Buffer.from(named('UTF-16'), 'utf16le').swap16()],
    ['Latin-1 by the declaration', Buffer.from(named('ISO-8859-1'), 'latin1')],
  ])('%s', async (_name, bytes) => {
    const { records } = await mapText(bytes);
    expect(records[0]?.record).toMatchObject({ name_es: 'Elección general' });
    expect(await readFeed(pieces(bytes, 1))).toEqual(await readFeed(pieces(bytes)));
  });
});

describe('a file is refused in one sentence:', () => {
  const inVip = (content: string) => `<VipObject schemaVersion="5.2">${content}</VipObject>`;
  test.each([
    ['an empty file', '', 'The file is empty: it must be a feed of the Voting Information Project.'],
    ['a page', '<html><body/></html>', /^The file is XML that begins with <html>, not a feed/],
    [
      'an older version',
      FEED.replace('5.2', '3.0'),
      'The feed has schemaVersion "3.0"; the versions 5.1, 5.2 and 6.0 are read.',
    ],
    ['a newer version', FEED.replace('5.2', '7.0'), /^The feed has schemaVersion "7.0"/],
    ['no version', FEED.replace(' schemaVersion="5.2"', ''), /^The feed has schemaVersion missing/],
    [
      'a truncated feed',
      FEED.slice(0, FEED.length / 2),
      /^The file ends within <.*>, before <\/VipObject>: it is truncated/,
    ],
    [
      'a feed that is cut within a character',
      Buffer.from('<VipObject schemaVersion="5.2"><Party id="p"><Name>ñ').subarray(0, -1),
      /^The file ends within <Name>, before <\/VipObject>: it is truncated/,
    ],
    [
      'a feed without its last tag',
      FEED.slice(0, FEED.lastIndexOf('</')),
      /^The file ends within <VipObject>/,
    ],
    [
      'tags that do not match',
      inVip('<a></b>'),
      /^The file is not well-formed XML, in line 1: unexpected close tag/,
    ],
    ['a document type', `<!DOCTYPE x [<!ENTITY a "b">]>${FEED.slice(22)}`, /^The file has a document type/],
    [
      'an unknown entity',
      inVip('<State id="s"><Name>&lol;</Name></State>'),
      /^Line 1 has an entity that XML does not define/,
    ],
    [
      'a repeated id',
      inVip('<Party id="p"/>\n<Party id="p"/>'),
      'Line 2: the Party has the id "p" of the one in line 1, so that references to it are ambiguous.',
    ],
    ['no id', inVip('<Party/>'), 'Line 1: the Party has no id.'],
    ['deep nesting', inVip('<a>'.repeat(40)), /^Line 1 is nested more than 32 levels deep/],
    [
      'bytes that are not UTF-8',
      Buffer.from(inVip('ñ'), 'latin1'),
      'The file has bytes that are not UTF-8, its encoding.',
    ],
    [
      'an unknown encoding',
      '<?xml version="1.0" encoding="klingon"?><VipObject/>',
      /^The file says that its encoding is klingon/,
    ],
  ])('%s', async (_name, file, message) => {
    const error = await failure(file);
    expect(error).toBeInstanceOf(FeedError);
    expect(error?.message).toEqual(typeof message === 'string' ? message : expect.stringMatching(message));
  });

  test('a text that never ends', async () => {
    const error = await failure(
      `<VipObject schemaVersion="5.2"><State id="s"><Name>${'x'.repeat(9_000_000)}`,
    );
    expect(error?.message).toBe('Line 1 has a text or tag of more than 8,388,608 characters.');
  });

  test('ballots of more bytes than are kept', async () => {
    const party = (index: number) => object('Party', `p${index}`, texts('Name', 'x'.repeat(1_000)));
    const feed = writeFeed(Array.from({ length: 100 }, (_, index) => party(index)));
    await expect(readFeed(pieces(feed), 50_000)).rejects.toThrow(
      /^The ballots of the feed take more than 50,000 bytes/,
    );
    await expect(readFeed(pieces(feed), 500_000)).resolves.toMatchObject({ version: '5.2' });
    // An object and a field count by themselves too, without any text.
    const bare = writeFeed(Array.from({ length: 600 }, (_, index) => object('Party', `p${index}`, '')));
    await expect(readFeed(pieces(bare), 50_000)).rejects.toThrow(/more than 50,000 bytes/);
    const fields = object('State', 's', '<Name/>'.repeat(600));
    await expect(readFeed(pieces(writeFeed([fields])), 50_000)).rejects.toThrow(/more than 50,000 bytes/);
  });
});

test('texts are read by the language of their tags, the first of each, and from CDATA', async () => {
  const name = ['en-US">One', 'ES-mx">Uno', 'vi">Một', 'en">Two', 'fr">Un', 'es">Dos']
    .map((text) => `<Text language="${text}</Text>`)
    .join('');
  const party = `<Party id="p"><Name>${name}</Name></Party>`;
  const bare = '<Party id="q"><Name><Text><![CDATA[A & B]]></Text></Name></Party>';
  const { objects } = await readFeed(pieces(`<VipObject schemaVersion="5.2">${party}${bare}</VipObject>`));
  const textsOf = (id: string) => objects.get('Party')?.get(id)?.texts.Name;
  expect([textsOf('p'), textsOf('q')]).toEqual([{ en: 'One', es: 'Uno', other: 'Một' }, { other: 'A & B' }]);
});

test('no more than two hundred names of objects are counted separately', async () => {
  const { counts } = await readFeed(
    pieces(writeFeed(Array.from({ length: 300 }, (_, at) => object(`Odd${at % 250}`, `o${at}`, '')))),
  );
  expect([counts.size, counts.get('Odd0')]).toEqual([200, 2]);
});

test('addresses are not kept', async () => {
  const place = (index: number) =>
    object('PollingLocation', `p${index}`, `<AddressLine>${'x'.repeat(1_000)}</AddressLine>`);
  const feed = writeFeed([...ELECTION, ...Array.from({ length: 500 }, (_, index) => place(index))]);
  const { counts } = await readFeed(pieces(feed), 5_000);
  expect(counts.get('PollingLocation')).toBe(500);
});

test('a damaged feed ends with a sentence, or is read', async () => {
  const damage = fc.record({
    at: fc.nat(FEED.length),
    remove: fc.nat(30),
    insert: fc.oneof(
      fc.constantFrom('<', '>', '&', '"', '</Text>', '<![CDATA[', '<!--', '\0', ']]>', '<?', 'id="'),
      fc.string(),
    ),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(damage, { minLength: 1, maxLength: 3 }), async (all) => {
      let text = FEED;
      for (const { at, remove, insert } of all) text = text.slice(0, at) + insert + text.slice(at + remove);
      const error = await mapText(text).then(
        () => null,
        (thrown: unknown) => thrown,
      );
      if (error !== null) expect(error).toBeInstanceOf(FeedError);
    }),
  );
});
