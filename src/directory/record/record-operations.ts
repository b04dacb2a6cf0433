import { applyDecorators } from '@nestjs/common';
import type { z } from 'zod';
import { ApiCreatedByPut, ApiNdjson, Operation } from '../../shared/http/index.js';
import { importResultSchema } from '../dto/import-model.js';

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
};

/** Creates the decorators for the seven operations that every kind of record supports. */
export class RecordOperations {
  constructor(private readonly record: RecordDocumentation) {}

  Create() {
    const { path, name, singular } = this.record;
    return Operation({
      operationId: `create${name}`,
      summary: `Register ${singular}`,
      description: 'Answers where to read it. 409 when another record has its `externalId`.',
      success: {
        status: 201,
        description: 'Registered.',
        headers: { Location: { description: 'Where to read it.', example: `${path}/1` } },
      },
      errors: [400, 409, 413, 415],
    });
  }

  Put() {
    const { path, name, singular } = this.record;
    const operation = Operation({
      operationId: `put${name}`,
      summary: `Register or replace ${singular} by external id`,
      description:
        'The same call again and again makes one record. 201 with its location when it was made, 204 when it was ' +
        'replaced. Optional fields that are absent are emptied; `active` stays as it is.',
      success: { status: 204, description: 'Replaced; 201 with `Location` when it was made.' },
      errors: [400, 413, 415],
    });
    return applyDecorators(operation, ApiCreatedByPut(`${path}/1`));
  }

  Import() {
    const { name, singular, importLine, clientData } = this.record;
    const operation = Operation({
      operationId: `import${name}s`,
      summary: `Register or replace ${singular} for each line`,
      description:
        'Up to 10,000 records, one JSON object a line, each handled like a `PUT` by its external id. The answer has a ' +
        'result for each line, in their order; one that is refused does not stop the others. The same import again ' +
        'changes nothing, so one that was broken off can be sent again. Empty lines are ignored.',
      success: { status: 200, description: 'One such object for each line.', schema: importResultSchema },
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
      description: 'Active and deactivated ones alike, unless `active` says otherwise.',
      success: { status: 200, description: 'One page, in the order of the ids.', schema: page },
      errors: [400],
      clientData,
    });
  }

  Get() {
    const { name, singular, schema, clientData } = this.record;
    return Operation({
      operationId: `get${name}`,
      summary: `Read ${singular}`,
      success: { status: 200, description: 'The record.', schema },
      errors: [400, 404],
      clientData,
    });
  }

  Change() {
    const { name, singular, schema, clientData } = this.record;
    return Operation({
      operationId: `change${name}`,
      summary: `Change ${singular}`,
      description: 'Changes the fields that are given and leaves the others.',
      success: { status: 200, description: 'The record as it is now.', schema },
      errors: [400, 404, 413, 415],
      clientData,
    });
  }

  Deactivate() {
    const { name, singular } = this.record;
    return Operation({
      operationId: `deactivate${name}`,
      summary: `Deactivate ${singular}`,
      description:
        'The record stays, with all that refers to it, but cannot be used for anything new. ' +
        '`PATCH` with `active: true` brings it back.',
      success: { status: 204, description: 'Deactivated.' },
      errors: [400, 404],
    });
  }
}
