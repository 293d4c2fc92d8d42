/** The parts of the pages of uploads: what forms say, and what previews show. */
import { describe, expect, test } from '@jest/globals';
import type { SeenRow } from '../../../administration/intake/table-work.ts';
import type { UploadEffects } from '../../../administration/uploads/review.ts';
import type { UndoEffects } from '../../../administration/uploads/undo.ts';
import type { ConsoleContext } from '../../../gateway/console/context.ts';
import { type Content, html, renderDocument } from '../../../gateway/console/html.ts';
import type { PageReply, PageRequest } from '../../../gateway/console/page.ts';
import { countChanges, showUploadPreview } from '../../../gateway/console/uploads/preview-page.ts';
import { describeRow, mergeDecisions, RowChoices } from '../../../gateway/console/uploads/row-choices.ts';
import { sendUpload } from '../../../gateway/console/uploads/sending.ts';
import { ColumnFields, readSettings } from '../../../gateway/console/uploads/settings-form.ts';
import { showNoUndo, showUndoPreview } from '../../../gateway/console/uploads/undo-page.ts';
import { describeEvents, type PageWork } from '../../../gateway/console/uploads/upload.ts';
import { ApiError } from '../../../gateway/http/api-error.ts';
import type { ErrorCode } from '../../../schemas/errors.ts';
import type { Upload, UploadDecision } from '../../../store/console/uploads.ts';
import { pick } from '../../helpers/ballots/submissions.ts';
import { ManualClock } from '../../helpers/service/manual-clock.ts';

const render = (content: Content) => renderDocument(html`<body>${content}</body>`);
const REQUEST = { query: new URLSearchParams() } as unknown as PageRequest;
const UPLOAD = { id: 7, fileName: 'list.csv', undoes: null } as Upload;

describe('the decisions of a form', () => {
  const of = (decision: string, endorser: string | null = null): UploadDecision => ({ decision, endorser });
  const shown = (decided: UploadDecision) => JSON.stringify([decided.decision, decided.endorser]);
  const merge = (stored: Record<string, UploadDecision>, ...fields: [string, string][]) => {
    const before = JSON.stringify(stored);
    const { decisions, refused } = mergeDecisions(new URLSearchParams(fields), stored);
    expect(JSON.stringify(stored)).toBe(before);
    return [decisions, Object.fromEntries(refused)];
  };

  test('are added to those about other rows, changed, and taken back', () => {
    const stored = { 2: of('a/b/c'), 3: of('no'), 4: of('x/y/z', 'acme'), 8: of('v/w/x') };
    expect(
      merge(
        stored,
        ...([
          ['line', '3'],
          ['shown:3', shown(of('no'))],
          ['row:3', 'a/b/d'],
          ['line', '4'],
          ['shown:4', shown(of('x/y/z', 'acme'))],
          ['row:4', ''],
          ['line', '5'],
          ['shown:5', ''],
          ['row:5', 'other'],
          ['key:5', ' p/q/r '],
          ['endorser:5', 'birch'],
          ['line', '6'],
          ['row:6', 'other'],
          ['line', '9'],
          ['row:9', 'a/b/c'],
          ['endorser:9', ''],
          // A key that is written beside "Decide later" counts, but not one that the page has shown there.
          ['line', '7'],
          ['row:7', ''],
          ['key:7', 's/t/u'],
          ['line', '8'],
          ['shown:8', shown(of('v/w/x'))],
          ['row:8', ''],
          ['key:8', 'v/w/x'],
        ] as [string, string][]),
      ),
    ).toEqual([
      { 2: of('a/b/c'), 3: of('a/b/d'), 5: of('p/q/r', 'birch'), 7: of('s/t/u'), 9: of('a/b/c') },
      {},
    ]);
  });

  test('do not replace what somebody else has decided meanwhile, unless they say the same', () => {
    const stored = { 2: of('theirs'), 3: of('theirs'), 4: of('theirs'), 5: of('theirs', 'acme') };
    expect(
      merge(
        stored,
        ...(['2', '3', '4', '5'].map((line) => ['line', line]) as [string, string][]),
        ['row:2', 'mine'],
        ['row:3', 'theirs'],
        ['shown:4', shown(of('earlier'))],
        ['row:5', 'theirs'],
        ['shown:5', shown(of('theirs'))],
        ['endorser:5', 'birch'],
      ),
    ).toEqual([stored, { 2: of('mine'), 4: null, 5: of('theirs', 'birch') }]);
  });

  test('are about a hundred lines at most, whose numbers are numbers', () => {
    const lines = Array.from({ length: 101 }, (_, at) => String(at + 2));
    const fields = [...['x', '-1', '1e3', '1234567890', '__proto__'], ...lines].flatMap(
      (line) =>
        [
          ['line', line],
          [`row:${line}`, 'no'],
        ] as [string, string][],
    );
    const [decisions] = merge({}, ...fields);
    expect(Object.keys(decisions as object)).toEqual(lines.slice(0, 95));
    const [long] = merge({}, ['line', '2'], ['row:2', 'x'.repeat(501)], ['endorser:2', 'y'.repeat(501)]);
    expect(long).toEqual({ 2: of('x'.repeat(500), 'y'.repeat(500)) });
  });
});

