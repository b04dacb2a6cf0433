import { Injectable, Logger } from '@nestjs/common';
import { standardOutput } from '../../../shared/log/index.js';
import { ReminderChannel, type ComposedMessage, type DeliveryReceipt, type ReminderMessage } from '../channel.js';

/** The default channel. Writes one structured log line per message, without personal data. */
@Injectable()
export class LogChannel extends ReminderChannel {
  readonly name = 'LOG';
  readonly isConfigured = true;
  /** This channel writes only to the log, so no external system limits the number of concurrent deliveries. */
  override readonly concurrency = 100;
  private readonly logger = new Logger('Reminder');

  async deliver(message: ReminderMessage): Promise<DeliveryReceipt> {
    this.logger.log(this.toLogEntry(message), 'reminder delivered');
    // A buffered line is lost if the process ends, so a message counts as delivered only once its line is written.
    await standardOutput.flush();
    return {};
  }

  compose(message: ReminderMessage): ComposedMessage {
    return { subject: null, body: JSON.stringify(this.toLogEntry(message)) };
  }

  private toLogEntry({ messageId, recipient, clinicId, items, late }: ReminderMessage) {
    return {
      event: 'reminder.delivered',
      channel: this.name,
      messageId,
      recipientKind: recipient.kind,
      recipientId: recipient.id,
      clinicId,
      reminderIds: items.map(({ reminderId }) => reminderId),
      sessionIds: [...new Set(items.map(({ sessionId }) => sessionId))],
      late,
    };
  }
}
