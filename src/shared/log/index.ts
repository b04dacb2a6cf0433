export { standardOutput } from './standard-output.js';
