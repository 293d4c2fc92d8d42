/** Tables of endorsers, and tables that are exported. */
import { describe, expect, test } from '@jest/globals';
import type { EndorserDraft } from '../../../intake/catalogue/draft.ts';
import { mapEndorsers } from '../../../intake/catalogue/endorser-table.ts';
import { mapTable } from '../../../intake/catalogue/map-table.ts';
import { Notes } from '../../../intake/catalogue/notes.ts';
import { TABLE_HEADER, TableRows } from '../../../intake/catalogue/table-rows.ts';
import { formatRow } from '../../../intake/tables/cells.ts';
import { readTable } from '../../../intake/tables/read-table.ts';
import {
  type ContestRecord,
  type ElectionRecord,
  parseCatalogueRecord,
} from '../../../schemas/catalogue-files.ts';
import { pieces } from '../../helpers/feeds/map-text.ts';

describe('a table of endorsers', () => {
  async function mapLines(lines: readonly string[], ...map: string[]) {
    const notes = new Notes();
    const drafts: EndorserDraft[] = [];
    const table = await readTable(pieces(lines.join('\n')));
    for await (const draft of mapEndorsers(table, map, notes)) drafts.push(draft);
    return { drafts, notes };
  }
  const recordsOf = async (lines: readonly string[]) =>
    (await mapLines(lines)).drafts.map(({ kind, line, record }) => [kind, line, record]);

  test('has a category once, where it is first named, and a slug from a name without its own', async () => {
    expect(
      await recordsOf([
        'Organization,Slug,Category,Category name,State,Website,About',
        'Café Club,,,Labor Unions,National,https://a.example,',
        'Bakers,bakers-1,labor-unions,Labor unions,Oregon,,About us.',
        'Press,,news_papers,Newspapers,or,,',
        'Friends,,Good Friends,,wa,,',
      ]),
    ).toEqual([
      ['endorser-categories', 2, { slug: 'labor-unions', name: 'Labor Unions' }],
      [
        'endorsers',
        2,
        {
          ...{ slug: 'cafe-club', name: 'Café Club', category: 'labor-unions', state: 'national' },
          website_url: 'https://a.example',
        },
      ],
      [
        'endorsers',
        3,
        { slug: 'bakers-1', name: 'Bakers', category: 'labor-unions', state: 'OR', description: 'About us.' },
      ],
      ['endorser-categories', 4, { slug: 'news_papers', name: 'Newspapers' }],
      ['endorsers', 4, { slug: 'press', name: 'Press', category: 'news_papers', state: 'OR' }],
      ['endorsers', 5, { slug: 'friends', name: 'Friends', category: 'good-friends', state: 'WA' }],
    ]);
  });

  test('has descriptions with their lines, and addresses as they are', async () => {
    const address = 'https://example.org/cafe\u0301';
    const [draft] = (await mapLines(['name,about,website', `A,"One.\r\n\r\nTwo. ",${address} `])).drafts;
    expect(parseCatalogueRecord('endorsers', { ...draft?.record, category: 'x', state: 'OR' })).toMatchObject(
      {
        ok: true,
        value: { description: 'One.\n\nTwo.', website_url: address },
      },
    );
  });

  test('names the lines that cannot be read, and the columns that are not', async () => {
    const { drafts, notes } = await mapLines(['name,state,phone', 'A,OR,1,2', 'B,OR,3']);
    expect(drafts).toMatchObject([
      { line: 2, problems: [{ field: null, message: expect.stringContaining('has 4 cells') }] },
      { line: 3, problems: [], record: { slug: 'b' } },
    ]);
    expect(notes.all).toMatchObject([{ kind: 'left out', examples: ['phone'] }]);
    await expect(mapLines(['state', 'OR'])).rejects.toThrow('has no column for the names');
  });
});

