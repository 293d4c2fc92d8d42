import { expect, test } from '@jest/globals';
import { isNameCorrection } from '../../domain/candidate-names.ts';

test.each([
  ['Joe Biden', 'JOE BIDEN'],
  ['Jose Peña', 'José Pena'],
  ["Beto O'Rourke", 'Beto O’Rourke'],
  ['Mary-Ann Lee', 'Mary Ann Lee'],
  ['Joe Biden', 'Joe R. Biden'],
  ['J. R. Biden', 'Joe Robinette Biden'],
  ['Biden', 'Joe Biden'],
  ['Joe Bidn', 'Joe Biden'],
  ['Kamala Haris', 'Kamela Harris'],
  ['Lee', 'lee'],
  ['Anna', 'Anne'],
  ['Petersen', 'Pederson'],
  ['Joe Biden', 'Joe Biden Jr.'],
  ['Robert Kennedy, Jr.', 'Robert F Kennedy Jr'],
])('%s and %s are one person', (before, after) => {
  expect([isNameCorrection(before, after), isNameCorrection(after, before)]).toEqual([true, true]);
});

test.each([
  ['Joe Biden', 'Kamala Harris'],
  ['Ann Lee', 'Bob Lee'],
  ['Joe Biden', 'Jill Biden'],
  ['Lee', 'Lea'],
  ['Anne', 'Ann'],
  ['Stephens', 'Stevens'],
  ['Bob B.', 'Robert B.'],
  ['J. B.', 'Joe Biden'],
  ['Biden Joe', 'Joe R. Bidenn'],
  ['', 'Ann'],
  ['Robert Kennedy Sr.', 'Robert Kennedy Jr.'],
  ['George Smith II', 'George Smith III'],
  ['George Smith Jr.', 'George Smith III'],
])('%s and %s are two', (before, after) => {
  expect([isNameCorrection(before, after), isNameCorrection(after, before)]).toEqual([false, false]);
});
