import type { ChangeBody } from '../../schemas/change.ts';

/** By part of the catalogue: its JSON. Many changes share a part, which never changes. */
const known = new WeakMap<object, string>();

function renderPart(part: object): string {
  let text = known.get(part);
  if (text === undefined) {
    text = JSON.stringify(part);
    known.set(part, text);
  }
  return text;
}

/** The JSON of a change's body. Its parts must not be altered afterwards. */
export function renderBody({ endorsement, endorser, contest, election, choice }: ChangeBody): string {
  return (
    `{"endorsement":${JSON.stringify(endorsement)},"endorser":${renderPart(endorser)},"contest":${renderPart(contest)},` +
    `"election":${renderPart(election)},"choice":${renderPart(choice)}}`
  );
}
