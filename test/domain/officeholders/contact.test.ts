import { describe, expect, test } from '@jest/globals';
import {
  currentParty,
  describeContact,
  socialAccounts,
  webAddress,
} from '../../../domain/officeholders/contact.ts';
import type { Address } from '../../../schemas/http/officeholders.ts';

const address = (classification: string, voice: string | null): Address => ({
  classification,
  voice,
  address: null,
  fax: null,
});
const link = (url: string, note: string | null = null) => ({ url, note });

describe('contact', () => {
  test.each([
    ['ann@leg.example', 'ann@leg.example'],
    [' ann@leg.example ', 'ann@leg.example'],
    ['mailto:ann@leg.example', 'ann@leg.example'],
    ['https://ann.example/contact', null],
    ['https://ann.example/@form', null],
    ['see website', null],
    ['ann@leg.example (office)', null],
    ['ann or bob@leg.example', null],
    ['annmailto:@leg.example', null],
    [null, null],
  ])('the e-mail address of %j is %j', (email, expected) => {
    expect(describeContact(email, [], []).email).toBe(expected);
  });

  test.each([
    [[address('district', '1'), address('primary', '2'), address('capitol', '3')], '3'],
    [[address('district', '1'), address('primary', '2'), address('capitol', null)], '2'],
    [[address('district-mail', null), address('district', '1')], '1'],
    [[], null],
  ])(
    'the telephone of the capitol comes first, then of the main office, then of any',
    (addresses, expected) => {
      expect(describeContact(null, [], addresses).phone).toBe(expected);
    },
  );

  test.each([
    [[link('https://a.example'), link('https://b.example', 'website')], 'https://b.example'],
    [[link('https://form.example', 'contact form'), link('https://a.example ')], 'https://a.example'],
    [[link('ann.example'), link('https://b.example')], 'https://b.example'],
    [[link('https://form.example', 'webform')], null],
    [[link('https://a.example'), link('https://b.example', 'Home page')], 'https://b.example'],
    [[link('https://a.example'), link('https://b.example', 'homepage')], 'https://b.example'],
    [[link('https://a.example'), link('https://b.example', 'campaign website')], 'https://a.example'],
    [[link('https://a.example'), link('https://b.example', 'website form')], 'https://a.example'],
  ])('the website of %j is %j', (links, expected) => {
    expect(describeContact(null, links, []).website_url).toBe(expected);
  });
});

test('the addresses are those of the source', () => {
  const addresses = [address('capitol', '1'), address('district', null)];
  expect(describeContact(null, [], addresses).addresses).toEqual(addresses);
});

test('a membership that ends today has ended', () => {
  const parties = [{ name: 'Green', end: '2026-11-03' }];
  expect(currentParty(parties, '2026-11-02').party).toBe('Green');
  expect(currentParty(parties, '2026-11-03').party).toBeNull();
});

test('the party is the last membership that has not ended, with its abbreviation if known', () => {
  const parties = [
    { name: 'Republican', end: '2020-01-01' },
    { name: 'Democratic', end: null },
  ];
  expect(currentParty(parties, '2026-11-03')).toEqual({ party: 'Democratic', party_abbreviation: 'D' });
  const both = [{ name: 'Green', end: null }, ...parties];
  expect(currentParty(both, '2026-11-03')).toEqual({ party: 'Democratic', party_abbreviation: 'D' });
  expect(currentParty(both.slice(0, 2), '2019-11-03').party).toBe('Republican');
  expect(currentParty(parties.slice(0, 1), '2026-11-03')).toEqual({ party: null, party_abbreviation: null });
  expect(currentParty([{ name: 'constructor', end: null }], '2026-11-03')).toEqual({
    party: 'constructor',
    party_abbreviation: null,
  });
});

test('every social network has a key', () => {
  expect(socialAccounts({ twitter: 'ann', linkedin: 'ann', youtube: ['no text'] })).toEqual({
    twitter: 'ann',
    facebook: null,
    instagram: null,
    youtube: null,
  });
});

test('web addresses are http or https', () => {
  expect(webAddress(' https://a.example/b ')).toBe('https://a.example/b');
  expect(['ftp://a.example', 'a.example', 'https://', 'javascript:alert(1)', ''].map(webAddress)).toEqual(
    Array(5).fill(null),
  );
});