describe('the question about a row', () => {
  const candidate = (key: string, more: object = {}) => ({
    contest: { key: 'e/mayor', title: 'Mayor', district: { name: 'Rio' } },
    choice: { key, label: key.toUpperCase(), party: null, party_label: null, withdrawn: false, ...more },
  });
  const SEEN = {
    ...{ line: 5, fate: 'ambiguous', reason: 'it can be two', proposed: '' },
    row: { choice: 'Ann', contest: 'Mayor', endorser: '', party: null },
    matched: {
      unsure: { endorser: false },
      endorser: { slug: 'acme', name: 'Acme' },
      candidates: [
        candidate('ann'),
        candidate('bob', { party: 'Alder', party_label: 'ALD', withdrawn: true }),
      ],
    },
  } as unknown as SeenRow;
  const ENDORSERS = ['acme', 'birch'].map((slug) => ({ slug, name: slug, state: null }));
  const show = (more: object = {}, seen: object = {}) =>
    render(
      html`<${RowChoices} seen=${{ ...SEEN, ...seen }} stored=${undefined} endorsers=${ENDORSERS} ...${more} />`,
    );
  const checked = (page: string) => [...page.matchAll(/value="([^"]*)" checked/g)].map(([, value]) => value);
  const of = (decision: string, endorser: string | null = null) => ({ decision, endorser });

  test('marks what is decided: a listed choice, another one by its key, or none', () => {
    expect(checked(show())).toEqual([]);
    expect(checked(show({ stored: of('e/mayor/ann') }))).toEqual(['e/mayor/ann']);
    const other = show({ stored: of('e/clerk/cyd') });
    expect(checked(other)).toEqual(['other']);
    expect(other).toContain('name="key:5" value="e/clerk/cyd"');
    const none = show({ stored: of('no') });
    expect(checked(none)).toEqual(['no']);
    expect(none).toContain('name="key:5" value maxlength');
    expect(show({ stored: of('no', 'acme') })).toContain(
      'name="shown:5" value="[&quot;no&quot;,&quot;acme&quot;]"',
    );
  });

  test('says why nothing is sure, and of a row that is decided on no more than that', () => {
    const saidOf = (seen: object) => /<p class="muted">([^<]*)/.exec(show({}, seen))?.[1];
    expect([{}, { fate: 'close', reason: '' }].map(saidOf)).toEqual(['Ambiguous: it can be two', 'Close']);
    expect(saidOf({ fate: 'decided', reason: 'decided' })).toBe('Decided');
    expect(saidOf({ fate: 'left out', reason: 'decided: no' })).toBe('Left out');
  });

  test('marks the refused choice instead of the one that somebody else has made, which it names', () => {
    const page = show({ stored: of('no'), refused: of('e/mayor/bob') });
    expect(checked(page)).toEqual(['e/mayor/bob']);
    expect(page).toContain('opened: leave it out. Your choice');
    expect(page).toContain('name="shown:5" value="[&quot;no&quot;,null]"');
    // The person has taken their choice back.
    expect(checked(show({ stored: of('no'), refused: null })).filter((value) => value !== '')).toEqual([]);
    expect(show({ stored: undefined, refused: of('no') })).toContain('opened: nothing. Your choice');
  });

  test('asks for the endorser only if it is in question, with the one that is decided or matched', () => {
    expect(show()).not.toContain('name="endorser:5"');
    const unsure = { matched: { ...SEEN.matched, unsure: { endorser: true } } };
    expect(show({}, unsure)).toContain('value="acme" selected');
    expect(show({ stored: of('no', 'birch') }, unsure)).toContain('value="birch" selected');
    const refused = { stored: of('no', 'acme'), refused: of('e/mayor/ann', 'birch') };
    expect(show(refused, unsure)).toContain('value="birch" selected');
  });

  test('shows a withdrawn choice as such, and the party that the ballot has', () => {
    const page = show();
    expect(page).toMatch(/<span class="withdrawn">BOB \(ALD\)<\/span>.*<small>withdrawn<\/small>/);
    expect(page).toMatch(/<span>ANN<\/span>/);
    expect(describeRow(SEEN)).toMatch(/Ann.* · .*Mayor/);
    expect(describeRow({ ...SEEN, row: null } as unknown as SeenRow)).toBe('a row that cannot be read');
  });

  test('says why a decided row cannot be used', () => {
    const refused = { fate: 'refused', reason: 'has the decision "x", which is not a key' };
    expect(show({ stored: of('x') }, refused)).toContain('&quot;x&quot; is not the key of a choice');
    expect(show({ stored: of('x', 'nobody') }, refused)).toContain('choose the endorser as well');
    const because = (reason: string) => show({ stored: of('x') }, { ...refused, reason });
    expect(because('has the rank 2')).toContain(': has the rank 2');
    for (const remedy of ['correct one of them', 'correct one of them, or empty the decision']) {
      expect(because(`names a: ${remedy}`)).toContain(': names a: choose again, or leave the row out<');
    }
  });
});

