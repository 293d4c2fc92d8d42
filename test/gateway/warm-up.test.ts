import { beforeEach, expect, test } from '@jest/globals';
import type { RawRequest, Reply } from '../../gateway/http/route.ts';
import { warmUp } from '../../gateway/warm-up.ts';

const PATHS = ['/v1/elections', '/v1/coverage', '/v1/recommendations', '/v1/stream'];
const LIMIT_MS = 60_000;

let asked: string[];
let answer: (path: string) => Promise<Reply>;
beforeEach(() => {
  asked = [];
  answer = async () => ({ json: '{}' });
});

const endpoints = PATHS.flatMap((path) =>
  (['POST', 'GET'] as const).map((method) => ({
    path,
    method,
    answer({ url, query }: RawRequest) {
      asked.push(`${method} ${url} ${query}`);
      return answer(path);
    },
  })),
);

test('reads are answered once, also after one that fails', async () => {
  answer = async (path) => {
    if (path === '/v1/elections') throw new Error('away');
    return { json: '{}' };
  };
  await warmUp(endpoints, LIMIT_MS);
  expect(asked).toEqual([
    'GET /v1/elections? ',
    'GET /v1/coverage? ',
    'GET /v1/recommendations?state=WY state=WY',
  ]);
});

test('an answer that takes longer than the limit ends the warm-up', async () => {
  let proceed: () => void = () => {};
  answer = () =>
    new Promise((resolve) => {
      proceed = () => resolve({ json: '{}' });
    });
  await warmUp(endpoints, 1);
  proceed();
  await new Promise(setImmediate);
  expect(asked).toHaveLength(1);
});
