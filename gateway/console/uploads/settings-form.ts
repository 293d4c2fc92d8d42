import { type EndorsementField, REVIEW_FIELDS, usualFieldOf } from '../../../intake/endorsements/fields.ts';
import type { AllowedEndorser } from '../../../store/accounts/endorsers.ts';
import type { OpenElection } from '../../../store/console/own-positions.ts';
import type { UploadSettings } from '../../../store/console/uploads.ts';
import { Select } from '../components.ts';
import { type Html, html } from '../html.ts';
import { electionOption } from '../publishing/own-position.ts';

/** The fields that a column can hold, with their names. */
const FIELD_LABELS: Readonly<Record<Exclude<EndorsementField, (typeof REVIEW_FIELDS)[number]>, string>> = {
  endorser: 'Endorser',
  election: 'Election',
  election_date: 'Date of the election',
  state: 'State',
  district: 'District',
  contest: 'Contest or measure',
  choice: 'Candidate or choice',
  position: 'Position: yes, no, support…',
  rank: 'Rank',
  statement: 'Statement',
  statement_es: 'Statement in Spanish',
  source_url: 'Address of the source',
  published_on: 'Date of publication',
  party: 'Party',
};
const LABELS = new Map<string, string>(Object.entries(FIELD_LABELS));
/** The value in a form for a column that holds nothing. */
const UNUSED = '-';
/** The most columns for which a form has a field. */
const MAX_COLUMNS = 60;

export interface SettingsParts {
  endorsers: readonly AllowedEndorser[];
  elections: readonly OpenElection[];
  settings: UploadSettings;
}

/** The person's settings for all rows: the endorser, the election, and whether it is the whole list. */
export function SettingFields({ endorsers, elections, settings }: SettingsParts): Html {
  const { endorser, election, isWhole } = settings;
  return html`
    <${Select} label="Endorser of all rows" name="endorser" options=${endorsers.map(({ slug, name }) => [slug, name])} chosen=${endorser} none="As the table says" />
    <${Select} label="Election of all rows" name="election" options=${elections.map(electionOption)} chosen=${election} none="As the table says" />
    <label class="check"><input type="checkbox" name="whole" value="yes" checked=${isWhole} /> This is the whole list: what it lacks in its elections is withdrawn</label>`;
}

/** The names of columns that a form asks about, each once. */
const columnsOf = (header: readonly string[]): string[] =>
  [...new Set(header.filter((name) => name !== '' && !isReviewField(usualFieldOf(name, header))))].slice(
    0,
    MAX_COLUMNS,
  );

const isReviewField = (field: EndorsementField | null): boolean =>
  REVIEW_FIELDS.some((each) => each === field);

/** The content of each column, by the person's word or else by its name. */
export function ColumnFields(props: { header: readonly string[]; settings: UploadSettings }): Html {
  const { header, settings } = props;
  return html`
    <fieldset>
      <legend>Columns</legend>
      ${columnsOf(header).map((name, at) => html`<${ColumnField} name=${name} at=${at} header=${header} settings=${settings} />`)}
    </fieldset>`;
}

function ColumnField(props: {
  name: string;
  at: number;
  header: readonly string[];
  settings: UploadSettings;
}): Html {
  const { name, at, header, settings } = props;
  const said = settings.map.find((each) => each.slice(0, each.lastIndexOf('=')) === name);
  const field = said === undefined ? null : said.slice(name.length + 1) || UNUSED;
  const usual = LABELS.get(usualFieldOf(name, header) ?? '') ?? 'not used';
  return html`<${Select} label=${name} name=${`column:${at}`} options=${[[UNUSED, 'Not used'], ...LABELS]} chosen=${field} none=${`By its name: ${usual}`} />`;
}

/** Reads the settings of a form. Unknown values count as nothing. */
export function readSettings(
  form: URLSearchParams,
  { endorsers, header }: { endorsers: readonly AllowedEndorser[]; header: readonly string[] },
): UploadSettings {
  const endorser = endorsers.find(({ slug }) => slug === form.get('endorser'));
  const map = columnsOf(header).flatMap((name, at) => {
    const field = form.get(`column:${at}`) ?? '';
    if (field === UNUSED) return [`${name}=`];
    return LABELS.has(field) ? [`${name}=${field}`] : [];
  });
  return {
    map,
    endorser: endorser?.slug ?? null,
    election: form.get('election') || null,
    isWhole: form.has('whole'),
  };
}