describe('the settings of a table', () => {
  const ENDORSERS = [{ slug: 'acme', name: 'Acme', state: null }];
  const HEADER = ['Race', '', 'decision', 'match_grade', 'Note', 'Race', 'a=b'];
  const read = (fields: Record<string, string>, header = HEADER) =>
    readSettings(new URLSearchParams(fields), { endorsers: ENDORSERS, header });

  test('count each named column once, without those of a review', () => {
    expect(
      read({ 'column:0': 'contest', 'column:1': '-', 'column:2': 'choice', 'column:3': 'rank' }),
    ).toEqual({
      ...{ map: ['Race=contest', 'Note=', 'a=b=choice'], endorser: null, election: null, isWhole: false },
    });
  });

  test('have no endorser and no field that the form does not offer', () => {
    const fields = {
      endorser: 'nobody',
      'column:0': 'decision',
      'column:1': 'x',
      election: '',
      whole: 'yes',
    };
    expect(read(fields)).toEqual({ map: [], endorser: null, election: null, isWhole: true });
    expect(read({ endorser: 'acme', election: 'or-2026' })).toMatchObject({
      endorser: 'acme',
      election: 'or-2026',
    });
  });

  test('are shown as they were read', () => {
    const settings = read({ 'column:0': 'contest', 'column:1': '-', 'column:2': 'choice' });
    const page = render(html`<${ColumnFields} header=${HEADER} settings=${settings} />`);
    const selected = [...page.matchAll(/name="column:(\d)".*?<\/select>/gs)].map(([field, at]) => [
      at,
      / value="([^"]*)" selected/.exec(field)?.[1],
    ]);
    expect(selected).toEqual([
      ['0', 'contest'],
      ['1', '-'],
      ['2', 'choice'],
    ]);
    const fresh = render(html`<${ColumnFields} header=${HEADER} settings=${read({})} />`);
    expect(fresh).not.toContain('selected');
    expect([...fresh.matchAll(/By its name: ([^<]+)</g)].map(([, usual]) => usual)).toEqual([
      ...['Contest or measure', 'not used', 'not used'],
    ]);
    // The name of one column begins with that of another.
    const [header, map] = [['a=b', 'a'], { 'column:0': 'choice', 'column:1': 'contest' }];
    const similar = render(html`<${ColumnFields} header=${header} settings=${read(map, header)} />`);
    expect([...similar.matchAll(/ value="([^"]*)" selected/g)].map(([, field]) => field)).toEqual([
      ...['choice', 'contest'],
    ]);
  });

  test('have a field for the first sixty columns', () => {
    const header = Array.from({ length: 61 }, (_, at) => `c${at}`);
    expect(read({ 'column:59': 'rank', 'column:60': 'choice' }, header).map).toEqual(['c59=rank']);
  });
});

