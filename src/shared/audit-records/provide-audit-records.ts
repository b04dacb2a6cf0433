import type { FactoryProvider } from '@nestjs/common';
import { AuditRecordKinds, type AuditRecordDeclaration } from './audit-record-kinds.js';

/** A provider with which a module declares the kinds of its records for the audit trail. */
export function provideAuditRecords(declaration: AuditRecordDeclaration): FactoryProvider {
  return {
    provide: Symbol('audit records'),
    inject: [AuditRecordKinds],
    useFactory: (kinds: AuditRecordKinds) => {
      kinds.declare(declaration);
      return declaration;
    },
  };
}
