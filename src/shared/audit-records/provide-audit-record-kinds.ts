import type { FactoryProvider } from '@nestjs/common';
import { AuditRecordKinds, type AuditRecordDeclaration } from './audit-record-kinds.js';

/** Creates a provider that declares a module's record kinds for the audit trail. */
export function provideAuditRecordKinds(declaration: AuditRecordDeclaration): FactoryProvider {
  return {
    provide: Symbol('audit records'),
    inject: [AuditRecordKinds],
    useFactory: (kinds: AuditRecordKinds) => {
      kinds.declare(declaration);
      return declaration;
    },
  };
}