describe('the preview of an upload', () => {
  const effects = (more: object = {}) =>
    ({
      ...{
        counts: { created: 1, changed: 2, withdrawn: 0, unchanged: 0 },
        rows: [],
        repeated: 0,
        leftOut: 0,
        crowded: [],
      },
      ...{ refusal: null, digest: 'seen-1', needsConsent: false, removals: [] },
      ...more,
    }) as unknown as UploadEffects;
  const show = (more: object = {}, shown: object = {}) => {
    const page = showUploadPreview({ upload: UPLOAD } as PageWork, {
      effects: effects(more),
      ...shown,
    });
    return { ...page, text: render(page.body) };
  };
  const row = (effect: string) => ({
    ...{
      effect,
      endorser: 'acme',
      contest: 'e/mayor',
      choice: 'ann',
      name: 'Acme',
      title: 'Mayor',
      label: 'Ann',
    },
  });

  test('offers to publish what it shows, if that changes something and nothing forbids it', () => {
    const { text, status = 200 } = show();
    expect([
      status,
      text.includes('3 events reach the stream: 1 new, 2 changed. Readers usually have'),
    ]).toEqual([200, true]);
    expect(text).toContain('name="seen" value="seen-1"');
    expect(text).not.toContain('name="withdraw"');
    expect(show({ rows: ['created', 'changed', 'changed'].map(row) }).text).not.toContain('are shown.');
    const nothing = show({ counts: { created: 0, changed: 0, withdrawn: 0, unchanged: 2 } }).text;
    expect(nothing).toContain('so nothing changes');
    expect(nothing).toContain('2 endorsements stay as they are.');
    const refused = show({ refusal: '1 row is open' });
    expect(refused.text).toContain('1 row is open');
    for (const text_ of [nothing, refused.text]) expect(text_).not.toContain('>Publish</button>');
    const changed = { problem: 'Changed.', status: 409 };
    expect(show({}, changed)).toMatchObject(changed);
  });

  test('asks for consent to the number of all withdrawals, and names where they are', () => {
    const removals = [
      { from: 'or-2026', records: [{ kind: 'endorsements', removed: 1200, of: 1500 }] },
      { from: 'ca-2026', records: [{ kind: 'endorsements', removed: 5, of: null }] },
    ];
    const { text } = show({ needsConsent: true, removals });
    expect(text).toContain('name="withdraw" value="1205" required');
    expect(text).toContain('or-2026: 1,200 of 1,500');
    expect(text).toContain('ca-2026: 5 of 5');
  });

  test('lists the first events with their effects, and says what is left out', () => {
    const rows = ['created', 'changed', 'withdrawn', 'unchanged'].map(row);
    const { text } = show({
      ...{ rows, counts: { created: 2, changed: 2, withdrawn: 2, unchanged: 1 }, repeated: 1, leftOut: 2 },
      withoutPick: 1,
    });
    expect([...text.matchAll(/<th scope="row">([^<]+)</g)].map(([, effect]) => effect)).toEqual([
      ...['Endorse', 'Change', 'Withdraw', 'As it is'],
    ]);
    expect(text).toContain('6 events reach the stream: 2 new, 2 changed, 2 withdrawn.');
    expect(text).toContain('The first 4 of 6 are shown.');
    expect(text).toContain('1 endorsement stays as it is.');
    expect(text).toContain('2 rows are left out');
    expect(text).toContain('1 row makes no endorsement, as the table says');
    expect(text).toContain('1 row repeats an earlier one');
    expect(countChanges(effects({ counts: { created: 1, changed: 2, withdrawn: 4, unchanged: 8 } }))).toBe(7);
    expect(
      describeEvents([
        [1, 'new'],
        [0, 'changed'],
      ]),
    ).toBe('One event reaches the stream: 1 new.');
  });
});

