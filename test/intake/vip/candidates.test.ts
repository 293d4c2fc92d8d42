import { describe, expect, test } from '@jest/globals';
import { contestOf } from '../../helpers/feeds/feed-contest.ts';
import { candidate, contest, type FeedObject, object, texts } from '../../helpers/feeds/vip-feed.ts';

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
