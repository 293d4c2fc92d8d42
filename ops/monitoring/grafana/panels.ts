/** Builds Grafana dashboards from descriptions of their panels. */
import {
  LegendDisplayMode,
  LegendPlacement,
  TooltipDisplayMode,
  VizLegendOptionsBuilder,
  VizTooltipOptionsBuilder,
} from '@grafana/grafana-foundation-sdk/common';
import { type Dashboard, DashboardBuilder, RowBuilder } from '@grafana/grafana-foundation-sdk/dashboard';
import { DataqueryBuilder } from '@grafana/grafana-foundation-sdk/prometheus';
import { PanelBuilder as StatBuilder } from '@grafana/grafana-foundation-sdk/stat';
import { PanelBuilder as GraphBuilder } from '@grafana/grafana-foundation-sdk/timeseries';

/** The provisioned id of the data source in Grafana. */
const PROMETHEUS = { type: 'prometheus', uid: 'prometheus' };
const PANEL_HEIGHT = 7;
const STAT_HEIGHT = 4;
/** The width of a dashboard, in Grafana's columns. */
const COLUMNS = 24;

/** A query by the legend of its series; `{{label}}` stands for a label's value. */
type Queries = Readonly<Record<string, string>>;

interface Panel {
  title: string;
  unit: string;
  queries: Queries;
  description: string;
  isStat: boolean;
}

/**
 * A panel that shows a graph.
 *
 * @param unit a unit of Grafana's, such as `s`, `bytes`, `reqps`; `short` for a number
 * @param description a sentence about reading the panel
 */
export const panel = (title: string, unit: string, queries: Queries, description = ''): Panel => {
  return { title, unit, queries, description, isStat: false };
};

/** A panel that shows the current numbers. */
export const stat = (...parts: Parameters<typeof panel>): Panel => ({ ...panel(...parts), isStat: true });

export interface DashboardContent {
  /** The name of its file, and the end of its address in Grafana. */
  name: string;
  title: string;
  description: string;
  /** The panels of each row, by its title. */
  rows: Readonly<Record<string, readonly Panel[]>>;
}

function buildGraph(): GraphBuilder {
  const legend = new VizLegendOptionsBuilder()
    .showLegend(true)
    .displayMode(LegendDisplayMode.List)
    .placement(LegendPlacement.Bottom);
  const tooltip = new VizTooltipOptionsBuilder().mode(TooltipDisplayMode.Multi);
  return new GraphBuilder().height(PANEL_HEIGHT).min(0).legend(legend).tooltip(tooltip);
}

function buildPanel({ title, description, unit, queries, isStat }: Panel, span: number, id: number) {
  const built = isStat ? new StatBuilder().height(STAT_HEIGHT) : buildGraph();
  built.id(id).title(title).description(description).unit(unit).span(span).datasource(PROMETHEUS);
  for (const [index, [legend, expr]] of Object.entries(queries).entries()) {
    const query = new DataqueryBuilder()
      .refId(String.fromCharCode(65 + index))
      .expr(expr)
      .legendFormat(legend);
    built.withTarget(isStat ? query.instant() : query.range());
  }
  return built;
}

/** Builds a dashboard; the panels of a row, one to four, share its width. */
export function buildDashboard({ name, title, description, rows }: DashboardContent): Dashboard {
  const builder = new DashboardBuilder(title)
    .uid(`ballot-endorsements-${name}`)
    .description(description)
    .tags(['ballot-endorsements'])
    .refresh('30s')
    .time({ from: 'now-3h', to: 'now' })
    .timezone('browser')
    .readonly();
  let id = 0;
  for (const [rowTitle, panels] of Object.entries(rows)) {
    id += 1;
    builder.withRow(new RowBuilder(rowTitle).id(id));
    for (const each of panels) {
      id += 1;
      builder.withPanel(buildPanel(each, COLUMNS / panels.length, id));
    }
  }
  return builder.build();
}
