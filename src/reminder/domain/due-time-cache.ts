import { computeDueTime, type ReminderRule } from './reminder-rule.js';
import type { SessionSnapshot } from './session-data.js';

/**
 * Computes the due times of reminders that are planned together. Many reminders share a due time, for example those of
 * both recipients, or those of all Sessions with the same `remindDays`. Each due time is computed once, and equal due
 * times share one object, so a bulk statement can send it once.
 */
export class DueTimeCache {
  private readonly cache = new Map<string, Temporal.Instant>();

  constructor(private readonly now: Temporal.Instant) {}

  get(rule: ReminderRule, session: SessionSnapshot): Temporal.Instant {
    const key = toCacheKey(rule, session);
    const cached = this.cache.get(key);
    if (cached !== undefined) return cached;
    const dueAt = computeDueTime(rule, session, this.now);
    this.cache.set(key, dueAt);
    return dueAt;
  }
}

/** Reminders with the same key have the same due time. A Session's ID determines its start and date. */
function toCacheKey(rule: ReminderRule, { sessionId, timeZone }: SessionSnapshot): string {
  switch (rule.kind) {
    case 'REMIND_DAYS':
      return `${rule.kind} ${rule.days} ${timeZone}`;
    case 'AROUND_START':
      return `${rule.kind} ${sessionId} ${rule.offset}`;
    case 'HOMEWORK':
      return `${rule.kind} ${sessionId} ${rule.reminderDay} ${rule.time} ${rule.timeZone}`;
    case 'SESSION_ERASED':
      return rule.kind;
  }
}
