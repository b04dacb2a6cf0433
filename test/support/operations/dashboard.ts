import { readFileSync } from 'node:fs';

/** A query in a panel: its PromQL expression, and the labels that its legend shows. */
type DashboardQuery = { panel: string; expression: string; legendLabels: readonly string[] };

type Panel = { title: string; targets?: { expr: string; legendFormat: string }[] };

/**
 * Returns the queries of the Grafana dashboard, and the query of its variable. Grafana's own variables are replaced
 * with values.
 */
export function readDashboardQueries(): DashboardQuery[] {
  const { panels, templating } = JSON.parse(readFileSync('monitoring/dashboard.json', 'utf8')) as {
    panels: Panel[];
    templating: { list: { name: string; query: string | { query: string } }[] };
  };
  const ofPanels = panels.flatMap(({ title, targets = [] }) =>
    targets.map(({ expr, legendFormat }) => ({
      panel: title,
      expression: expr.replaceAll('$__rate_interval', '5m'),
      legendLabels: [...legendFormat.matchAll(/\{\{(\w+)\}\}/g)].map(([, label]) => label!),
    })),
  );
  const ofVariables = templating.list.flatMap(({ name, query }) => {
    const [, metric, label] = /^label_values\((\w+), (\w+)\)$/.exec(typeof query === 'string' ? '' : query.query) ?? [];
    return metric === undefined ? [] : [{ panel: `$${name}`, expression: metric, legendLabels: [label!] }];
  });
  return [...ofPanels, ...ofVariables];
}
