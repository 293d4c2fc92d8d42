/** The image holds the folders that its file names, without those that .dockerignore leaves outside. */
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from '@jest/globals';

const linesOf = (file: string) => readFileSync(file, 'utf8').split('\n');
const copied = linesOf('Dockerfile').flatMap((line) => /^COPY ([^-]\S*) \1$/.exec(line)?.[1] ?? []);
const outside = linesOf('.dockerignore').filter((line) => /^[a-z]/.test(line));

const isWithin = (folders: string[], file: string) =>
  folders.some((folder) => file === folder || file.startsWith(`${folder}/`));
const isInImage = (file: string) => isWithin(copied, file) && !isWithin(outside, file);

test('every copied folder passes .dockerignore', () => {
  const passed = linesOf('.dockerignore').flatMap((line) => /^!(.*)$/.exec(line)?.[1] ?? []);
  expect(copied.filter((folder) => folder !== 'package.json' && !passed.includes(folder))).toEqual([]);
});

test('the image has the guides, and every file that its programs import', () => {
  expect(copied).toContain('docs');
  const files = globSync(copied.map((folder) => `${folder}/**/*.{ts,mjs}`)).filter(isInImage);
  const missing = files.flatMap((file) => {
    const imports = readFileSync(file, 'utf8').matchAll(/(?:from|import\() ?'(\.[^']*)'/g);
    const targets = [...imports].map(([, target = '']) => path.join(path.dirname(file), target));
    return targets.filter((target) => !isInImage(target)).map((target) => `${file} imports ${target}`);
  });
  expect(files.length).toBeGreaterThan(500);
  expect(missing).toEqual([]);
});
