/**
 * The parts of a Voting Information Project feed that the catalogue needs, by the names of its schema. The ballot part is
 * the same in the versions 5.1, 5.2 and 6.0.
 */

/** How a field is read: its text, texts by language, external identifiers, or the type of a term. */
type FieldForm = 'value' | 'texts' | 'identifiers' | 'term';
type Fields = Readonly<Record<string, FieldForm>>;

const CONTEST: Fields = {
  Abbreviation: 'value',
  BallotSelectionIds: 'value',
  BallotSubTitle: 'texts',
  BallotTitle: 'texts',
  ElectoralDistrictId: 'value',
  Name: 'value',
  SequenceOrder: 'value',
  VoteVariation: 'value',
};
const MEASURE: Fields = { ...CONTEST, FullText: 'texts', SummaryText: 'texts', InfoUri: 'value' };

/** The kept objects, and their kept fields. All others are only counted. */
export const KEPT: Readonly<Record<string, Fields>> = {
  Source: { Name: 'value' },
  Election: { Date: 'value', ElectionType: 'texts', Name: 'texts', StateId: 'value' },
  State: { Name: 'value', ExternalIdentifiers: 'identifiers' },
  Locality: { Name: 'value' },
  ElectoralDistrict: {
    ExternalIdentifiers: 'identifiers',
    Name: 'value',
    Type: 'value',
    OtherType: 'value',
  },
  Office: { Name: 'texts', Term: 'term' },
  Party: { Abbreviation: 'texts', Name: 'texts' },
  Person: { FirstName: 'value', LastName: 'value', FullName: 'texts' },
  Candidate: {
    BallotName: 'texts',
    IsIncumbent: 'value',
    IsTopTicket: 'value',
    PartyId: 'value',
    PersonId: 'value',
    PreElectionStatus: 'value',
    PostElectionStatus: 'value',
  },
  CandidateSelection: {
    SequenceOrder: 'value',
    CandidateIds: 'value',
    EndorsementPartyIds: 'value',
    IsWriteIn: 'value',
  },
  BallotMeasureSelection: { SequenceOrder: 'value', Selection: 'texts' },
  CandidateContest: {
    ...CONTEST,
    NumberElected: 'value',
    OfficeIds: 'value',
    PrimaryPartyIds: 'value',
    VotesAllowed: 'value',
  },
  BallotMeasureContest: MEASURE,
  RetentionContest: { ...MEASURE, CandidateId: 'value', OfficeId: 'value' },
  OrderedContest: { ContestId: 'value', OrderedBallotSelectionIds: 'value' },
  BallotStyle: { OrderedContestIds: 'value' },
};

/** The objects for which the catalogue has no place, in words. Objects of other names are told by their name. */
export const NO_PLACE: Readonly<Record<string, string>> = {
  PartyContest: 'contests of parties',
  PartySelection: 'choices of parties',
  PollingLocation: 'polling places',
  StreetSegment: 'street segments',
  Precinct: 'precincts',
  HoursOpen: 'opening hours',
  ElectionAdministration: 'election offices',
  ExternalFile: 'external files',
};

/** A text by language. */
export interface Texts {
  en?: string;
  es?: string;
  /** The first text in another language. */
  other?: string;
}

/** An object of the feed with its kept fields. */
export interface VipObject {
  type: string;
  id: string;
  /** The line at which it begins, from 1. */
  line: number;
  values: Record<string, string>;
  texts: Record<string, Texts>;
  /** The values of its external identifiers. */
  identifiers: string[];
}
