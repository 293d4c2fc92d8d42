import { get as httpGet } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib';
import { describe, expect, test } from '@jest/globals';
import { describeListing, formatPageCursor } from '../../../schemas/page-cursor.ts';
import { endorse } from '../../helpers/ballots/submissions.ts';
import { useTestService } from '../../helpers/service/service.ts';
import { until } from '../../helpers/until.ts';

/** An answer that is made in pieces. */
const IN_PIECES = '/v1/recommendations?election=or-2026-11-03-general';

const service = useTestService({ gateways: 2 });

interface RawAnswer {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  body: Buffer;
}

/** Sends a request without decompressing the answer. */
function raw(path: string, headers: Record<string, string>, gateway = 0): Promise<RawAnswer> {
  return new Promise((resolve, reject) => {
    const options = { headers: { Authorization: `Bearer ${service.key}`, ...headers } };
    httpGet(service.url(path, gateway), options, async (response) => {
      resolve({ status: response.statusCode ?? 0, headers: response.headers, body: await buffer(response) });
    }).on('error', reject);
  });
}

describe('compression', () => {
  test.each([
    ['gzip', gunzipSync],
    ['br', brotliDecompressSync],
    ['zstd', zstdDecompressSync],
  ])('is %s for clients that accept it, with the same content', async (encoding, decompress) => {
    for (const path of ['/v1/states', IN_PIECES]) await expectPacked(path, encoding, decompress);
  });

  async function expectPacked(path: string, encoding: string, decompress: (bytes: Buffer) => Buffer) {
    const plain = await raw(path, { 'Accept-Encoding': 'identity' });
    const packed = await raw(path, { 'Accept-Encoding': encoding });
    expect(packed.headers['content-encoding']).toBe(encoding);
    expect(packed.body.length).toBeLessThan(plain.body.length / 2);
    expect(decompress(packed.body).toString()).toBe(plain.body.toString());
    expect(packed.headers.vary).toContain('Accept-Encoding');
    expect(packed.headers.etag).toBe(plain.headers.etag);
    expect(Number(plain.headers['content-length'])).toBe(plain.body.length);
  }

  test.each(['identity;q=0', '*;q=0', 'gzip;q=0, identity;q=0', 'foo, *;q=0'])(
    'is omitted for clients that accept no encoding at all: %s',
    async (encoding) => {
      const { status, headers, body } = await raw('/v1/states', { 'Accept-Encoding': encoding });
      expect([status, headers['content-encoding'], JSON.parse(body.toString()).data.length]).toEqual([
        200,
        undefined,
        56,
      ]);
    },
  );

  test.each([
    ['gzip, deflate, br, zstd', 'gzip'],
    ['br, gzip', 'br'],
    ['gzip;q=0.5, zstd', 'zstd'],
    ['gzip;q=0, *', 'zstd'],
    ['*', 'gzip'],
    ['identity, gzip;q=0.9', undefined],
    ['compress', undefined],
  ])('is the preferred one of a client that accepts "%s": %s', async (accepted, encoding) => {
    const { headers } = await raw('/v1/states', { 'Accept-Encoding': accepted });
    expect(headers['content-encoding']).toBe(encoding);
    expect(headers.vary).toContain('Accept-Encoding');
  });

  test('of an answer that is sent again names its length', async () => {
    for (const path of ['/v1/states', '/docs/swagger-ui-bundle.js']) {
      const { headers, body } = await raw(path, { 'Accept-Encoding': 'br' });
      expect([headers['content-encoding'], headers['content-length']]).toEqual(['br', String(body.length)]);
    }
  });

  test('is omitted for clients that accept none and for small answers', async () => {
    expect((await raw('/v1/states', {})).headers['content-encoding']).toBeUndefined();
    expect(
      (await raw('/v1/subscriptions', { 'Accept-Encoding': 'gzip' })).headers['content-encoding'],
    ).toBeUndefined();
  });

  test('never delays a stream', async () => {
    const response = await fetch(service.url('/v1/stream'), {
      headers: { Authorization: `Bearer ${service.key}`, 'Accept-Encoding': 'gzip' },
    });
    expect(response.headers.get('content-encoding')).toBe('gzip');
    const { value } = (await response.body?.getReader().read()) ?? {};
    expect(Buffer.from(value ?? []).toString()).toMatch(/^retry: /);
    await response.body?.cancel().catch(() => {});
  });
});

