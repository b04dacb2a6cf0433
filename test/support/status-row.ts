import type { RecordFactory } from './contract/tenant.js';

/** The response statuses that one operation must have. */
type StatusRow = {
  /** Status if the caller owns the record. */
  own: number;
  /**
   * Creates what a call needs: the record in the path, records for a list, or values for the body. Absent if a call
   * needs none of these.
   */
  on?: RecordFactory;
  /**
   * Status if the caller is another person of the same role and Clinic. By default, 404 if the path has an ID,
   * otherwise `own`.
   */
  peer?: number;
  /** Status if the record is foreign or does not exist. Default: 404, or that of the field in the body. */
  absent?: number;
  /** Creates the record of another Clinic, if `createStatusRow` cannot create it. */
  foreign?: RecordFactory;
  /** Whether the operation is not restricted to one Clinic. */
  everywhere?: boolean;
};

/**
 * Expected statuses, keyed by method and path in the OpenAPI document, such as `GET
 * /gateway/profile/clinic/client/{id}`.
 */
export type StatusRows = Readonly<Record<string, StatusRow>>;

/** Creates the row of an operation on a record that `factory` creates. */
export const createStatusRow = (factory: RecordFactory, own: number, more: Partial<StatusRow> = {}): StatusRow => ({
  on: factory,
  own,
  ...more,
});

/**
 * Creates the row of a PUT by external ID. If the caller's Clinic has no record with this ID, the operation creates it.
 */
export const createPutStatusRow = (factory: RecordFactory, more: Partial<StatusRow> = {}): StatusRow =>
  createStatusRow(factory, 204, { absent: 201, ...more });
