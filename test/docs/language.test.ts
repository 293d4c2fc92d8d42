import { readFile } from 'node:fs/promises';
import { expect, test } from '@jest/globals';
import { routes } from '../../gateway/routes/index.ts';

test('the README names every endpoint of data that refuses `lang`, and only those', async () => {
  const readme = await readFile('README.md', 'utf8');
  const [, exceptions = ''] = /`lang=es`[^.]*\.[^.]*?\bexcept ([^.]*)\./.exec(readme) ?? [];
  const named = [...exceptions.matchAll(/`(\/v1\/[^`]*)`/g)].map(([, path]) => path);
  const refusing = routes.filter(({ scope, query }) => scope === 'data:read' && !('lang' in query));
  expect(named.sort()).toEqual(refusing.map(({ path }) => path).sort());
});
