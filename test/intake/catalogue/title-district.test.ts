import { expect, test } from '@jest/globals';
import { districtOfTitle } from '../../../intake/catalogue/title-district.ts';

test.each([
  ['NC', 'NC HOUSE OF REPRESENTATIVES DISTRICT 063', 'State House District 63', 'sldl:63'],
  ['IL', 'State Representative, 45th District', 'State House District 45', 'sldl:45'],
  [
    'PA',
    'Representative in the General Assembly, 12th Legislative District',
    'State House District 12',
    'sldl:12',
  ],
  ['MN', 'State Representative District 5A', 'State House District 5A', 'sldl:5a'],
  ['VA', 'Member, House of Delegates (District No. 57)', 'State House District 57', 'sldl:57'],
  ['CA', 'Member of the State Assembly, District 3', 'State Assembly District 3', 'sldl:3'],
  ['NY', 'Assembly District 3', 'State Assembly District 3', 'sldl:3'],
  ['TX', 'State Senator, District 4', 'State Senate District 4', 'sldu:4'],
  ['WV', 'State Senate District 4, Unexpired Term of District 4', 'State Senate District 4', 'sldu:4'],
  ['GA', 'US House of Representatives - District 13', 'Congressional District 13', 'cd:13'],
  ['NH', 'Representative in Congress, 2nd Congressional District', 'Congressional District 2', 'cd:2'],
])('in %s, "%s" is of %s', (state, title, name, division) => {
  const ocdId = `ocd-division/country:us/state:${state.toLowerCase()}/${division}`;
  expect(districtOfTitle(title, state, undefined)).toEqual({ name, ocdId });
});

test.each([
  ['AK', 'Assembly Member, District 3'],
  ['CT', 'Representative Town Meeting Member, District 3'],
  ['CO', 'District Attorney, 5th Judicial District'],
  ['CO', 'State Board of Education, District 5'],
  ['CA', 'State Assembly, Districts 4 and 5: District 4, District 5'],
  ['VA', 'State Senate'],
  ['VA', 'U.S. Senate'],
  ['VA', 'State Senate District 0'],
  ['ZZ', 'State Senate District 5'],
])('in %s, "%s" names no district of a legislature', (state, title) => {
  expect(districtOfTitle(title, state, undefined)).toBeNull();
});

test('a given level must be that of the district', () => {
  expect(districtOfTitle('U.S. House District 5', 'VA', 'federal')).not.toBeNull();
  expect(districtOfTitle('U.S. House District 5', 'VA', 'state')).toBeNull();
});