describe('the preview of an undoing', () => {
  const position = {
    ...{ endorser: 'acme', endorserName: 'Acme', contest: 'e/mayor', title: 'Mayor', choices: [] },
  };
  const effects = (more: object = {}) =>
    ({
      positions: { restored: 1, changed: 0, impossible: 0, unneeded: 0 },
      events: { created: 1, updated: 0, deleted: 2 },
      ...{ restored: [], left: [], seen: 's' },
      ...more,
    }) as unknown as UndoEffects;
  const show = (more: object = {}, shown: object = {}) =>
    render(
      showUndoPreview(UPLOAD, {
        ...{ effects: effects(more), seen: '9.s', waiting: 0, until: new Date('2026-11-03T12:00:00Z') },
        ...shown,
      }).body,
    );

  test('offers to undo what it shows, as long as something is left', () => {
    const page = show();
    expect(page).toContain('1 position gets back what stood before the upload.');
    expect(page).toContain('3 events reach the stream: 2 withdrawn, 1 endorsed again.');
    expect(page).toContain('name="seen" value="9.s"');
    const none = show({ positions: { restored: 0, changed: 1, impossible: 2, unneeded: 3 } }, { waiting: 2 });
    expect(none).toContain('Nothing is left to undo.');
    expect(none).not.toContain('<button');
    expect(none).toContain('1 position stays as it is, because somebody has changed it since.');
    expect(none).toContain('2 positions stay as they are, because they cannot be restored.');
    expect(none).toContain('3 positions stand as before the upload already.');
    expect(none).toContain('They will not be sent if you delete the upload.');
    expect(show({}, { waiting: 1 })).toContain('It will not be sent.');
  });

  test('shows of both sides what differs, and counts the rest', () => {
    const [old, fresh] = [
      pick('ann', { statement: 'Old.', source_url: 'https://a.example', published_on: '2026-10-01' }),
      pick('ann', {
        ...{ statement: 'New.', source_url: 'https://b.example', published_on: '2026-10-01' },
        statement_es: 'Nuevo.',
      }),
    ];
    const many = Array.from({ length: 22 }, (_, at) => pick(`c${at}`));
    const restored = [
      {
        ...position,
        ...{
          before: [old, pick('bob')],
          present: [fresh, pick('bob')],
          changes: [{ type: 'updated', pick: old }],
        },
      },
      {
        ...position,
        before: [],
        present: many,
        changes: many.map((each) => ({ type: 'deleted', pick: each })),
      },
    ];
    const page = show({ restored, positions: { restored: 3, changed: 0, impossible: 0, unneeded: 0 } });
    expect(page).toMatch(
      /ann: “New\.”.*source: <span>https:\/\/b\.example.*ann: “Old\.”.*source: <span>https:\/\/a\.example/s,
    );
    expect(page).toContain('Spanish statement: <span lang="es">Nuevo.</span>');
    expect(page).toContain('Spanish statement: <span>none</span>');
    expect(page).not.toContain('published on');
    expect(page.match(/and 1 that stays/g)).toHaveLength(2);
    expect(page).toContain('and 2 more');
    expect(page).toContain('No position');
    expect(page).toContain('The first 2 of 3 are shown.');
  });

  test('names the positions that stay, with the reason', () => {
    const left = [
      { ...position, reason: null },
      { ...position, reason: 'It has no choice "ann".' },
    ];
    const page = show({ left, positions: { restored: 0, changed: 1, impossible: 2, unneeded: 0 } });
    expect(page).toMatch(/Changed since the upload\..*It has no choice &quot;ann&quot;\./s);
    expect(page).toContain('The first 2 of 3 are shown.');
  });

  test.each([
    ['early', 'still on their way', true],
    ['late', 'can no longer be undone', false],
    ['never', 'nothing to undo', false],
  ] as const)('that is %s says so, and changes nothing', (undoability, words, canLookAgain) => {
    const { status, problem, body } = showNoUndo(UPLOAD, undoability);
    const page = render([problem, body]);
    expect([status, page.includes(words), page.includes('Look again')]).toEqual([409, true, canLookAgain]);
  });
});

