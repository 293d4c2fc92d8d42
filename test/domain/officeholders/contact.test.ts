import { describe, expect, test } from '@jest/globals';
import { describeContact, socialAccounts, webAddress } from '../../../domain/officeholders/contact.ts';
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
