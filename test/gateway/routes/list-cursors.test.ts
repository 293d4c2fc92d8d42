import { beforeAll, describe, expect, test } from '@jest/globals';
import { routes } from '../../../gateway/routes/index.ts';
import { SMALL_BALLOT } from '../../helpers/ballots/catalogue.ts';
import { endorse } from '../../helpers/ballots/submissions.ts';
import { importPeople } from '../../helpers/officeholders/import-people.ts';
import { person, role } from '../../helpers/officeholders/people-checkout.ts';
import { useTestService } from '../../helpers/service/service.ts';

const service = useTestService({ catalogue: SMALL_BALLOT });
beforeAll(async () => {
  await importPeople(service.databaseUrl, {
    'or/legislature/ann.yml': person(1, 'Ann', [role('lower', 'state:or', { district: 7 })]),
    'or/legislature/bob.yml': person(2, 'Bob', [role('lower', 'state:or', { district: 8 })]),
  });
  await service.submit([
    endorse('bakers-local-1', 'mayor', 'ann'),
    endorse('bakers-local-1', 'council', 'ann'),
    endorse('coast-gazette', 'prop-1', 'yes'),
  ]);
  await service.eventsOnceThereAre(3);
});

/** Every paged list, with filters that at least two records pass; lists of values come in two orders. */
const LISTS: [list: string, filters: string[], reordered: string[]][] = [
  ['elections', ['states=OR,CA', 'types=general', 'upcoming=false'], ['types=general', 'states=CA,OR']],
  ['endorsers', ['categories=labor,newspaper', 'q=a'], ['q=a', 'categories=newspaper,labor,labor']],
  [
    'contests',
    ['states=CA,OR', 'levels=city,state', 'contest_kinds=candidate,measure'],
    ['contest_kinds=measure,candidate', 'levels=state,city', 'states=OR,CA', 'upcoming=false'],
  ],
  [
    'endorsements',
    ['states=CA,OR', 'endorsers=bakers-local-1,coast-gazette', 'contest_kinds=candidate,measure'],
    ['contest_kinds=measure,candidate', 'endorsers=coast-gazette,bakers-local-1', 'states=OR,CA', 'lang=en'],
  ],
  ['officeholders', ['states=OR,CA', 'levels=state,city'], ['levels=city,state', 'states=CA,OR']],
];

test('every paged list is in the table', () => {
  const paged = routes.filter(({ query }) => 'cursor' in query && !('since' in query));
  expect(LISTS.map(([list]) => `/v1/${list}`).sort()).toEqual(paged.map(({ path }) => path).sort());
});

describe.each(LISTS)('the cursor of %s', (list, filters, reordered) => {
  const ask = (parameters: string[]) => service.get(`/v1/${list}?${parameters.join('&')}`);
  /** The first page of one record, and a cursor for what follows. */
  async function firstPage() {
    const { status, body } = await ask([...filters, 'limit=1']);
    expect(status).toBe(200);
    expect(body.next_cursor).not.toBeNull();
    return { first: body.data[0], cursor: `cursor=${body.next_cursor}` };
  }
  async function expectRefusal(parameters: string[], reason: string) {
    const { status, body } = await ask(parameters);
    expect([status, body.error.code]).toEqual([400, 'invalid_parameter']);
    expect(body.error.message).toBe(
      `cursor is not a cursor of this list: ${reason}. Send the next_cursor of the previous page, with the same ` +
        'filters and lang; only limit may differ.',
    );
  }

  test('continues the list with pages of another size, and with the same filters in another order', async () => {
    const { first, cursor } = await firstPage();
    const whole = await ask([...filters, 'limit=500']);
    for (const parameters of [filters, reordered]) {
      const { status, body } = await ask([...parameters, 'limit=500', cursor]);
      expect([status, [first, ...body.data]]).toEqual([200, whole.body.data]);
    }
  });

  test('is refused with fewer or other filters and in another language', async () => {
    const { cursor } = await firstPage();
    const reason = 'it belongs to other filters or another lang';
    for (const [index, filter] of filters.entries()) {
      if (filter === 'upcoming=false') continue;
      const others = filters.filter((_, place) => place !== index);
      await expectRefusal([...others, cursor], reason);
      if (filter.includes(',')) await expectRefusal([...others, filter.replace(/,.*/, ''), cursor], reason);
    }
    await expectRefusal([...filters, 'lang=es', cursor], reason);
  });

  test('is refused by another list', async () => {
    const { cursor } = await firstPage();
    const other = list === 'elections' ? 'contests' : 'elections';
    const { status, body } = await service.get(`/v1/${other}?${cursor}`);
    expect([status, body.error.code]).toEqual([400, 'invalid_parameter']);
    expect(body.error.message).toContain('it belongs to another list');
  });
});
