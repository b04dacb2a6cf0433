/*
 * Generated from the OpenAPI document by `npm run client:generate`. Do not edit: a test compares this file with the
 * document. It holds the types of the wire, the methods of the client, and a table of their methods and paths.
 */

import type { ApiPromise, ExportPromise, ListPromise } from './api-promise.js';
import type {
  CallOptions,
  Created,
  OperationDescription,
  PreferMinimal,
  PreferRepresentation,
  PreferStrict,
} from './operation.js';
import type { RecordVersion } from './record-versions.js';

/** An access of an administrator to the data of one Clinic. */
export interface AdministratorAccess {
  /**
   * Id of the access, for the header `Administrator-Access`.
   * @example 1
   */
  id: number;
  /**
   * The Clinic.
   * @example 1
   */
  clinicId: number;
  /**
   * Claim `sub` of the administrator's token.
   * @example admin
   */
  administrator: string;
  /**
   * Why the data must be read. `[erased]` if the Clinic was erased.
   * @example Support ticket 4711: the week shows a Session twice.
   */
  reason: string;
  /**
   * Whether the administrator can read the data now.
   * @example true
   */
  open: boolean;
  /**
   * Time of the opening.
   * @example 2027-03-21T09:30:00.000Z
   */
  openedAt: string;
  /**
   * When the access ends by itself.
   * @example 2027-03-21T09:45:00.000Z
   */
  expiresAt: string;
  /** Time at which it was ended early. Null otherwise. */
  endedAt: string | null;
  /**
   * Who ended it early: the administrator or the Clinic. Null otherwise.
   */
  endedBy: 'ADMIN' | 'CLINIC' | null;
}

/** One page. */
export interface AdministratorAccessPage {
  /** The items. */
  items: AdministratorAccess[];
  /** Value of `cursor` for the next page; null on the last page. */
  nextCursor: string | null;
}

/** How a Design Plan is applied to a Client. */
export interface ApplyClinicPlan {
  /**
   * Days between two Sessions, 1 to 365.
   * @example 7
   */
  intervalDays?: number | null;
  /**
   * Calendar days from the creation of each Session to a reminder for the Client and one for the Care Provider. Null: none.
   * @example 7
   */
  remindDays?: number | null;
  /** ISO 8601 durations relative to the Session's start, up to 10, each for both recipients. Calendar units count in local time, clock units exactly. */
  reminders?: string[] | null;
  /**
   * Duration of each Session in minutes, 1 to 720.
   * @example 50
   */
  durationMinutes?: number | null;
  /**
   * Date of the first Session, yyyy/MM/dd, on the wall clock of the request.
   * @example 2027/03/28
   */
  date: string;
  /**
   * Time of all Sessions, 24-hour clock HH:mm.
   * @example 09:30
   */
  time: string;
  /**
   * First week to apply, by its `ordering`. Default: the first.
   * @example 1
   */
  fromWeek?: number | null;
  /**
   * Last week to apply, by its `ordering`. Default: the last.
   * @example 8
   */
  toWeek?: number | null;
  /**
   * The Client, who is assigned to the Care Provider.
   * @example 1
   */
  clientId: number;
  /**
   * The Care Provider.
   * @example 1
   */
  caregiverId: number;
}

/** How a Design Plan is applied to a Client. */
export interface ApplyPlan {
  /**
   * Days between two Sessions, 1 to 365.
   * @example 7
   */
  intervalDays?: number | null;
  /**
   * Calendar days from the creation of each Session to a reminder for the Client and one for the Care Provider. Null: none.
   * @example 7
   */
  remindDays?: number | null;
  /** ISO 8601 durations relative to the Session's start, up to 10, each for both recipients. Calendar units count in local time, clock units exactly. */
  reminders?: string[] | null;
  /**
   * Duration of each Session in minutes, 1 to 720.
   * @example 50
   */
  durationMinutes?: number | null;
  /**
   * Date of the first Session, yyyy/MM/dd, on the wall clock of the request.
   * @example 2027/03/28
   */
  date: string;
  /**
   * Time of all Sessions, 24-hour clock HH:mm.
   * @example 09:30
   */
  time: string;
  /**
   * First week to apply, by its `ordering`. Default: the first.
   * @example 1
   */
  fromWeek?: number | null;
  /**
   * Last week to apply, by its `ordering`. Default: the last.
   * @example 8
   */
  toWeek?: number | null;
  /**
   * The Client, one of the assigned Clients of the caller.
   * @example 1
   */
  clientId: number;
  /**
   * Care Provider of the Sessions, of the same Clinic. Default: the caller. Null or 0: not given.
   * @example 1
   */
  caregiverId?: number | null;
}

/** The day and time of a homework reminder in the plan week. */
export interface AssignRemindModel {
  /**
   * Day of the plan week, 1 to 7; 1 is the week's first day, and 0 is read as 1.
   * @example 1
   */
  reminderDay: number;
  /**
   * Local time of the reminder, 24-hour clock HH:mm.
   * @example 09:30
   */
  time: string;
}

/** A Client that is assigned to the caller. */
export interface AssignedClient {
  /**
   * Id of the record.
   * @example 1
   */
  id: number;
  /**
   * Full name.
   * @example Alex Example
   */
  name: string;
  /**
   * False for a deactivated record: it is kept with all references to it, but nothing new can refer to it.
   * @example true
   */
  active: boolean;
  /**
   * The id in the system of record of the Clinic.
   * @example ehr-4711
   */
  externalId: string | null;
  /**
   * IANA time zone: the Client's own, or the Clinic's.
   * @example Europe/London
   */
  timeZone: string;
  /**
   * BCP 47 language tag: the Client's own, or the Clinic's. Null for English.
   * @example en
   */
  locale: string | null;
  /**
   * Whether the Client can get reminders by e-mail. The address is not shown.
   * @example true
   */
  hasEmail: boolean;
  /**
   * When the Client was assigned to the caller.
   * @example 2026-11-21T09:00:00.000Z
   */
  assignedAt: string;
}

/** One page. */
export interface AssignedClientPage {
  /** Value of `cursor` for the next page; null on the last page. */
  nextCursor: string | null;
  count?: ListCount;
  /** The items. */
  items: AssignedClient[];
}

/** A homework Book with its reminders. */
export interface AssignmentModel {
  /**
   * A homework Book of the shared catalogue or of the Clinic.
   * @example 1
   */
  bookId: number;
  /** Reminders of this Book, 0 to 20. */
  assignReminds?: AssignRemindModel[] | null;
}

/** One request with its actor, operation, records, time, address and outcome. */
export interface AuditEntry {
  /**
   * Id of the record.
   * @example 1
   */
  id: number;
  /**
   * Time of the request.
   * @example 2027-03-21T09:30:00.000Z
   */
  at: string;
  /**
   * The role of the token or of the secret link; `NOBODY` without a valid token; `COMMAND` for a command of an operator; `SYSTEM` for a change by the service.
   * @example CARE_PROVIDER
   */
  actorRole:
    | 'CLINIC'
    | 'CARE_PROVIDER'
    | 'CLIENT'
    | 'ADMIN'
    | 'CALENDAR_LINK'
    | 'OPT_OUT_LINK'
    | 'NOBODY'
    | 'COMMAND'
    | 'SYSTEM';
  /**
   * Id of the directory record that the token names; null if it names none.
   * @example 1
   */
  actorId: number | null;
  /**
   * Claim `sub` of the token; for a command the operating system account.
   * @example care-provider-1
   */
  actorSubject: string | null;
  /**
   * Whether the request reads or writes. A dry run reads.
   */
  access: 'READ' | 'WRITE';
  /**
   * Method and path as in this document; for a command its name, such as `command backup`.
   * @example GET /gateway/profile/caregiver/session/{id}
   */
  operation: string;
  /**
   * `OK`, or the status of a denied request.
   * @example OK
   */
  outcome: string;
  /**
   * Number of requests that the entry represents, usually 1. Denied requests without a token or to secret links are counted after the first one, for a minute, by address, operation and outcome.
   * @example 1
   */
  count: number;
  /** Kind and id of the records, at most a thousand. Further entries with the same `requestId` contain the others. */
  records: string[];
  /**
   * Number of records in all entries of the request.
   * @example 2
   */
  recordCount: number;
  /**
   * Id of the request, as in problems and logs.
   * @example 018f3b1e-7c1a-7000-8000-000000000000
   */
  requestId: string;
  /**
   * Client address.
   * @example 203.0.113.7
   */
  address: string;
}

/** One page. */
export interface AuditEntryPage {
  /** The items. */
  items: AuditEntry[];
  /** Value of `cursor` for the next page; null on the last page. */
  nextCursor: string | null;
}

/** A homework Book. */
export interface Book {
  /**
   * Id of the record.
   * @example 1
   */
  id: number;
  /**
   * The id in the system of record of the Clinic.
   * @example ehr-4711
   */
  externalId: string | null;
  /**
   * False for a deactivated record: it is kept with all references to it, but nothing new can refer to it.
   * @example true
   */
  active: boolean;
  /**
   * Increases with each change: the `ETag`, for `If-Match`.
   * @example 1
   */
  version: number;
  /**
   * Creation time.
   * @example 2026-11-21T09:00:00.000Z
   */
  createdAt: string;
  /**
   * The Clinic that the Book belongs to. Null for a Book of the shared catalogue.
   * @example 1
   */
  clinicId: number | null;
  /**
   * Title of the Book.
   * @example Sleep diary
   */
  title: string;
  /**
   * Description of the Book, or null.
   * @example One page for each night.
   */
  description: string | null;
  /**
   * An https link to the Book, or null.
   * @example https://example.org/sleep-diary
   */
  link: string | null;
}

/** An assigned Book, and whether the Client has completed it. */
export interface BookHomework {
  /**
   * Id of the record.
   * @example 1
   */
  id: number;
  /**
   * The Book.
   * @example 1
   */
  bookId: number;
  /** Time of completion by the Client. Null if it is not completed. */
  completedAt: string | null;
  /**
   * Title of the Book.
   * @example Sleeping well
   */
  bookTitle: string;
}

/** One page. */
export interface BookPage {
  /** Value of `cursor` for the next page; null on the last page. */
  nextCursor: string | null;
  count?: ListCount;
  /** The items. */
  items: Book[];
}

/** A link to a calendar, without its secret. */
export interface CalendarLink {
  /**
   * Id of the record.
   * @example 1
   */
  id: number;
  /**
   * The titles that the calendar shows.
   */
  titles: 'DISCREET' | 'FULL';
  /**
   * Creation time.
   * @example 2026-11-21T09:00:00.000Z
   */
  createdAt: string;
  /**
   * When the link stops working unless it is renewed.
   * @example 2027-11-22T09:00:00.000Z
   */
  expiresAt: string;
}

/** One page. */
export interface CalendarLinkPage {
  /** The items. */
  items: CalendarLink[];
  /** Value of `cursor` for the next page; null on the last page. */
  nextCursor: string | null;
}

/** The reason of a cancellation. */
export interface CancelSession {
  /**
   * Reason of the cancellation.
   */
  reason: 'CLIENT_REQUEST' | 'CARE_PROVIDER_REQUEST' | 'ILLNESS' | 'SCHEDULING_ERROR' | 'TREATMENT_ENDED' | 'OTHER';
  /**
   * The reason as text.
   * @example On holiday
   */
  note?: string | null;
}

/** A Care Provider (caregiver) of a Clinic. */
export interface CareProvider {
  /**
   * Id of the record.
   * @example 1
   */
  id: number;
  /**
   * The id in the system of record of the Clinic.
   * @example ehr-4711
   */
  externalId: string | null;
  /**
   * False for a deactivated record: it is kept with all references to it, but nothing new can refer to it.
   * @example true
   */
  active: boolean;
  /**
   * Increases with each change: the `ETag`, for `If-Match`.
   * @example 1
   */
  version: number;
  /**
   * Creation time.
   * @example 2026-11-21T09:00:00.000Z
   */
  createdAt: string;
  /**
   * Only of an erased record: when its contents were erased.
   * @example 2026-11-24T09:30:00.000Z
   */
  erasedAt?: string;
  /**
   * The Clinic.
   * @example 1
   */
  clinicId: number;
  /**
   * Full name.
   * @example Alex Example
   */
  name: string;
  /**
   * E-mail address for reminders, or null.
   * @example alex@example.org
   */
  email: string | null;
  /**
   * IANA time zone; null: the Clinic's.
   * @example Europe/London
   */
  timeZone: string | null;
  /**
   * BCP 47 language tag for reminders; null: the Clinic's, or English.
   * @example en
   */
  locale: string | null;
}

/** One page. */
export interface CareProviderPage {
  /** Value of `cursor` for the next page; null on the last page. */
  nextCursor: string | null;
  count?: ListCount;
  /** The items. */
  items: CareProvider[];
}

/** The fields of a homework Book to change. Absent fields do not change. */
export interface ChangeBook {
  /**
   * False for a deactivated record: it is kept with all references to it, but nothing new can refer to it.
   * @example true
   */
  active?: boolean;
  /**
   * The id in your own system, unique among your records of this kind (409).
   * @example ehr-1001
   */
  externalId?: string | null;
  /**
   * Description of the Book, or null.
   * @example One page for each night.
   */
  description?: string | null;
  /**
   * An https link to the Book, or null.
   * @example https://example.org/sleep-diary
   */
  link?: string | null;
  /**
   * Title of the Book.
   * @example Sleep diary
   */
  title?: string;
}

/** The fields of a Clinic to change. Absent fields do not change. */
export interface ChangeClinic {
  /**
   * False for a deactivated record: it is kept with all references to it, but nothing new can refer to it.
   * @example true
   */
  active?: boolean;
  /**
   * The id in your own system, unique among your records of this kind (409).
   * @example ehr-1001
   */
  externalId?: string | null;
  /**
   * Name of the Clinic.
   * @example Demo Clinic North
   */
  name?: string;
  /**
   * IANA time zone.
   * @example Europe/London
   */
  timeZone?: string;
  /**
   * BCP 47 language tag for reminders to people without a locale of their own. Null for English.
   * @example en-GB
   */
  locale?: string | null;
}

/** The fields of a Care Provider or Client to change. Absent fields do not change. */
export interface ChangePerson {
  /**
   * E-mail address for reminders, or null.
   * @example alex@example.org
   */
  email?: string | null;
  /**
   * IANA time zone; null: the Clinic's.
   * @example Europe/London
   */
  timeZone?: string | null;
  /**
   * BCP 47 language tag for reminders; null: the Clinic's, or English.
   * @example en
   */
  locale?: string | null;
  /**
   * False for a deactivated record: it is kept with all references to it, but nothing new can refer to it.
   * @example true
   */
  active?: boolean;
  /**
   * The id in your own system, unique among your records of this kind (409).
   * @example ehr-1001
   */
  externalId?: string | null;
  /**
   * Full name.
   * @example Alex Example
   */
  name?: string;
}

/** Changes only the fields that are present. Date and time are in the zone of the Session. */
export interface ChangeSession {
  /**
   * New title.
   * @example Sleep session
   */
  title?: string;
  /**
   * New description; null removes it.
   * @example Weekly review of the sleep diary
   */
  description?: string | null;
  /**
   * New date, yyyy/MM/dd. With a scope, the other Sessions move by the same number of days.
   * @example 2027/03/28
   */
  date?: string;
  /**
   * New time, HH:mm. With a scope, it also applies to Sessions at the same time as this one.
   * @example 09:30
   */
  time?: string;
  /**
   * Duration in minutes.
   * @example 50
   */
  durationMinutes?: number;
}

/** A message as one channel sends it. */
export interface ChannelMessage {
  /**
   * The channel.
   * @example EMAIL
   */
  channel: string;
  /**
   * Subject of an e-mail.
   * @example A reminder for you
   */
  subject: string | null;
  /**
   * EMAIL: the plain text. WEBHOOK: the JSON that is posted. LOG: the JSON of the log line.
   * @example Hello, …
   */
  body: string;
}

/** A Client, registered at a Clinic. */
export interface Client {
  /**
   * Id of the record.
   * @example 1
   */
  id: number;
  /**
   * The id in the system of record of the Clinic.
   * @example ehr-4711
   */
  externalId: string | null;
  /**
   * False for a deactivated record: it is kept with all references to it, but nothing new can refer to it.
   * @example true
   */
  active: boolean;
  /**
   * Increases with each change: the `ETag`, for `If-Match`.
   * @example 1
   */
  version: number;
  /**
   * Creation time.
   * @example 2026-11-21T09:00:00.000Z
   */
  createdAt: string;
  /**
   * Only of an erased record: when its contents were erased.
   * @example 2026-11-24T09:30:00.000Z
   */
  erasedAt?: string;
  /**
   * The Clinic.
   * @example 1
   */
  clinicId: number;
  /**
   * Full name.
   * @example Alex Example
   */
  name: string;
  /**
   * E-mail address for reminders, or null.
   * @example alex@example.org
   */
  email: string | null;
  /**
   * IANA time zone; null: the Clinic's.
   * @example Europe/London
   */
  timeZone: string | null;
  /**
   * BCP 47 language tag for reminders; null: the Clinic's, or English.
   * @example en
   */
  locale: string | null;
  /** The Care Providers the Client is assigned to. */
  careProviderIds: number[];
}

/** One request that concerns a Client. */
export interface ClientAuditEntry {
  /**
   * Id of the record.
   * @example 1
   */
  id: number;
  /**
   * Time of the request.
   * @example 2027-03-21T09:30:00.000Z
   */
  at: string;
  /**
   * The role of the token or of the secret link; `NOBODY` without a valid token; `COMMAND` for a command of an operator; `SYSTEM` for a change by the service.
   * @example CARE_PROVIDER
   */
  actorRole:
    | 'CLINIC'
    | 'CARE_PROVIDER'
    | 'CLIENT'
    | 'ADMIN'
    | 'CALENDAR_LINK'
    | 'OPT_OUT_LINK'
    | 'NOBODY'
    | 'COMMAND'
    | 'SYSTEM';
  /**
   * Id of the directory record that the token names; null if it names none.
   * @example 1
   */
  actorId: number | null;
  /**
   * Claim `sub` of the token; for a command the operating system account.
   * @example care-provider-1
   */
  actorSubject: string | null;
  /**
   * Whether the request reads or writes. A dry run reads.
   */
  access: 'READ' | 'WRITE';
  /**
   * Method and path as in this document; for a command its name, such as `command backup`.
   * @example GET /gateway/profile/caregiver/session/{id}
   */
  operation: string;
  /**
   * `OK`, or the status of a denied request.
   * @example OK
   */
  outcome: string;
  /**
   * Number of requests that the entry represents, usually 1. Denied requests without a token or to secret links are counted after the first one, for a minute, by address, operation and outcome.
   * @example 1
   */
  count: number;
  /** Kind and id of the records of this Client. */
  records: string[];
  /**
   * Client address of a request of this Client.
   * @example 203.0.113.7
   */
  address: string | null;
}

/** The data about one Client, with the audit entries about it. */
export interface ClientExport {
  /**
   * Start of the export.
   * @example 2027-03-21T09:30:00.000Z
   */
  exportedAt: string;
  clinic: Clinic;
  client: Client;
  preference: ReminderPreference;
  /** The Care Providers of the Client. */
  assignments: ExportedAssignment[];
  /** Calendar links. */
  calendarLinks: ExportedCalendarLink[];
  /** Applied Design Plans. */
  designPlans: ExportedDesignPlan[];
  /** Series. */
  series: ExportedSeries[];
  /** Sessions in all states, with homework. */
  sessions: Session[];
  /** Reminders to the Client. */
  reminders: ReminderWithHistory[];
  /** Requests that concern the Client. */
  audit: ClientAuditEntry[];
  /**
   * Absent if the export is incomplete.
   */
  isComplete: true;
}

/** One Book as homework of one Session. */
export interface ClientHomework {
  /**
   * Id of the record.
   * @example 1
   */
  id: number;
  /**
   * The Book.
   * @example 1
   */
  bookId: number;
  /** Time of completion by the Client. Null if it is not completed. */
  completedAt: string | null;
  /** With `include=client`: the Client. */
  client?: IncludedClient;
  /** With `include=careProvider`: the Care Provider. */
  careProvider?: IncludedCareProvider;
  /** With `include=books`: the Books of the homework. */
  books?: IncludedBook[];
  /**
   * Title of the Book.
   * @example Sleeping well
   */
  bookTitle: string;
  /**
   * The Session.
   * @example 11
   */
  sessionId: number;
  /**
   * Due date, yyyy/MM/dd, in `timeZone`: the date of the next Session of the series that is not cancelled. Homework of the last Session is due one interval later.
   * @example 2027/04/04
   */
  dueDate: string;
  /**
   * The zone of the Session.
   * @example Europe/London
   */
  timeZone: string;
  /**
   * true while its Session is paused: `dueDate` is the previously planned date, which may change.
   * @example false
   */
  paused: boolean;
  /** Upcoming reminders of the homework. */
  remindersAhead: {
    /**
     * Due time.
     * @example 2027-03-28T08:30:00.000Z
     */
    dueAt: string;
    /**
     * The due time, unless quiet hours or a retry have changed it.
     * @example 2027-03-28T08:30:00.000Z
     */
    sendAt: string;
    /**
     * Local date, yyyy/MM/dd, in `timeZone`.
     * @example 2027/03/28
     */
    date: string;
    /**
     * Local time, HH:mm, in `timeZone`.
     * @example 09:30
     */
    time: string;
    /**
     * Time zone of the date and time: an IANA name, or an offset such as +05:30.
     * @example Europe/London
     */
    timeZone: string;
  }[];
  /**
   * For synchronisation: increases with each change of the homework or its series. It is no `ETag`.
   * @example 5
   */
  version: number;
  /** With `include=progress`: progress of all homework of the Session. */
  progress?: Progress;
}

/** One page. */
export interface ClientHomeworkPage {
  /** Value of `cursor` for the next page; null on the last page. */
  nextCursor: string | null;
  count?: ListCount;
  /** Only while synchronising: changed records that the list does not contain (any more): the caller may not see them, they do not match the filters, or they were removed. */
  deleted?: Tombstone[];
  /** Only while synchronising: token for the next synchronisation; null except on the last page. */
  syncToken?: string | null;
  /** The items. */
  items: ClientHomework[];
}

/** One page. */
export interface ClientPage {
  /** Value of `cursor` for the next page; null on the last page. */
  nextCursor: string | null;
  count?: ListCount;
  /** The items. */
  items: Client[];
}

/** One appointment, as its Client sees it. */
export interface ClientSession {
  /**
   * The Care Provider.
   * @example 1
   */
  caregiverId: number;
  /**
   * Title.
   * @example First appointment
   */
  title: string;
  /**
   * Local date, yyyy/MM/dd, in `timeZone`.
   * @example 2027/03/28
   */
  date: string;
  /**
   * Local time, HH:mm, in `timeZone`.
   * @example 09:30
   */
  time: string;
  /**
   * Time zone of the date and time: an IANA name, or an offset such as +05:30.
   * @example Europe/London
   */
  timeZone: string;
  /**
   * Start.
   * @example 2027-03-28T08:30:00.000Z
   */
  startsAt: string;
  /**
   * End.
   * @example 2027-03-28T09:20:00.000Z
   */
  endsAt: string;
  /**
   * Duration in minutes.
   * @example 50
   */
  durationMinutes: number;
  /**
   * State of the Session.
   */
  status: 'SCHEDULED' | 'PAUSED' | 'COMPLETED' | 'NO_SHOW' | 'CANCELLED';
  /**
   * Id of the record.
   * @example 1
   */
  id: number;
  /**
   * Increases with each change: the `ETag`, for `If-Match`.
   * @example 1
   */
  version: number;
  progress: Progress;
  /** With `include=client`: the Client. */
  client?: IncludedClient;
  /** With `include=careProvider`: the Care Provider. */
  careProvider?: IncludedCareProvider;
  /** With `include=books`: the Books of the homework. */
  books?: IncludedBook[];
  /**
   * Purpose.
   * @example Getting to know each other
   */
  description: string | null;
  /** With `include=reminders`: the next 20 reminders that will be sent, by their due time; for a Care Provider, only of their own Sessions. */
  remindersAhead?: UpcomingReminder[];
  /** Homework of this Session. */
  homework: BookHomework[];
}

/** One page. */
export interface ClientSessionPage {
  /** Value of `cursor` for the next page; null on the last page. */
  nextCursor: string | null;
  count?: ListCount;
  /** Only while synchronising: changed records that the list does not contain (any more): the caller may not see them, they do not match the filters, or they were removed. */
  deleted?: Tombstone[];
  /** Only while synchronising: token for the next synchronisation; null except on the last page. */
  syncToken?: string | null;
  /** The items. */
  items: ClientSession[];
}

/** A Client's own Sessions of seven days. */
export interface ClientWeek {
  /**
   * Time zone of the days and local times.
   * @example Europe/London
   */
  timeZone: string;
  /**
   * Start of the week.
   * @example 2027-07-04T23:00:00.000Z
   */
  startsAt: string;
  /**
   * The first instant after the week.
   * @example 2027-07-11T23:00:00.000Z
   */
  endsAt: string;
  /** The seven days. */
  days: WeekDay[];
  /**
   * Whether the week has more than 1,000 Sessions, of which only the first 1,000 by start are returned.
   * @example false
   */
  isTruncated: boolean;
  /** In the order of their start. */
  sessions: ClientWeekSession[];
}

/** One appointment in the week of its Client. */
export interface ClientWeekSession {
  /**
   * The Care Provider.
   * @example 1
   */
  caregiverId: number;
  /**
   * Title.
   * @example First appointment
   */
  title: string;
  /**
   * Local date, yyyy/MM/dd, in `timeZone`.
   * @example 2027/03/28
   */
  date: string;
  /**
   * Local time, HH:mm, in `timeZone`.
   * @example 09:30
   */
  time: string;
  /**
   * Time zone of the date and time: an IANA name, or an offset such as +05:30.
   * @example Europe/London
   */
  timeZone: string;
  /**
   * Start.
   * @example 2027-03-28T08:30:00.000Z
   */
  startsAt: string;
  /**
   * End.
   * @example 2027-03-28T09:20:00.000Z
   */
  endsAt: string;
  /**
   * Duration in minutes.
   * @example 50
   */
  durationMinutes: number;
  /**
   * State of the Session.
   */
  status: 'SCHEDULED' | 'PAUSED' | 'COMPLETED' | 'NO_SHOW' | 'CANCELLED';
  /**
   * Id of the record.
   * @example 1
   */
  id: number;
  /**
   * Increases with each change: the `ETag`, for `If-Match`.
   * @example 1
   */
  version: number;
  progress: Progress;
  /**
   * The Sessions that one request has created are one series.
   * @example 019abcde-0000-7000-8000-000000000000
   */
  seriesId: string;
  /**
   * The Client.
   * @example 1
   */
  clientId: number;
  /**
   * The Design Plan that was applied, or that the creation named.
   * @example 1
   */
  designPlanId: number | null;
  /**
   * Position in the series by start, from 1. It does not change when Sessions move, but with a revision of the plan that adds or removes weeks.
   * @example 1
   */
  position: number;
  /**
   * `ordering` of the plan week, or null.
   * @example 1
   */
  planWeek: number | null;
  /** Local time of the start. */
  localStart: LocalTime;
  /** Local time of the end. */
  localEnd: LocalTime;
  client: IncludedClient;
  careProvider: IncludedCareProvider;
  /** Homework of this Session. */
  homework: BookHomework[];
  /** The next 20 reminders that will be sent, by their due time; for a Care Provider, only of their own Sessions. */
  remindersAhead: UpcomingReminder[];
}

/** A Clinic. */
export interface Clinic {
  /**
   * Id of the record.
   * @example 1
   */
  id: number;
  /**
   * The id in the system of record of the Clinic.
   * @example ehr-4711
   */
  externalId: string | null;
  /**
   * False for a deactivated record: it is kept with all references to it, but nothing new can refer to it.
   * @example true
   */
  active: boolean;
  /**
   * Increases with each change: the `ETag`, for `If-Match`.
   * @example 1
   */
  version: number;
  /**
   * Creation time.
   * @example 2026-11-21T09:00:00.000Z
   */
  createdAt: string;
  /**
   * Only of an erased record: when its contents were erased.
   * @example 2026-11-24T09:30:00.000Z
   */
  erasedAt?: string;
  /**
   * Name of the Clinic.
   * @example Demo Clinic North
   */
  name: string;
  /**
   * IANA time zone.
   * @example Europe/London
   */
  timeZone: string;
  /**
   * BCP 47 language tag for reminders to people without a locale of their own. Null for English.
   * @example en-GB
   */
  locale: string | null;
}

/** One Book as homework of one Session, with its participants. */
export interface ClinicHomework {
  /**
   * Id of the record.
   * @example 1
   */
  id: number;
  /**
   * The Book.
   * @example 1
   */
  bookId: number;
  /** Time of completion by the Client. Null if it is not completed. */
  completedAt: string | null;
  /** With `include=client`: the Client. */
  client?: IncludedClient;
  /** With `include=careProvider`: the Care Provider. */
  careProvider?: IncludedCareProvider;
  /** With `include=books`: the Books of the homework. */
  books?: IncludedBook[];
  /**
   * Title of the Book.
   * @example Sleeping well
   */
  bookTitle: string;
  /**
   * The Session.
   * @example 11
   */
  sessionId: number;
  /**
   * Due date, yyyy/MM/dd, in `timeZone`: the date of the next Session of the series that is not cancelled. Homework of the last Session is due one interval later.
   * @example 2027/04/04
   */
  dueDate: string;
  /**
   * The zone of the Session.
   * @example Europe/London
   */
  timeZone: string;
  /**
   * true while its Session is paused: `dueDate` is the previously planned date, which may change.
   * @example false
   */
  paused: boolean;
  /** Upcoming reminders of the homework. */
  remindersAhead: {
    /**
     * Due time.
     * @example 2027-03-28T08:30:00.000Z
     */
    dueAt: string;
    /**
     * The due time, unless quiet hours or a retry have changed it.
     * @example 2027-03-28T08:30:00.000Z
     */
    sendAt: string;
    /**
     * Local date, yyyy/MM/dd, in `timeZone`.
     * @example 2027/03/28
     */
    date: string;
    /**
     * Local time, HH:mm, in `timeZone`.
     * @example 09:30
     */
    time: string;
    /**
     * Time zone of the date and time: an IANA name, or an offset such as +05:30.
     * @example Europe/London
     */
    timeZone: string;
  }[];
  /**
   * For synchronisation: increases with each change of the homework or its series. It is no `ETag`.
   * @example 5
   */
  version: number;
  /** With `include=progress`: progress of all homework of the Session. */
  progress?: Progress;
  /**
   * The Client.
   * @example 1
   */
  clientId: number;
  /**
   * The Care Provider.
   * @example 1
   */
  caregiverId: number;
}

/** One page. */
export interface ClinicHomeworkPage {
  /** Value of `cursor` for the next page; null on the last page. */
  nextCursor: string | null;
  count?: ListCount;
  /** Only while synchronising: changed records that the list does not contain (any more): the caller may not see them, they do not match the filters, or they were removed. */
  deleted?: Tombstone[];
  /** Only while synchronising: token for the next synchronisation; null except on the last page. */
  syncToken?: string | null;
  /** The items. */
  items: ClinicHomework[];
}

/** One page. */
export interface ClinicPage {
  /** Value of `cursor` for the next page; null on the last page. */
  nextCursor: string | null;
  count?: ListCount;
  /** The items. */
  items: Clinic[];
}

/** Fields in which the new plan differs. */
export interface CloneDesignPlan {
  /**
   * Name of the new plan. Default: the name of the original.
   * @example Sleep, for shift workers
   */
  planName?: string;
  /**
   * Whether the new plan is a template. Default: false.
   * @example false
   */
  template?: boolean;
}

/** A Care Provider of the caller's Clinic. */
export interface Colleague {
  /**
   * Id of the record.
   * @example 1
   */
  id: number;
  /**
   * Full name.
   * @example Alex Example
   */
  name: string;
  /**
   * False for a deactivated record: it is kept with all references to it, but nothing new can refer to it.
   * @example true
   */
  active: boolean;
}

/** One page. */
export interface ColleaguePage {
  /** Value of `cursor` for the next page; null on the last page. */
  nextCursor: string | null;
  count?: ListCount;
  /** The items. */
  items: Colleague[];
}

/** The Clinic whose data to read, why, and for how long. */
export interface CreateAdministratorAccess {
  /**
   * The Clinic whose data to read.
   * @example 1
   */
  clinicId: number;
  /**
   * Why the data must be read, 1 to 500 characters. The Clinic reads it. Must not name a Client.
   * @example Support ticket 4711: the week shows a Session twice.
   */
  reason: string;
  /**
   * Minutes until the access ends by itself, 1 to 60. Default: 30.
   * @example 15
   */
  minutes?: number | null;
}

/** A new homework Book. */
export interface CreateBook {
  /**
   * Description of the Book, or null.
   * @example One page for each night.
   */
  description?: string | null;
  /**
   * An https link to the Book, or null.
   * @example https://example.org/sleep-diary
   */
  link?: string | null;
  /**
   * Title of the Book.
   * @example Sleep diary
   */
  title: string;
  /**
   * The id in your own system, unique among your records of this kind (409).
   * @example ehr-4711
   */
  externalId?: string | null;
}

