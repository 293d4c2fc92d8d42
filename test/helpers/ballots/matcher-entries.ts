/** Elections, contests and choices as the matcher of tables gets them. */
import type { ChoiceEntry, ContestEntry } from '../../../intake/matching/catalogue-index.ts';

export const election = {
  ...{ slug: 'ca-2026-11-03-general', name: 'California general 2026', short_name: null },
  ...{ date: '2026-11-03', type: 'general' as const, state: 'CA', state_name: 'California' },
};

export const choice = (key: string, label: string, more: Partial<ChoiceEntry> = {}): ChoiceEntry => ({
  ...{ key, label, measure_answer: null, candidate: label, full_name: label },
  ...{ party: null, party_label: null, withdrawn: false },
  ...more,
});

export const YES_NO = (['yes', 'no'] as const).map((answer) =>
  choice(answer, answer === 'yes' ? 'Yes' : 'No', {
    measure_answer: answer,
    candidate: null,
    full_name: null,
  }),
);

export const contest = (
  slug: string,
  title: string,
  choices: ChoiceEntry[],
  more: Partial<ContestEntry> = {},
): ContestEntry => ({
  ...{
    key: `${election.slug}/${slug}`,
    title,
    short_title: title,
    kind: 'candidate',
    vote_method: 'plurality',
  },
  ...{ measure_code: null, district: { ocd_id: null, name: 'California' } },
  ...{ choices, ...more },
});
