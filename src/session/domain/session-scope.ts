import type { ChangeScope } from './change-options.js';
import type { LockedSeries } from './locked-series.js';
import { compareByStart } from './series-order.js';
import type { Session } from './session.entity.js';

/** Returns the given Session and the upcoming Sessions within the scope. */
export function selectSessionsInScope(
  { members, now }: Pick<LockedSeries, 'members' | 'now'>,
  session: Session,
  scope: ChangeScope,
): Session[] {
  return members.filter(
    (member) => member === session || (isInScope(member, session, scope) && member.isUpcoming(now)),
  );
}

/** Returns the given Session and the Sessions within the scope whose status the same request has changed. */
export function selectSessionsOfLastStep(members: readonly Session[], session: Session, scope: ChangeScope): Session[] {
  return members.filter((member) => hasSameLastStep(member, session) && isInScope(member, session, scope));
}

function isInScope(member: Session, session: Session, scope: ChangeScope): boolean {
  return member === session || scope === 'series' || (scope === 'following' && compareByStart(member, session) > 0);
}

function hasSameLastStep(member: Session, session: Session): boolean {
  if (member === session) return true;
  const [one, other] = [member.statusChangedAt, session.statusChangedAt];
  return member.status === session.status && one !== null && other !== null && one.equals(other);
}

/**
 * Moves `planned` by the number of days between `from` and `to`. Also changes the time of day if `planned` has the same
 * time as `from`.
 */
export function rescheduleAlike(
  planned: Temporal.PlainDateTime,
  from: Temporal.PlainDateTime,
  to: Temporal.PlainDateTime,
): Temporal.PlainDateTime {
  const days = from.toPlainDate().until(to.toPlainDate(), { largestUnit: 'days' }).days;
  const time = planned.toPlainTime().equals(from.toPlainTime()) ? to.toPlainTime() : planned.toPlainTime();
  return planned.add({ days }).withPlainTime(time);
}
