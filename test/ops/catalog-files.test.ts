import { symlink } from 'node:fs/promises';
import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, test } from '@jest/globals';
import { kindOfFile } from '../../administration/catalogue/file-kind.ts';
import { type JsonLine, readNdjson } from '../../administration/catalogue/ndjson.ts';
import { readBytes } from '../../ops/catalog/count-bytes.ts';
import { findCatalogueFiles } from '../../ops/catalog/find-files.ts';
import { OperatorError } from '../../service/operator-error.ts';
import { createFolder } from '../helpers/folder.ts';

let folder: Awaited<ReturnType<typeof createFolder>> | undefined;
afterEach(async () => folder?.remove());

async function linesOf(content: string | Buffer, maxLineBytes = 1_000): Promise<JsonLine[]> {
  const { file, remove } = await createFolder({ 'x.ndjson': content });
  try {
    const lines: JsonLine[] = [];
    for await (const line of readNdjson('x.ndjson', readBytes(file('x.ndjson')), maxLineBytes))
      lines.push(line);
    return lines;
  } finally {
    await remove();
  }
}

test.each([
  ['contests.ndjson', 'contests'],
  ['a/undated-elections.ndjson', 'elections'],
  ['2026_endorsers.ndjson', 'endorsers'],
  ['endorser-categories.ndjson', 'endorser-categories'],
  ['endorsements.ndjson', null],
  ['nonelections.ndjson', null],
  ['contests.json', null],
  ['our-endorsers.csv', 'endorsers'],
  ['ENDORSERS.TSV', 'endorsers'],
  ['endorsements.csv', null],
])('the kind of %s is %s', (name, kind) => {
  expect(kindOfFile(name)).toBe(kind);
});

describe('lines of JSON', () => {
  test('blank lines count, carriage returns and a byte order mark do not matter, the last line needs no end', async () => {
    expect(await linesOf('\ufeff{"a":1}\r\n\n   \r\n{"a":"x\\r\\n"}')).toEqual([
      { line: 1, value: { a: 1 } },
      { line: 4, value: { a: 'x\r\n' } },
    ]);
    expect(await linesOf('\n7')).toEqual([{ line: 2, fault: 'is not a JSON object' }]);
  });

  test.each([
    ['text that is not JSON', '{"a":1', /^is not JSON: /],
    ['a value other than an object', '[1]', /^is not a JSON object$/],
    ['null', 'null', /^is not a JSON object$/],
    ['bytes that are not UTF-8', Buffer.from([0x22, 0xff, 0x22]), /^is not valid UTF-8$/],
    ['a line that is too long', `{"a":"${'x'.repeat(1_000)}"}`, /^is longer than 1,000 bytes$/],
  ])('%s is refused with its number, and the next line is read', async (_name, bad, fault) => {
    const content = Buffer.concat([Buffer.from('{}\n'), Buffer.from(bad), Buffer.from('\n{}\n')]);
    expect(await linesOf(content)).toEqual([
      { line: 1, value: {} },
      { line: 2, fault: expect.stringMatching(fault) },
      { line: 3, value: {} },
    ]);
  });

  test('a last line that is too long is refused without an end too', async () => {
    expect(await linesOf(`{}\n${'x'.repeat(1_001)}`)).toEqual([
      { line: 1, value: {} },
      { line: 2, fault: 'is longer than 1,000 bytes' },
    ]);
  });

  test.each([
    ['gzip', gzipSync('{}\n'), 'a gzip file'],
    ['UTF-16 with a mark', Buffer.from('\ufeff{"a":1}\n', 'utf16le'), 'UTF-16 (little-endian)'],
    ['UTF-16 without one', Buffer.from('{"a":1}\n', 'utf16le').swap16(), 'UTF-16 (big-endian)'],
    ['a web page', '<!DOCTYPE html>\n<p>404</p>\n', 'a web page or XML'],
  ])('a file of %s is refused in one sentence', async (_name, content, kind) => {
    await expect(linesOf(content)).rejects.toThrow(
      new OperatorError(`x.ndjson is ${kind}: it must be lines of JSON in UTF-8, and not compressed.`),
    );
  });

  test('a line may be spread over many pieces of the file', async () => {
    const long = 'é'.repeat(600_000);
    expect(await linesOf(`{"a":"${long}"}\n{}\n`, 2_000_000)).toEqual([
      { line: 1, value: { a: long } },
      { line: 2, value: {} },
    ]);
  });
});

describe('paths', () => {
  const files = {
    'contests.ndjson': '',
    'elections.ndjson': '',
    'endorsements.ndjson': '',
    'undated-contests.ndjson': '',
  };

  test('a folder stands for the catalogue files in it, and the others are named', async () => {
    folder = await createFolder(files);
    const { dir, file } = folder;
    const found = await findCatalogueFiles([dir]);
    expect(found.files.map(({ path }) => path)).toEqual([file('elections.ndjson'), file('contests.ndjson')]);
    expect(found.notRead).toEqual([file('endorsements.ndjson'), file('undated-contests.ndjson')]);
  });

  test('tables and feeds in a folder are named as not read, unless they are given themselves', async () => {
    folder = await createFolder({
      ...files,
      'endorsers.csv': '',
      'feed.XML': '',
      'feed.xml.gz': '',
      'notes.txt': '',
    });
    const { dir, file } = folder;
    const found = await findCatalogueFiles([dir, file('endorsers.csv')]);
    const others = ['endorsements.ndjson', 'feed.XML', 'feed.xml.gz', 'undated-contests.ndjson'];
    expect(found.notRead).toEqual(others.map(file));
    expect(found.files).toHaveLength(3);
  });

  test('a file that is named twice is read once, and the order of paths does not matter', async () => {
    folder = await createFolder(files);
    const { dir, file } = folder;
    const paths = [file('undated-contests.ndjson'), dir, file('contests.ndjson')];
    const found = await findCatalogueFiles(paths);
    const turned = await findCatalogueFiles(paths.toReversed());
    expect(turned.files).toEqual(found.files);
    expect(found.files.map(({ kind }) => kind)).toEqual(['elections', 'contests', 'contests']);
  });

  test.each([
    ['a missing path', 'nothing-here', /^There is no file or folder .*nothing-here\.$/],
    [
      'standard input',
      '-',
      /^Standard input cannot be imported, because only the name of a file says its kind/,
    ],
    ['a file of an unknown kind', 'x.txt', /is of an unknown kind: its name must end in .*contests\.ndjson/],
    ['endorsements', 'endorsements.ndjson', /holds endorsements, which "npm run ops -- submit .*" sends/],
    ['a folder without a catalogue file', '', /has none of the files endorser-categories\.ndjson/],
    ['a device under the name of a table', 'device.csv', /is neither a file nor a folder: copy its contents/],
  ])('%s is reported in one sentence', async (_name, name, message) => {
    folder = await createFolder({ 'x.txt': '', 'endorsements.ndjson': '' });
    await symlink('/dev/null', folder.file('device.csv'));
    const failure = await findCatalogueFiles([name === '-' ? name : folder.file(name)]).catch(
      (error: unknown) => error,
    );
    expect(failure).toBeInstanceOf(OperatorError);
    expect((failure as Error).message).toMatch(message);
  });
});
