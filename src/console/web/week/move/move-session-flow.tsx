import type { WeekSession } from '@care-scheduling/client';
import { useState } from 'preact/hooks';
import { isVersionConflict } from '../../data/use-api-mutation.js';
import { getText } from '../../text/text.js';
import { adoptSavedTimes, canSendMove, type MoveDraft } from '../session-times.js';
import { useSessionMove, type SessionMove, type WeekSelection } from '../week-data.js';
import { weekText } from '../week.text.js';
import { MoveConflictDialog } from './move-conflict-dialog.js';
import { MoveDialog } from './move-dialog.js';

/** A move that the user has started by dragging or in the dialog of the Session, and has not confirmed. */
export type StartedMove = {
  session: WeekSession;
  draft: MoveDraft;
  /** Returns a dragged Session to its previous position on the board. */
  revert?: () => void;
};

type MoveSessionFlowProps = {
  selection: WeekSelection;
  weekZone: string;
  move: StartedMove | undefined;
  onEnd: () => void;
};

/**
 * Guides the user through a move: the preview, the request, and the conflict dialog if another person has changed the
 * Session.
 */
export function MoveSessionFlow({ selection, weekZone, move, onEnd }: MoveSessionFlowProps) {
  const [refused, setRefused] = useState<SessionMove & { revert?: (() => void) | undefined }>();
  const [again, setAgain] = useState<StartedMove>();
  const change = useSessionMove({
    selection,
    zone: weekZone,
    done: ({ sessions }) => getText(weekText).moved(sessions.length),
    showsError: (error, one) => {
      if (!isVersionConflict(error)) return false;
      setRefused(one);
      return true;
    },
  });
  if (refused !== undefined)
    return (
      <MoveConflictDialog
        move={refused}
        weekZone={weekZone}
        onKeepTheirs={() => setRefused(undefined)}
        onSaveYours={(saved) => {
          setRefused(undefined);
          // All fields that differ from the saved Session are sent, so that the Session becomes what the dialog shows.
          const session = adoptSavedTimes(refused.session, saved);
          // With a scope, the other Sessions move as well, so the user sees the preview once more.
          if (refused.draft.scope !== 'this') setAgain({ session, draft: refused.draft });
          else if (canSendMove(session, refused.draft)) change.mutate({ ...refused, session });
        }}
      />
    );
  const started = again ?? move;
  if (started === undefined) return null;
  const end = () => {
    started.revert?.();
    setAgain(undefined);
    onEnd();
  };
  return (
    <MoveDialog
      key={`${started.session.id} ${started.session.version}`}
      session={started.session}
      first={started.draft}
      onCancel={end}
      onMove={(draft) => {
        // The preview of the drag is no longer needed, because the change updates the loaded data immediately.
        end();
        change.mutate({ session: started.session, draft });
      }}
    />
  );
}
