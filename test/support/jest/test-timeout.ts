import { jest } from '@jest/globals';

// Starting a database takes seconds on a busy machine; no test measures time by this.
jest.setTimeout(60_000);
