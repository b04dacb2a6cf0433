import { EmailChannel } from './email/email.channel.js';
import { LogChannel } from './log/log.channel.js';
import { WebhookChannel } from './webhook/webhook.channel.js';

/** All channels, in the order in which they are tried if the recipient and the Clinic have chosen none. */
export const CHANNELS = [EmailChannel, WebhookChannel, LogChannel];
