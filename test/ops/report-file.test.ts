import { readFile } from 'node:fs/promises';
import { expect, test } from '@jest/globals';
import type { Report } from '../../intake/reports/report.ts';
import { parseReportPath, writeReport } from '../../ops/report-file.ts';
import { useFolder } from '../helpers/use-folder.ts';

const inFolder = useFolder();
const REPORT = {
  title: 'A report',
  facts: [],
  counts: [{ label: 'rows', count: 2 }],
  sections: [],
} as unknown as Report;

test('a report is a page or JSON, as the end of its name says', async () => {
  for (const name of ['a.html', 'a.json', 'a.json.html']) {
    expect(parseReportPath(name)).toBe(name);
    await writeReport(inFolder(name), REPORT);
  }
  expect(JSON.parse(await readFile(inFolder('a.json'), 'utf8'))).toEqual(REPORT);
  for (const name of ['a.html', 'a.json.html']) {
    expect(await readFile(inFolder(name), 'utf8')).toMatch(/^<!doctype html>/i);
  }
  for (const wrong of ['a', 'a.htm', 'html', 'a.json ', 'a.html/']) {
    expect(() => parseReportPath(wrong)).toThrow('Its name must end in .html or .json.');
  }
});

test('a report that cannot be written is told with its path and the reason', async () => {
  const path = inFolder('missing/a.json');
  await expect(writeReport(path, REPORT)).rejects.toMatchObject({
    ...{ name: 'OperatorError', message: expect.stringContaining(`cannot be written to ${path}: ENOENT`) },
  });
});
