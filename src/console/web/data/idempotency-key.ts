import { useRef } from 'preact/hooks';

/** Returns a random key. The service executes requests with the same key only once. */
export function createIdempotencyKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

export type IdempotencyKeys<Input> = {
  /** Returns the key of an input: the previous one, if the same input is sent again. */
  getKey: (input: Input) => string;
  /** Must be called after a success. The same input then is a new change. */
  forget: () => void;
};

/**
 * Creates keys for the changes of a component. The response to a change may be lost after the service has executed it.
 * With the same key, the service does not execute it again when the user tries again.
 */
export function useIdempotencyKeys<Input>(): IdempotencyKeys<Input> {
  const last = useRef<{ input: string; key: string }>();
  return {
    getKey: (value) => {
      const input = JSON.stringify([value]);
      if (last.current?.input !== input) last.current = { input, key: createIdempotencyKey() };
      return last.current.key;
    },
    forget: () => (last.current = undefined),
  };
}
