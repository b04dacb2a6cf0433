import type { WeekSession } from '@care-scheduling/client';
import { useText } from '../../text/text.js';
import { Icon } from '../../ui/index.js';
import { SESSION_STATUS_ICONS } from '../session-marks.js';
import { weekText } from '../week.text.js';

const MARKED = ['COMPLETED', 'NO_SHOW', 'PAUSED', 'CANCELLED'] as const;

/** A legend of the statuses that occur in this week. */
export function StatusLegend({ sessions }: { sessions: readonly WeekSession[] }) {
  const text = useText(weekText);
  const present = new Set(sessions.map(({ status }) => status));
  const hasOverlaps = sessions.some(({ conflicts }) => conflicts.length > 0);
  const entries = [
    ...MARKED.filter((status) => present.has(status)).map((status) => ({
      icon: SESSION_STATUS_ICONS[status],
      label: text.statuses[status],
    })),
    ...(hasOverlaps ? [{ icon: 'warning' as const, label: text.overlap }] : []),
  ];
  if (entries.length === 0) return null;
  return (
    <ul class="week-legend small quiet">
      {entries.map(({ icon, label }) => (
        <li key={icon}>
          <Icon name={icon} size={16} /> {label}
        </li>
      ))}
    </ul>
  );
}
