import { describe, expect, test } from '@jest/globals';
import type { Draft } from '../../../intake/catalogue/draft.ts';
import { Notes } from '../../../intake/catalogue/notes.ts';
import { mapFeed } from '../../../intake/vip/map-feed.ts';
import { readFeed } from '../../../intake/vip/read-feed.ts';
import { parseCatalogueRecord } from '../../../schemas/catalogue-files.ts';
import { mapText, pieces } from '../../helpers/feeds/map-text.ts';
import {
  BALLOT,
  candidate,
  contest,
  ELECTION,
  type FeedObject,
  object,
  ocd,
  texts,
  writeFeed,
} from '../../helpers/feeds/vip-feed.ts';

const VIRGINIA = object('ElectoralDistrict', 'virginia', `${ocd('')}<Name>Virginia</Name><Type>state</Type>`);

const COMMONWEALTH = object('ElectoralDistrict', 'va', '<Name>Commonwealth</Name><Type>state</Type>');

/** The contest of a feed with these objects beside the election. */
async function contestOf(...objects: FeedObject[]) {
  const { records, notes } = await mapText(writeFeed([...ELECTION, VIRGINIA, ...objects]));
  const found = records.find((record): record is Draft & { kind: 'contests' } => record.kind === 'contests');
  const { all } = notes;
  return { ...found, record: found?.record, notes: all, messages: all.map(({ message }) => message) };
}

const withDistrict = (district: FeedObject, name = 'Board', more: FeedObject[] = []) =>
  contestOf(
    ...more,
    district,
    ...candidate('Ann'),
    contest('CandidateContest', name, district.name, '<BallotSelectionIds>{line-Ann}</BallotSelectionIds>'),
  );

describe('a feed becomes records of the catalogue', () => {
  test.each(['5.1', '5.1.2', '5.2', '6.0'])('of version %s', async (version) => {
    const { records } = await mapText(writeFeed(BALLOT, { version }));
    for (const { kind, record, problems } of records) {
      expect(problems).toEqual([]);
      expect(parseCatalogueRecord(kind, record)).toMatchObject({ ok: true });
    }
    expect(records[0]?.record).toMatchObject({
      slug: 'va-2026-11-03-general',
      name: 'General Election',
      name_es: 'Elección general',
      date: '2026-11-03',
      state: 'VA',
      type: 'general',
    });
    expect(records.slice(1).map(({ record }) => record)).toMatchObject([
      {
        slug: 'president',
        kind: 'candidate',
        vote_method: 'plurality',
        votes_allowed: 1,
        ballot_order: 1,
        district: {
          ocd_id: 'ocd-division/country:us/state:va',
          level: 'federal',
          type: 'statewide',
          state: 'VA',
        },
        choices: [
          {
            key: 'cy-ng-di-roe',
            label: 'Cy Ng / Di Roe',
            candidate: { full_name: 'Cy Ng / Di Roe' },
            party: 'Democratic',
          },
        ],
      },
      {
        slug: 'mayor-ward-rio',
        vote_method: 'ranked_choice',
        votes_allowed: 1,
        district: { name: 'Rio', level: 'city', type: 'ward' },
        choices: [
          {
            key: 'ann-lee',
            candidate: { full_name: 'Ann Lee', key: 'ann-lee' },
            party: 'Democratic',
            party_label: null,
            withdrawn: false,
            details: { incumbent: true },
          },
          {
            key: 'ann-lee-working-families',
            candidate: { full_name: 'Ann Lee', key: 'ann-lee' },
            party: 'Working Families',
            party_label: 'Working Families',
          },
          { key: 'bob-diaz', candidate: { full_name: 'Bob Diaz' }, party: null, withdrawn: true },
        ],
      },
      {
        slug: 'school-board-ward-rio',
        vote_method: 'multi_seat',
        votes_allowed: 2,
        choices: [{ key: 'gil-rey' }, { key: 'flo-poe' }],
      },
      {
        slug: 'question-1-sldl-57',
        title: 'Parks bonds',
        title_es: 'Bonos para parques',
        short_title: 'Question 1',
        description: 'Shall we?',
        description_es: '¿Debemos?',
        kind: 'measure',
        vote_method: 'yes_no',
        measure_code: 'Q1',
        source_url: null,
        district: { ocd_id: 'ocd-division/country:us/state:va/sldl:57', level: 'state', type: 'state_lower' },
        choices: [
          { key: 'yes', label: 'Yes', label_es: 'Sí', measure_answer: 'yes' },
          { key: 'no', label: 'No', measure_answer: 'no' },
        ],
      },
      {
        slug: 'retention-hal-sun',
        title: 'Retention: Hal Sun',
        kind: 'retention',
        vote_method: 'yes_no',
        choices: [{ key: 'yes' }, { key: 'no' }],
      },
    ]);
  });

  test('and parts without a place are counted by name', async () => {
    const { notes } = await mapText(writeFeed(BALLOT));
    const leftOut = notes.all.filter(({ kind }) => kind === 'left out');
    expect(Object.fromEntries(leftOut.map(({ message, count }) => [message, count]))).toEqual({
      'contests of parties': 1,
      'ballot styles': 1,
      'polling places': 1,
      'lines for write-ins': 1,
      'addresses of measures that do not begin with http:// or https://': 1,
    });
  });
});

