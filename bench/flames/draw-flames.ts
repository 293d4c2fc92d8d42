import { parse, type Spec, View } from 'vega';
import { type Flame, ORIGINS, type Origin } from './flame.ts';

/** Flames below this part of the whole are left out. */
const NARROWEST = 0.004;
const WIDTH = 1000;
const ROW_HEIGHT = 17;
const COLOURS = ['#e8833a', '#e8c33a', '#7fb069', '#9aa5b1'];

interface Bar {
  name: string;
  origin: Origin;
  depth: number;
  from: number;
  to: number;
}

function toBars(flame: Flame): Bar[] {
  const bars: Bar[] = [];
  const place = ({ name, origin, value, children }: Flame, depth: number, from: number) => {
    const to = from + value / flame.value;
    if (to - from < NARROWEST) return;
    bars.push({ name, origin, depth, from, to });
    let start = from;
    for (const child of children.toSorted((a, b) => b.value - a.value)) {
      place(child, depth + 1, start);
      start += child.value / flame.value;
    }
  };
  place(flame, 0, 0);
  return bars;
}

/** Draws a flame graph: callers above the functions that they call, as wide as their costs. @returns SVG */
export async function drawFlames(title: string, flame: Flame): Promise<string> {
  const bars = toBars(flame);
  const rows = Math.max(...bars.map(({ depth }) => depth)) + 1;
  const x = (field: 'from' | 'to') => ({ scale: 'x', field });
  const spec: Spec = {
    $schema: 'https://vega.github.io/schema/vega/v6.json',
    title: { text: title, anchor: 'start' },
    width: WIDTH,
    height: rows * ROW_HEIGHT,
    background: 'white',
    padding: 5,
    data: [{ name: 'bars', values: bars }],
    scales: [
      { name: 'x', type: 'linear', domain: [0, 1], range: 'width' },
      { name: 'colour', type: 'ordinal', domain: [...ORIGINS], range: COLOURS },
    ],
    legends: [{ fill: 'colour', orient: 'bottom', direction: 'horizontal' }],
    marks: [
      {
        type: 'rect',
        from: { data: 'bars' },
        encode: {
          enter: {
            x: x('from'),
            x2: x('to'),
            y: { field: 'depth', mult: ROW_HEIGHT },
            height: { value: ROW_HEIGHT - 1 },
            fill: { scale: 'colour', field: 'origin' },
            stroke: { value: 'white' },
            strokeWidth: { value: 0.5 },
          },
        },
      },
      {
        type: 'text',
        from: { data: 'bars' },
        encode: {
          enter: {
            x: { ...x('from'), offset: 3 },
            y: { field: 'depth', mult: ROW_HEIGHT, offset: ROW_HEIGHT / 2 },
            baseline: { value: 'middle' },
            fontSize: { value: 10 },
            // Room for at least three letters.
            text: { signal: `(datum.to - datum.from) * ${WIDTH} < 25 ? '' : datum.name` },
            limit: { signal: `(datum.to - datum.from) * ${WIDTH} - 6` },
          },
        },
      },
    ],
  };
  return new View(parse(spec), { renderer: 'none' }).toSVG();
}
