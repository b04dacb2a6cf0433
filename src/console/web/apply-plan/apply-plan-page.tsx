import './apply-plan.css';
import { useEffect, useRef, useState } from 'preact/hooks';
import { LeaveConfirmation } from '../app/leave-confirmation.js';
import type { PageProps } from '../app/page-props.js';
import { navigate, replaceRoute } from '../app/router.js';
import { useClient } from '../client-record/client-record-data.js';
import { createIdempotencyKey } from '../data/idempotency-key.js';
import { isClinicSignedIn } from '../data/staff-api.js';
import { toFieldErrors } from '../data/problems.js';
import { useWhileMounted } from '../data/use-while-mounted.js';
import { createInitialSessionTimes } from '../session-form/session-times.js';
import { getDeviceZone } from '../session-form/zone-offset.js';
import { useText } from '../text/text.js';
import { getToday } from '../ui/time/clock.js';
import { Icon, Page } from '../ui/index.js';
import { applyPlanText } from './apply-plan.text.js';
import { ClientAndTimesStep } from './client-and-times-step.js';
import { chooseStepToShow, hasEntries, readId, toStepRoute, type ApplyPlanDraft, type ApplyPlanStep } from './draft.js';
import { PlanStep } from './plan-step.js';
import { PreviewStep } from './preview-step.js';

const STEPS = [1, 2, 3] as const;

/** Applies a Design Plan in three steps. The step is part of the URL, so the browser's back button works. */
export default function ApplyPlanPage({ query }: PageProps) {
  const text = useText(applyPlanText);
  const [initial] = useState(() => createInitialDraft(query));
  const [draft, setDraft] = useState(initial);
  const [idempotencyKey] = useState(createIdempotencyKey);
  const [failure, setFailure] = useState<unknown>();
  const client = useClient(draft.clientId ?? 0, draft.clientId !== undefined);
  const step = chooseStepToShow(query.get('step') ?? '1', draft, isClinicSignedIn());
  const change = (part: Partial<ApplyPlanDraft>) => {
    setFailure(undefined);
    setDraft({ ...draft, ...part });
  };
  const go = (next: ApplyPlanStep) => navigate(toStepRoute(next, draft));
  // The user may be on another page by now, with changes that are not saved.
  const openSeries = useWhileMounted((id: string) => replaceRoute(`/client/${draft.clientId}?series=${id}`));
  const clientZone = client.data?.timeZone ?? null;
  const errors = toFieldErrors(failure);
  return (
    <Page title={text.title} intro={text.intro}>
      <Steps current={step} />
      <StepHeading key={step} step={step} />
      {step === 1 && <PlanStep draft={draft} errors={errors} onChange={change} onNext={() => go(2)} />}
      {step === 2 && (
        <ClientAndTimesStep
          {...{ draft, errors, clientZone }}
          onChange={change}
          onBack={() => go(1)}
          onNext={() => go(3)}
        />
      )}
      {step === 3 && (
        <PreviewStep
          {...{ draft, client, clientZone, idempotencyKey }}
          onError={setFailure}
          onStep={go}
          onCreated={openSeries}
        />
      )}
      <LeaveConfirmation isActive={hasEntries(draft, initial)} title={text.leaveTitle}>
        {text.leaveText}
      </LeaveConfirmation>
    </Page>
  );
}

const createInitialDraft = (query: URLSearchParams): ApplyPlanDraft => ({
  planId: readId(query.get('plan')),
  clientId: readId(query.get('client')),
  caregiverId: undefined,
  when: createInitialSessionTimes(getToday(getDeviceZone())),
});

function Steps({ current }: { current: ApplyPlanStep }) {
  const text = useText(applyPlanText);
  return (
    <ol class="apply-plan-steps">
      {STEPS.map((step) => (
        <li
          key={step}
          class={step < current ? 'apply-plan-step apply-plan-step-done' : 'apply-plan-step'}
          aria-current={step === current ? 'step' : undefined}
        >
          <span class="apply-plan-number">{step < current ? <Icon name="check" size={16} /> : step}</span>
          <span>{text.steps[step]}</span>
        </li>
      ))}
    </ol>
  );
}

/** The heading of a step. It gets the focus when the step is opened, so that screen readers start there. */
function StepHeading({ step }: { step: ApplyPlanStep }) {
  const text = useText(applyPlanText);
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (step > 1 || document.activeElement === document.body) heading.current?.focus({ preventScroll: true });
    if (step > 1) window.scrollTo(0, 0);
  }, []);
  return (
    <h2 ref={heading} tabIndex={-1} class="visually-hidden">
      {text.stepOf(step)}: {text.steps[step]}
    </h2>
  );
}
