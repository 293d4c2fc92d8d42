import type { Office } from '../../schemas/http/officeholders.ts';

/*
 * The titles that states use for their offices (specification, "Officeholder": `office_title`). The source has only kinds
 * of office. So each kind has a title here, and the states with other titles are listed.
 */

const TITLES: Readonly<Record<Office, string>> = {
  us_senator: 'U.S. Senator',
  us_representative: 'U.S. Representative',
  governor: 'Governor',
  lieutenant_governor: 'Lieutenant Governor',
  attorney_general: 'Attorney General',
  secretary_of_state: 'Secretary of State',
  chief_election_officer: 'Chief Election Officer',
  treasurer: 'State Treasurer',
  auditor: 'State Auditor',
  state_senator: 'Senator',
  state_representative: 'Representative',
  // Nebraska has one chamber, whose members are senators.
  state_legislator: 'Senator',
  city_council: 'Councilmember',
};

const DELEGATE = 'Delegate to the U.S. House of Representatives';

const OWN_TITLES: Readonly<Partial<Record<Office, Readonly<Record<string, string>>>>> = {
  us_representative: {
    AS: DELEGATE,
    DC: DELEGATE,
    GU: DELEGATE,
    MP: DELEGATE,
    VI: DELEGATE,
    PR: 'Resident Commissioner',
  },
  // The source has D.C.'s mayor as a governor.
  governor: { DC: 'Mayor' },
  secretary_of_state: {
    MA: 'Secretary of the Commonwealth',
    PA: 'Secretary of the Commonwealth',
    VA: 'Secretary of the Commonwealth',
  },
  treasurer: { MA: 'Treasurer and Receiver-General' },
  auditor: { MI: 'Auditor General', PA: 'Auditor General', IA: 'Auditor of State', OH: 'Auditor of State' },
  state_representative: {
    CA: 'Assemblymember',
    NJ: 'Assembly Member',
    NV: 'Assembly Member',
    NY: 'Assembly Member',
    MD: 'Delegate',
    VA: 'Delegate',
    WV: 'Delegate',
  },
};

/** The title that a state uses for an office. */
export function officeTitle(office: Office, state: string, district: string): string {
  if (office === 'city_council' && /^chair/i.test(district)) return 'Chairman';
  return OWN_TITLES[office]?.[state] ?? TITLES[office];
}
