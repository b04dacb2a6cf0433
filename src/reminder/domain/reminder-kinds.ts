/** The kinds of reminders: about a Session, or about homework. */
export const REMINDER_KINDS = ['SESSION', 'HOMEWORK'] as const;
export type ReminderKind = (typeof REMINDER_KINDS)[number];

export const RECIPIENT_KINDS = ['CLIENT', 'CARE_PROVIDER'] as const;
export type RecipientKind = (typeof RECIPIENT_KINDS)[number];

/** The person who receives a reminder. `id` is the ID of the Client or the Care Provider. */
export type Recipient = { kind: RecipientKind; id: number };

/**
 * The key that identifies a recipient in maps, for example `CLIENT 12`. It must be that of `toPersonKey` in the directory,
 * because recipients are looked up in maps of the directory.
 */
export function toRecipientKey({ kind, id }: Recipient): string {
  return `${kind} ${id}`;
}