/** Which titles the calendar shows. */
export interface CreateCalendarLink {
  /**
   * DISCREET: every event is just called "Appointment", in the language of your `locale`. FULL: title and description of the Session. Absent: DISCREET.
   */
  titles?: 'DISCREET' | 'FULL' | null;
}

/** A new Clinic. */
export interface CreateClinic {
  /**
   * Name of the Clinic.
   * @example Demo Clinic North
   */
  name: string;
  /**
   * IANA time zone.
   * @example Europe/London
   */
  timeZone: string;
  /**
   * BCP 47 language tag for reminders to people without a locale of their own. Null for English.
   * @example en-GB
   */
  locale?: string | null;
  /**
   * The id in your own system, unique among your records of this kind (409).
   * @example ehr-4711
   */
  externalId?: string | null;
}

/** New Sessions of one series. */
export interface CreateClinicSessions {
  /**
   * Days between two Sessions, 1 to 365.
   * @example 7
   */
  intervalDays?: number | null;
  /**
   * Calendar days from the creation of each Session to a reminder for the Client and one for the Care Provider. Null: none.
   * @example 7
   */
  remindDays?: number | null;
  /** ISO 8601 durations relative to the Session's start, up to 10, each for both recipients. Calendar units count in local time, clock units exactly. */
  reminders?: string[] | null;
  /**
   * Duration of each Session in minutes, 1 to 720.
   * @example 50
   */
  durationMinutes?: number | null;
  /**
   * Date of the (first) Session, yyyy/MM/dd, on the wall clock of the request. Past dates are allowed.
   * @example 2027/03/28
   */
  date: string;
  /**
   * Time of the Session, 24-hour clock HH:mm. A time that a clock change skips moves later by the gap; of a repeated time, the first is used.
   * @example 09:30
   */
  time: string;
  /**
   * Purpose of the Session.
   * @example Getting to know each other
   */
  description?: string | null;
  /**
   * Number of Sessions, 1 to 100. Absent, null and 0: one. All or none are created.
   * @example 1
   */
  sessionCount?: number | null;
  /** Books that become homework of every Session. Null: none. Duplicates are ignored. */
  bookIdList?: number[] | null;
  /**
   * A plan of the Clinic that provides an absent title and description, but no homework. Null or 0: not given.
   * @example 0
   */
  designPlanId?: number | null;
  /**
   * The Client, who is assigned to the Care Provider.
   * @example 1
   */
  clientId: number;
  /**
   * The Care Provider.
   * @example 1
   */
  caregiverId: number;
  /**
   * Title. Optional if the Design Plan gives one.
   * @example First appointment
   */
  title?: string | null;
}

/** The name is mandatory, as `planName` or as `name`; all else is optional. Two fields have a second name: `name` for `planName`, `createDate` for `createdDate`. Both with different values are refused. The creation ignores unknown fields unless the request prefers strict handling. */
export interface CreateDesignPlan {
  /**
   * Name of the plan, 1 to 200 characters. Mandatory, here or as `name`.
   * @example Eight weeks of better sleep
   */
  planName?: string;
  /**
   * Date of creation: `yyyy/MM/dd HH:mm`, `yyyy/MM/dd`, `d/M/yy h:mm AM|PM`, or an ISO 8601 date-time; without an offset, in the zone of the request. Default: now.
   * @example 2023/08/21 09:30
   */
  createdDate?: string | null;
  /**
   * Title of Sessions created by this plan.
   * @example Sleep session
   */
  appointmentTitle?: string | null;
  /**
   * Description of Sessions created by this plan.
   * @example Weekly review of the sleep diary
   */
  appointmentDesc?: string | null;
  /**
   * Care Provider of the plan, of the same Clinic. Null or 0: not given.
   * @example 1
   */
  caregiverId?: number | null;
  /**
   * Clinic that owns the plan; only the caller's. Null or 0: not given.
   * @example 1
   */
  clinicId?: number | null;
  /**
   * True for a template, from which the Clinic clones plans.
   * @example false
   */
  template?: boolean | null;
  /** The weeks of the plan, 0 to 104; at most 1,000,000 bytes as read. */
  weeks?: WeekModel[] | null;
  /**
   * Another name of `planName`. Only one of the two is needed.
   * @example Eight weeks of better sleep
   */
  name?: string;
  /**
   * Another name of `createdDate`. Only one of the two is needed.
   * @example 2023/08/21 09:30
   */
  createDate?: string | null;
}

/** Why the data is erased. */
export interface CreateErasure {
  /**
   * The ground, as in article 17(1) GDPR.
   */
  reason:
    | 'SUBJECT_REQUEST'
    | 'CONSENT_WITHDRAWN'
    | 'OBJECTION'
    | 'NO_LONGER_NEEDED'
    | 'UNLAWFUL_PROCESSING'
    | 'LEGAL_OBLIGATION'
    | 'CONTRACT_ENDED';
  /**
   * The number of your case, without personal data, or null.
   * @example DSR-2026/0042
   */
  caseReference?: string | null;
}

/** A new Care Provider or Client. */
export interface CreatePerson {
  /**
   * E-mail address for reminders, or null.
   * @example alex@example.org
   */
  email?: string | null;
  /**
   * IANA time zone; null: the Clinic's.
   * @example Europe/London
   */
  timeZone?: string | null;
  /**
   * BCP 47 language tag for reminders; null: the Clinic's, or English.
   * @example en
   */
  locale?: string | null;
  /**
   * Full name.
   * @example Alex Example
   */
  name: string;
  /**
   * The id in your own system, unique among your records of this kind (409).
   * @example ehr-4711
   */
  externalId?: string | null;
}

/** `clientId`, `date` and `time` are mandatory; so is the title, unless the Design Plan gives one. Different values for the two names of a field are refused. Unknown fields are ignored unless the request prefers strict handling. */
export interface CreateSessions {
  /**
   * Days between two Sessions, 1 to 365.
   * @example 7
   */
  intervalDays?: number | null;
  /**
   * Calendar days from the creation of each Session to a reminder for the Client and one for the Care Provider. Null: none.
   * @example 7
   */
  remindDays?: number | null;
  /** ISO 8601 durations relative to the Session's start, up to 10, each for both recipients. Calendar units count in local time, clock units exactly. */
  reminders?: string[] | null;
  /**
   * Duration of each Session in minutes, 1 to 720.
   * @example 50
   */
  durationMinutes?: number | null;
  /**
   * Date of the (first) Session, yyyy/MM/dd, on the wall clock of the request. Past dates are allowed.
   * @example 2027/03/28
   */
  date: string;
  /**
   * Time of the Session, 24-hour clock HH:mm. A time that a clock change skips moves later by the gap; of a repeated time, the first is used.
   * @example 09:30
   */
  time: string;
  /**
   * Purpose of the Session.
   * @example Getting to know each other
   */
  description?: string | null;
  /**
   * Number of Sessions, 1 to 100. Absent, null and 0: one. All or none are created.
   * @example 1
   */
  sessionCount?: number | null;
  /** Books that become homework of every Session. Null: none. Duplicates are ignored. */
  bookIdList?: number[] | null;
  /**
   * A plan of the Clinic that provides an absent title and description, but no homework. Null or 0: not given.
   * @example 0
   */
  designPlanId?: number | null;
  /**
   * The Client, one of the assigned Clients of the caller.
   * @example 1
   */
  clientId: number;
  /**
   * Title. Optional if the Design Plan gives one. Also named `Title`.
   * @example First appointment
   */
  title?: string | null;
  /**
   * Care Provider of the Sessions, of the same Clinic. Default: the caller. Also named `CareProviderId`. Null or 0: not given.
   * @example 1
   */
  caregiverId?: number | null;
  /**
   * Clinic where the Client is registered; only the caller's. Null or 0: not given.
   * @example 1
   */
  clinicId?: number | null;
  /**
   * Ignored: the service assigns ids.
   * @example 0
   */
  id?: unknown;
  /**
   * Another name of `caregiverId`. Only one of the two is needed.
   * @example 1
   */
  CareProviderId?: number | null;
  /**
   * Another name of `title`. Only one of the two is needed.
   * @example First appointment
   */
  Title?: string | null;
}

/** A link to a calendar, with its new secret. */
export interface CreatedCalendarLink {
  /**
   * Id of the record.
   * @example 1
   */
  id: number;
  /**
   * The URL for the calendar program. Keep it secret: it is not shown again.
   * @example https://care.example.org/calendar/3q2-7wEjRWeJq83vASNFZ4mrze8BI0VniavN7wEjRWc.ics
   */
  url: string;
  /**
   * When the link stops working unless it is renewed.
   * @example 2027-11-22T09:00:00.000Z
   */
  expiresAt: string;
}

/** The differences between two revisions of a plan. */
export interface DesignPlanDiff {
  /** What differs in weeks. */
  weeks: {
    /** Weeks that only the second revision has. */
    added: PlacedWeek[];
    /** Weeks that only the first revision has. */
    removed: PlacedWeek[];
    /** Weeks that both have, at different places. */
    moved: {
      from: PlacedWeek;
      to: PlacedWeek;
    }[];
  };
  /** What differs in books. */
  books: {
    /** Books that only the second revision has. */
    added: PlacedBook[];
    /** Books that only the first revision has. */
    removed: PlacedBook[];
    /** Books that both have, at different places. */
    moved: {
      from: PlacedBook;
      to: PlacedBook;
    }[];
  };
  /** What differs in reminders. */
  reminders: {
    /** Reminders that only the second revision has. */
    added: PlacedReminder[];
    /** Reminders that only the first revision has. */
    removed: PlacedReminder[];
    /** Reminders that both have, at different places. */
    moved: {
      from: PlacedReminder;
      to: PlacedReminder;
    }[];
  };
}

/** A Design Plan as one JSON document, for export and import. */
export interface DesignPlanDocument {
  /**
   * The kind of document.
   */
  format: 'care-scheduling/design-plan';
  /**
   * Version of the format.
   */
  formatVersion: 1;
  plan: DesignPlanDocumentContent;
}

/** What the plan says. */
export interface DesignPlanDocumentContent {
  /**
   * Name of the plan.
   * @example Eight weeks of better sleep
   */
  planName: string;
  /**
   * Title of Sessions created by this plan.
   * @example Sleep session
   */
  appointmentTitle: string | null;
  /**
   * Description of Sessions created by this plan.
   * @example Weekly review
   */
  appointmentDesc: string | null;
  /**
   * Date of creation.
   * @example 2023-08-21T08:30:00.000Z
   */
  createdDate: string;
  /**
   * true for a template, from which the Clinic clones plans.
   * @example false
   */
  template: boolean;
  /** The weeks, in `ordering` order. */
  weeks: StoredWeekModel[];
}

/** A Design Plan as stored (specification, 2.3). */
export interface DesignPlanModel {
  /**
   * Name of the plan.
   * @example Eight weeks of better sleep
   */
  planName: string;
  /**
   * Title of Sessions created by this plan.
   * @example Sleep session
   */
  appointmentTitle: string | null;
  /**
   * Description of Sessions created by this plan.
   * @example Weekly review
   */
  appointmentDesc: string | null;
  /**
   * Care Provider of the plan.
   * @example 1
   */
  caregiverId: number | null;
  /**
   * Number of the revision: starts at 1, and increases with each change of the content.
   * @example 1
   */
  revision: number;
  /**
   * Id of the record.
   * @example 1
   */
  id: number;
  /**
   * Date of creation.
   * @example 2023-08-21T08:30:00.000Z
   */
  createdDate: string;
  /**
   * The Clinic.
   * @example 1
   */
  clinicId: number;
  /**
   * true for a template, from which the Clinic clones plans.
   * @example false
   */
  template: boolean;
  /**
   * true if the plan is archived.
   * @example false
   */
  archived: boolean;
  /**
   * Increases with each change: the `ETag`, for `If-Match`.
   * @example 1
   */
  version: number;
  /** The weeks, in `ordering` order. */
  weeks: StoredWeekModel[];
}

/** One page. */
export interface DesignPlanPage {
  /** Value of `cursor` for the next page; null on the last page. */
  nextCursor: string | null;
  count?: ListCount;
  /** Only while synchronising: changed records that the list does not contain (any more): the caller may not see them, they do not match the filters, or they were removed. */
  deleted?: Tombstone[];
  /** Only while synchronising: token for the next synchronisation; null except on the last page. */
  syncToken?: string | null;
  /** The items. */
  items: DesignPlanSummary[];
}

/** The content of a Design Plan at one revision. */
export interface DesignPlanRevision {
  /**
   * Name of the plan.
   * @example Eight weeks of better sleep
   */
  planName: string;
  /**
   * Title of Sessions created by this plan.
   * @example Sleep session
   */
  appointmentTitle: string | null;
  /**
   * Description of Sessions created by this plan.
   * @example Weekly review
   */
  appointmentDesc: string | null;
  /**
   * Care Provider of the plan.
   * @example 1
   */
  caregiverId: number | null;
  /**
   * Number of the revision: starts at 1, and increases with each change of the content.
   * @example 1
   */
  revision: number;
  /** Time at which the next revision replaced it. Null for the current revision. */
  supersededAt: string | null;
  /** The weeks, in `ordering` order. */
  weeks: StoredWeekModel[];
}

/** One page. */
export interface DesignPlanRevisionPage {
  /** The items. */
  items: DesignPlanRevisionSummary[];
  /** Value of `cursor` for the next page; null on the last page. */
  nextCursor: string | null;
}

/** A revision of a Design Plan, without its weeks. */
export interface DesignPlanRevisionSummary {
  /**
   * Name of the plan.
   * @example Eight weeks of better sleep
   */
  planName: string;
  /**
   * Title of Sessions created by this plan.
   * @example Sleep session
   */
  appointmentTitle: string | null;
  /**
   * Description of Sessions created by this plan.
   * @example Weekly review
   */
  appointmentDesc: string | null;
  /**
   * Care Provider of the plan.
   * @example 1
   */
  caregiverId: number | null;
  /**
   * Number of the revision: starts at 1, and increases with each change of the content.
   * @example 1
   */
  revision: number;
  /** Time at which the next revision replaced it. Null for the current revision. */
  supersededAt: string | null;
}

/** A Design Plan without its weeks. */
export interface DesignPlanSummary {
  /**
   * Name of the plan.
   * @example Eight weeks of better sleep
   */
  planName: string;
  /**
   * Title of Sessions created by this plan.
   * @example Sleep session
   */
  appointmentTitle: string | null;
  /**
   * Description of Sessions created by this plan.
   * @example Weekly review
   */
  appointmentDesc: string | null;
  /**
   * Care Provider of the plan.
   * @example 1
   */
  caregiverId: number | null;
  /**
   * Number of the revision: starts at 1, and increases with each change of the content.
   * @example 1
   */
  revision: number;
  /**
   * Id of the record.
   * @example 1
   */
  id: number;
  /**
   * Date of creation.
   * @example 2023-08-21T08:30:00.000Z
   */
  createdDate: string;
  /**
   * The Clinic.
   * @example 1
   */
  clinicId: number;
  /**
   * true for a template, from which the Clinic clones plans.
   * @example false
   */
  template: boolean;
  /**
   * true if the plan is archived.
   * @example false
   */
  archived: boolean;
  /**
   * Increases with each change: the `ETag`, for `If-Match`.
   * @example 1
   */
  version: number;
}

/** Records of one kind. */
export interface ErasedCount {
  /**
   * The kind of records.
   * @example sessions
   */
  kind:
    | 'reminders'
    | 'homework'
    | 'sessions'
    | 'series'
    | 'assignments'
    | 'preferences'
    | 'calendarLinks'
    | 'optOutLinks'
    | 'designPlans'
    | 'books'
    | 'clients'
    | 'careProviders';
  /**
   * How many there were at the request.
   * @example 12
   */
  count: number;
  /**
   * Whether there are more.
   * @example false
   */
  isLowerBound: boolean;
  /**
   * How many have been removed so far.
   * @example 0
   */
  erased: number;
}

/** The erasure of a Client, a Care Provider or a Clinic. */
export interface Erasure {
  /**
   * Id of the record.
   * @example 1
   */
  id: number;
  /**
   * Whose data.
   */
  subjectKind: 'CLIENT' | 'CARE_PROVIDER' | 'CLINIC';
  /**
   * Id of the Client, Care Provider or Clinic.
   * @example 3
   */
  subjectId: number;
  /**
   * The ground.
   */
  reason:
    | 'SUBJECT_REQUEST'
    | 'CONSENT_WITHDRAWN'
    | 'OBJECTION'
    | 'NO_LONGER_NEEDED'
    | 'UNLAWFUL_PROCESSING'
    | 'LEGAL_OBLIGATION'
    | 'CONTRACT_ENDED';
  /**
   * The number of your case, or null.
   * @example DSR-2026/0042
   */
  caseReference: string | null;
  /**
   * REQUESTED, EXPIRED without a confirmation, REFUSED by a legal hold, CONFIRMED: being erased, or backups from before still exist, COMPLETED.
   */
  status: 'REQUESTED' | 'EXPIRED' | 'REFUSED' | 'CONFIRMED' | 'COMPLETED';
  /**
   * When it was requested.
   * @example 2026-11-24T09:30:00.000Z
   */
  requestedAt: string;
  /**
   * From when on it can be confirmed.
   * @example 2026-11-24T10:30:00.000Z
   */
  confirmableAt: string;
  /**
   * Until when it can be confirmed.
   * @example 2026-12-01T10:30:00.000Z
   */
  expiresAt: string;
  /**
   * When a legal hold ended the request, or null.
   * @example 2026-11-24T09:30:00.000Z
   */
  refusedAt: string | null;
  /**
   * When it was confirmed, or null.
   * @example 2026-11-24T09:30:00.000Z
   */
  confirmedAt: string | null;
  /**
   * When the last record was removed, or null.
   * @example 2026-11-24T09:30:00.000Z
   */
  erasedAt: string | null;
  /**
   * When backups from before have expired, or null.
   * @example 2026-11-24T09:30:00.000Z
   */
  completesAt: string | null;
  /** Numbers of erased records, without kinds that have none. */
  counts: ErasedCount[];
}

/** One page. */
export interface ErasurePage {
  /** The items. */
  items: Erasure[];
  /** Value of `cursor` for the next page; null on the last page. */
  nextCursor: string | null;
}

/** A Care Provider of the Client. */
export interface ExportedAssignment {
  careProvider: IncludedCareProvider;
  /**
   * Time of the assignment.
   * @example 2026-11-21T09:00:00.000Z
   */
  assignedAt: string;
}

/** A link to a calendar. */
export interface ExportedCalendarLink {
  /**
   * Id of the record.
   * @example 1
   */
  id: number;
  /**
   * The titles that the calendar shows.
   */
  titles: 'DISCREET' | 'FULL';
  /**
   * Creation time.
   * @example 2026-11-21T09:00:00.000Z
   */
  createdAt: string;
  /**
   * When the link stops working unless it is renewed.
   * @example 2027-11-22T09:00:00.000Z
   */
  expiresAt: string;
  /** Time of the revocation, or null. */
  revokedAt: string | null;
}

/** A Design Plan as applied. */
export interface ExportedDesignPlan {
  /**
   * Name of the plan.
   * @example Eight weeks of better sleep
   */
  planName: string;
  /**
   * Title of Sessions created by this plan.
   * @example Sleep session
   */
  appointmentTitle: string | null;
  /**
   * Description of Sessions created by this plan.
   * @example Weekly review
   */
  appointmentDesc: string | null;
  /**
   * Care Provider of the plan.
   * @example 1
   */
  caregiverId: number | null;
  /**
   * Number of the revision: starts at 1, and increases with each change of the content.
   * @example 1
   */
  revision: number;
  /** Time at which the next revision replaced it. Null for the current revision. */
  supersededAt: string | null;
  /** The weeks, in `ordering` order. */
  weeks: StoredWeekModel[];
  /**
   * Id of the record.
   * @example 1
   */
  id: number;
}

/** The settings of a series. */
export interface ExportedSeries {
  /**
   * Id of the record.
   * @example 019abcde-0000-7000-8000-000000000000
   */
  id: string;
  /**
   * The Care Provider of Sessions that a revision adds. Changes with a reassignment.
   * @example 1
   */
  caregiverId: number;
  /**
   * The Design Plan.
   * @example 1
   */
  designPlanId: number | null;
  /**
   * The revision of the plan that is applied, or null.
   * @example 1
   */
  revision: number | null;
  /**
   * Days between two Sessions.
   * @example 7
   */
  intervalDays: number;
  /** Time of the pause. Null if the series is not paused. */
  pausedAt: string | null;
  /**
   * Creation time.
   * @example 2026-11-21T09:00:00.000Z
   */
  createdAt: string;
  /**
   * Days from the creation of a Session to its reminders, or null.
   * @example 7
   */
  remindDays: number | null;
  /** Reminders around the start of each Session, ISO 8601 durations. */
  reminders: string[];
  /**
   * `ordering` of the first applied week.
   * @example 1
   */
  fromWeek: number | null;
  /**
   * `ordering` of the last applied week.
   * @example 1
   */
  toWeek: number | null;
}

/** All fields of a homework Book: one line of an import. */
export interface ImportBook {
  /**
   * Description of the Book, or null.
   * @example One page for each night.
   */
  description?: string | null;
  /**
   * An https link to the Book, or null.
   * @example https://example.org/sleep-diary
   */
  link?: string | null;
  /**
   * Title of the Book.
   * @example Sleep diary
   */
  title: string;
  /**
   * False for a deactivated record: it is kept with all references to it, but nothing new can refer to it.
   * @example true
   */
  active?: boolean;
  /**
   * The id in your own system, unique among your records of this kind (409).
   * @example ehr-4711
   */
  externalId: string;
}

/** All fields of a Care Provider: one line of an import. */
export interface ImportCareProvider {
  /**
   * E-mail address for reminders, or null.
   * @example alex@example.org
   */
  email?: string | null;
  /**
   * IANA time zone; null: the Clinic's.
   * @example Europe/London
   */
  timeZone?: string | null;
  /**
   * BCP 47 language tag for reminders; null: the Clinic's, or English.
   * @example en
   */
  locale?: string | null;
  /**
   * Full name.
   * @example Alex Example
   */
  name: string;
  /**
   * False for a deactivated record: it is kept with all references to it, but nothing new can refer to it.
   * @example true
   */
  active?: boolean;
  /**
   * The id in your own system, unique among your records of this kind (409).
   * @example ehr-4711
   */
  externalId: string;
}

/** All fields of a Client: one line of an import. */
export interface ImportClient {
  /**
   * E-mail address for reminders, or null.
   * @example alex@example.org
   */
  email?: string | null;
  /**
   * IANA time zone; null: the Clinic's.
   * @example Europe/London
   */
  timeZone?: string | null;
  /**
   * BCP 47 language tag for reminders; null: the Clinic's, or English.
   * @example en
   */
  locale?: string | null;
  /**
   * Full name.
   * @example Alex Example
   */
  name: string;
  /**
   * False for a deactivated record: it is kept with all references to it, but nothing new can refer to it.
   * @example true
   */
  active?: boolean;
  /**
   * The id in your own system, unique among your records of this kind (409).
   * @example ehr-4711
   */
  externalId: string;
  /** External ids of the Care Providers that the Client is then assigned to. Absent or null for no change. */
  careProviderExternalIds?: string[] | null;
}

/** All fields of a Clinic: one line of an import. */
export interface ImportClinic {
  /**
   * Name of the Clinic.
   * @example Demo Clinic North
   */
  name: string;
  /**
   * IANA time zone.
   * @example Europe/London
   */
  timeZone: string;
  /**
   * BCP 47 language tag for reminders to people without a locale of their own. Null for English.
   * @example en-GB
   */
  locale?: string | null;
  /**
   * False for a deactivated record: it is kept with all references to it, but nothing new can refer to it.
   * @example true
   */
  active?: boolean;
  /**
   * The id in your own system, unique among your records of this kind (409).
   * @example ehr-4711
   */
  externalId: string;
}

/** A Design Plan as exported. */
export interface ImportDesignPlan {
  /**
   * The kind of document.
   */
  format: 'care-scheduling/design-plan';
  /**
   * Version of the format.
   */
  formatVersion: 1;
  /** The content of the plan, as in the request that creates a plan. */
  plan: CreateDesignPlan;
}

/** The result of one line of an import. */
export interface ImportResult {
  /**
   * Line number in the request, from 1. Empty lines are counted.
   * @example 1
   */
  line: number;
  /**
   * The result. unchanged: the record already had these values. refused: nothing is stored.
   */
  status: 'created' | 'replaced' | 'unchanged' | 'refused';
  /**
   * The external id as stored; absent if refused.
   * @example ehr-4711
   */
  externalId?: string;
  /**
   * The id of the record; absent if refused.
   * @example 1
   */
  id?: number;
  /** If refused: the errors in the line. */
  errors?: Violation[];
}

/** Id and title of a Book. */
export interface IncludedBook {
  /**
   * Id of the record.
   * @example 1
   */
  id: number;
  /**
   * Title of the Book.
   * @example Sleeping well
   */
  title: string;
}

/** Id and name of the Care Provider. */
export interface IncludedCareProvider {
  /**
   * Id of the record.
   * @example 1
   */
  id: number;
  /**
   * Name of the Care Provider.
   * @example Dr. Grace Hopper
   */
  name: string;
}

/** Id and name of the Client. */
export interface IncludedClient {
  /**
   * Id of the record.
   * @example 1
   */
  id: number;
  /**
   * Name of the Client.
   * @example Ada Lovelace
   */
  name: string;
}

/** Whether a legal hold prevents the erasure of a Client. */
export interface LegalHold {
  /**
   * The Client.
   * @example 1
   */
  clientId: number;
  /**
   * Whether the data must be kept.
   * @example true
   */
  isHeld: boolean;
  /**
   * Why; null without a hold.
   */
  reason: 'LITIGATION' | 'AUTHORITY_REQUEST' | 'INSURANCE_CLAIM' | 'COMPLAINT' | 'RECORD_KEEPING_DUTY' | null;
  /**
   * The number of your case, or null.
   * @example DSR-2026/0042
   */
  caseReference: string | null;
  /**
   * When it was set; null without a hold.
   * @example 2026-11-24T09:30:00.000Z
   */
  setAt: string | null;
}

/** With `count`: the number of items on all pages. */
export interface ListCount {
  /**
   * The number of items on all pages.
   * @example 3
   */
  value: number;
  /**
   * false: there are more than `value`; no more are counted.
   * @example true
   */
  isExact: boolean;
}

/** Local time in the `timeZone` of the week. */
export interface LocalTime {
  /**
   * Local date, yyyy/MM/dd.
   * @example 2027/07/05
   */
  date: string;
  /**
   * Local time, HH:mm.
   * @example 10:00
   */
  time: string;
  /**
   * Offset from UTC, which distinguishes the two occurrences of a repeated hour.
   * @example +01:00
   */
  utcOffset: string;
}

/** A Book assigned in the week at a position. */
export interface PlacedBook {
  /**
   * The Book.
   * @example 1
   */
  bookId: number;
  /**
   * Position of the week in the plan.
   * @example 1
   */
  ordering: number;
}

/** A reminder of a Book in the week at a position. */
export interface PlacedReminder {
  /**
   * The Book.
   * @example 1
   */
  bookId: number;
  /**
   * Position of the week in the plan.
   * @example 1
   */
  ordering: number;
  /**
   * Day of the plan week.
   * @example 1
   */
  reminderDay: number;
  /**
   * Local time, HH:mm.
   * @example 09:30
   */
  time: string;
}

/** A week and its position. */
export interface PlacedWeek {
  /**
   * Name of the week.
   * @example Week 1
   */
  name: string;
  /**
   * Position of the week in the plan.
   * @example 1
   */
  ordering: number;
}

/** One reminder of one recipient. */
export interface PlannedReminder {
  /**
   * Recipient of the reminder.
   */
  recipient: 'CLIENT' | 'CARE_PROVIDER';
  /**
   * `remindDays`, `reminders` with its duration, or the day and time of the plan week.
   * @example day 2 at 20:00
   */
  rule: string;
  /**
   * Local date, yyyy/MM/dd, in `timeZone`.
   * @example 2027/03/28
   */
  date: string;
  /**
   * Local time, HH:mm, in `timeZone`.
   * @example 09:30
   */
  time: string;
  /**
   * Time zone of the date and time: an IANA name, or an offset such as +05:30.
   * @example Europe/London
   */
  timeZone: string;
  /**
   * Due time.
   * @example 2027-03-28T08:30:00.000Z
   */
  dueAt: string;
  /**
   * State of the reminder.
   */
  status: 'PENDING' | 'QUEUED' | 'SENT' | 'DEAD' | 'WITHDRAWN' | 'SKIPPED';
  /** Why the reminder is WITHDRAWN, SKIPPED or DEAD. */
  reason: string | null;
}

/** A Session with its homework and reminders. */
export interface PlannedSession {
  /**
   * The Care Provider.
   * @example 1
   */
  caregiverId: number;
  /**
   * Title.
   * @example First appointment
   */
  title: string;
  /**
   * Local date, yyyy/MM/dd, in `timeZone`.
   * @example 2027/03/28
   */
  date: string;
  /**
   * Local time, HH:mm, in `timeZone`.
   * @example 09:30
   */
  time: string;
  /**
   * Time zone of the date and time: an IANA name, or an offset such as +05:30.
   * @example Europe/London
   */
  timeZone: string;
  /**
   * Start.
   * @example 2027-03-28T08:30:00.000Z
   */
  startsAt: string;
  /**
   * End.
   * @example 2027-03-28T09:20:00.000Z
   */
  endsAt: string;
  /**
   * Duration in minutes.
   * @example 50
   */
  durationMinutes: number;
  /**
   * State of the Session.
   */
  status: 'SCHEDULED' | 'PAUSED' | 'COMPLETED' | 'NO_SHOW' | 'CANCELLED';
  /**
   * Id of the Session; null in a dry run if the Session does not exist yet.
   * @example 11
   */
  id: number | null;
  /**
   * The version after the change, for `If-Match`. In a dry run, no Session has this version.
   * @example 2
   */
  version: number;
  /**
   * Position in the series, from 1.
   * @example 1
   */
  position: number;
  /**
   * `ordering` of the plan week, or null.
   * @example 1
   */
  planWeek: number | null;
  /**
   * The Client.
   * @example 1
   */
  clientId: number;
  /**
   * Purpose.
   * @example Getting to know each other
   */
  description: string | null;
  /** Reminders of the Session itself. */
  reminders: PlannedReminder[];
  /** Homework of the Session. */
  homework: {
    /**
     * The Book.
     * @example 1
     */
    bookId: number;
    /**
     * true if the Client has completed it.
     * @example false
     */
    completed: boolean;
    /** Reminders of this Book. */
    reminders: PlannedReminder[];
  }[];
}

/** RFC 9457 problem details. */
export interface Problem {
  /**
   * The kind of problem, as a URN.
   * @example urn:problem:invalid-request
   */
  type: string;
  /**
   * The kind of problem in words.
   * @example Bad Request
   */
  title: string;
  /**
   * The HTTP status.
   * @example 400
   */
  status: number;
  /**
   * The cause of this occurrence.
   * @example The request is malformed.
   */
  detail: string;
  /**
   * The request id, as in the logs.
   * @example urn:uuid:018f3b1e-7c1a-7000-8000-000000000000
   */
  instance: string;
  /** On 400 and 422: each invalid field. */
  errors?: Violation[];
  /** On 409 of `conflicts=reject`: the conflicts of the whole series. */
  conflicts?: ScheduleConflict[];
  /**
   * Number of conflicts, up to 100000; `conflicts` lists the first 1000 by their start.
   * @example 1
   */
  conflictCount?: number;
}

/** Progress of the homework. */
export interface Progress {
  /**
   * Books that the Client has done.
   * @example 3
   */
  done: number;
  /**
   * Books assigned.
   * @example 4
   */
  total: number;
}

/** All fields of a homework Book. */
export interface PutBook {
  /**
   * Description of the Book, or null.
   * @example One page for each night.
   */
  description?: string | null;
  /**
   * An https link to the Book, or null.
   * @example https://example.org/sleep-diary
   */
  link?: string | null;
  /**
   * Title of the Book.
   * @example Sleep diary
   */
  title: string;
  /**
   * False for a deactivated record: it is kept with all references to it, but nothing new can refer to it.
   * @example true
   */
  active?: boolean;
}

/** All fields of a Clinic. */
export interface PutClinic {
  /**
   * Name of the Clinic.
   * @example Demo Clinic North
   */
  name: string;
  /**
   * IANA time zone.
   * @example Europe/London
   */
  timeZone: string;
  /**
   * BCP 47 language tag for reminders to people without a locale of their own. Null for English.
   * @example en-GB
   */
  locale?: string | null;
  /**
   * False for a deactivated record: it is kept with all references to it, but nothing new can refer to it.
   * @example true
   */
  active?: boolean;
}

