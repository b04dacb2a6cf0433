import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { DocumentBuilder, SwaggerModule, type OpenAPIObject } from '@nestjs/swagger';
import { Environment } from '../../shared/config/env.js';
import { RELEASE } from '../../shared/config/release.js';
import { completeDocument } from './openapi-completion.js';
import { documentIdempotency } from './openapi-idempotency.js';

const DESCRIPTION = `
Scheduling for mental-health care: Clinics write **Design Plans** (weeks of homework Books with reminders), Care
Providers create **Sessions** for their Clients from them, and the right people are reminded at the right moment.

Every call carries \`Authorization: bearer <token>\`. Every error is \`application/problem+json\` (RFC 9457).

A \`POST\` with an \`Idempotency-Key\` can be sent again: it is done once, and answered each time.
`.trim();

/** Creates the OpenAPI document of the running service. */
export function createOpenApiDocument(app: NestFastifyApplication): OpenAPIObject {
  const config = new DocumentBuilder()
    .setTitle('Care scheduling')
    .setDescription(DESCRIPTION)
    .setVersion(RELEASE)
    .setContact('The team', 'https://example.org', 'team@example.org')
    .addServer(app.get(Environment).publicUrl)
    .addBearerAuth({
      type: 'http',
      scheme: 'bearer',
      bearerFormat: 'JWT',
      description:
        'An access token of your identity provider. Of several roles in it, the header `Acting-Role` chooses the one in use: `CLINIC`, `CARE_PROVIDER`, `CLIENT` or `ADMIN`; 403 where the token does not hold it.',
    })
    .addTag('Design Plans', 'Schedules of homework that a Clinic writes.')
    .addTag('Sessions', 'Appointments of Clients with Care Providers.')
    .addTag('Series', 'The Sessions of one call or one plan, moved together.')
    .addTag('Homework', 'What a Client has to do, and has done.')
    .addTag('Calendar', 'Sessions in the calendar programs of Clients, Care Providers and Clinics.')
    .addTag('Reminders', 'What has become of reminders, and how people want to be reminded.')
    .addTag('Directory', "A Clinic's own Care Providers, Clients and Books.")
    .addTag('Administration', 'Clinics and the shared catalogue of Books.')
    .addTag('Audit', 'Reads of and changes to records, with the caller of each.')
    .addTag('Operations', 'Health and metrics.')
    .build();
  const document = SwaggerModule.createDocument(app, config, { operationIdFactory: toOperationId });
  documentIdempotency(document);
  return completeDocument(document);
}

/** Controllers for one role whose method names already contain the role. */
const WITHOUT_ROLE = ['ClientHomeworkController', 'ClientPreferenceController', 'ClinicPreferenceController'];

/** Uses method names as operation IDs. Controllers for one role append the role, as in `listSessionsOfClinic`. */
function toOperationId(controller: string, method: string): string {
  const role = /^(Admin|Clinic|Client)(?=[A-Z]\w*Controller$)(?!Controller)/.exec(controller)?.[1];
  return role === undefined || WITHOUT_ROLE.includes(controller) ? method : `${method}Of${role}`;
}

/** Whether the URL belongs to the OpenAPI document or Swagger UI, which are public. */
export function isDocumentation(url: string): boolean {
  return url === '/openapi.json' || /^\/docs(?:$|[-/])/.test(url);
}

/** Serves the document at `/openapi.json` and Swagger UI at `/docs`. The document is built on the first request. */
export function useOpenApi(app: NestFastifyApplication): void {
  SwaggerModule.setup('docs', app, () => createOpenApiDocument(app), {
    jsonDocumentUrl: 'openapi.json',
    customSiteTitle: 'Care scheduling',
    swaggerOptions: { persistAuthorization: true },
  });
}
