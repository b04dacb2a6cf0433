import { isProblem } from '@care-scheduling/client';
import { OverlapNote, toOverlapKey } from '../client-record/dry-run/overlap-note.js';
import { isConnectionProblem, listErrorsOutsideForm } from '../data/problems.js';
import { useText } from '../text/text.js';
import { ButtonLink, Notice, RefusalNotice } from '../ui/index.js';
import { sessionFormText } from './session-form.text.js';
import { getDeviceZone } from './zone-offset.js';

/** Maximum number of overlaps in the notice. */
const MAX_SHOWN = 5;

type CreationProblemNoticeProps = {
  error: unknown;
  clientId: number | undefined;
  shown: readonly string[];
  /** Called when the link to the Client's page is used, which may lead to the page that is already open. */
  onOpenClient?: () => void;
};

/** Explains why Sessions were not created, unless a form field already shows the error. */
export function CreationProblemNotice({ error, clientId, shown, onOpenClient }: CreationProblemNoticeProps) {
  const text = useText(sessionFormText);
  if (error === null || error === undefined) return null;
  if (isProblem(error, 'schedule-conflict'))
    return (
      <Notice tone="danger" title={text.overlaps}>
        {text.overlapsText}
        {error.conflicts.slice(0, MAX_SHOWN).map((conflict) => (
          <OverlapNote key={toOverlapKey(conflict)} conflict={conflict} zone={getDeviceZone()} format="dateTime" />
        ))}
        {error.conflictCount > MAX_SHOWN && <p class="small">{text.moreOverlaps(error.conflictCount - MAX_SHOWN)}</p>}
      </Notice>
    );
  if (isProblem(error, 'idempotency-key-reused'))
    return (
      <Notice
        tone="attention"
        title={text.reused}
        actions={
          clientId !== undefined && (
            <ButtonLink href={`#/client/${clientId}`} onClick={onOpenClient}>
              {text.openClient}
            </ButtonLink>
          )
        }
      >
        {text.reusedText}
      </Notice>
    );
  if (isConnectionProblem(error))
    return (
      <Notice tone="danger" title={text.noAnswer}>
        {text.noAnswerText}
      </Notice>
    );
  const others = listErrorsOutsideForm(error, shown);
  if (isProblem(error) && error.errors.length > 0 && others.length === 0) return null;
  return <RefusalNotice error={error} title={text.refused} details={others} />;
}
