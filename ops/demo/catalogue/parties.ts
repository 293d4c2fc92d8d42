import type { DemoState } from './states.ts';

/** A party: its word, and its name on the ballot in English and Spanish. */
export type Party = readonly [string, string, string];

export const PARTIES = [
  ['democratic', 'Democratic', 'Demócrata'],
  ['republican', 'Republican', 'Republicano'],
  ['independent', 'No Party Preference', 'Sin preferencia de partido'],
  ['common_ground', 'Common Ground', 'Terreno Común'],
] as const satisfies readonly Party[];

/** The states where several parties may nominate one candidate, with the further lines of the first two candidates. */
export const FUSION_LINES: Partial<Record<DemoState['code'], readonly (readonly Party[])[]>> = {
  CT: [
    [['harbor_and_hill', 'Harbor and Hill', 'Puerto y Colina']],
    [
      ['plain_dealing', 'Plain Dealing', 'Trato Claro'],
      ['town_green', 'Town Green', 'Plaza del Pueblo'],
    ],
  ],
  NY: [
    [
      ['neighbors_first', 'Neighbors First', 'Vecinos Primero'],
      ['night_ferry', 'Night Ferry', 'Transbordador Nocturno'],
    ],
    [['upstate_alliance', 'Upstate Alliance', 'Alianza del Norte']],
  ],
};