test('each title of a contest names the judge or the party of a primary once', async () => {
  const { record: judge } = await contestOf(
    object('Candidate', 'judge', texts('BallotName', 'Hal Sun')),
    contest(
      'RetentionContest',
      'Retention',
      'virginia',
      `<CandidateId>{judge}</CandidateId>${texts('BallotTitle', 'Retain Hal Sun?', '¿Retener al juez?')}`,
    ),
  );
  expect([judge?.title, judge?.title_es, judge?.short_title]).toEqual([
    'Retain Hal Sun?',
    '¿Retener al juez?: Hal Sun',
    'Retention: Hal Sun',
  ]);
  const { record: primary } = await contestOf(
    object('Party', 'alder', texts('Name', 'Alder')),
    contest(
      'CandidateContest',
      'Governor',
      'virginia',
      `<PrimaryPartyIds>{alder}</PrimaryPartyIds>${texts('BallotTitle', 'Alder Primary', 'Primaria de Alder')}`,
    ),
  );
  expect([primary?.title, primary?.title_es, primary?.short_title]).toEqual([
    'Alder Primary',
    'Primaria de Alder',
    'Governor (Alder)',
  ]);
});

test('the primaries of two parties for one office have their own contests', async () => {
  const primary = (party: string) => [
    object('Party', party, texts('Name', party)),
    object(
      'CandidateContest',
      `for-${party}`,
      `<ElectoralDistrictId>{virginia}</ElectoralDistrictId><Name>Governor</Name><PrimaryPartyIds>{${party}}</PrimaryPartyIds>`,
    ),
  ];
  const { records } = await mapText(
    writeFeed([...ELECTION, VIRGINIA, ...primary('Alder'), ...primary('Birch')]),
  );
  expect(records.slice(1).map(({ record, problems }) => [record.slug, problems])).toEqual([
    ['governor-alder', []],
    ['governor-birch', []],
  ]);
  expect(records[1]?.record).toMatchObject({
    title: 'Governor (Alder)',
    details: { primary_party: 'Alder' },
  });
});

test('a primary of two parties keeps its key if the feed lists them in another order', async () => {
  const parties = ['Alder', 'Birch'].map((name) => object('Party', name, texts('Name', name)));
  const keyOf = async (ids: string) => {
    const fields = `<PrimaryPartyIds>${ids}</PrimaryPartyIds>`;
    const { record } = await contestOf(
      ...parties,
      contest('CandidateContest', 'Governor', 'virginia', fields),
    );
    return record?.key;
  };
  expect(await keyOf('{Birch} {Alder}')).toBe('va-2026-11-03-general/governor-alder-birch');
  expect(await keyOf('{Alder} {Birch}')).toBe('va-2026-11-03-general/governor-alder-birch');
});

test.each([
  ['unexpired-term', 'board-unexpired', { unexpired_term: true }],
  ['Unexpired-Term', 'board-unexpired', { unexpired_term: true }],
  ['full-term', 'board', undefined],
  ['unexpired-term', 'board-unexpired', { unexpired_term: true }, 'RetentionContest', 'OfficeId'],
])(
  'a contest for an office with a term of the type %s is %s',
  async (type, slug, details, of = 'CandidateContest', field = 'OfficeIds') => {
    const { record } = await contestOf(
      object('Office', 'seat', `${texts('Name', 'Seat')}<Term><Type>${type}</Type></Term>`),
      contest(of, 'Board', 'virginia', `<${field}>{seat}</${field}>`),
    );
    expect([record?.slug, record?.details]).toEqual([slug, details]);
  },
);

test('contests without a number come after the others, by their first place in a ballot style', async () => {
  const names = ['A', 'B', 'C'];
  const styles = ['{in-B} {in-A}', '{in-C} {in-A} {in-B}'];
  const { records } = await mapText(
    writeFeed([
      ...ELECTION,
      VIRGINIA,
      ...['AA', ...names].map((name) => contest('CandidateContest', name, 'virginia')),
      contest('CandidateContest', 'Z', 'virginia', '<SequenceOrder>1</SequenceOrder>'),
      ...names.map((name) => object('OrderedContest', `in-${name}`, `<ContestId>{${name}}</ContestId>`)),
      ...styles.map((ids) => object('BallotStyle', ids, `<OrderedContestIds>${ids}</OrderedContestIds>`)),
    ]),
  );
  expect(records.slice(1).map(({ record }) => record.slug)).toEqual(['z', 'b', 'c', 'a', 'aa']);
});

test('a feed without contests, and a contest without candidates, are to be checked', async () => {
  const { notes } = await mapText(writeFeed(ELECTION));
  expect(notes.all).toContainEqual({
    kind: 'to check',
    message: 'a feed has no contests',
    count: 1,
    examples: ['General Election'],
  });
  const { messages } = await contestOf(contest('CandidateContest', 'Board', 'virginia'));
  expect(messages).toContain('a contest has no candidates');
});

test.each([
  ['a candidate', { ofCandidate: '<PartyId>par99</PartyId>' }],
  ['a line', { ofLine: '<EndorsementPartyIds>par99</EndorsementPartyIds>' }],
])('a party of %s that the feed lacks is to be checked', async (_, fields) => {
  const { ofCandidate = '', ofLine = '' } = fields as Record<string, string>;
  const board = '<BallotSelectionIds>{line-Ann}</BallotSelectionIds>';
  const feed = [
    ...ELECTION,
    VIRGINIA,
    ...candidate('Ann', ofCandidate, ofLine),
    contest('CandidateContest', 'Board', 'virginia', board),
  ];
  const { notes } = await mapText(writeFeed(feed));
  expect(notes.all).toContainEqual({
    kind: 'to check',
    message: 'a party is not in the feed',
    count: 1,
    examples: ['Ann: par99'],
  });
});

