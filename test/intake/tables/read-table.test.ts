import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { formatRow, TABLE_START } from '../../../intake/tables/cells.ts';
import {
  describeTable,
  MAX_CELL_BYTES,
  MAX_COLUMNS,
  readTable,
  type TableRow,
} from '../../../intake/tables/read-table.ts';
import { TableError } from '../../../intake/tables/table-error.ts';

/** Gives bytes in pieces of a size that cuts characters and line ends. */
async function* inPieces(bytes: Uint8Array, size = 7): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function read(content: string | Uint8Array, size?: number) {
  const bytes = typeof content === 'string' ? Buffer.from(content) : content;
  const table = await readTable(inPieces(bytes, size));
  const read: TableRow[] = [];
  for await (const row of table.rows) read.push(row);
  return { ...table, read: describeTable(table), rows: read };
}

const utf16le = (text: string) => Buffer.from(text, 'utf16le');
const utf16be = (text: string) => Buffer.from(text, 'utf16le').swap16();

test.each([
  ['whose header cannot be used', `${'x'.repeat(501)},b\n1,2\n`],
  ['of which only the first rows are read', 'a,b\n1,2\n3,4\n'],
])('the source of a table %s ends, so that its file is closed', async (_, text) => {
  let isEnded = false;
  async function* source() {
    try {
      yield Buffer.from(text.repeat(200_000));
      yield Buffer.from(text);
    } finally {
      isEnded = true;
    }
  }
  const readFirst = async () => {
    for await (const _row of (await readTable(source())).rows) break;
  };
  await readFirst().catch((error: unknown) => expect(error).toBeInstanceOf(TableError));
  expect(isEnded).toBe(true);
});

