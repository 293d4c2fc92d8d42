/** docs/asyncapi.json matches the stream and the topics. `UPDATE_ASYNCAPI=1` writes it again. */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from '@jest/globals';
import { createAsyncApi } from '../helpers/http/asyncapi.ts';

const FILE = path.resolve('docs/asyncapi.json');
const LINTERS = path.resolve('.cache/openapi-linters');
const parseTest = existsSync(path.join(LINTERS, 'stamp')) ? test : test.skip;

/** The findings of AsyncAPI's parser. */
async function parse(file: string): Promise<string[]> {
  const args = ['test/compatibility/parse-asyncapi.mjs', LINTERS, file];
  const env = { ...process.env, NODE_OPTIONS: '' };
  return JSON.parse((await promisify(execFile)(process.execPath, args, { env })).stdout);
}

test('the file matches the schemas of the service', async () => {
  const made = `${JSON.stringify(createAsyncApi(), null, 2)}\n`;
  if (process.env.UPDATE_ASYNCAPI) await writeFile(FILE, made);
  expect(JSON.parse(await readFile(FILE, 'utf8'))).toEqual(JSON.parse(made));
});

parseTest('the parser of AsyncAPI finds nothing in it, but in one with a mistake', async () => {
  expect(await parse(FILE)).toEqual([]);
  const dir = await mkdtemp(path.join(os.tmpdir(), 'ballot-asyncapi-'));
  const wrong = { ...createAsyncApi(), operations: { a: { action: 'shout' } } };
  await writeFile(path.join(dir, 'wrong.json'), JSON.stringify(wrong));
  expect(await parse(path.join(dir, 'wrong.json'))).not.toEqual([]);
  await rm(dir, { recursive: true });
});
