import { isProblem } from '@care-scheduling/client';
import type { WeekSession } from '@care-scheduling/client';
import { useState } from 'preact/hooks';
import { toFieldErrors } from '../../data/problems.js';
import { useText } from '../../text/text.js';
import { Button, Dialog, formatZone, TextField } from '../../ui/index.js';
import { canSendMove, type MoveDraft } from '../session-times.js';
import { useMoveDryRun } from '../week-data.js';
import { weekText } from '../week.text.js';
import { MovePreview } from './move-preview.js';
import { ScopeField } from './scope-field.js';

type MoveDialogProps = {
  session: WeekSession;
  first: MoveDraft;
  onMove: (draft: MoveDraft) => void;
  onCancel: () => void;
};

/**
 * Lets the user edit the date, time and duration of a Session. Shows all effects of the move, which a dry run of the
 * service computes.
 */
export function MoveDialog({ session, first, onMove, onCancel }: MoveDialogProps) {
  const text = useText(weekText);
  const [draft, setDraft] = useState(first);
  const isReady = canSendMove(session, draft);
  const preview = useMoveDryRun(session, draft, isReady);
  const errors = preview.isError ? toFieldErrors(preview.error) : {};
  const set = (change: Partial<MoveDraft>) => setDraft((current) => ({ ...current, ...change }));
  const isKnown = isReady && preview.data !== undefined && !preview.isError && !preview.isPlaceholderData;
  // If another person has changed the Session, the user can send the move; the conflict dialog shows both versions.
  const isOutdated = isReady && isProblem(preview.error, 'precondition-failed');
  return (
    <Dialog
      title={text.moveTitle(session.client.name)}
      size="wide"
      onClose={onCancel}
      actions={
        <>
          <Button onClick={onCancel}>{text.keep}</Button>
          <Button variant="primary" aria-disabled={!isKnown && !isOutdated} onClick={() => onMove(draft)}>
            {isKnown ? text.moveNow(preview.data.sessions.length) : text.moveNothing}
          </Button>
        </>
      }
    >
      <div class="week-move-fields">
        <TextField
          label={text.date}
          type="date"
          value={draft.date}
          error={errors['/date']}
          isRequired
          onChange={(date) => set({ date })}
        />
        <TextField
          label={text.startTime}
          type="time"
          value={draft.time}
          error={errors['/time']}
          isRequired
          onChange={(time) => set({ time })}
        />
        <TextField
          label={text.duration}
          type="number"
          min={1}
          value={draft.durationMinutes}
          error={errors['/durationMinutes']}
          isRequired
          onChange={(durationMinutes) => set({ durationMinutes })}
        />
      </div>
      <p class="small quiet">{text.draftZone(formatZone(session.timeZone))}</p>
      <ScopeField value={draft.scope} onChange={(scope) => set({ scope })} />
      <MovePreview session={session} preview={preview} isReady={isReady} />
    </Dialog>
  );
}
