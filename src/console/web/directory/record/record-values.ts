import type { RecordFieldChanges, DirectoryRecord, RecordFieldName, RecordFormValues } from './record-kinds.js';

/** Returns the initial values of a record's form. */
export function toFormValues(fields: readonly RecordFieldName[], record?: DirectoryRecord): RecordFormValues {
  return Object.fromEntries(fields.map((field) => [field, readRecordField(record, field) ?? '']));
}

export function readRecordField(record: DirectoryRecord | undefined, field: RecordFieldName): string | null {
  const value = (record as unknown as Record<string, unknown> | undefined)?.[field];
  return typeof value === 'string' ? value : null;
}

/** Returns the request body for a new record. Empty fields are omitted. */
export function toCreateRecordBody(values: RecordFormValues): RecordFieldChanges {
  return Object.fromEntries(
    Object.entries(values)
      .map(([field, value]) => [field, value.trim()] as const)
      .filter(([, value]) => value !== ''),
  );
}

/** Returns the edited fields with their new values. A field that the user has emptied is null. */
export function findRecordChanges(values: RecordFormValues, record: DirectoryRecord): RecordFieldChanges {
  const changes: RecordFieldChanges = {};
  for (const [field, value] of Object.entries(values) as [RecordFieldName, string][]) {
    const wanted = value.trim() === '' ? null : value.trim();
    if (wanted !== readRecordField(record, field)) changes[field] = wanted;
  }
  return changes;
}

/**
 * Returns the fields that the user has edited and that another person has set to a different value since the form was
 * opened.
 */
export function findConflictingFields(
  changes: RecordFieldChanges,
  opened: DirectoryRecord,
  saved: DirectoryRecord,
): RecordFieldName[] {
  return (Object.keys(changes) as RecordFieldName[]).filter((field) => {
    const now = readRecordField(saved, field);
    return now !== readRecordField(opened, field) && now !== changes[field];
  });
}