const LONG = 'x'.repeat(20_001);
const IN_SPANISH = '<FullText><Text language="es">El texto</Text></FullText>';

test.each([
  [
    'in Spanish alone is that of both languages',
    IN_SPANISH,
    { description: 'El texto', description_es: null },
  ],
  [
    'in English comes before one in Spanish alone',
    `${IN_SPANISH}${texts('SummaryText', 'The summary')}`,
    { description: 'The summary' },
  ],
  [
    'in full comes before its summary',
    `${texts('SummaryText', 'The summary')}${texts('FullText', 'All of it')}`,
    { description: 'All of it' },
  ],
  [
    'in another language alone is its description',
    '<FullText><Text language="vi">Chữ</Text></FullText>',
    { description: 'Chữ' },
  ],
  [
    'of too many characters is left out for a shorter one',
    `${texts('FullText', LONG)}${texts('SummaryText', 'The summary', LONG)}`,
    { description: 'The summary', description_es: null },
    'texts of measures with more than 20000 characters',
  ],
])('a text of a measure %s', async (_, fields, expected, left = '') => {
  const { record, messages } = await contestOf(
    contest('BallotMeasureContest', 'Q', 'virginia', `${texts('BallotTitle', 'Parks')}${fields}`),
  );
  expect(record).toMatchObject(expected);
  expect(messages.filter((message) => message.startsWith('texts of'))).toEqual(left === '' ? [] : [left]);
});

test('a title that is too long for one is the description, below the name or its own beginning', async () => {
  const ballot = `${'Shall we? '.repeat(60)}End.`;
  const titles = texts('BallotTitle', ballot, `${'¿Debemos? '.repeat(60)}Fin.`);
  const { record } = await contestOf(contest('BallotMeasureContest', 'Question 1', 'virginia', titles));
  expect(record).toMatchObject({ title: 'Question 1', title_es: null, short_title: 'Question 1' });
  expect(record).toMatchObject({ description: ballot, description_es: expect.stringMatching(/^¿.*Fin\.$/) });
  const nameless = await contestOf(
    object('BallotMeasureContest', 'q', `<ElectoralDistrictId>{virginia}</ElectoralDistrictId>${titles}`),
  );
  const title = `${ballot.slice(0, 250)}…`;
  expect(nameless.record).toMatchObject({ title, short_title: title, description: ballot });
  expect(nameless.record?.slug).toMatch(/^shall-we-shall-we-/);
});

test('a retention has a text and an address, and no code', async () => {
  const fields = `${texts('FullText', 'Shall we?')}<Abbreviation>R</Abbreviation><InfoUri>https://example.org/r</InfoUri>`;
  const { record } = await contestOf(contest('RetentionContest', 'Retention', 'virginia', fields));
  expect(record).toMatchObject({
    ...{ description: 'Shall we?', measure_code: null, source_url: 'https://example.org/r' },
  });
});

describe('the answers to a measure', () => {
  const measure = (labels: string[]) =>
    contestOf(
      ...labels.map((label, at) => object('BallotMeasureSelection', `a${at}`, texts('Selection', label))),
      contest(
        'BallotMeasureContest',
        'Q',
        'virginia',
        `<BallotSelectionIds>${labels.map((_, at) => `{a${at}}`).join(' ')}</BallotSelectionIds>`,
      ),
    );
  const NEITHER = 'the choices of a measure are neither Yes nor No: voters mark one of them';

  test.each([
    [['Yes', 'Abstain', 'No'], 'yes_no', ['yes', 'abstain', 'no'], ['yes', undefined, 'no']],
    [['Against the levy', 'For the levy'], 'yes_no', ['no', 'yes'], ['no', 'yes']],
    [['Plan A', 'Plan B'], 'plurality', ['plan-a', 'plan-b'], [undefined, undefined]],
    [
      ['Yes on A', 'Yes on B', 'No'],
      'plurality',
      ['yes-on-a', 'yes-on-b', 'no'],
      [undefined, undefined, undefined],
    ],
  ])('%j make it %s', async (labels, method, keys, answers) => {
    const { record, problems, messages } = await measure(labels);
    expect([problems, record?.vote_method, messages.includes(NEITHER)]).toEqual([
      ...[[], method, method === 'plurality'],
    ]);
    expect(record?.choices.map(({ key }) => key)).toEqual(keys);
    expect(record?.choices.map(({ measure_answer }) => measure_answer)).toEqual(answers);
  });
});

