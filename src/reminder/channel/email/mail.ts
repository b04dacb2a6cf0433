import type { SendMailOptions } from 'nodemailer';
import type { ReminderMessage } from '../channel.js';

export type Mail = SendMailOptions;

/** A message as e-mail: the same Message-ID for every attempt, and a way out of further ones (RFC 8058). */
export function mailOf(message: ReminderMessage, to: string, from: string, publicUrl: string): Mail {
  const { text, optOutUrl } = message;
  return {
    from,
    to,
    subject: text.subject,
    text: `${text.plain}\n\n${text.optOut}\n${optOutUrl}\n`,
    html: text.html(optOutUrl),
    messageId: `<${message.messageId}@${new URL(publicUrl).hostname}>`,
    headers: {
      'List-Unsubscribe': `<${optOutUrl}>`,
      'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
      // Nobody is to answer a machine with a machine (RFC 3834).
      'Auto-Submitted': 'auto-generated',
    },
    // What a message says must not make the server fetch files or URLs.
    disableFileAccess: true,
    disableUrlAccess: true,
  };
}
