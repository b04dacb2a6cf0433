import type { RecordFactory } from './contract/tenant.js';

/** The expected statuses of one operation. */
export type StatusRow = {
  /** Status for the owner of the record. */
  own: number;
  /**
   * Creates what each call needs: the record that the path names, a record for a list, or free values for the body.
   * Absent if it needs none of these.
   */
  on?: RecordFactory;
  /** Status for another person of the same role and Clinic. Default: 404 if the path has an id, otherwise `own`. */
  peer?: number;
  /** Status for a record that is foreign or does not exist. Default: 404. */
  absent?: number;
  /** Creates the foreign record, if it is not the same kind of record of another Clinic. */
  foreign?: RecordFactory;
  /** The operation is not restricted to one Clinic. */
  everywhere?: boolean;
  /** The body may name a record that does not exist, because the caller may not see which records exist. */
  acceptsAnyRecord?: boolean;
};

/** Rows by method and path of the OpenAPI document: `GET /gateway/profile/clinic/client/{id}`. */
export type StatusRows = Readonly<Record<string, StatusRow>>;

/** Creates the row of an operation on a record that `factory` creates. */
export const on = (factory: RecordFactory, own: number, more: Partial<StatusRow> = {}): StatusRow => ({
  on: factory,
  own,
  ...more,
});

/** Creates the row of a PUT by external id, which creates the record if the caller's Clinic has none with that id. */
export const put = (factory: RecordFactory, more: Partial<StatusRow> = {}): StatusRow =>
  on(factory, 204, { absent: 201, ...more });
