/** Roles of the source and their seats. */

/** Type, place and district of a role; then office, title, level, state, district and division of its seat. */
type Row = [string, string, string | null, string, string, string, string, string, string];

/** Roles of a district: type, place and district of the role; then title, state and division of its seat. */
const inDistricts = (
  office: string,
  level: string,
  rows: [string, string, string, string, string, string][],
): Row[] =>
  rows.map(([type, place, district, title, state, division]) => {
    return [type, place, district, office, title, level, state, district, division];
  });

/** Roles of a whole state: type and place of the role; then title, state and district of its seat. */
const statewide = (office: string, rows: [string, string, string, string, string][]): Row[] =>
  rows.map(([type, place, title, state, district]) => {
    return [type, place, null, office, title, 'state', state, district, place];
  });

export const ROLES_AND_SEATS: Row[] = [
  ...inDistricts('us_senator', 'federal', [['upper', '', 'New York', 'U.S. Senator', 'NY', '/state:ny']]),
  ...inDistricts('us_representative', 'federal', [
    ['lower', '', 'KY-3', 'U.S. Representative', 'KY', '/state:ky/cd:3'],
    ['lower', '', 'WY-AL', 'U.S. Representative', 'WY', '/state:wy/cd:at-large'],
    ['lower', '', 'DC-AL', 'Delegate to the U.S. House of Representatives', 'DC', '/district:dc/cd:at-large'],
    ['lower', '', 'PR-AL', 'Resident Commissioner', 'PR', '/territory:pr/cd:at-large'],
  ]),
  ...statewide('governor', [
    ['governor', '/state:wy', 'Governor', 'WY', 'Wyoming'],
    ['governor', '/territory:gu', 'Governor', 'GU', 'Guam'],
    ['governor', '/district:dc', 'Mayor', 'DC', 'District of Columbia'],
  ]),
  ...statewide('lieutenant_governor', [
    ['lt_governor', '/state:ne', 'Lieutenant Governor', 'NE', 'Nebraska'],
  ]),
  ...statewide('attorney_general', [
    ['attorney general', '/state:ca', 'Attorney General', 'CA', 'California'],
  ]),
  ...statewide('secretary_of_state', [
    ['Secretary of State', '/state:ca', 'Secretary of State', 'CA', 'California'],
    ['secretary of state', '/state:pa', 'Secretary of the Commonwealth', 'PA', 'Pennsylvania'],
  ]),
  ...statewide('chief_election_officer', [
    ['chief election officer', '/district:dc', 'Chief Election Officer', 'DC', 'District of Columbia'],
  ]),
  ...statewide('treasurer', [['treasurer', '/state:or', 'State Treasurer', 'OR', 'Oregon']]),
  ...statewide('auditor', [
    ['state_auditor', '/state:ut', 'State Auditor', 'UT', 'Utah'],
    ['auditor general', '/state:mi', 'Auditor General', 'MI', 'Michigan'],
  ]),
  ...inDistricts('state_senator', 'state', [
    ['upper', '/state:ca', '11', 'Senator', 'CA', '/state:ca/sldu:11'],
    [
      'upper',
      '/state:ma',
      'First Essex and Middlesex',
      'Senator',
      'MA',
      '/state:ma/sldu:1st_essex_and_middlesex',
    ],
    ['upper', '/territory:pr', 'IV', 'Senator', 'PR', '/territory:pr/sldu:4'],
    ['upper', '/territory:pr', 'At-Large', 'Senator', 'PR', '/territory:pr'],
  ]),
  ...inDistricts('state_representative', 'state', [
    ['lower', '/state:ca', '37', 'Assemblymember', 'CA', '/state:ca/sldl:37'],
    ['lower', '/state:wy', '08', 'Representative', 'WY', '/state:wy/sldl:08'],
    ['lower', '/state:md', '1A', 'Delegate', 'MD', '/state:md/sldl:1a'],
    ['lower', '/state:nh', 'Belknap 2', 'Representative', 'NH', '/state:nh/sldl:belknap_2'],
    ['lower', '/state:vt', 'Addison-1', 'Representative', 'VT', '/state:vt/sldl:addison-1'],
    [
      'lower',
      '/state:ma',
      'Barnstable, Dukes and Nantucket',
      'Representative',
      'MA',
      '/state:ma/sldl:barnstable_dukes_and_nantucket',
    ],
  ]),
  ...inDistricts('state_legislator', 'state', [
    ['legislature', '/state:ne', '21', 'Senator', 'NE', '/state:ne/sldu:21'],
  ]),
  ...inDistricts('city_council', 'city', [
    ['legislature', '/district:dc', 'Ward 4', 'Councilmember', 'DC', '/district:dc/ward:4'],
    ['legislature', '/district:dc', 'At-Large', 'Councilmember', 'DC', '/district:dc'],
    ['legislature', '/district:dc', 'Chairman', 'Chairman', 'DC', '/district:dc'],
  ]),
];
