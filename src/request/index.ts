// The door of the way of a request: other modules import from here and from nowhere deeper.
export { RequestModule } from './request.module.js';
