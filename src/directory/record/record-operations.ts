import { applyDecorators } from '@nestjs/common';
import type { z } from 'zod';
import {
  ApiCreatedByPut,
  ApiNdjson,
  ETAG_RESPONSE_HEADER,
  Operation,
  RECORD_LOCATION_HEADER,
} from '../../shared/http/index.js';
import { importLineResultSchema } from '../dto/import-model.js';

export type RecordDocumentation = {
  path: string;
  /** The kind of record in operation IDs: "Client" yields `createClient` and `listClients`. */
  name: string;
  /** The kind of record in summaries: "a Client". */
  singular: string;
  /** The kind of record in summaries: "Clients". */
  plural: string;
  schema: z.ZodType;
  page: z.ZodType;
  /** The schema of an import line. */
  importLine: z.ZodType;
  /** Whether the record contains personal data, which caches must not store. */
  clientData?: boolean;
  /** Whether the version also identifies the response. False if the response contains parts of other records. */
  isResponseVersion?: boolean;
};

/** Creates the decorators for the seven operations that every kind of record supports. */
export class RecordOperationDecorators {
  constructor(private readonly record: RecordDocumentation) {}

  Create() {
    const { name, singular, schema, clientData } = this.record;
    return Operation({
      operationId: `create${name}`,
      summary: `Register ${singular}`,
      success: {
        status: 201,
        description: 'Registered.',
        headers: RECORD_LOCATION_HEADER,
      },
      errors: [400, 409, 413, 415],
      representation: schema,
      clientData,
    });
  }

  Put() {
    const { name, singular, schema, clientData } = this.record;
    const operation = Operation({
      operationId: `put${name}ByExternalId`,
      summary: `Register or replace ${singular} by external id`,
      success: { status: 204, description: 'Replaced. 201 with `Location` if the record was created.' },
      errors: [400, 412, 413, 415],
      representation: schema,
      clientData,
    });
    return applyDecorators(operation, ApiCreatedByPut());
  }

  Import() {
    const { name, singular, importLine, clientData } = this.record;
    const operation = Operation({
      operationId: `import${name}s`,
      summary: `Register or replace ${singular} for each line`,
      description: 'Up to 10,000 lines of 128 KiB, each handled like a `PUT` by its external id.',
      success: { status: 200, description: 'One such object per line.', schema: importLineResultSchema },
      errors: [400, 413, 415],
      clientData,
    });
    return applyDecorators(operation, ApiNdjson(importLine));
  }

  List() {
    const { name, plural, page, clientData } = this.record;
    return Operation({
      operationId: `list${name}s`,
      summary: `List ${plural}`,
      success: { status: 200, description: 'One page, in the order of `sort`.', schema: page },
      mayBeStale: true,
      errors: [400],
      clientData,
    });
  }

  Get() {
    const { name, singular, schema, clientData, isResponseVersion = true } = this.record;
    return Operation({
      operationId: `get${name}`,
      summary: `Read ${singular}`,
      success: { status: 200, description: 'The record.', schema, headers: ETAG_RESPONSE_HEADER },
      errors: [400, 404],
      isResponseVersion,
      clientData,
    });
  }

  Change() {
    const { name, singular, schema, clientData } = this.record;
    return Operation({
      operationId: `change${name}`,
      summary: `Change ${singular}`,
      success: { status: 200, description: 'The record.', schema, headers: ETAG_RESPONSE_HEADER },
      errors: [400, 404, 409, 412, 413, 415],
      representation: 'default',
      versionOf: ({ version }: { version: number }) => version,
      clientData,
    });
  }

  Deactivate() {
    const { name, singular, schema, clientData } = this.record;
    return Operation({
      operationId: `deactivate${name}`,
      summary: `Deactivate ${singular}`,
      description: '`PATCH` with `active: true` activates it again.',
      success: { status: 204, description: 'Deactivated.' },
      errors: [400, 404, 412],
      representation: schema,
      clientData,
    });
  }
}
