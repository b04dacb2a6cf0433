import { EmailChannel } from './email/email.channel.js';
import { LogChannel } from './log/log.channel.js';
import { WebhookChannel } from './webhook/webhook.channel.js';

/** All channels, in the order in which they are tried if neither the recipient nor the Clinic has chosen any. */
export const CHANNEL_CLASSES = [EmailChannel, WebhookChannel, LogChannel];
