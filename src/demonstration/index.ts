// Public interface of this module. Other modules import nothing else from it.
export { Demonstration } from './demonstration.js';
export { DemonstrationClock } from './demonstration-clock.js';
export { DemonstrationModule } from './demonstration.module.js';