describe('a district without an OCD id', () => {
  const LOCALITY = object('Locality', 'albemarle', '<Name>Albemarle County</Name><StateId>{state}</StateId>');
  const ORANGE = object('Locality', 'orange', '<Name>Orange County</Name><StateId>{state}</StateId>');
  const boardOf = (name: string, type: string, ...more: FeedObject[]) =>
    withDistrict(object('ElectoralDistrict', 'x', `<Name>${name}</Name><Type>${type}</Type>`), 'Board', more);

  test.each([
    ['District 1', 'school'],
    ['Trustee Area IV', 'school'],
    ['3rd Ward', 'city-council'],
    ['Zone B', 'water'],
    ['At-Large', 'other'],
    ['Jefferson', 'county-council'],
    ['Washington Township', 'township'],
  ])('has the locality of the feed in its name if other counties may use it: %s (%s)', async (name, type) => {
    const { record, notes } = await boardOf(name, type, LOCALITY);
    expect(record?.district.name).toBe(`${name}, Albemarle County`);
    expect(record?.key).toMatch(/-albemarle-county$/);
    expect(notes).toContainEqual(
      expect.objectContaining({ kind: 'assumed', examples: [`${name}, Albemarle County`] }),
    );
    expect(notes.filter(({ kind }) => kind === 'to check')).toEqual([]);
  });

  test('keeps a name that has the locality already', async () => {
    const { record } = await boardOf('District 1, ALBEMARLE county', 'county-council', LOCALITY);
    expect(record?.district.name).toBe('District 1, ALBEMARLE county');
  });

  test.each([
    ['a name of its own', 'Rivanna Water', 'water', [LOCALITY]],
    ['no locality in the feed', 'Area 1', 'school', []],
    ['several localities in the feed', 'Area 1', 'school', [LOCALITY, ORANGE]],
    ['a locality without a name', 'Area 1', 'school', [object('Locality', 'nameless', '')]],
    ['courts of the state', 'District 3', 'judicial', [LOCALITY]],
  ])('is to be checked if it has %s', async (_, name, type, localities) => {
    const { record, notes } = await boardOf(name, type, ...localities);
    expect(record?.district.name).toBe(name);
    expect(notes.filter(({ kind }) => kind === 'to check')).toMatchObject([
      { message: expect.stringContaining('known by its name'), examples: [name] },
    ]);
  });

  test.each(['state-house', 'state-senate', 'congressional'])('is unique in its state: %s', async (type) => {
    const { record, notes } = await boardOf('District 1', type, LOCALITY);
    expect(record?.district.name).toBe('District 1');
    expect(notes.filter(({ kind }) => kind === 'to check')).toEqual([]);
  });

  test('is unlike one with an OCD id, which keeps its name', async () => {
    const id = ocd('/county:albemarle/council_district:1');
    const fields = `${id}<Name>District 1</Name><Type>county-council</Type>`;
    const { record } = await withDistrict(object('ElectoralDistrict', 'x', fields), 'Board', [LOCALITY]);
    expect(record?.district.name).toBe('District 1');
  });

  test('of two counties makes two contests', async () => {
    const [here, there] = await Promise.all([
      boardOf('District 1', 'school', LOCALITY),
      boardOf('District 1', 'school', ORANGE),
    ]);
    expect(here.record?.key).not.toBe(there.record?.key);
  });
});

describe('the level of a district', () => {
  test.each([
    ['borough', '', 'county'],
    ['city-council', '', 'city'],
    ['congressional', ocd('/cd:7'), 'federal'],
    ['judicial', '', 'state'],
    ['judicial', ocd('/county:albemarle'), 'county'],
    ['national', '', 'federal'],
    ['other', ocd('/place:vienna/council_district:2'), 'city'],
    ['other', ocd('/place:vienna/council_district:2').replace('ocd-id', 'other'), 'city'],
    ['other', '', 'special'],
    ['school', '', 'school'],
    ['water', '', 'special'],
  ])('of the type %s (%s) is %s', async (type, identifiers, level) => {
    const { record } = await withDistrict(
      object('ElectoralDistrict', 'x', `${identifiers}<Name>X</Name><Type>${type}</Type>`),
    );
    expect(record?.district.level).toBe(level);
  });

  test.each([
    ['Governor', 'state'],
    ['President and Vice President', 'federal'],
    ['U.S. Senator', 'federal'],
    ['United States Senate', 'federal'],
    ['State Senator', 'state'],
    ['Member of Congress', 'federal'],
  ])('of the whole state is told by the office %s: %s', async (name, level) => {
    const { record } = await withDistrict(COMMONWEALTH, name);
    expect(record?.district.level).toBe(level);
    const office = object('Office', 'office', texts('Name', name));
    const numbered = contest('CandidateContest', 'Seat 1', 'va', '<OfficeIds>{office}</OfficeIds>');
    expect((await contestOf(office, COMMONWEALTH, numbered)).record?.district.level).toBe(level);
  });

  test.each([
    ['national', '', 'nation', null],
    ['other', ocd('/place:vienna/council_district:2'), 'council_district', 'VA'],
    ['other', '<OtherType>fire</OtherType>', 'fire', 'VA'],
    ['state', '', 'statewide', 'VA'],
  ])('of the type %s (%s) has the type %s and the state %s', async (given, more, type, state) => {
    const { record } = await withDistrict(
      object('ElectoralDistrict', 'x', `${more}<Name>X</Name><Type>${given}</Type>`),
    );
    expect(record?.district).toMatchObject({ type, state });
  });

  test('of the whole state has the OCD id of its state, which the feed may lack', async () => {
    const { record } = await withDistrict(COMMONWEALTH);
    expect(record?.district).toMatchObject({ ocd_id: 'ocd-division/country:us/state:va' });
  });
});

