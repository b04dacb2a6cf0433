import { readFileSync } from 'node:fs';
import { readDashboardQueries } from '../support/operations/dashboard.js';
import {
  parseExpression,
  readAlertRules,
  readAlertRuleTests,
  readInhibitRules,
  type AlertRule,
} from '../support/operations/alert-rules.js';
import { parseSamples, type MetricSample } from '../support/operations/metrics.js';
import { createTestKeys } from '../support/app/test-keys.js';
import { TestApp, waitFor } from '../support/app/test-app.js';
import { ReplicatedDatabase } from '../support/database/replicated-database.js';
import { VaultServer } from '../support/http/vault-server.js';

/*
 * Checks that all metrics, labels and values in the alert rules and the dashboard exist, because a rule with a renamed
 * metric never fires, and its panel stays empty. promtool tests that the rules fire (npm run test:alerts). The service
 * has a replica and Vault, because their metrics have no samples without them.
 */

/** Metrics and labels that Prometheus itself adds. */
const UP = 'up';
/** Metrics that the dashboard does not show: they only tell that an instance is new or down. */
const WITHOUT_PANEL = [UP, 'process_start_time_seconds'];
const OF_PROMETHEUS = ['instance', 'job'];
const OF_THIS_SERVICE = { label: 'job', operator: '=', value: 'care-scheduling' };
/** Metrics that have samples only after a garbage collection, a measurement of the replica, or a look at the token. */
const ARRIVING_LATER = [
  'nodejs_gc_duration_seconds_sum',
  'scheduling_replica_lag_seconds',
  'scheduling_vault_token_expiry_timestamp_seconds',
];

const VAULT_TOKEN = 'hvs.CAESIAlertsTestOnlyToken';

let samples: MetricSample[];
beforeAll(async () => {
  const servers = await ReplicatedDatabase.start();
  const vault = await VaultServer.start(VAULT_TOKEN);
  vault.tokens.set(VAULT_TOKEN, { ttl: 3_600, creationTtl: 3_600, renewable: true });
  const app = await TestApp.start({
    database: servers.toEnvironment(Temporal.Duration.from('PT10S')),
    encryption: withVault(vault.url),
  });
  try {
    // Request metrics have samples only after a request.
    expect((await app.call('GET', '/health/ready')).status).toBe(200);
    await waitFor(async () => {
      Array.from({ length: 200_000 }, () => ({}));
      samples = parseSamples((await app.call('GET', '/metrics')).text);
      const names = samples.map(({ name }) => name);
      return ARRIVING_LATER.every((name) => names.includes(name));
    });
  } finally {
    await app.stop();
    await servers.stop();
    await vault.close();
  }
  // Two servers are started, which takes long on a busy machine.
});

function withVault(address: string): TestApp['environment']['encryption'] {
  const { keys } = createTestKeys();
  if (keys?.kind !== 'configured') throw new Error('This test needs keys');
  const token = { kind: 'value', value: VAULT_TOKEN } as const;
  const vault = { address, namespace: undefined, mount: 'transit', key: 'care-scheduling', token };
  return { encrypts: true, keys: { kind: 'configured', directory: keys.directory, vault, active: 'vault' } };
}

function expectExistingMetrics(expression: string): void {
  const { selectors, labels: named } = parseExpression(expression);
  expect(selectors).not.toEqual([]);
  for (const { metric, matchers } of selectors.filter((selector) => selector.metric !== UP)) {
    // Other services that the same Prometheus scrapes have metrics of these names.
    if (!metric.startsWith('scheduling_'))
      expect([metric, matchers]).toEqual([metric, expect.arrayContaining([OF_THIS_SERVICE])]);
    const own = samples.filter(({ name }) => name === metric);
    expect([metric, own.length > 0]).toEqual([metric, true]);
    for (const { label, operator, value } of matchers.filter((matcher) => !OF_PROMETHEUS.includes(matcher.label))) {
      const values = own.map((sample) => sample.labels[label]);
      expect([metric, label, values]).toEqual([metric, label, expect.arrayContaining([expect.any(String)])]);
      // Values that a rule excludes must exist as well. 5xx statuses need not occur.
      if (operator === '=' || operator === '!=')
        expect([metric, label, values]).toContainEqual(expect.arrayContaining([value]));
    }
  }
  expectExistingLabels(named);
}

function expectExistingLabels(labels: readonly string[]): void {
  const known = new Set([...OF_PROMETHEUS, ...samples.flatMap((sample) => Object.keys(sample.labels))]);
  expect(labels.filter((label) => !known.has(label))).toEqual([]);
}

const rules = readAlertRules();
const tests = readAlertRuleTests().flatMap((test) => test.alert_rule_test);
const headings = [...readFileSync('docs/runbooks.md', 'utf8').matchAll(/^## (\w+)$/gm)].map(([, heading]) => heading);

describe.each(rules.map((rule): [string, AlertRule] => [rule.alert, rule]))(
  '%s',
  (alert, { expr, labels, annotations }) => {
    it('uses existing metrics and labels only', () => expectExistingMetrics(expr));

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

describe('the dashboard', () => {
  const queries = readDashboardQueries();

  it.each(queries.map(({ panel, expression, legendLabels }) => [panel, expression, legendLabels] as const))(
    '%s: %s',
    (_, expression, legendLabels) => {
      expectExistingMetrics(expression);
      // A legend can contain only labels that the query keeps.
      const { labels } = parseExpression(expression);
      if (/\bby \(/.test(expression)) expect(labels).toEqual(expect.arrayContaining([...legendLabels]));
      else expectExistingLabels(legendLabels);
    },
  );

  it('shows the share of errors that HighErrorRate compares with its limit', () => {
    const shown = queries.find(({ panel }) => panel === 'Errors')!.expression.replaceAll(',instance=~"$instance"', '');
    expect(rules.find(({ alert }) => alert === 'HighErrorRate')!.expr).toBe(`${shown} > 0.01`);
  });

  it('shows every metric of an alert', () => {
    const shown = queries.flatMap(({ expression }) =>
      parseExpression(expression).selectors.map(({ metric }) => metric),
    );
    const alerting = rules.flatMap(({ expr }) => parseExpression(expr).selectors.map(({ metric }) => metric));
    expect(
      [...new Set(alerting)].filter((metric) => !WITHOUT_PANEL.includes(metric) && !shown.includes(metric)),
    ).toEqual([]);
  });
});

it('each runbook belongs to an alert', () => {
  expect(headings).toEqual(rules.map(({ alert }) => alert));
});

describe.each(readInhibitRules().map((rule) => [rule.sources.join(), rule] as const))(
  '%s in Alertmanager',
  (_, { sources, targets, isPerInstance }) => {
    const named = (names: string[]) => rules.filter(({ alert }) => names.includes(alert));
    const hasInstance = ({ annotations }: AlertRule) => Object.values(annotations).join().includes('$labels.instance');

    it('suppresses existing alerts only', () => {
      expect(named(sources)).toHaveLength(sources.length);
      expect(named(targets)).toHaveLength(targets.length);
    });

    it('compares instances if the suppressed alerts have one', () => {
      expect(named(targets).map(hasInstance)).toEqual(targets.map(() => isPerInstance));
      if (isPerInstance) expect(named(sources).map(hasInstance)).toEqual(sources.map(() => true));
    });
  },
);
