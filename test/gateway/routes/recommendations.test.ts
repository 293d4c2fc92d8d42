import { beforeAll, describe, expect, test } from '@jest/globals';
import { CALIFORNIA, type CatalogueLine, lines, SMALL_BALLOT } from '../../helpers/ballots/catalogue.ts';
import { choice, contest, election } from '../../helpers/ballots/catalogue-records.ts';
import { endorse, pick, position } from '../../helpers/ballots/submissions.ts';
import { expectSchema } from '../../helpers/http/response-schema.ts';
import { useTestService } from '../../helpers/service/service.ts';

const OREGON = 'or-2026-11-03-general';
const PAST = 'or-2020-11-03-general';

const place = (level: string, name: string) => ({ ocd_id: null, name, level, type: 'place', state: 'OR' });

/** The small ballot, and a past election whose contests are not in ballot order in the file. */
const CATALOGUE: CatalogueLine[] = [
  ...SMALL_BALLOT,
  ...lines('elections', [
    election({
      ...{ slug: PAST, name: 'Oregon general 2020', date: '2020-11-03' },
      details: { fusion_voting: true },
    }),
  ]),
  ...lines('contests', [
    contest('board', { election: PAST, district: place('school', 'Fernville schools'), ballot_order: 1 }),
    contest('clerk', { election: PAST, district: place('county', 'Fern County'), ballot_order: 2 }),
    contest('governor', {
      election: PAST,
      district: place('state', 'Oregon'),
      ballot_order: 4,
      // One candidate on the lines of two parties.
      choices: [
        choice('ann', { party: 'Democratic' }),
        choice('ann-working', { candidate: { full_name: 'ann' }, party: 'Working Families' }),
        choice('bob', { party: 'Republican' }),
      ],
    }),
    contest('senator', {
      election: PAST,
      district: place('federal', 'Oregon'),
      ballot_order: 9,
      choices: [choice('ann', { withdrawn: true }), choice('bob')],
    }),
  ]),
];

const service = useTestService({ catalogue: CATALOGUE, gatewayConfig: { today: '2026-10-01' } });
beforeAll(async () => {
  await service.submit([
    endorse('bakers-local-1', 'mayor', 'bob', { statement: 'Good.', statement_es: 'Bueno.' }),
    endorse('nation-herald', 'mayor', 'bob', { source_url: 'https://herald.example/mayor' }),
    endorse('coast-gazette', 'mayor', 'cyd', { published_on: '2026-09-01' }),
    position('bakers-local-1', 'council', [pick('ann'), pick('bob'), pick('cyd')]),
    position('nation-herald', 'council', [pick('bob'), pick('cyd')]),
    position('nation-herald', 'sheriff', [pick('cyd', { rank: 1 }), pick('ann', { rank: 2 })]),
    position('coast-gazette', 'sheriff', [pick('dee', { rank: 1 }), pick('ann', { rank: 3 })]),
    endorse('bakers-local-1', 'sheriff', 'ann'),
    endorse('coast-gazette', 'prop-1', 'yes'),
    endorse('nation-herald', 'prop-1', 'no'),
    {
      ...endorse('bakers-local-1', 'mayor', 'ann'),
      contest: `${PAST}/senator`,
    },
    ...[
      endorse('bakers-local-1', 'mayor', 'ann'),
      endorse('nation-herald', 'mayor', 'ann-working'),
      endorse('coast-gazette', 'mayor', 'bob'),
    ].map((submission) => ({ ...submission, contest: `${PAST}/governor` })),
  ]);
  await service.eventsOnceThereAre(18);
});

interface Shown {
  id: number;
  short_title: string;
  choices: {
    id: number;
    label: string;
    endorsed_by: { endorser: { slug: string }; rank: number | null }[];
    endorsement_count: number;
    first_choice_count?: number;
  }[];
  recommendation: { choice_ids: number[]; endorser_count: number; agreement: string };
}

async function read(query: string) {
  const { status, body } = await service.get(`/v1/recommendations?${query}`);
  expect(status).toBe(200);
  expectSchema('/v1/recommendations', body);
  return body.data;
}

async function readContests(query: string): Promise<Shown[]> {
  const { elections } = await read(query);
  return elections.flatMap(({ contests }: { contests: Shown[] }) => contests);
}

