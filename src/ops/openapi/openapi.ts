import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { DocumentBuilder, SwaggerModule, type OpenAPIObject } from '@nestjs/swagger';
import { RouteAccessRegistry } from '../../auth/index.js';
import { PUBLIC } from '../../shared/access/index.js';
import { Environment } from '../../shared/config/env.js';
import { RELEASE } from '../../shared/config/release.js';
import { addDemonstrationMenu } from './demonstration-menu.js';
import { canIssueDemonstrationTokens, serveDemonstrationTokens } from './demonstration-tokens.js';
import { shareBaseSchemas } from './openapi-bases.js';
import { completeSchemasAndOperations } from './openapi-completion.js';
import { shareErrorResponses } from './openapi-errors.js';
import { documentIdempotencyKeys } from './openapi-idempotency.js';
import { moveParametersToPaths, shareRepeatedParts } from './openapi-parameters.js';
import { addRolesToDocument } from './openapi-roles.js';
import { convertZodType, shareRepeatedProperties } from './openapi-schemas.js';
import type { OpenApi } from './openapi-types.js';
import { shareValues } from './openapi-values.js';

const DESCRIPTION = `
Scheduling for mental-health care: Clinics write **Design Plans** (weeks of homework Books with reminders), Care
Providers create **Sessions** for their Clients from them, and the right people are reminded at the right moment. A Care
Provider sees their own Sessions and those of their assigned Clients, a Clinic all of its own, a Client theirs.

Every call carries \`Authorization: bearer <token>\`. Each operation names the role that may call it, in its description
and as \`x-required-role\`. Every error is \`application/problem+json\` (RFC 9457).

Instants in responses are ISO 8601 in UTC. A query parameter that is a list takes several values, separated by commas or repeated.

The response to an import has one result per line, in the same order. A refused line does not stop the others. Repeating
an import changes nothing. An import and a \`PUT\` clear optional fields that are absent, but keep the value of \`active\`.
`.trim();

/** Creates the OpenAPI document of the running service. */
export function createOpenApiDocument(app: NestFastifyApplication): OpenAPIObject {
  const config = new DocumentBuilder()
    .setOpenAPIVersion('3.1.0')
    .setTitle('Care scheduling')
    .setDescription(DESCRIPTION)
    .setVersion(RELEASE)
    .addServer(app.get(Environment).publicUrl)
    .addBearerAuth({
      type: 'http',
      scheme: 'bearer',
      bearerFormat: 'JWT',
      description:
        'An access token of your identity provider. If it contains several roles, the header `Acting-Role` selects one of them: `CLINIC`, `CARE_PROVIDER`, `CLIENT` or `ADMIN`; 403 if the token does not contain that role. For reads of a Clinic by an administrator, the header `Administrator-Access` names an open access.',
    })
    .addTag('Design Plans', 'Schedules of homework that a Clinic writes.')
    .addTag('Sessions', 'Appointments of Clients with Care Providers.')
    .addTag('Series', 'The Sessions that one request has created.')
    .addTag('Homework', 'The homework of a Client.')
    .addTag('Calendar', 'Sessions in calendar programs.')
    .addTag('Reminders', 'Delivery of reminders, and preferences.')
    .addTag('Directory', "A Clinic's own Care Providers, Clients and Books.")
    .addTag('Administration', 'Clinics and the shared catalogue of Books.')
    .addTag('Retention', 'How long the data of a Clinic is kept.')
    .addTag('Audit', 'The callers that have read or changed records.')
    .addTag('Operations', 'Health and metrics.')
    .build();
  const created = SwaggerModule.createDocument(app, config, {
    operationIdFactory: (_controller, method) => method,
    standardSchemaConverter: convertZodType,
  });
  complete(created as unknown as OpenApi, app.get(RouteAccessRegistry));
  return created;
}

function complete(document: OpenApi, access: RouteAccessRegistry): void {
  // `DocumentBuilder` adds an empty contact.
  delete document.info.contact;
  shareSecurity(document);
  documentIdempotencyKeys(document);
  completeSchemasAndOperations(document);
  shareErrorResponses(document);
  shareRepeatedParts(document);
  shareBaseSchemas(document.components.schemas);
  shareRepeatedProperties(document.components.schemas);
  shareValues(document.components);
  addRolesToDocument(
    document,
    (method, path) => access.findRequiredAccess(method.toUpperCase(), toRoutePath(path)) ?? PUBLIC,
  );
  moveParametersToPaths(document);
}

/** Converts a path of the document, such as `/book/{id}`, to the form of the router: `/book/:id`. */
function toRoutePath(path: string): string {
  return path.replaceAll(/\{(\w+)\}/g, ':$1');
}

/** Most operations need a token, so the document requires one, and public operations override this requirement. */
function shareSecurity(document: OpenApi): void {
  document.security = [{ bearer: [] }];
  for (const operation of Object.values(document.paths).flatMap((path) => Object.values(path))) {
    if (operation.security === undefined) operation.security = [];
    else delete operation.security;
  }
}

/** Whether the URL belongs to the OpenAPI document or Swagger UI, which are public. */
export function isDocumentationUrl(url: string): boolean {
  return /^\/(?:openapi\.(?:json|yaml)|docs(?:\/.*)?)$/.test(url);
}

/**
 * Serves the document at `/openapi.json` and `/openapi.yaml`, and Swagger UI at `/docs`. The document is built on the
 * first request.
 */
export function serveOpenApi(app: NestFastifyApplication): void {
  const environment = app.get(Environment);
  const hasMenu = canIssueDemonstrationTokens(environment);
  if (hasMenu) serveDemonstrationTokens(app.getHttpAdapter().getInstance(), environment);
  SwaggerModule.setup('docs', app, () => createOpenApiDocument(app), {
    jsonDocumentUrl: 'openapi.json',
    yamlDocumentUrl: 'openapi.yaml',
    customSiteTitle: 'Care scheduling',
    swaggerOptions: {
      filter: true,
      docExpansion: 'none',
      // Swagger UI shows the list of models collapsed.
      defaultModelsExpandDepth: 0,
      // Keeps tokens in the memory of the page only, not in the browser's storage.
      persistAuthorization: false,
      ...(hasMenu && { onComplete: addDemonstrationMenu }),
    },
  });
}
