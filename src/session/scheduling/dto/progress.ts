export { countProgress, progressSchema } from '../../../directory/index.js';
