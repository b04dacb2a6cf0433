export { ACCESS, Access, Caller, PUBLIC, type AccessDemand, type AuthenticatedRequest } from './access.decorator.js';
export {
  digestOfCaller,
  recordOf,
  ROLES,
  type AdminPrincipal,
  type CareProviderPrincipal,
  type ClientPrincipal,
  type ClinicPrincipal,
  type Principal,
  type Role,
  type StaffPrincipal,
} from './principal.js';
