// Public API of the module. Other modules import nothing else of the folder.
export { ClientExportModule } from './client-export.module.js';
