/** Feeds of the Voting Information Project, written from objects whose ids and order a test can change. */

/** An object of a feed. In its fields, `{name}` stands for the id of another object. */
export interface FeedObject {
  type: string;
  name: string;
  fields: string;
}

export const object = (type: string, name: string, fields: string): FeedObject => ({ type, name, fields });
/** Texts by language. */
export const texts = (field: string, en: string, es?: string): string =>
  `<${field}><Text language="en">${en}</Text>${es === undefined ? '' : `<Text language="es">${es}</Text>`}</${field}>`;
/** The external identifiers of a district. */
export const ocd = (id: string): string =>
  `<ExternalIdentifiers><ExternalIdentifier><Type>fips</Type><Value>51</Value></ExternalIdentifier><ExternalIdentifier><Type>ocd-id</Type><Value>ocd-division/country:us/state:va${id}</Value></ExternalIdentifier></ExternalIdentifiers>`;

export interface FeedForm {
  version?: string;
  /** The id of the object with a name. */
  idOf?: (name: string) => string;
}

/** Writes a feed. */
export function writeFeed(
  objects: readonly FeedObject[],
  { version = '5.2', idOf = (name) => name.replaceAll(' ', '_') }: FeedForm = {},
): string {
  const lines = objects.map(({ type, name, fields }) => {
    const referring = fields.replaceAll(/\{([^{}]+)\}/g, (_, other: string) => idOf(other));
    return `  <${type} id="${idOf(name)}">${referring}</${type}>`;
  });
  return `<?xml version="1.0"?>\n<VipObject schemaVersion="${version}">\n${lines.join('\n')}\n</VipObject>\n`;
}

/** The source, state and election of a feed. */
export const ELECTION: readonly FeedObject[] = [
  object('Source', 'source', '<Name>Board of Elections</Name><VipId>51</VipId>'),
  object('State', 'state', `${ocd('')}<Name>Virginia</Name>`),
  object(
    'Election',
    'election',
    `<Date>2026-11-03</Date>${texts('ElectionType', 'General')}${texts('Name', 'General Election', 'Elección general')}<StateId>{state}</StateId>`,
  ),
];

/** A candidate with a line of his or her own. */
export const candidate = (name: string, more = '', line = ''): FeedObject[] => [
  object('Candidate', `candidate-${name}`, `${texts('BallotName', name)}${more}`),
  object('CandidateSelection', `line-${name}`, `<CandidateIds>{candidate-${name}}</CandidateIds>${line}`),
];

/** A contest of one type for a district. */
export const contest = (type: string, name: string, district: string, more = ''): FeedObject =>
  object(type, name, `<ElectoralDistrictId>{${district}}</ElectoralDistrictId><Name>${name}</Name>${more}`);

/** A small ballot with a contest of each kind, and an object of each kind that is left out. */
export const BALLOT: readonly FeedObject[] = [
  ...ELECTION,
  object('ElectoralDistrict', 'virginia', `${ocd('')}<Name>Virginia</Name><Type>state</Type>`),
  object('ElectoralDistrict', 'house', `${ocd('/sldl:57')}<Name>House 57</Name><Type>state-house</Type>`),
  object('ElectoralDistrict', 'rio', '<Name>Rio</Name><Type>ward</Type>'),
  object('Party', 'dem', texts('Name', 'Democratic', 'Demócrata')),
  object('Party', 'work', texts('Name', 'Working Families')),
  object('Office', 'president', texts('Name', 'President')),
  ...candidate('Ann Lee', '<PartyId>{dem}</PartyId><IsIncumbent>true</IsIncumbent>'),
  object(
    'CandidateSelection',
    'fusion',
    '<CandidateIds>{candidate-Ann Lee}</CandidateIds><EndorsementPartyIds>{work}</EndorsementPartyIds>',
  ),
  ...candidate('Bob Diaz', '<PreElectionStatus>withdrawn</PreElectionStatus>'),
  object('CandidateSelection', 'write-in', '<IsWriteIn>true</IsWriteIn>'),
  contest(
    'CandidateContest',
    'Mayor',
    'rio',
    '<BallotSelectionIds>{line-Ann Lee} {fusion} {line-Bob Diaz} {write-in}</BallotSelectionIds><SequenceOrder>2</SequenceOrder><VoteVariation>rcv</VoteVariation><NumberElected>1</NumberElected><VotesAllowed>3</VotesAllowed>',
  ),
  object(
    'Candidate',
    'top',
    `${texts('BallotName', 'Cy Ng')}<IsTopTicket>true</IsTopTicket><PartyId>{dem}</PartyId>`,
  ),
  object('Candidate', 'second', texts('BallotName', 'Di Roe')),
  object('CandidateSelection', 'ticket', '<CandidateIds>{second} {top}</CandidateIds>'),
  contest(
    'CandidateContest',
    'President',
    'virginia',
    '<BallotSelectionIds>{ticket}</BallotSelectionIds><SequenceOrder>1</SequenceOrder><OfficeIds>{president}</OfficeIds><VotesAllowed>1</VotesAllowed>',
  ),
  ...candidate('Flo Poe'),
  ...candidate('Gil Rey'),
  contest(
    'CandidateContest',
    'School Board',
    'rio',
    '<BallotSelectionIds>{line-Gil Rey} {line-Flo Poe}</BallotSelectionIds><SequenceOrder>3</SequenceOrder><VoteVariation>n-of-m</VoteVariation><VotesAllowed>2</VotesAllowed>',
  ),
  object('BallotMeasureSelection', 'yes', texts('Selection', 'Yes', 'Sí')),
  object('BallotMeasureSelection', 'no', texts('Selection', 'No')),
  contest(
    'BallotMeasureContest',
    'Question 1',
    'house',
    `<BallotSelectionIds>{yes} {no}</BallotSelectionIds>${texts('BallotTitle', 'Parks bonds', 'Bonos para parques')}${texts('FullText', 'Shall we?', '¿Debemos?')}<SequenceOrder>4</SequenceOrder><Abbreviation>Q1</Abbreviation><InfoUri>www.example.org</InfoUri>`,
  ),
  object('Candidate', 'judge', texts('BallotName', 'Hal Sun')),
  contest(
    'RetentionContest',
    'Retention',
    'virginia',
    '<SequenceOrder>5</SequenceOrder><CandidateId>{judge}</CandidateId>',
  ),
  contest('PartyContest', 'Straight ticket', 'virginia'),
  object('BallotStyle', 'style', ''),
  object('PollingLocation', 'place', '<AddressLine>Court House</AddressLine>'),
];