describe('ETag', () => {
  test.each(['/v1/states', IN_PIECES, '/docs'])(
    'of %s gets 304 if the client has it already, whatever the compression',
    async (path) => {
      const first = await raw(path, { 'Accept-Encoding': 'gzip' });
      const tag = String(first.headers.etag);
      expect(tag).toMatch(/^W\/"/);
      const again = await raw(path, { 'If-None-Match': tag });
      expect([again.status, again.body.length]).toEqual([304, 0]);
      expect((await raw(path, { 'If-None-Match': 'W/"other"' })).status).toBe(200);
    },
  );

  test('is not set on a stream', async () => {
    const answer = await fetch(service.url('/v1/stream'), {
      headers: { Authorization: `Bearer ${service.key}`, 'If-None-Match': '*' },
    });
    expect([answer.status, answer.headers.get('etag')]).toEqual([200, null]);
    await answer.body?.cancel().catch(() => {});
  });

  test('INV-1: changes on every gateway as soon as a client has seen an event', async () => {
    const path = '/v1/endorsements?endorsers=bakers-local-1';
    const tagOf = async (gateway: number) => String((await raw(path, {}, gateway)).headers.etag);
    for (let round = 1; round <= 5; round += 1) {
      const before = await tagOf(1);
      await service.submit([endorse('bakers-local-1', 'mayor', 'ann', { statement: `Round ${round}.` })]);
      await service.eventsOnceThereAre(round);
      const answer = await raw(path, { 'If-None-Match': before }, 1);
      expect(answer.status).toBe(200);
      expect(JSON.parse(answer.body.toString()).data[0].statement).toBe(`Round ${round}.`);
    }
  });

  test('an answer to a key may be stored by its client only, and must be revalidated each time', async () => {
    const { headers } = await raw('/v1/states', {});
    expect(headers['cache-control']).toBe('private, no-cache');
    expect(headers.vary).toContain('Authorization');
  });
});

describe('retired paths and parameters', () => {
  test.each(['/v1/ballot', '/v1/districts', '/v1/districts/12', '/v1/representatives'])(
    '%s is refused with a message that says so',
    async (path) => {
      const { status, body } = await service.get(path);
      expect([status, body.error.code]).toEqual([404, 'not_found']);
      expect(body.error.message).toContain('was removed');
    },
  );

  test.each(['location', 'address', 'zip', 'city', 'county', 'lat', 'lng'])(
    'the parameter %s is refused with a message that says so',
    async (name) => {
      const { status, body } = await service.get(`/v1/endorsements?${name}=1`);
      expect([status, body.error.code]).toEqual([400, 'invalid_parameter']);
      expect(body.error.message).toContain(`The parameter ${name} was retired.`);
    },
  );
});

test.each([
  ['elections', ['no date', 'slug']],
  ['contests', ['2099-11-03', 'a', 2 ** 40, 1, 1]],
  ['endorsers', ['zz', 2 ** 40]],
  ['endorsers', ['a\0b', 1]],
])('a forged cursor of %s with %j is refused or leads beyond the end', async (list, state) => {
  const cursor = formatPageCursor(describeListing(list, { lang: 'en' }), state);
  const { status, body } = await service.get(`/v1/${list}?cursor=${cursor}`);
  expect([status, body.data ?? body.error.code]).toEqual(
    status === 200 ? [200, []] : [400, 'invalid_parameter'],
  );
});

describe('the reference', () => {
  test('is served without a key, with everything that it loads', async () => {
    const page = await raw('/docs', { Authorization: '' });
    expect([page.status, page.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
    const loaded = [...page.body.toString().matchAll(/(?:src|href)="([^"]+)"/g)].map(
      ([, path]) => path ?? '',
    );
    expect(loaded).toHaveLength(8);
    for (const path of loaded) expect((await raw(path, { Authorization: '' })).status).toBe(200);
    expect(page.headers['content-security-policy']).toContain("default-src 'self'");
  });
});

test('no JSON of the service has a raw line break of Unicode', async () => {
  // An import takes them out, so only older rows can have them.
  const name = 'a\u0085b\u2028c\u2029d';
  await service.query("UPDATE endorsers SET name = $1 WHERE slug = 'coast-gazette'", [name]);
  await service.submit([endorse('coast-gazette', 'mayor', 'ann')]);
  let contest = 0;
  await until('the event', async () => {
    const { data } = await service.events();
    const event = data.find(({ endorser }) => endorser.name === name);
    contest = event?.contest.id ?? 0;
    return event !== undefined;
  });
  const query = encodeURIComponent(name);
  for (const path of [
    '/v1/events?from=earliest',
    `/v1/contests/${contest}`,
    IN_PIECES,
    `/v1/elections?${query}=1`,
  ]) {
    const text = (await raw(path, {})).body.toString();
    expect(text).toContain('a\\u0085b\\u2028c\\u2029d');
    expect(text).not.toMatch(/[\u0085\u2028\u2029]/);
  }
});
