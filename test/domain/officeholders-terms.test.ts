import { describe, expect, test } from '@jest/globals';
import { type Role, rolesInOffice } from '../../domain/officeholders-terms.ts';
import { role } from './officeholders-helpers.ts';

describe('who is in office', () => {
  const TODAY = '2026-11-03';
  const inOffice = (roles: Partial<Role>[], isOfFolder = (_: Role) => true) =>
    rolesInOffice(
      roles.map((given, index) => role({ start: null, ...given, index })),
      TODAY,
      isOfFolder,
    ).map(({ index, overdue }) => (overdue ? `${index} overdue` : `${index}`));

  test.each<[string, Partial<Role>[], string[]]>([
    ['a role without dates', [{}], ['0']],
    ['one that began today', [{ start: TODAY }], ['0']],
    ['not one that begins tomorrow', [{ start: '2026-11-04' }], []],
    ['one that ends tomorrow', [{ end: '2026-11-04' }], ['0']],
    ['one that ends today only for want of another', [{ end: TODAY }], ['0 overdue']],
    ['not one that ends today beside another', [{ end: TODAY }, { start: TODAY }], ['1']],
    ['one that ends some day of this month', [{ end: '2026-11' }], ['0']],
    ['one that ends some day of this year', [{ end: '2026' }], ['0']],
    ['one that began some day of this month', [{ start: '2026-11' }], ['0']],
    ['not one that begins next year', [{ start: '2027' }], []],
    ['several at once', [{ district: '1' }, { end: '2020-01-01' }, { district: '2' }], ['0', '2']],
    [
      'the last that ended on paper',
      [{ end: '2020-01-01' }, { end: '2025-01-01' }, { end: '2022-01-01' }],
      ['1 overdue'],
    ],
    [
      'nobody whose last role ended for a reason',
      [{ end: '2025-01-01', endReason: 'resigned' }, { end: '2020-01-01' }],
      [],
    ],
    ['nobody without a role', [], []],
  ])('%s', (_, roles, expected) => {
    expect(inOffice(roles)).toEqual(expected);
  });

  test('a role that ended goes on only where the folder is for its kind', () => {
    const roles = [
      { type: 'lower', end: '2024-01-01' },
      { type: 'governor', end: '2023-01-01' },
    ];
    expect(inOffice(roles, ({ type }) => type === 'governor')).toEqual(['1 overdue']);
    expect(inOffice(roles, () => false)).toEqual([]);
  });
});
