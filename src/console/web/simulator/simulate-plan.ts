import {
  computeDueTime,
  computeNotAfter,
  getReminderKind,
  type ReminderRule,
} from '../../../reminder/domain/reminder-rule.js';
import { planSendTime } from '../../../reminder/domain/timing/send-time.js';
import { createSeriesSlots, createSessionSlot } from '../../../session/domain/series-slots.js';
import { findTimeWarnings } from '../../../session/domain/time-warnings.js';
import type { SimulatorInput } from './simulator-input.js';

/*
 * Simulates a plan in the browser, with the same rules as the service. Nothing is sent or stored. The rules use
 * Temporal when they are imported, so Temporal must be loaded first.
 */

/** `share`: where the time lies, from 0 to 1, within the eight days that begin on the day before the Session. */
type Placed = { at: string; share: number };
export type SimulatedReminder = Placed & {
  kind: 'SESSION' | 'HOMEWORK';
  dueAt: string;
  /** How quiet hours have changed the time. `SKIPPED`: the reminder is not sent. */
  adjustment?: 'DEFERRED' | 'ADVANCED' | 'SKIPPED';
};
export type SimulatedWeek = {
  number: number;
  session: Placed;
  move: number;
  reminders: SimulatedReminder[];
  warnings: ('TIME_SKIPPED' | 'DAYLIGHT_SAVING_SHIFT')[];
};

/** Times of the reminders for the Client and the Care Provider, relative to the start of the Session. */
const OFFSETS = ['-P1D', '-PT2H'];
const STRIP_DAYS = 8;
/** The first Session is this many days after the plan is applied, so that no reminder is due in the past. */
const DAYS_AHEAD = 14;

export function simulatePlan(plan: SimulatorInput): SimulatedWeek[] {
  const { clinicZone, weeks } = plan;
  const first = Temporal.PlainDateTime.from(`${plan.date}T${plan.time}`);
  const slots = createSeriesSlots(first, clinicZone, weeks.length).map(({ planned }, index) =>
    createSessionSlot(planned.add({ days: plan.moves[index] ?? 0 }), clinicZone),
  );
  const appliedAt = createSessionSlot(first.subtract({ days: DAYS_AHEAD }), clinicZone).startsAt;
  const warnings = findTimeWarnings(slots.map((slot, index) => ({ ...slot, position: index + 1 })));
  return slots.map((slot, index) => {
    const { planned, startsAt } = slot;
    const start = createSessionSlot(planned.subtract({ days: 1 }).with({ hour: 0, minute: 0 }), clinicZone).startsAt;
    const place = (at: Temporal.Instant): Placed => ({
      at: at.toString(),
      share: Math.max(0, Math.min(1, start.until(at).total('hours') / (24 * STRIP_DAYS))),
    });
    const rules: ReminderRule[] = [
      ...OFFSETS.map((offset) => ({ kind: 'AROUND_START', offset }) as const),
      ...weeks[index]!.map(({ day: reminderDay, time }) => {
        return { kind: 'HOMEWORK', bookId: 0, reminderDay, time, timeZone: plan.clientZone } as const;
      }),
    ];
    return {
      number: index + 1,
      session: place(startsAt),
      move: plan.moves[index] ?? 0,
      reminders: rules.map((rule) => planReminder(plan, rule, slot, appliedAt, place)).toSorted(byTime),
      warnings: warnings
        .filter((warning) => 'position' in warning && warning.position === index + 1)
        .map(({ kind }) => kind as SimulatedWeek['warnings'][number]),
    };
  });
}

function planReminder(
  { clientZone: timeZone, quietHours }: SimulatorInput,
  rule: ReminderRule,
  slot: ReturnType<typeof createSessionSlot>,
  now: Temporal.Instant,
  place: (at: Temporal.Instant) => Placed,
): SimulatedReminder {
  const session = { ...slot, plannedDate: slot.planned.toPlainDate() };
  const dueAt = computeDueTime(rule, session, now);
  const notAfter = computeNotAfter(rule, session, dueAt);
  const sent = planSendTime({ dueAt, notAfter }, { quietHours, timeZone }, now);
  const isSkipped = sent.action === 'SKIP';
  const adjustment = isSkipped ? 'SKIPPED' : sent.adjustment;
  return {
    kind: getReminderKind(rule),
    dueAt: dueAt.toString(),
    ...(adjustment && { adjustment }),
    ...place(isSkipped ? dueAt : sent.sendAt),
  };
}

function byTime(one: SimulatedReminder, other: SimulatedReminder): number {
  return one.at < other.at ? -1 : 1;
}
