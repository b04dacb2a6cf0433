import ical, { ICalCalendarMethod, ICalEventClass } from 'ical-generator';
import type { SendMailOptions } from 'nodemailer';
import type { MessageReminder, ReminderMessage } from '../channel.js';

export type ReminderMail = SendMailOptions & { subject: string; text: string };

/** Creates an e-mail with one-click unsubscribe (RFC 8058) and the same Message-ID in every attempt. */
export function toReminderMail(message: ReminderMessage, to: string, from: string, publicUrl: string): ReminderMail {
  const { text, optOutUrl } = message;
  const { host, hostname } = new URL(publicUrl);
  const sessions = new Map(message.items.filter(isOfSession).map((item) => [item.sessionId, item]));
  // A message with several Sessions has no attachment, because some calendar programs import only the first event.
  const [session] = sessions.size === 1 ? sessions.values() : [];
  return {
    from,
    to,
    subject: text.subject,
    text: optOutUrl === null ? `${text.plain}\n` : `${text.plain}\n\n${text.optOut}\n${optOutUrl}\n`,
    html: text.html(optOutUrl),
    // Uses the host name without the port, because a domain cannot contain a port (RFC 5322, section 3.6.4).
    messageId: `<${message.messageId}@${hostname}>`,
    ...(session === undefined ? {} : { attachments: [toCalendarAttachment(session, text.eventTitle, host)] }),
    headers: {
      ...(optOutUrl !== null && {
        'List-Unsubscribe': `<${optOutUrl}>`,
        'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
      }),
      // This header prevents automatic replies (RFC 3834).
      'Auto-Submitted': 'auto-generated',
    },
    // These options prevent nodemailer from reading files or URLs that the message content refers to.
    disableFileAccess: true,
    disableUrlAccess: true,
  };
}

type SessionItem = MessageReminder & { event: NonNullable<MessageReminder['event']> };

function isOfSession(item: MessageReminder): item is SessionItem {
  return item.kind === 'SESSION' && item.event !== null;
}

/**
 * The Session as a calendar event, with the same UID as in the calendar feed but without its title or any names.
 *
 * @param title a neutral title in the language of the recipient, like that of a discreet feed
 */
function toCalendarAttachment(
  { sessionId, startsAt, dueAt, event: { endsAt, version } }: SessionItem,
  title: string,
  host: string,
) {
  const calendar = ical({
    method: ICalCalendarMethod.PUBLISH,
    events: [
      {
        id: `session-${sessionId}@${host}`,
        sequence: version - 1,
        // The due time is used so that the timestamp is the same in every attempt.
        stamp: dueAt,
        start: startsAt,
        end: endsAt,
        summary: title,
        class: ICalEventClass.PRIVATE,
      },
    ],
  });
  const contentType = 'text/calendar; charset=utf-8; method=PUBLISH';
  return { filename: 'appointment.ics', contentType, content: `${calendar.toString()}\r\n` };
}
