import { ApiExtension, ApiHeader, ApiResponse } from '@nestjs/swagger';
import type { z } from 'zod';
import type { HttpPreferenceName } from './prefer.js';
import { toSuccessResponse, type SuccessResponse } from './success-response.js';

const HANDLING = '`handling=strict` refuses unknown fields and query parameters.';
const RETURN = '`return=minimal`: a response without a body';

/**
 * Documents the `Prefer` header of an operation and the responses that depend on it.
 *
 * @param representation the schema of the representation; `default` means that the response without a preference
 * contains it
 */
export function documentPreferences(
  preferences: readonly HttpPreferenceName[],
  success: SuccessResponse,
  representation: 'default' | z.ZodType | undefined,
): (ClassDecorator & MethodDecorator)[] {
  if (preferences.length === 0) return [];
  const schema = representation === 'default' ? success.schema : representation;
  const texts = [
    ...(preferences.includes('handling') ? [HANDLING] : []),
    ...(schema ? [`${RETURN}; \`return=representation\`: one with the record.`] : []),
  ];
  return [
    ApiHeader({
      name: 'prefer',
      required: false,
      description: `Preferences (RFC 7240). ${texts.join(' ')} \`Preference-Applied\` names those that were honoured.`,
      schema: { type: 'string', example: schema ? 'return=representation' : 'handling=strict' },
    }),
    ...(schema ? documentReturn(schema, success, representation === 'default') : []),
  ];
}

/**
 * Documents the response that a preference causes. OpenAPI allows only one schema per status, so responses whose status
 * does not depend on the preference are described in an extension, such as the 201 of a PUT that creates a record.
 */
function documentReturn(schema: z.ZodType, success: SuccessResponse, isDefault: boolean) {
  const { status, headers } = success;
  if (isDefault) {
    const minimal = { status: 204, description: 'Done, with `Prefer: return=minimal`.', headers } as const;
    return status === 200 ? [ApiResponse(withPreference('return=minimal', minimal))] : [];
  }
  const description = 'The record, with `Prefer: return=representation`.';
  const full = { status: 200, description, schema, headers } as const;
  const reference = { $ref: `#/components/schemas/${String(schema.meta()?.['id'])}` };
  return [
    ...(status === 204 ? [ApiResponse(withPreference('return=representation', full))] : []),
    ApiExtension('x-representation', reference) as ClassDecorator & MethodDecorator,
  ];
}

/**
 * Marks a response as caused by a preference. The client generator excludes marked responses from the result type of
 * calls without the preference.
 */
function withPreference(preference: string, response: SuccessResponse) {
  return { ...toSuccessResponse(response), 'x-preference': preference };
}
