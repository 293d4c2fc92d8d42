import type { FileOutcome } from '../../../administration/catalogue/uploaded-file.ts';
import { Moment, Notice } from '../components.ts';
import { type Html, html } from '../html.ts';
import { Form } from '../layout.ts';
import { countThat, number } from '../number.ts';
import type { Refusal, ShownPage } from '../page.ts';
import { ShownValues } from '../shown-values.ts';
import {
  addressOf,
  CONSENT_FIELD,
  countChanges,
  IMPORTS,
  SEEN_FIELD,
  type UploadedFile,
} from './import-file.ts';
import { ImportOptionFields } from './import-options.ts';
import { Changes, Counts, EventSentence, ReadingNotes, Refusals, Removals } from './outcome.ts';

/** The page of a file: the work on it, the preview of its import, or the result. */
export function showFile(file: UploadedFile, refusal: Refusal | null = null): ShownPage {
  return {
    title: `Import: ${file.fileName}`,
    ...refusal,
    ...(file.isWorkedOn && { script: 'look-again' }),
    body: html`
      ${file.importedAt ? html`<${Imported} file=${file} />` : html`<${NotImported} file=${file} />`}
      <p><a href=${IMPORTS}>All catalogue imports</a></p>`,
  };
}

function LookAgain({ file }: { file: UploadedFile }): Html {
  return html`<p><a class="button" href=${addressOf(file)} data-look-again>Look again</a></p>`;
}

function Imported({ file }: { file: UploadedFile }): Html {
  const { importedAt, outcome, isWorkedOn } = file;
  return html`
    <${Notice} kind="good">Imported at <${Moment} at=${importedAt} />.<//>
    ${
      isWorkedOn
        ? html`<p role="status">The endorsements that it changes are being announced on the stream.</p><${LookAgain} file=${file} />`
        : outcome && html`<${EventSentence} outcome=${outcome} isDone />`
    }
    ${outcome && html`<${Counts} outcome=${outcome} /><${Changes} outcome=${outcome} />`}`;
}

function NotImported({ file }: { file: UploadedFile }): Html {
  const { work, workSince, isWorkedOn, outcome, problem } = file;
  if (isWorkedOn) {
    return html`
      <p role="status">${work === 'import' ? 'The file is being imported' : 'The file is being compared with the catalogue'}, since <${Moment} at=${workSince} seconds />. The work continues if you leave this page.</p>
      <${LookAgain} file=${file} />`;
  }
  return html`
    ${problem && html`<${Notice} kind="bad">${problem}<//>`}
    ${work !== null && html`<${Notice} kind="bad">The service was restarted before it was done with the file, so nothing was imported. Compare the file again.<//>`}
    ${outcome && html`<${Preview} file=${file} outcome=${outcome} />`}
    <details open=${outcome === null || !outcome.isPossible || outcome.consent !== null}>
      <summary>How to import it</summary>
      <${Form} action=${addressOf(file)} class="card">
        <${ShownValues} values=${file.options} />
        <${ImportOptionFields} options=${file.options} />
        <button>Compare again</button>
      <//>
    </details>
    <${Form} action=${`${addressOf(file)}/delete`}><button class="plain">Delete this file</button><//>`;
}

function describeRefused({ refusedLines, isPossible }: FileOutcome): string {
  const refused = countThat(refusedLines, 'record', 'is refused', 'are refused');
  return isPossible
    ? `${refused}, and left out.`
    : `${refused}, so nothing can be imported: correct the file, or leave out below what is refused.`;
}

function Preview({ file, outcome }: { file: UploadedFile; outcome: FileOutcome }): Html {
  const { isPossible, consent, refusedLines, digest } = outcome;
  const changes = countChanges(outcome);
  return html`
    ${refusedLines > 0 && html`<${Notice} kind="bad">${describeRefused(outcome)}<//>`}
    <${Refusals} outcome=${outcome} />
    ${
      isPossible &&
      html`
      <p>${changes === 0 ? 'The catalogue has all of it already, so nothing changes.' : 'Nothing is changed yet. This is what the import would do:'}</p>
      <${Counts} outcome=${outcome} />
      ${changes > 0 && html`<${EventSentence} outcome=${outcome} isDone=${false} />`}
      ${consent !== null && html`<p>The import would take much away. If the file is only a part of its elections, say so below instead of agreeing.</p>`}
      ${outcome.removals.length > 0 && html`<${Removals} outcome=${outcome} />`}
      <${Changes} outcome=${outcome} />`
    }
    <${ReadingNotes} outcome=${outcome} />
    ${
      isPossible &&
      changes > 0 &&
      html`
      <${Form} action=${`${addressOf(file)}/import`} class="card">
        <input type="hidden" name=${SEEN_FIELD} value=${digest} />
        ${consent !== null && html`<label class="check"><input type="checkbox" name=${CONSENT_FIELD} value=${consent} required /> Take away ${number.format(consent)} contests, choices and endorsements (--allow-removals ${consent})</label>`}
        <button>Import</button>
      <//>`
    }`;
}
