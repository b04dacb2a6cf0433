import { useState } from 'preact/hooks';
import { useText } from '../../text/text.js';
import { Badge, Button, Dialog, QueryView, Time } from '../../ui/index.js';
import { toBookTitle } from '../book-title.js';
import { WeekReminderOverview } from '../board/week-reminder-overview.js';
import { useBookLookup, useRestoreRevision, useRevision, type RevisionSummary } from '../plan-editor-data.js';
import { planEditorText } from '../plan-editor.text.js';
import { WeekHeading } from '../week-heading.js';

/** Shows one revision: when it was replaced, its content, and a button that restores it. */
export function RevisionItem({ planId, revision: item }: { planId: number; revision: RevisionSummary }) {
  const text = useText(planEditorText);
  const { revision, planName, appointmentTitle, supersededAt } = item;
  const [isOpen, setOpen] = useState(false);
  const [isAsking, setAsking] = useState(false);
  const restoring = useRestoreRevision({
    done: (plan) => text.saved(plan.revision),
    onDone: () => setAsking(false),
  });
  return (
    <li class="plan-editor-revision">
      <div class="plan-editor-revision-head">
        <h2 class="plan-editor-revision-title">{text.revision(revision)}</h2>
        {supersededAt === null ? (
          <Badge tone="good">{text.current}</Badge>
        ) : (
          <span class="quiet small">
            {text.until} <Time at={supersededAt} zone={DEVICE_ZONE} />
          </span>
        )}
      </div>
      <p class="plan-editor-revision-name">{planName}</p>
      {appointmentTitle !== null && <p class="quiet small">{appointmentTitle}</p>}
      <div class="row">
        <Button
          size="small"
          aria-expanded={isOpen}
          aria-label={isOpen ? undefined : text.lookAtRevision(revision)}
          onClick={() => setOpen(!isOpen)}
        >
          {isOpen ? text.hide : text.lookAt}
        </Button>
        {supersededAt !== null && (
          <Button
            size="small"
            variant="quiet"
            icon="undo"
            aria-label={text.saveAgainNumber(revision)}
            onClick={() => setAsking(true)}
          >
            {text.saveAgain}
          </Button>
        )}
      </div>
      {isOpen && <RevisionContent planId={planId} revision={revision} />}
      {isAsking && (
        <Dialog
          title={text.saveAgainTitle(revision)}
          onClose={() => setAsking(false)}
          actions={
            <>
              <Button onClick={() => setAsking(false)}>{text.cancel}</Button>
              <Button
                variant="primary"
                isBusy={restoring.isPending}
                onClick={() => restoring.mutate({ id: planId, revision })}
              >
                {text.saveAgain}
              </Button>
            </>
          }
        >
          <p>{text.saveAgainText}</p>
        </Dialog>
      )}
    </li>
  );
}

/** The time at which a revision was saved is shown in the time zone of this device. */
const DEVICE_ZONE = new Intl.DateTimeFormat().resolvedOptions().timeZone;

function RevisionContent({ planId, revision }: { planId: number; revision: number }) {
  const text = useText(planEditorText);
  const content = useRevision(planId, revision, true);
  const { bookLookup } = useBookLookup();
  return (
    <QueryView of={content}>
      {({ weeks, appointmentDesc }) => (
        <div class="plan-editor-revision-content">
          {appointmentDesc !== null && <p class="small multi-line">{appointmentDesc}</p>}
          {weeks.length === 0 && <p class="quiet">{text.noWeeks}</p>}
          {weeks.map(({ name, ordering, assignments }) => (
            <section key={ordering} class="plan-editor-revision-week">
              <WeekHeading name={name} ordering={ordering} />
              {assignments.length === 0 && <p class="quiet small">{text.noBooks}</p>}
              <ul class="plan-editor-books">
                {assignments.map(({ bookId, assignReminds }, index) => (
                  <li key={index} class="plan-editor-book-read">
                    <span class="plan-editor-book-title">{toBookTitle(bookId, bookLookup, text)}</span>
                    <WeekReminderOverview
                      reminders={assignReminds.map(({ reminderDay, time }) => ({ day: reminderDay, time }))}
                    />
                  </li>
                ))}
              </ul>
            </section>
          ))}
        </div>
      )}
    </QueryView>
  );
}
