import { expect, test } from '@jest/globals';
import { formatReport } from '../../../intake/reports/format-report.ts';
import { renderReport } from '../../../intake/reports/render-report.ts';
import { type Report, SectionRows } from '../../../intake/reports/report.ts';

function createReport(): Report {
  const rows = new SectionRows(
    { title: 'Ambiguous', advice: 'Choose one.', columns: ['line', 'choice'] },
    12,
  );
  for (let line = 2; line < 22; line += 1) rows.add(line, line === 3 ? '<b>\u202e\n' : null);
  const none = new SectionRows({ title: 'None', columns: ['line'] });
  return {
    title: 'Endorsements of file.csv',
    facts: [{ label: 'Encoding', value: 'UTF-8' }],
    counts: [{ label: 'rows', count: 12345 }],
    sections: [...rows.sections, ...none.sections],
  };
}

test('a terminal shows the counts and the first rows of each section that has any', () => {
  const lines = formatReport(createReport());
  expect(lines.slice(0, 7)).toEqual([
    'Endorsements of file.csv',
    '  Encoding: UTF-8',
    '  rows      12,345',
    '',
    'Ambiguous (20). Choose one.',
    '  line 2',
    '  line 3 | choice <b>\\u202e\\n',
  ]);
  expect(lines.at(-1)).toBe('  … and 10 more');
});

test('a section without advice has none, and a long text is cut in every form of the report', () => {
  const rows = new SectionRows({ title: 'Long', columns: ['line', 'text'] });
  rows.add(1234, 'x'.repeat(500));
  rows.add(null, 'y'.repeat(501));
  const report = { title: 'Report', facts: [], counts: [], sections: rows.sections };
  expect(rows.sections[0]).toMatchObject({ advice: null, total: 2 });
  expect(formatReport(report)).toEqual([
    'Report',
    '',
    'Long (2)',
    `  line 1,234 | text ${'x'.repeat(500)}`,
    `  text ${'y'.repeat(500)}…`,
  ]);
  const page = renderReport(report);
  expect(page).not.toContain('<p>');
  expect(page).toContain('<td class="number"><bdi>1,234</bdi></td>');
});

test('of the rows of a section, the first thousand are kept, and all are counted', () => {
  const rows = new SectionRows({ title: 'Many', columns: ['line'] });
  for (let line = 1; line <= 1_001; line += 1) rows.add(line);
  const [section] = rows.sections;
  expect([section?.rows.length, section?.rows.at(-1), section?.total]).toEqual([1_000, [1_000], 1_001]);
});

test('a page shows the kept rows, and texts from outside do not become markup', () => {
  const page = renderReport(createReport());
  expect(page).toContain('&lt;b>\\u202e\\n');
  expect(page.match(/<tr>/g)).toHaveLength(1 + 1 + 12);
  expect(page).toContain('… and 8 more.');
  expect(page).not.toMatch(/<script|https?:/);
});