/** Defaults for people who have chosen nothing. Absent fields have the default of the service. */
export interface PutClinicReminderPreference {
  /** Channels in order of preference: if one cannot reach you, the next one is tried. Null: the default. */
  channels?: string[] | null;
  /** Hours without reminders. Null: the default. */
  quietHours?: QuietHours | null;
  /**
   * true: no quiet hours, even if the Clinic has set some.
   * @example false
   */
  noQuietHours?: boolean | null;
  /**
   * true: messages may contain the titles of Sessions and Books; otherwise nothing that reveals care.
   * @example false
   */
  revealing?: boolean | null;
}

/** Why the data of a Client must be kept. */
export interface PutLegalHold {
  /**
   * Why the data must be kept.
   */
  reason: 'LITIGATION' | 'AUTHORITY_REQUEST' | 'INSURANCE_CLAIM' | 'COMPLAINT' | 'RECORD_KEEPING_DUTY';
  /**
   * The number of your case, without personal data, or null.
   * @example DSR-2026/0042
   */
  caseReference?: string | null;
}

/** All fields of a Care Provider or Client. */
export interface PutPerson {
  /**
   * E-mail address for reminders, or null.
   * @example alex@example.org
   */
  email?: string | null;
  /**
   * IANA time zone; null: the Clinic's.
   * @example Europe/London
   */
  timeZone?: string | null;
  /**
   * BCP 47 language tag for reminders; null: the Clinic's, or English.
   * @example en
   */
  locale?: string | null;
  /**
   * Full name.
   * @example Alex Example
   */
  name: string;
  /**
   * False for a deactivated record: it is kept with all references to it, but nothing new can refer to it.
   * @example true
   */
  active?: boolean;
}

/** A whole reminder preference. Absent fields have the default of the Clinic. */
export interface PutReminderPreference {
  /** Channels in order of preference: if one cannot reach you, the next one is tried. Null: the default. */
  channels?: string[] | null;
  /** Hours without reminders. Null: the default. */
  quietHours?: QuietHours | null;
  /**
   * true: no quiet hours, even if the Clinic has set some.
   * @example false
   */
  noQuietHours?: boolean | null;
  /** Kinds of reminders that you do not want. */
  optedOut?: ('SESSION' | 'HOMEWORK')[] | null;
}

/** How long each kind of data is kept: ISO 8601 durations of years, months or days, or UNLIMITED. */
export interface PutRetention {
  /**
   * Series with their Sessions, homework and reminders, counted from the last end, creation or change of status of a Session. A series with an upcoming or paused Session, or with an unsent reminder, is kept. Null: the default.
   * @example P12Y
   */
  sessions?: string | null;
  /**
   * Homework of series that have ended, counted in the same way. Null: the default.
   * @example P12Y
   */
  homework?: string | null;
  /**
   * Reminders and their history, of series that have ended, counted in the same way. Null: the default.
   * @example P12Y
   */
  reminders?: string | null;
  /**
   * Entries of the audit trail, counted from the request. They are removed by whole months. Null: the default.
   * @example P12Y
   */
  audit?: string | null;
}

/** The quiet hours. Reminders that are due in them are sent at their end. */
export interface QuietHours {
  /**
   * First quiet minute, HH:mm on the wall clock of the recipient.
   * @example 21:00
   */
  from: string;
  /**
   * First minute after the quiet hours, HH:mm, possibly on the next day.
   * @example 08:00
   */
  to: string;
}

/** The new Care Provider, and the Clients to reassign. */
export interface Reassign {
  /**
   * The active Care Provider who gets the Clients.
   * @example 2
   */
  toCareProviderId: number;
  /** The Clients to reassign. Absent or null for all. */
  clientIds?: number[] | null;
}

/** The Clients that were reassigned, and their Sessions. */
export interface Reassigned {
  /** The Clients that were reassigned, ordered by id. */
  reassigned: number[];
  /** The upcoming Sessions that have moved to the new Care Provider: the first 1,000. */
  sessions: {
    /**
     * Id of the record.
     * @example 1
     */
    id: number;
    /**
     * The version after the change, for `If-Match`.
     * @example 2
     */
    version: number;
  }[];
  /**
   * The number of all Sessions that have moved.
   * @example 1
   */
  sessionCount: number;
  /**
   * The number of their overlaps with other Sessions, up to 100000.
   * @example 0
   */
  conflictCount: number;
}

/** The result of a redrive. */
export interface Redriven {
  /**
   * Number of reminders that are sent again.
   * @example 3
   */
  redriven: number;
}

/** One reminder of one recipient. */
export interface Reminder {
  /**
   * Id of the record.
   * @example 1
   */
  id: number;
  /**
   * The homework that the reminder is about. Null if it is about the Session.
   * @example 21
   */
  homeworkId: number | null;
  /**
   * Whether the recipient is a Client or a Care Provider.
   */
  recipientKind: 'CLIENT' | 'CARE_PROVIDER';
  /**
   * Due time.
   * @example 2027-03-21T09:30:00.000Z
   */
  dueAt: string;
  /**
   * The due time, unless quiet hours or a retry have changed it.
   * @example 2027-03-21T09:30:00.000Z
   */
  sendAt: string;
  /**
   * The Session. Erased, if the reminder is the notice of its erasure.
   * @example 11
   */
  sessionId: number;
  /**
   * What the reminder is about.
   */
  kind: 'SESSION' | 'HOMEWORK';
  /**
   * Id of the Client or Care Provider.
   * @example 1
   */
  recipientId: number;
  /**
   * State of the reminder.
   */
  status: 'PENDING' | 'QUEUED' | 'SENT' | 'DEAD' | 'WITHDRAWN' | 'SKIPPED';
  /** Why the reminder is WITHDRAWN, SKIPPED or DEAD. Dead letters: UNDELIVERABLE (no channel can reach the recipient), LATENESS_REACHED (attempts failed until it was too late), ATTEMPTS_EXHAUSTED (the process crashed in each attempt). */
  reason: string | null;
  /** The message that contains the reminder. */
  messageId: string | null;
  /** The channel of the last attempt. Null before the first one. */
  channel: string | null;
  /** With `include=client`: the Client of the Session. */
  client?: IncludedClient;
  /** With `include=careProvider`: the Care Provider of the Session. */
  careProvider?: IncludedCareProvider;
  /** With `include=books`: the Book of its homework, or the Books of its Session. */
  books?: IncludedBook[];
  /** With `include=progress`: the homework progress of the Session. */
  progress?: Progress;
  /** With `include=conflicts`: overlaps of the Session, the first 10 by their start. */
  conflicts?: ScheduleConflict[];
}

/** One event in the history of a reminder. */
export interface ReminderEvent {
  /**
   * Time of the event.
   * @example 2027-03-21T09:30:00.000Z
   */
  at: string;
  /**
   * The event.
   */
  what:
    | 'PLANNED'
    | 'MOVED'
    | 'HANDED_OVER'
    | 'WITHDRAWN'
    | 'RESTORED'
    | 'DEFERRED'
    | 'ADVANCED'
    | 'RESCHEDULED'
    | 'QUEUED'
    | 'FAILED'
    | 'SENT'
    | 'SKIPPED'
    | 'DEAD'
    | 'REDRIVEN';
  /**
   * PLANNED: the rule.
   * @example reminders -P1D
   */
  rule?: string;
  /**
   * PLANNED: the instant from which the rule counts.
   * @example the start of the Session
   */
  anchor?: string;
  /**
   * MOVED: the previous due time. RESCHEDULED: the previous send time.
   * @example 2027-03-20T09:30:00.000Z
   */
  from?: string;
  /**
   * MOVED: the new due time. RESCHEDULED: the new send time.
   * @example 2027-03-21T09:30:00.000Z
   */
  to?: string;
  /**
   * DEFERRED, FAILED, ADVANCED: the new send time.
   * @example 2027-03-21T08:00:00.000Z
   */
  until?: string;
  /**
   * HANDED_OVER: the previous Care Provider of the Session.
   * @example 1
   */
  fromCareProviderId?: number;
  /**
   * HANDED_OVER: the new Care Provider of the Session.
   * @example 2
   */
  toCareProviderId?: number;
  /**
   * DEFERRED: the number of consecutive deferrals that this event represents.
   * @example 2
   */
  times?: number;
  /**
   * The reason of the event.
   * @example QUIET_HOURS
   */
  reason?: string;
  /**
   * FAILED: the number of the attempt, from 1.
   * @example 1
   */
  attempt?: number;
  /**
   * FAILED: the class of the error.
   * @example Error
   */
  errorClass?: string;
  /**
   * QUEUED: the message that contains the reminder.
   * @example 0b1f0c52-5d2e-4b0a-9b0e-2f5a3c1d7e11
   */
  messageId?: string;
  /**
   * SENT: the start of the Session in the message.
   * @example 2027-03-22T09:30:00.000Z
   */
  startsAt?: string;
  /**
   * SENT, FAILED: the channel.
   * @example EMAIL
   */
  channel?: string;
  /**
   * SENT: settings of the recipient that this release does not know: TIME_ZONE, LOCALE or both. Those of the Clinic were used.
   * @example TIME_ZONE
   */
  fallback?: string;
  /**
   * SENT: the id that the mail server or another service gave to the message.
   * @example <1@care.example.org>
   */
  providerId?: string;
  /**
   * SENT: whether the message said that it was late.
   * @example false
   */
  late?: boolean;
}

/** The message that contains a reminder. */
export interface ReminderMessage {
  /**
   * Whether the recipient is a Client or a Care Provider.
   */
  recipientKind: 'CLIENT' | 'CARE_PROVIDER';
  /**
   * Id of the Client or Care Provider.
   * @example 1
   */
  recipientId: number;
  /** All reminders in the message. */
  reminderIds: number[];
  /**
   * Whether the message tells the recipient that it is late.
   * @example false
   */
  late: boolean;
  /** SENT: the channel used. Else those that can reach the recipient, first tried first. */
  channels: ChannelMessage[];
}

/** One page. */
export interface ReminderPage {
  /** Value of `cursor` for the next page; null on the last page. */
  nextCursor: string | null;
  count?: ListCount;
  /** The items. */
  items: Reminder[];
}

/** The reminder preference of a recipient, or the defaults of a Clinic. */
export interface ReminderPreference {
  /** The chosen value. Null for the default of the Clinic. */
  channels: string[] | null;
  /** The chosen value. Null for the default of the Clinic. */
  quietHours: QuietHours | null;
  /**
   * true: no quiet hours.
   * @example false
   */
  noQuietHours: boolean;
  /** Kinds of reminders that the recipient does not want. */
  optedOut: ('SESSION' | 'HOMEWORK')[];
  /**
   * Whether messages may contain titles; set by the Clinic.
   * @example false
   */
  revealing: boolean;
  /** When the preference was last changed. Null if it never was. */
  updatedAt: string | null;
  /** The values that apply once the defaults are filled in. */
  effective: {
    /** Channels that are tried, in this order. */
    channels: string[];
    /** The quiet hours, or null. */
    quietHours: QuietHours | null;
    /**
     * The time zone of the quiet hours.
     * @example Europe/London
     */
    timeZone: string;
  };
}

/** One reminder with its history. */
export interface ReminderWithHistory {
  /**
   * Id of the record.
   * @example 1
   */
  id: number;
  /**
   * The homework that the reminder is about. Null if it is about the Session.
   * @example 21
   */
  homeworkId: number | null;
  /**
   * Whether the recipient is a Client or a Care Provider.
   */
  recipientKind: 'CLIENT' | 'CARE_PROVIDER';
  /**
   * Due time.
   * @example 2027-03-21T09:30:00.000Z
   */
  dueAt: string;
  /**
   * The due time, unless quiet hours or a retry have changed it.
   * @example 2027-03-21T09:30:00.000Z
   */
  sendAt: string;
  /**
   * The Session. Erased, if the reminder is the notice of its erasure.
   * @example 11
   */
  sessionId: number;
  /**
   * What the reminder is about.
   */
  kind: 'SESSION' | 'HOMEWORK';
  /**
   * Id of the Client or Care Provider.
   * @example 1
   */
  recipientId: number;
  /**
   * State of the reminder.
   */
  status: 'PENDING' | 'QUEUED' | 'SENT' | 'DEAD' | 'WITHDRAWN' | 'SKIPPED';
  /** Why the reminder is WITHDRAWN, SKIPPED or DEAD. Dead letters: UNDELIVERABLE (no channel can reach the recipient), LATENESS_REACHED (attempts failed until it was too late), ATTEMPTS_EXHAUSTED (the process crashed in each attempt). */
  reason: string | null;
  /** The message that contains the reminder. */
  messageId: string | null;
  /** The channel of the last attempt. Null before the first one. */
  channel: string | null;
  /** With `include=client`: the Client of the Session. */
  client?: IncludedClient;
  /** With `include=careProvider`: the Care Provider of the Session. */
  careProvider?: IncludedCareProvider;
  /** With `include=books`: the Book of its homework, or the Books of its Session. */
  books?: IncludedBook[];
  /** With `include=progress`: the homework progress of the Session. */
  progress?: Progress;
  /** With `include=conflicts`: overlaps of the Session, the first 10 by their start. */
  conflicts?: ScheduleConflict[];
  /** The events of the reminder, oldest first. */
  history: ReminderEvent[];
  /**
   * PENDING, QUEUED, unless in an export: the recipient has opted out, so it will be skipped.
   * @example false
   */
  optedOut?: boolean;
}

/** The content of a plan, and its read-only members as they were read. */
export interface ReplaceDesignPlan {
  /**
   * Name of the plan, 1 to 200 characters. Mandatory, here or as `name`.
   * @example Eight weeks of better sleep
   */
  planName?: string;
  /**
   * Date of creation: `yyyy/MM/dd HH:mm`, `yyyy/MM/dd`, `d/M/yy h:mm AM|PM`, or an ISO 8601 date-time; without an offset, in the zone of the request. Default: now.
   * @example 2023/08/21 09:30
   */
  createdDate?: string | null;
  /**
   * Title of Sessions created by this plan.
   * @example Sleep session
   */
  appointmentTitle?: string | null;
  /**
   * Description of Sessions created by this plan.
   * @example Weekly review of the sleep diary
   */
  appointmentDesc?: string | null;
  /**
   * Care Provider of the plan, of the same Clinic. Null or 0: not given.
   * @example 1
   */
  caregiverId?: number | null;
  /**
   * Clinic that owns the plan; only the caller's. Null or 0: not given.
   * @example 1
   */
  clinicId?: number | null;
  /**
   * True for a template, from which the Clinic clones plans.
   * @example false
   */
  template?: boolean | null;
  /** The weeks of the plan, 0 to 104; at most 1,000,000 bytes as read. */
  weeks?: WeekModel[] | null;
  /**
   * Another name of `planName`. Only one of the two is needed.
   * @example Eight weeks of better sleep
   */
  name?: string;
  /**
   * Another name of `createdDate`. Only one of the two is needed.
   * @example 2023/08/21 09:30
   */
  createDate?: string | null;
  /**
   * Id of the plan. Read-only: absent, or as read. Null or 0: not given.
   * @example 1
   */
  id?: number | null;
  /**
   * Number of the current revision. Read-only: absent, or as read.
   * @example 1
   */
  revision?: number | null;
  /**
   * The version. Read-only: absent, or as read.
   * @example 1
   */
  version?: number | null;
  /**
   * Whether the plan is archived. Read-only: absent, or as read.
   * @example false
   */
  archived?: boolean | null;
}

/** How long a Clinic keeps its data, and what the next run of the job removes. */
export interface Retention {
  /**
   * Counts the changes; 0: the Clinic has chosen nothing yet.
   * @example 1
   */
  version: number;
  /**
   * When the Clinic last changed its choice. Null if it never did.
   * @example 2026-11-24T09:30:00.000Z
   */
  changedAt: string | null;
  sessions: RetentionOfKind;
  homework: RetentionOfKind;
  reminders: RetentionOfKind;
  audit: RetentionOfKind;
}

/** How long one kind of data is kept. */
export interface RetentionOfKind {
  /**
   * The choice of the Clinic. Null: none.
   * @example P12Y
   */
  chosen: string | null;
  /**
   * What applies: the choice or the default, within the bounds.
   * @example P12Y
   */
  effective: string;
  /**
   * What applies without a choice.
   * @example UNLIMITED
   */
  default: string;
  /**
   * The shortest retention.
   * @example P10Y
   */
  minimum: string;
  /**
   * The longest retention.
   * @example UNLIMITED
   */
  maximum: string;
  /**
   * The next run removes data from before this instant. Null: none.
   * @example 2014-11-24T00:00:00.000Z
   */
  removedBefore: string | null;
  /**
   * How many records the next run removes.
   * @example 120
   */
  removable: number;
  /**
   * Whether there are more.
   * @example false
   */
  isLowerBound: boolean;
}

/** Past Sessions and completed homework do not change. The Sessions of removed weeks are cancelled, and new weeks get Sessions. */
export interface ReviseSeries {
  /**
   * The revision of the plan. Default: the current one.
   * @example 2
   */
  revision?: number;
}

/** The subject or record whose tokens to revoke. */
export interface RevokeAnyTokenHolder {
  /**
   * Only tokens with this claim `sub`. Absent or null: those of all subjects of the record.
   * @example auth0|5f7c8ec7c33c6c004bbafe82
   */
  subject?: string | null;
  /**
   * Only tokens that name this record, by kind and id, of any Clinic. Absent or null: all tokens of the subject.
   * @example client/1
   */
  record?: string | null;
  /**
   * Tokens are refused whose claim `iat` is before this instant, and tokens without `iat`. Absent or null: now. At most a minute ahead.
   * @example 2026-11-21T09:00:00Z
   */
  issuedBefore?: string | null;
}

/** The token to revoke. */
export interface RevokeToken {
  /**
   * The claim `jti` of the token.
   * @example 6f1c2d3e-4b5a-4968-8776-a5b4c3d2e1f0
   */
  jti: string;
  /**
   * When the token expires (its claim `exp`). Absent, null, in the past, or later than the longest lifetime of a token: the longest lifetime from now.
   * @example 2027-03-28T08:30:00.000Z
   */
  expiresAt?: string | null;
}

/** The record whose tokens to revoke. */
export interface RevokeTokenHolder {
  /**
   * The record that the tokens name, by kind and id: the own Clinic, or one of its people.
   * @example client/1
   */
  record?: string | null;
  /**
   * Only tokens with this claim `sub`. Absent or null: those of all subjects of the record.
   * @example auth0|5f7c8ec7c33c6c004bbafe82
   */
  subject?: string | null;
  /**
   * Tokens are refused whose claim `iat` is before this instant, and tokens without `iat`. Absent or null: now. At most a minute ahead.
   * @example 2026-11-21T09:00:00Z
   */
  issuedBefore?: string | null;
}

/** A revoked token. */
export interface RevokedToken {
  /**
   * Id of the record.
   * @example 1
   */
  id: number;
  /**
   * The claim `jti` of the token.
   * @example 6f1c2d3e-4b5a-4968-8776-a5b4c3d2e1f0
   */
  jti: string;
  /**
   * Time of the revocation.
   * @example 2026-11-21T09:00:00.000Z
   */
  revokedAt: string;
  /**
   * Time until which the token is refused.
   * @example 2027-03-28T08:30:00.000Z
   */
  expiresAt: string;
}

/** A subject or record whose tokens are revoked. */
export interface RevokedTokenHolder {
  /**
   * Id of the record.
   * @example 1
   */
  id: number;
  /**
   * The claim `sub` of the tokens. Null: of all subjects of the record.
   * @example auth0|5f7c8ec7c33c6c004bbafe82
   */
  subject: string | null;
  /**
   * The record that the tokens name, by kind and id. Null: all tokens of the subject.
   * @example client/1
   */
  record: string | null;
  /**
   * Tokens from before are refused.
   * @example 2026-11-21T09:00:00.000Z
   */
  issuedBefore: string;
  /**
   * Time of the last revocation.
   * @example 2026-11-21T09:00:00.000Z
   */
  revokedAt: string;
  /**
   * When these tokens have all expired.
   * @example 2026-11-22T09:01:00.000Z
   */
  expiresAt: string;
}

/** One page. */
export interface RevokedTokenHolderPage {
  /** The items. */
  items: RevokedTokenHolder[];
  /** Value of `cursor` for the next page; null on the last page. */
  nextCursor: string | null;
}

/** One page. */
export interface RevokedTokenPage {
  /** The items. */
  items: RevokedToken[];
  /** Value of `cursor` for the next page; null on the last page. */
  nextCursor: string | null;
}

/** Two Sessions of one Care Provider or one Client that overlap. */
export interface ScheduleConflict {
  /**
   * Position of the requested Session in its series.
   * @example 1
   */
  position: number;
  /**
   * Start of the requested Session.
   * @example 2027-03-28T08:30:00.000Z
   */
  startsAt: string;
  /**
   * End of the requested Session.
   * @example 2027-03-28T08:30:00.000Z
   */
  endsAt: string;
  /**
   * The participant of both Sessions.
   */
  with: 'CARE_PROVIDER' | 'CLIENT' | 'BOTH';
  /**
   * The other Session; null in a dry run if that Session does not exist yet.
   * @example 12
   */
  otherSessionId: number | null;
  /**
   * Start of the other Session.
   * @example 2027-03-28T08:30:00.000Z
   */
  otherStartsAt: string;
  /**
   * End of the other Session.
   * @example 2027-03-28T08:30:00.000Z
   */
  otherEndsAt: string;
}

/** A condition that is reported although the change is not rejected. */
export interface ScheduleWarning {
  /**
   * Kind of the warning.
   * @example DAYLIGHT_SAVING_SHIFT
   */
  kind:
    | 'REMINDER_IN_THE_PAST'
    | 'REMINDED_OF_FORMER_TIME'
    | 'NOT_TOLD_OF_CANCELLATION'
    | 'QUIET_HOURS'
    | 'AFTER_DUE'
    | 'BEFORE_SESSION'
    | 'BOOK_WITHDRAWN'
    | 'TIME_SKIPPED'
    | 'DAYLIGHT_SAVING_SHIFT'
    | 'FIXED_OFFSET'
    | 'WEEK_IN_THE_PAST'
    | 'OUT_OF_ORDER';
  /**
   * Description of the condition.
   * @example The clock skips 01:30 that day.
   */
  detail: string;
  /**
   * Position of the affected Session.
   * @example 3
   */
  position?: number;
  /**
   * `ordering` of the affected plan week.
   * @example 3
   */
  planWeek?: number;
  /**
   * The affected Book.
   * @example 1
   */
  bookId?: number;
}

/** The result of a change, or of its dry run. */
export interface SeriesChange {
  /** The series; null in the dry run of its creation. */
  seriesId: string | null;
  /**
   * The Design Plan.
   * @example 1
   */
  designPlanId: number | null;
  /**
   * The revision of the plan that is applied, or null.
   * @example 1
   */
  revision: number | null;
  /**
   * true while the series is paused.
   * @example false
   */
  paused: boolean;
  /** The Sessions that are new or changed, in the order of their start; those of which only the position has changed are in `renumbered`. */
  sessions: PlannedSession[];
  /** The Sessions of which only the position has changed. */
  renumbered: {
    /**
     * Id of the record.
     * @example 1
     */
    id: number;
    /**
     * The version after the change, for `If-Match`. In a dry run, no Session has this version.
     * @example 2
     */
    version: number;
  }[];
  /** Overlaps of these Sessions with others. */
  conflicts: ScheduleConflict[];
  /**
   * Number of conflicts, up to 100000; `conflicts` lists the first 1000 by their start.
   * @example 1
   */
  conflictCount: number;
  /** Warnings about the change. */
  warnings: ScheduleWarning[];
}

/** One page. */
export interface SeriesPage {
  /** Value of `cursor` for the next page; null on the last page. */
  nextCursor: string | null;
  count?: ListCount;
  /** The items. */
  items: SeriesSummary[];
  /** Only while synchronising: changed records that the list does not contain (any more): the caller may not see them, they do not match the filters, or they were removed. */
  deleted?: UuidTombstone[];
  /** Only while synchronising: token for the next synchronisation; null except on the last page. */
  syncToken?: string | null;
}

/** A series without its Sessions. */
export interface SeriesSummary {
  /**
   * Id of the record.
   * @example 019abcde-0000-7000-8000-000000000000
   */
  id: string;
  /**
   * The Care Provider of Sessions that a revision adds. Changes with a reassignment.
   * @example 1
   */
  caregiverId: number;
  /**
   * The Design Plan.
   * @example 1
   */
  designPlanId: number | null;
  /**
   * The revision of the plan that is applied, or null.
   * @example 1
   */
  revision: number | null;
  /**
   * Days between two Sessions.
   * @example 7
   */
  intervalDays: number;
  /** Time of the pause. Null if the series is not paused. */
  pausedAt: string | null;
  /**
   * Creation time.
   * @example 2026-11-21T09:00:00.000Z
   */
  createdAt: string;
  /**
   * The Clinic.
   * @example 1
   */
  clinicId: number;
  /**
   * The Client.
   * @example 1
   */
  clientId: number;
  /**
   * Number of Sessions that are not cancelled.
   * @example 8
   */
  sessionCount: number;
  /**
   * Number of Sessions that are upcoming or paused.
   * @example 5
   */
  upcomingCount: number;
  /** The first Session that is upcoming or paused, or null if there is none. */
  nextSession: {
    /**
     * Id of the record.
     * @example 1
     */
    id: number;
    /**
     * Start.
     * @example 2027-03-28T08:30:00.000Z
     */
    startsAt: string;
  } | null;
  /**
   * For synchronisation: increases with each change of the series or its Sessions. It is no `ETag`.
   * @example 9
   */
  version: number;
}

/** One appointment of a Client with a Care Provider. */
export interface Session {
  /**
   * The Care Provider.
   * @example 1
   */
  caregiverId: number;
  /**
   * Title.
   * @example First appointment
   */
  title: string;
  /**
   * Local date, yyyy/MM/dd, in `timeZone`.
   * @example 2027/03/28
   */
  date: string;
  /**
   * Local time, HH:mm, in `timeZone`.
   * @example 09:30
   */
  time: string;
  /**
   * Time zone of the date and time: an IANA name, or an offset such as +05:30.
   * @example Europe/London
   */
  timeZone: string;
  /**
   * Start.
   * @example 2027-03-28T08:30:00.000Z
   */
  startsAt: string;
  /**
   * End.
   * @example 2027-03-28T09:20:00.000Z
   */
  endsAt: string;
  /**
   * Duration in minutes.
   * @example 50
   */
  durationMinutes: number;
  /**
   * State of the Session.
   */
  status: 'SCHEDULED' | 'PAUSED' | 'COMPLETED' | 'NO_SHOW' | 'CANCELLED';
  /**
   * Id of the record.
   * @example 1
   */
  id: number;
  /**
   * Increases with each change: the `ETag`, for `If-Match`.
   * @example 1
   */
  version: number;
  progress: Progress;
  /**
   * The Sessions that one request has created are one series.
   * @example 019abcde-0000-7000-8000-000000000000
   */
  seriesId: string;
  /**
   * The Client.
   * @example 1
   */
  clientId: number;
  /**
   * The Design Plan that was applied, or that the creation named.
   * @example 1
   */
  designPlanId: number | null;
  /**
   * Position in the series by start, from 1. It does not change when Sessions move, but with a revision of the plan that adds or removes weeks.
   * @example 1
   */
  position: number;
  /**
   * `ordering` of the plan week, or null.
   * @example 1
   */
  planWeek: number | null;
  /** With `include=client`: the Client. */
  client?: IncludedClient;
  /** With `include=careProvider`: the Care Provider. */
  careProvider?: IncludedCareProvider;
  /** With `include=books`: the Books of the homework. */
  books?: IncludedBook[];
  /**
   * The Clinic.
   * @example 1
   */
  clinicId: number;
  /**
   * Purpose.
   * @example Getting to know each other
   */
  description: string | null;
  /**
   * Days from the creation of a Session to its reminders, or null.
   * @example 7
   */
  remindDays: number | null;
  /**
   * Creation time.
   * @example 2026-11-21T09:00:00.000Z
   */
  createdAt: string;
  /** Homework of this Session. */
  homework: SessionHomework[];
  /** Reason of the cancellation. Null if the Session is not cancelled. */
  cancellation: {
    /**
     * The reason.
     */
    reason:
      | 'CLIENT_REQUEST'
      | 'CARE_PROVIDER_REQUEST'
      | 'ILLNESS'
      | 'SCHEDULING_ERROR'
      | 'TREATMENT_ENDED'
      | 'OTHER'
      | 'CLIENT_LEFT'
      | 'CARE_PROVIDER_LEFT'
      | 'PLAN_CHANGED';
    /**
     * The reason as text.
     * @example On holiday
     */
    note: string | null;
  } | null;
  /** Time of the last status change. Null if the status has never changed. */
  statusChangedAt: string | null;
  /** With `include=reminders`: the next 20 reminders that will be sent, by their due time; for a Care Provider, only of their own Sessions. */
  remindersAhead?: UpcomingReminder[];
  /** With `include=conflicts`: overlaps with other Sessions, the first 10 by their start. */
  conflicts?: ScheduleConflict[];
}

/** One appointment, with its overlaps. */
export interface SessionDetail {
  /**
   * The Care Provider.
   * @example 1
   */
  caregiverId: number;
  /**
   * Title.
   * @example First appointment
   */
  title: string;
  /**
   * Local date, yyyy/MM/dd, in `timeZone`.
   * @example 2027/03/28
   */
  date: string;
  /**
   * Local time, HH:mm, in `timeZone`.
   * @example 09:30
   */
  time: string;
  /**
   * Time zone of the date and time: an IANA name, or an offset such as +05:30.
   * @example Europe/London
   */
  timeZone: string;
  /**
   * Start.
   * @example 2027-03-28T08:30:00.000Z
   */
  startsAt: string;
  /**
   * End.
   * @example 2027-03-28T09:20:00.000Z
   */
  endsAt: string;
  /**
   * Duration in minutes.
   * @example 50
   */
  durationMinutes: number;
  /**
   * State of the Session.
   */
  status: 'SCHEDULED' | 'PAUSED' | 'COMPLETED' | 'NO_SHOW' | 'CANCELLED';
  /**
   * Id of the record.
   * @example 1
   */
  id: number;
  /**
   * Increases with each change: the `ETag`, for `If-Match`.
   * @example 1
   */
  version: number;
  progress: Progress;
  /**
   * The Sessions that one request has created are one series.
   * @example 019abcde-0000-7000-8000-000000000000
   */
  seriesId: string;
  /**
   * The Client.
   * @example 1
   */
  clientId: number;
  /**
   * The Design Plan that was applied, or that the creation named.
   * @example 1
   */
  designPlanId: number | null;
  /**
   * Position in the series by start, from 1. It does not change when Sessions move, but with a revision of the plan that adds or removes weeks.
   * @example 1
   */
  position: number;
  /**
   * `ordering` of the plan week, or null.
   * @example 1
   */
  planWeek: number | null;
  /** With `include=client`: the Client. */
  client?: IncludedClient;
  /** With `include=careProvider`: the Care Provider. */
  careProvider?: IncludedCareProvider;
  /** With `include=books`: the Books of the homework. */
  books?: IncludedBook[];
  /**
   * The Clinic.
   * @example 1
   */
  clinicId: number;
  /**
   * Purpose.
   * @example Getting to know each other
   */
  description: string | null;
  /**
   * Days from the creation of a Session to its reminders, or null.
   * @example 7
   */
  remindDays: number | null;
  /**
   * Creation time.
   * @example 2026-11-21T09:00:00.000Z
   */
  createdAt: string;
  /** Homework of this Session. */
  homework: SessionHomework[];
  /** Reason of the cancellation. Null if the Session is not cancelled. */
  cancellation: {
    /**
     * The reason.
     */
    reason:
      | 'CLIENT_REQUEST'
      | 'CARE_PROVIDER_REQUEST'
      | 'ILLNESS'
      | 'SCHEDULING_ERROR'
      | 'TREATMENT_ENDED'
      | 'OTHER'
      | 'CLIENT_LEFT'
      | 'CARE_PROVIDER_LEFT'
      | 'PLAN_CHANGED';
    /**
     * The reason as text.
     * @example On holiday
     */
    note: string | null;
  } | null;
  /** Time of the last status change. Null if the status has never changed. */
  statusChangedAt: string | null;
  /** With `include=reminders`: the next 20 reminders that will be sent, by their due time; for a Care Provider, only of their own Sessions. */
  remindersAhead?: UpcomingReminder[];
  /** Overlaps with other Sessions of the Care Provider or Client, at most 1000. */
  conflicts: ScheduleConflict[];
  /**
   * Number of conflicts, up to 100000; `conflicts` lists the first 1000 by their start.
   * @example 1
   */
  conflictCount: number;
}

