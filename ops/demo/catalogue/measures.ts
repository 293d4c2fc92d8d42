import type { Random } from '../random.ts';
import type { Bilingual } from './slots.ts';

/** A question on the ballot, in English and Spanish. */
export interface Question {
  title: Bilingual;
  text: Bilingual;
  details?: Record<string, unknown>;
}

const dollars = (millions: number) => `$${millions.toLocaleString('en-US')},000,000`;

/** Questions to a place, which is masculine in Spanish and has no article; `millions` is the amount of money. */
const MEASURES: readonly ((place: Bilingual, millions: number) => Question)[] = [
  ([place, lugar], millions) => ({
    title: ['School repair and safety bonds', 'Bonos para reparar escuelas'],
    text: [
      `Shall ${place} repair leaking roofs, replace failing heating systems and make classrooms accessible by issuing ${dollars(millions)} in bonds at legal rates, repaid by an estimated $38 per $100,000 of assessed value a year for 30 years, with annual independent audits and no money for administrators' salaries?`,
      `¿Debe el ${lugar} reparar techos con goteras, reemplazar sistemas de calefacción averiados y hacer accesibles las aulas mediante la emisión de ${dollars(millions)} en bonos a tasas legales, pagados con un estimado de $38 por cada $100,000 de valor catastral al año durante 30 años, con auditorías independientes anuales y sin dinero para salarios administrativos?`,
    ],
    details: { amount: millions * 1_000_000, vote_required: '55%' },
  }),
  ([place, lugar], millions) => ({
    title: ['Sales tax for roads and transit', 'Impuesto sobre las ventas para calles y transporte'],
    text: [
      `Shall ${place} repave streets, fill potholes and run buses more often by enacting a half-cent sales tax for 20 years, providing about ${dollars(millions)} a year, with a citizens' oversight committee and all spending published?`,
      `¿Debe el ${lugar} repavimentar calles, tapar baches y aumentar la frecuencia de los autobuses mediante un impuesto sobre las ventas de medio centavo durante 20 años, que aporte unos ${dollars(millions)} al año, con un comité de supervisión ciudadana y la publicación de todos los gastos?`,
    ],
    details: { amount: millions * 1_000_000, vote_required: '66.67%' },
  }),
  ([place, lugar]) => ({
    title: ['Charter amendment: ranked-choice voting', 'Enmienda a la carta: voto por orden de preferencia'],
    text: [
      `Shall the charter of ${place} be amended so that voters rank candidates for local offices in order of preference, beginning with the second regular election after adoption?`,
      `¿Debe enmendarse la carta del ${lugar} para que los votantes ordenen por preferencia a los candidatos a cargos locales, a partir de la segunda elección ordinaria después de su adopción?`,
    ],
    details: { majority_required: true },
  }),
  ([place, lugar], millions) => ({
    title: ['Clean water and wildfire prevention bonds', 'Bonos para agua limpia y prevención de incendios'],
    text: [
      `Authorizes ${dollars(millions)} in general obligation bonds for ${place} to replace lead pipes, restore watersheds and clear brush near homes. Fiscal impact: repayment of about ${dollars(Math.max(1, Math.round(millions / 16)))} a year for 25 years from the general fund.`,
      `Autoriza ${dollars(millions)} en bonos de obligación general para que el ${lugar} reemplace tuberías de plomo, restaure cuencas y despeje maleza cerca de las viviendas. Impacto fiscal: pagos de unos ${dollars(Math.max(1, Math.round(millions / 16)))} al año durante 25 años con cargo al fondo general.`,
    ],
    details: { amount: millions * 1_000_000, majority_required: true },
  }),
  ([place, lugar]) => ({
    title: ['Term limits for elected officials', 'Límites de mandato para cargos electos'],
    text: [
      `Shall elected officials of ${place} be limited to three consecutive terms of four years, counting only terms that begin after this measure takes effect?`,
      `¿Deben los cargos electos del ${lugar} limitarse a tres mandatos consecutivos de cuatro años, contando solo los que comiencen después de que esta medida entre en vigor?`,
    ],
    details: { majority_required: true },
  }),
  ([place, lugar], millions) => ({
    title: ['Parcel tax renewal for fire protection', 'Renovación del impuesto predial para bomberos'],
    text: [
      `Without raising the rate, shall ${place} continue its parcel tax of $89 a year to keep fire stations open and ambulances staffed, raising about ${dollars(millions)} a year until ended by voters, with exemptions for seniors of low income?`,
      `Sin aumentar la tasa, ¿debe el ${lugar} continuar su impuesto predial de $89 al año para mantener abiertas las estaciones de bomberos y con personal las ambulancias, recaudando unos ${dollars(millions)} al año hasta que los votantes lo terminen, con exenciones para personas mayores de bajos ingresos?`,
    ],
    details: { amount: millions * 1_000_000, vote_required: '66.67%' },
  }),
];

/** A measure for the place. */
export function measureFor(place: Bilingual, random: Random): Question {
  const millions = 2 + random.below(40) * (random.chance(0.3) ? 100 : 3);
  return random.pick(MEASURES)(place, millions);
}

/** The question whether a judge stays. */
export function retentionOf(name: string): Question {
  return {
    title: [name, name],
    text: [
      `Shall ${name} be retained as a justice of the Supreme Court for another term?`,
      `¿Debe ${name} permanecer en la Corte Suprema por otro mandato?`,
    ],
  };
}
