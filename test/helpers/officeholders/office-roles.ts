import type { RoleInOffice } from '../../../domain/officeholders/terms.ts';

export const government = (place: string) => `ocd-jurisdiction/country:us${place}/government`;
export const division = (place: string) => `ocd-division/country:us${place}`;

/** A representative's role in office, with some fields replaced. */
export const role = (overrides: Partial<RoleInOffice> = {}): RoleInOffice => ({
  index: 0,
  type: 'lower',
  jurisdiction: government('/state:ca'),
  district: '7',
  start: '2025-01-03',
  end: null,
  endReason: null,
  overdue: false,
  ...overrides,
});
