// Public interface of this module. Other modules import nothing else from it.
export { AdministratorAccessModule } from './administrator-access.module.js';
export { AdministratorAccessService } from './administrator-access.service.js';
