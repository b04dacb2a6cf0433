/** Why data is erased: the grounds of article 17(1) GDPR, and the end of a contract. */
export const ERASURE_REASONS = [
  'SUBJECT_REQUEST',
  'CONSENT_WITHDRAWN',
  'OBJECTION',
  'NO_LONGER_NEEDED',
  'UNLAWFUL_PROCESSING',
  'LEGAL_OBLIGATION',
  'CONTRACT_ENDED',
] as const;
export type ErasureReason = (typeof ERASURE_REASONS)[number];

/** Why data must be kept: the exceptions of article 17(3) GDPR. */
export const LEGAL_HOLD_REASONS = [
  'LITIGATION',
  'AUTHORITY_REQUEST',
  'INSURANCE_CLAIM',
  'COMPLAINT',
  'RECORD_KEEPING_DUTY',
] as const;
export type LegalHoldReason = (typeof LEGAL_HOLD_REASONS)[number];

export const ERASURE_STATUSES = ['REQUESTED', 'EXPIRED', 'REFUSED', 'CONFIRMED', 'COMPLETED'] as const;
export type ErasureStatus = (typeof ERASURE_STATUSES)[number];
