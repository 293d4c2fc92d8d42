import { expect, test } from '@jest/globals';
import {
  congressionalDistrict,
  legislativeDivision,
  wardDivision,
} from '../../../domain/officeholders/districts.ts';
import { jurisdictionOfState } from '../../../domain/officeholders/states.ts';
import { officeTitle } from '../../../domain/officeholders/titles.ts';

function place(code: string) {
  const found = jurisdictionOfState(code);
  if (!found) throw new Error(`There is no state ${code}.`);
  return found;
}

test.each([
  ['MA', 'First Essex', '/sldu:1st_essex'],
  ['MA', 'Second Essex and Middlesex', '/sldu:2nd_essex_and_middlesex'],
  ['MA', 'Fourth  Essex', '/sldu:4th_essex'],
  ['MA', 'Berkshire, Hampden', '/sldu:berkshire_hampden'],
  // At large, and names that only resemble it.
  ['VT', 'At-Large', ''],
  ['VT', 'at large', ''],
  ['VT', 'AL', ''],
  ['VT', 'Chair', ''],
  ['VT', 'Chairwoman', ''],
  ['VT', 'Albany', '/sldu:albany'],
  ['VT', 'Royal', '/sldu:royal'],
  // Roman numerals are numbers in Puerto Rico only.
  ['PR', 'IV', '/sldu:4'],
  ['CA', 'V', '/sldu:v'],
  // The registry has hyphens in three names of Vermont.
  ['VT', 'Chittenden Southeast', '/sldu:chittenden-southeast'],
  ['VT', 'Chittenden Central', '/sldu:chittenden-central'],
  ['VT', 'Chittenden North', '/sldu:chittenden-north'],
  ['VT', 'Grand Isle-Chittenden', '/sldu:grand_isle-chittenden'],
  ['MA', 'Chittenden North', '/sldu:chittenden_north'],
  ['ID', '16', '/sldu:16'],
])('the division of the senate district of %s %j ends in %j', (code, district, end) => {
  const jurisdiction = place(code);
  expect(legislativeDivision(jurisdiction, 'sldu', district)).toBe(`${jurisdiction.division}${end}`);
});

test.each([
  ['ID', '16B', '/sldl:16'],
  ['ID', '1a', '/sldl:1'],
  ['ID', '16', '/sldl:16'],
  ['ID', '16C', '/sldl:16c'],
  ['MD', '1A', '/sldl:1a'],
  ['ME', 'Passamaquoddy Tribe', '/sldl:passamaquoddy_tribe'],
  ['PR', 'At-Large', ''],
  ['VT', 'Chittenden North', '/sldl:chittenden_north'],
])('the division of the house district of %s %j ends in %j', (code, district, end) => {
  const jurisdiction = place(code);
  expect(legislativeDivision(jurisdiction, 'sldl', district)).toBe(`${jurisdiction.division}${end}`);
});

test.each([
  ['Ward 4', '/ward:4'],
  ['ward 12', '/ward:12'],
  ['At-Large', ''],
  ['Old Ward 3', ''],
  ['Ward 3 South', ''],
])('the division of the seat %j of the D.C. Council ends in %j', (district, end) => {
  expect(wardDivision(place('DC'), district)).toBe(`${place('DC').division}${end}`);
});

test.each([
  ['KY-3', 'KY', '/cd:3'],
  ['KY-03', 'KY', '/cd:3'],
  ['CA-52', 'CA', '/cd:52'],
  ['WY-AL', 'WY', '/cd:at-large'],
  ['DC-AL', 'DC', '/cd:at-large'],
  ['GU-AL', 'GU', '/cd:at-large'],
])('the House district %s is of %s, and its division ends in %j', (district, state, end) => {
  expect(congressionalDistrict(district)).toEqual({ state, division: `${place(state).division}${end}` });
});

test.each(['KY', 'XKY-3', 'KY-3rd', 'KY-333', 'ZZ-1', ''])('%j is not a House district', (district) => {
  expect(congressionalDistrict(district)).toBeNull();
});

test.each([
  ['city_council', 'DC', 'Chairman', 'Chairman'],
  ['city_council', 'DC', 'Chair', 'Chairman'],
  ['city_council', 'DC', 'Vice Chairman', 'Councilmember'],
  ['state_representative', 'VT', 'Chairmans Corner', 'Representative'],
  ['state_representative', 'VA', '7', 'Delegate'],
  ['governor', 'DC', '', 'Mayor'],
] as const)('%s of %s, district %j, is called %s', (office, state, district, title) => {
  expect(officeTitle(office, state, district)).toBe(title);
});
