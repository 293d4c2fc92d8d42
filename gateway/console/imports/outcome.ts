import type { FileOutcome } from '../../../administration/catalogue/uploaded-file.ts';
import { NOTE_KINDS, type Note, type NoteKind } from '../../../intake/catalogue/notes.ts';
import type { CatalogueTable } from '../../../store/catalogue/import.ts';
import { Table } from '../components.ts';
import { type Html, html } from '../html.ts';
import { number } from '../number.ts';

/** The tables, in the order in which people look at them. */
const KINDS: readonly CatalogueTable[] = [
  ...(['elections', 'contests', 'choices', 'candidates'] as const),
  ...(['districts', 'endorsers', 'endorser_categories'] as const),
];

const records = (kind: string): string => kind.replace('_', ' ');

/** The events of an import in a sentence. @param isDone whether they are made, and not only planned */
export function EventSentence({ outcome, isDone }: { outcome: FileOutcome; isDone: boolean }): Html {
  const { created, updated, deleted } = outcome.announced;
  const parts = [
    [updated, 'updated'],
    [created, 'deleted and created again, because the edit affects filters'],
    [deleted - created, 'withdrawn'],
  ] as const;
  const told = parts.filter(([count]) => count > 0).map(([count, word]) => `${number.format(count)} ${word}`);
  const which = isDone
    ? 'Endorsements announced on the stream'
    : 'Endorsements that the stream announces then';
  return told.length === 0
    ? html`<p>No endorsement is concerned.</p>`
    : html`<p>${which}: ${told.join('; ')}.</p>`;
}

/** The numbers of records that an import adds, changes and removes. */
export function Counts({ outcome: { counts } }: { outcome: FileOutcome }): Html | null {
  const rows = KINDS.flatMap((kind) => {
    const each = counts[kind];
    return each && Object.values(each).some((count) => count > 0) ? [[kind, each] as const] : [];
  });
  if (rows.length === 0) return null;
  return html`
    <${Table} caption="Records" head=${['Records', 'Added', 'Changed', 'Removed', 'Unchanged']} numbersFrom=${1}>
      ${rows.map(([kind, { added, changed, removed, unchanged }]) => html`<tr><th scope="row">${records(kind)}</th>${[added, changed, removed, unchanged].map((count) => html`<td class="number">${number.format(count)}</td>`)}</tr>`)}
    <//>`;
}

/** Which records change, as far as they are listed. */
export function Changes({ outcome: { changes, counts } }: { outcome: FileOutcome }): Html | null {
  if (changes.length === 0) return null;
  const all = Object.values(counts).reduce((sum, each) => sum + each.added + each.changed + each.removed, 0);
  return html`
    <details open=${changes.length <= 50}>
      <summary>Which records</summary>
      <${Table} caption="Changes" head=${['Change', 'Records', 'Record', 'Key']}>
        ${changes.map(({ change, kind, name, label }) => html`<tr><th scope="row">${change}</th><td>${records(kind)}</td><td>${label}</td><td><code>${name}</code></td></tr>`)}
      <//>
      ${all > changes.length && html`<p>The first ${number.format(changes.length)} of ${number.format(all)} are shown.</p>`}
    </details>`;
}

/** The lines that are refused, with their reasons. */
export function Refusals({ outcome }: { outcome: FileOutcome }): Html | null {
  const { total, kept, counts } = outcome.refusals;
  if (total === 0) return null;
  return html`
    <${Table} caption="Refused" head=${['Line', 'Record', 'Field', 'Reason']}>
      ${kept.map(({ line, name, field, message }) => html`<tr><th scope="row">${line}</th><td>${name}</td><td>${field && html`<code>${field}</code>`}</td><td>${message}</td></tr>`)}
    <//>
    ${
      total > kept.length &&
      html`
      <p>The first ${number.format(kept.length)} of ${number.format(total)} are shown. All of them, by their reasons:</p>
      <ul>${counts.map(({ field, reason, count }) => html`<li>${number.format(count)}: ${field && html`<code>${field}</code> `}${reason}</li>`)}</ul>`
    }`;
}

/** The records that the import takes away, by election. */
export function Removals({ outcome: { removals } }: { outcome: FileOutcome }): Html {
  return html`
    <${Table} caption="What the import takes away" head=${['Election', 'Contests', 'Choices', 'Endorsements']} numbersFrom=${1}>
      ${removals.map(({ from, records: each }) => html`<tr><th scope="row">${from}</th>${each.map(({ removed, of }) => html`<td class="number">${number.format(removed)}${of !== null && ` of ${number.format(of)}`}</td>`)}</tr>`)}
    <//>`;
}

const NOTES: Readonly<Record<NoteKind, string>> = {
  assumed: 'Assumed, because the file does not say it',
  'left out': 'Left out, because the catalogue has no place for it',
  'to check': 'To check',
};

const NoteItem = ({ note: { message, count, examples } }: { note: Note }): Html =>
  html`<li>${number.format(count)}: ${message}${examples.length > 0 && ` (such as ${examples.slice(0, 5).join('; ')})`}</li>`;

/** Notes for people on the way in which the file was read. */
export function ReadingNotes({
  outcome: { read, notes, ambiguousDistricts },
}: {
  outcome: FileOutcome;
}): Html {
  return html`
    ${read.map(({ label, value }) => html`<p>${label} was read as ${value}.</p>`)}
    ${NOTE_KINDS.map((kind) => {
      const own = notes.filter((note) => note.kind === kind);
      return (
        own.length > 0 &&
        html`<h2>${NOTES[kind]}</h2><ul>${own.map((note) => html`<${NoteItem} note=${note} />`)}</ul>`
      );
    })}
    ${
      ambiguousDistricts.length > 0 &&
      html`
      <h2>Districts with several names</h2>
      <ul>${ambiguousDistricts.map(({ ocdId, name, others }) => html`<li>${ocdId ?? name} is called ${name}, but ${others.map((other) => `${other.name} in ${other.contest}`).join(', ')}. ${name} stays.</li>`)}</ul>`
    }`;
}