describe('sending the batches of an upload', () => {
  /** Sends three batches. @param answers what the API answers to each call */
  async function send(answers: (() => unknown)[], { undoes = null as number | null, msOfCall = 0 } = {}) {
    const clock = new ManualClock(0);
    const waiting = [1, 2, 3].map((ordinal) => ({
      ...{ ordinal, count: 2, submissions: `[${ordinal}]`, idempotencyKey: `key-${ordinal}` },
    }));
    const calls: object[] = [];
    const noted: unknown[] = [];
    const stopped: unknown[] = [];
    const query = async (text: string, values: unknown[]) => {
      if (text.includes('publication_id IS NULL ORDER BY')) return { rows: waiting.slice(0, 1) };
      if (text.includes('INSERT INTO upload_batches')) {
        noted.push(values);
        waiting.shift();
      }
      if (text.includes('DELETE FROM upload')) stopped.push(values[0]);
      if (text.includes('ORDER BY ordinal'))
        return { rows: waiting.map(({ ordinal, count }) => ({ ordinal, count, publicationId: null })) };
      return { rows: [] };
    };
    const call = async (_: unknown, made: object) => {
      calls.push(made);
      await clock.advance(msOfCall);
      return answers[calls.length - 1]?.();
    };
    const context = { pool: { query }, api: { call }, clock, publicationsKeptMs: 1000 };
    const upload = { ...UPLOAD, undoes, sinceSequence: 41, changedAt: new Date(0) };
    const request = { ...REQUEST, session: { accountId: 1 } };
    const reply: PageReply = await sendUpload(
      request as unknown as PageRequest,
      context as unknown as ConsoleContext,
      upload as Upload,
    );
    return { calls, noted, stopped, reply };
  }
  const accept = (id: number) => () => ({ data: { id } });
  const refuse = (code: ErrorCode) => () => {
    throw new ApiError(code, `refused as ${code}`);
  };

  test('each is noted before the next one, and all lead to the receipt', async () => {
    const { calls, noted, reply } = await send([accept(11), accept(12), accept(13)]);
    expect(calls).toEqual(
      [1, 2, 3].map((each) => ({
        ...{ method: 'POST', path: '/v1/submissions', body: { submissions: [each] } },
        idempotencyKey: `key-${each}`,
      })),
    );
    expect(noted).toEqual([
      [7, 1, 2, 11],
      [7, 2, 2, 12],
      [7, 3, 2, 13],
    ]);
    expect(reply).toEqual({ redirect: '/console/endorsements/uploads/7?on' });
  });

  test('some are left for the next request after three seconds', async () => {
    const { calls, reply } = await send([accept(11), accept(12), accept(13)], { msOfCall: 1500 });
    expect([calls.length, reply]).toEqual([2, { redirect: '/console/endorsements/uploads/7?on' }]);
  });

  test('a refused one stops the others, which a table can send later', async () => {
    const { calls, noted, stopped, reply } = await send([accept(11), refuse('conflict')]);
    expect([calls.length, noted.length, stopped]).toEqual([2, 1, []]);
    expect(reply).toMatchObject({ status: 409, title: 'Receipt: list.csv' });
    expect(render((reply as { body: Content }).body)).toContain(
      'refused as conflict 4 submissions are not sent yet.',
    );
  });

  test.each(['endorser_not_allowed', 'conflict'] as const)(
    'an undoing that is refused as %s is stopped, and previewed again',
    async (code) => {
      const { calls, stopped, reply } = await send([accept(11), refuse(code)], {
        undoes: 5,
      });
      expect(calls[0]).toMatchObject({ unchangedSince: '41' });
      expect(stopped).toContain(7);
      expect(reply).toEqual({ redirect: '/console/endorsements/uploads/5/undo?stopped' });
    },
  );

  test('an undoing that is refused because the service is busy continues later', async () => {
    const { stopped, reply } = await send([refuse('server_busy')], { undoes: 5 });
    expect([stopped, reply]).toMatchObject([[], { status: 409 }]);
  });

  test('an error of the service is not a refusal', async () => {
    const broken = () => {
      throw new Error('broken');
    };
    await expect(send([broken])).rejects.toThrow('broken');
  });
});
