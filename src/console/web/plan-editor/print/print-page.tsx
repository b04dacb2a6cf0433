import './print.css';
import type { DesignPlanModel } from '@care-scheduling/client';
import type { PageProps } from '../../app/page-props.js';
import { useCareProviders } from '../../data/care-providers.js';
import { useText } from '../../text/text.js';
import { Button, ButtonLink, EmptyState, Page, QueryView, Skeleton } from '../../ui/index.js';
import { toBookTitle } from '../book-title.js';
import { PLAN_WEEK_DAYS } from '../board/week-reminder-overview.js';
import { useBookLookup, useDesignPlan, type BookLookup } from '../plan-editor-data.js';
import { planEditorText } from '../plan-editor.text.js';
import { WeekHeading } from '../week-heading.js';

const WEEKS_PER_SHEET = 4;

type Week = DesignPlanModel['weeks'][number];

/** The page that prints a plan, with four weeks per sheet. */
export default function PrintPage({ params }: PageProps) {
  const text = useText(planEditorText);
  const id = Number(params['id']);
  const plan = useDesignPlan(id);
  const { read, bookLookup } = useBookLookup();
  return (
    <Page
      title={plan.data?.planName ?? text.print}
      width="full"
      intro={<span class="no-print">{text.printHint}</span>}
      actions={
        <>
          <ButtonLink icon="start" href={`#/plan/${id}`}>
            {text.backToPlan}
          </ButtonLink>
          <Button variant="primary" icon="print" onClick={() => window.print()}>
            {text.printNow}
          </Button>
        </>
      }
    >
      <QueryView of={plan} skeleton={<Skeleton rows={3} shape="card" />}>
        {(loaded) => (
          // Without the titles of the Books, the sheets would have numbers that a reader of the paper does not know.
          <QueryView of={read} skeleton={<Skeleton rows={3} shape="card" />}>
            {() => <Sheets plan={loaded} bookLookup={bookLookup} />}
          </QueryView>
        )}
      </QueryView>
    </Page>
  );
}

function Sheets({ plan, bookLookup }: { plan: DesignPlanModel; bookLookup: BookLookup }) {
  const text = useText(planEditorText);
  const people = useCareProviders(plan.caregiverId !== null);
  const person = people.data?.find(({ id }) => id === plan.caregiverId)?.name;
  const sheets = splitWeeksIntoSheets(plan.weeks);
  if (sheets.length === 0) return <EmptyState icon="plan" title={text.noWeeks} />;
  return (
    <div class="plan-editor-sheets">
      {sheets.map((weeks, index) => (
        <section key={index} class="plan-editor-sheet">
          <header class="plan-editor-sheet-head">
            <h2>{text.sheet(weeks[0]!.ordering, weeks.at(-1)!.ordering)}</h2>
            <p class="small">
              {[plan.planName, plan.appointmentTitle, person, text.revision(plan.revision)].filter(Boolean).join(' · ')}
            </p>
          </header>
          {index === 0 && plan.appointmentDesc !== null && <p class="small multi-line">{plan.appointmentDesc}</p>}
          <div class="plan-editor-sheet-weeks">
            {weeks.map((week) => (
              <PrintedWeek key={week.ordering} week={week} bookLookup={bookLookup} />
            ))}
          </div>
        </section>
      ))}
    </div>
  );
}

function PrintedWeek({ week: { name, ordering, assignments }, bookLookup }: { week: Week; bookLookup: BookLookup }) {
  const text = useText(planEditorText);
  return (
    <div class="plan-editor-sheet-week">
      <WeekHeading name={name} ordering={ordering} />
      {assignments.length === 0 && <p class="small">{text.noBooks}</p>}
      <ul class="plan-editor-sheet-books">
        {assignments.map(({ bookId, assignReminds }, index) => (
          <li key={index}>
            <p class="plan-editor-sheet-book">
              <span class="plan-editor-sheet-box" aria-hidden="true" />
              {toBookTitle(bookId, bookLookup, text)}
            </p>
            {assignReminds.length === 0 ? (
              <p class="small">{text.noReminders}</p>
            ) : (
              <ReminderDays reminders={assignReminds} />
            )}
          </li>
        ))}
      </ul>
      <p class="plan-editor-sheet-notes small">{text.notes}</p>
    </div>
  );
}

/** A box to tick for each reminder, by time and day. One row per time keeps the table narrow. */
function ReminderDays({ reminders }: { reminders: Week['assignments'][number]['assignReminds'] }) {
  const text = useText(planEditorText);
  const times = [...Map.groupBy(reminders, ({ time }) => time)].toSorted(([a], [b]) => a.localeCompare(b));
  return (
    <table class="plan-editor-sheet-days">
      <caption class="visually-hidden">{text.gridCaption}</caption>
      <thead>
        <tr>
          <td>{text.day}</td>
          {PLAN_WEEK_DAYS.map((day) => (
            <th key={day} scope="col">
              <span class="visually-hidden">{text.day} </span>
              {day}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {times.map(([time, atTime]) => (
          <tr key={time}>
            <th scope="row">{time}</th>
            {PLAN_WEEK_DAYS.map((day) => (
              <td key={day}>
                {atTime.some(({ reminderDay }) => reminderDay === day) && (
                  <span class="plan-editor-sheet-tick" role="img" aria-label={text.dayTime(day, time)} />
                )}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

export function splitWeeksIntoSheets<W>(weeks: readonly W[]): readonly (readonly W[])[] {
  return Array.from({ length: Math.ceil(weeks.length / WEEKS_PER_SHEET) }, (_, index) =>
    weeks.slice(index * WEEKS_PER_SHEET, (index + 1) * WEEKS_PER_SHEET),
  );
}
