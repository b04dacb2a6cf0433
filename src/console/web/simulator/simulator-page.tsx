import './simulator.css';
import { useEffect, useState } from 'preact/hooks';
import type { PageProps } from '../app/page-props.js';
import { replaceRoute } from '../app/router.js';
import { useText } from '../text/text.js';
import { Button, Card, copyToClipboard, ErrorState, Page, Skeleton } from '../ui/index.js';
import { loadPlanSimulation } from './load-plan-simulation.js';
import { readSimulatorQuery, toSimulatorQuery, type SimulatorInput } from './simulator-input.js';
import { SimulatorForm } from './simulator-form.js';
import { SimulatedWeeks } from './simulated-weeks.js';
import { simulatorText } from './simulator.text.js';

/** Simulates a plan. Its whole input is part of the URL, so that it can be shared as a link. */
export default function SimulatorPage({ query }: PageProps) {
  const text = useText(simulatorText);
  const plan = readSimulatorQuery(query);
  // A new form also discards text that is not valid, which is no part of the plan.
  const [resets, setResets] = useState(0);
  const reset = () => {
    replaceRoute('/simulator');
    setResets(resets + 1);
  };
  const change = (changed: SimulatorInput) => replaceRoute(`/simulator?${toSimulatorQuery(changed)}`);
  const copy = () => {
    replaceRoute(`/simulator?${toSimulatorQuery(plan)}`);
    void copyToClipboard(window.location.href, text.copied);
  };
  return (
    <Page
      title={text.title}
      intro={text.intro}
      actions={
        <>
          <Button onClick={reset}>{text.reset}</Button>
          <Button variant="primary" onClick={copy}>
            {text.copy}
          </Button>
        </>
      }
    >
      <div class="simulator">
        <div class="no-print">
          <Card title={text.settings}>
            <SimulatorForm key={resets} plan={plan} onChange={change} />
          </Card>
        </div>
        <Result plan={plan} onChange={change} />
      </div>
    </Page>
  );
}

function Result({ plan, onChange }: { plan: SimulatorInput; onChange: (plan: SimulatorInput) => void }) {
  const [simulate, setSimulate] = useState<Awaited<ReturnType<typeof loadPlanSimulation>>>();
  const [error, setError] = useState<unknown>();
  const load = () => {
    setError(undefined);
    loadPlanSimulation().then((loaded) => setSimulate(() => loaded), setError);
  };
  useEffect(load, []);
  if (error !== undefined) return <ErrorState error={error} onRetry={load} />;
  if (simulate === undefined) return <Skeleton rows={4} shape="card" />;
  return <SimulatedWeeks plan={plan} weeks={simulate(plan)} onChange={onChange} />;
}
