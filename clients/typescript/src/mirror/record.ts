import type { EndorsementEvent, ListedEndorsement } from '../types.ts';

/**
 * The content of an endorsement that lists and events share. `updated_at` differs: an event that announces an edit of
 * the catalogue is later than the endorsement's own last change.
 */
export type MirroredEndorsement = Pick<
  ListedEndorsement,
  'choice' | 'election' | 'endorser' | 'id' | 'published_on' | 'rank' | 'source_url' | 'statement'
> & {
  contest: Omit<ListedEndorsement['contest'], 'district'> & {
    district: Omit<ListedEndorsement['contest']['district'], 'type'>;
  };
};

/**
 * The content of a record. Its keys are sorted at every depth, so that its JSON is canonical (RFC 8785), as the
 * service's digest requires.
 */
export function keepRecord(record: ListedEndorsement | MirroredEndorsement): MirroredEndorsement {
  const { choice, contest, election, endorser } = record;
  const { candidate } = choice;
  const { district } = contest;
  const { category } = endorser;
  return {
    choice: {
      candidate: candidate && { full_name: candidate.full_name, id: candidate.id },
      id: choice.id,
      label: choice.label,
      measure_answer: choice.measure_answer,
      party: choice.party,
    },
    contest: {
      district: {
        id: district.id,
        level: district.level,
        name: district.name,
        ocd_id: district.ocd_id,
        state: district.state,
      },
      id: contest.id,
      kind: contest.kind,
      short_title: contest.short_title,
      title: contest.title,
    },
    election: {
      date: election.date,
      id: election.id,
      name: election.name,
      slug: election.slug,
      state: election.state,
      type: election.type,
    },
    endorser: {
      category: { name: category.name, slug: category.slug },
      id: endorser.id,
      name: endorser.name,
      slug: endorser.slug,
      state: endorser.state,
    },
    id: record.id,
    published_on: record.published_on,
    rank: record.rank,
    source_url: record.source_url,
    statement: record.statement,
  };
}

/** A change of a copy: the new record, or null if the endorsement is gone. */
export interface MirrorChange {
  id: number;
  record: MirroredEndorsement | null;
}

/** Turns an event into a change of the copy. Applying it twice is harmless. */
export function changeOf(event: EndorsementEvent): MirrorChange {
  const { type, endorsement, endorser, contest, election, choice } = event;
  const { id } = endorsement;
  if (type === 'endorsement.deleted') return { id, record: null };
  return { id, record: keepRecord({ ...endorsement, endorser, contest, election, choice }) };
}
