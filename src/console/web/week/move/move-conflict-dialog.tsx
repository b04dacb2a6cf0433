import { useText } from '../../text/text.js';
import { Button, ConflictDialog, Dialog, QueryView, Time, type ConflictingField } from '../../ui/index.js';
import { adoptSavedTimes, applyMoveDraft, type SavedSession } from '../session-times.js';
import { useSavedSession, type SessionMove } from '../week-data.js';
import { weekText } from '../week.text.js';

type ConflictProps = {
  move: SessionMove;
  weekZone: string;
  onKeepTheirs: () => void;
  onSaveYours: (saved: SavedSession) => void;
};

/**
 * Shown if another person has changed the Session since it was loaded. Shows the saved version and the requested one.
 */
export function MoveConflictDialog({ move, weekZone, onKeepTheirs, onSaveYours }: ConflictProps) {
  const text = useText(weekText);
  const read = useSavedSession(move.session.id);
  const saved = read.data;
  // The Session may be gone by now. Without this dialog, the user would not learn that it was not moved.
  if (saved === undefined)
    return (
      <Dialog
        title={text.moveTitle(move.session.client.name)}
        onClose={onKeepTheirs}
        actions={<Button onClick={onKeepTheirs}>{text.keep}</Button>}
      >
        <QueryView of={read}>{() => null}</QueryView>
      </Dialog>
    );
  const wanted = applyMoveDraft(adoptSavedTimes(move.session, saved), move.draft, weekZone);
  // The zone in which the user has entered the time, and not that of the board.
  const toTime = (at: string) => <Time at={at} zone={saved.timeZone} />;
  const fields: ConflictingField[] = [
    { label: text.startTime, theirs: toTime(saved.startsAt), yours: toTime(wanted.startsAt) },
    {
      label: text.length,
      theirs: text.minutes(saved.durationMinutes),
      yours: text.minutes(wanted.durationMinutes),
    },
    { label: text.version, theirs: text.statuses[saved.status], yours: text.statuses[move.session.status] },
  ];
  return (
    <ConflictDialog
      fields={fields.filter(({ theirs, yours }, index) => index === 0 || theirs !== yours)}
      onKeepTheirs={onKeepTheirs}
      onSaveYours={() => onSaveYours(saved)}
      onClose={onKeepTheirs}
    />
  );
}
