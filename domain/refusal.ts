/** The reason for a refused submission: a code for programs and a sentence for people. */
export interface Refusal {
  code:
    | 'unreadable'
    | 'too_large'
    | 'undecodable'
    | 'invalid_submission'
    | 'not_yet_published'
    | 'wrong_key'
    | 'unknown_endorser'
    | 'unknown_contest'
    | 'unknown_choice'
    | 'rank_not_allowed'
    | 'rank_taken'
    | 'event_too_large'
    | 'unstorable'
    | 'defect'
    | 'skipped';
  message: string;
}
