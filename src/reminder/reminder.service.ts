import { EntityManager } from '@mikro-orm/core';
import { Injectable } from '@nestjs/common';
import { InvalidRequestError } from '../shared/errors/index.js';
import { isStorable } from '../shared/persistence/index.js';
import { Reminder, type Recipient, type ReminderRule, type ReminderSubject } from './reminder.entity.js';

/** A Session to be reminded of, and the two who are. */
export type ReminderOrder = ReminderSubject & { clientId: number; caregiverId: number };

/** Plans reminders. To be called within the transaction that makes what they remind of. */
@Injectable()
export class ReminderService {
  constructor(private readonly em: EntityManager) {}

  /**
   * For each Session and rule, one reminder for the Client and one for the Care Provider
   * (specification 4.2, rule 4).
   *
   * @throws InvalidRequestError when one would be due beyond the years 1 to 9999
   */
  async plan(orders: readonly ReminderOrder[], rules: readonly ReminderRule[], now: Temporal.Instant): Promise<void> {
    const reminders = orders.flatMap((order) =>
      rules.flatMap((rule) => recipientsOf(order).map((recipient) => new Reminder(order, recipient, rule, now))),
    );
    if (reminders.length === 0) return;
    if (!reminders.every((reminder) => isStorable(reminder.dueAt))) {
      throw new InvalidRequestError([
        { pointer: '/reminders', detail: 'every reminder must be due in the years 1 to 9999' },
      ]);
    }
    await this.em.insertMany(reminders);
  }
}

function recipientsOf({ clientId, caregiverId }: ReminderOrder): Recipient[] {
  return [
    { kind: 'CLIENT', id: clientId },
    { kind: 'CARE_PROVIDER', id: caregiverId },
  ];
}
