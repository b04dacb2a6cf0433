// The public interface of this module. Other modules import only from this file.
export { ConsoleModule } from './console.module.js';
export { isConsoleUrl, serveConsole } from './serve-console.js';