/** Information to read before a Session: the previous Session, and the progress of the series. */
export interface SessionDigest {
  /**
   * The Session.
   * @example 11
   */
  sessionId: number;
  /**
   * The Sessions that one request has created are one series.
   * @example 019abcde-0000-7000-8000-000000000000
   */
  seriesId: string;
  /**
   * The Client.
   * @example 1
   */
  clientId: number;
  /**
   * Start.
   * @example 2027-03-28T08:30:00.000Z
   */
  startsAt: string;
  /** The homework planned for this Session. */
  homework: BookHomework[];
  /** The previous Session of the series, ignoring cancelled ones, or null if there is none. */
  previous: {
    /**
     * Id of the record.
     * @example 1
     */
    id: number;
    /**
     * Local date, yyyy/MM/dd, in `timeZone`.
     * @example 2027/03/28
     */
    date: string;
    /**
     * Local time, HH:mm, in `timeZone`.
     * @example 09:30
     */
    time: string;
    /**
     * Time zone of the date and time: an IANA name, or an offset such as +05:30.
     * @example Europe/London
     */
    timeZone: string;
    /**
     * Start.
     * @example 2027-03-28T08:30:00.000Z
     */
    startsAt: string;
    /**
     * State of the Session.
     */
    status: 'SCHEDULED' | 'PAUSED' | 'COMPLETED' | 'NO_SHOW' | 'CANCELLED';
    /** The homework of the previous Session, with the time of its completion. */
    homework: BookHomework[];
    progress: Progress;
    /**
     * The same as text.
     * @example 1 of 1 Book done
     */
    summary: string;
  } | null;
  /**
   * Days from the previous Session to this one. Null if there is none.
   * @example 7
   */
  daysSincePrevious: number | null;
  /** Homework progress of all Sessions of the series that you may see, without cancelled ones. */
  progress: Progress;
  /** Homework progress of the Sessions that have begun. */
  dueSoFar: Progress;
  /**
   * The same as text.
   * @example 2 of 5 due so far, 24 in all
   */
  summary: string;
}

/** A Book of a Session, and whether the Client has completed it. */
export interface SessionHomework {
  /**
   * Id of the record.
   * @example 1
   */
  id: number;
  /**
   * The Book.
   * @example 1
   */
  bookId: number;
  /** Time of completion by the Client. Null if it is not completed. */
  completedAt: string | null;
}

/** One page. */
export interface SessionPage {
  /** Value of `cursor` for the next page; null on the last page. */
  nextCursor: string | null;
  count?: ListCount;
  /** Only while synchronising: changed records that the list does not contain (any more): the caller may not see them, they do not match the filters, or they were removed. */
  deleted?: Tombstone[];
  /** Only while synchronising: token for the next synchronisation; null except on the last page. */
  syncToken?: string | null;
  /** The items. */
  items: Session[];
}

/** The Sessions that one request has created, with the progress of their homework. */
export interface SessionSeries {
  /**
   * Id of the record.
   * @example 019abcde-0000-7000-8000-000000000000
   */
  id: string;
  /**
   * The Care Provider of Sessions that a revision adds. Changes with a reassignment.
   * @example 1
   */
  caregiverId: number;
  /**
   * The Design Plan.
   * @example 1
   */
  designPlanId: number | null;
  /**
   * The revision of the plan that is applied, or null.
   * @example 1
   */
  revision: number | null;
  /**
   * Days between two Sessions.
   * @example 7
   */
  intervalDays: number;
  /** Time of the pause. Null if the series is not paused. */
  pausedAt: string | null;
  /**
   * Creation time.
   * @example 2026-11-21T09:00:00.000Z
   */
  createdAt: string;
  /**
   * The Clinic.
   * @example 1
   */
  clinicId: number;
  /**
   * Days from the creation of a Session to its reminders, or null.
   * @example 7
   */
  remindDays: number | null;
  /** Reminders around the start of each Session, ISO 8601 durations. */
  reminders: string[];
  /** The Sessions, in the order of their start. */
  sessions: {
    /**
     * Id of the record.
     * @example 1
     */
    id: number;
    /**
     * Position in the series, from 1.
     * @example 1
     */
    position: number;
    /**
     * `ordering` of the plan week, or null.
     * @example 1
     */
    planWeek: number | null;
    /**
     * Start.
     * @example 2027-03-28T08:30:00.000Z
     */
    startsAt: string;
    /**
     * State of the Session.
     */
    status: 'SCHEDULED' | 'PAUSED' | 'COMPLETED' | 'NO_SHOW' | 'CANCELLED';
    progress: Progress;
    /** With `include=books`: the Books of the homework. */
    books?: IncludedBook[];
    /** With `include=reminders`: the next 20 reminders that will be sent, by their due time; for a Care Provider, only of their own Sessions. */
    remindersAhead?: UpcomingReminder[];
    /** With `include=conflicts`: overlaps with other Sessions, the first 10 by their start. */
    conflicts?: ScheduleConflict[];
  }[];
  progress: Progress;
  /** With `include=client`: the Client. */
  client?: IncludedClient;
  /** With `include=careProvider`: the Care Provider. */
  careProvider?: IncludedCareProvider;
  /** Warnings about the times of the series: `FIXED_OFFSET`, or none. */
  warnings: ScheduleWarning[];
}

/** The response to a creation (specification, 4.2). */
export interface SessionsCreated {
  /**
   * Text with the number of created Sessions, their ids, and the first warning of each kind.
   * @example 2 Sessions were created: 11, 12.
   */
  message: string;
}

/** The number of days by which the rest of a series moves. */
export interface ShiftSeries {
  /**
   * Number of days, -365 to 365. Negative: to earlier dates.
   * @example 7
   */
  days: number;
  /**
   * The first Session to move, in the order of start. Default: the next one.
   * @example 12
   */
  fromSessionId?: number;
}

/** Skips a week: its Session and all later ones move by one interval. */
export interface SkipWeek {
  /**
   * The Session of the week to skip. Default: the next one.
   * @example 12
   */
  sessionId?: number;
}

/** One week of homework, as stored. */
export interface StoredWeekModel {
  /**
   * Name of the week.
   * @example Week 1
   */
  name: string;
  /**
   * Position of the week in the plan.
   * @example 1
   */
  ordering: number;
  /** Homework of the week. */
  assignments: {
    /**
     * The Book.
     * @example 1
     */
    bookId: number;
    /** Reminders of this Book. */
    assignReminds: {
      /**
       * Day of the plan week, 1 to 7.
       * @example 1
       */
      reminderDay: number;
      /**
       * Local time, HH:mm.
       * @example 09:30
       */
      time: string;
    }[];
  }[];
}

/** A record that the list does not contain. */
export interface Tombstone {
  /**
   * Id of the record.
   * @example 1
   */
  id: number;
  /**
   * The version of the record at that time.
   * @example 2
   */
  version: number;
}

/** An upcoming reminder of a Session or its homework. */
export interface UpcomingReminder {
  /**
   * Id of the record.
   * @example 1
   */
  id: number;
  /**
   * The homework that the reminder is about. Null if it is about the Session.
   * @example 21
   */
  homeworkId: number | null;
  /**
   * Whether the recipient is a Client or a Care Provider.
   */
  recipientKind: 'CLIENT' | 'CARE_PROVIDER';
  /**
   * Due time.
   * @example 2027-03-21T09:30:00.000Z
   */
  dueAt: string;
  /**
   * The due time, unless quiet hours or a retry have changed it.
   * @example 2027-03-21T09:30:00.000Z
   */
  sendAt: string;
}

/** A record that the list does not contain. */
export interface UuidTombstone {
  /**
   * Id of the record.
   * @example 019abcde-0000-7000-8000-000000000000
   */
  id: string;
  /**
   * The version of the record at that time.
   * @example 2
   */
  version: number;
}

/** An invalid field of a request. */
export interface Violation {
  /**
   * JSON pointer to the field.
   * @example /weeks/2/assignments/0/bookId
   */
  pointer: string;
  /**
   * The reason.
   * @example must be an integer
   */
  detail: string;
}

/** The Sessions of seven days. */
export interface Week {
  /**
   * Time zone of the days and local times.
   * @example Europe/London
   */
  timeZone: string;
  /**
   * Start of the week.
   * @example 2027-07-04T23:00:00.000Z
   */
  startsAt: string;
  /**
   * The first instant after the week.
   * @example 2027-07-11T23:00:00.000Z
   */
  endsAt: string;
  /** The seven days. */
  days: WeekDay[];
  /**
   * Whether the week has more than 1,000 Sessions, of which only the first 1,000 by start are returned.
   * @example false
   */
  isTruncated: boolean;
  /** In the order of their start. */
  sessions: WeekSession[];
}

/** One day of a week. */
export interface WeekDay {
  /**
   * Date, yyyy/MM/dd.
   * @example 2027/07/05
   */
  date: string;
  /**
   * Start of the day.
   * @example 2027-07-04T23:00:00.000Z
   */
  startsAt: string;
}

/** One week of homework. */
export interface WeekModel {
  /**
   * Name of the week. Default: `Week <ordering>`.
   * @example Week 1
   */
  name?: string | null;
  /**
   * Position in the plan, unique within it. Default: its place in the list, from 1.
   * @example 1
   */
  ordering?: number | null;
  /** Homework of the week, 0 to 50 Books. */
  assignments?: AssignmentModel[] | null;
}

/** One appointment, with the data of a week board. */
export interface WeekSession {
  /**
   * The Care Provider.
   * @example 1
   */
  caregiverId: number;
  /**
   * Title.
   * @example First appointment
   */
  title: string;
  /**
   * Local date, yyyy/MM/dd, in `timeZone`.
   * @example 2027/03/28
   */
  date: string;
  /**
   * Local time, HH:mm, in `timeZone`.
   * @example 09:30
   */
  time: string;
  /**
   * Time zone of the date and time: an IANA name, or an offset such as +05:30.
   * @example Europe/London
   */
  timeZone: string;
  /**
   * Start.
   * @example 2027-03-28T08:30:00.000Z
   */
  startsAt: string;
  /**
   * End.
   * @example 2027-03-28T09:20:00.000Z
   */
  endsAt: string;
  /**
   * Duration in minutes.
   * @example 50
   */
  durationMinutes: number;
  /**
   * State of the Session.
   */
  status: 'SCHEDULED' | 'PAUSED' | 'COMPLETED' | 'NO_SHOW' | 'CANCELLED';
  /**
   * Id of the record.
   * @example 1
   */
  id: number;
  /**
   * Increases with each change: the `ETag`, for `If-Match`.
   * @example 1
   */
  version: number;
  progress: Progress;
  /**
   * The Sessions that one request has created are one series.
   * @example 019abcde-0000-7000-8000-000000000000
   */
  seriesId: string;
  /**
   * The Client.
   * @example 1
   */
  clientId: number;
  /**
   * The Design Plan that was applied, or that the creation named.
   * @example 1
   */
  designPlanId: number | null;
  /**
   * Position in the series by start, from 1. It does not change when Sessions move, but with a revision of the plan that adds or removes weeks.
   * @example 1
   */
  position: number;
  /**
   * `ordering` of the plan week, or null.
   * @example 1
   */
  planWeek: number | null;
  /** Local time of the start. */
  localStart: LocalTime;
  /** Local time of the end. */
  localEnd: LocalTime;
  client: IncludedClient;
  careProvider: IncludedCareProvider;
  /** Homework of this Session. */
  homework: BookHomework[];
  /** The next 20 reminders that will be sent, by their due time; for a Care Provider, only of their own Sessions. */
  remindersAhead: UpcomingReminder[];
  /** Overlaps with other Sessions of the Care Provider or Client: the first 10 by their start. */
  conflicts: ScheduleConflict[];
}

export interface ListRevokedTokensInput {
  /** Maximum number of items, 1 to 200. Default: 50. */
  limit?: number;
  /** The `nextCursor` of the previous page. */
  cursor?: string;
}

export interface RevokeTokenInput {
  body: RevokeToken;
}

export interface ListClinicsInput {
  /** Maximum number of items, 1 to 200. Default: 50. */
  limit?: number;
  /** The `nextCursor` of the previous page. */
  cursor?: string;
  /** Only active (true) or only deactivated (false) records. Default: both. */
  active?: boolean;
  /**
   * Adds `count`, the number of items on all pages. exact: counted up to 10,000; estimated: up to 1,000, which is faster.
   */
  count?: 'exact' | 'estimated';
  /**
   * Order. Records with the same value are ordered by id. With `-`: descending.
   */
  sort?: 'createdAt' | '-createdAt';
}

export interface CreateClinicInput {
  body: CreateClinic;
}

export interface PutClinicByExternalIdInput {
  /**
   * The id in your own system, unique among your records of this kind (409).
   * @example ehr-4711
   */
  externalId: string;
  /** The `ETag` of the version to change. 412 if it is not the current version. If it is absent, any version is changed. */
  ifMatch?: RecordVersion;
  /**
   * `*`: the record is only created. 412 if it exists.
   */
  ifNoneMatch?: '*';
  body: PutClinic;
}

export interface ImportClinicsInput {
  body: ImportClinic[];
}

export interface GetClinicInput {
  /**
   * Id of the record.
   * @example 1
   */
  id: number;
}

export interface ChangeClinicInput {
  /**
   * Id of the record.
   * @example 1
   */
  id: number;
  /** The `ETag` of the version to change. 412 if it is not the current version. If it is absent, any version is changed. */
  ifMatch?: RecordVersion;
  body: ChangeClinic;
}

export interface DeactivateClinicInput {
  /**
   * Id of the record.
   * @example 1
   */
  id: number;
  /** The `ETag` of the version to change. 412 if it is not the current version. If it is absent, any version is changed. */
  ifMatch?: RecordVersion;
}

export interface ListCatalogueBooksInput {
  /** Maximum number of items, 1 to 200. Default: 50. */
  limit?: number;
  /** The `nextCursor` of the previous page. */
  cursor?: string;
  /** Only active (true) or only deactivated (false) records. Default: both. */
  active?: boolean;
  /**
   * Adds `count`, the number of items on all pages. exact: counted up to 10,000; estimated: up to 1,000, which is faster.
   */
  count?: 'exact' | 'estimated';
  /** Only records whose title contains all of these words. Case and accents are ignored: `habitos` finds Hábitos. For example `sleep`. */
  title?: string;
  /**
   * Order. Records with the same value are ordered by id. With `-`: descending.
   */
  sort?: 'createdAt' | '-createdAt' | 'title' | '-title';
}

export interface CreateCatalogueBookInput {
  body: CreateBook;
}

export interface PutCatalogueBookByExternalIdInput {
  /**
   * The id in your own system, unique among your records of this kind (409).
   * @example ehr-4711
   */
  externalId: string;
  /** The `ETag` of the version to change. 412 if it is not the current version. If it is absent, any version is changed. */
  ifMatch?: RecordVersion;
  /**
   * `*`: the record is only created. 412 if it exists.
   */
  ifNoneMatch?: '*';
  body: PutBook;
}

export interface ImportCatalogueBooksInput {
  body: ImportBook[];
}

export interface GetCatalogueBookInput {
  /**
   * Id of the record.
   * @example 1
   */
  id: number;
}

export interface ChangeCatalogueBookInput {
  /**
   * Id of the record.
   * @example 1
   */
  id: number;
  /** The `ETag` of the version to change. 412 if it is not the current version. If it is absent, any version is changed. */
  ifMatch?: RecordVersion;
  body: ChangeBook;
}

export interface DeactivateCatalogueBookInput {
  /**
   * Id of the record.
   * @example 1
   */
  id: number;
  /** The `ETag` of the version to change. 412 if it is not the current version. If it is absent, any version is changed. */
  ifMatch?: RecordVersion;
}

export interface ListCareProvidersInput {
  /** Maximum number of items, 1 to 200. Default: 50. */
  limit?: number;
  /** The `nextCursor` of the previous page. */
  cursor?: string;
  /** Only active (true) or only deactivated (false) records. Default: both. */
  active?: boolean;
  /**
   * Adds `count`, the number of items on all pages. exact: counted up to 10,000; estimated: up to 1,000, which is faster.
   */
  count?: 'exact' | 'estimated';
  /** Only records whose name contains all of these words. Case and accents are ignored: `jose` finds José. For example `jose`. */
  name?: string;
  /**
   * Order. Records with the same value are ordered by id. With `-`: descending.
   */
  sort?: 'createdAt' | '-createdAt' | 'name' | '-name';
}

export interface CreateCareProviderInput {
  body: CreatePerson;
}

export interface PutCareProviderByExternalIdInput {
  /**
   * The id in your own system, unique among your records of this kind (409).
   * @example ehr-4711
   */
  externalId: string;
  /** The `ETag` of the version to change. 412 if it is not the current version. If it is absent, any version is changed. */
  ifMatch?: RecordVersion;
  /**
   * `*`: the record is only created. 412 if it exists.
   */
  ifNoneMatch?: '*';
  body: PutPerson;
}

export interface ImportCareProvidersInput {
  body: ImportCareProvider[];
}

export interface GetCareProviderInput {
  /**
   * Id of the record.
   * @example 1
   */
  id: number;
}

export interface ChangeCareProviderInput {
  /**
   * Id of the record.
   * @example 1
   */
  id: number;
  /** The `ETag` of the version to change. 412 if it is not the current version. If it is absent, any version is changed. */
  ifMatch?: RecordVersion;
  body: ChangePerson;
}

export interface DeactivateCareProviderInput {
  /**
   * Id of the record.
   * @example 1
   */
  id: number;
  /** The `ETag` of the version to change. 412 if it is not the current version. If it is absent, any version is changed. */
  ifMatch?: RecordVersion;
}

export interface ReassignClientsInput {
  /**
   * Id of the record.
   * @example 1
   */
  id: number;
  body: Reassign;
}

export interface ListClientsInput {
  /** Maximum number of items, 1 to 200. Default: 50. */
  limit?: number;
  /** The `nextCursor` of the previous page. */
  cursor?: string;
  /** Only active (true) or only deactivated (false) records. Default: both. */
  active?: boolean;
  /**
   * Adds `count`, the number of items on all pages. exact: counted up to 10,000; estimated: up to 1,000, which is faster.
   */
  count?: 'exact' | 'estimated';
  /** Only records whose name contains all of these words. Case and accents are ignored: `jose` finds José. For example `jose`. */
  name?: string;
  /**
   * Order. Records with the same value are ordered by id. With `-`: descending.
   */
  sort?: 'createdAt' | '-createdAt' | 'name' | '-name';
}

export interface CreateClientInput {
  body: CreatePerson;
}

export interface PutClientByExternalIdInput {
  /**
   * The id in your own system, unique among your records of this kind (409).
   * @example ehr-4711
   */
  externalId: string;
  /** The `ETag` of the version to change. 412 if it is not the current version. If it is absent, any version is changed. */
  ifMatch?: RecordVersion;
  /**
   * `*`: the record is only created. 412 if it exists.
   */
  ifNoneMatch?: '*';
  body: PutPerson;
}

export interface ImportClientsInput {
  body: ImportClient[];
}

export interface GetClientInput {
  /**
   * Id of the record.
   * @example 1
   */
  id: number;
}

export interface ChangeClientInput {
  /**
   * Id of the record.
   * @example 1
   */
  id: number;
  /** The `ETag` of the version to change. 412 if it is not the current version. If it is absent, any version is changed. */
  ifMatch?: RecordVersion;
  body: ChangePerson;
}

export interface DeactivateClientInput {
  /**
   * Id of the record.
   * @example 1
   */
  id: number;
  /** The `ETag` of the version to change. 412 if it is not the current version. If it is absent, any version is changed. */
  ifMatch?: RecordVersion;
}

export interface AssignClientInput {
  /**
   * Id of the record.
   * @example 1
   */
  id: number;
  /**
   * Id of the record.
   * @example 1
   */
  careProviderId: number;
}

export interface UnassignClientInput {
  /**
   * Id of the record.
   * @example 1
   */
  id: number;
  /**
   * Id of the record.
   * @example 1
   */
  careProviderId: number;
}

export interface ListBooksInput {
  /** Maximum number of items, 1 to 200. Default: 50. */
  limit?: number;
  /** The `nextCursor` of the previous page. */
  cursor?: string;
  /** Only active (true) or only deactivated (false) records. Default: both. */
  active?: boolean;
  /**
   * Adds `count`, the number of items on all pages. exact: counted up to 10,000; estimated: up to 1,000, which is faster.
   */
  count?: 'exact' | 'estimated';
  /** Only records whose title contains all of these words. Case and accents are ignored: `habitos` finds Hábitos. For example `sleep`. */
  title?: string;
  /**
   * Order. Records with the same value are ordered by id. With `-`: descending.
   */
  sort?: 'createdAt' | '-createdAt' | 'title' | '-title';
}

export interface CreateBookInput {
  body: CreateBook;
}

export interface PutBookByExternalIdInput {
  /**
   * The id in your own system, unique among your records of this kind (409).
   * @example ehr-4711
   */
  externalId: string;
  /** The `ETag` of the version to change. 412 if it is not the current version. If it is absent, any version is changed. */
  ifMatch?: RecordVersion;
  /**
   * `*`: the record is only created. 412 if it exists.
   */
  ifNoneMatch?: '*';
  body: PutBook;
}

export interface ImportBooksInput {
  body: ImportBook[];
}

export interface GetBookInput {
  /**
   * Id of the record.
   * @example 1
   */
  id: number;
}

export interface ChangeBookInput {
  /**
   * Id of the record.
   * @example 7
   */
  id: number;
  /** The `ETag` of the version to change. 412 if it is not the current version. If it is absent, any version is changed. */
  ifMatch?: RecordVersion;
  body: ChangeBook;
}

export interface DeactivateBookInput {
  /**
   * Id of the record.
   * @example 7
   */
  id: number;
  /** The `ETag` of the version to change. 412 if it is not the current version. If it is absent, any version is changed. */
  ifMatch?: RecordVersion;
}

export interface ListAssignedClientsInput {
  /** Maximum number of items, 1 to 200. Default: 50. */
  limit?: number;
  /** The `nextCursor` of the previous page. */
  cursor?: string;
  /** Only active (true) or only deactivated (false) records. Default: both. */
  active?: boolean;
  /**
   * Adds `count`, the number of items on all pages. exact: counted up to 10,000; estimated: up to 1,000, which is faster.
   */
  count?: 'exact' | 'estimated';
  /** Only records whose name contains all of these words. Case and accents are ignored: `jose` finds José. For example `jose`. */
  name?: string;
  /**
   * Order. Records with the same value are ordered by id. With `-`: descending.
   */
  sort?: 'createdAt' | '-createdAt' | 'name' | '-name';
}

export interface GetAssignedClientInput {
  /**
   * Id of the record.
   * @example 1
   */
  id: number;
}

export interface ListColleaguesInput {
  /** Maximum number of items, 1 to 200. Default: 50. */
  limit?: number;
  /** The `nextCursor` of the previous page. */
  cursor?: string;
  /** Only active (true) or only deactivated (false) records. Default: both. */
  active?: boolean;
  /**
   * Adds `count`, the number of items on all pages. exact: counted up to 10,000; estimated: up to 1,000, which is faster.
   */
  count?: 'exact' | 'estimated';
  /** Only records whose name contains all of these words. Case and accents are ignored: `jose` finds José. For example `jose`. */
  name?: string;
  /**
   * Order. Records with the same value are ordered by id. With `-`: descending.
   */
  sort?: 'createdAt' | '-createdAt' | 'name' | '-name';
}

export interface GetColleagueInput {
  /**
   * Id of the record.
   * @example 1
   */
  id: number;
}

export interface ListUsableBooksInput {
  /** Maximum number of items, 1 to 200. Default: 50. */
  limit?: number;
  /** The `nextCursor` of the previous page. */
  cursor?: string;
  /** Only active (true) or only deactivated (false) records. Default: both. */
  active?: boolean;
  /**
   * Adds `count`, the number of items on all pages. exact: counted up to 10,000; estimated: up to 1,000, which is faster.
   */
  count?: 'exact' | 'estimated';
  /** Only records whose title contains all of these words. Case and accents are ignored: `habitos` finds Hábitos. For example `sleep`. */
  title?: string;
  /**
   * Order. Records with the same value are ordered by id. With `-`: descending.
   */
  sort?: 'createdAt' | '-createdAt' | 'title' | '-title';
}

export interface GetUsableBookInput {
  /**
   * Id of the record.
   * @example 1
   */
  id: number;
}

export interface ListRevokedTokenHoldersInput {
  /** Maximum number of items, 1 to 200. Default: 50. */
  limit?: number;
  /** The `nextCursor` of the previous page. */
  cursor?: string;
}

export interface RevokeTokenHolderAsAdminInput {
  body: RevokeAnyTokenHolder;
}

export interface RevokeTokenHolderAsClinicInput {
  body: RevokeTokenHolder;
}

export interface ListAdministratorAccessesInput {
  /** Maximum number of items, 1 to 200. Default: 50. */
  limit?: number;
  /** The `nextCursor` of the previous page. */
  cursor?: string;
  /** Only accesses that are open (true), or only those that have ended (false). */
  open?: boolean;
}

export interface CreateAdministratorAccessInput {
  body: CreateAdministratorAccess;
}

export interface RevokeAdministratorAccessInput {
  /**
   * Id of the record.
   * @example 1
   */
  id: number;
}

export interface ListDesignPlansInput {
  /** Maximum number of items, 1 to 200. Default: 50. */
  limit?: number;
  /** The `nextCursor` of the previous page. */
  cursor?: string;
  /** Only plans whose name contains all of these words. Case and accents are ignored: `emil` finds Émil. For example `sleep`. */
  name?: string;
  /** Only those of these Care Providers. For example `1`. */
  caregiverId?: number | number[];
  /** true: only archived plans. Otherwise, only plans that are not archived. */
  archived?: boolean;
  /** true: only templates; false: only the others. */
  template?: boolean;
  /**
   * Order: by date of creation, by name, or by the last change. With `-`: descending.
   */
  sort?: 'createdDate' | '-createdDate' | 'name' | '-name' | 'updatedAt' | '-updatedAt';
  /**
   * Adds `count`, the number of items on all pages. exact: counted up to 10,000; estimated: up to 1,000, which is faster.
   */
  count?: 'exact' | 'estimated';
  /** true: starts a synchronisation. Records are in the order of their last change, and the last page has a `syncToken`. */
  sync?: boolean;
  /** Returns the changes since the token was issued, for the same caller and with the same filters. `deleted` contains records that are no longer in the list. */
  syncToken?: string;
}

export interface CreateDesignPlanInput {
  /** The caller's UTC offset in whole minutes, positive east, such as `60`: the zone of the wall-clock fields of this request. Default: the time zone of the Clinic. */
  offset?: number;
  body: CreateDesignPlan;
}

export interface GetDesignPlanInput {
  /**
   * Id of the record.
   * @example 1
   */
  id: number;
}

export interface ReplaceDesignPlanInput {
  /**
   * Id of the record.
   * @example 1
   */
  id: number;
  /** The caller's UTC offset in whole minutes, positive east, such as `60`: the zone of the wall-clock fields of this request. Default: the time zone of the Clinic. */
  offset?: number;
  /** The `ETag` of the version to change, such as `"1"`. 428 if it is absent; 412 if it is not the current version. */
  ifMatch: RecordVersion;
  body: ReplaceDesignPlan;
}

export interface ArchiveDesignPlanInput {
  /**
   * Id of the record.
   * @example 1
   */
  id: number;
  /** The `ETag` of the version to change. 412 if it is not the current version. If it is absent, any version is changed. */
  ifMatch?: RecordVersion;
}

export interface GetDesignPlanByLocationInput {
  /**
   * Id of the record.
   * @example 1
   */
  id: number;
}

export interface RestoreDesignPlanInput {
  /**
   * Id of the record.
   * @example 1
   */
  id: number;
  /** The `ETag` of the version to change. 412 if it is not the current version. If it is absent, any version is changed. */
  ifMatch?: RecordVersion;
}

export interface ImportDesignPlanInput {
  body: ImportDesignPlan;
}

export interface CloneDesignPlanInput {
  /**
   * Id of the record.
   * @example 1
   */
  id: number;
  body: CloneDesignPlan;
}

export interface ExportDesignPlanInput {
  /**
   * Id of the record.
   * @example 1
   */
  id: number;
}

export interface ListDesignPlanRevisionsInput {
  /**
   * Id of the record.
   * @example 1
   */
  id: number;
  /** Maximum number of items, 1 to 200. Default: 50. */
  limit?: number;
  /** The `nextCursor` of the previous page. */
  cursor?: string;
}

export interface GetDesignPlanRevisionInput {
  /**
   * Id of the record.
   * @example 1
   */
  id: number;
  /**
   * Number of a revision.
   * @example 1
   */
  revision: string;
}

export interface CompareDesignPlanRevisionsInput {
  /**
   * Id of the record.
   * @example 1
   */
  id: number;
  /**
   * Number of a revision.
   * @example 1
   */
  from: string;
  /**
   * Number of a revision.
   * @example 1
   */
  to: string;
}

export interface RedriveRemindersInput {
  /**
   * DEAD: dead letters. SKIPPED: reminders that were skipped because they were too late.
   */
  status?: 'DEAD' | 'SKIPPED';
  /** Only those whose time (start, due time, or time of the request) is this instant or later. For example `2027-03-01T00:00:00Z`. */
  from?: string;
  /** Only those whose time is before this instant. For example `2027-03-01T00:00:00Z`. */
  to?: string;
}

export interface RedriveReminderInput {
  /**
   * Id of the record.
   * @example 1
   */
  id: number;
}

export interface ListRemindersInput {
  /** Maximum number of items, 1 to 200. Default: 50. */
  limit?: number;
  /** The `nextCursor` of the previous page. */
  cursor?: string;
  /** Only reminders in these states. DEAD: dead letters. For example `PENDING`. */
  status?:
    | ('PENDING' | 'QUEUED' | 'SENT' | 'DEAD' | 'WITHDRAWN' | 'SKIPPED')
    | ('PENDING' | 'QUEUED' | 'SENT' | 'DEAD' | 'WITHDRAWN' | 'SKIPPED')[];
  /** Only reminders about Sessions, or about homework. For example `SESSION`. */
  kind?: ('SESSION' | 'HOMEWORK') | ('SESSION' | 'HOMEWORK')[];
  /** Only reminders of Clients, or of Care Providers. For example `CLIENT`. */
  recipientKind?: ('CLIENT' | 'CARE_PROVIDER') | ('CLIENT' | 'CARE_PROVIDER')[];
  /** Only reminders of these recipients. For example `1`. */
  recipientId?: number | number[];
  /** Only those of these Care Providers. For example `1`. */
  caregiverId?: number | number[];
  /** Only those of these Sessions. For example `1`. */
  sessionId?: number | number[];
  /** Only reminders whose last attempt has used one of these channels. For example `LOG`. */
  channel?: string | string[];
  /** Only those whose time (start, due time, or time of the request) is this instant or later. For example `2027-03-01T00:00:00Z`. */
  from?: string;
  /** Only those whose time is before this instant. For example `2027-03-01T00:00:00Z`. */
  to?: string;
  /** Members to add to each item, as the response describes them. Members that it always has may be named, too. For example `client,careProvider`. */
  include?:
    | ('client' | 'careProvider' | 'books' | 'progress' | 'conflicts')
    | ('client' | 'careProvider' | 'books' | 'progress' | 'conflicts')[];
  /**
   * By due time. With `-`: descending.
   */
  sort?: 'dueAt' | '-dueAt';
  /**
   * Adds `count`, the number of items on all pages. exact: counted up to 10,000; estimated: up to 1,000, which is faster.
   */
  count?: 'exact' | 'estimated';
}

export interface GetReminderInput {
  /**
   * Id of the record.
   * @example 1
   */
  id: number;
  /** Members to add to each item, as the response describes them. Members that it always has may be named, too. For example `client,careProvider`. */
  include?:
    | ('client' | 'careProvider' | 'books' | 'progress' | 'conflicts')
    | ('client' | 'careProvider' | 'books' | 'progress' | 'conflicts')[];
}

export interface GetReminderMessageInput {
  /**
   * Id of the record.
   * @example 1
   */
  id: number;
}

export interface PutReminderPreferenceAsClientInput {
  body: PutReminderPreference;
}

export interface PutReminderPreferenceAsCareProviderInput {
  body: PutReminderPreference;
}

export interface PutReminderPreferenceAsClinicInput {
  body: PutClinicReminderPreference;
}

export interface ListSessionsAsCareProviderInput {
  /** Maximum number of items, 1 to 200. Default: 50. */
  limit?: number;
  /** The `nextCursor` of the previous page. */
  cursor?: string;
  /** Only the Sessions of these series. For example `019abcde-0000-7000-8000-000000000000`. */
  seriesId?: string | string[];
  /** Only those whose time (start, due time, or time of the request) is this instant or later. For example `2027-03-01T00:00:00Z`. */
  from?: string;
  /** Only those whose time is before this instant. For example `2027-03-01T00:00:00Z`. */
  to?: string;
  /** Only those of these Clients. For example `1`. */
  clientId?: number | number[];
  /** Only those of these Care Providers. For example `1`. */
  caregiverId?: number | number[];
  /** Only those of these Design Plans. For example `1`. */
  designPlanId?: number | number[];
  /** Only Sessions in these states. For example `SCHEDULED`. */
  status?:
    | ('SCHEDULED' | 'PAUSED' | 'COMPLETED' | 'NO_SHOW' | 'CANCELLED')
    | ('SCHEDULED' | 'PAUSED' | 'COMPLETED' | 'NO_SHOW' | 'CANCELLED')[];
  /**
   * By start, or by the last change of the Session or its homework. With `-`: descending.
   */
  sort?: 'startsAt' | '-startsAt' | 'updatedAt' | '-updatedAt';
  /**
   * Adds `count`, the number of items on all pages. exact: counted up to 10,000; estimated: up to 1,000, which is faster.
   */
  count?: 'exact' | 'estimated';
  /** true: starts a synchronisation. Records are in the order of their last change, and the last page has a `syncToken`. */
  sync?: boolean;
  /** Returns the changes since the token was issued, for the same caller and with the same filters. `deleted` contains records that are no longer in the list. */
  syncToken?: string;
  /** Members to add to each item, as the response describes them. Members that it always has may be named, too. For example `client,careProvider`. */
  include?:
    | ('client' | 'careProvider' | 'books' | 'progress' | 'reminders' | 'conflicts')
    | ('client' | 'careProvider' | 'books' | 'progress' | 'reminders' | 'conflicts')[];
}

