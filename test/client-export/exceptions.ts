/** Schemas, tables and columns that the export of a Client does not contain, each with the reason. */
export const EXCEPTIONS: Readonly<Record<string, string>> = {
  // The message queue.
  pgboss: 'Jobs hold the id of a message, which the reminders of the export have, and are deleted when they are done.',

  // Tables of the service itself.
  audit_pending_command: 'Commands of operators that wait for their audit entry. They name no Client.',
  administrator_access: 'Why and when administrators could read the data of a Clinic. The audit has what they read.',
  audit_retirement: 'The last seal of each chain whose entries were removed. It names no Client.',
  audit_seal: 'Hashes of audit entries, which the export has itself. They cannot be read back.',
  audit_unsealed: 'Ids of audit entries that wait for a seal.',
  encryption_key_store: 'Says which key store has the keys of the database.',
  erasure: 'Requests to erase a record, as codes. The audit has them, and the record has when it was erased.',
  instance: 'The running processes of the service.',
  rate_limit_count: 'Counts by digest, which are deleted after some minutes.',
  reminder_replanning: 'Work that waits for a Clinic, without a Client.',
  revoked_token: 'Ids of tokens. The service does not know the owner of a token.',
  retention_setting: 'How long a Clinic keeps each kind of its data. It names no Client.',
  revoked_token_holder: 'Tells the service which tokens to refuse until they end. The audit has the revocation.',
  schema_migration: 'The versions of the schema.',
  zone_data: 'The versions of the time zone data.',
  idempotency_key: 'Answers for retries, encrypted with a key that only the caller has, and deleted after a day.',

  legal_hold: 'Why the Clinic must keep data: a code for its own legal position. The audit has the requests.',

  // Data about other people or about the Clinic.
  book: 'A Book is not about a Client. Homework shows its id and title.',
  care_provider: 'Data of other people. Sessions and assignments show id and name.',
  hidden_session: 'Tells the copy of a former Care Provider that a Session is gone. The audit has the change.',
  removed_homework: 'Tells copies of a list that homework is gone, for 30 days. The audit has the removal.',
  removed_session: 'Tells copies of a list that a Session is gone, for 30 days. The audit has the removal.',
  'design_plan.id': 'The key by which the plan is found, which the section of applied plans has as id.',
  'design_plan.clinic_id': 'The key by which the plan is found: the Clinic of the export.',
  'design_plan.created_date': 'About the plan as the work of the Clinic, not about one of its Clients.',
  'design_plan.template': 'About the plan as the work of the Clinic, not about one of its Clients.',
  'design_plan.archived_at': 'About the plan as the work of the Clinic, not about one of its Clients.',
  'design_plan.version': 'About the plan as the work of the Clinic, not about one of its Clients.',
  'design_plan.updated_at': 'About the plan as the work of the Clinic, not about one of its Clients.',
  'design_plan.changed_in': 'The number of a transaction, from which instances see that cached names are old.',

  // Secrets.
  'calendar_link.secret_hash': 'The digest of a secret. The Client alone has the secret.',
  'calendar_link.previous_secret_hash': 'The digest of a secret. The Client alone has the secret.',
  'calendar_link.previous_secret_until': 'When a replaced secret ends, a day later. The audit has the replacement.',
  opt_out_link: 'Digests of the secrets of links in messages, and when they end. The Client alone has the secrets.',
  'reminder_preference.owner_kind': 'The key by which the preference is found: the Client of the export.',
  'reminder_preference.opt_out_token': 'The secret of the link in messages, which gives the right to opt out.',

  // Repeated and technical values.
  'design_plan_revision.clinic_id': 'The key by which the revision is found: the Clinic of the export.',
  'design_plan_revision.design_plan_id': 'The key by which the revision is found, which the plan has as id.',
  'design_plan_revision.revision': 'The key by which the revision is found, which the plan and its series have.',
  'session.remind_days': 'A column of an earlier release that is not read any more. The series has the value.',
  'calendar_link.caregiver_id': 'Null for the link of a Client.',
  'client.external_id_digest': 'A keyed digest of the external ID, which the export has itself.',
  'client.changed_in': 'The number of a transaction, from which instances see that cached names are old.',
  'reminder.caregiver_id': 'The Care Provider of the Session, which the section of Sessions has.',
  'reminder.not_after': 'The start of the Session, which the section of Sessions has.',
  'reminder.queued_at': 'The same time is in the history of the reminder, as QUEUED.',
  'reminder.settled_at': 'The same time is in the history of the reminder, as SENT, SKIPPED or DEAD.',
  'reminder.redriven_at': 'The same time is in the history of the reminder, as REDRIVEN.',
  'reminder.traceparent': 'The id of a trace, with which an operator finds technical records.',
  'homework.version': 'The number of changes, for synchronisation. The audit has all changes.',
  'session_series.version': 'The number of changes, for synchronisation. The audit has all changes.',
  'session_series.changed_at': 'The time of the last change, for synchronisation. The audit has all changes.',
  'session.updated_at': 'The time of the last change, for synchronisation. The audit has all changes.',
  'audit_entry.record_count': 'The number of records of all people in the request.',
  'audit_entry.request_id': 'The id of a request, with which an operator finds technical records.',
};
