export { Ticks } from './ticks.js';
