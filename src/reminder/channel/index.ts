import type { Type } from '@nestjs/common';
import type { ReminderChannel } from './channel.js';
import { EmailChannel } from './email/email.channel.js';
import { LogChannel } from './log/log.channel.js';
import { WebhookChannel } from './webhook/webhook.channel.js';

/** All channels by name, in the order in which they are tried if neither the recipient nor the Clinic has chosen any. */
const CHANNELS = checkNames({ EMAIL: EmailChannel, WEBHOOK: WebhookChannel, LOG: LogChannel });

export const CHANNEL_CLASSES: Type<ReminderChannel>[] = Object.values(CHANNELS);
export const CHANNEL_NAMES: readonly string[] = Object.keys(CHANNELS);

/** Returns its argument. Does not compile if a channel has another name than its key. */
function checkNames<Channels extends { [Name in keyof Channels]: Type<ReminderChannel & { name: Name }> }>(
  channels: Channels,
): Channels {
  return channels;
}