describe('the vote method', () => {
  const voting = async (fields: string) => {
    const { record, problems } = await contestOf(
      ...candidate('Ann'),
      contest(
        'CandidateContest',
        'Board',
        'virginia',
        `<BallotSelectionIds>{line-Ann}</BallotSelectionIds>${fields}`,
      ),
    );
    return problems?.length ? problems : [record?.vote_method, record?.votes_allowed];
  };

  test.each([
    ['', ['plurality', 1]],
    ['<VotesAllowed>3</VotesAllowed>', ['multi_seat', 3]],
    ['<NumberElected>2</NumberElected>', ['multi_seat', 2]],
    ['<NumberElected>2</NumberElected><VotesAllowed>1</VotesAllowed>', ['plurality', 1]],
    ['<VoteVariation>majority</VoteVariation>', ['plurality', 1]],
    ['<VoteVariation>1-of-m</VoteVariation><VotesAllowed>2</VotesAllowed>', ['multi_seat', 2]],
    ['<VoteVariation>n-of-m</VoteVariation><VotesAllowed>1</VotesAllowed>', ['plurality', 1]],
    ['<VoteVariation>n-of-m</VoteVariation>', ['multi_seat', null]],
    ['<VoteVariation>n-of-m</VoteVariation><VotesAllowed>0</VotesAllowed>', ['multi_seat', null]],
    ['<VoteVariation>approval</VoteVariation>', ['approval', null]],
    ['<VoteVariation>rcv</VoteVariation><VotesAllowed>5</VotesAllowed>', ['ranked_choice', null]],
  ])('of %s is %j', async (fields, expected) => {
    expect(await voting(fields)).toEqual(expected);
  });

  test('without a place in the catalogue refuses its contest', async () => {
    expect(await voting('<VoteVariation>borda</VoteVariation>')).toEqual([
      { field: 'VoteVariation', message: expect.stringMatching(/^must be one of .*rcv, is "borda"$/) },
    ]);
  });
});