describe('encodings', () => {
  const text = 'Endorser,Choice\r\nCafé Club,José Núñez\r\n';
  const windows1252 = Buffer.from(text, 'latin1');

  test.each([
    ['UTF-8', 'UTF-8', Buffer.from(text)],
    ['UTF-8 with a mark', 'UTF-8', Buffer.from(`\ufeff${text}`)],
    ['UTF-16 with a mark, little-endian', 'UTF-16 (little-endian)', utf16le(`\ufeff${text}`)],
    ['UTF-16 with a mark, big-endian', 'UTF-16 (big-endian)', utf16be(`\ufeff${text}`)],
    ['UTF-16 without a mark, little-endian', 'UTF-16 (little-endian)', utf16le(text)],
    ['UTF-16 without a mark, big-endian', 'UTF-16 (big-endian)', utf16be(text)],
    ['Windows-1252', 'Windows-1252', windows1252],
  ] as const)('%s is recognised', async (_, name, bytes) => {
    const table = await read(bytes);
    expect(table).toMatchObject({ read: `${name}, with commas`, header: ['Endorser', 'Choice'] });
    expect(table.rows).toEqual([{ line: 2, cells: ['Café Club', 'José Núñez'] }]);
  });

  test('the quotation marks of Windows-1252 are read as such', async () => {
    const { rows } = await read(Buffer.from('a\n\x93caf\xe9\x94\n', 'latin1'));
    expect(rows).toEqual([{ line: 2, cells: ['“café”'] }]);
  });

  test('lines that end with carriage returns alone are Mac Roman, as Excel for Mac writes them', async () => {
    const { read: description, rows } = await read(Buffer.from('a,b\rJos\x8e,it\xd5s\r', 'latin1'));
    expect(description).toBe('Mac Roman, with commas');
    expect(rows).toEqual([{ line: 2, cells: ['José', 'it’s'] }]);
    expect((await read(Buffer.from('a,b\rcaf\xe9,x\r\n', 'latin1'))).encoding).toBe('windows-1252');
    expect((await read('a,b\rcafé,x\r')).encoding).toBe('utf-8');
    expect((await read(Buffer.from('caf\xe9', 'latin1'))).encoding).toBe('windows-1252');
  });

  test('a file that ends within a character of UTF-8 is Windows-1252', async () => {
    const { encoding, rows } = await read(Buffer.from('a\ncaf\xe9', 'latin1'));
    expect([encoding, rows]).toEqual(['windows-1252', [{ line: 2, cells: ['café'] }]]);
  });

  test.each([
    ['UTF-16', utf16le('\ufeffa\nx\nyz')],
    ['UTF-8', Buffer.from(`a\nx\n${`${'x'.repeat(99)}\n`.repeat(11_000)}yé`)],
  ])('a line of %s that the end of the file cuts within a character is refused', async (name, bytes) => {
    const { rows } = await read(bytes.subarray(0, -1), 65_536);
    expect(rows[0]).toEqual({ line: 2, cells: ['x'] });
    expect(rows.at(-1)).toMatchObject({ fault: expect.stringContaining(`has bytes that are not ${name}`) });
  });

  test.each([
    ['a byte without a meaning', 'x\x81'],
    ['a quotation mark of UTF-8', 'x\xe2\x80\x9c'],
  ])('%s in a file of Windows-1252 refuses its line', async (_, text) => {
    const { rows } = await read(Buffer.from(`a\ncaf\xe9\n${text}\n`, 'latin1'));
    expect(rows).toEqual([
      { line: 2, cells: ['café'] },
      { line: 3, fault: expect.stringContaining('has bytes that are not Windows-1252') },
    ]);
  });

  test('a header that its encoding does not explain is refused with its line', async () => {
    await expect(read('\na,b\0c,d,e,f\n1,2,3,4,5\n')).rejects.toThrow(
      'Line 2, the header, has zero bytes, which no text has',
    );
  });

  test('a character may lie across the end of the part that decides the encoding', async () => {
    const head = `a\n${'x'.repeat(80_000)}\n`;
    const before = 'a\n'.length;
    const fill = 'x'.repeat(1024 * 1024 - before - 1 - 13 * 80_001);
    const content = `a\n${`${head.slice(2)}`.repeat(13)}${fill}é\ny\n`;
    const { encoding, rows } = await read(content, 65_536);
    expect(encoding).toBe('utf-8');
    expect(rows.at(-2)).toMatchObject({ cells: [`${fill}é`] });
  });

  test('a line that is not UTF-8 in the middle of a file is refused, and the others are read', async () => {
    const valid = `a,b\n${`${'é'.repeat(50)},1\n`.repeat(11_000)}`;
    const bytes = Buffer.concat([
      Buffer.from(valid),
      Buffer.from('caf\xe9,2\n', 'latin1'),
      Buffer.from('z,3\n'),
    ]);
    const { rows } = await read(bytes, 65_536);
    expect(rows.slice(-2)).toEqual([
      { line: 11_002, fault: expect.stringContaining('has bytes that are not UTF-8') },
      { line: 11_003, cells: ['z', '3'] },
    ]);
  });

  test('a line of UTF-8 in a file of Windows-1252 is refused, not misread', async () => {
    const bytes = Buffer.concat([Buffer.from('a\ncaf\xe9\n', 'latin1'), Buffer.from('José\n')]);
    const { rows } = await read(bytes);
    expect(rows).toEqual([
      { line: 2, cells: ['café'] },
      { line: 3, fault: expect.stringContaining('has bytes that are not Windows-1252') },
    ]);
  });

  test('a line with zero bytes is refused', async () => {
    const { rows } = await read('abcdefgh\nx\0y\nz\n');
    expect(rows).toEqual([
      { line: 2, fault: expect.stringContaining('zero bytes') },
      { line: 3, cells: ['z'] },
    ]);
  });

  test.each([
    ['a workbook', [0x50, 0x4b, 0x03, 0x04], 'an Excel workbook'],
    ['an old workbook', [0xd0, 0xcf, 0x11, 0xe0, 0xa1], 'an old Excel workbook'],
    ['a PDF', [0x25, 0x50, 0x44, 0x46], 'a PDF'],
    ['a compressed file', [0x1f, 0x8b, 0x08], 'a gzip file'],
    ['a screenshot', [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a], 'an image'],
    ['a photo', [0xff, 0xd8, 0xff, 0xe0], 'an image'],
    ['a document of a text editor', Buffer.from('{\\rtf1\\ansi Race,Choice}'), 'a document in RTF'],
    ['a web page', Buffer.from('\ufeff\n<TABLE border="1"><tr><td>Race</td></tr></TABLE>'), 'a web page'],
  ])('%s is refused as a whole', async (_, bytes, words) => {
    await expect(read(Uint8Array.from(bytes))).rejects.toThrow(words);
  });
});

