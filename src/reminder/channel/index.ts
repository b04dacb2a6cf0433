import type { Type } from '@nestjs/common';
import { CHANNEL_NAMES, type ChannelName } from './channel-names.js';
import type { ReminderChannel } from './channel.js';
import { EmailChannel } from './email/email.channel.js';
import { LogChannel } from './log/log.channel.js';
import { WebhookChannel } from './webhook/webhook.channel.js';

/** The class of each channel. The name in the class must be the same. */
const CHANNELS: { [Name in ChannelName]: Type<ReminderChannel & { name: Name }> } = {
  EMAIL: EmailChannel,
  WEBHOOK: WebhookChannel,
  LOG: LogChannel,
};

export const CHANNEL_CLASSES: Type<ReminderChannel>[] = CHANNEL_NAMES.map((name) => CHANNELS[name]);