/** A line such as `mayor: bob, 3 majority` for each contest. */
async function summarize(query: string): Promise<string[]> {
  return (await readContests(query)).map(({ short_title, choices, recommendation }) => {
    const labelOf = (id: number) => choices.find((each) => each.id === id)?.label;
    const { choice_ids, endorser_count, agreement } = recommendation;
    return `${short_title}: ${choice_ids.map(labelOf).join(' ')}, ${endorser_count} ${agreement}`;
  });
}

const titles = async (query: string) => (await readContests(query)).map(({ short_title }) => short_title);

async function refusal(query: string): Promise<string> {
  const { status, body } = await service.get(`/v1/recommendations?${query}`);
  expect([status, body.error.code]).toEqual([400, 'invalid_parameter']);
  return body.error.message;
}

test('INV-16: a candidate on the lines of two parties is recommended by the backers of both, on one line', async () => {
  const contests = await readContests(`election=${PAST}`);
  const governor = contests.find(({ short_title }) => short_title === 'governor');
  const [ann, working, bob] = governor?.choices ?? [];
  expect(governor?.choices.map(({ label }) => label)).toEqual(['ann', 'ann-working', 'bob']);
  expect([ann, working, bob].map((each) => each?.endorsement_count)).toEqual([1, 1, 1]);
  expect(governor?.recommendation).toEqual({
    choice_ids: [ann?.id],
    endorser_count: 3,
    agreement: 'majority',
  });
});

