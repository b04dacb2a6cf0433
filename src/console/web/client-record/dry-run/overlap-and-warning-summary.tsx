import type { ScheduleConflict, SeriesChange } from '@care-scheduling/client';
import { useText } from '../../text/text.js';
import { Notice } from '../../ui/index.js';
import { groupScheduleWarnings, type ScheduleWarningGroup } from './schedule-notes.js';
import { scheduleChangeText, type ScheduleChangeText } from './schedule-change.text.js';

type Findings = Pick<SeriesChange, 'warnings' | 'conflictCount'> & { conflicts: readonly ScheduleConflict[] };

/** Summarises the overlaps and warnings of a change. */
export function OverlapAndWarningSummary({ change: { warnings, conflictCount } }: { change: Findings }) {
  const text = useText(scheduleChangeText);
  if (conflictCount === 0 && warnings.length === 0) return <Notice>{text.noWarnings}</Notice>;
  return (
    <>
      {conflictCount > 0 && (
        <Notice tone="attention" title={text.overlaps(conflictCount)}>
          {text.overlapsText}
        </Notice>
      )}
      {warnings.length > 0 && (
        <Notice tone="attention" title={text.attention}>
          <ul class="schedule-notes">
            {groupScheduleWarnings(warnings).map((group) => (
              <li key={group.kind}>{toSentence(group, text)}</li>
            ))}
          </ul>
        </Notice>
      )}
    </>
  );
}

function toSentence({ kind, detail, positions, planWeeks }: ScheduleWarningGroup, text: ScheduleChangeText): string {
  // A newer release of the service can return kinds of warnings that this console does not know.
  const sentence = (text.warnings as Readonly<Record<string, string>>)[kind] ?? detail;
  const places = [
    positions.length > 0 && text.atSessions(positions.join(', ')),
    planWeeks.length > 0 && text.atWeeks(planWeeks.join(', ')),
  ].filter(Boolean);
  return places.length === 0 ? sentence : `${sentence} (${places.join(', ')})`;
}
