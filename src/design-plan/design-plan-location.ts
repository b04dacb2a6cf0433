import { ETAG_RESPONSE_HEADER } from '../shared/http/index.js';

export const DESIGN_PLAN_PATH = '/gateway/profile/clinic/design-plan';
/**
 * The path of the `Location` header (docs/specification.md, "Create a Design Plan"). A GET request to the location
 * returns the plan.
 */
export const DESIGN_PLAN_LOCATION = '/design-plan';

/** The headers of a response that has created a plan. It has an `ETag` if it contains the plan. */
export const createdPlanHeaders = {
  ...ETAG_RESPONSE_HEADER,
  Location: { description: 'Where to read the plan.', example: `${DESIGN_PLAN_LOCATION}/1` },
};

export const toPlanLocation = (id: number) => `${DESIGN_PLAN_LOCATION}/${id}`;
