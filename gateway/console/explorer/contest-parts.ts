import type { Static } from 'typebox';
import type { choice, contest } from '../../../schemas/http/contests.ts';
import { type Html, html } from '../html.ts';
import { BallotText, ExplorerLink } from './ballot-text.ts';

export type Contest = Static<typeof contest>;
export type Choice = Static<typeof choice>;

/** How voters mark the contest, in a few words. */
export function describeVote({ vote_method, votes_allowed, ranks_allowed }: Contest): string {
  switch (vote_method) {
    case 'plurality':
      return 'Vote for one';
    case 'multi_seat':
      return votes_allowed === null ? 'Vote for several' : `Vote for up to ${votes_allowed}`;
    case 'ranked_choice':
      return ranks_allowed === null ? 'Rank the choices' : `Rank up to ${ranks_allowed}`;
    case 'approval':
      return 'Vote for any number';
    case 'yes_no':
      return 'Yes or no';
  }
}

const GROUPS: Readonly<Record<Contest['district']['level'], string>> = {
  federal: 'Federal',
  state: 'State',
  county: 'Local',
  city: 'Local',
  school: 'Local',
  special: 'Local',
};

/** The part of the ballot to which a contest belongs. */
export const groupOf = ({ district }: Pick<Contest, 'district'>): string => GROUPS[district.level];

/** A choice's label, with its party and a mark if it is withdrawn. */
export function ChoiceName({ item }: { item: Choice }): Html {
  const party = item.party_label ?? item.party;
  return html`
    <span class=${item.withdrawn ? 'withdrawn' : null}>
      <${BallotText}>${item.label}<//>${party && html` <span class="muted"><${BallotText}>${party}<//></span>`}${item.withdrawn && html` <small>withdrawn</small>`}
    </span>`;
}

/** The title of a contest with its place and voting method, linked to its page. */
export function ContestHeading({ item }: { item: Contest }): Html {
  return html`
    <h3><${ExplorerLink} href=${`/console/explorer/contests/${item.id}`}><${BallotText}>${item.title}<//><//></h3>
    <p class="muted"><${BallotText}>${item.district.name}<//> · ${describeVote(item)}</p>`;
}
