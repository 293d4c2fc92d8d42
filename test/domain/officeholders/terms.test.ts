import { describe, expect, test } from '@jest/globals';
import { type Role, rolesInOffice } from '../../../domain/officeholders/terms.ts';
import { role } from '../../helpers/officeholders/office-roles.ts';

describe('the roles in office include', () => {
  const TODAY = '2026-11-03';
  const inOffice = (roles: Partial<Role>[], isOfFolder = (_: Role) => true) =>
    rolesInOffice(
      roles.map((given, index) => role({ start: null, ...given, index })),
      TODAY,
      isOfFolder,
    ).map(({ index, overdue }) => (overdue ? `${index} overdue` : `${index}`));

  test.each<[string, Partial<Role>[], string[]]>([
    ['a role without dates', [{}], ['0']],
    ['a role that began today', [{ start: TODAY }], ['0']],
    ['no role that begins tomorrow', [{ start: '2026-11-04' }], []],
    ['a role that ends tomorrow', [{ end: '2026-11-04' }], ['0']],
    ['a role that ends today, if there is no other', [{ end: TODAY }], ['0 overdue']],
    ['no role that ends today, if there is another', [{ end: TODAY }, { start: TODAY }], ['1']],
    ['a role that ends this month', [{ end: '2026-11' }], ['0']],
    ['a role that ends this year', [{ end: '2026' }], ['0']],
    ['a role that began this month', [{ start: '2026-11' }], ['0']],
    ['no role that begins next year', [{ start: '2027' }], []],
    ['several roles at once', [{ district: '1' }, { end: '2020-01-01' }, { district: '2' }], ['0', '2']],
    [
      'the role that ended last, if all have ended',
      [{ end: '2020-01-01' }, { end: '2025-01-01' }, { end: '2022-01-01' }],
      ['1 overdue'],
    ],
    [
      'the role that ended last, by the last day of a year',
      [{ end: '2025-06-01' }, { end: '2025' }],
      ['1 overdue'],
    ],
    [
      'the role that ended, until the next one begins',
      [{ end: TODAY }, { start: '2026-11-04' }],
      ['0 overdue'],
    ],
    [
      'no role, if the last one ended for a reason',
      [{ end: '2025-01-01', endReason: 'resigned' }, { end: '2020-01-01' }],
      [],
    ],
    ['no role, if there is none', [], []],
  ])('%s', (_, roles, expected) => {
    expect(inOffice(roles)).toEqual(expected);
  });

  test.each([
    ['2024-02', '2024-02-29'],
    ['2026-11', '2026-11-30'],
    ['2026-12', '2026-12-31'],
    ['2026', '2026-12-31'],
  ])('a role that ends in %s until the day before %s, as if it ended on that day', (end, lastDay) => {
    const dayBefore = new Date(Date.parse(lastDay) - 86_400_000).toISOString().slice(0, 10);
    const count = (today: string) => rolesInOffice([role({ start: null, end })], today, () => false).length;
    expect([count(dayBefore), count(lastDay)]).toEqual([1, 0]);
  });

  test('a role that ended only if the folder is for its kind', () => {
    const roles = [
      { type: 'lower', end: '2024-01-01' },
      { type: 'governor', end: '2023-01-01' },
    ];
    expect(inOffice(roles, ({ type }) => type === 'governor')).toEqual(['1 overdue']);
    expect(inOffice(roles, () => false)).toEqual([]);
  });
});
