export {
  ACCESS_ERROR_DESCRIPTIONS,
  ACCESS_METADATA_KEY,
  Access,
  Caller,
  PUBLIC,
  type RequiredAccess,
  type AuthenticatedRequest,
} from './access.decorator.js';
export {
  computeCallerDigest,
  findOpenAccessIdOfCaller,
  getRecordId,
  type AdminPrincipal,
  type CareProviderPrincipal,
  type ClientPrincipal,
  type ClinicPrincipal,
  type Principal,
  type StaffPrincipal,
} from './principal.js';
export { ROLES, type Role } from './roles.js';
