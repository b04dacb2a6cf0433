import { Injectable, Logger } from '@nestjs/common';
import { standardOutput } from '../../../shared/log/index.js';
import { ReminderChannel, type Receipt, type ReminderMessage } from '../channel.js';

/** The default channel: one structured log line for each message, without personal data. */
@Injectable()
export class LogChannel extends ReminderChannel {
  readonly name = 'LOG';
  readonly isConfigured = true;
  /** Nobody is waited for: as many as are written down together. */
  override readonly concurrency = 100;
  private readonly logger = new Logger('Reminder');

  async deliver({ messageId, recipient, clinicId, items, late }: ReminderMessage): Promise<Receipt> {
    this.logger.log(
      {
        event: 'reminder.delivered',
        channel: this.name,
        messageId,
        recipientKind: recipient.kind,
        recipientId: recipient.id,
        clinicId,
        reminderIds: items.map(({ reminderId }) => reminderId),
        sessionIds: [...new Set(items.map(({ sessionId }) => sessionId))],
        late,
      },
      'reminder delivered',
    );
    // A line that waits in memory is lost with the process: it counts as delivered when it has left it.
    await standardOutput.flush();
    return {};
  }
}
