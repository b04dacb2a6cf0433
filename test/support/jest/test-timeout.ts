import { jest } from '@jest/globals';

// The timeout is long, because a database takes many seconds to start on a busy machine.
jest.setTimeout(60_000);
