import ical, { ICalCalendarMethod, ICalEventClass } from 'ical-generator';
import type { SendMailOptions } from 'nodemailer';
import type { MessageItem, ReminderMessage } from '../channel.js';

export type Mail = SendMailOptions;

/** A message as e-mail: the same Message-ID for every attempt, and a way out of further ones (RFC 8058). */
export function mailOf(message: ReminderMessage, to: string, from: string, publicUrl: string): Mail {
  const { text, optOutUrl } = message;
  const { host, hostname } = new URL(publicUrl);
  const [item] = message.items;
  const isOneSession = message.items.length === 1 && item?.kind === 'SESSION';
  return {
    from,
    to,
    subject: text.subject,
    text: `${text.plain}\n\n${text.optOut}\n${optOutUrl}\n`,
    html: text.html(optOutUrl),
    // A domain has no port (RFC 5322, section 3.6.4).
    messageId: `<${message.messageId}@${hostname}>`,
    ...(isOneSession ? { attachments: [appointmentOf(item, host)] } : {}),
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

/** The Session for the recipient's calendar, under the name that its feed has; it says when, and not what. */
function appointmentOf({ sessionId, startsAt, endsAt, version, dueAt }: MessageItem, host: string) {
  const calendar = ical({
    method: ICalCalendarMethod.PUBLISH,
    events: [
      {
        id: `session-${sessionId}@${host}`,
        sequence: version - 1,
        // The same for every attempt.
        stamp: dueAt,
        start: startsAt,
        end: endsAt,
        summary: 'Appointment',
        class: ICalEventClass.PRIVATE,
      },
    ],
  });
  const contentType = 'text/calendar; charset=utf-8; method=PUBLISH';
  return { filename: 'appointment.ics', contentType, content: `${calendar.toString()}\r\n` };
}
