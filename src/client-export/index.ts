// Public interface of this module. Other modules import nothing else from it.
export { ClientExportModule } from './client-export.module.js';
