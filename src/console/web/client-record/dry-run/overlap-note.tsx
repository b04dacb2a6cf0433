import './overlap-note.css';
import type { ScheduleConflict } from '@care-scheduling/client';
import { useText } from '../../text/text.js';
import { Icon, Time, type TimeFormat } from '../../ui/index.js';
import { scheduleChangeText } from './schedule-change.text.js';

type OverlapNoteProps = { conflict: ScheduleConflict; zone: string; format: TimeFormat };

/** Tells which other Session overlaps: its time and whose it is. */
export function OverlapNote({ conflict, zone, format }: OverlapNoteProps) {
  const text = useText(scheduleChangeText);
  return (
    <p class="overlap-note small">
      <Icon name="warning" size={16} />
      <span>
        {text.overlapWith[conflict.with]}:{' '}
        <Time at={conflict.otherStartsAt} to={conflict.otherEndsAt} zone={zone} format={format} />
      </span>
    </p>
  );
}

/** Identifies an overlap in a list. */
export function toOverlapKey({ position, otherStartsAt, otherSessionId }: ScheduleConflict): string {
  return `${position} ${otherStartsAt} ${otherSessionId}`;
}