describe('candidates', () => {
  const race = (lines: string, ...objects: FeedObject[]) =>
    contestOf(
      ...objects,
      contest('CandidateContest', 'Board', 'virginia', `<BallotSelectionIds>${lines}</BallotSelectionIds>`),
    );
  const named = (id: string, more = '') => object('Candidate', id, `${texts('BallotName', 'Jo Poe')}${more}`);
  const line = (id: string, of: string, more = '') =>
    object('CandidateSelection', id, `<CandidateIds>{${of}}</CandidateIds>${more}`);
  const PARTIES = [
    object('Party', 'a', texts('Name', 'Alder')),
    object('Party', 'b', texts('Name', 'Birch')),
  ];

  test('of one name are different people, which a person should check', async () => {
    const { record, problems, messages } = await race(
      '{l1} {l2}',
      ...PARTIES,
      named('c1', '<PartyId>{a}</PartyId>'),
      named('c2', '<PartyId>{b}</PartyId>'),
      line('l1', 'c1'),
      line('l2', 'c2'),
    );
    expect(problems).toEqual([]);
    expect(record?.choices.map(({ key, candidate: person }) => [key, person?.key])).toEqual([
      ['jo-poe-alder', 'jo-poe-alder'],
      ['jo-poe-birch', 'jo-poe-birch'],
    ]);
    expect(messages).toContain('candidates of one name in a contest count as different people');
  });

  test('of one person are one candidate', async () => {
    const { record } = await race(
      '{l1} {l2}',
      ...PARTIES,
      named('c1', '<PartyId>{a}</PartyId><PersonId>p</PersonId>'),
      named('c2', '<PartyId>{b}</PartyId><PersonId>p</PersonId>'),
      line('l1', 'c1'),
      line('l2', 'c2'),
    );
    expect(record?.choices.map(({ candidate: person }) => person?.key)).toEqual(['jo-poe', 'jo-poe']);
  });

  test('of one person are one candidate, however the lines spell the name', async () => {
    const spelled = (id: string, name: string, party: string) =>
      object(
        'Candidate',
        id,
        `${texts('BallotName', name)}<PartyId>${party}</PartyId><PersonId>p</PersonId>`,
      );
    const { record } = await race(
      '{l1} {l2}',
      ...PARTIES,
      spelled('c1', 'Joanne Poe', '{a}'),
      spelled('c2', 'Jo Poe', '{b}'),
      line('l1', 'c1'),
      line('l2', 'c2'),
    );
    expect(record?.choices).toMatchObject([
      { key: 'joanne-poe', label: 'Joanne Poe', candidate: { full_name: 'Jo Poe', key: 'jo-poe' } },
      { key: 'jo-poe', label: 'Jo Poe', candidate: { full_name: 'Jo Poe', key: 'jo-poe' } },
    ]);
  });

  test('that nothing tells apart are refused', async () => {
    const { problems } = await race(
      '{l1} {l2}',
      named('c1'),
      named('c2'),
      line('l1', 'c1'),
      line('l2', 'c2'),
    );
    expect(problems?.[0]).toEqual({
      field: 'choices[0]',
      message: 'has names and parties that do not tell it apart, is "Jo Poe"',
    });
  });

  test('with the parties that endorse one line have them all in the label', async () => {
    const { record } = await race(
      '{l1}',
      ...PARTIES,
      named('c1', '<PartyId>{a}</PartyId>'),
      line('l1', 'c1', '<EndorsementPartyIds>{b} {a}</EndorsementPartyIds>'),
    );
    expect(record?.choices[0]).toMatchObject({ key: 'jo-poe', party: 'Alder', party_label: 'Birch, Alder' });
  });

  test('of a line with several parties, and none of their own, have the first', async () => {
    const endorsed = '<EndorsementPartyIds>{b} {a}</EndorsementPartyIds>';
    const { record } = await race('{l1}', ...PARTIES, named('c1'), line('l1', 'c1', endorsed));
    expect(record?.choices[0]).toMatchObject({ party: 'Birch', party_label: 'Birch, Alder' });
  });

  test('count once for a reference that the feed repeats', async () => {
    const people = [
      ...candidate('Ann', '', '<EndorsementPartyIds>{a} {a}</EndorsementPartyIds>'),
      ...candidate('Bo'),
    ];
    const { record, problems } = await race('{line-Ann}\n  {line-Bo} {line-Ann}', ...PARTIES, ...people);
    expect(problems).toEqual([]);
    expect(record?.choices).toMatchObject([{ key: 'ann', party_label: 'Alder' }, { key: 'bo' }]);
  });

  test('have Spanish names and parties where the feed has them', async () => {
    const [top, second] = [texts('BallotName', 'Cy Ng', 'Ci Ng'), texts('BallotName', 'Di Roe')];
    const { record } = await race(
      '{l1} {l2}',
      object('Party', 'g', texts('Name', 'Green', 'Verde')),
      object('Candidate', 'c1', top),
      object('Candidate', 'c2', second),
      object('CandidateSelection', 'l1', '<CandidateIds>{c1} {c2}</CandidateIds>'),
      line('l2', 'c2', '<EndorsementPartyIds>{g}</EndorsementPartyIds>'),
    );
    expect(record?.choices).toMatchObject([
      { label: 'Cy Ng / Di Roe', label_es: 'Ci Ng / Di Roe' },
      { label: 'Di Roe', label_es: null, party_label: 'Green', party_label_es: 'Verde' },
    ]);
  });

  test.each([
    [texts('FullName', 'Jo B. Poe'), 'Jo B. Poe'],
    ['<FirstName>Jo</FirstName><LastName>Poe</LastName>', 'Jo Poe'],
    ['<LastName>Poe</LastName>', 'Poe'],
  ])('without a name on the ballot have that of the person: %s', async (fields, label) => {
    const person = object('Person', 'p', fields);
    const nameless = object('Candidate', 'c1', '<PersonId>{p}</PersonId>');
    const { record, problems } = await race('{l1}', person, nameless, line('l1', 'c1'));
    expect([problems, record?.choices[0]?.label]).toEqual([[], label]);
  });

  test('of a ticket have withdrawn if all have, before or after the election', async () => {
    const withdrawn = '<PostElectionStatus>withdrawn</PostElectionStatus><IsIncumbent>1</IsIncumbent>';
    const { record } = await race(
      '{both} {one}',
      named('gone', withdrawn),
      named('left', withdrawn),
      object('Candidate', 'stays', texts('BallotName', 'Di Roe')),
      object('CandidateSelection', 'both', '<CandidateIds>{gone} {left}</CandidateIds>'),
      object('CandidateSelection', 'one', '<CandidateIds>{gone} {stays}</CandidateIds>'),
    );
    expect(record?.choices).toMatchObject([
      { label: 'Jo Poe / Jo Poe', withdrawn: true },
      { label: 'Jo Poe / Di Roe', withdrawn: false, details: { incumbent: true } },
    ]);
  });

  test('of lines for write-ins, and lines without a candidate, are left out', async () => {
    const writeIn = '<PreElectionStatus>write-in</PreElectionStatus>';
    const { record, notes, problems } = await race(
      '{line-Ann} {line-Bo} {blank} {ticket}',
      ...candidate('Ann'),
      ...candidate('Bo', writeIn),
      object('CandidateSelection', 'blank', ''),
      object('CandidateSelection', 'ticket', '<CandidateIds>{candidate-Ann} {candidate-Bo}</CandidateIds>'),
    );
    expect(problems).toEqual([]);
    expect(record?.choices.map(({ key }) => key)).toEqual(['ann', 'ann-bo']);
    const left = notes.filter(({ kind }) => kind === 'left out');
    expect(left.map(({ message, count }) => [message, count])).toEqual([
      ['lines for write-ins', 1],
      ['lines without a candidate', 1],
    ]);
  });

  test('of a party without a name have its abbreviation, or none', async () => {
    const parties = [
      object('Party', 'short', texts('Abbreviation', 'ALD')),
      object('Party', 'none', '<Color>ff0000</Color>'),
    ];
    const { record, problems } = await race(
      '{l1} {l2} {l3}',
      ...parties,
      ...['c1', 'c2', 'c3'].map((id) => object('Candidate', id, texts('BallotName', id))),
      line('l1', 'c1', '<EndorsementPartyIds>{short}</EndorsementPartyIds>'),
      line('l2', 'c2', '<EndorsementPartyIds>{none}</EndorsementPartyIds>'),
      line('l3', 'c3', '<EndorsementPartyIds>{none} {short}</EndorsementPartyIds>'),
    );
    expect(problems).toEqual([]);
    expect(record?.choices).toMatchObject([
      { party: 'ALD', party_label: 'ALD', party_label_es: null },
      { party: null, party_label: null },
      { party_label: 'ALD' },
    ]);
    const primaryOf = async (ids: string) => {
      const fields = `<PrimaryPartyIds>${ids}</PrimaryPartyIds>`;
      const primary = await contestOf(
        ...parties,
        contest('CandidateContest', 'Governor', 'virginia', fields),
      );
      return [primary.record?.title, primary.record?.details];
    };
    expect(await primaryOf('{short}')).toEqual(['Governor (ALD)', { primary_party: 'ALD' }]);
    expect(await primaryOf('{none}')).toEqual(['Governor', undefined]);
  });

  test('of the ballot in Nevada can be none of them', async () => {
    const none = object('Candidate', 'c1', texts('BallotName', 'None of These Candidates'));
    const { record } = await race('{l1}', none, line('l1', 'c1'));
    expect(record?.choices).toMatchObject([{ key: 'none-of-these-candidates', option: 'none_of_these' }]);
  });

  test('have the order of their numbers, or of all ordered contests', async () => {
    const people = [
      ...candidate('A', '', '<SequenceOrder>2</SequenceOrder>'),
      ...candidate('B', '', '<SequenceOrder>1</SequenceOrder>'),
    ];
    const numbered = await race('{line-A} {line-B}', ...people);
    expect(numbered.record?.choices.map(({ key }) => key)).toEqual(['b', 'a']);
    const order = (id: string, lines: string) =>
      object(
        'OrderedContest',
        id,
        `<ContestId>{Board}</ContestId><OrderedBallotSelectionIds>${lines}</OrderedBallotSelectionIds>`,
      );
    const plain = [...candidate('A'), ...candidate('B')];
    const more = [...plain, ...candidate('C')];
    const ordered = await race('{line-C} {line-A} {line-B}', ...more, order('o1', '{line-B} {line-A}'));
    expect(ordered.record?.choices.map(({ key }) => key)).toEqual(['b', 'a', 'c']);
    const rotated = await race(
      '{line-A} {line-B}',
      ...plain,
      order('o1', '{line-B} {line-A}'),
      order('o2', '{line-A} {line-B}'),
    );
    expect(rotated.record?.choices.map(({ key }) => key)).toEqual(['a', 'b']);
    const again = order('o3', '{line-B} {line-A}');
    const thrice = await race(
      '{line-A} {line-B}',
      ...plain,
      order('o1', '{line-B} {line-A}'),
      order('o2', '{line-A} {line-B}'),
      again,
    );
    expect(thrice.record?.choices.map(({ key }) => key)).toEqual(['a', 'b']);
    const blank = await race(
      '{line-A} {line-B}',
      ...plain,
      order('o1', ''),
      order('o2', '{line-B} {line-A}'),
    );
    expect(blank.record?.choices.map(({ key }) => key)).toEqual(['b', 'a']);
    const some = [...candidate('A', '', '<SequenceOrder>2</SequenceOrder>'), ...candidate('B')];
    const partly = await race('{line-A} {line-B}', ...some, order('o1', '{line-B} {line-A}'));
    expect(partly.record?.choices.map(({ key }) => key)).toEqual(['b', 'a']);
  });
});