describe('an exported table', () => {
  const ELECTION = {
    ...{ slug: 'va-2026-11-03-general', name: 'General', date: '2026-11-03', state: 'VA', type: 'general' },
    ...{ details: {}, source: { format: 'x' } },
  } as unknown as ElectionRecord;
  const contest = (slug: string, more: object = {}) =>
    ({
      ...{
        key: `va-2026-11-03-general/${slug}`,
        slug,
        election: 'va-2026-11-03-general',
        title: `Title ${slug}`,
      },
      ...{ short_title: slug, kind: 'candidate', vote_method: 'plurality', votes_allowed: 1 },
      district: { name: 'Virginia', level: 'state', type: 'statewide', state: 'VA', ocd_id: null },
      choices: [
        {
          key: 'ann',
          label: 'Ann Lee',
          candidate: { full_name: 'Ann Lee' },
          party: 'Alder',
          withdrawn: false,
        },
        {
          key: 'bob',
          label: 'Bob',
          candidate: { full_name: 'Robert Diaz' },
          withdrawn: true,
          details: { a: 1 },
        },
      ],
      ...more,
    }) as unknown as ContestRecord;
  /** The cells of a row that are not blank, by column. */
  const cellsOf = (row: readonly string[]) =>
    Object.fromEntries(row.flatMap((cell, at) => (cell === '' ? [] : [[TABLE_HEADER[at] ?? '', cell]])));

  test('says each thing once: the election in its first row, and a contest in the row of its first choice', () => {
    const rows = new TableRows(ELECTION);
    const shown = [contest('governor'), contest('us', { choices: [], district: { name: 'US', state: null } })]
      .flatMap((each) => rows.ofContest(each))
      .map(cellsOf);
    const slug = { election: 'va-2026-11-03-general' };
    expect(shown).toEqual([
      {
        ...{ ...slug, state: 'VA', election_date: '2026-11-03', election_type: 'general' },
        ...{ election_name: 'General', election_source: '{"format":"x"}' },
        ...{ contest_key: 'governor', contest: 'Title governor', short_title: 'governor', kind: 'candidate' },
        ...{ vote_method: 'plurality', seats: '1', district: 'Virginia', level: 'state' },
        ...{ district_type: 'statewide', district_state: 'VA' },
        ...{ choice_key: 'ann', candidate: 'Ann Lee', party: 'Alder' },
      },
      {
        ...{ ...slug, contest_key: 'governor', choice_key: 'bob', choice: 'Bob', candidate: 'Robert Diaz' },
        ...{ withdrawn: 'yes', choice_details: '{"a":1}' },
      },
      {
        ...{ ...slug, contest_key: 'us', contest: 'Title us', short_title: 'us', kind: 'candidate' },
        ...{ vote_method: 'plurality', seats: '1', district: 'US', district_state: 'US' },
      },
    ]);
    expect(rows.ofElection()).toEqual([]);
    expect(new TableRows(ELECTION).ofElection().map(cellsOf)).toMatchObject([{ ...slug, state: 'VA' }]);
  });

  test('gives the same records back', async () => {
    const rows = new TableRows(ELECTION);
    const contests = ['governor', 'treasurer'].map((slug) => contest(slug));
    const lines = [TABLE_HEADER, ...contests.flatMap((each) => rows.ofContest(each))];
    const open = () => readTable(pieces(lines.map((line) => formatRow(line)).join('')));
    const drafts = [];
    for await (const draft of (await mapTable(open, {}, new Notes())).drafts) drafts.push(draft);
    expect(drafts.flatMap(({ problems }) => problems)).toEqual([]);
    expect(drafts.map(({ record }) => record.slug)).toEqual([
      'va-2026-11-03-general',
      'governor',
      'treasurer',
    ]);
    expect(drafts[1]?.record).toMatchObject({
      ...{ key: 'va-2026-11-03-general/governor', vote_method: 'plurality', votes_allowed: 1 },
      choices: [
        { key: 'ann', label: 'Ann Lee', candidate: { full_name: 'Ann Lee' }, party: 'Alder' },
        {
          key: 'bob',
          label: 'Bob',
          candidate: { full_name: 'Robert Diaz' },
          withdrawn: true,
          details: { a: 1 },
        },
      ],
    });
  });
});
