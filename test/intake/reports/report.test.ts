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

test('a page shows the kept rows, and texts from outside do not become markup', () => {
  const page = renderReport(createReport());
  expect(page).toContain('&lt;b>\\u202e\\n');
  expect(page.match(/<tr>/g)).toHaveLength(1 + 1 + 12);
  expect(page).toContain('… and 8 more.');
  expect(page).not.toMatch(/<script|https?:/);
});
