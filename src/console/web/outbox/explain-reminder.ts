import type { ReminderEvent, ReminderWithHistory } from '@care-scheduling/client';
import type { Language } from '../app/appearance.js';
import { formatInstant, formatZone } from '../ui/time/time-format.js';
import type { ExplanationTexts } from './explanation.text.js';
import { describeDuration, hasDifferentUtcOffset, parseReminderRule } from './reminder-rule.js';

/** The data that the explanation needs in addition to the reminder. */
export type ExplanationContext = {
  language: Language;
  /** The time zone of the Session, in which times are shown. */
  timeZone: string;
  /** The current start of the Session, if known. */
  startsAt?: string | undefined;
  /** Names of Care Providers by ID. */
  careProviders?: ReadonlyMap<number, string>;
};

export type ExplanationStep = { key: number; at: string; what: ReminderEvent['what']; sentences: string[] };

/** `summary` describes the current state of the reminder; `steps` are the events that led to it, oldest first. */
export type ReminderExplanation = { summary: string[]; steps: ExplanationStep[] };

/** Describes the history of a reminder in sentences. */
export function explainReminder(
  reminder: ReminderWithHistory,
  texts: ExplanationTexts,
  context: ExplanationContext,
): ReminderExplanation {
  const tell = new Teller(reminder, texts, context);
  return {
    summary: tell.summary(),
    steps: reminder.history.map((event, key) => ({
      key,
      at: event.at,
      what: event.what,
      sentences: tell.event(event),
    })),
  };
}

/** Returns the sentence for a reason, or undefined for a reason that this console does not know. */
export function findReason(sentences: Readonly<Record<string, string>>, reason: string | null): string | undefined {
  return sentences[reason ?? ''];
}

class Teller {
  constructor(
    private readonly reminder: ReminderWithHistory,
    private readonly texts: ExplanationTexts,
    private readonly context: ExplanationContext,
  ) {}

  summary(): string[] {
    const { status, reason, dueAt, sendAt, optedOut = false } = this.reminder;
    const { texts } = this;
    if (optedOut) return [texts.optedOut];
    const state = {
      PENDING: () => texts.pending(this.time(sendAt)),
      QUEUED: () => texts.beingSent,
      SENT: () => texts.wasSent,
      DEAD: () => findReason(texts.dead, reason) ?? texts.deadFor(reason ?? '–'),
      WITHDRAWN: () => findReason(texts.withdrawn, reason) ?? texts.withdrawnFor(reason ?? '–'),
      SKIPPED: () => findReason(texts.skipped, reason) ?? texts.skippedFor(reason ?? '–'),
    }[status]();
    const isOtherTime = status === 'PENDING' && sendAt !== dueAt;
    return isOtherTime ? [state, texts.wasDue(this.time(dueAt))] : [state];
  }

  event(event: ReminderEvent): string[] {
    const { texts } = this;
    const { reason = '', until = event.at, from = event.at, to = event.at } = event;
    switch (event.what) {
      case 'PLANNED':
        return this.planned(event);
      case 'MOVED':
        return [texts.moved[reason === 'TIME_ZONE' ? 'TIME_ZONE' : 'SESSION'](this.time(from), this.time(to))];
      case 'HANDED_OVER':
        return [texts.handedOver(this.name(event.fromCareProviderId), this.name(event.toCareProviderId))];
      case 'WITHDRAWN':
        return [findReason(texts.withdrawn, reason) ?? texts.withdrawnFor(reason)];
      case 'RESTORED':
        return [texts.restored];
      case 'DEFERRED':
        return this.deferred(event);
      case 'ADVANCED':
        return [texts.advanced(this.time(until))];
      case 'RESCHEDULED':
        return [texts.rescheduled(this.time(from), this.time(to))];
      case 'QUEUED':
        return [reason === 'JOB_LOST' ? texts.queuedAgain : texts.queued];
      case 'FAILED':
        return this.failed(event);
      case 'SENT':
        return this.sent(event);
      case 'SKIPPED':
        return [findReason(texts.skipped, reason) ?? texts.skippedFor(reason)];
      case 'DEAD':
        return [findReason(texts.dead, reason) ?? texts.deadFor(reason)];
      case 'REDRIVEN':
        return [texts.redriven];
    }
  }

  private planned({ rule: text = '', anchor = '' }: ReminderEvent): string[] {
    const { texts, context } = this;
    const { language, startsAt, timeZone } = context;
    const rule = parseReminderRule(text);
    if (rule === undefined) return [texts.plannedBy(text, anchor)];
    if (rule.kind === 'days')
      return [texts.plannedAfterCreation(describeDuration([{ count: rule.days, unit: 'day' }], language))];
    if (rule.kind === 'homework')
      return [texts.plannedForHomework(rule.day, rule.time, formatZone(rule.timeZone)), texts.dayOne];
    if (rule.kind === 'erased') return [texts.plannedForErasure(this.time(rule.startsAt))];
    const amount = describeDuration(rule.parts, language);
    const sentences = [
      amount === '' ? texts.plannedAtStart : rule.isBefore ? texts.plannedBefore(amount) : texts.plannedAfter(amount),
    ];
    if (startsAt !== undefined) sentences.push(texts.starts(this.time(startsAt)));
    if (startsAt !== undefined && hasDifferentUtcOffset(startsAt, this.reminder.dueAt, timeZone))
      sentences.push(
        rule.parts.some(({ unit }) => unit === 'day' || unit === 'week') ? texts.clocksKeep : texts.clocks,
      );
    return sentences;
  }

  private deferred({ reason = '', until, at, times = 1 }: ReminderEvent): string[] {
    const { texts } = this;
    const time = this.time(until ?? at);
    const told = reason === 'QUIET_HOURS' ? texts.quietHours(time) : texts.busy(time);
    return times > 1 ? [told, texts.times(times)] : [told];
  }

  private failed({ attempt = 1, channel, errorClass, until }: ReminderEvent): string[] {
    const { texts } = this;
    const told = texts.failed(attempt, this.channel(channel), errorClass ?? '');
    return until === undefined ? [told] : [told, texts.nextAttempt(this.time(until))];
  }

  private sent({ channel, late, fallback }: ReminderEvent): string[] {
    const { texts } = this;
    const sentences = [texts.sent(this.channel(channel))];
    if (late === true) sentences.push(texts.late);
    if (fallback !== undefined) sentences.push(texts.fallback);
    return sentences;
  }

  private channel(name: string | undefined): string {
    return name === undefined ? this.texts.someChannel : (this.texts.channels[name] ?? name);
  }

  private name(id: number | undefined): string {
    return (id !== undefined && this.context.careProviders?.get(id)) || this.texts.careProvider(id ?? 0);
  }

  private time(at: string): string {
    return formatInstant(at, this.context.timeZone, 'dateTime', this.context.language);
  }
}
