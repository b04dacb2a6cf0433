import type { DesignPlanModel, DesignPlanSummary } from '@care-scheduling/client';
import { useId, useState } from 'preact/hooks';
import { useDebounced } from '../data/use-debounced.js';
import { useText } from '../text/text.js';
import { Badge, Button, EmptyState, Icon, Notice, QueryView, Skeleton, TextField } from '../ui/index.js';
import { useBookTitles, useDesignPlan, useDesignPlanSearch } from './apply-plan-data.js';
import { applyPlanText } from './apply-plan.text.js';
import { listErrorsOfStepOne, type ApplyPlanDraft } from './draft.js';

const MAX_WITHOUT_SEARCH = 8;

type PlanStepProps = {
  draft: ApplyPlanDraft;
  errors: Readonly<Record<string, string>>;
  onChange: (part: Partial<ApplyPlanDraft>) => void;
  onNext: () => void;
};

/** Step 1: the user chooses the plan, and sees a list of its weeks. */
export function PlanStep({ draft: { planId }, errors, onChange, onNext }: PlanStepProps) {
  const text = useText(applyPlanText);
  const [name, setName] = useState('');
  const [isMissing, setMissing] = useState(false);
  const searched = useDebounced(name.trim());
  const plans = useDesignPlanSearch(searched);
  // The field must stay until the plans of an emptied search are loaded. Otherwise, it would lose the focus.
  const isSearching = searched !== '' || plans.isPlaceholderData;
  const submit = (event: Event) => {
    event.preventDefault();
    if (planId === undefined) setMissing(true);
    else onNext();
  };
  return (
    <form class="stack" noValidate onSubmit={submit}>
      <QueryView of={plans} skeleton={<Skeleton rows={3} shape="card" />}>
        {(found) =>
          found.length === 0 && name === '' && !isSearching ? (
            <EmptyState icon="book" title={text.noPlans}>
              {text.noPlansText}
            </EmptyState>
          ) : (
            <>
              {(found.length > MAX_WITHOUT_SEARCH || name !== '' || isSearching) && (
                <TextField label={text.search} isRequired type="search" value={name} onChange={setName} />
              )}
              {found.length === 0 && <p role="status">{text.noMatch}</p>}
              <Choices
                plans={found}
                planId={planId}
                error={isMissing && planId === undefined ? text.choosePlan : undefined}
                onChoose={(id) => onChange({ planId: id })}
              />
            </>
          )
        }
      </QueryView>
      {listErrorsOfStepOne(errors).map((error) => (
        <Notice key={error} tone="danger">
          <span lang="en">{error}</span>
        </Notice>
      ))}
      {planId !== undefined && <Preview planId={planId} />}
      <div class="apply-plan-buttons">
        <Button type="submit" variant="primary">
          {text.next}
        </Button>
      </div>
    </form>
  );
}

type ChoicesProps = {
  plans: readonly DesignPlanSummary[];
  planId: number | undefined;
  error: string | undefined;
  onChoose: (id: number) => void;
};

function Choices({ plans, planId, error, onChoose }: ChoicesProps) {
  const text = useText(applyPlanText);
  const id = useId();
  return (
    <fieldset class="apply-plan-choices" aria-describedby={error === undefined ? undefined : id}>
      <legend class="visually-hidden">{text.plan}</legend>
      {plans.map((plan) => (
        <label key={plan.id} class="apply-plan-choice">
          <input type="radio" name="plan" checked={plan.id === planId} onChange={() => onChoose(plan.id)} />
          <span>
            <span class="apply-plan-name">{plan.planName}</span>
            <span class="small quiet apply-plan-appointment">
              {plan.appointmentTitle} {plan.template && <Badge>{text.template}</Badge>}
            </span>
          </span>
        </label>
      ))}
      {error !== undefined && (
        <p id={id} class="field-error" role="alert">
          {error}
        </p>
      )}
    </fieldset>
  );
}

function Preview({ planId }: { planId: number }) {
  const plan = useDesignPlan(planId);
  return (
    <QueryView of={plan} skeleton={<Skeleton rows={2} shape="card" />}>
      {(data) => <Weeks plan={data} />}
    </QueryView>
  );
}

function Weeks({ plan: { weeks, appointmentDesc } }: { plan: DesignPlanModel }) {
  const text = useText(applyPlanText);
  const titles = useBookTitles();
  if (titles.isPending) return <Skeleton rows={2} shape="card" />;
  return (
    <section class="card" aria-labelledby="apply-plan-weeks">
      <div class="card-head">
        <h3 id="apply-plan-weeks">{text.preview}</h3>
        <span class="quiet small">{text.weeks(weeks.length)}</span>
      </div>
      {appointmentDesc !== null && <p class="quiet multi-line">{appointmentDesc}</p>}
      <ol class="apply-plan-weeks">
        {weeks.map(({ name, ordering, assignments }) => (
          <li key={ordering} class="apply-plan-week">
            <h4>{name}</h4>
            {assignments.length === 0 && <p class="small quiet">{text.noBooks}</p>}
            {assignments.map(({ bookId, assignReminds }, index) => (
              <div key={index} class="apply-plan-book small">
                <Icon name="book" size={16} />
                <div>
                  <p class="apply-plan-book-title">{titles.data?.get(bookId) ?? text.book(bookId)}</p>
                  {assignReminds.map(({ reminderDay, time }) => (
                    <p key={`${reminderDay} ${time}`} class="quiet numeric">
                      {text.reminder(reminderDay, time)}
                    </p>
                  ))}
                </div>
              </div>
            ))}
          </li>
        ))}
      </ol>
    </section>
  );
}