export interface CreateSessionsAsCareProviderInput {
  /**
   * What happens with overlaps with other Sessions of the Care Provider or the Client. `report`: a response with Sessions lists them. `reject`: 409 with all of them, also for concurrent requests.
   */
  conflicts?: 'report' | 'reject';
  /** The caller's UTC offset in whole minutes, positive east, such as `60`: the zone of the wall-clock fields of this request. If it is that of the Clinic's time zone, at the first Session or now, that time zone is used; otherwise the fixed offset, with the warning `FIXED_OFFSET`. Default: the time zone of the Clinic. */
  offset?: number;
  body: CreateSessions;
}

export interface GetSessionAsCareProviderInput {
  /**
   * Id of the record.
   * @example 1
   */
  id: number;
  /** Members to add to each item, as the response describes them. Members that it always has may be named, too. For example `client,careProvider`. */
  include?:
    | ('client' | 'careProvider' | 'books' | 'progress' | 'reminders' | 'conflicts')
    | ('client' | 'careProvider' | 'books' | 'progress' | 'reminders' | 'conflicts')[];
}

export interface ChangeSessionInput {
  /**
   * Id of the record.
   * @example 1
   */
  id: number;
  /**
   * What happens with overlaps with other Sessions of the Care Provider or the Client. `report`: a response with Sessions lists them. `reject`: 409 with all of them, also for concurrent requests.
   */
  conflicts?: 'report' | 'reject';
  /** true: returns the result without changing anything. */
  dryRun?: boolean;
  /**
   * Which Sessions of the series: this one, this and those that start after it, or all. Of past Sessions, only the one in the path changes.
   */
  scope?: 'this' | 'following' | 'series';
  /** The caller's UTC offset in whole minutes, positive east, such as `60`: the zone of the wall-clock fields of this request. If it is that of the time zone of the Session, or else of the Clinic, at that time or now, that time zone is used; otherwise the fixed offset, with the warning `FIXED_OFFSET`. Default: the time zone of the Session. */
  offset?: number;
  /** The `ETag` of the version to change, such as `"1"`. 428 if it is absent; 412 if it is not the current version. */
  ifMatch: RecordVersion;
  body: ChangeSession;
}

export interface ListSessionsAsClinicInput {
  /** Maximum number of items, 1 to 200. Default: 50. */
  limit?: number;
  /** The `nextCursor` of the previous page. */
  cursor?: string;
  /** Only the Sessions of these series. For example `019abcde-0000-7000-8000-000000000000`. */
  seriesId?: string | string[];
  /** Only those whose time (start, due time, or time of the request) is this instant or later. For example `2027-03-01T00:00:00Z`. */
  from?: string;
  /** Only those whose time is before this instant. For example `2027-03-01T00:00:00Z`. */
  to?: string;
  /** Only those of these Clients. For example `1`. */
  clientId?: number | number[];
  /** Only those of these Care Providers. For example `1`. */
  caregiverId?: number | number[];
  /** Only those of these Design Plans. For example `1`. */
  designPlanId?: number | number[];
  /** Only Sessions in these states. For example `SCHEDULED`. */
  status?:
    | ('SCHEDULED' | 'PAUSED' | 'COMPLETED' | 'NO_SHOW' | 'CANCELLED')
    | ('SCHEDULED' | 'PAUSED' | 'COMPLETED' | 'NO_SHOW' | 'CANCELLED')[];
  /**
   * By start, or by the last change of the Session or its homework. With `-`: descending.
   */
  sort?: 'startsAt' | '-startsAt' | 'updatedAt' | '-updatedAt';
  /**
   * Adds `count`, the number of items on all pages. exact: counted up to 10,000; estimated: up to 1,000, which is faster.
   */
  count?: 'exact' | 'estimated';
  /** true: starts a synchronisation. Records are in the order of their last change, and the last page has a `syncToken`. */
  sync?: boolean;
  /** Returns the changes since the token was issued, for the same caller and with the same filters. `deleted` contains records that are no longer in the list. */
  syncToken?: string;
  /** Members to add to each item, as the response describes them. Members that it always has may be named, too. For example `client,careProvider`. */
  include?:
    | ('client' | 'careProvider' | 'books' | 'progress' | 'reminders' | 'conflicts')
    | ('client' | 'careProvider' | 'books' | 'progress' | 'reminders' | 'conflicts')[];
}

export interface CreateSessionsAsClinicInput {
  /**
   * What happens with overlaps with other Sessions of the Care Provider or the Client. `report`: a response with Sessions lists them. `reject`: 409 with all of them, also for concurrent requests.
   */
  conflicts?: 'report' | 'reject';
  /** true: returns the result without changing anything. */
  dryRun?: boolean;
  /** The caller's UTC offset in whole minutes, positive east, such as `60`: the zone of the wall-clock fields of this request. If it is that of the Clinic's time zone, at the first Session or now, that time zone is used; otherwise the fixed offset, with the warning `FIXED_OFFSET`. Default: the time zone of the Clinic. */
  offset?: number;
  body: CreateClinicSessions;
}

export interface GetSessionAsClinicInput {
  /**
   * Id of the record.
   * @example 1
   */
  id: number;
  /** Members to add to each item, as the response describes them. Members that it always has may be named, too. For example `client,careProvider`. */
  include?:
    | ('client' | 'careProvider' | 'books' | 'progress' | 'reminders' | 'conflicts')
    | ('client' | 'careProvider' | 'books' | 'progress' | 'reminders' | 'conflicts')[];
}

export interface CancelSessionInput {
  /**
   * Id of the record.
   * @example 1
   */
  id: number;
  /**
   * What happens with overlaps with other Sessions of the Care Provider or the Client. `report`: a response with Sessions lists them. `reject`: 409 with all of them, also for concurrent requests.
   */
  conflicts?: 'report' | 'reject';
  /** true: returns the result without changing anything. */
  dryRun?: boolean;
  /**
   * Which Sessions of the series: this one, this and those that start after it, or all. Of past Sessions, only the one in the path changes.
   */
  scope?: 'this' | 'following' | 'series';
  /** The `ETag` of the version to change. 412 if it is not the current version. If it is absent, any version is changed. */
  ifMatch?: RecordVersion;
  body: CancelSession;
}

export interface CompleteSessionInput {
  /**
   * Id of the record.
   * @example 1
   */
  id: number;
  /** The `ETag` of the version to change. 412 if it is not the current version. If it is absent, any version is changed. */
  ifMatch?: RecordVersion;
}

export interface MarkSessionNoShowInput {
  /**
   * Id of the record.
   * @example 1
   */
  id: number;
  /** The `ETag` of the version to change. 412 if it is not the current version. If it is absent, any version is changed. */
  ifMatch?: RecordVersion;
}

export interface UndoSessionStepInput {
  /**
   * Id of the record.
   * @example 1
   */
  id: number;
  /**
   * What happens with overlaps with other Sessions of the Care Provider or the Client. `report`: a response with Sessions lists them. `reject`: 409 with all of them, also for concurrent requests.
   */
  conflicts?: 'report' | 'reject';
  /** true: returns the result without changing anything. */
  dryRun?: boolean;
  /**
   * Which Sessions of the series: this one, this and those that start after it, or all. Of past Sessions, only the one in the path changes.
   */
  scope?: 'this' | 'following' | 'series';
  /**
   * When a cancelled Session then is. `before`: at its previous time, with the warning `OUT_OF_ORDER` if the series has moved since. `series`: at the time of its plan week in the series (409 if it is taken or has passed).
   */
  at?: 'before' | 'series';
  /** The `ETag` of the version to change. 412 if it is not the current version. If it is absent, any version is changed. */
  ifMatch?: RecordVersion;
}

export interface ListSeriesInput {
  /** Maximum number of items, 1 to 200. Default: 50. */
  limit?: number;
  /** The `nextCursor` of the previous page. */
  cursor?: string;
  /** Only those of these Care Providers. For example `1`. */
  caregiverId?: number | number[];
  /** Only those of these Clients. For example `1`. */
  clientId?: number | number[];
  /** Only those of these Design Plans. For example `1`. */
  designPlanId?: number | number[];
  /** true: only paused series; false: only the others. */
  paused?: boolean;
  /**
   * By creation. With `-`: descending.
   */
  sort?: 'createdAt' | '-createdAt';
  /**
   * Adds `count`, the number of items on all pages. exact: counted up to 10,000; estimated: up to 1,000, which is faster.
   */
  count?: 'exact' | 'estimated';
  /** true: starts a synchronisation. Records are in the order of their last change, and the last page has a `syncToken`. */
  sync?: boolean;
  /** Returns the changes since the token was issued, for the same caller and with the same filters. `deleted` contains records that are no longer in the list. */
  syncToken?: string;
}

export interface GetSeriesInput {
  /**
   * Id of the series.
   * @example 019abcde-0000-7000-8000-000000000000
   */
  seriesId: string;
  /** Members to add to each item, as the response describes them. Members that it always has may be named, too. For example `client,careProvider`. */
  include?:
    | ('client' | 'careProvider' | 'books' | 'progress' | 'reminders' | 'conflicts')
    | ('client' | 'careProvider' | 'books' | 'progress' | 'reminders' | 'conflicts')[];
}

export interface PauseSeriesInput {
  /**
   * Id of the series.
   * @example 019abcde-0000-7000-8000-000000000000
   */
  seriesId: string;
  /**
   * What happens with overlaps with other Sessions of the Care Provider or the Client. `report`: a response with Sessions lists them. `reject`: 409 with all of them, also for concurrent requests.
   */
  conflicts?: 'report' | 'reject';
  /** true: returns the result without changing anything. */
  dryRun?: boolean;
}

export interface ResumeSeriesInput {
  /**
   * Id of the series.
   * @example 019abcde-0000-7000-8000-000000000000
   */
  seriesId: string;
  /**
   * What happens with overlaps with other Sessions of the Care Provider or the Client. `report`: a response with Sessions lists them. `reject`: 409 with all of them, also for concurrent requests.
   */
  conflicts?: 'report' | 'reject';
  /** true: returns the result without changing anything. */
  dryRun?: boolean;
}

export interface ShiftSeriesInput {
  /**
   * Id of the series.
   * @example 019abcde-0000-7000-8000-000000000000
   */
  seriesId: string;
  /**
   * What happens with overlaps with other Sessions of the Care Provider or the Client. `report`: a response with Sessions lists them. `reject`: 409 with all of them, also for concurrent requests.
   */
  conflicts?: 'report' | 'reject';
  /** true: returns the result without changing anything. */
  dryRun?: boolean;
  body: ShiftSeries;
}

export interface SkipSeriesWeekInput {
  /**
   * Id of the series.
   * @example 019abcde-0000-7000-8000-000000000000
   */
  seriesId: string;
  /**
   * What happens with overlaps with other Sessions of the Care Provider or the Client. `report`: a response with Sessions lists them. `reject`: 409 with all of them, also for concurrent requests.
   */
  conflicts?: 'report' | 'reject';
  /** true: returns the result without changing anything. */
  dryRun?: boolean;
  body: SkipWeek;
}

export interface ReviseSeriesInput {
  /**
   * Id of the series.
   * @example 019abcde-0000-7000-8000-000000000000
   */
  seriesId: string;
  /**
   * What happens with overlaps with other Sessions of the Care Provider or the Client. `report`: a response with Sessions lists them. `reject`: 409 with all of them, also for concurrent requests.
   */
  conflicts?: 'report' | 'reject';
  /** true: returns the result without changing anything. */
  dryRun?: boolean;
  body: ReviseSeries;
}

export interface ApplyDesignPlanAsCareProviderInput {
  /**
   * Id of the record.
   * @example 1
   */
  id: number;
  /**
   * What happens with overlaps with other Sessions of the Care Provider or the Client. `report`: a response with Sessions lists them. `reject`: 409 with all of them, also for concurrent requests.
   */
  conflicts?: 'report' | 'reject';
  /** true: returns the result without changing anything. */
  dryRun?: boolean;
  /** The caller's UTC offset in whole minutes, positive east, such as `60`: the zone of the wall-clock fields of this request. If it is that of the Clinic's time zone, at the first Session or now, that time zone is used; otherwise the fixed offset, with the warning `FIXED_OFFSET`. Default: the time zone of the Clinic. */
  offset?: number;
  body: ApplyPlan;
}

export interface ApplyDesignPlanAsClinicInput {
  /**
   * Id of the record.
   * @example 1
   */
  id: number;
  /**
   * What happens with overlaps with other Sessions of the Care Provider or the Client. `report`: a response with Sessions lists them. `reject`: 409 with all of them, also for concurrent requests.
   */
  conflicts?: 'report' | 'reject';
  /** true: returns the result without changing anything. */
  dryRun?: boolean;
  /** The caller's UTC offset in whole minutes, positive east, such as `60`: the zone of the wall-clock fields of this request. If it is that of the Clinic's time zone, at the first Session or now, that time zone is used; otherwise the fixed offset, with the warning `FIXED_OFFSET`. Default: the time zone of the Clinic. */
  offset?: number;
  body: ApplyClinicPlan;
}

export interface GetSessionDigestInput {
  /**
   * Id of the record.
   * @example 1
   */
  id: number;
}

export interface ListSessionsAsClientInput {
  /** Maximum number of items, 1 to 200. Default: 50. */
  limit?: number;
  /** The `nextCursor` of the previous page. */
  cursor?: string;
  /** Only those whose time (start, due time, or time of the request) is this instant or later. For example `2027-03-01T00:00:00Z`. */
  from?: string;
  /** Only those whose time is before this instant. For example `2027-03-01T00:00:00Z`. */
  to?: string;
  /** Only Sessions in these states. For example `SCHEDULED`. */
  status?:
    | ('SCHEDULED' | 'PAUSED' | 'COMPLETED' | 'NO_SHOW' | 'CANCELLED')
    | ('SCHEDULED' | 'PAUSED' | 'COMPLETED' | 'NO_SHOW' | 'CANCELLED')[];
  /**
   * By start, or by the last change of the Session or its homework. With `-`: descending.
   */
  sort?: 'startsAt' | '-startsAt' | 'updatedAt' | '-updatedAt';
  /**
   * Adds `count`, the number of items on all pages. exact: counted up to 10,000; estimated: up to 1,000, which is faster.
   */
  count?: 'exact' | 'estimated';
  /** true: starts a synchronisation. Records are in the order of their last change, and the last page has a `syncToken`. */
  sync?: boolean;
  /** Returns the changes since the token was issued, for the same caller and with the same filters. `deleted` contains records that are no longer in the list. */
  syncToken?: string;
  /** Members to add to each item, as the response describes them. Members that it always has may be named, too. For example `client,careProvider`. */
  include?:
    | ('client' | 'careProvider' | 'books' | 'progress' | 'reminders')
    | ('client' | 'careProvider' | 'books' | 'progress' | 'reminders')[];
}

export interface GetSessionAsClientInput {
  /**
   * Id of the record.
   * @example 1
   */
  id: number;
  /** Members to add to each item, as the response describes them. Members that it always has may be named, too. For example `client,careProvider`. */
  include?:
    | ('client' | 'careProvider' | 'books' | 'progress' | 'reminders')
    | ('client' | 'careProvider' | 'books' | 'progress' | 'reminders')[];
}

export interface ListHomeworkInput {
  /** Maximum number of items, 1 to 200. Default: 50. */
  limit?: number;
  /** The `nextCursor` of the previous page. */
  cursor?: string;
  /** `true` for completed homework only, `false` for the rest only. Default: both. */
  completed?: boolean;
  /** Members to add to each item, as the response describes them. Members that it always has may be named, too. For example `client,careProvider`. */
  include?:
    | ('client' | 'careProvider' | 'books' | 'progress' | 'reminders')
    | ('client' | 'careProvider' | 'books' | 'progress' | 'reminders')[];
  /** Only those of these Sessions. For example `1`. */
  sessionId?: number | number[];
  /** Only these Books. For example `1`. */
  bookId?: number | number[];
  /**
   * By the start of the Session. With `-`: descending.
   */
  sort?: 'startsAt' | '-startsAt';
  /**
   * Adds `count`, the number of items on all pages. exact: counted up to 10,000; estimated: up to 1,000, which is faster.
   */
  count?: 'exact' | 'estimated';
  /** true: starts a synchronisation. Records are in the order of their last change, and the last page has a `syncToken`. */
  sync?: boolean;
  /** Returns the changes since the token was issued, for the same caller and with the same filters. `deleted` contains records that are no longer in the list. */
  syncToken?: string;
}

export interface CompleteHomeworkInput {
  /**
   * Id of the record.
   * @example 1
   */
  id: number;
}

export interface ReopenHomeworkInput {
  /**
   * Id of the record.
   * @example 1
   */
  id: number;
}

export interface ListHomeworkOfClientsInput {
  /** Maximum number of items, 1 to 200. Default: 50. */
  limit?: number;
  /** The `nextCursor` of the previous page. */
  cursor?: string;
  /** `true` for completed homework only, `false` for the rest only. Default: both. */
  completed?: boolean;
  /** Members to add to each item, as the response describes them. Members that it always has may be named, too. For example `client,careProvider`. */
  include?:
    | ('client' | 'careProvider' | 'books' | 'progress' | 'reminders')
    | ('client' | 'careProvider' | 'books' | 'progress' | 'reminders')[];
  /** Only those of these Sessions. For example `1`. */
  sessionId?: number | number[];
  /** Only these Books. For example `1`. */
  bookId?: number | number[];
  /**
   * By the start of the Session. With `-`: descending.
   */
  sort?: 'startsAt' | '-startsAt';
  /**
   * Adds `count`, the number of items on all pages. exact: counted up to 10,000; estimated: up to 1,000, which is faster.
   */
  count?: 'exact' | 'estimated';
  /** true: starts a synchronisation. Records are in the order of their last change, and the last page has a `syncToken`. */
  sync?: boolean;
  /** Returns the changes since the token was issued, for the same caller and with the same filters. `deleted` contains records that are no longer in the list. */
  syncToken?: string;
  /** Only those of these Clients. For example `1`. */
  clientId?: number | number[];
  /** Only those of these Care Providers. For example `1`. */
  caregiverId?: number | number[];
}

export interface GetWeekAsCareProviderInput {
  /** The first of the seven days, yyyy-MM-dd. Default: the Monday of the current week. For example `2027-07-05`. */
  from?: string;
  /** IANA time zone for the days and local times. Default: the time zone of the Clinic. For example `Europe/London`. */
  timeZone?: string;
  /** Only those of these Care Providers. For example `1`. */
  caregiverId?: number | number[];
}

export interface GetWeekAsClinicInput {
  /** The first of the seven days, yyyy-MM-dd. Default: the Monday of the current week. For example `2027-07-05`. */
  from?: string;
  /** IANA time zone for the days and local times. Default: the time zone of the Clinic. For example `Europe/London`. */
  timeZone?: string;
  /** Only those of these Care Providers. For example `1`. */
  caregiverId?: number | number[];
}

export interface GetWeekAsClientInput {
  /** The first of the seven days, yyyy-MM-dd. Default: the Monday of the current week. For example `2027-07-05`. */
  from?: string;
  /** IANA time zone of the days and local times. Default: the Client's, or else that of the Clinic. For example `Europe/London`. */
  timeZone?: string;
}

export interface ListCalendarLinksInput {
  /** Maximum number of items, 1 to 200. Default: 50. */
  limit?: number;
  /** The `nextCursor` of the previous page. */
  cursor?: string;
}

export interface CreateCalendarLinkInput {
  body: CreateCalendarLink;
}

export interface RotateCalendarLinkAsCareProviderInput {
  /**
   * Id of the record.
   * @example 1
   */
  id: number;
}

export interface RenewCalendarLinkAsCareProviderInput {
  /**
   * Id of the record.
   * @example 1
   */
  id: number;
}

export interface RevokeCalendarLinkAsCareProviderInput {
  /**
   * Id of the record.
   * @example 1
   */
  id: number;
}

export interface RotateCalendarLinkAsClientInput {
  /**
   * Id of the record.
   * @example 2
   */
  id: number;
}

export interface RenewCalendarLinkAsClientInput {
  /**
   * Id of the record.
   * @example 2
   */
  id: number;
}

export interface RevokeCalendarLinkAsClientInput {
  /**
   * Id of the record.
   * @example 2
   */
  id: number;
}

export interface GetSessionCalendarInput {
  /**
   * Id of the record.
   * @example 1
   */
  id: number;
  /**
   * DISCREET: the event is just called "Appointment", in the language of your `locale`. FULL: with title and description.
   */
  titles?: 'DISCREET' | 'FULL';
  /** The `ETag` of an earlier response. 304 without a body if nothing has changed since. */
  ifNoneMatch?: string;
}

export interface ListAuditEntriesInput {
  /** Maximum number of items, 1 to 200. Default: 50. */
  limit?: number;
  /** The `nextCursor` of the previous page. */
  cursor?: string;
  /** Only those whose time (start, due time, or time of the request) is this instant or later. For example `2027-03-01T00:00:00Z`. */
  from?: string;
  /** Only those whose time is before this instant. For example `2027-03-01T00:00:00Z`. */
  to?: string;
  /**
   * Only requests of this role.
   */
  actorRole?:
    | 'CLINIC'
    | 'CARE_PROVIDER'
    | 'CLIENT'
    | 'ADMIN'
    | 'CALENDAR_LINK'
    | 'OPT_OUT_LINK'
    | 'NOBODY'
    | 'COMMAND'
    | 'SYSTEM';
  /** Only requests of this actor, by kind and id. For example `care-provider/1`. */
  actor?: string;
  /** Only this operation: method and path as in this document. For example `GET /gateway/profile/caregiver/session/{id}`. */
  operation?: string;
  /**
   * Only reads, or only writes.
   */
  access?: 'READ' | 'WRITE';
  /** Only entries that contain this record, by kind and id. For example `client/1`. */
  record?: string;
  /** `OK`, `DENIED` for all denied requests, or a status. For example `OK`. */
  outcome?: string;
}

export interface ExportAuditEntriesInput {
  /** The `nextCursor` of the previous page. */
  cursor?: string;
  /** Only those whose time (start, due time, or time of the request) is this instant or later. For example `2027-03-01T00:00:00Z`. */
  from?: string;
  /** Only those whose time is before this instant. For example `2027-03-01T00:00:00Z`. */
  to?: string;
  /**
   * Only requests of this role.
   */
  actorRole?:
    | 'CLINIC'
    | 'CARE_PROVIDER'
    | 'CLIENT'
    | 'ADMIN'
    | 'CALENDAR_LINK'
    | 'OPT_OUT_LINK'
    | 'NOBODY'
    | 'COMMAND'
    | 'SYSTEM';
  /** Only requests of this actor, by kind and id. For example `care-provider/1`. */
  actor?: string;
  /** Only this operation: method and path as in this document. For example `GET /gateway/profile/caregiver/session/{id}`. */
  operation?: string;
  /**
   * Only reads, or only writes.
   */
  access?: 'READ' | 'WRITE';
  /** Only entries that contain this record, by kind and id. For example `client/1`. */
  record?: string;
  /** `OK`, `DENIED` for all denied requests, or a status. For example `OK`. */
  outcome?: string;
}

export interface ExportClientAsClinicInput {
  /**
   * Id of the record.
   * @example 1
   */
  id: number;
}

export interface PutRetentionInput {
  /** true: returns the result without changing anything. */
  dryRun?: boolean;
  /** The `ETag` of the version to change. 412 if it is not the current version. If it is absent, any version is changed. */
  ifMatch?: RecordVersion;
  body: PutRetention;
}

export interface ListClientErasuresInput {
  /**
   * Id of the record.
   * @example 3
   */
  id: number;
  /** Maximum number of items, 1 to 200. Default: 50. */
  limit?: number;
  /** The `nextCursor` of the previous page. */
  cursor?: string;
}

export interface CreateClientErasureInput {
  /**
   * Id of the record.
   * @example 2
   */
  id: number;
  body: CreateErasure;
}

export interface ConfirmClientErasureInput {
  /**
   * Id of the record.
   * @example 3
   */
  id: number;
  /**
   * Id of the record.
   * @example 1
   */
  erasureId: number;
}

export interface GetClientErasureInput {
  /**
   * Id of the record.
   * @example 3
   */
  id: number;
  /**
   * Id of the record.
   * @example 1
   */
  erasureId: number;
}

export interface ListCareProviderErasuresInput {
  /**
   * Id of the record.
   * @example 2
   */
  id: number;
  /** Maximum number of items, 1 to 200. Default: 50. */
  limit?: number;
  /** The `nextCursor` of the previous page. */
  cursor?: string;
}

export interface CreateCareProviderErasureInput {
  /**
   * Id of the record.
   * @example 1
   */
  id: number;
  body: CreateErasure;
}

export interface ConfirmCareProviderErasureInput {
  /**
   * Id of the record.
   * @example 2
   */
  id: number;
  /**
   * Id of the record.
   * @example 2
   */
  erasureId: number;
}

export interface GetCareProviderErasureInput {
  /**
   * Id of the record.
   * @example 2
   */
  id: number;
  /**
   * Id of the record.
   * @example 2
   */
  erasureId: number;
}

export interface ListClinicErasuresInput {
  /**
   * Id of the record.
   * @example 2
   */
  id: number;
  /** Maximum number of items, 1 to 200. Default: 50. */
  limit?: number;
  /** The `nextCursor` of the previous page. */
  cursor?: string;
}

export interface CreateClinicErasureInput {
  /**
   * Id of the record.
   * @example 1
   */
  id: number;
  body: CreateErasure;
}

export interface ConfirmClinicErasureInput {
  /**
   * Id of the record.
   * @example 2
   */
  id: number;
  /**
   * Id of the record.
   * @example 3
   */
  erasureId: number;
}

export interface GetClinicErasureInput {
  /**
   * Id of the record.
   * @example 2
   */
  id: number;
  /**
   * Id of the record.
   * @example 3
   */
  erasureId: number;
}

export interface GetLegalHoldInput {
  /**
   * Id of the record.
   * @example 1
   */
  id: number;
}

export interface PutLegalHoldInput {
  /**
   * Id of the record.
   * @example 1
   */
  id: number;
  body: PutLegalHold;
}

export interface DeleteLegalHoldInput {
  /**
   * Id of the record.
   * @example 1
   */
  id: number;
}
export interface AdminOperations {
  /**
   * List revoked tokens
   *
   * Revoked tokens that have not expired yet, oldest first.
   *
   * Role: **Administrator**.
   *
   * `GET /gateway/admin/revoked-token`
   *
   * @returns One page of revoked tokens.
   */
  listRevokedTokens(input?: ListRevokedTokensInput, options?: CallOptions): ListPromise<RevokedTokenPage, RevokedToken>;

  /**
   * Revoke a token
   *
   * Requests with it are refused with 401: at once on this instance, within seconds on other instances. Cannot be undone. A token without the claim `jti` cannot be revoked.
   *
   * Role: **Administrator**.
   *
   * `POST /gateway/admin/revoked-token`
   *
   * @returns The token is revoked.
   */
  revokeToken(input: RevokeTokenInput, options?: CallOptions): ApiPromise<RevokedToken>;

  /**
   * List Clinics
   *
   * Role: **Administrator**.
   *
   * `GET /gateway/admin/clinic`
   *
   * @returns One page, in the order of `sort`.
   */
  listClinics(input?: ListClinicsInput, options?: CallOptions): ListPromise<ClinicPage, Clinic>;

  /**
   * Register a Clinic
   *
   * Role: **Administrator**.
   *
   * `POST /gateway/admin/clinic`
   *
   * @returns Registered.
   */
  createClinic(input: CreateClinicInput & PreferRepresentation, options?: CallOptions): ApiPromise<Clinic>;
  /**
   * Register a Clinic
   *
   * Role: **Administrator**.
   *
   * `POST /gateway/admin/clinic`
   *
   * @returns Registered.
   */
  createClinic(input: CreateClinicInput, options?: CallOptions): ApiPromise<Created>;

  /**
   * Register or replace a Clinic by external id
   *
   * Role: **Administrator**.
   *
   * `PUT /gateway/admin/clinic/external/{externalId}`
   *
   * @returns Registered.
   */
  putClinicByExternalId(
    input: PutClinicByExternalIdInput & PreferRepresentation,
    options?: CallOptions,
  ): ApiPromise<Clinic>;
  /**
   * Register or replace a Clinic by external id
   *
   * Role: **Administrator**.
   *
   * `PUT /gateway/admin/clinic/external/{externalId}`
   *
   * @returns Registered.
   */
  putClinicByExternalId(input: PutClinicByExternalIdInput, options?: CallOptions): ApiPromise<Created | undefined>;

  /**
   * Register or replace a Clinic for each line
   *
   * Up to 10,000 lines of 128 KiB, each handled like a `PUT` by its external id.
   *
   * Role: **Administrator**.
   *
   * `POST /gateway/admin/clinic/import`
   *
   * @returns One such object per line.
   */
  importClinics(input: ImportClinicsInput, options?: CallOptions): ApiPromise<ImportResult[]>;

  /**
   * Read a Clinic
   *
   * Role: **Administrator**.
   *
   * `GET /gateway/admin/clinic/{id}`
   *
   * @returns The record.
   */
  getClinic(input: GetClinicInput, options?: CallOptions): ApiPromise<Clinic>;

  /**
   * Change a Clinic
   *
   * Role: **Administrator**.
   *
   * `PATCH /gateway/admin/clinic/{id}`
   *
   * @returns The record.
   */
  changeClinic(input: ChangeClinicInput & PreferMinimal, options?: CallOptions): ApiPromise<void>;
  /**
   * Change a Clinic
   *
   * Role: **Administrator**.
   *
   * `PATCH /gateway/admin/clinic/{id}`
   *
   * @returns The record.
   */
  changeClinic(input: ChangeClinicInput, options?: CallOptions): ApiPromise<Clinic>;

  /**
   * Deactivate a Clinic
   *
   * `PATCH` with `active: true` activates it again.
   *
   * Role: **Administrator**.
   *
   * `DELETE /gateway/admin/clinic/{id}`
   *
   * @returns Deactivated.
   */
  deactivateClinic(input: DeactivateClinicInput & PreferRepresentation, options?: CallOptions): ApiPromise<Clinic>;
  /**
   * Deactivate a Clinic
   *
   * `PATCH` with `active: true` activates it again.
   *
   * Role: **Administrator**.
   *
   * `DELETE /gateway/admin/clinic/{id}`
   *
   * @returns Deactivated.
   */
  deactivateClinic(input: DeactivateClinicInput, options?: CallOptions): ApiPromise<void>;

  /**
   * List Books of the shared catalogue
   *
   * Role: **Administrator**.
   *
   * `GET /gateway/admin/book`
   *
   * @returns One page, in the order of `sort`.
   */
  listCatalogueBooks(input?: ListCatalogueBooksInput, options?: CallOptions): ListPromise<BookPage, Book>;

  /**
   * Register a Book of the shared catalogue
   *
   * Role: **Administrator**.
   *
   * `POST /gateway/admin/book`
   *
   * @returns Registered.
   */
  createCatalogueBook(input: CreateCatalogueBookInput & PreferRepresentation, options?: CallOptions): ApiPromise<Book>;
  /**
   * Register a Book of the shared catalogue
   *
   * Role: **Administrator**.
   *
   * `POST /gateway/admin/book`
   *
   * @returns Registered.
   */
  createCatalogueBook(input: CreateCatalogueBookInput, options?: CallOptions): ApiPromise<Created>;

  /**
   * Register or replace a Book of the shared catalogue by external id
   *
   * Role: **Administrator**.
   *
   * `PUT /gateway/admin/book/external/{externalId}`
   *
   * @returns Registered.
   */
  putCatalogueBookByExternalId(
    input: PutCatalogueBookByExternalIdInput & PreferRepresentation,
    options?: CallOptions,
  ): ApiPromise<Book>;
  /**
   * Register or replace a Book of the shared catalogue by external id
   *
   * Role: **Administrator**.
   *
   * `PUT /gateway/admin/book/external/{externalId}`
   *
   * @returns Registered.
   */
  putCatalogueBookByExternalId(
    input: PutCatalogueBookByExternalIdInput,
    options?: CallOptions,
  ): ApiPromise<Created | undefined>;

