/* `@jest/globals` for the test file that imports it. */

export const { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest, test } = globalThis;
