import { jest } from '@jest/globals';

// Ends a test that hangs. It is no limit of speed: a busy machine needs a minute to start a service and its database.
jest.setTimeout(300_000);