describe('the election', () => {
  const typeOf = async (type: string, name: string, date = '2026-06-09') => {
    const election = object(
      'Election',
      'election',
      `<Date>${date}</Date>${texts('ElectionType', type)}${texts('Name', name)}<StateId>{state}</StateId>`,
    );
    const { records } = await mapText(writeFeed([...ELECTION.slice(0, 2), election]));
    return records[0]?.kind === 'elections' ? records[0].record.type : null;
  };

  test.each([
    ['Primary', '', 'primary'],
    ['Runoff', 'General Election', 'runoff'],
    ['State', 'June Special Primary', 'special_primary'],
    ['', 'Primary Runoff Election', 'runoff'],
    ['Special', 'Congressional election', 'special'],
  ])('of the type %s, named %s, is %s', async (type, name, expected) => {
    expect(await typeOf(type, name)).toBe(expected);
  });

  test('has the day of a date with a time, and the type that the person gives instead', async () => {
    const fields = `<Date>2026-06-09T00:00:00</Date>${texts('Name', 'Primary')}<StateId>{state}</StateId>`;
    const feed = writeFeed([...ELECTION.slice(0, 2), object('Election', 'election', fields)]);
    const [record] = mapFeed(await readFeed(pieces(feed)), new Notes(), { electionType: 'special_primary' });
    expect(record?.record).toMatchObject({
      ...{ date: '2026-06-09', type: 'special_primary', slug: 'va-2026-06-09-special-primary' },
    });
  });

  test('is general on the national election day, and refused on another day without a type', async () => {
    expect(await typeOf('State', 'Election', '2026-11-03')).toBe('general');
    await expect(typeOf('State', 'Election', '2026-11-10')).rejects.toThrow(
      /does not say the type.*--election-type/,
    );
  });

  test('is in the state that its name or its OCD id gives', async () => {
    const election = object('Election', 'election', '<Date>2026-11-03</Date><StateId>{state}</StateId>');
    const stateOf = async (fields: string) => {
      const { records } = await mapText(writeFeed([object('State', 'state', fields), election]));
      return records[0]?.record;
    };
    expect(await stateOf('<Name>NEW MEXICO</Name>')).toMatchObject({
      ...{ state: 'NM', name: 'New Mexico general election' },
    });
    expect(await stateOf(`${ocd('')}<Name>The Commonwealth</Name>`)).toMatchObject({ state: 'VA' });
    await expect(stateOf('<Name>Avalon</Name>')).rejects.toThrow(/The State is called "Avalon"/);
  });

  test.each([
    ['no election', [], /has 0 Election objects/],
    ['two elections', [...ELECTION, object('Election', 'e2', '')], /has 2 Election objects/],
    [
      'an election without a state',
      ELECTION.filter(({ type }) => type !== 'State'),
      /names the State "state", which the feed does not have/,
    ],
    [
      'an election that names no state',
      [...ELECTION.slice(0, 2), object('Election', 'e', '<Date>2026-11-03</Date>')],
      /^The Election has no StateId\.$/,
    ],
    [
      'an impossible day',
      [...ELECTION.slice(0, 2), object('Election', 'e', '<Date>2026-02-30</Date>')],
      /must be a real date as YYYY-MM-DD, is "2026-02-30"/,
    ],
  ])('is refused if the feed has %s', async (_what, objects, message) => {
    await expect(mapText(writeFeed(objects))).rejects.toThrow(message);
  });
});

