import type { Changes, DirectoryRecord, FieldName, Values } from './record-kinds.js';

/** Returns the initial values of a record's form. */
export function toValues(fields: readonly FieldName[], record?: DirectoryRecord): Values {
  return Object.fromEntries(fields.map((field) => [field, readField(record, field) ?? '']));
}

export function readField(record: DirectoryRecord | undefined, field: FieldName): string | null {
  const value = (record as unknown as Record<string, unknown> | undefined)?.[field];
  return typeof value === 'string' ? value : null;
}

/** Returns the request body for a new record. Empty fields are omitted. */
export function toBody(values: Values): Changes {
  return Object.fromEntries(
    Object.entries(values)
      .map(([field, value]) => [field, value.trim()] as const)
      .filter(([, value]) => value !== ''),
  );
}

/** Returns the fields that differ from the record. Emptied fields are null. */
export function findChanges(values: Values, record: DirectoryRecord): Changes {
  const changes: Changes = {};
  for (const [field, value] of Object.entries(values) as [FieldName, string][]) {
    const wanted = value.trim() === '' ? null : value.trim();
    if (wanted !== readField(record, field)) changes[field] = wanted;
  }
  return changes;
}

/** Returns the changed fields that another person has changed to a different value since the form was opened. */
export function findConflicts(changes: Changes, opened: DirectoryRecord, saved: DirectoryRecord): FieldName[] {
  return (Object.keys(changes) as FieldName[]).filter((field) => {
    const now = readField(saved, field);
    return now !== readField(opened, field) && now !== changes[field];
  });
}
