import { isProblem, type SeriesChange } from '@care-scheduling/client';
import type { UseQueryResult } from '@tanstack/preact-query';
import { useEffect } from 'preact/hooks';
import type { StaffClientView } from '../client-record/client-record-data.js';
import { PlannedSessions } from '../client-record/dry-run/planned-sessions.js';
import { OverlapAndWarningSummary } from '../client-record/dry-run/overlap-and-warning-summary.js';
import { scheduleChangeText } from '../client-record/dry-run/schedule-change.text.js';
import { isConnectionProblem, toFieldErrors } from '../data/problems.js';
import { CreationProblemNotice } from '../session-form/creation-problem-notice.js';
import { useText } from '../text/text.js';
import { Button, ErrorState, Notice, QueryView, RefusalNotice, Skeleton, useCanAnswer } from '../ui/index.js';
import { useApplyDryRun, useApplyPlan, useBookTitles, useDesignPlan } from './apply-plan-data.js';
import { applyPlanText } from './apply-plan.text.js';
import { findFirstStepWithError, type ApplyPlanDraft, type ApplyPlanStep } from './draft.js';

type PreviewStepProps = {
  draft: ApplyPlanDraft;
  client: UseQueryResult<StaffClientView>;
  clientZone: string | null;
  idempotencyKey: string;
  /** Called if the dry run or the creation fails, so that the other steps can show errors next to their fields. */
  onError: (error: unknown) => void;
  onStep: (step: ApplyPlanStep) => void;
  onCreated: (seriesId: string) => void;
};

/** Step 3: shows the dry run of the series, and creates the series. */
export function PreviewStep(props: PreviewStepProps) {
  const { draft, client, clientZone, idempotencyKey, onError, onStep, onCreated } = props;
  const text = useText(applyPlanText);
  const plan = useDesignPlan(draft.planId);
  const dryRun = useApplyDryRun(draft, clientZone, client.data !== undefined);
  const creation = useApplyPlan({
    idempotencyKey,
    done: ({ sessions }) => text.created(sessions.length),
    onDone: ({ seriesId }) => {
      if (seriesId !== null) onCreated(seriesId);
    },
  });
  const failure: unknown = creation.error ?? dryRun.error;
  useEffect(() => {
    if (failure !== null) onError(failure);
  }, [failure]);
  const hasOverlaps = (dryRun.data?.conflictCount ?? 0) > 0 || isProblem(creation.error, 'schedule-conflict');
  const isLost = isConnectionProblem(creation.error);
  const canCreate = useCanAnswer(hasOverlaps && !isLost);
  const create = () => {
    // Overlaps that the user has seen are accepted; new ones are rejected.
    const request = { draft, clientZone, conflicts: hasOverlaps ? ('report' as const) : ('reject' as const) };
    // After a lost response, the same request is repeated, and returns the result of the first one.
    creation.mutate(isLost ? creation.variables! : request);
  };
  return (
    <div class="stack">
      <p class="apply-plan-what">{text.forClient(plan.data?.planName ?? '', client.data?.name ?? '')}</p>
      {client.data === undefined ? (
        <QueryView of={client} skeleton={<Skeleton rows={4} shape="card" />}>
          {() => null}
        </QueryView>
      ) : dryRun.isError ? (
        <Refused error={dryRun.error} onStep={onStep} onRetry={() => void dryRun.refetch()} />
      ) : dryRun.data === undefined ? (
        <Skeleton rows={4} shape="card" />
      ) : (
        <Result change={dryRun.data} />
      )}
      <CreationProblemNotice error={creation.error} clientId={draft.clientId} shown={[]} />
      <div class="apply-plan-buttons apply-plan-buttons-sticky">
        <Button onClick={() => onStep(2)}>{text.back}</Button>
        {client.data !== undefined && dryRun.data !== undefined && !dryRun.isError && (
          <Button variant="primary" isBusy={creation.isPending} aria-disabled={!canCreate} onClick={create}>
            {isLost ? text.tryAgain : hasOverlaps ? text.createAnyway : text.create}
          </Button>
        )}
      </div>
    </div>
  );
}

function Result({ change }: { change: SeriesChange }) {
  const text = useText(applyPlanText);
  const schedule = useText(scheduleChangeText);
  const titles = useBookTitles();
  const homework = change.sessions.flatMap((session) => session.homework);
  const reminders = [...change.sessions, ...homework].flatMap((one) => one.reminders);
  return (
    <>
      <p>
        {text.nothingYet} <strong>{schedule.counts(change.sessions.length, homework.length, reminders.length)}</strong>
      </p>
      <OverlapAndWarningSummary change={change} />
      <div class="card">
        {titles.isPending ? (
          <Skeleton rows={2} />
        ) : (
          <PlannedSessions change={change} titles={titles.data ?? new Map()} />
        )}
      </div>
    </>
  );
}

type RefusedProps = { error: unknown; onStep: (step: ApplyPlanStep) => void; onRetry: () => void };

/** Explains why the service refuses the series, with a link to the step where it can be corrected. */
function Refused({ error, onStep, onRetry }: RefusedProps) {
  const text = useText(applyPlanText);
  if (!isProblem(error)) return <ErrorState error={error} onRetry={onRetry} />;
  const fields = toFieldErrors(error);
  const step = findFirstStepWithError(Object.keys(fields));
  if (step === undefined) return <RefusalNotice error={error} title={text.refused} onRetry={onRetry} />;
  return (
    <Notice
      tone="danger"
      title={text.refused}
      actions={<Button onClick={() => onStep(step)}>{text.goTo(text.steps[step])}</Button>}
    >
      <ul class="schedule-notes" lang="en">
        {Object.values(fields).map((detail) => (
          <li key={detail}>{detail}</li>
        ))}
      </ul>
    </Notice>
  );
}