describe('a contest is refused', () => {
  test('if its district is missing', async () => {
    const { problems, line } = await contestOf(contest('CandidateContest', 'Board', 'nowhere'));
    // After the first two lines, those of the election, and one of a district.
    expect(line).toBe(2 + ELECTION.length + 2);
    expect(problems).toEqual([
      { field: 'ElectoralDistrictId', message: 'names "nowhere", which the feed does not have' },
    ]);
    const unnamed = await contestOf(object('CandidateContest', 'Board', '<Name>Board</Name>'));
    expect(unnamed.problems).toEqual([{ field: 'ElectoralDistrictId', message: 'is missing' }]);
  });

  test('if the party of a primary is missing, which is a part of its key', async () => {
    const fields = '<PrimaryPartyIds>par99</PrimaryPartyIds>';
    const { record, problems } = await contestOf(contest('CandidateContest', 'Board', 'virginia', fields));
    expect([record?.key, problems]).toEqual([
      '',
      [{ field: 'PrimaryPartyIds', message: 'names "par99", which is no Party of the feed' }],
    ]);
  });

  test('if a choice or a candidate is missing', async () => {
    const { problems } = await contestOf(
      object('CandidateSelection', 'line', '<CandidateIds>{gone}</CandidateIds>'),
      contest(
        'CandidateContest',
        'Board',
        'virginia',
        '<BallotSelectionIds>{line} {lost}</BallotSelectionIds>',
      ),
    );
    expect(problems).toEqual(
      expect.arrayContaining([
        { field: 'BallotSelectionIds', message: 'names "lost", which is no CandidateSelection of the feed' },
        { field: 'CandidateIds', message: 'names "gone", which is no Candidate of the feed' },
      ]),
    );
  });

  test('if a judge, or a member of a ticket, has no name', async () => {
    const nameless = object('Candidate', 'nameless', '<PersonId>lost</PersonId>');
    const message = 'is missing in the Candidate "nameless", and the feed has no Person with its name';
    const judge = contest('RetentionContest', 'Judge', 'virginia', '<CandidateId>{nameless}</CandidateId>');
    expect((await contestOf(nameless, judge)).problems).toEqual([{ field: 'BallotName', message }]);
    const { problems } = await contestOf(
      nameless,
      object('Candidate', 'top', `${texts('BallotName', 'Cy Ng')}<IsTopTicket>true</IsTopTicket>`),
      object('CandidateSelection', 'ticket', '<CandidateIds>{top} {nameless}</CandidateIds>'),
      contest(
        'CandidateContest',
        'President',
        'virginia',
        '<BallotSelectionIds>{ticket}</BallotSelectionIds>',
      ),
    );
    expect(problems).toEqual([{ field: 'BallotName', message }]);
  });

  test.each([
    ['BallotMeasureContest', 'BallotSelectionIds', 'BallotMeasureSelection'],
    ['RetentionContest', 'BallotSelectionIds', 'BallotMeasureSelection'],
    ['RetentionContest', 'CandidateId', 'Candidate'],
    ['RetentionContest', 'OfficeId', 'Office'],
    ['CandidateContest', 'OfficeIds', 'Office'],
  ])('of the type %s if all of its %s are missing', async (type, field, of) => {
    const { problems } = await contestOf(contest(type, 'Board', 'virginia', `<${field}>lost</${field}>`));
    expect(problems).toEqual([{ field, message: `names "lost", which is no ${of} of the feed` }]);
  });

  test.each([
    ['title', texts('BallotTitle', 'Seat 3')],
    ['office', '<OfficeIds>{seat}</OfficeIds>'],
  ])('unless its %s tells it apart', async (_, fields) => {
    const other = '<ElectoralDistrictId>{virginia}</ElectoralDistrictId><Name>Judge</Name>';
    const { records } = await mapText(
      writeFeed([
        ...ELECTION,
        VIRGINIA,
        object('Office', 'seat', texts('Name', 'Seat 3')),
        contest('CandidateContest', 'Judge', 'virginia'),
        object('CandidateContest', 'j2', `${other}${fields}`),
      ]),
    );
    expect(records.flatMap(({ problems }) => problems)).toEqual([]);
    expect(records.map(({ record }) => record.slug)).toEqual([
      ...['va-2026-11-03-general', 'judge', 'judge-seat-3'],
    ]);
  });

  test('if another one has the same names and district', async () => {
    const { records } = await mapText(
      writeFeed([
        ...ELECTION,
        VIRGINIA,
        contest('CandidateContest', 'Judge', 'virginia', '<SequenceOrder>1</SequenceOrder>'),
        object(
          'CandidateContest',
          'j2',
          '<ElectoralDistrictId>{virginia}</ElectoralDistrictId><Name>JUDGE</Name>',
        ),
        object(
          'CandidateContest',
          'j3',
          `<ElectoralDistrictId>{virginia}</ElectoralDistrictId><Name>Judge</Name>${texts('BallotSubTitle', 'Seat 3')}`,
        ),
      ]),
    );
    const contests = records.filter(({ kind }) => kind === 'contests');
    expect(contests.map(({ problems }) => problems.length).sort()).toEqual([0, 1, 1]);
    expect(contests.find(({ problems }) => problems.length === 0)?.record.slug).toBe('judge-seat-3');
  });
});
