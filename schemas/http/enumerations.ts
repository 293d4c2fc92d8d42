import { ERROR_STATUS, type ErrorCode } from '../errors.ts';
import {
  CHANGE_TYPES,
  CONTEST_KINDS,
  ELECTION_TYPES,
  ENDORSER_STATES,
  LANGUAGES,
  LEVELS,
  PRIMARY_SYSTEMS,
  STATE_CODES,
  VOTE_METHODS,
} from '../vocabulary.ts';
import { enumeration } from './fields.ts';

/* The closed sets of words in parameters and records. Each is a component. */

export const stateCode = enumeration(
  'StateCode',
  'The USPS code of a state, of the District of Columbia or of a territory.',
  STATE_CODES,
);

export const endorserState = enumeration(
  'EndorserState',
  'The home state of an endorser: a USPS code, or `national` for endorsers that work nationwide.',
  ENDORSER_STATES,
);

export const electionType = enumeration('ElectionType', 'The type of an election.', ELECTION_TYPES);

export const primarySystem = enumeration(
  'PrimarySystem',
  'The voters that may take part in a primary election; `none` if the election is not a primary.',
  PRIMARY_SYSTEMS,
);

export const level = enumeration('Level', 'The level of government of a district.', LEVELS);

export const contestKind = enumeration(
  'ContestKind',
  'The subject of a contest: an office (`candidate`), a question (`measure`), or whether a judge stays in office ' +
    '(`retention`).',
  CONTEST_KINDS,
);

export const voteMethod = enumeration(
  'VoteMethod',
  '`plurality`: vote for one. `multi_seat`: vote for up to `votes_allowed`. `ranked_choice`: rank up to ' +
    '`ranks_allowed`. `approval`: vote for any number. `yes_no`: measures and judicial retention.',
  VOTE_METHODS,
);

export const measureAnswer = enumeration(
  'MeasureAnswer',
  'The answer to a measure, or to the retention of a judge, for which a choice stands.',
  ['yes', 'no'],
);

export const changeType = enumeration('ChangeType', 'The type of a change of an endorsement.', CHANGE_TYPES);

export const language = enumeration('Language', 'A language of ballot text.', LANGUAGES);

const errorCodes = Object.keys(ERROR_STATUS) as ErrorCode[];

export const errorCode = enumeration(
  'ErrorCode',
  'The code of an error, for programs. Each code belongs to one status.',
  errorCodes,
);

/** Only requests that publish, or write webhooks, are refused with these. */
const CODES_OF_WRITES: readonly ErrorCode[] = [
  'invalid_submission',
  'endorser_not_allowed',
  'invalid_webhook',
];

/** The codes of a stream that fails. Clients of the stream know no others. */
export const streamErrorCode = enumeration(
  'StreamErrorCode',
  'The code of an error that ends a stream, for programs.',
  errorCodes.filter((code) => !CODES_OF_WRITES.includes(code)),
);
