import { Injectable, Logger } from '@nestjs/common';
import { formatInstant } from '../../../shared/persistence/index.js';
import { ReminderChannel, type ReminderMessage } from '../channel.js';

/** The default channel: one structured log line for each reminder, without personal data. */
@Injectable()
export class LogChannel extends ReminderChannel {
  readonly name = 'log';
  private readonly logger = new Logger('Reminder');

  async deliver({ messageId, recipient, clinicId, sessionId, dueAt }: ReminderMessage): Promise<void> {
    this.logger.log(
      {
        event: 'reminder.delivered',
        channel: this.name,
        messageId,
        recipientKind: recipient.kind,
        recipientId: recipient.id,
        clinicId,
        sessionId,
        dueAt: formatInstant(dueAt),
      },
      'reminder delivered',
    );
  }
}
