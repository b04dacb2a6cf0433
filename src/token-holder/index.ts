// Public interface of this module. Other modules import nothing else from it.
export { TokenHolderModule } from './token-holder.module.js';
export { TokenHolderService } from './token-holder.service.js';
