import type { SeenRow } from '../../../administration/intake/table-work.ts';
import type { Candidate } from '../../../intake/matching/row-match.ts';
import type { AllowedEndorser } from '../../../store/accounts/endorsers.ts';
import type { UploadDecision, UploadDecisions } from '../../../store/console/uploads.ts';
import { Select } from '../components.ts';
import { type Html, html } from '../html.ts';
import { isolateName } from '../isolation.ts';

/** The longest key that a person can enter, in characters. */
const MAX_KEY = 500;
/** The most rows of a form that are read. */
const MAX_LINES = 100;

const keyOf = ({ contest, choice }: Candidate): string => `${contest.key}/${choice.key}`;

/** A row in words, for people. */
export function describeRow({ row }: SeenRow): string {
  const { endorser, contest, district, choice, party, position } = row ?? {};
  const parts = [choice, party, position, contest, district, endorser].filter((part) => part);
  return parts.length === 0
    ? 'a row that cannot be read'
    : parts.map((part) => isolateName(part ?? '')).join(' · ');
}

const GRADES: Readonly<Record<string, string>> = {
  close: 'Close',
  ambiguous: 'Ambiguous',
  none: 'No match',
  decided: 'Decided',
  'left out': 'Left out',
  refused: 'Cannot be used',
};

/** A decision in words. */
const showDecision = (decided: UploadDecision | undefined): string =>
  decided === undefined ? 'nothing' : decided.decision === 'no' ? 'leave it out' : decided.decision;

/** The advice for a decision in a file. */
const FILE_REMEDY = /correct one of them(, or empty the decision)?$/;

export interface AskedRow {
  seen: SeenRow;
  /** The decision that is stored. */
  stored: UploadDecision | undefined;
  /** The person's choice, if somebody else has decided since; undefined otherwise. */
  refused?: UploadDecision | null | undefined;
  endorsers: readonly AllowedEndorser[];
}

/** Asks what a row means. */
export function RowChoices({ seen, stored, refused, endorsers }: AskedRow): Html {
  const { line, fate, matched } = seen;
  const why = explain(seen, { stored, endorsers });
  const chosen = refused === undefined ? stored : (refused ?? undefined);
  const name = `row:${line}`;
  const candidates = matched?.candidates ?? [];
  const isListed = candidates.some((each) => keyOf(each) === chosen?.decision);
  const isOther = chosen !== undefined && chosen.decision !== 'no' && !isListed;
  const radio = (value: string, isChecked: boolean, label: Html | string) => html`
    <label class="check"><input type="radio" name=${name} value=${value} checked=${isChecked} /> ${label}</label>`;
  const needsEndorser = matched?.unsure.endorser === true;
  const endorser = chosen?.endorser ?? matched?.endorser?.slug;
  return html`
    <fieldset class="card">
      <legend>Line ${line}: ${describeRow(seen)}</legend>
      ${
        refused !== undefined &&
        html`<p class="problem">Somebody else has decided on this row since the page was opened: ${showDecision(stored)}. Your choice is marked below; it counts when you save again.</p>`
      }
      <p class=${fate === 'refused' ? 'problem' : 'muted'}>${GRADES[fate] ?? fate}${why !== '' && `: ${why}`}</p>
      <input type="hidden" name="line" value=${line} />
      <input type="hidden" name=${`shown:${line}`} value=${writeDecision(stored)} />
      ${
        needsEndorser &&
        html`<${Select} label="Endorser, of those for which the account may publish" name=${`endorser:${line}`} options=${endorsers.map((each) => [each.slug, each.name])} chosen=${endorser} none="Choose an endorser" />`
      }
      ${candidates.map((each) => radio(keyOf(each), chosen?.decision === keyOf(each), html`<${CandidateLabel} item=${each} />`))}
      ${radio('other', isOther, 'Another choice, by its key:')}
      <label class="key">Key of the choice, as ELECTION/CONTEST/CHOICE <input name=${`key:${line}`} value=${isOther ? chosen.decision : ''} maxlength=${MAX_KEY} /></label>
      ${radio('no', chosen?.decision === 'no', 'None of these: leave the row out')}
      ${radio('', chosen === undefined, 'Decide later')}
    </fieldset>`;
}

/** The reason in the words of a page; empty if the grade says it all. */
function explain(
  { fate, reason, matched }: SeenRow,
  { stored, endorsers }: Pick<AskedRow, 'stored' | 'endorsers'>,
): string {
  if (fate === 'decided' || fate === 'left out') return '';
  const endorser = stored?.endorser ?? matched?.endorser?.slug;
  if (fate === 'refused' && !endorsers.some(({ slug }) => slug === endorser)) {
    return 'choose the endorser as well';
  }
  if (fate === 'refused' && reason.startsWith('has the decision')) {
    return `"${stored?.decision}" is not the key of a choice of the catalogue`;
  }
  return fate === 'refused' ? reason.replace(FILE_REMEDY, 'choose again, or leave the row out') : reason;
}

function CandidateLabel({ item: { contest, choice } }: { item: Candidate }): Html {
  const party = choice.party_label ?? choice.party;
  return html`
    <span class=${choice.withdrawn ? 'withdrawn' : null}>${choice.label}${party && ` (${party})`}</span> <span class="muted">${contest.title}, ${contest.district.name}</span>${choice.withdrawn && html` <small>withdrawn</small>`}`;
}

/** A decision as a form keeps it; empty for none. */
const writeDecision = (decided: UploadDecision | null | undefined): string =>
  decided ? JSON.stringify([decided.decision, decided.endorser]) : '';

/**
 * Reads what a form says about a row; null for no decision. A key that somebody has written counts even if "Decide later"
 * is still marked, but not the key that the page has shown.
 */
function readDecision(form: URLSearchParams, line: string): UploadDecision | null {
  const value = form.get(`row:${line}`) ?? '';
  const key = form.get(`key:${line}`)?.trim() ?? '';
  const isKey =
    value === 'other' || (value === '' && !form.get(`shown:${line}`)?.includes(JSON.stringify(key)));
  const decision = (isKey ? key : value).trim().slice(0, MAX_KEY);
  return decision === ''
    ? null
    : { decision, endorser: form.get(`endorser:${line}`)?.slice(0, MAX_KEY) || null };
}

/**
 * Adds the decisions of a form to those that are stored. A row on which somebody else has decided since the form was
 * shown keeps that decision.
 *
 * @returns all decisions, and what the form says about rows that somebody else has decided on, by line
 */
export function mergeDecisions(
  form: URLSearchParams,
  stored: UploadDecisions,
): { decisions: UploadDecisions; refused: ReadonlyMap<string, UploadDecision | null> } {
  const decisions = { ...stored };
  const refused = new Map<string, UploadDecision | null>();
  for (const line of form.getAll('line').slice(0, MAX_LINES)) {
    if (!/^\d{1,9}$/.test(line)) continue;
    const held = writeDecision(stored[line]);
    const chosen = readDecision(form, line);
    if (held === writeDecision(chosen)) continue;
    if (held !== (form.get(`shown:${line}`) ?? '')) refused.set(line, chosen);
    else if (chosen === null) delete decisions[line];
    else decisions[line] = chosen;
  }
  return { decisions, refused };
}
