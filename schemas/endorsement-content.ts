/*
 * The content of an endorsement that every copy of it has: the fields of both the list of endorsements and the events.
 * Digests are sums of hashes of this content; docs/copies.md describes it to the byte.
 */
import { hash } from 'node:crypto';
import canonicalize from 'canonicalize';
import type { ChangeBody } from './change.ts';

type SharedPart = Exclude<keyof ChangeBody, 'endorsement'>;

/** The canonical JSON of parts of the catalogue. Many endorsements share a part, which never changes. */
const renderedParts = new WeakMap<object, string>();

/** The fields of the content. They are final: a field that events gain later does not belong to the content. */
const CONTENT: { readonly [Part in SharedPart]: (part: ChangeBody[Part]) => object } = {
  choice: ({ candidate, id, label, measure_answer, party }) => ({
    candidate: candidate && { full_name: candidate.full_name, id: candidate.id },
    id,
    label,
    measure_answer,
    party,
  }),
  contest: ({ district: { id: districtId, level, name, ocd_id, state }, id, kind, short_title, title }) => ({
    district: { id: districtId, level, name, ocd_id, state },
    id,
    kind,
    short_title,
    title,
  }),
  election: ({ date, id, name, slug, state, type }) => ({ date, id, name, slug, state, type }),
  endorser: ({ category, id, name, slug, state }) => ({
    category: { name: category.name, slug: category.slug },
    id,
    name,
    slug,
    state,
  }),
};

function renderPart<Part extends SharedPart>(name: Part, part: ChangeBody[Part]): string {
  let text = renderedParts.get(part);
  if (text === undefined) {
    text = canonicalize(CONTENT[name](part)) ?? '';
    renderedParts.set(part, text);
  }
  return text;
}

/** The content of an endorsement as canonical JSON (RFC 8785). The parts of the body must not be altered afterwards. */
export function renderContent({ endorsement, endorser, contest, election, choice }: ChangeBody): string {
  const { id, rank, statement, source_url, published_on } = endorsement;
  return (
    `{"choice":${renderPart('choice', choice)},"contest":${renderPart('contest', contest)},` +
    `"election":${renderPart('election', election)},"endorser":${renderPart('endorser', endorser)},` +
    `"id":${id},"published_on":${JSON.stringify(published_on)},"rank":${rank},` +
    `"source_url":${JSON.stringify(source_url)},"statement":${JSON.stringify(statement)}}`
  );
}

/** The SHA-256 of an endorsement's content, as a number below 2^256. */
export function hashContent(body: ChangeBody): bigint {
  return BigInt(`0x${hash('sha256', renderContent(body))}`);
}
