import { describe, expect, test } from '@jest/globals';
import { Notes } from '../../../intake/catalogue/notes.ts';
import { mapFeed } from '../../../intake/vip/map-feed.ts';
import { readFeed } from '../../../intake/vip/read-feed.ts';
import { mapText, pieces } from '../../helpers/feeds/map-text.ts';
import { ELECTION, object, ocd, texts, writeFeed } from '../../helpers/feeds/vip-feed.ts';

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
