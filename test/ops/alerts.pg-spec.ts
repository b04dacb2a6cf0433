import { readFileSync } from 'node:fs';
import {
  parseExpression,
  readAlertRules,
  readAlertRuleTests,
  type AlertRule,
} from '../support/operations/alert-rules.js';
import { parseSamples, type MetricSample } from '../support/operations/metrics.js';
import { TestApp } from '../support/app/test-app.js';

/*
 * Checks that all metrics, labels and values in the alert rules exist, because a rule with a renamed metric never fires.
 * promtool tests that the rules fire (npm run test:alerts).
 */

/** Names that Prometheus adds. */
const UP = 'up';
const OF_PROMETHEUS = ['instance', 'job'];

let samples: MetricSample[];
beforeAll(async () => {
  const app = await TestApp.start();
  try {
    // Without a request, there is no sample.
    expect((await app.call('GET', '/health/ready')).status).toBe(200);
    samples = parseSamples((await app.call('GET', '/metrics')).text);
  } finally {
    await app.stop();
  }
});

const rules = readAlertRules();
const tests = readAlertRuleTests().flatMap((test) => test.alert_rule_test);
const headings = [...readFileSync('docs/runbooks.md', 'utf8').matchAll(/^## (\w+)$/gm)].map(([, heading]) => heading);

describe.each(rules.map((rule): [string, AlertRule] => [rule.alert, rule]))(
  '%s',
  (alert, { expr, labels, annotations }) => {
    it('uses existing metrics and labels only', () => {
      const { selectors, labels: named } = parseExpression(expr);
      expect(selectors).not.toEqual([]);
      for (const { metric, matchers } of selectors.filter((selector) => selector.metric !== UP)) {
        const own = samples.filter(({ name }) => name === metric);
        expect([metric, own.length > 0]).toEqual([metric, true]);
        for (const { label, operator, value } of matchers) {
          const values = own.map((sample) => sample.labels[label]);
          expect([metric, label, values]).toEqual([metric, label, expect.arrayContaining([expect.any(String)])]);
          // Excluded values must exist, too. Statuses of 5xx need not exist.
          if (operator === '=' || operator === '!=')
            expect([metric, label, values]).toContainEqual(expect.arrayContaining([value]));
        }
      }
      const known = new Set([...OF_PROMETHEUS, ...samples.flatMap((sample) => Object.keys(sample.labels))]);
      expect(named.filter((label) => !known.has(label))).toEqual([]);
    });

    it('has a severity, a summary, a description and an existing runbook', () => {
      expect(['critical', 'warning']).toContain(labels['severity']);
      expect(annotations.summary).toMatch(/\S/);
      expect(annotations.description).toMatch(/\.$/);
      expect(headings).toContain(alert);
      expect(annotations.runbook_url).toBe(`docs/runbooks.md#${alert.toLowerCase()}`);
    });

    it('has a test in which it fires, and one in which it does not fire', () => {
      const expected = tests.filter(({ alertname }) => alertname === alert).map((test) => test.exp_alerts.length > 0);
      expect([...new Set(expected)].sort()).toEqual([false, true]);
    });
  },
);

it('each runbook belongs to an alert', () => {
  expect(headings).toEqual(rules.map(({ alert }) => alert));
});
