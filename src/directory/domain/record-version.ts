type Versioned = { version: number };

/** Sets fields of a record. Increments the version of the record if one of the values differs. */
export function changeFields<R extends Versioned>(record: R, fields: Partial<R>): void {
  const isSame = Object.entries(fields).every(([field, value]) => Reflect.get(record, field) === value);
  if (!isSame) Object.assign(record, fields, { version: record.version + 1 });
}