describe('rows', () => {
  test.each([
    [',', 'a,b\n1,2\n'],
    [';', 'a;b\n1,5;2\n'],
    ['\t', 'a\tb, or c\n1;\t2\n'],
    [';', '"a, b, c";b\n1;2\n'],
  ])('the separator %j is recognised by the header', async (separator, content) => {
    const table = await read(content);
    expect(table.separator).toBe(separator);
    expect(table.rows).toHaveLength(1);
    expect(table.rows[0]).toHaveProperty('cells.1', '2');
  });

  test('a header of one column needs no separator', async () => {
    expect(await read('choice\nAnn\n')).toMatchObject({
      header: ['choice'],
      rows: [{ line: 2, cells: ['Ann'] }],
    });
  });

  test('line breaks in quotation marks belong to the cell, and each row has the line at which it begins', async () => {
    const { rows } = await read('\na,b\r\n1,"x\r\ny"\r\n ,\r\n\r\n\n2,"say ""no"""\n3,4');
    expect(rows).toEqual([
      { line: 3, cells: ['1', 'x\ny'] },
      { line: 8, cells: ['2', 'say "no"'] },
      { line: 9, cells: ['3', '4'] },
    ]);
  });

  test.each([1, 2, 7])('old line breaks without a line feed count as such, in pieces of %i', async (size) => {
    const { header, rows } = await read('a,b\r1,"x\ry"\r2,z\r', size);
    expect([header, rows]).toEqual([
      ['a', 'b'],
      [
        { line: 2, cells: ['1', 'x\ny'] },
        { line: 4, cells: ['2', 'z'] },
      ],
    ]);
  });

  test('names of columns have no spaces around them, and cells keep theirs', async () => {
    expect(await read(' a , b\n 1 ,2\n')).toMatchObject({
      header: ['a', 'b'],
      rows: [{ line: 2, cells: [' 1 ', '2'] }],
    });
  });

  test('quotation marks within a word are part of it', async () => {
    expect((await read('a,b\nJohn "Jack" Smith,1\n')).rows).toEqual([
      { line: 2, cells: ['John "Jack" Smith', '1'] },
    ]);
  });

  test('missing cells are empty, empty ones too many are dropped, and other ones refuse the row', async () => {
    const { rows } = await read('a,b\n1\n1,2,,\n1,2,3\n4,5\n');
    expect(rows).toEqual([
      { line: 2, cells: ['1', ''] },
      { line: 3, cells: ['1', '2'] },
      { line: 4, fault: expect.stringContaining('has 3 cells, and the header 2') },
      { line: 5, cells: ['4', '5'] },
    ]);
  });

  test('a cell that is too long refuses its row', async () => {
    const { rows } = await read(
      `a\n${'x'.repeat(MAX_CELL_BYTES + 1)}\n${'y'.repeat(MAX_CELL_BYTES)}\n`,
      65_536,
    );
    expect(rows).toEqual([
      { line: 2, fault: 'has a cell of more than 100,000 bytes, in column 1' },
      { line: 3, cells: ['y'.repeat(MAX_CELL_BYTES)] },
    ]);
    const { rows: wide } = await read(`a,b\n1,${'é'.repeat(MAX_CELL_BYTES / 2 + 1)}\n`, 65_536);
    expect(wide).toEqual([{ line: 2, fault: 'has a cell of more than 100,000 bytes, in column 2' }]);
  });

  test('a quotation mark without its end is named with its line', async () => {
    await expect(read('a,b\n1,2\n3,"4\n5,6\n')).rejects.toThrow(
      'The row that begins in line 3 has a quotation mark (") without its end',
    );
    await expect(read(`a,b\n1,2\n3,"4\n${'5,6\n'.repeat(400_000)}`, 65_536)).rejects.toThrow(
      'The row that begins in line 3 has more than 1,000,000 bytes',
    );
  });

  test('a header with too many columns is refused, however they are cut', async () => {
    const header = (columns: number) => Array.from({ length: columns }, (_, at) => `c${at}`).join(',');
    expect((await read(header(MAX_COLUMNS))).header).toHaveLength(MAX_COLUMNS);
    await expect(read(header(10_000))).rejects.toThrow('has 10,000 columns; a table has at most 1,000');
    // A sheet can be much wider than its names.
    expect((await read(`a,b${','.repeat(2000)}\n1,2\n`)).header.slice(0, 3)).toEqual(['a', 'b', '']);
    expect((await read('x'.repeat(500))).header).toHaveLength(1);
    await expect(read('x'.repeat(501))).rejects.toThrow('has more than 500 characters');
    await expect(read('')).rejects.toThrow('The file is empty');
  });
});

