export const PATH = '/gateway/profile/clinic/design-plan';
/**
 * The path of the `Location` header (docs/specification.md, "Create a Design Plan"). A GET request to the location
 * returns the plan.
 */
export const LOCATION = '/design-plan';

export const planLocationHeader = { Location: { description: 'Where to read the plan.', example: `${LOCATION}/1` } };

export const toPlanLocation = (id: number) => `${LOCATION}/${id}`;
