import { EmailChannel } from './email/email.channel.js';
import { LogChannel } from './log/log.channel.js';
import { WebhookChannel } from './webhook/webhook.channel.js';

/** Every channel, in the order in which they are tried where nobody has said otherwise. One line registers one. */
export const CHANNELS = [EmailChannel, WebhookChannel, LogChannel];
