import { describe, expect, test } from '@jest/globals';
import { contestOf, VIRGINIA } from '../../helpers/feeds/feed-contest.ts';
import { mapText } from '../../helpers/feeds/map-text.ts';
import { candidate, contest, ELECTION, object, texts, writeFeed } from '../../helpers/feeds/vip-feed.ts';

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
