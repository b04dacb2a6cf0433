export const DESIGN_PLAN_PATH = '/gateway/profile/clinic/design-plan';
/**
 * The path of the `Location` header (docs/specification.md, "Create a Design Plan"). A GET request to the location
 * returns the plan.
 */
export const DESIGN_PLAN_LOCATION = '/design-plan';

export const planLocationHeader = {
  Location: { description: 'Where to read the plan.', example: `${DESIGN_PLAN_LOCATION}/1` },
};

export const toPlanLocation = (id: number) => `${DESIGN_PLAN_LOCATION}/${id}`;
