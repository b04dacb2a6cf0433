import { parser } from '@prometheus-io/lezer-promql';
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';

export type AlertRule = {
  alert: string;
  expr: string;
  labels: Record<string, string>;
  annotations: Record<'summary' | 'description' | 'runbook_url', string>;
};
/** A selector in an expression, such as `name{label="value"}`. */
type MetricSelector = { metric: string; matchers: { label: string; operator: string; value: string }[] };
type AlertRuleTest = { alert_rule_test: { alertname: string; exp_alerts: unknown[] }[] };

export function readAlertRules(): AlertRule[] {
  const { groups } = parse(readFileSync('monitoring/alerts.yml', 'utf8')) as { groups: { rules: AlertRule[] }[] };
  return groups.flatMap(({ rules }) => rules);
}

/** A rule of Alertmanager: while a source fires, the targets are not sent. */
export type InhibitRule = { sources: string[]; targets: string[]; isPerInstance: boolean };

/** Reads the names of the alerts in the inhibit rules of the example for Alertmanager. */
export function readInhibitRules(): InhibitRule[] {
  const { inhibit_rules: rules } = parse(readFileSync('monitoring/alertmanager.yml', 'utf8')) as {
    inhibit_rules: { source_matchers: string[]; target_matchers: string[]; equal?: string[] }[];
  };
  const toNames = (matchers: string[]) =>
    matchers.flatMap((matcher) => /^alertname=~"(.+)"$/.exec(matcher)![1]!.split('|'));
  return rules.map(({ source_matchers, target_matchers, equal = [] }) => ({
    sources: toNames(source_matchers),
    targets: toNames(target_matchers),
    isPerInstance: equal.includes('instance'),
  }));
}

export function readAlertRuleTests(): AlertRuleTest[] {
  return (parse(readFileSync('monitoring/alerts.test.yml', 'utf8')) as { tests: AlertRuleTest[] }).tests;
}

/**
 * Returns the metric selectors and label names in a PromQL expression.
 *
 * @throws Error if the syntax is wrong
 */
export function parseExpression(expression: string): { selectors: MetricSelector[]; labels: string[] } {
  const [selectors, labels]: [MetricSelector[], string[]] = [[], []];
  const textOf = ({ from, to }: { from: number; to: number }) => expression.slice(from, to);
  parser.parse(expression).iterate({
    enter: (node) => {
      if (node.type.isError) throw new Error(`Not PromQL at ${node.from}: ${expression}`);
      if (node.name === 'VectorSelector') selectors.push({ metric: textOf(node.node.firstChild!), matchers: [] });
      if (node.name === 'LabelName') labels.push(textOf(node));
      if (node.name === 'UnquotedLabelMatcher') {
        const [label, operator, value] = childrenOf(node.node).map(textOf) as [string, string, string];
        selectors.at(-1)!.matchers.push({ label, operator, value: value.slice(1, -1) });
      }
    },
  });
  return { selectors, labels };
}

type Node = NonNullable<ReturnType<typeof parser.parse>['topNode']['firstChild']>;

function childrenOf(node: Node): Node[] {
  const children: Node[] = [];
  for (let child = node.firstChild; child !== null; child = child.nextSibling) children.push(child);
  return children;
}
