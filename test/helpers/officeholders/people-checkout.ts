/** Makes tiny checkouts of the Open States people repository. */
import { createFolder } from '../folder.ts';

/** The id of person number `n`. */
export const personId = (n: number): string => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;

/** A person's file. */
export function person(n: number, name: string, roles: string[], more: string[] = []): string {
  return [`id: ocd-person/${personId(n)}`, `name: ${name}`, ...more, 'roles:', ...roles, ''].join('\n');
}

/** A role as its lines: `role('lower', 'state:or', { district: 7 })`. */
export function role(type: string, place: string, more: Record<string, string | number> = {}): string {
  const jurisdiction = `ocd-jurisdiction/country:us${place && `/${place}`}/government`;
  const rest = Object.entries(more).map(([name, value]) => `  ${name}: ${value}`);
  return [`- type: ${type}`, `  jurisdiction: ${jurisdiction}`, ...rest].join('\n');
}

/** Creates a checkout with these files, by their paths below `data/`. */
export const createCheckout = (files: Record<string, string | Buffer>) =>
  createFolder(Object.fromEntries(Object.entries(files).map(([name, content]) => [`data/${name}`, content])));