  /**
   * Register or replace a Book of the shared catalogue for each line
   *
   * Up to 10,000 lines of 128 KiB, each handled like a `PUT` by its external id.
   *
   * Role: **Administrator**.
   *
   * `POST /gateway/admin/book/import`
   *
   * @returns One such object per line.
   */
  importCatalogueBooks(input: ImportCatalogueBooksInput, options?: CallOptions): ApiPromise<ImportResult[]>;

  /**
   * Read a Book of the shared catalogue
   *
   * Role: **Administrator**.
   *
   * `GET /gateway/admin/book/{id}`
   *
   * @returns The record.
   */
  getCatalogueBook(input: GetCatalogueBookInput, options?: CallOptions): ApiPromise<Book>;

  /**
   * Change a Book of the shared catalogue
   *
   * Role: **Administrator**.
   *
   * `PATCH /gateway/admin/book/{id}`
   *
   * @returns The record.
   */
  changeCatalogueBook(input: ChangeCatalogueBookInput & PreferMinimal, options?: CallOptions): ApiPromise<void>;
  /**
   * Change a Book of the shared catalogue
   *
   * Role: **Administrator**.
   *
   * `PATCH /gateway/admin/book/{id}`
   *
   * @returns The record.
   */
  changeCatalogueBook(input: ChangeCatalogueBookInput, options?: CallOptions): ApiPromise<Book>;

  /**
   * Deactivate a Book of the shared catalogue
   *
   * `PATCH` with `active: true` activates it again.
   *
   * Role: **Administrator**.
   *
   * `DELETE /gateway/admin/book/{id}`
   *
   * @returns Deactivated.
   */
  deactivateCatalogueBook(
    input: DeactivateCatalogueBookInput & PreferRepresentation,
    options?: CallOptions,
  ): ApiPromise<Book>;
  /**
   * Deactivate a Book of the shared catalogue
   *
   * `PATCH` with `active: true` activates it again.
   *
   * Role: **Administrator**.
   *
   * `DELETE /gateway/admin/book/{id}`
   *
   * @returns Deactivated.
   */
  deactivateCatalogueBook(input: DeactivateCatalogueBookInput, options?: CallOptions): ApiPromise<void>;

  /**
   * List subjects and records with revoked tokens
   *
   * Revocations by administrators whose tokens have not all expired yet.
   *
   * Role: **Administrator**.
   *
   * `GET /gateway/admin/revoked-token-holder`
   *
   * @returns One page, oldest first.
   */
  listRevokedTokenHolders(
    input?: ListRevokedTokenHoldersInput,
    options?: CallOptions,
  ): ListPromise<RevokedTokenHolderPage, RevokedTokenHolder>;

  /**
   * Revoke all tokens of a subject or record
   *
   * Role: **Administrator**.
   *
   * `POST /gateway/admin/revoked-token-holder`
   *
   * @returns Tokens from before the instant are refused with 401: at once on this instance, within seconds on other instances. Later tokens are valid, so the identity provider must also stop issuing them. Cannot be undone.
   */
  revokeTokenHolder(input: RevokeTokenHolderAsAdminInput, options?: CallOptions): ApiPromise<RevokedTokenHolder>;

  /**
   * List your accesses to Clinics' data
   *
   * Role: **Administrator**.
   *
   * `GET /gateway/admin/administrator-access`
   *
   * @returns One page, newest first.
   */
  listAdministratorAccesses(
    input?: ListAdministratorAccessesInput,
    options?: CallOptions,
  ): ListPromise<AdministratorAccessPage, AdministratorAccess>;

  /**
   * Open an access to a Clinic's data
   *
   * Until the access ends, the administrator can call all `GET` operations of this Clinic with the header `Administrator-Access: <id>`, and nothing else. The Clinic sees the access and each request with it, and can end it.
   *
   * Role: **Administrator**.
   *
   * `POST /gateway/admin/administrator-access`
   *
   * @returns The access is open.
   */
  createAdministratorAccess(
    input: CreateAdministratorAccessInput,
    options?: CallOptions,
  ): ApiPromise<AdministratorAccess>;

  /**
   * End your access to a Clinic's data
   *
   * At once, on all instances. Repeating the call changes nothing.
   *
   * Role: **Administrator**.
   *
   * `DELETE /gateway/admin/administrator-access/{id}`
   *
   * @returns The access, which has ended.
   */
  revokeAdministratorAccess(
    input: RevokeAdministratorAccessInput,
    options?: CallOptions,
  ): ApiPromise<AdministratorAccess>;

  /**
   * List the audit trail
   *
   * Role: **Administrator**.
   *
   * `GET /gateway/admin/audit`
   *
   * @returns One page of writes, reads of client data and denied requests, newest first: those of the Clinic, or for an administrator those without a Clinic. Reading the audit trail adds an entry.
   */
  listAuditEntries(input?: ListAuditEntriesInput, options?: CallOptions): ListPromise<AuditEntryPage, AuditEntry>;

  /**
   * Export the audit trail
   *
   * Role: **Administrator**.
   *
   * `GET /gateway/admin/audit/export`
   *
   * @returns One entry per line, oldest first, at most 10,000. `Link` names the next part. Set `to` to a time in the past: entries of the last seconds may not be committed yet. Without its last chunk, the response is incomplete.
   */
  exportAuditEntries(input?: ExportAuditEntriesInput, options?: CallOptions): ListPromise<AuditEntry[], AuditEntry>;

  /**
   * List the erasures of a Clinic
   *
   * Role: **Administrator**.
   *
   * `GET /gateway/admin/clinic/{id}/erasure`
   *
   * @returns One page, newest first.
   */
  listClinicErasures(input: ListClinicErasuresInput, options?: CallOptions): ListPromise<ErasurePage, Erasure>;

  /**
   * Request the erasure of a Clinic
   *
   * Changes nothing yet. 409 under a legal hold.
   *
   * Role: **Administrator**.
   *
   * `POST /gateway/admin/clinic/{id}/erasure`
   *
   * @returns What will be erased, and when it can be confirmed.
   */
  createClinicErasure(input: CreateClinicErasureInput, options?: CallOptions): ApiPromise<Erasure>;

  /**
   * Confirm the erasure of a Clinic
   *
   * Cannot be undone. Idempotent. 409 under a legal hold.
   *
   * Role: **Administrator**.
   *
   * `POST /gateway/admin/clinic/{id}/erasure/{erasureId}/confirmation`
   *
   * @returns The contents of the record are removed. A job removes everything else.
   */
  confirmClinicErasure(input: ConfirmClinicErasureInput, options?: CallOptions): ApiPromise<Erasure>;

  /**
   * Read an erasure of a Clinic
   *
   * Role: **Administrator**.
   *
   * `GET /gateway/admin/clinic/{id}/erasure/{erasureId}`
   *
   * @returns The erasure.
   */
  getClinicErasure(input: GetClinicErasureInput, options?: CallOptions): ApiPromise<Erasure>;
}

export interface ClinicOperations {
  /**
   * List Care Providers
   *
   * Role: **Clinic**.
   *
   * `GET /gateway/profile/clinic/care-provider`
   *
   * @returns One page, in the order of `sort`.
   */
  listCareProviders(input?: ListCareProvidersInput, options?: CallOptions): ListPromise<CareProviderPage, CareProvider>;

  /**
   * Register a Care Provider
   *
   * Role: **Clinic**.
   *
   * `POST /gateway/profile/clinic/care-provider`
   *
   * @returns Registered.
   */
  createCareProvider(
    input: CreateCareProviderInput & PreferRepresentation,
    options?: CallOptions,
  ): ApiPromise<CareProvider>;
  /**
   * Register a Care Provider
   *
   * Role: **Clinic**.
   *
   * `POST /gateway/profile/clinic/care-provider`
   *
   * @returns Registered.
   */
  createCareProvider(input: CreateCareProviderInput, options?: CallOptions): ApiPromise<Created>;

  /**
   * Register or replace a Care Provider by external id
   *
   * Role: **Clinic**.
   *
   * `PUT /gateway/profile/clinic/care-provider/external/{externalId}`
   *
   * @returns Registered.
   */
  putCareProviderByExternalId(
    input: PutCareProviderByExternalIdInput & PreferRepresentation,
    options?: CallOptions,
  ): ApiPromise<CareProvider>;
  /**
   * Register or replace a Care Provider by external id
   *
   * Role: **Clinic**.
   *
   * `PUT /gateway/profile/clinic/care-provider/external/{externalId}`
   *
   * @returns Registered.
   */
  putCareProviderByExternalId(
    input: PutCareProviderByExternalIdInput,
    options?: CallOptions,
  ): ApiPromise<Created | undefined>;

  /**
   * Register or replace a Care Provider for each line
   *
   * Up to 10,000 lines of 128 KiB, each handled like a `PUT` by its external id.
   *
   * Role: **Clinic**.
   *
   * `POST /gateway/profile/clinic/care-provider/import`
   *
   * @returns One such object per line.
   */
  importCareProviders(input: ImportCareProvidersInput, options?: CallOptions): ApiPromise<ImportResult[]>;

  /**
   * Read a Care Provider
   *
   * Role: **Clinic**.
   *
   * `GET /gateway/profile/clinic/care-provider/{id}`
   *
   * @returns The record.
   */
  getCareProvider(input: GetCareProviderInput, options?: CallOptions): ApiPromise<CareProvider>;

  /**
   * Change a Care Provider
   *
   * Role: **Clinic**.
   *
   * `PATCH /gateway/profile/clinic/care-provider/{id}`
   *
   * @returns The record.
   */
  changeCareProvider(input: ChangeCareProviderInput & PreferMinimal, options?: CallOptions): ApiPromise<void>;
  /**
   * Change a Care Provider
   *
   * Role: **Clinic**.
   *
   * `PATCH /gateway/profile/clinic/care-provider/{id}`
   *
   * @returns The record.
   */
  changeCareProvider(input: ChangeCareProviderInput, options?: CallOptions): ApiPromise<CareProvider>;

  /**
   * Deactivate a Care Provider
   *
   * `PATCH` with `active: true` activates it again.
   *
   * Role: **Clinic**.
   *
   * `DELETE /gateway/profile/clinic/care-provider/{id}`
   *
   * @returns Deactivated.
   */
  deactivateCareProvider(
    input: DeactivateCareProviderInput & PreferRepresentation,
    options?: CallOptions,
  ): ApiPromise<CareProvider>;
  /**
   * Deactivate a Care Provider
   *
   * `PATCH` with `active: true` activates it again.
   *
   * Role: **Clinic**.
   *
   * `DELETE /gateway/profile/clinic/care-provider/{id}`
   *
   * @returns Deactivated.
   */
  deactivateCareProvider(input: DeactivateCareProviderInput, options?: CallOptions): ApiPromise<void>;

  /**
   * Reassign the Clients of a Care Provider to another one
   *
   * In one transaction. A Client of both stays assigned to the new Care Provider. The Care Provider in the path may be deactivated. Repeating the call changes nothing.
   *
   * Role: **Clinic**.
   *
   * `POST /gateway/profile/clinic/care-provider/{id}/reassign`
   *
   * @returns The Clients that were reassigned.
   */
  reassignClients(input: ReassignClientsInput & PreferMinimal, options?: CallOptions): ApiPromise<void>;
  /**
   * Reassign the Clients of a Care Provider to another one
   *
   * In one transaction. A Client of both stays assigned to the new Care Provider. The Care Provider in the path may be deactivated. Repeating the call changes nothing.
   *
   * Role: **Clinic**.
   *
   * `POST /gateway/profile/clinic/care-provider/{id}/reassign`
   *
   * @returns The Clients that were reassigned.
   */
  reassignClients(input: ReassignClientsInput, options?: CallOptions): ApiPromise<Reassigned>;

  /**
   * List Clients
   *
   * Role: **Clinic**.
   *
   * `GET /gateway/profile/clinic/client`
   *
   * @returns One page, in the order of `sort`.
   */
  listClients(input?: ListClientsInput, options?: CallOptions): ListPromise<ClientPage, Client>;

  /**
   * Register a Client
   *
   * Role: **Clinic**.
   *
   * `POST /gateway/profile/clinic/client`
   *
   * @returns Registered.
   */
  createClient(input: CreateClientInput & PreferRepresentation, options?: CallOptions): ApiPromise<Client>;
  /**
   * Register a Client
   *
   * Role: **Clinic**.
   *
   * `POST /gateway/profile/clinic/client`
   *
   * @returns Registered.
   */
  createClient(input: CreateClientInput, options?: CallOptions): ApiPromise<Created>;

  /**
   * Register or replace a Client by external id
   *
   * Role: **Clinic**.
   *
   * `PUT /gateway/profile/clinic/client/external/{externalId}`
   *
   * @returns Registered.
   */
  putClientByExternalId(
    input: PutClientByExternalIdInput & PreferRepresentation,
    options?: CallOptions,
  ): ApiPromise<Client>;
  /**
   * Register or replace a Client by external id
   *
   * Role: **Clinic**.
   *
   * `PUT /gateway/profile/clinic/client/external/{externalId}`
   *
   * @returns Registered.
   */
  putClientByExternalId(input: PutClientByExternalIdInput, options?: CallOptions): ApiPromise<Created | undefined>;

  /**
   * Register or replace a Client for each line
   *
   * Up to 10,000 lines of 128 KiB, each handled like a `PUT` by its external id.
   *
   * Role: **Clinic**.
   *
   * `POST /gateway/profile/clinic/client/import`
   *
   * @returns One such object per line.
   */
  importClients(input: ImportClientsInput, options?: CallOptions): ApiPromise<ImportResult[]>;

  /**
   * Read a Client
   *
   * Role: **Clinic**.
   *
   * `GET /gateway/profile/clinic/client/{id}`
   *
   * @returns The record.
   */
  getClient(input: GetClientInput, options?: CallOptions): ApiPromise<Client>;

  /**
   * Change a Client
   *
   * Role: **Clinic**.
   *
   * `PATCH /gateway/profile/clinic/client/{id}`
   *
   * @returns The record.
   */
  changeClient(input: ChangeClientInput & PreferMinimal, options?: CallOptions): ApiPromise<void>;
  /**
   * Change a Client
   *
   * Role: **Clinic**.
   *
   * `PATCH /gateway/profile/clinic/client/{id}`
   *
   * @returns The record.
   */
  changeClient(input: ChangeClientInput, options?: CallOptions): ApiPromise<Client>;

  /**
   * Deactivate a Client
   *
   * `PATCH` with `active: true` activates it again.
   *
   * Role: **Clinic**.
   *
   * `DELETE /gateway/profile/clinic/client/{id}`
   *
   * @returns Deactivated.
   */
  deactivateClient(input: DeactivateClientInput & PreferRepresentation, options?: CallOptions): ApiPromise<Client>;
  /**
   * Deactivate a Client
   *
   * `PATCH` with `active: true` activates it again.
   *
   * Role: **Clinic**.
   *
   * `DELETE /gateway/profile/clinic/client/{id}`
   *
   * @returns Deactivated.
   */
  deactivateClient(input: DeactivateClientInput, options?: CallOptions): ApiPromise<void>;

  /**
   * Assign a Client to a Care Provider
   *
   * Repeating the call changes nothing.
   *
   * Role: **Clinic**.
   *
   * `PUT /gateway/profile/clinic/client/{id}/care-provider/{careProviderId}`
   *
   * @returns Assigned.
   */
  assignClient(input: AssignClientInput, options?: CallOptions): ApiPromise<void>;

  /**
   * End the assignment of a Client to a Care Provider
   *
   * Existing Sessions are kept. Repeating the call changes nothing.
   *
   * Role: **Clinic**.
   *
   * `DELETE /gateway/profile/clinic/client/{id}/care-provider/{careProviderId}`
   *
   * @returns No longer assigned.
   */
  unassignClient(input: UnassignClientInput, options?: CallOptions): ApiPromise<void>;

  /**
   * List Books, the Clinic's own and those of the shared catalogue
   *
   * Role: **Clinic**.
   *
   * `GET /gateway/profile/clinic/book`
   *
   * @returns One page, in the order of `sort`.
   */
  listBooks(input?: ListBooksInput, options?: CallOptions): ListPromise<BookPage, Book>;

  /**
   * Register a Book of the Clinic
   *
   * Role: **Clinic**.
   *
   * `POST /gateway/profile/clinic/book`
   *
   * @returns Registered.
   */
  createBook(input: CreateBookInput & PreferRepresentation, options?: CallOptions): ApiPromise<Book>;
  /**
   * Register a Book of the Clinic
   *
   * Role: **Clinic**.
   *
   * `POST /gateway/profile/clinic/book`
   *
   * @returns Registered.
   */
  createBook(input: CreateBookInput, options?: CallOptions): ApiPromise<Created>;

  /**
   * Register or replace a Book of the Clinic by external id
   *
   * Role: **Clinic**.
   *
   * `PUT /gateway/profile/clinic/book/external/{externalId}`
   *
   * @returns Registered.
   */
  putBookByExternalId(input: PutBookByExternalIdInput & PreferRepresentation, options?: CallOptions): ApiPromise<Book>;
  /**
   * Register or replace a Book of the Clinic by external id
   *
   * Role: **Clinic**.
   *
   * `PUT /gateway/profile/clinic/book/external/{externalId}`
   *
   * @returns Registered.
   */
  putBookByExternalId(input: PutBookByExternalIdInput, options?: CallOptions): ApiPromise<Created | undefined>;

  /**
   * Register or replace a Book of the Clinic for each line
   *
   * Up to 10,000 lines of 128 KiB, each handled like a `PUT` by its external id.
   *
   * Role: **Clinic**.
   *
   * `POST /gateway/profile/clinic/book/import`
   *
   * @returns One such object per line.
   */
  importBooks(input: ImportBooksInput, options?: CallOptions): ApiPromise<ImportResult[]>;

  /**
   * Read a Book of the Clinic
   *
   * Role: **Clinic**.
   *
   * `GET /gateway/profile/clinic/book/{id}`
   *
   * @returns The record.
   */
  getBook(input: GetBookInput, options?: CallOptions): ApiPromise<Book>;

  /**
   * Change a Book of the Clinic
   *
   * Role: **Clinic**.
   *
   * `PATCH /gateway/profile/clinic/book/{id}`
   *
   * @returns The record.
   */
  changeBook(input: ChangeBookInput & PreferMinimal, options?: CallOptions): ApiPromise<void>;
  /**
   * Change a Book of the Clinic
   *
   * Role: **Clinic**.
   *
   * `PATCH /gateway/profile/clinic/book/{id}`
   *
   * @returns The record.
   */
  changeBook(input: ChangeBookInput, options?: CallOptions): ApiPromise<Book>;

  /**
   * Deactivate a Book of the Clinic
   *
   * `PATCH` with `active: true` activates it again.
   *
   * Role: **Clinic**.
   *
   * `DELETE /gateway/profile/clinic/book/{id}`
   *
   * @returns Deactivated.
   */
  deactivateBook(input: DeactivateBookInput & PreferRepresentation, options?: CallOptions): ApiPromise<Book>;
  /**
   * Deactivate a Book of the Clinic
   *
   * `PATCH` with `active: true` activates it again.
   *
   * Role: **Clinic**.
   *
   * `DELETE /gateway/profile/clinic/book/{id}`
   *
   * @returns Deactivated.
   */
  deactivateBook(input: DeactivateBookInput, options?: CallOptions): ApiPromise<void>;

  /**
   * List your people with revoked tokens
   *
   * Revocations by the Clinic whose tokens have not all expired yet.
   *
   * Role: **Clinic**.
   *
   * `GET /gateway/profile/clinic/revoked-token-holder`
   *
   * @returns One page, oldest first.
   */
  listRevokedTokenHolders(
    input?: ListRevokedTokenHoldersInput,
    options?: CallOptions,
  ): ListPromise<RevokedTokenHolderPage, RevokedTokenHolder>;

  /**
   * Revoke all tokens of one of your people
   *
   * Role: **Clinic**.
   *
   * `POST /gateway/profile/clinic/revoked-token-holder`
   *
   * @returns Tokens from before the instant are refused with 401: at once on this instance, within seconds on other instances. Later tokens are valid, so the identity provider must also stop issuing them. Cannot be undone. Without `subject`, calendar links of the person from before the instant end, too.
   */
  revokeTokenHolder(input: RevokeTokenHolderAsClinicInput, options?: CallOptions): ApiPromise<RevokedTokenHolder>;

  /**
   * List accesses of administrators to your data
   *
   * The audit trail with `record=administrator-access/<id>` lists what was read with an access.
   *
   * Role: **Clinic**.
   *
   * `GET /gateway/profile/clinic/administrator-access`
   *
   * @returns One page, newest first.
   */
  listAdministratorAccesses(
    input?: ListAdministratorAccessesInput,
    options?: CallOptions,
  ): ListPromise<AdministratorAccessPage, AdministratorAccess>;

  /**
   * End the access of an administrator to your data
   *
   * At once, on all instances. Repeating the call changes nothing.
   *
   * Role: **Clinic**.
   *
   * `DELETE /gateway/profile/clinic/administrator-access/{id}`
   *
   * @returns The access, which has ended.
   */
  revokeAdministratorAccess(
    input: RevokeAdministratorAccessInput,
    options?: CallOptions,
  ): ApiPromise<AdministratorAccess>;

  /**
   * List Design Plans
   *
   * Role: **Clinic**.
   *
   * `GET /gateway/profile/clinic/design-plan`
   *
   * @returns One page, without the weeks.
   */
  listDesignPlans(input?: ListDesignPlansInput, options?: CallOptions): ListPromise<DesignPlanPage, DesignPlanSummary>;

  /**
   * Create a Design Plan
   *
   * Stores the plan with all its weeks, or nothing (specification, 4.1). The answer has no body.
   *
   * Role: **Clinic**.
   *
   * `POST /gateway/profile/clinic/design-plan`
   *
   * @returns Created.
   */
  createDesignPlan(
    input: CreateDesignPlanInput & PreferRepresentation,
    options?: CallOptions,
  ): ApiPromise<DesignPlanModel>;
  /**
   * Create a Design Plan
   *
   * Stores the plan with all its weeks, or nothing (specification, 4.1). The answer has no body.
   *
   * Role: **Clinic**.
   *
   * `POST /gateway/profile/clinic/design-plan`
   *
   * @returns Created.
   */
  createDesignPlan(input: CreateDesignPlanInput & PreferStrict, options?: CallOptions): ApiPromise<Created>;

  /**
   * Read a Design Plan
   *
   * Role: **Clinic**.
   *
   * `GET /gateway/profile/clinic/design-plan/{id}`
   *
   * @returns The plan.
   */
  getDesignPlan(input: GetDesignPlanInput, options?: CallOptions): ApiPromise<DesignPlanModel>;

  /**
   * Replace a Design Plan
   *
   * The current content becomes an earlier revision, unless it is the same. If `createdDate` is absent, it does not change. A plan can be sent back as it was read: 422 if a read-only member has another value.
   *
   * Role: **Clinic**.
   *
   * `PUT /gateway/profile/clinic/design-plan/{id}`
   *
   * @returns The plan.
   */
  replaceDesignPlan(input: ReplaceDesignPlanInput & PreferMinimal, options?: CallOptions): ApiPromise<void>;
  /**
   * Replace a Design Plan
   *
   * The current content becomes an earlier revision, unless it is the same. If `createdDate` is absent, it does not change. A plan can be sent back as it was read: 422 if a read-only member has another value.
   *
   * Role: **Clinic**.
   *
   * `PUT /gateway/profile/clinic/design-plan/{id}`
   *
   * @returns The plan.
   */
  replaceDesignPlan(input: ReplaceDesignPlanInput, options?: CallOptions): ApiPromise<DesignPlanModel>;

  /**
   * Archive a Design Plan
   *
   * Lists no longer contain the plan by default; references to it are kept. Idempotent.
   *
   * Role: **Clinic**.
   *
   * `DELETE /gateway/profile/clinic/design-plan/{id}`
   *
   * @returns Archived.
   */
  archiveDesignPlan(
    input: ArchiveDesignPlanInput & PreferRepresentation,
    options?: CallOptions,
  ): ApiPromise<DesignPlanModel>;
  /**
   * Archive a Design Plan
   *
   * Lists no longer contain the plan by default; references to it are kept. Idempotent.
   *
   * Role: **Clinic**.
   *
   * `DELETE /gateway/profile/clinic/design-plan/{id}`
   *
   * @returns Archived.
   */
  archiveDesignPlan(input: ArchiveDesignPlanInput, options?: CallOptions): ApiPromise<void>;

  /**
   * Read a Design Plan
   *
   * The path in the `Location` header of the creation.
   *
   * Role: **Clinic**.
   *
   * `GET /design-plan/{id}`
   *
   * @returns The plan.
   */
  getDesignPlanByLocation(input: GetDesignPlanByLocationInput, options?: CallOptions): ApiPromise<DesignPlanModel>;

  /**
   * Restore an archived Design Plan
   *
   * Idempotent.
   *
   * Role: **Clinic**.
   *
   * `POST /gateway/profile/clinic/design-plan/{id}/restore`
   *
   * @returns Restored.
   */
  restoreDesignPlan(
    input: RestoreDesignPlanInput & PreferRepresentation,
    options?: CallOptions,
  ): ApiPromise<DesignPlanModel>;
  /**
   * Restore an archived Design Plan
   *
   * Idempotent.
   *
   * Role: **Clinic**.
   *
   * `POST /gateway/profile/clinic/design-plan/{id}/restore`
   *
   * @returns Restored.
   */
  restoreDesignPlan(input: RestoreDesignPlanInput, options?: CallOptions): ApiPromise<void>;

  /**
   * Create a Design Plan from an exported document
   *
   * The document refers to Books by their ids, so this Clinic must be allowed to use these Books.
   *
   * Role: **Clinic**.
   *
   * `POST /gateway/profile/clinic/design-plan/import`
   *
   * @returns Created.
   */
  importDesignPlan(
    input: ImportDesignPlanInput & PreferRepresentation,
    options?: CallOptions,
  ): ApiPromise<DesignPlanModel>;
  /**
   * Create a Design Plan from an exported document
   *
   * The document refers to Books by their ids, so this Clinic must be allowed to use these Books.
   *
   * Role: **Clinic**.
   *
   * `POST /gateway/profile/clinic/design-plan/import`
   *
   * @returns Created.
   */
  importDesignPlan(input: ImportDesignPlanInput, options?: CallOptions): ApiPromise<Created>;

  /**
   * Clone a Design Plan
   *
   * Creates a plan with the same content. Plans and templates of the Clinic can be cloned into each other.
   *
   * Role: **Clinic**.
   *
   * `POST /gateway/profile/clinic/design-plan/{id}/clone`
   *
   * @returns Created.
   */
  cloneDesignPlan(
    input: CloneDesignPlanInput & PreferRepresentation,
    options?: CallOptions,
  ): ApiPromise<DesignPlanModel>;
  /**
   * Clone a Design Plan
   *
   * Creates a plan with the same content. Plans and templates of the Clinic can be cloned into each other.
   *
   * Role: **Clinic**.
   *
   * `POST /gateway/profile/clinic/design-plan/{id}/clone`
   *
   * @returns Created.
   */
  cloneDesignPlan(input: CloneDesignPlanInput, options?: CallOptions): ApiPromise<Created>;

  /**
   * Export a Design Plan as one document
   *
   * Role: **Clinic**.
   *
   * `GET /gateway/profile/clinic/design-plan/{id}/export`
   *
   * @returns The document, in the format of the import.
   */
  exportDesignPlan(input: ExportDesignPlanInput, options?: CallOptions): ApiPromise<DesignPlanDocument>;

  /**
   * List the revisions of a Design Plan
   *
   * Role: **Clinic**.
   *
   * `GET /gateway/profile/clinic/design-plan/{id}/revision`
   *
   * @returns One page, newest first, without the weeks.
   */
  listDesignPlanRevisions(
    input: ListDesignPlanRevisionsInput,
    options?: CallOptions,
  ): ListPromise<DesignPlanRevisionPage, DesignPlanRevisionSummary>;

  /**
   * Read a revision of a Design Plan
   *
   * Role: **Clinic**.
   *
   * `GET /gateway/profile/clinic/design-plan/{id}/revision/{revision}`
   *
   * @returns The content of the plan at this revision.
   */
  getDesignPlanRevision(input: GetDesignPlanRevisionInput, options?: CallOptions): ApiPromise<DesignPlanRevision>;

  /**
   * Compare two revisions of a Design Plan
   *
   * Weeks, Books and reminders that were added, removed or moved. Weeks are matched by name, Books by id, and reminders by their Book.
   *
   * Role: **Clinic**.
   *
   * `GET /gateway/profile/clinic/design-plan/{id}/revision/{from}/diff/{to}`
   *
   * @returns What differs.
   */
  compareDesignPlanRevisions(input: CompareDesignPlanRevisionsInput, options?: CallOptions): ApiPromise<DesignPlanDiff>;

  /**
   * Send all dead letters again
   *
   * With `status=SKIPPED`: all reminders that were skipped because they were too late. One call sends the oldest 1,000; repeat the call while the result is 1,000.
   *
   * Role: **Clinic**.
   *
   * `POST /gateway/profile/clinic/reminder/redrive`
   *
   * @returns The number of reminders that are sent again.
   */
  redriveReminders(input?: RedriveRemindersInput, options?: CallOptions): ApiPromise<Redriven>;

  /**
   * Send a dead letter again
   *
   * Also sends a reminder that was skipped because it was too late. The message says that it is late. 409 for any other reminder.
   *
   * Role: **Clinic**.
   *
   * `POST /gateway/profile/clinic/reminder/{id}/redrive`
   *
   * @returns The reminder.
   */
  redriveReminder(input: RedriveReminderInput & PreferMinimal, options?: CallOptions): ApiPromise<void>;
  /**
   * Send a dead letter again
   *
   * Also sends a reminder that was skipped because it was too late. The message says that it is late. 409 for any other reminder.
   *
   * Role: **Clinic**.
   *
   * `POST /gateway/profile/clinic/reminder/{id}/redrive`
   *
   * @returns The reminder.
   */
  redriveReminder(input: RedriveReminderInput, options?: CallOptions): ApiPromise<ReminderWithHistory>;

  /**
   * List reminders
   *
   * Role: **Clinic**.
   *
   * `GET /gateway/profile/clinic/reminder`
   *
   * @returns One page of reminders, without their history. For a Care Provider, those of their own Sessions.
   */
  listReminders(input?: ListRemindersInput, options?: CallOptions): ListPromise<ReminderPage, Reminder>;

  /**
   * Read a reminder with its history
   *
   * Role: **Clinic**.
   *
   * `GET /gateway/profile/clinic/reminder/{id}`
   *
   * @returns The reminder.
   */
  getReminder(input: GetReminderInput, options?: CallOptions): ApiPromise<ReminderWithHistory>;

  /**
   * Read the message of a reminder
   *
   * As each channel would send it, or has sent it, without names and without the secret of the opt-out link. A sent message has the times that it had, in the language and time zone stored now. 409 if the recipient is deactivated.
   *
   * Role: **Clinic**.
   *
   * `GET /gateway/profile/clinic/reminder/{id}/message`
   *
   * @returns The message.
   */
  getReminderMessage(input: GetReminderMessageInput, options?: CallOptions): ApiPromise<ReminderMessage>;

  /**
   * Read the Clinic's reminder defaults
   *
   * Role: **Clinic**.
   *
   * `GET /gateway/profile/clinic/reminder-preference`
   *
   * @returns The chosen values, and the values that apply.
   */
  getReminderPreference(options?: CallOptions): ApiPromise<ReminderPreference>;

  /**
   * Set the Clinic's reminder defaults
   *
   * Role: **Clinic**.
   *
   * `PUT /gateway/profile/clinic/reminder-preference`
   *
   * @returns The chosen values, and the values that apply.
   */
  putReminderPreference(
    input: PutReminderPreferenceAsClinicInput & PreferMinimal,
    options?: CallOptions,
  ): ApiPromise<void>;
  /**
   * Set the Clinic's reminder defaults
   *
   * Role: **Clinic**.
   *
   * `PUT /gateway/profile/clinic/reminder-preference`
   *
   * @returns The chosen values, and the values that apply.
   */
  putReminderPreference(
    input: PutReminderPreferenceAsClinicInput,
    options?: CallOptions,
  ): ApiPromise<ReminderPreference>;

  /**
   * List Sessions
   *
   * Role: **Clinic**.
   *
   * `GET /gateway/profile/clinic/session`
   *
   * @returns One page of Sessions.
   */
  listSessions(input?: ListSessionsAsClinicInput, options?: CallOptions): ListPromise<SessionPage, Session>;

  /**
   * Create Sessions for a Care Provider
   *
   * Creates the Sessions of the request as one series, with homework and reminders, or nothing. The Client must be assigned to the Care Provider.
   *
   * Role: **Clinic**.
   *
   * `POST /gateway/profile/clinic/session`
   *
   * @returns Created.
   */
  createSessions(input: CreateSessionsAsClinicInput & PreferMinimal, options?: CallOptions): ApiPromise<void>;
  /**
   * Create Sessions for a Care Provider
   *
   * Creates the Sessions of the request as one series, with homework and reminders, or nothing. The Client must be assigned to the Care Provider.
   *
   * Role: **Clinic**.
   *
   * `POST /gateway/profile/clinic/session`
   *
   * @returns Created.
   */
  createSessions(input: CreateSessionsAsClinicInput, options?: CallOptions): ApiPromise<SeriesChange>;

