// Public interface of this module. Other modules import nothing else from it.
export { Erasure } from './domain/erasure.entity.js';
export { LegalHold } from './domain/legal-hold.entity.js';
export { ErasureModule } from './erasure.module.js';
export { ErasureService } from './erasure.service.js';
