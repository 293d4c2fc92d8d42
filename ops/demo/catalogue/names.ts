import type { Random } from '../random.ts';

const words = (text: string): string[] => text.trim().split(/\s+/);

const FIRST_NAMES = words(`
  Adele Alma Amir Andre Anita Beatriz Ben Bianca Calvin Carla Cedric Chloe Dana Darius Delia Dolores
  Edwin Elena Emeka Esther Felix Fiona Gail Grant Hana Hector Ida Imani Ines Ivan Jamal Joan José
  Kai Keiko Kofi Lena Lucía Malik Marta Miles Nadia Noel Omar Paula Quinn Rosa Ruth Samir Selma
  Tariq Tessa Uma Vera Victor Wanda Wes Ximena Yara Yusuf Zoë`);
const LAST_NAMES = words(`
  Abbott Acosta Adeyemi Baker Barnes Becker Brandt Cardoso Carver Chen Cole Dawson Delgado Dunn
  Eastman Ellis Farrow Fischer Flores Garner Gibbs Greene Hale Harmon Herrera Holt Ibarra Ito
  Jennings Kaplan Keller Khan Lambert Larsen Lindgren Lowe Mercer Molina Moss Nakamura Nash Núñez
  Okafor Olsen Park Pham Pruitt Quintero Ramsey Rivas Roth Salazar Sandoval Shah Sutter Tate Thorne
  Underhill Vargas Voss Walsh Weiss Whitaker Yates O'Dell Zamora`);

/** A person's name from common first and last names. */
export function personName(random: Random): string {
  const middle = random.chance(0.2) ? ` ${String.fromCharCode(65 + random.below(26))}.` : '';
  return `${random.pick(FIRST_NAMES)}${middle} ${random.pick(LAST_NAMES)}`;
}

const PLACE_STARTS = words(`
  Amber Ashen Bramble Briar Copper Corran Dapple Elder Fallow Fennel Gannet Harrow Hazel Hollen
  Juniper Kestrel Lantern Larch Linden Marrow Merrin Nettle Oster Otter Pell Plover Quill Rowan
  Sable Saffron Sorrel Tansy Teal Thistle Umber Vetch Willet Winder Yarrow Zephyr`);
const PLACE_ENDS = words(`
  bourne brook combe crest dale fell ford garth gate haven hollow holt lea marsh mere moor ridge
  shaw stead ton vale watch well wick wold`);
/** The number of places before their names repeat, with a number. */
export const PLACE_COUNT = PLACE_STARTS.length * PLACE_ENDS.length;

/** An invented place. The same number gives the same place, and different numbers give different ones. */
export function placeName(number: number): string {
  // A stride without a common factor visits every pair before a repetition.
  const index = (number * 617) % PLACE_COUNT;
  const start = PLACE_STARTS[index % PLACE_STARTS.length];
  const end = PLACE_ENDS[Math.floor(index / PLACE_STARTS.length)];
  const again = Math.floor(number / PLACE_COUNT);
  return `${start}${end}${again === 0 ? '' : ` ${again + 1}`}`;
}