  /**
   * Read a Session
   *
   * Role: **Clinic**.
   *
   * `GET /gateway/profile/clinic/session/{id}`
   *
   * @returns The Session.
   */
  getSession(input: GetSessionAsClinicInput, options?: CallOptions): ApiPromise<SessionDetail>;

  /**
   * Change or move a Session, or with a scope the rest of its series
   *
   * Unsent reminders move with the Session.
   *
   * Role: **Clinic**.
   *
   * `PATCH /gateway/profile/clinic/session/{id}`
   *
   * @returns The Sessions that have changed.
   */
  changeSession(input: ChangeSessionInput & PreferMinimal, options?: CallOptions): ApiPromise<void>;
  /**
   * Change or move a Session, or with a scope the rest of its series
   *
   * Unsent reminders move with the Session.
   *
   * Role: **Clinic**.
   *
   * `PATCH /gateway/profile/clinic/session/{id}`
   *
   * @returns The Sessions that have changed.
   */
  changeSession(input: ChangeSessionInput, options?: CallOptions): ApiPromise<SeriesChange>;

  /**
   * Cancel a Session, or with a scope the rest of its series
   *
   * Unsent reminders are withdrawn.
   *
   * Role: **Clinic**.
   *
   * `POST /gateway/profile/clinic/session/{id}/cancel`
   *
   * @returns The Sessions that have changed.
   */
  cancelSession(input: CancelSessionInput & PreferMinimal, options?: CallOptions): ApiPromise<void>;
  /**
   * Cancel a Session, or with a scope the rest of its series
   *
   * Unsent reminders are withdrawn.
   *
   * Role: **Clinic**.
   *
   * `POST /gateway/profile/clinic/session/{id}/cancel`
   *
   * @returns The Sessions that have changed.
   */
  cancelSession(input: CancelSessionInput, options?: CallOptions): ApiPromise<SeriesChange>;

  /**
   * Mark a Session as completed
   *
   * The Session must have started.
   *
   * Role: **Clinic**.
   *
   * `POST /gateway/profile/clinic/session/{id}/complete`
   *
   * @returns The Sessions that have changed.
   */
  completeSession(input: CompleteSessionInput & PreferMinimal, options?: CallOptions): ApiPromise<void>;
  /**
   * Mark a Session as completed
   *
   * The Session must have started.
   *
   * Role: **Clinic**.
   *
   * `POST /gateway/profile/clinic/session/{id}/complete`
   *
   * @returns The Sessions that have changed.
   */
  completeSession(input: CompleteSessionInput, options?: CallOptions): ApiPromise<SeriesChange>;

  /**
   * Mark a Session as a no-show
   *
   * The Client did not come. The Session must have started.
   *
   * Role: **Clinic**.
   *
   * `POST /gateway/profile/clinic/session/{id}/no-show`
   *
   * @returns The Sessions that have changed.
   */
  markSessionNoShow(input: MarkSessionNoShowInput & PreferMinimal, options?: CallOptions): ApiPromise<void>;
  /**
   * Mark a Session as a no-show
   *
   * The Client did not come. The Session must have started.
   *
   * Role: **Clinic**.
   *
   * `POST /gateway/profile/clinic/session/{id}/no-show`
   *
   * @returns The Sessions that have changed.
   */
  markSessionNoShow(input: MarkSessionNoShowInput, options?: CallOptions): ApiPromise<SeriesChange>;

  /**
   * Undo the last status change of a Session
   *
   * Within 30 days. With a scope, undoes everything that the same request has changed. Reminders are restored if their time has not passed. 409 also if a participant of an upcoming Session is deactivated, or if its week of the plan has another Session now.
   *
   * Role: **Clinic**.
   *
   * `POST /gateway/profile/clinic/session/{id}/undo`
   *
   * @returns The Sessions that have changed.
   */
  undoSessionStep(input: UndoSessionStepInput & PreferMinimal, options?: CallOptions): ApiPromise<void>;
  /**
   * Undo the last status change of a Session
   *
   * Within 30 days. With a scope, undoes everything that the same request has changed. Reminders are restored if their time has not passed. 409 also if a participant of an upcoming Session is deactivated, or if its week of the plan has another Session now.
   *
   * Role: **Clinic**.
   *
   * `POST /gateway/profile/clinic/session/{id}/undo`
   *
   * @returns The Sessions that have changed.
   */
  undoSessionStep(input: UndoSessionStepInput, options?: CallOptions): ApiPromise<SeriesChange>;

  /**
   * List series
   *
   * Role: **Clinic**.
   *
   * `GET /gateway/profile/clinic/series`
   *
   * @returns One page of series. A Care Provider sees a series if they can see all of its Sessions.
   */
  listSeries(input?: ListSeriesInput, options?: CallOptions): ListPromise<SeriesPage, SeriesSummary>;

  /**
   * Read a series with the progress of its homework
   *
   * Role: **Clinic**.
   *
   * `GET /gateway/profile/clinic/series/{seriesId}`
   *
   * @returns The series. `include` adds `client` and `careProvider` to it, the other members to its `sessions`.
   */
  getSeries(input: GetSeriesInput, options?: CallOptions): ApiPromise<SessionSeries>;

  /**
   * Pause a series
   *
   * Pauses all upcoming Sessions and their reminders.
   *
   * Role: **Clinic**.
   *
   * `POST /gateway/profile/clinic/series/{seriesId}/pause`
   *
   * @returns The Sessions that have changed.
   */
  pauseSeries(input: PauseSeriesInput & PreferMinimal, options?: CallOptions): ApiPromise<void>;
  /**
   * Pause a series
   *
   * Pauses all upcoming Sessions and their reminders.
   *
   * Role: **Clinic**.
   *
   * `POST /gateway/profile/clinic/series/{seriesId}/pause`
   *
   * @returns The Sessions that have changed.
   */
  pauseSeries(input: PauseSeriesInput, options?: CallOptions): ApiPromise<SeriesChange>;

  /**
   * Resume a paused series
   *
   * If the next Session is in the past by now, the rest moves later by whole intervals.
   *
   * Role: **Clinic**.
   *
   * `POST /gateway/profile/clinic/series/{seriesId}/resume`
   *
   * @returns The Sessions that have changed.
   */
  resumeSeries(input: ResumeSeriesInput & PreferMinimal, options?: CallOptions): ApiPromise<void>;
  /**
   * Resume a paused series
   *
   * If the next Session is in the past by now, the rest moves later by whole intervals.
   *
   * Role: **Clinic**.
   *
   * `POST /gateway/profile/clinic/series/{seriesId}/resume`
   *
   * @returns The Sessions that have changed.
   */
  resumeSeries(input: ResumeSeriesInput, options?: CallOptions): ApiPromise<SeriesChange>;

  /**
   * Move the rest of a series by days
   *
   * Role: **Clinic**.
   *
   * `POST /gateway/profile/clinic/series/{seriesId}/shift`
   *
   * @returns The Sessions that have changed.
   */
  shiftSeries(input: ShiftSeriesInput & PreferMinimal, options?: CallOptions): ApiPromise<void>;
  /**
   * Move the rest of a series by days
   *
   * Role: **Clinic**.
   *
   * `POST /gateway/profile/clinic/series/{seriesId}/shift`
   *
   * @returns The Sessions that have changed.
   */
  shiftSeries(input: ShiftSeriesInput, options?: CallOptions): ApiPromise<SeriesChange>;

  /**
   * Skip a week
   *
   * Role: **Clinic**.
   *
   * `POST /gateway/profile/clinic/series/{seriesId}/skip-week`
   *
   * @returns The Sessions that have changed.
   */
  skipSeriesWeek(input: SkipSeriesWeekInput & PreferMinimal, options?: CallOptions): ApiPromise<void>;
  /**
   * Skip a week
   *
   * Role: **Clinic**.
   *
   * `POST /gateway/profile/clinic/series/{seriesId}/skip-week`
   *
   * @returns The Sessions that have changed.
   */
  skipSeriesWeek(input: SkipSeriesWeekInput, options?: CallOptions): ApiPromise<SeriesChange>;

  /**
   * Apply a newer revision of the Design Plan to the rest of a series
   *
   * Role: **Clinic**.
   *
   * `POST /gateway/profile/clinic/series/{seriesId}/revise`
   *
   * @returns The Sessions that have changed.
   */
  reviseSeries(input: ReviseSeriesInput & PreferMinimal, options?: CallOptions): ApiPromise<void>;
  /**
   * Apply a newer revision of the Design Plan to the rest of a series
   *
   * Role: **Clinic**.
   *
   * `POST /gateway/profile/clinic/series/{seriesId}/revise`
   *
   * @returns The Sessions that have changed.
   */
  reviseSeries(input: ReviseSeriesInput, options?: CallOptions): ApiPromise<SeriesChange>;

  /**
   * Apply a Design Plan to a Client
   *
   * One Session a week with the plan's title and description, and the Books of the week as homework, with reminders at local times of the Client; all or nothing.
   *
   * Role: **Clinic**.
   *
   * `POST /gateway/profile/clinic/design-plan/{id}/apply`
   *
   * @returns Created.
   */
  applyDesignPlan(input: ApplyDesignPlanAsClinicInput & PreferMinimal, options?: CallOptions): ApiPromise<void>;
  /**
   * Apply a Design Plan to a Client
   *
   * One Session a week with the plan's title and description, and the Books of the week as homework, with reminders at local times of the Client; all or nothing.
   *
   * Role: **Clinic**.
   *
   * `POST /gateway/profile/clinic/design-plan/{id}/apply`
   *
   * @returns Created.
   */
  applyDesignPlan(input: ApplyDesignPlanAsClinicInput, options?: CallOptions): ApiPromise<SeriesChange>;

  /**
   * Read the digest of a Session
   *
   * Role: **Clinic**.
   *
   * `GET /gateway/profile/clinic/session/{id}/digest`
   *
   * @returns The digest.
   */
  getSessionDigest(input: GetSessionDigestInput, options?: CallOptions): ApiPromise<SessionDigest>;

  /**
   * List the homework of all Clients
   *
   * Homework of all Sessions that are not cancelled, in the order of their start.
   *
   * Role: **Clinic**.
   *
   * `GET /gateway/profile/clinic/homework`
   *
   * @returns One page of homework.
   */
  listHomeworkOfClients(
    input?: ListHomeworkOfClientsInput,
    options?: CallOptions,
  ): ListPromise<ClinicHomeworkPage, ClinicHomework>;

  /**
   * Read a week
   *
   * Role: **Clinic**.
   *
   * `GET /gateway/profile/clinic/week`
   *
   * @returns The Sessions that start within seven days, with names, local times, homework and its progress, overlaps, and upcoming reminders. At most 1,000: if `isTruncated` is true, choose Care Providers with `caregiverId`.
   */
  getWeek(input?: GetWeekAsClinicInput, options?: CallOptions): ApiPromise<Week>;

  /**
   * Export a Session as a calendar file
   *
   * Role: **Clinic**.
   *
   * `GET /gateway/profile/clinic/session/{id}/calendar.ics`
   *
   * @returns A calendar with this Session only, iCalendar (RFC 5545). Its event has the same UID as in the feed.
   */
  getSessionCalendar(input: GetSessionCalendarInput, options?: CallOptions): ApiPromise<string | undefined>;

  /**
   * List the audit trail
   *
   * Role: **Clinic**.
   *
   * `GET /gateway/profile/clinic/audit`
   *
   * @returns One page of writes, reads of client data and denied requests, newest first: those of the Clinic, or for an administrator those without a Clinic. Reading the audit trail adds an entry.
   */
  listAuditEntries(input?: ListAuditEntriesInput, options?: CallOptions): ListPromise<AuditEntryPage, AuditEntry>;

  /**
   * Export the audit trail
   *
   * Role: **Clinic**.
   *
   * `GET /gateway/profile/clinic/audit/export`
   *
   * @returns One entry per line, oldest first, at most 10,000. `Link` names the next part. Set `to` to a time in the past: entries of the last seconds may not be committed yet. Without its last chunk, the response is incomplete.
   */
  exportAuditEntries(input?: ExportAuditEntriesInput, options?: CallOptions): ListPromise<AuditEntry[], AuditEntry>;

  /**
   * Export a Client
   *
   * Role: **Clinic**.
   *
   * `GET /gateway/profile/clinic/client/{id}/export`
   *
   * @returns By `Accept`: one document, lines of `{section, item}`, or a page in the Client's language.
   */
  exportClient(input: ExportClientAsClinicInput, options?: CallOptions): ExportPromise<ClientExport>;

  /**
   * Read how long data is kept, and what is removed next
   *
   * Role: **Clinic**.
   *
   * `GET /gateway/profile/clinic/retention`
   *
   * @returns What applies, and what the next run removes.
   */
  getRetention(options?: CallOptions): ApiPromise<Retention>;

  /**
   * Choose how long data is kept
   *
   * Replaces the whole choice. A job removes each night what is older. A dry run counts what the next run removes.
   *
   * Role: **Clinic**.
   *
   * `PUT /gateway/profile/clinic/retention`
   *
   * @returns What applies, and what the next run removes. The result of a dry run: the same body, but nothing is written.
   */
  putRetention(input: PutRetentionInput, options?: CallOptions): ApiPromise<Retention>;

  /**
   * List the erasures of a Client
   *
   * Role: **Clinic**.
   *
   * `GET /gateway/profile/clinic/client/{id}/erasure`
   *
   * @returns One page, newest first.
   */
  listClientErasures(input: ListClientErasuresInput, options?: CallOptions): ListPromise<ErasurePage, Erasure>;

  /**
   * Request the erasure of a Client
   *
   * Changes nothing yet. 409 under a legal hold.
   *
   * Role: **Clinic**.
   *
   * `POST /gateway/profile/clinic/client/{id}/erasure`
   *
   * @returns What will be erased, and when it can be confirmed.
   */
  createClientErasure(input: CreateClientErasureInput, options?: CallOptions): ApiPromise<Erasure>;

  /**
   * Confirm the erasure of a Client
   *
   * Cannot be undone. Idempotent. 409 under a legal hold.
   *
   * Role: **Clinic**.
   *
   * `POST /gateway/profile/clinic/client/{id}/erasure/{erasureId}/confirmation`
   *
   * @returns The contents of the record are removed. A job removes everything else.
   */
  confirmClientErasure(input: ConfirmClientErasureInput, options?: CallOptions): ApiPromise<Erasure>;

  /**
   * Read an erasure of a Client
   *
   * Role: **Clinic**.
   *
   * `GET /gateway/profile/clinic/client/{id}/erasure/{erasureId}`
   *
   * @returns The erasure.
   */
  getClientErasure(input: GetClientErasureInput, options?: CallOptions): ApiPromise<Erasure>;

  /**
   * List the erasures of a Care Provider
   *
   * Role: **Clinic**.
   *
   * `GET /gateway/profile/clinic/care-provider/{id}/erasure`
   *
   * @returns One page, newest first.
   */
  listCareProviderErasures(
    input: ListCareProviderErasuresInput,
    options?: CallOptions,
  ): ListPromise<ErasurePage, Erasure>;

  /**
   * Request the erasure of a Care Provider
   *
   * Changes nothing yet. 409 under a legal hold.
   *
   * Role: **Clinic**.
   *
   * `POST /gateway/profile/clinic/care-provider/{id}/erasure`
   *
   * @returns What will be erased, and when it can be confirmed.
   */
  createCareProviderErasure(input: CreateCareProviderErasureInput, options?: CallOptions): ApiPromise<Erasure>;

  /**
   * Confirm the erasure of a Care Provider
   *
   * Cannot be undone. Idempotent. 409 under a legal hold.
   *
   * Role: **Clinic**.
   *
   * `POST /gateway/profile/clinic/care-provider/{id}/erasure/{erasureId}/confirmation`
   *
   * @returns The contents of the record are removed. A job removes everything else.
   */
  confirmCareProviderErasure(input: ConfirmCareProviderErasureInput, options?: CallOptions): ApiPromise<Erasure>;

  /**
   * Read an erasure of a Care Provider
   *
   * Role: **Clinic**.
   *
   * `GET /gateway/profile/clinic/care-provider/{id}/erasure/{erasureId}`
   *
   * @returns The erasure.
   */
  getCareProviderErasure(input: GetCareProviderErasureInput, options?: CallOptions): ApiPromise<Erasure>;

  /**
   * Read whether there is a legal hold for a Client
   *
   * Role: **Clinic**.
   *
   * `GET /gateway/profile/clinic/client/{id}/legal-hold`
   *
   * @returns The hold.
   */
  getLegalHold(input: GetLegalHoldInput, options?: CallOptions): ApiPromise<LegalHold>;

  /**
   * Set a legal hold for a Client
   *
   * The Client cannot be erased until it is lifted. An open request of an erasure is refused.
   *
   * Role: **Clinic**.
   *
   * `PUT /gateway/profile/clinic/client/{id}/legal-hold`
   *
   * @returns The hold.
   */
  putLegalHold(input: PutLegalHoldInput, options?: CallOptions): ApiPromise<LegalHold>;

  /**
   * Lift the legal hold of a Client
   *
   * Repeating the call changes nothing.
   *
   * Role: **Clinic**.
   *
   * `DELETE /gateway/profile/clinic/client/{id}/legal-hold`
   *
   * @returns There is no hold.
   */
  deleteLegalHold(input: DeleteLegalHoldInput, options?: CallOptions): ApiPromise<void>;
}

export interface CareProviderOperations {
  /**
   * List the Clients that are assigned to the caller
   *
   * Role: **Care Provider**.
   *
   * `GET /gateway/profile/caregiver/client`
   *
   * @returns One page, in the order of `sort`.
   */
  listAssignedClients(
    input?: ListAssignedClientsInput,
    options?: CallOptions,
  ): ListPromise<AssignedClientPage, AssignedClient>;

  /**
   * Read a Client that is assigned to the caller
   *
   * Role: **Care Provider**.
   *
   * `GET /gateway/profile/caregiver/client/{id}`
   *
   * @returns The Client.
   */
  getAssignedClient(input: GetAssignedClientInput, options?: CallOptions): ApiPromise<AssignedClient>;

  /**
   * List the Care Providers of the caller's Clinic
   *
   * Returns only ids and names. Includes the caller.
   *
   * Role: **Care Provider**.
   *
   * `GET /gateway/profile/caregiver/care-provider`
   *
   * @returns One page, in the order of `sort`.
   */
  listColleagues(input?: ListColleaguesInput, options?: CallOptions): ListPromise<ColleaguePage, Colleague>;

  /**
   * Read a Care Provider of the caller's Clinic
   *
   * Role: **Care Provider**.
   *
   * `GET /gateway/profile/caregiver/care-provider/{id}`
   *
   * @returns The id and the name.
   */
  getColleague(input: GetColleagueInput, options?: CallOptions): ApiPromise<Colleague>;

  /**
   * List Books, those of the caller's Clinic and those of the shared catalogue
   *
   * Only active Books can become homework.
   *
   * Role: **Care Provider**.
   *
   * `GET /gateway/profile/caregiver/book`
   *
   * @returns One page, in the order of `sort`.
   */
  listUsableBooks(input?: ListUsableBooksInput, options?: CallOptions): ListPromise<BookPage, Book>;

  /**
   * Read a Book of the caller's Clinic or of the shared catalogue
   *
   * Role: **Care Provider**.
   *
   * `GET /gateway/profile/caregiver/book/{id}`
   *
   * @returns The Book.
   */
  getUsableBook(input: GetUsableBookInput, options?: CallOptions): ApiPromise<Book>;

  /**
   * List the Design Plans of the caller's Clinic
   *
   * Role: **Care Provider**.
   *
   * `GET /gateway/profile/caregiver/design-plan`
   *
   * @returns One page, without the weeks.
   */
  listDesignPlans(input?: ListDesignPlansInput, options?: CallOptions): ListPromise<DesignPlanPage, DesignPlanSummary>;

  /**
   * Read a Design Plan of the caller's Clinic
   *
   * Role: **Care Provider**.
   *
   * `GET /gateway/profile/caregiver/design-plan/{id}`
   *
   * @returns The plan.
   */
  getDesignPlan(input: GetDesignPlanInput, options?: CallOptions): ApiPromise<DesignPlanModel>;

  /**
   * List reminders
   *
   * Role: **Care Provider**.
   *
   * `GET /gateway/profile/caregiver/reminder`
   *
   * @returns One page of reminders, without their history. For a Care Provider, those of their own Sessions.
   */
  listReminders(input?: ListRemindersInput, options?: CallOptions): ListPromise<ReminderPage, Reminder>;

  /**
   * Read a reminder with its history
   *
   * Role: **Care Provider**.
   *
   * `GET /gateway/profile/caregiver/reminder/{id}`
   *
   * @returns The reminder.
   */
  getReminder(input: GetReminderInput, options?: CallOptions): ApiPromise<ReminderWithHistory>;

  /**
   * Read your reminder preference
   *
   * Role: **Care Provider**.
   *
   * `GET /gateway/profile/caregiver/reminder-preference`
   *
   * @returns The chosen values, and the values that apply.
   */
  getReminderPreference(options?: CallOptions): ApiPromise<ReminderPreference>;

  /**
   * Set your reminder preference
   *
   * Role: **Care Provider**.
   *
   * `PUT /gateway/profile/caregiver/reminder-preference`
   *
   * @returns The chosen values, and the values that apply.
   */
  putReminderPreference(
    input: PutReminderPreferenceAsCareProviderInput & PreferMinimal,
    options?: CallOptions,
  ): ApiPromise<void>;
  /**
   * Set your reminder preference
   *
   * Role: **Care Provider**.
   *
   * `PUT /gateway/profile/caregiver/reminder-preference`
   *
   * @returns The chosen values, and the values that apply.
   */
  putReminderPreference(
    input: PutReminderPreferenceAsCareProviderInput,
    options?: CallOptions,
  ): ApiPromise<ReminderPreference>;

  /**
   * List Sessions
   *
   * Role: **Care Provider**.
   *
   * `GET /gateway/profile/caregiver/session`
   *
   * @returns One page of Sessions.
   */
  listSessions(input?: ListSessionsAsCareProviderInput, options?: CallOptions): ListPromise<SessionPage, Session>;

  /**
   * Create Session(s)
   *
   * Creates the Sessions of the request as one series, with homework and reminders, or nothing (specification, 4.2).
   *
   * Role: **Care Provider**.
   *
   * `POST /gateway/profile/caregiver/session`
   *
   * @returns Created.
   */
  createSessions(
    input: CreateSessionsAsCareProviderInput & PreferRepresentation,
    options?: CallOptions,
  ): ApiPromise<SeriesChange>;
  /**
   * Create Session(s)
   *
   * Creates the Sessions of the request as one series, with homework and reminders, or nothing (specification, 4.2).
   *
   * Role: **Care Provider**.
   *
   * `POST /gateway/profile/caregiver/session`
   *
   * @returns Created.
   */
  createSessions(input: CreateSessionsAsCareProviderInput & PreferMinimal, options?: CallOptions): ApiPromise<void>;
  /**
   * Create Session(s)
   *
   * Creates the Sessions of the request as one series, with homework and reminders, or nothing (specification, 4.2).
   *
   * Role: **Care Provider**.
   *
   * `POST /gateway/profile/caregiver/session`
   *
   * @returns Created.
   */
  createSessions(
    input: CreateSessionsAsCareProviderInput & PreferStrict,
    options?: CallOptions,
  ): ApiPromise<SessionsCreated>;

  /**
   * Read a Session
   *
   * Role: **Care Provider**.
   *
   * `GET /gateway/profile/caregiver/session/{id}`
   *
   * @returns The Session.
   */
  getSession(input: GetSessionAsCareProviderInput, options?: CallOptions): ApiPromise<SessionDetail>;

  /**
   * Change or move a Session, or with a scope the rest of its series
   *
   * Unsent reminders move with the Session.
   *
   * Role: **Care Provider**.
   *
   * `PATCH /gateway/profile/caregiver/session/{id}`
   *
   * @returns The Sessions that have changed.
   */
  changeSession(input: ChangeSessionInput & PreferMinimal, options?: CallOptions): ApiPromise<void>;
  /**
   * Change or move a Session, or with a scope the rest of its series
   *
   * Unsent reminders move with the Session.
   *
   * Role: **Care Provider**.
   *
   * `PATCH /gateway/profile/caregiver/session/{id}`
   *
   * @returns The Sessions that have changed.
   */
  changeSession(input: ChangeSessionInput, options?: CallOptions): ApiPromise<SeriesChange>;

  /**
   * Cancel a Session, or with a scope the rest of its series
   *
   * Unsent reminders are withdrawn.
   *
   * Role: **Care Provider**.
   *
   * `POST /gateway/profile/caregiver/session/{id}/cancel`
   *
   * @returns The Sessions that have changed.
   */
  cancelSession(input: CancelSessionInput & PreferMinimal, options?: CallOptions): ApiPromise<void>;
  /**
   * Cancel a Session, or with a scope the rest of its series
   *
   * Unsent reminders are withdrawn.
   *
   * Role: **Care Provider**.
   *
   * `POST /gateway/profile/caregiver/session/{id}/cancel`
   *
   * @returns The Sessions that have changed.
   */
  cancelSession(input: CancelSessionInput, options?: CallOptions): ApiPromise<SeriesChange>;

  /**
   * Mark a Session as completed
   *
   * The Session must have started.
   *
   * Role: **Care Provider**.
   *
   * `POST /gateway/profile/caregiver/session/{id}/complete`
   *
   * @returns The Sessions that have changed.
   */
  completeSession(input: CompleteSessionInput & PreferMinimal, options?: CallOptions): ApiPromise<void>;
  /**
   * Mark a Session as completed
   *
   * The Session must have started.
   *
   * Role: **Care Provider**.
   *
   * `POST /gateway/profile/caregiver/session/{id}/complete`
   *
   * @returns The Sessions that have changed.
   */
  completeSession(input: CompleteSessionInput, options?: CallOptions): ApiPromise<SeriesChange>;

  /**
   * Mark a Session as a no-show
   *
   * The Client did not come. The Session must have started.
   *
   * Role: **Care Provider**.
   *
   * `POST /gateway/profile/caregiver/session/{id}/no-show`
   *
   * @returns The Sessions that have changed.
   */
  markSessionNoShow(input: MarkSessionNoShowInput & PreferMinimal, options?: CallOptions): ApiPromise<void>;
  /**
   * Mark a Session as a no-show
   *
   * The Client did not come. The Session must have started.
   *
   * Role: **Care Provider**.
   *
   * `POST /gateway/profile/caregiver/session/{id}/no-show`
   *
   * @returns The Sessions that have changed.
   */
  markSessionNoShow(input: MarkSessionNoShowInput, options?: CallOptions): ApiPromise<SeriesChange>;

  /**
   * Undo the last status change of a Session
   *
   * Within 30 days. With a scope, undoes everything that the same request has changed. Reminders are restored if their time has not passed. 409 also if a participant of an upcoming Session is deactivated, or if its week of the plan has another Session now.
   *
   * Role: **Care Provider**.
   *
   * `POST /gateway/profile/caregiver/session/{id}/undo`
   *
   * @returns The Sessions that have changed.
   */
  undoSessionStep(input: UndoSessionStepInput & PreferMinimal, options?: CallOptions): ApiPromise<void>;
  /**
   * Undo the last status change of a Session
   *
   * Within 30 days. With a scope, undoes everything that the same request has changed. Reminders are restored if their time has not passed. 409 also if a participant of an upcoming Session is deactivated, or if its week of the plan has another Session now.
   *
   * Role: **Care Provider**.
   *
   * `POST /gateway/profile/caregiver/session/{id}/undo`
   *
   * @returns The Sessions that have changed.
   */
  undoSessionStep(input: UndoSessionStepInput, options?: CallOptions): ApiPromise<SeriesChange>;

  /**
   * List series
   *
   * Role: **Care Provider**.
   *
   * `GET /gateway/profile/caregiver/series`
   *
   * @returns One page of series. A Care Provider sees a series if they can see all of its Sessions.
   */
  listSeries(input?: ListSeriesInput, options?: CallOptions): ListPromise<SeriesPage, SeriesSummary>;

  /**
   * Read a series with the progress of its homework
   *
   * Role: **Care Provider**.
   *
   * `GET /gateway/profile/caregiver/series/{seriesId}`
   *
   * @returns The series. `include` adds `client` and `careProvider` to it, the other members to its `sessions`.
   */
  getSeries(input: GetSeriesInput, options?: CallOptions): ApiPromise<SessionSeries>;

  /**
   * Pause a series
   *
   * Pauses all upcoming Sessions and their reminders.
   *
   * Role: **Care Provider**.
   *
   * `POST /gateway/profile/caregiver/series/{seriesId}/pause`
   *
   * @returns The Sessions that have changed.
   */
  pauseSeries(input: PauseSeriesInput & PreferMinimal, options?: CallOptions): ApiPromise<void>;
  /**
   * Pause a series
   *
   * Pauses all upcoming Sessions and their reminders.
   *
   * Role: **Care Provider**.
   *
   * `POST /gateway/profile/caregiver/series/{seriesId}/pause`
   *
   * @returns The Sessions that have changed.
   */
  pauseSeries(input: PauseSeriesInput, options?: CallOptions): ApiPromise<SeriesChange>;

  /**
   * Resume a paused series
   *
   * If the next Session is in the past by now, the rest moves later by whole intervals.
   *
   * Role: **Care Provider**.
   *
   * `POST /gateway/profile/caregiver/series/{seriesId}/resume`
   *
   * @returns The Sessions that have changed.
   */
  resumeSeries(input: ResumeSeriesInput & PreferMinimal, options?: CallOptions): ApiPromise<void>;
  /**
   * Resume a paused series
   *
   * If the next Session is in the past by now, the rest moves later by whole intervals.
   *
   * Role: **Care Provider**.
   *
   * `POST /gateway/profile/caregiver/series/{seriesId}/resume`
   *
   * @returns The Sessions that have changed.
   */
  resumeSeries(input: ResumeSeriesInput, options?: CallOptions): ApiPromise<SeriesChange>;

  /**
   * Move the rest of a series by days
   *
   * Role: **Care Provider**.
   *
   * `POST /gateway/profile/caregiver/series/{seriesId}/shift`
   *
   * @returns The Sessions that have changed.
   */
  shiftSeries(input: ShiftSeriesInput & PreferMinimal, options?: CallOptions): ApiPromise<void>;
  /**
   * Move the rest of a series by days
   *
   * Role: **Care Provider**.
   *
   * `POST /gateway/profile/caregiver/series/{seriesId}/shift`
   *
   * @returns The Sessions that have changed.
   */
  shiftSeries(input: ShiftSeriesInput, options?: CallOptions): ApiPromise<SeriesChange>;

  /**
   * Skip a week
   *
   * Role: **Care Provider**.
   *
   * `POST /gateway/profile/caregiver/series/{seriesId}/skip-week`
   *
   * @returns The Sessions that have changed.
   */
  skipSeriesWeek(input: SkipSeriesWeekInput & PreferMinimal, options?: CallOptions): ApiPromise<void>;
  /**
   * Skip a week
   *
   * Role: **Care Provider**.
   *
   * `POST /gateway/profile/caregiver/series/{seriesId}/skip-week`
   *
   * @returns The Sessions that have changed.
   */
  skipSeriesWeek(input: SkipSeriesWeekInput, options?: CallOptions): ApiPromise<SeriesChange>;

  /**
   * Apply a newer revision of the Design Plan to the rest of a series
   *
   * Role: **Care Provider**.
   *
   * `POST /gateway/profile/caregiver/series/{seriesId}/revise`
   *
   * @returns The Sessions that have changed.
   */
  reviseSeries(input: ReviseSeriesInput & PreferMinimal, options?: CallOptions): ApiPromise<void>;
  /**
   * Apply a newer revision of the Design Plan to the rest of a series
   *
   * Role: **Care Provider**.
   *
   * `POST /gateway/profile/caregiver/series/{seriesId}/revise`
   *
   * @returns The Sessions that have changed.
   */
  reviseSeries(input: ReviseSeriesInput, options?: CallOptions): ApiPromise<SeriesChange>;

  /**
   * Apply a Design Plan to a Client
   *
   * One Session a week with the plan's title and description, and the Books of the week as homework, with reminders at local times of the Client; all or nothing.
   *
   * Role: **Care Provider**.
   *
   * `POST /gateway/profile/caregiver/design-plan/{id}/apply`
   *
   * @returns Created.
   */
  applyDesignPlan(input: ApplyDesignPlanAsCareProviderInput & PreferMinimal, options?: CallOptions): ApiPromise<void>;
  /**
   * Apply a Design Plan to a Client
   *
   * One Session a week with the plan's title and description, and the Books of the week as homework, with reminders at local times of the Client; all or nothing.
   *
   * Role: **Care Provider**.
   *
   * `POST /gateway/profile/caregiver/design-plan/{id}/apply`
   *
   * @returns Created.
   */
  applyDesignPlan(input: ApplyDesignPlanAsCareProviderInput, options?: CallOptions): ApiPromise<SeriesChange>;