describe('titles above the header', () => {
  test.each([
    ['one', 'Our picks,,\nRace,Name,Date\na,b,c\n', 3, 'below a title'],
    ['ten', `${'a\n'.repeat(10)}Race,Name,Date\na,b,c\n`, 12, 'below 10 titles'],
    ['several, with empty rows', '"Our picks"\n\n2026,,\nRace,Name,Date\na,b,c\n', 5, 'below 2 titles'],
  ])('%s', async (_, text, line, words) => {
    const table = await read(text);
    expect(table).toMatchObject({
      header: ['Race', 'Name', 'Date'],
      rows: [{ line, cells: ['a', 'b', 'c'] }],
    });
    expect(table.read).toContain(words);
  });

  test.each([
    ['a table of one column', 'Name\nAnn\nBob\n', ['Name'], 2],
    ['a name with the separator below a header of one column', 'Name\n"Lee, Ann"\nBob,\n', ['Name'], 2],
    ['a row of two cells below one', 'Name\nLee,Ann\n', ['Name'], 1],
    ['too many rows of one cell', `${'a\n'.repeat(11)}Race,Name,Date\n`, ['a'], 11],
    ['a header alone', 'Name\n', ['Name'], 0],
  ])('are none in %s', async (_, text, header, rows) => {
    const table = await read(text);
    expect(table.header).toEqual(header);
    expect(table.rows).toHaveLength(rows);
  });
});

describe('what we write', () => {
  const cell = fc.oneof(
    fc.string(),
    fc.stringMatching(/^[=+\-@'\t]{1,3}[a-z,;"\n]{0,3}$/),
    fc.constantFrom('=1+1', "'=1+1", '-5', '@x', '+1', "O'Neil", '', ' x '),
  );

  test('a row of one empty cell is a line of its own', () => {
    expect([formatRow(['']), formatRow(['', '']), formatRow(['a;b', 'c'], ';')]).toEqual([
      '""\r\n',
      ',\r\n',
      '"a;b";c\r\n',
    ]);
  });

  test('spreadsheets run no cell, and the same texts are read back', async () => {
    const readable = cell.filter((text) => !/[\0\ufffd]/.test(text));
    const rows = fc.array(fc.tuple(readable, readable), { minLength: 1, maxLength: 5 });
    await fc.assert(
      fc.asyncProperty(rows, async (given) => {
        const lines = given.map((row) => formatRow(row));
        for (const line of lines) expect(line).not.toMatch(/^"?[=+\-@]/);
        const { rows: read_ } = await read(`${TABLE_START}${formatRow(['a', 'b'])}${lines.join('')}`);
        const expected = given
          .map((row) => row.map((text) => text.replaceAll(/\r\n?/g, '\n')))
          .filter((row) => row.some((text) => text.trim() !== ''));
        expect(read_.map((row) => ('cells' in row ? row.cells : row.fault))).toEqual(expected);
      }),
    );
  });
});

test('any bytes end in rows or in a sentence', async () => {
  const piece = fc.constantFrom(
    'a',
    ',',
    ';',
    '\t',
    '"',
    '\r',
    '\n',
    '\0',
    'é',
    '\ufeff',
    'x'.repeat(120_000),
  );
  const texts = fc.array(piece, { maxLength: 30 }).map((parts) => Buffer.from(parts.join('')));
  const cut = fc
    .tuple(texts, fc.nat(50))
    .map(([bytes, end]) => bytes.subarray(0, Math.max(0, bytes.length - end)));
  const wide = cut.map((bytes) => Buffer.from(bytes.toString('latin1'), 'utf16le'));
  const content = fc.oneof(fc.uint8Array({ maxLength: 200 }), cut, wide);
  await fc.assert(
    fc.asyncProperty(content, fc.integer({ min: 1, max: 5000 }), async (bytes, pieces) => {
      const table = await read(bytes, Math.ceil(bytes.length / pieces)).catch((error: unknown) => {
        expect(error).toBeInstanceOf(TableError);
        expect((error as Error).message).toMatch(/^[A-Z].*\.$/s);
      });
      for (const row of table?.rows ?? []) {
        if ('cells' in row) expect(row.cells).toHaveLength(table?.header.length ?? 0);
        else expect(row.fault).toMatch(/^has /);
      }
    }),
  );
});
