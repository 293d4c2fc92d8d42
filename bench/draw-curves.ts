import { parse, View } from 'vega';
import { compile, type TopLevelSpec } from 'vega-lite';
import { quantile } from './statistics.ts';

/** A point of a curve: the measurements of several rounds at one value of the axis. */
export interface CurvePoint {
  series: string;
  x: number;
  values: readonly number[];
}

/** Curves in one plot. */
export interface CurveGroup {
  title: string;
  /** The names of the axes, with their units. */
  x: string;
  y: string;
  points: CurvePoint[];
}

/** Draws curves through the medians, with a bar from the lowest to the highest value at each point. @returns SVG */
export async function drawCurves({ title, x, y, points }: CurveGroup): Promise<string> {
  const rows = points.map(({ series, x: place, values }) => {
    const sorted = values.toSorted((a, b) => a - b);
    return { series, x: place, median: quantile(sorted, 0.5), low: sorted[0], high: sorted.at(-1) };
  });
  const scale = { type: 'log' } as const;
  const spec: TopLevelSpec = {
    $schema: 'https://vega.github.io/schema/vega-lite/v6.json',
    title,
    width: 520,
    height: 280,
    background: 'white',
    data: { values: rows },
    encoding: {
      x: { field: 'x', type: 'quantitative', title: x, scale: { type: 'log' } },
      color: {
        field: 'series',
        type: 'nominal',
        title: null,
        sort: null,
        legend: { orient: 'bottom', columns: 2, labelLimit: 240 },
      },
    },
    layer: [
      { mark: 'rule', encoding: { y: { field: 'low', type: 'quantitative', scale }, y2: { field: 'high' } } },
      {
        mark: { type: 'line', point: true },
        encoding: { y: { field: 'median', type: 'quantitative', title: y, scale } },
      },
    ],
  };
  return new View(parse(compile(spec).spec), { renderer: 'none' }).toSVG();
}
