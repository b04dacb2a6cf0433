// The public interface of this module. Other modules must not import its other files.
export { ConsoleModule } from './console.module.js';
export { isConsoleUrl, serveConsole } from './serve-console.js';
