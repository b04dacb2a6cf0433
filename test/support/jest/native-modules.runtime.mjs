import Runtime from 'jest-runtime';
import { pathToFileURL } from 'node:url';
import './native-modules.hooks.mjs';

/** What Jest defines for a test file in the context of that file. */
const JEST_GLOBALS = [
  ...['afterAll', 'afterEach', 'beforeAll', 'beforeEach', 'describe', 'expect', 'it', 'test'],
  ...['fdescribe', 'fit', 'xdescribe', 'xit'],
];

/**
 * Classes that the framework compares with those of a test file, such as in `expect.any(Number)`. Both use those of Node's
 * main context.
 */
const SHARED_CLASSES = [
  ...[
    'AggregateError',
    'Array',
    'BigInt',
    'Boolean',
    'Date',
    'Error',
    'Function',
    'Map',
    'Number',
    'Object',
    'Promise',
  ],
  ...['RangeError', 'RegExp', 'Set', 'String', 'Symbol', 'SyntaxError', 'TypeError'],
];

let runs = 0;

/**
 * Lets Node load test files, so that the modules of the service are evaluated once in a worker instead of once for each
 * test file. The framework (circus, `expect`, spies, time limits) stays in the context of the test file. See
 * docs/adr/0012-modules-of-test-files.md.
 */
export default class NativeModulesRuntime extends Runtime {
  #run = (runs += 1);
  #variables = { ...process.env };
  #context;
  #globals;

  constructor(projectConfig, environment, ...others) {
    super(projectConfig, environment, ...others);
    this.#context = environment.global;
    this.#globals = projectConfig.globals;
    for (const name of SHARED_CLASSES) this.#context[name] = globalThis[name];
  }

  async unstable_importModule(path) {
    const { jest } = this.requireModuleOrMock(path, '@jest/globals');
    for (const name of JEST_GLOBALS) globalThis[name] = this.#context[name];
    Object.assign(globalThis, this.#globals, { jest });
    // Node applies the source maps. Jest's functions know the files of its own loader only.
    process.setSourceMapsEnabled(true);
    for (const { Error } of [globalThis, this.#context]) delete Error.prepareStackTrace;
    await import(`${pathToFileURL(path).href}?run=${this.#run}`);
  }

  teardown() {
    super.teardown();
    for (const name of [...JEST_GLOBALS, 'jest']) delete globalThis[name];
    for (const name of Object.keys(process.env)) if (!(name in this.#variables)) delete process.env[name];
    Object.assign(process.env, this.#variables);
  }
}