describe('GET /v1/recommendations', () => {
  test('recommends in each contest according to its vote method', async () => {
    expect(await summarize('state=OR')).toEqual([
      'mayor: bob, 3 majority',
      'council: bob cyd, 2 unanimous',
      // Three choices have one first choice each: ann would win if another was eliminated, but none is.
      'sheriff: , 3 split',
    ]);
    expect(await summarize('state=CA')).toEqual(['prop-1: , 2 split']);
  });

  test('counts only the chosen endorsers', async () => {
    expect(await summarize('state=OR&categories=newspaper')).toEqual([
      'mayor: , 2 split',
      'council: bob cyd, 1 unanimous',
      'sheriff: , 2 split',
    ]);
    expect(await summarize('state=CA&endorsers=coast-gazette')).toEqual(['prop-1: Yes, 1 unanimous']);
    expect(await summarize('state=CA&endorser_states=national')).toEqual(['prop-1: No, 1 unanimous']);
    expect(await summarize('state=CA&endorser_states=OR')).toEqual(['prop-1: , 0 none']);
    expect(await summarize('state=OR&endorsers=nation-herald&contest_kinds=candidate')).toEqual([
      'mayor: bob, 1 unanimous',
      'council: bob cyd, 1 unanimous',
      'sheriff: cyd ann, 1 unanimous',
    ]);
  });

  test('shows a whole contest, its most-backed choices first, each with all endorsers that back it', async () => {
    const [mayor] = (await readContests(`election=${OREGON}`)) as [Shown];
    const { body } = await service.get(`/v1/contests/${mayor.id}`);
    const { endorsements: _, choices, ...record } = body.data;
    expect(mayor).toEqual({ ...record, choices: expect.any(Array), recommendation: expect.any(Object) });
    const backings = (slug: string) =>
      body.data.endorsements
        .filter(({ endorser }: { endorser: { slug: string } }) => endorser.slug === slug)
        .map(({ endorser, picks: [only] }: { endorser: object; picks: Record<string, unknown>[] }) => ({
          endorser,
          rank: null,
          statement: only?.statement,
          source_url: only?.source_url,
          published_on: only?.published_on,
        }));
    const [ann, bob, cyd, dee] = choices;
    expect(mayor.choices).toEqual([
      {
        ...bob,
        endorsed_by: [...backings('bakers-local-1'), ...backings('nation-herald')],
        endorsement_count: 2,
      },
      { ...cyd, endorsed_by: backings('coast-gazette'), endorsement_count: 1 },
      { ...ann, endorsed_by: [], endorsement_count: 0 },
      { ...dee, endorsed_by: [], endorsement_count: 0 },
    ]);
    expect(mayor.recommendation).toEqual({
      choice_ids: [bob.id],
      endorser_count: 3,
      agreement: 'majority',
    });
  });

  test('a ranked choice also shows how many endorsers rank it first', async () => {
    const contests = await readContests(`election=${OREGON}`);
    const sheriff = contests.find(({ short_title }) => short_title === 'sheriff');
    expect(
      sheriff?.choices.map(({ label, endorsed_by, endorsement_count, first_choice_count }) => [
        label,
        endorsement_count,
        first_choice_count,
        endorsed_by.map(({ endorser, rank }) => `${endorser.slug} ${rank}`),
      ]),
    ).toEqual([
      ['ann', 3, 1, ['bakers-local-1 null', 'coast-gazette 3', 'nation-herald 2']],
      ['cyd', 1, 1, ['nation-herald 1']],
      ['dee', 1, 1, ['coast-gazette 1']],
      ['bob', 0, 0, []],
    ]);
  });

  test('shows whole elections by date, and their contests federal, state, local, then in ballot order', async () => {
    const { elections } = await read(`election=${OREGON},${PAST}`);
    const { body } = await service.get('/v1/elections?states=OR');
    expect(
      elections.map(({ contests, ...record }: { contests: Shown[] }) => ({
        ...record,
        contests: contests.map(({ short_title }) => short_title),
      })),
    ).toEqual(
      body.data.map(({ contest_count: _, endorsement_count: __, ...record }: Record<string, unknown>) => ({
        ...record,
        contests:
          record.slug === PAST ? ['senator', 'governor', 'board', 'clerk'] : ['mayor', 'council', 'sheriff'],
      })),
    );
  });

  test('never recommends a candidate who has withdrawn', async () => {
    expect(await summarize(`election=${PAST}&levels=federal`)).toEqual(['senator: , 1 split']);
  });

  test('state alone selects upcoming contests, election and contest select any, and each narrows the others', async () => {
    const [senator] = (await readContests(`election=${PAST}&levels=federal`)) as [Shown];
    const [, council] = (await readContests('state=OR')) as [Shown, Shown];
    expect(await titles('state=OR,CA')).toEqual(['prop-1', 'mayor', 'council', 'sheriff']);
    expect(await titles(`contest=${council.id},${senator.id}`)).toEqual(['senator', 'council']);
    expect(await titles(`state=OR&contest=${council.id},${senator.id}`)).toEqual(['senator', 'council']);
    expect(await titles(`state=CA&contest=${council.id},${senator.id}`)).toEqual([]);
    expect(await titles(`state=OR&election=${PAST}&levels=federal,state`)).toEqual(['senator', 'governor']);
    expect(await titles(`state=CA&election=${PAST}`)).toEqual([]);
    expect(await titles(`election=${CALIFORNIA},${PAST}&levels=state`)).toEqual(['governor', 'prop-1']);
    expect(await titles(`election=${PAST}&contest=${council.id},${senator.id}`)).toEqual(['senator']);
    expect(await titles('state=OR,CA&contest_kinds=measure')).toEqual(['prop-1']);
    expect(await titles(`state=WA`)).toEqual([]);
    expect(await titles('contest=999999999999999')).toEqual([]);
  });

  test('only_endorsed leaves out contests in which no chosen endorser took a position', async () => {
    expect(await titles('state=OR&endorsers=bakers-local-1&levels=city&only_endorsed=false')).toHaveLength(3);
    expect(await titles('state=OR&endorsers=coast-gazette&only_endorsed=true')).toEqual(['mayor', 'sheriff']);
    expect(await titles(`election=${PAST}&only_endorsed=true`)).toEqual(['senator', 'governor']);
  });

  test('repeats the parameters of the request', async () => {
    const nothing = { states: null, elections: null, contests: null, levels: null, contest_kinds: null };
    const { scope, endorsers } = await read('state=WA,ID&only_endorsed=false');
    expect(scope).toEqual({ ...nothing, states: ['WA', 'ID'], only_endorsed: false });
    expect(endorsers).toBe('all');
    const other = await read(
      `election=${PAST}&contest=7,12&levels=city&contest_kinds=candidate&categories=labor&endorser_states=OR,national`,
    );
    expect(other.scope).toEqual({
      states: null,
      elections: [PAST],
      contests: [7, 12],
      levels: ['city'],
      contest_kinds: ['candidate'],
      only_endorsed: null,
    });
    expect(other.endorsers).toEqual({
      categories: ['labor'],
      endorsers: null,
      endorser_states: ['OR', 'national'],
    });
  });

  test('answers in Spanish if it is translated', async () => {
    const [mayor] = (await readContests(`election=${OREGON}&lang=es`)) as [Shown];
    expect(mayor.choices[0]?.endorsed_by[0]).toMatchObject({ statement: 'Bueno.' });
    const { elections } = await read('state=CA&lang=es');
    const [prop] = elections[0].contests;
    expect([prop.title, prop.choices[0].label]).toEqual(['Título de prop-1', 'Sí']);
    expect(prop.choices[0].endorsed_by[0].endorser.category.name).toBe('Periódico');
  });

  test('a subscription chooses the endorsers and narrows the contests', async () => {
    const filter = { categories: ['newspaper'], contest_kinds: ['candidate'], types: ['created'] };
    const saved = await service.send('POST', '/v1/subscriptions', { name: 'Papers', filter });
    const { id } = saved.body.data;
    const plain = await service.get(
      '/v1/recommendations?state=OR,CA&categories=newspaper&contest_kinds=candidate',
    );
    for (const subscription of ['Papers', id]) {
      const { status, body } = await service.get(
        `/v1/recommendations?state=OR,CA&subscription=${subscription}`,
      );
      expect(status).toBe(200);
      expectSchema('/v1/recommendations', body);
      expect(body.data.endorsers).toEqual({ subscription: { id, name: 'Papers' } });
      expect(body.data.elections).toEqual(plain.body.data.elections);
    }
    const both = await service.get('/v1/recommendations?state=OR&subscription=Papers&categories=labor');
    expect([both.status, both.body.error.code]).toEqual([400, 'invalid_parameter']);
    const unknown = await service.get('/v1/recommendations?state=OR&subscription=Nothing');
    expect([unknown.status, unknown.body.error.code]).toEqual([404, 'subscription_not_found']);
  });

  test('refuses a request that selects no contests', async () => {
    for (const query of [
      '',
      'levels=city',
      'subscription=unknown',
      'endorsers=coast-gazette&only_endorsed=true',
    ]) {
      expect(await refusal(query)).toMatch(/one of state, election and contest is required/);
    }
  });

  test('refuses an invalid state, level, kind or contest id', async () => {
    expect(await refusal('state=XX')).toMatch(/state\[0\] must be one of/);
    expect(await refusal('state=OR&levels=town')).toMatch(/levels\[0\] must be one of/);
    expect(await refusal('state=OR&contest_kinds=party')).toMatch(/contest_kinds\[0\] must be one of/);
    expect(await refusal('contest=0')).toBe('contest[0] must be a contest id, is 0.');
    for (const id of ['-1', '1.5', '1e3', 'mayor', '1'.repeat(17)]) {
      expect(await refusal(`contest=7,${id}`)).toBe(`contest[1] must be a contest id, is "${id}".`);
    }
    expect(await refusal('state=OR&only_endorsed=yes')).toMatch(/only_endorsed must be true or false/);
  });

  test.each([
    ['state=CA&endorsers=coast-gazette,nobody', 'endorsers has "nobody", and no endorser has that slug.'],
    ['state=CA&categories=bakers', 'categories has "bakers", and no endorser category has that slug.'],
    [`election=${PAST},nowhere-2026`, 'election has "nowhere-2026", and no election has that slug.'],
  ])('refuses an unknown slug: %s', async (query, message) => {
    expect(await refusal(query)).toBe(message);
  });

  test('INV-15: refuses contests whose endorsements have too many bytes together, and answers for fewer', async () => {
    const large = `c.election_slug = '${PAST}' AND n.contest_id = c.id`;
    await service.query(
      `UPDATE endorsements n SET statement_es = repeat('x', 20 * 1024 * 1024) FROM contests c WHERE ${large}`,
    );
    const [senator] = await service.query(`SELECT id FROM contests WHERE key = '${PAST}/senator'`);
    // Nobody else has asked for these in Spanish, so they are not in memory.
    expect(await refusal(`election=${PAST}&endorsers=bakers-local-1&lang=es`)).toBe(
      'The endorsements of an election or of these contests have more than 64 MB; ask for fewer states, elections or contests at a time.',
    );
    const { status } = await service.get(`/v1/recommendations?contest=${senator?.id}&lang=es`);
    await service.query(`UPDATE endorsements n SET statement_es = NULL FROM contests c WHERE ${large}`);
    expect(status).toBe(200);
  });

  test('describes contest as a list of integers', async () => {
    const { body } = await service.get('/openapi.json');
    const { parameters } = body.paths['/v1/recommendations'].get;
    const { schema } = parameters.find(({ name }: { name: string }) => name === 'contest');
    expect(schema).toMatchObject({ type: 'array', items: { type: 'integer', minimum: 1 } });
  });

  test('refuses the retired location parameters', async () => {
    for (const name of ['location', 'address', 'zip', 'city', 'county', 'lat', 'lng']) {
      expect(await refusal(`state=OR&${name}=1`)).toContain(name);
    }
  });
});
