import { z } from 'zod';
import { longId } from '../../shared/validation/index.js';
import { RECIPIENT_KINDS } from '../domain/reminder-kinds.js';

const channelMessageSchema = z
  .object({
    channel: z.string().meta({ description: 'The channel.', example: 'EMAIL' }),
    subject: z.string().nullable().meta({ description: 'Subject of an e-mail.', example: 'A reminder for you' }),
    body: z.string().meta({
      description: 'EMAIL: the plain text. WEBHOOK: the JSON that is posted. LOG: the JSON of the log line.',
      example: 'Hello, …',
    }),
  })
  .meta({ id: 'ChannelMessage', description: 'A message as one channel sends it.' });

export const reminderMessageSchema = z
  .object({
    recipientKind: z
      .enum(RECIPIENT_KINDS)
      .meta({ description: 'Whether the recipient is a Client or a Care Provider.', example: 'CLIENT' }),
    recipientId: longId('Id of the Client or Care Provider.'),
    reminderIds: z.array(longId('A reminder.')).meta({ description: 'All reminders in the message.', example: [31] }),
    late: z.boolean().meta({ description: 'Whether the message tells the recipient that it is late.', example: false }),
    channels: z
      .array(channelMessageSchema)
      .meta({ description: 'SENT: the channel used. Else those that can reach the recipient, first tried first.' }),
  })
  .meta({ id: 'ReminderMessage', description: 'The message that contains a reminder.' });

export type ReminderMessageModel = z.output<typeof reminderMessageSchema>;