  /**
   * Read the digest of a Session
   *
   * Role: **Care Provider**.
   *
   * `GET /gateway/profile/caregiver/session/{id}/digest`
   *
   * @returns The digest.
   */
  getSessionDigest(input: GetSessionDigestInput, options?: CallOptions): ApiPromise<SessionDigest>;

  /**
   * Read a week
   *
   * Role: **Care Provider**.
   *
   * `GET /gateway/profile/caregiver/week`
   *
   * @returns The Sessions that start within seven days, with names, local times, homework and its progress, overlaps, and upcoming reminders. At most 1,000: if `isTruncated` is true, choose Care Providers with `caregiverId`.
   */
  getWeek(input?: GetWeekAsCareProviderInput, options?: CallOptions): ApiPromise<Week>;

  /**
   * List the links to your calendar
   *
   * Role: **Care Provider**.
   *
   * `GET /gateway/profile/caregiver/calendar-link`
   *
   * @returns One page of links that are not revoked, also expired ones, oldest first, without their secrets.
   */
  listCalendarLinks(input?: ListCalendarLinksInput, options?: CallOptions): ListPromise<CalendarLinkPage, CalendarLink>;

  /**
   * Create a secret link to your calendar
   *
   * Role: **Care Provider**.
   *
   * `POST /gateway/profile/caregiver/calendar-link`
   *
   * @returns The link. Everyone with it can read the calendar. It is returned only once, because only a hash of its secret is stored. At most 10 at a time. It works for 366 days, and its owner can renew it.
   */
  createCalendarLink(input: CreateCalendarLinkInput, options?: CallOptions): ApiPromise<CreatedCalendarLink>;

  /**
   * Replace the secret of a link to your calendar
   *
   * Role: **Care Provider**.
   *
   * `POST /gateway/profile/caregiver/calendar-link/{id}/rotate`
   *
   * @returns The link with its new URL, which works for 366 days. The previous URL works for 24 hours more, so that each device can be changed. To end it at once, revoke the link instead.
   */
  rotateCalendarLink(
    input: RotateCalendarLinkAsCareProviderInput,
    options?: CallOptions,
  ): ApiPromise<CreatedCalendarLink>;

  /**
   * Renew a link to your calendar
   *
   * Role: **Care Provider**.
   *
   * `POST /gateway/profile/caregiver/calendar-link/{id}/renew`
   *
   * @returns The link works for 366 days from now, with the same URL, also if it had expired.
   */
  renewCalendarLink(input: RenewCalendarLinkAsCareProviderInput, options?: CallOptions): ApiPromise<CalendarLink>;

  /**
   * Revoke a link to your calendar
   *
   * From then on, the link returns 404. Idempotent.
   *
   * Role: **Care Provider**.
   *
   * `DELETE /gateway/profile/caregiver/calendar-link/{id}`
   *
   * @returns The link is revoked.
   */
  revokeCalendarLink(input: RevokeCalendarLinkAsCareProviderInput, options?: CallOptions): ApiPromise<void>;

  /**
   * Export a Session as a calendar file
   *
   * Role: **Care Provider**.
   *
   * `GET /gateway/profile/caregiver/session/{id}/calendar.ics`
   *
   * @returns A calendar with this Session only, iCalendar (RFC 5545). Its event has the same UID as in the feed.
   */
  getSessionCalendar(input: GetSessionCalendarInput, options?: CallOptions): ApiPromise<string | undefined>;
}

export interface ClientOperations {
  /**
   * Read your reminder preference
   *
   * Role: **Client**.
   *
   * `GET /gateway/profile/client/reminder-preference`
   *
   * @returns The chosen values, and the values that apply.
   */
  getReminderPreference(options?: CallOptions): ApiPromise<ReminderPreference>;

  /**
   * Set your reminder preference
   *
   * Role: **Client**.
   *
   * `PUT /gateway/profile/client/reminder-preference`
   *
   * @returns The chosen values, and the values that apply.
   */
  putReminderPreference(
    input: PutReminderPreferenceAsClientInput & PreferMinimal,
    options?: CallOptions,
  ): ApiPromise<void>;
  /**
   * Set your reminder preference
   *
   * Role: **Client**.
   *
   * `PUT /gateway/profile/client/reminder-preference`
   *
   * @returns The chosen values, and the values that apply.
   */
  putReminderPreference(
    input: PutReminderPreferenceAsClientInput,
    options?: CallOptions,
  ): ApiPromise<ReminderPreference>;

  /**
   * List my Sessions
   *
   * The Client's own Sessions with their homework, in the order of their start, cancelled ones included.
   *
   * Role: **Client**.
   *
   * `GET /gateway/profile/client/session`
   *
   * @returns One page of Sessions.
   */
  listSessions(input?: ListSessionsAsClientInput, options?: CallOptions): ListPromise<ClientSessionPage, ClientSession>;

  /**
   * Read one of my Sessions
   *
   * Role: **Client**.
   *
   * `GET /gateway/profile/client/session/{id}`
   *
   * @returns The Session.
   */
  getSession(input: GetSessionAsClientInput, options?: CallOptions): ApiPromise<ClientSession>;

  /**
   * List my homework
   *
   * Homework of all Sessions that are not cancelled, in the order of their start, with its due date and upcoming reminders.
   *
   * Role: **Client**.
   *
   * `GET /gateway/profile/client/homework`
   *
   * @returns One page of homework.
   */
  listHomework(input?: ListHomeworkInput, options?: CallOptions): ListPromise<ClientHomeworkPage, ClientHomework>;

  /**
   * Mark homework as done
   *
   * Withdraws its unsent reminders. Idempotent.
   *
   * Role: **Client**.
   *
   * `POST /gateway/profile/client/homework/{id}/complete`
   *
   * @returns The homework after the change.
   */
  completeHomework(input: CompleteHomeworkInput & PreferMinimal, options?: CallOptions): ApiPromise<void>;
  /**
   * Mark homework as done
   *
   * Withdraws its unsent reminders. Idempotent.
   *
   * Role: **Client**.
   *
   * `POST /gateway/profile/client/homework/{id}/complete`
   *
   * @returns The homework after the change.
   */
  completeHomework(input: CompleteHomeworkInput, options?: CallOptions): ApiPromise<ClientHomework>;

  /**
   * Mark homework as not done
   *
   * Restores its reminders that are due in the future. Idempotent.
   *
   * Role: **Client**.
   *
   * `POST /gateway/profile/client/homework/{id}/undo`
   *
   * @returns The homework after the change.
   */
  reopenHomework(input: ReopenHomeworkInput & PreferMinimal, options?: CallOptions): ApiPromise<void>;
  /**
   * Mark homework as not done
   *
   * Restores its reminders that are due in the future. Idempotent.
   *
   * Role: **Client**.
   *
   * `POST /gateway/profile/client/homework/{id}/undo`
   *
   * @returns The homework after the change.
   */
  reopenHomework(input: ReopenHomeworkInput, options?: CallOptions): ApiPromise<ClientHomework>;

  /**
   * Read my week
   *
   * The Client's own Sessions that start within seven days, with the names of their Care Providers, local times, homework and its progress, and upcoming reminders.
   *
   * Role: **Client**.
   *
   * `GET /gateway/profile/client/week`
   *
   * @returns The week.
   */
  getWeek(input?: GetWeekAsClientInput, options?: CallOptions): ApiPromise<ClientWeek>;

  /**
   * List the links to your calendar
   *
   * Role: **Client**.
   *
   * `GET /gateway/profile/client/calendar-link`
   *
   * @returns One page of links that are not revoked, also expired ones, oldest first, without their secrets.
   */
  listCalendarLinks(input?: ListCalendarLinksInput, options?: CallOptions): ListPromise<CalendarLinkPage, CalendarLink>;

  /**
   * Create a secret link to your calendar
   *
   * Role: **Client**.
   *
   * `POST /gateway/profile/client/calendar-link`
   *
   * @returns The link. Everyone with it can read the calendar. It is returned only once, because only a hash of its secret is stored. At most 10 at a time. It works for 366 days, and its owner can renew it.
   */
  createCalendarLink(input: CreateCalendarLinkInput, options?: CallOptions): ApiPromise<CreatedCalendarLink>;

  /**
   * Replace the secret of a link to your calendar
   *
   * Role: **Client**.
   *
   * `POST /gateway/profile/client/calendar-link/{id}/rotate`
   *
   * @returns The link with its new URL, which works for 366 days. The previous URL works for 24 hours more, so that each device can be changed. To end it at once, revoke the link instead.
   */
  rotateCalendarLink(input: RotateCalendarLinkAsClientInput, options?: CallOptions): ApiPromise<CreatedCalendarLink>;

  /**
   * Renew a link to your calendar
   *
   * Role: **Client**.
   *
   * `POST /gateway/profile/client/calendar-link/{id}/renew`
   *
   * @returns The link works for 366 days from now, with the same URL, also if it had expired.
   */
  renewCalendarLink(input: RenewCalendarLinkAsClientInput, options?: CallOptions): ApiPromise<CalendarLink>;

  /**
   * Revoke a link to your calendar
   *
   * From then on, the link returns 404. Idempotent.
   *
   * Role: **Client**.
   *
   * `DELETE /gateway/profile/client/calendar-link/{id}`
   *
   * @returns The link is revoked.
   */
  revokeCalendarLink(input: RevokeCalendarLinkAsClientInput, options?: CallOptions): ApiPromise<void>;

  /**
   * Export a Session as a calendar file
   *
   * Role: **Client**.
   *
   * `GET /gateway/profile/client/session/{id}/calendar.ics`
   *
   * @returns A calendar with this Session only, iCalendar (RFC 5545). Its event has the same UID as in the feed.
   */
  getSessionCalendar(input: GetSessionCalendarInput, options?: CallOptions): ApiPromise<string | undefined>;

  /**
   * Export my data
   *
   * Role: **Client**.
   *
   * `GET /gateway/profile/client/export`
   *
   * @returns By `Accept`: one document, lines of `{section, item}`, or a page in the Client's language.
   */
  exportClient(options?: CallOptions): ExportPromise<ClientExport>;
}

/** The operations that need a token, one method each, by the role that may call them. */
export interface Operations {
  admin: AdminOperations;
  clinic: ClinicOperations;
  careProvider: CareProviderOperations;
  client: ClientOperations;
}

type Table = { readonly [Role in keyof Operations]: Readonly<Record<keyof Operations[Role], OperationDescription>> };
export const operations: Table = {
  admin: {
    listRevokedTokens: { method: 'GET', path: '/gateway/admin/revoked-token', paged: true },
    revokeToken: { method: 'POST', path: '/gateway/admin/revoked-token', keyed: true },
    listClinics: { method: 'GET', path: '/gateway/admin/clinic', paged: true },
    createClinic: { method: 'POST', path: '/gateway/admin/clinic', headers: { prefer: 'prefer' }, keyed: true },
    putClinicByExternalId: {
      method: 'PUT',
      path: '/gateway/admin/clinic/external/{externalId}',
      headers: { ifMatch: 'if-match', ifNoneMatch: 'if-none-match', prefer: 'prefer' },
    },
    importClinics: {
      method: 'POST',
      path: '/gateway/admin/clinic/import',
      contentType: 'application/x-ndjson',
      keyed: true,
    },
    getClinic: { method: 'GET', path: '/gateway/admin/clinic/{id}' },
    changeClinic: {
      method: 'PATCH',
      path: '/gateway/admin/clinic/{id}',
      headers: { ifMatch: 'if-match', prefer: 'prefer' },
    },
    deactivateClinic: {
      method: 'DELETE',
      path: '/gateway/admin/clinic/{id}',
      headers: { ifMatch: 'if-match', prefer: 'prefer' },
    },
    listCatalogueBooks: { method: 'GET', path: '/gateway/admin/book', paged: true },
    createCatalogueBook: { method: 'POST', path: '/gateway/admin/book', headers: { prefer: 'prefer' }, keyed: true },
    putCatalogueBookByExternalId: {
      method: 'PUT',
      path: '/gateway/admin/book/external/{externalId}',
      headers: { ifMatch: 'if-match', ifNoneMatch: 'if-none-match', prefer: 'prefer' },
    },
    importCatalogueBooks: {
      method: 'POST',
      path: '/gateway/admin/book/import',
      contentType: 'application/x-ndjson',
      keyed: true,
    },
    getCatalogueBook: { method: 'GET', path: '/gateway/admin/book/{id}' },
    changeCatalogueBook: {
      method: 'PATCH',
      path: '/gateway/admin/book/{id}',
      headers: { ifMatch: 'if-match', prefer: 'prefer' },
    },
    deactivateCatalogueBook: {
      method: 'DELETE',
      path: '/gateway/admin/book/{id}',
      headers: { ifMatch: 'if-match', prefer: 'prefer' },
    },
    listRevokedTokenHolders: { method: 'GET', path: '/gateway/admin/revoked-token-holder', paged: true },
    revokeTokenHolder: { method: 'POST', path: '/gateway/admin/revoked-token-holder', keyed: true },
    listAdministratorAccesses: { method: 'GET', path: '/gateway/admin/administrator-access', paged: true },
    createAdministratorAccess: { method: 'POST', path: '/gateway/admin/administrator-access', keyed: true },
    revokeAdministratorAccess: { method: 'DELETE', path: '/gateway/admin/administrator-access/{id}' },
    listAuditEntries: { method: 'GET', path: '/gateway/admin/audit', paged: true },
    exportAuditEntries: { method: 'GET', path: '/gateway/admin/audit/export', paged: 'link' },
    listClinicErasures: { method: 'GET', path: '/gateway/admin/clinic/{id}/erasure', paged: true },
    createClinicErasure: { method: 'POST', path: '/gateway/admin/clinic/{id}/erasure', keyed: true },
    confirmClinicErasure: {
      method: 'POST',
      path: '/gateway/admin/clinic/{id}/erasure/{erasureId}/confirmation',
      keyed: true,
    },
    getClinicErasure: { method: 'GET', path: '/gateway/admin/clinic/{id}/erasure/{erasureId}' },
  },
  clinic: {
    listCareProviders: { method: 'GET', path: '/gateway/profile/clinic/care-provider', paged: true },
    createCareProvider: {
      method: 'POST',
      path: '/gateway/profile/clinic/care-provider',
      headers: { prefer: 'prefer' },
      keyed: true,
    },
    putCareProviderByExternalId: {
      method: 'PUT',
      path: '/gateway/profile/clinic/care-provider/external/{externalId}',
      headers: { ifMatch: 'if-match', ifNoneMatch: 'if-none-match', prefer: 'prefer' },
    },
    importCareProviders: {
      method: 'POST',
      path: '/gateway/profile/clinic/care-provider/import',
      contentType: 'application/x-ndjson',
      keyed: true,
    },
    getCareProvider: { method: 'GET', path: '/gateway/profile/clinic/care-provider/{id}' },
    changeCareProvider: {
      method: 'PATCH',
      path: '/gateway/profile/clinic/care-provider/{id}',
      headers: { ifMatch: 'if-match', prefer: 'prefer' },
    },
    deactivateCareProvider: {
      method: 'DELETE',
      path: '/gateway/profile/clinic/care-provider/{id}',
      headers: { ifMatch: 'if-match', prefer: 'prefer' },
    },
    reassignClients: {
      method: 'POST',
      path: '/gateway/profile/clinic/care-provider/{id}/reassign',
      headers: { prefer: 'prefer' },
      keyed: true,
    },
    listClients: { method: 'GET', path: '/gateway/profile/clinic/client', paged: true },
    createClient: {
      method: 'POST',
      path: '/gateway/profile/clinic/client',
      headers: { prefer: 'prefer' },
      keyed: true,
    },
    putClientByExternalId: {
      method: 'PUT',
      path: '/gateway/profile/clinic/client/external/{externalId}',
      headers: { ifMatch: 'if-match', ifNoneMatch: 'if-none-match', prefer: 'prefer' },
    },
    importClients: {
      method: 'POST',
      path: '/gateway/profile/clinic/client/import',
      contentType: 'application/x-ndjson',
      keyed: true,
    },
    getClient: { method: 'GET', path: '/gateway/profile/clinic/client/{id}' },
    changeClient: {
      method: 'PATCH',
      path: '/gateway/profile/clinic/client/{id}',
      headers: { ifMatch: 'if-match', prefer: 'prefer' },
    },
    deactivateClient: {
      method: 'DELETE',
      path: '/gateway/profile/clinic/client/{id}',
      headers: { ifMatch: 'if-match', prefer: 'prefer' },
    },
    assignClient: { method: 'PUT', path: '/gateway/profile/clinic/client/{id}/care-provider/{careProviderId}' },
    unassignClient: { method: 'DELETE', path: '/gateway/profile/clinic/client/{id}/care-provider/{careProviderId}' },
    listBooks: { method: 'GET', path: '/gateway/profile/clinic/book', paged: true },
    createBook: { method: 'POST', path: '/gateway/profile/clinic/book', headers: { prefer: 'prefer' }, keyed: true },
    putBookByExternalId: {
      method: 'PUT',
      path: '/gateway/profile/clinic/book/external/{externalId}',
      headers: { ifMatch: 'if-match', ifNoneMatch: 'if-none-match', prefer: 'prefer' },
    },
    importBooks: {
      method: 'POST',
      path: '/gateway/profile/clinic/book/import',
      contentType: 'application/x-ndjson',
      keyed: true,
    },
    getBook: { method: 'GET', path: '/gateway/profile/clinic/book/{id}' },
    changeBook: {
      method: 'PATCH',
      path: '/gateway/profile/clinic/book/{id}',
      headers: { ifMatch: 'if-match', prefer: 'prefer' },
    },
    deactivateBook: {
      method: 'DELETE',
      path: '/gateway/profile/clinic/book/{id}',
      headers: { ifMatch: 'if-match', prefer: 'prefer' },
    },
    listRevokedTokenHolders: { method: 'GET', path: '/gateway/profile/clinic/revoked-token-holder', paged: true },
    revokeTokenHolder: { method: 'POST', path: '/gateway/profile/clinic/revoked-token-holder', keyed: true },
    listAdministratorAccesses: { method: 'GET', path: '/gateway/profile/clinic/administrator-access', paged: true },
    revokeAdministratorAccess: { method: 'DELETE', path: '/gateway/profile/clinic/administrator-access/{id}' },
    listDesignPlans: { method: 'GET', path: '/gateway/profile/clinic/design-plan', paged: true },
    createDesignPlan: {
      method: 'POST',
      path: '/gateway/profile/clinic/design-plan',
      headers: { offset: 'offset', prefer: 'prefer' },
      keyed: true,
    },
    getDesignPlan: { method: 'GET', path: '/gateway/profile/clinic/design-plan/{id}' },
    replaceDesignPlan: {
      method: 'PUT',
      path: '/gateway/profile/clinic/design-plan/{id}',
      headers: { offset: 'offset', ifMatch: 'if-match', prefer: 'prefer' },
    },
    archiveDesignPlan: {
      method: 'DELETE',
      path: '/gateway/profile/clinic/design-plan/{id}',
      headers: { ifMatch: 'if-match', prefer: 'prefer' },
    },
    getDesignPlanByLocation: { method: 'GET', path: '/design-plan/{id}' },
    restoreDesignPlan: {
      method: 'POST',
      path: '/gateway/profile/clinic/design-plan/{id}/restore',
      headers: { ifMatch: 'if-match', prefer: 'prefer' },
      keyed: true,
    },
    importDesignPlan: {
      method: 'POST',
      path: '/gateway/profile/clinic/design-plan/import',
      headers: { prefer: 'prefer' },
      keyed: true,
    },
    cloneDesignPlan: {
      method: 'POST',
      path: '/gateway/profile/clinic/design-plan/{id}/clone',
      headers: { prefer: 'prefer' },
      keyed: true,
    },
    exportDesignPlan: { method: 'GET', path: '/gateway/profile/clinic/design-plan/{id}/export' },
    listDesignPlanRevisions: { method: 'GET', path: '/gateway/profile/clinic/design-plan/{id}/revision', paged: true },
    getDesignPlanRevision: { method: 'GET', path: '/gateway/profile/clinic/design-plan/{id}/revision/{revision}' },
    compareDesignPlanRevisions: {
      method: 'GET',
      path: '/gateway/profile/clinic/design-plan/{id}/revision/{from}/diff/{to}',
    },
    redriveReminders: { method: 'POST', path: '/gateway/profile/clinic/reminder/redrive', keyed: true },
    redriveReminder: {
      method: 'POST',
      path: '/gateway/profile/clinic/reminder/{id}/redrive',
      headers: { prefer: 'prefer' },
      keyed: true,
    },
    listReminders: { method: 'GET', path: '/gateway/profile/clinic/reminder', paged: true },
    getReminder: { method: 'GET', path: '/gateway/profile/clinic/reminder/{id}' },
    getReminderMessage: { method: 'GET', path: '/gateway/profile/clinic/reminder/{id}/message' },
    getReminderPreference: { method: 'GET', path: '/gateway/profile/clinic/reminder-preference', noInput: true },
    putReminderPreference: {
      method: 'PUT',
      path: '/gateway/profile/clinic/reminder-preference',
      headers: { prefer: 'prefer' },
    },
    listSessions: { method: 'GET', path: '/gateway/profile/clinic/session', paged: true },
    createSessions: {
      method: 'POST',
      path: '/gateway/profile/clinic/session',
      headers: { offset: 'offset', prefer: 'prefer' },
      keyed: true,
    },
    getSession: { method: 'GET', path: '/gateway/profile/clinic/session/{id}' },
    changeSession: {
      method: 'PATCH',
      path: '/gateway/profile/clinic/session/{id}',
      headers: { offset: 'offset', ifMatch: 'if-match', prefer: 'prefer' },
    },
    cancelSession: {
      method: 'POST',
      path: '/gateway/profile/clinic/session/{id}/cancel',
      headers: { ifMatch: 'if-match', prefer: 'prefer' },
      keyed: true,
    },
    completeSession: {
      method: 'POST',
      path: '/gateway/profile/clinic/session/{id}/complete',
      headers: { prefer: 'prefer', ifMatch: 'if-match' },
      keyed: true,
    },
    markSessionNoShow: {
      method: 'POST',
      path: '/gateway/profile/clinic/session/{id}/no-show',
      headers: { prefer: 'prefer', ifMatch: 'if-match' },
      keyed: true,
    },
    undoSessionStep: {
      method: 'POST',
      path: '/gateway/profile/clinic/session/{id}/undo',
      headers: { prefer: 'prefer', ifMatch: 'if-match' },
      keyed: true,
    },
    listSeries: { method: 'GET', path: '/gateway/profile/clinic/series', paged: true },
    getSeries: { method: 'GET', path: '/gateway/profile/clinic/series/{seriesId}' },
    pauseSeries: {
      method: 'POST',
      path: '/gateway/profile/clinic/series/{seriesId}/pause',
      headers: { prefer: 'prefer' },
      keyed: true,
    },
    resumeSeries: {
      method: 'POST',
      path: '/gateway/profile/clinic/series/{seriesId}/resume',
      headers: { prefer: 'prefer' },
      keyed: true,
    },
    shiftSeries: {
      method: 'POST',
      path: '/gateway/profile/clinic/series/{seriesId}/shift',
      headers: { prefer: 'prefer' },
      keyed: true,
    },
    skipSeriesWeek: {
      method: 'POST',
      path: '/gateway/profile/clinic/series/{seriesId}/skip-week',
      headers: { prefer: 'prefer' },
      keyed: true,
    },
    reviseSeries: {
      method: 'POST',
      path: '/gateway/profile/clinic/series/{seriesId}/revise',
      headers: { prefer: 'prefer' },
      keyed: true,
    },
    applyDesignPlan: {
      method: 'POST',
      path: '/gateway/profile/clinic/design-plan/{id}/apply',
      headers: { offset: 'offset', prefer: 'prefer' },
      keyed: true,
    },
    getSessionDigest: { method: 'GET', path: '/gateway/profile/clinic/session/{id}/digest' },
    listHomeworkOfClients: { method: 'GET', path: '/gateway/profile/clinic/homework', paged: true },
    getWeek: { method: 'GET', path: '/gateway/profile/clinic/week' },
    getSessionCalendar: {
      method: 'GET',
      path: '/gateway/profile/clinic/session/{id}/calendar.ics',
      headers: { ifNoneMatch: 'if-none-match' },
    },
    listAuditEntries: { method: 'GET', path: '/gateway/profile/clinic/audit', paged: true },
    exportAuditEntries: { method: 'GET', path: '/gateway/profile/clinic/audit/export', paged: 'link' },
    exportClient: { method: 'GET', path: '/gateway/profile/clinic/client/{id}/export', streamed: true },
    getRetention: { method: 'GET', path: '/gateway/profile/clinic/retention', noInput: true },
    putRetention: { method: 'PUT', path: '/gateway/profile/clinic/retention', headers: { ifMatch: 'if-match' } },
    listClientErasures: { method: 'GET', path: '/gateway/profile/clinic/client/{id}/erasure', paged: true },
    createClientErasure: { method: 'POST', path: '/gateway/profile/clinic/client/{id}/erasure', keyed: true },
    confirmClientErasure: {
      method: 'POST',
      path: '/gateway/profile/clinic/client/{id}/erasure/{erasureId}/confirmation',
      keyed: true,
    },
    getClientErasure: { method: 'GET', path: '/gateway/profile/clinic/client/{id}/erasure/{erasureId}' },
    listCareProviderErasures: {
      method: 'GET',
      path: '/gateway/profile/clinic/care-provider/{id}/erasure',
      paged: true,
    },
    createCareProviderErasure: {
      method: 'POST',
      path: '/gateway/profile/clinic/care-provider/{id}/erasure',
      keyed: true,
    },
    confirmCareProviderErasure: {
      method: 'POST',
      path: '/gateway/profile/clinic/care-provider/{id}/erasure/{erasureId}/confirmation',
      keyed: true,
    },
    getCareProviderErasure: { method: 'GET', path: '/gateway/profile/clinic/care-provider/{id}/erasure/{erasureId}' },
    getLegalHold: { method: 'GET', path: '/gateway/profile/clinic/client/{id}/legal-hold' },
    putLegalHold: { method: 'PUT', path: '/gateway/profile/clinic/client/{id}/legal-hold' },
    deleteLegalHold: { method: 'DELETE', path: '/gateway/profile/clinic/client/{id}/legal-hold' },
  },
  careProvider: {
    listAssignedClients: { method: 'GET', path: '/gateway/profile/caregiver/client', paged: true },
    getAssignedClient: { method: 'GET', path: '/gateway/profile/caregiver/client/{id}' },
    listColleagues: { method: 'GET', path: '/gateway/profile/caregiver/care-provider', paged: true },
    getColleague: { method: 'GET', path: '/gateway/profile/caregiver/care-provider/{id}' },
    listUsableBooks: { method: 'GET', path: '/gateway/profile/caregiver/book', paged: true },
    getUsableBook: { method: 'GET', path: '/gateway/profile/caregiver/book/{id}' },
    listDesignPlans: { method: 'GET', path: '/gateway/profile/caregiver/design-plan', paged: true },
    getDesignPlan: { method: 'GET', path: '/gateway/profile/caregiver/design-plan/{id}' },
    listReminders: { method: 'GET', path: '/gateway/profile/caregiver/reminder', paged: true },
    getReminder: { method: 'GET', path: '/gateway/profile/caregiver/reminder/{id}' },
    getReminderPreference: { method: 'GET', path: '/gateway/profile/caregiver/reminder-preference', noInput: true },
    putReminderPreference: {
      method: 'PUT',
      path: '/gateway/profile/caregiver/reminder-preference',
      headers: { prefer: 'prefer' },
    },
    listSessions: { method: 'GET', path: '/gateway/profile/caregiver/session', paged: true },
    createSessions: {
      method: 'POST',
      path: '/gateway/profile/caregiver/session',
      headers: { offset: 'offset', prefer: 'prefer' },
      keyed: true,
    },
    getSession: { method: 'GET', path: '/gateway/profile/caregiver/session/{id}' },
    changeSession: {
      method: 'PATCH',
      path: '/gateway/profile/caregiver/session/{id}',
      headers: { offset: 'offset', ifMatch: 'if-match', prefer: 'prefer' },
    },
    cancelSession: {
      method: 'POST',
      path: '/gateway/profile/caregiver/session/{id}/cancel',
      headers: { ifMatch: 'if-match', prefer: 'prefer' },
      keyed: true,
    },
    completeSession: {
      method: 'POST',
      path: '/gateway/profile/caregiver/session/{id}/complete',
      headers: { prefer: 'prefer', ifMatch: 'if-match' },
      keyed: true,
    },
    markSessionNoShow: {
      method: 'POST',
      path: '/gateway/profile/caregiver/session/{id}/no-show',
      headers: { prefer: 'prefer', ifMatch: 'if-match' },
      keyed: true,
    },
    undoSessionStep: {
      method: 'POST',
      path: '/gateway/profile/caregiver/session/{id}/undo',
      headers: { prefer: 'prefer', ifMatch: 'if-match' },
      keyed: true,
    },
    listSeries: { method: 'GET', path: '/gateway/profile/caregiver/series', paged: true },
    getSeries: { method: 'GET', path: '/gateway/profile/caregiver/series/{seriesId}' },
    pauseSeries: {
      method: 'POST',
      path: '/gateway/profile/caregiver/series/{seriesId}/pause',
      headers: { prefer: 'prefer' },
      keyed: true,
    },
    resumeSeries: {
      method: 'POST',
      path: '/gateway/profile/caregiver/series/{seriesId}/resume',
      headers: { prefer: 'prefer' },
      keyed: true,
    },
    shiftSeries: {
      method: 'POST',
      path: '/gateway/profile/caregiver/series/{seriesId}/shift',
      headers: { prefer: 'prefer' },
      keyed: true,
    },
    skipSeriesWeek: {
      method: 'POST',
      path: '/gateway/profile/caregiver/series/{seriesId}/skip-week',
      headers: { prefer: 'prefer' },
      keyed: true,
    },
    reviseSeries: {
      method: 'POST',
      path: '/gateway/profile/caregiver/series/{seriesId}/revise',
      headers: { prefer: 'prefer' },
      keyed: true,
    },
    applyDesignPlan: {
      method: 'POST',
      path: '/gateway/profile/caregiver/design-plan/{id}/apply',
      headers: { offset: 'offset', prefer: 'prefer' },
      keyed: true,
    },
    getSessionDigest: { method: 'GET', path: '/gateway/profile/caregiver/session/{id}/digest' },
    getWeek: { method: 'GET', path: '/gateway/profile/caregiver/week' },
    listCalendarLinks: { method: 'GET', path: '/gateway/profile/caregiver/calendar-link', paged: true },
    createCalendarLink: { method: 'POST', path: '/gateway/profile/caregiver/calendar-link', keyed: true },
    rotateCalendarLink: { method: 'POST', path: '/gateway/profile/caregiver/calendar-link/{id}/rotate', keyed: true },
    renewCalendarLink: { method: 'POST', path: '/gateway/profile/caregiver/calendar-link/{id}/renew', keyed: true },
    revokeCalendarLink: { method: 'DELETE', path: '/gateway/profile/caregiver/calendar-link/{id}' },
    getSessionCalendar: {
      method: 'GET',
      path: '/gateway/profile/caregiver/session/{id}/calendar.ics',
      headers: { ifNoneMatch: 'if-none-match' },
    },
  },
  client: {
    getReminderPreference: { method: 'GET', path: '/gateway/profile/client/reminder-preference', noInput: true },
    putReminderPreference: {
      method: 'PUT',
      path: '/gateway/profile/client/reminder-preference',
      headers: { prefer: 'prefer' },
    },
    listSessions: { method: 'GET', path: '/gateway/profile/client/session', paged: true },
    getSession: { method: 'GET', path: '/gateway/profile/client/session/{id}' },
    listHomework: { method: 'GET', path: '/gateway/profile/client/homework', paged: true },
    completeHomework: {
      method: 'POST',
      path: '/gateway/profile/client/homework/{id}/complete',
      headers: { prefer: 'prefer' },
      keyed: true,
    },
    reopenHomework: {
      method: 'POST',
      path: '/gateway/profile/client/homework/{id}/undo',
      headers: { prefer: 'prefer' },
      keyed: true,
    },
    getWeek: { method: 'GET', path: '/gateway/profile/client/week' },
    listCalendarLinks: { method: 'GET', path: '/gateway/profile/client/calendar-link', paged: true },
    createCalendarLink: { method: 'POST', path: '/gateway/profile/client/calendar-link', keyed: true },
    rotateCalendarLink: { method: 'POST', path: '/gateway/profile/client/calendar-link/{id}/rotate', keyed: true },
    renewCalendarLink: { method: 'POST', path: '/gateway/profile/client/calendar-link/{id}/renew', keyed: true },
    revokeCalendarLink: { method: 'DELETE', path: '/gateway/profile/client/calendar-link/{id}' },
    getSessionCalendar: {
      method: 'GET',
      path: '/gateway/profile/client/session/{id}/calendar.ics',
      headers: { ifNoneMatch: 'if-none-match' },
    },
    exportClient: { method: 'GET', path: '/gateway/profile/client/export', noInput: true, streamed: true },
  },
};
