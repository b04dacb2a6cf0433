import { jest } from '@jest/globals';

// A database takes many seconds to start on a busy machine. No test measures time with this limit.
jest.setTimeout(60_000);
